//! Keeping maps within their limits.

use std::collections::HashMap;
use std::hash::Hash;

/// What part of a full map goes at once, so that the search for the oldest is paid once for many.
const SHARE: usize = 8;

/// Takes out what was touched longest ago where a map has more than `n_max` values; between equals the greater key stays. Returns
/// what was taken out, the oldest first.
pub(crate) fn shed<K: Clone + Eq + Hash + Ord, V, A: Ord>(
    map: &mut HashMap<K, V>,
    n_max: usize,
    touched: impl Fn(&V) -> A,
) -> Vec<(K, V)> {
    if map.len() <= n_max {
        return Vec::new();
    }
    let n_gone = map.len() - n_max + n_max / SHARE;
    let mut ages: Vec<(A, &K)> = map.iter().map(|(key, value)| (touched(value), key)).collect();
    ages.sort_unstable();
    let gone: Vec<K> = ages.into_iter().take(n_gone).map(|(_, key)| key.clone()).collect();
    gone.into_iter().filter_map(|key| map.remove_entry(&key)).collect()
}
