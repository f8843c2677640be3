//! How well different things are counted.

use super::{Distinct, fingerprint};

fn counted(n: u64) -> u64 {
    let mut distinct = Distinct::default();
    for idx in (0..n).chain(0..n) {
        distinct.put(fingerprint(Some("s"), &format!("toolu_{idx}")));
    }
    distinct.count()
}

#[test]
fn a_few_are_counted_exactly_and_many_nearly() {
    assert_eq!([0, 1, 100, 256].map(counted), [0, 1, 100, 256]);
    for n in [1_000, 20_000] {
        let found = counted(n);
        assert!(found.abs_diff(n) < n / 6, "{found} of {n}");
    }
}
