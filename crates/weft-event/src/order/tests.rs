//! Producers and the numbers they give.

use std::borrow::Cow;

use super::{Step, Watch, producer};
use crate::{Dialect, Facts};

fn steps(dialect: Dialect, numbers: &[u64]) -> String {
    let mut watch = Watch::new(dialect);
    let show = |&number: &u64| match watch.step(number) {
        Step::Next => format!("{number}"),
        Step::Gap { expected } => format!("{number} (expected {expected})"),
        Step::Again => format!("{number} (again)"),
        Step::Backward { after } => format!("{number} (after {after})"),
    };
    numbers.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[test]
fn numbers_that_do_not_follow_are_told_apart() {
    insta::assert_snapshot!(steps(Dialect::Needle, &[0, 1, 2, 5, 5, 3, 4]), @"0, 1, 2, 5 (expected 3), 5 (again), 3 (after 5), 4");
    insta::assert_snapshot!(steps(Dialect::Engine, &[0, 2, 0, 1]), @"0, 2 (expected 1), 0 (after 2), 1");
    insta::assert_snapshot!(steps(Dialect::Engine, &[u64::MAX - 1, u64::MAX]), @"18446744073709551614 (expected 0), 18446744073709551615");
}

#[test]
fn each_dialect_has_its_own_beginning() {
    insta::assert_snapshot!(steps(Dialect::Needle, &[0]), @"0");
    insta::assert_snapshot!(steps(Dialect::Needle, &[1]), @"1");
    insta::assert_snapshot!(steps(Dialect::Needle, &[2]), @"2 (expected 1)");
    insta::assert_snapshot!(steps(Dialect::Engine, &[0]), @"0");
    insta::assert_snapshot!(steps(Dialect::Engine, &[1]), @"1 (expected 0)");
    insta::assert_snapshot!(steps(Dialect::Collector, &[40]), @"40");
}

fn named(dialect: Dialect) -> Facts<'static> {
    let mut facts = Facts::new(dialect, Cow::Borrowed("x"));
    facts.tenant = Some("acme".into());
    facts.actor = Some("alpha".into());
    facts.session = Some("s1".into());
    facts
}

#[test]
fn a_producer_is_what_its_dialect_says() {
    let producers: Vec<_> =
        Dialect::ALL.iter().map(|&dialect| producer(&named(dialect)).to_string()).collect();
    insta::assert_snapshot!(producers.join("\n"), @"
    idle alpha/s1
    collector alpha/s1
    pinchy acme/alpha/s1
    engine alpha
    needle alpha/s1
    weft alpha/s1
    ");
    let unnamed = producer(&Facts::new(Dialect::Idle, Cow::Borrowed("DONE"))).to_string();
    insta::assert_snapshot!(unnamed, @"idle (unnamed)");
}

#[test]
fn a_name_cannot_break_the_report() {
    let mut facts = named(Dialect::Collector);
    facts.actor = Some("a\nb\u{1b}[2J".into());
    insta::assert_snapshot!(producer(&facts), @r"collector a\nb\u{1b}[2J/s1");
}

#[test]
fn a_number_counts_only_where_it_is_known_who_counted() {
    let mut facts = named(Dialect::Needle);
    assert_eq!(producer(&facts).number(Some(7)), Some(7));
    facts.session = None;
    assert_eq!(producer(&facts).number(Some(7)), None);
    let mut facts = named(Dialect::Engine);
    facts.session = None;
    assert_eq!(producer(&facts).number(Some(7)), Some(7));
    facts.actor = None;
    assert_eq!(producer(&facts).number(Some(7)), None);
}
