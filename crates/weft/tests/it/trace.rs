//! `weft trace`: spans as a tree.

use crate::stored::{Stored, collector};

fn event(
    second: u32,
    event_type: &str,
    message: &str,
    span: &str,
    parent: &str,
    more: &str,
) -> String {
    let member = |name: &str, value: &str| match value {
        "" => String::new(),
        value => format!(r#","{name}":"{value}""#),
    };
    let (span, parent) = (member("span_id", span), member("parent_span_id", parent));
    let body =
        format!(r#""message":"{message}","correlation":{{"trace_id":"t-1"{span}{parent}}}{more}"#);
    collector(second, event_type, &body)
}

fn some() -> Stored {
    let took = r#","tool":{"tool_name":"Read","duration_ms":120}"#;
    Stored::with(&[
        event(0, "lifecycle.started", "plan", "root", "", ""),
        event(1, "hook.pre_tool_use", "read", "a", "root", r#","source":"hook""#),
        event(
            2,
            "hook.post_tool_use",
            "read done",
            "a",
            "root",
            &format!(r#"{took},"source":"hook""#),
        ),
        event(3, "activity.progress", "think", "b", "root", ""),
        event(4, "activity.progress", "deep", "c", "b", ""),
        event(9, "activity.progress", "deeper", "d", "c", ""),
        event(5, "activity.progress", "lost", "e", "nowhere", ""),
        event(6, "activity.progress", "round", "f", "g", ""),
        event(7, "activity.progress", "and round", "g", "f", ""),
        event(8, "activity.progress", "no span", "", "", ""),
        collector(9, "activity.progress", r#""correlation":{"trace_id":"t-2"}"#),
    ])
}

#[test]
fn spans_stand_below_their_parents() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["trace", "t-1"]).show(), @"
    trace t-1: 10 records, 8 spans
    TIME                 DURATION  WHEN                      ACTOR  STATUS    SPAN
    2020-01-01 00:00:00  9.0s      ━━━━━━━━━━━━━━━━━━━━━━━━  @a     started   lifecycle.started: plan
    2020-01-01 00:00:01  120ms       ━                       @a     progress  ├─ hook.pre_tool_use: read
    2020-01-01 00:00:03  6.0s              ━━━━━━━━━━━━━━━━  @a     progress  └─ activity.progress: think
    2020-01-01 00:00:04  5.0s                ━━━━━━━━━━━━━━  @a     progress     └─ activity.progress: deep
    2020-01-01 00:00:09  -                                ━  @a     progress        └─ activity.progress: deeper
    2020-01-01 00:00:05  -                      ━            @a     progress  activity.progress: lost (its parent nowhere is not in the trace)
    2020-01-01 00:00:06  1.0s                      ━━━       @a     progress  activity.progress: round (its parent g stands below it)
    2020-01-01 00:00:07  -                           ━       @a     progress  └─ activity.progress: and round
    2020-01-01 00:00:08  -                              ━    @a     progress  activity.progress: no span
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["trace", "t-1", "--ascii"]).stdout.lines().nth(5).unwrap(), @"2020-01-01 00:00:04  5.0s                ==============  @a     progress     `- activity.progress: deep");
    insta::assert_snapshot!(stored.run(&["trace", "t-1", "--at", "3"]).show(), @"
    trace t-1: 3 records, 2 spans
    TIME                 DURATION  WHEN                      ACTOR  STATUS    SPAN
    2020-01-01 00:00:00  2.0s      ━━━━━━━━━━━━━━━━━━━━━━━━  @a     started   lifecycle.started: plan
    2020-01-01 00:00:01  120ms                 ━━            @a     progress  └─ hook.pre_tool_use: read
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["trace", "t-1", "--json"]).show(), @r#"
    {"span":"root","depth":0,"what":"lifecycle.started: plan","actor":"@a","status":"started","start":"2020-01-01T00:00:00Z","end":"2020-01-01T00:00:09Z","duration_ms":9000,"positions":[1]}
    {"span":"a","parent":"root","depth":1,"what":"hook.pre_tool_use: read","actor":"@a","status":"progress","start":"2020-01-01T00:00:01Z","end":"2020-01-01T00:00:02Z","duration_ms":120,"positions":[2,3]}
    {"span":"b","parent":"root","depth":1,"what":"activity.progress: think","actor":"@a","status":"progress","start":"2020-01-01T00:00:03Z","end":"2020-01-01T00:00:09Z","duration_ms":6000,"positions":[4]}
    {"span":"c","parent":"b","depth":2,"what":"activity.progress: deep","actor":"@a","status":"progress","start":"2020-01-01T00:00:04Z","end":"2020-01-01T00:00:09Z","duration_ms":5000,"positions":[5]}
    {"span":"d","parent":"c","depth":3,"what":"activity.progress: deeper","actor":"@a","status":"progress","start":"2020-01-01T00:00:09Z","end":"2020-01-01T00:00:09Z","positions":[6]}
    {"span":"e","parent":"nowhere","depth":0,"orphan":true,"what":"activity.progress: lost","actor":"@a","status":"progress","start":"2020-01-01T00:00:05Z","end":"2020-01-01T00:00:05Z","positions":[7]}
    {"span":"f","parent":"g","depth":0,"circle":true,"what":"activity.progress: round","actor":"@a","status":"progress","start":"2020-01-01T00:00:06Z","end":"2020-01-01T00:00:07Z","duration_ms":1000,"positions":[8]}
    {"span":"g","parent":"f","depth":1,"what":"activity.progress: and round","actor":"@a","status":"progress","start":"2020-01-01T00:00:07Z","end":"2020-01-01T00:00:07Z","positions":[9]}
    {"depth":0,"what":"activity.progress: no span","actor":"@a","status":"progress","start":"2020-01-01T00:00:08Z","end":"2020-01-01T00:00:08Z","positions":[10]}
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn a_beginning_must_be_one_traces_alone() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["trace", "t"]).show(), @"
    --- stderr
    error: several traces begin with `t`:
      t-1
      t-2
    --- exit 2
    ");
    insta::assert_snapshot!(stored.run(&["trace", "x"]).show(), @"
    --- stderr
    error: no record has a trace that begins with `x`
    --- exit 2
    ");
}
