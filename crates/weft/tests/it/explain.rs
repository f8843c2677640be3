//! `weft explain`: one event for a person and for a program.

use crate::sandbox::{FINE, ODD, Sandbox};

const RICH: &str = r#"{"version":"1.0.0","event_type":"hook.post_tool_use","timestamp":"2026-01-01T09:30:00+01:00","agent_id":"@a","event_id":"0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d","session_id":"s1","source":"hook","message":"Read done","progress":0.5,"tool":{"tool_name":"Read","tool_input":{"file_path":"src/a.rs"},"duration_ms":12},"correlation":{"trace_id":"t","span_id":"s","parent_span_id":"p"}}"#;

fn sandbox() -> Sandbox {
    let lines = ["", FINE, RICH, "nope", r#"{"weft_seal":{}}"#, &format!("\0{ODD}")].join("\n");
    Sandbox::with(&[("a.jsonl", lines.as_bytes()), ("odd:3", FINE.as_bytes())])
}

#[test]
fn without_a_line_it_is_the_first_event() {
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl"]).show(), @"
    a.jsonl:2
      dialect   collector, the only one that fits: collector by `version` `agent_id` (complete)
      type      lifecycle.started
      meaning   The agent begins
      time      2026-01-01T00:00:00Z
      actor     @a
      status    started
      level     info
      identity  none of its own: only its delivery tells it from a repeat
    no problems
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_line_is_named_behind_a_colon() {
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:3"]).show(), @"
    a.jsonl:3
      dialect      collector, the only one that fits: collector by `version` `agent_id` `source` `message` `tool` `correlation` (complete)
      type         hook.post_tool_use
      meaning      A tool has run
      time         2026-01-01T08:30:00Z
      actor        @a
      session      s1
      identity     id 0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d
      status       progress
      level        info
      progress     0.5
      tool         Read
      path         src/a.rs
      duration     12 ms
      message      Read done
      trace        t
      span         s
      parent span  p
    no problems
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:3", "--json"]).show(), @r#"
    {"file":"a.jsonl","line":3,"explain":{"dialect":"collector","settled":"only_fit","fits":[{"dialect":"collector","marks":["version","agent_id","source","message","tool","correlation"],"complete":true}]},"meaning":"A tool has run","facts":{"dialect":"collector","type":"hook.post_tool_use","time":"2026-01-01T08:30:00Z","actor":"@a","session":"s1","identity":"id 0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d","status":"progress","ended":false,"level":"info","progress":0.5,"tool":"Read","path":"src/a.rs","duration_ms":12,"message":"Read done","trace":"t","span":"s","parent_span":"p"},"problems":[]}
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn what_is_wrong_is_told_too() {
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:4"]).show(), @"
    a.jsonl:4
    1 problem
      not JSON: unexpected character at column 1, near `nope` [json]
    --- stderr
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:6"]).show(), @"
    a.jsonl:6
      dialect   collector, the only one that fits: collector by `version` `agent_id` `status` (complete)
      type      lifecycle.started
      meaning   The agent begins
      time      2026-01-01T00:00:00Z
      actor     @a
      status    blocked
      level     warn
      identity  none of its own: only its delivery tells it from a repeat
    2 problems
      warning: NUL bytes before this line (1), as a crash leaves them [nul_bytes]
      /status: warning: `lifecycle.started` means `started`; the stated `blocked` counts [status_mismatch]
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:4", "--json"]).show(), @r#"
    {"file":"a.jsonl","line":4,"problems":[{"severity":"error","dialect":null,"pointer":"","code":"json","message":"not JSON: unexpected character at column 1, near `nope`"}]}
    --- stderr
    --- exit 1
    "#);
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:2", "--dialect", "weft"]).show(), @"
    a.jsonl:2
      dialect   weft, as named
      level     info
      identity  none of its own: only its delivery tells it from a repeat
    5 problems
      /weft: `weft` is missing [missing]
      /type: `type` is missing [missing]
      /id: `id` is missing [missing]
      /at: `at` is missing [missing]
      /data: `data` is missing [missing]
    --- stderr
    --- exit 1
    ");
}

#[test]
fn a_place_without_an_event_is_wrong_use() {
    insta::assert_snapshot!(sandbox().run(&["explain", "a.jsonl:5"]).show(), @"
    --- stderr
    error: a.jsonl has no event on line 5; it holds 4 events
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox().run(&["explain", "b.jsonl:5"]).show(), @"
    --- stderr
    error: cannot open b.jsonl: No such file or directory (os error 2)
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox().pipe(&["explain", "-"], b"\n").show(), @"
    --- stderr
    error: - holds no event
    --- exit 2
    ");
}

#[test]
fn standard_input_and_files_with_a_colon_in_their_name_work() {
    let sandbox = sandbox();
    let from_pipe = sandbox.pipe(&["explain", "--", "-:2"], format!("x\n{FINE}").as_bytes());
    assert!(from_pipe.stdout.starts_with("-:2\n"), "{}", from_pipe.show());
    assert!(sandbox.run(&["explain", "odd:3"]).stdout.starts_with("odd:3:1\n"));
}
