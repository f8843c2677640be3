//! Numbers in the order they arrive, and what is said of them.

use weft_event::Dialect;
use weft_log::Position;

use super::{HOLES_MAX, Numbers};

/// Whether records before the first were pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Known,
    Pruned,
}

fn seen(dialect: Dialect, start: Start, arrived: &[u64]) -> Numbers {
    let pruned_upto = Some(Position::FIRST).filter(|_| start == Start::Pruned);
    let mut numbers = Numbers::new(dialect);
    let second = Position::FIRST.plus(1);
    arrived.iter().for_each(|number| numbers.see(*number, second, pruned_upto));
    numbers
}

fn told(dialect: Dialect, start: Start, arrived: &[u64]) -> String {
    let numbers = seen(dialect, start, arrived);
    let missing: Vec<_> =
        numbers.missing().map(|(first, last)| format!("{first}-{last}")).collect();
    let (n_late, n_backward) = (numbers.n_late, numbers.n_backward);
    format!("missing [{}] late {n_late} backward {n_backward}", missing.join(" "))
}

#[test]
fn what_came_late_is_not_missing() {
    let needle = |arrived: &[u64]| told(Dialect::Needle, Start::Known, arrived);
    insta::assert_snapshot!(needle(&[0, 1, 2, 3]), @"missing [] late 0 backward 0");
    insta::assert_snapshot!(needle(&[1, 2, 7, 9]), @"missing [3-6 8-8] late 0 backward 0");
    insta::assert_snapshot!(needle(&[1, 2, 7, 4, 9]), @"missing [3-3 5-6 8-8] late 1 backward 0");
    insta::assert_snapshot!(needle(&[1, 4, 2, 3, 5]), @"missing [] late 2 backward 0");
    insta::assert_snapshot!(needle(&[1, 2, 3, 2, 4]), @"missing [] late 0 backward 1");
}

#[test]
fn what_was_pruned_is_not_missing() {
    insta::assert_snapshot!(told(Dialect::Needle, Start::Known, &[7, 8]), @"missing [1-6] late 0 backward 0");
    insta::assert_snapshot!(told(Dialect::Needle, Start::Pruned, &[7, 8]), @"missing [] late 0 backward 0");
    insta::assert_snapshot!(told(Dialect::Collector, Start::Known, &[40, 41, 38]), @"missing [39-39] late 1 backward 0");
    insta::assert_snapshot!(told(Dialect::Engine, Start::Known, &[u64::MAX, 0]), @"missing [1-18446744073709551614] late 1 backward 0");
}

#[test]
fn what_was_pruned_between_is_not_missing_and_no_step_back_when_it_comes() {
    let position = |number| Position::new(number).unwrap();
    let mut numbers = Numbers::new(Dialect::Needle);
    numbers.see(1, position(1), None);
    numbers.see(5, position(9), Some(position(8)));
    numbers.see(8, position(10), Some(position(8)));
    numbers.see(3, position(11), Some(position(8)));
    assert_eq!(numbers.missing().collect::<Vec<_>>(), [(6, 7)]);
    assert_eq!((numbers.n_missing(), numbers.n_late, numbers.n_backward), (2, 1, 0));
}

#[test]
fn many_holes_are_counted_and_not_kept() {
    let odd: Vec<u64> = (0..3 * HOLES_MAX as u64).map(|n| 2 * n + 1).collect();
    let numbers = seen(Dialect::Needle, Start::Known, &odd);
    assert_eq!(numbers.missing().count(), HOLES_MAX);
    assert_eq!(numbers.n_missing(), 3 * HOLES_MAX as u64 - 1);
}
