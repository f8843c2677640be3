//! Sorting against the standard library, with budgets that force every stage.

use std::cell::Cell;
use std::io::{self, Cursor};

use super::Sorter;

fn numbers(n: u32) -> impl Iterator<Item = u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761))
}

/// Sorts `n` numbers in pieces of `per_run`; returns them and how many runs were written.
fn sorted(n: u32, per_run: usize) -> (Vec<u32>, u32) {
    let n_runs = Cell::new(0);
    let spill = || {
        n_runs.set(n_runs.get() + 1);
        Ok(Cursor::new(Vec::new()))
    };
    let record_bytes = 4 + 8 + size_of::<super::Entry>();
    let mut sorter = Sorter::new(per_run * record_bytes, spill);
    for number in numbers(n) {
        sorter.push(&number.to_be_bytes(), b"whatever").unwrap();
    }
    let mut sorted = sorter.sort().unwrap();
    let mut keys = Vec::new();
    while let Some(record) = sorted.read().unwrap() {
        assert_eq!(record.payload, b"whatever");
        keys.push(u32::from_be_bytes(record.key.try_into().unwrap()));
    }
    (keys, n_runs.get())
}

#[test]
fn records_come_out_sorted_however_little_memory_there_is() {
    let mut expected: Vec<_> = numbers(5000).collect();
    expected.sort_unstable();
    for per_run in [0, 1, 7, 300, 4999] {
        let (keys, n_runs) = sorted(5000, per_run);
        assert_eq!(keys, expected, "{per_run} a run");
        assert!(n_runs > 0, "{per_run} a run");
    }
    assert_eq!(sorted(5000, 5000), (expected, 0));
}

#[test]
fn runs_are_merged_before_there_are_too_many() {
    assert_eq!(sorted(16, 1).1, 16 + 1, "16 runs become one");
    assert_eq!(sorted(17, 1).1, 17 + 1, "and another joins it");
    assert_eq!(sorted(256, 1).1, 256 + 16 + 1, "16 such runs become one again");
}

#[test]
fn nothing_sorts_to_nothing() {
    assert_eq!(sorted(0, 10), (vec![], 0));
}

#[test]
fn a_record_larger_than_the_budget_is_kept_whole() {
    let mut sorter = Sorter::new(10, || Ok(Cursor::new(Vec::new())));
    let long = vec![b'x'; 100_000];
    sorter.push(b"2", &long).unwrap();
    sorter.push(b"1", b"").unwrap();
    let mut sorted = sorter.sort().unwrap();
    assert_eq!(sorted.read().unwrap().unwrap().key, b"1");
    assert_eq!(sorted.read().unwrap().unwrap().payload, long);
    assert!(sorted.read().unwrap().is_none());
    assert!(sorted.read().unwrap().is_none());
}

#[test]
fn a_full_disk_is_an_error() {
    let full = || Err::<Cursor<Vec<u8>>, _>(io::Error::from(io::ErrorKind::StorageFull));
    let mut sorter = Sorter::new(0, full);
    sorter.push(b"1", b"").unwrap();
    assert_eq!(sorter.push(b"2", b"").unwrap_err().kind(), io::ErrorKind::StorageFull);
}
