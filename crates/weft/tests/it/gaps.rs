//! `weft gaps`: what is missing.

use crate::stored::{Stored, collector, needle};

#[test]
fn numbers_that_never_came_and_records_that_are_gone() {
    let stored = Stored::with(&[
        needle(0, "alpha", "s", 1),
        needle(1, "alpha", "s", 2),
        needle(2, "alpha", "s", 7),
        needle(3, "alpha", "s", 4),
        needle(4, "beta", "s", 1),
        needle(5, "beta", "s", 2),
        needle(6, "gamma", "s", 3),
        collector(7, "lifecycle.started", ""),
    ]);
    insta::assert_snapshot!(stored.run(&["gaps"]).show(), @"
    needle alpha/s: 3 missing
    needle alpha/s: 5 to 6 missing
    needle gamma/s: 1 to 2 missing
    --- stderr
    8 records, 3 numbered producers: 0 lost, 5 missing, 0 backward, 1 late
    --- exit 1
    ");
    stored.damage("b-2\"");
    insta::assert_snapshot!(stored.run(&["gaps", "--json"]).show(), @r#"
    {"kind":"lost","first":2,"last":2}
    {"kind":"missing","producer":"needle alpha/s","first":2,"last":3}
    {"kind":"missing","producer":"needle alpha/s","first":5,"last":6}
    {"kind":"missing","producer":"needle gamma/s","first":1,"last":2}
    {"kind":"summary","records":7,"producers":3,"lost":1,"missing":6,"backward":0,"late":1}
    --- stderr
    --- exit 1
    "#);
}

#[test]
fn a_whole_log_has_none() {
    let stored = Stored::with(&[needle(0, "alpha", "s", 1), needle(1, "alpha", "s", 2)]);
    insta::assert_snapshot!(stored.run(&["gaps"]).show(), @"
    --- stderr
    2 records, 1 numbered producer: 0 lost, 0 missing, 0 backward, 0 late
    --- exit 0
    ");
}
