//! That the order is kept whatever happens to the values.

use std::cmp::Reverse;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Ordered, Ranked};

/// A sum that is shown once for every ten in it, the greatest first, but of those that are nearly the same the least.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sum(u64);

impl Ranked for Sum {
    type Rank = Reverse<u64>;
    type Ranks = Vec<Reverse<u64>>;

    fn ranks(&self) -> Self::Ranks {
        (0..self.0.div_ceil(10)).map(|nth| Reverse(self.0 / 5 + nth)).collect()
    }

    fn rank_among_equals(&self) -> i64 {
        self.0 as i64
    }
}

type Sums = Ordered<Sum, 5>;

/// Returns what is shown, found by a look at everything.
fn naive(sums: &Sums) -> Vec<String> {
    let mut all: Vec<(Reverse<u64>, u64, String)> = sums
        .values
        .iter()
        .flat_map(|(name, sum)| sum.ranks().into_iter().map(|rank| (rank, sum.0, name.to_owned())))
        .collect();
    all.sort_unstable();
    all.into_iter().map(|(_, _, name)| name).collect()
}

proptest! {
    #[test]
    fn the_first_are_those_that_all_of_them_begin_with(
        changes in proptest::collection::vec(("[a-i]", 0..9_i64, 0..25_u64), 0..60),
        cut in 0..60_usize,
        limit in 0..12_usize,
    ) {
        let mut sums = Sums::default();
        for (nth, (name, at_ns, sum)) in changes.into_iter().enumerate() {
            if nth == cut {
                let saved = serde_json::to_string(&sums).unwrap();
                sums = serde_json::from_str(&saved).unwrap();
            }
            sums.change(&name, at_ns, |known| known.0 = sum);
            let all = naive(&sums);
            let first = sums.first(limit, |name, _| name.to_owned());
            prop_assert_eq!(&first.rows, &all[..limit.min(all.len())]);
            prop_assert_eq!(first.n_more, all.len().saturating_sub(limit));
            prop_assert_eq!(sums.n_shown(), all.len());
        }
    }
}
