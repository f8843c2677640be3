//! `weft session`: one session in its producers' order.

use crate::stored::{Stored, needle};

fn some() -> Stored {
    Stored::with(&[
        needle(0, "alpha", "s-one", 1),
        needle(1, "beta", "s-two", 1),
        needle(3, "alpha", "s-one", 3),
        needle(2, "alpha", "s-one", 2),
        needle(4, "gamma", r#"odd \"name\" (*)"#, 1),
    ])
}

#[test]
fn a_session_comes_in_the_order_of_its_producers() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["session", "s-one"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE          STATUS   WHAT
    1         2020-01-01 00:00:00  alpha  bead.claimed  started  b-1
    4         2020-01-01 00:00:02  alpha  bead.claimed  started  b-2
    3         2020-01-01 00:00:03  alpha  bead.claimed  started  b-3
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["session", "s-o", "--limit", "1"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE          STATUS   WHAT
    3         2020-01-01 00:00:03  alpha  bead.claimed  started  b-3
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["session", "s-one", "--order", "position", "--limit", "2"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE          STATUS   WHAT
    3         2020-01-01 00:00:03  alpha  bead.claimed  started  b-3
    4         2020-01-01 00:00:02  alpha  bead.claimed  started  b-2
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["session", "odd \"", "--format", "jsonl"]).show(), @r#"
    {"schema_version":1,"timestamp":"2020-01-01T00:00:04.000Z","event_type":"bead.claimed","worker_id":"gamma","session_id":"odd \"name\" (*)","sequence":1,"data":{"bead_id":"b-1"}}
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn a_beginning_must_be_one_sessions_alone() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["session", "s-"]).show(), @"
    --- stderr
    error: several sessions begin with `s-`:
      s-one
      s-two
    --- exit 2
    ");
    insta::assert_snapshot!(stored.run(&["session", "x"]).show(), @"
    --- stderr
    error: no record has a session that begins with `x`
    --- exit 2
    ");
}
