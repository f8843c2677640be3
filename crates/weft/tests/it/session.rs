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

/// Returns what a hook tells of the session `talk`.
fn hook(second: u32, name: &str, hook_type: &str, payload: &str, rest: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"hook.{name}","timestamp":"2020-01-01T00:00:{second:02}Z","agent_id":"session-talk","session_id":"talk","source":"hook","message":"{hook_type}"{rest},"hook":{{"hook_type":"{hook_type}","raw_payload":{{"prompt_id":"p1"{payload}}}}},"correlation":{{"trace_id":"t","span_id":"h{second}","parent_span_id":"p1","root_agent_id":"session-talk"}}}}"#
    )
}

/// Returns a session in which a person asks, a tool is called, and the agent answers.
fn talk() -> Stored {
    let given = r#""tool_name":"Bash","tool_input":{"command":"make test\nmake lint"}"#;
    let call = |second, name, hook_type, more: &str| {
        let tool = format!(r#","tool":{{{given}{more}}}"#);
        let line = hook(second, name, hook_type, "", &tool);
        line.replace(&format!(r#""span_id":"h{second}""#), r#""span_id":"call-1""#)
    };
    let answer = r#"{"version":"1.0.0","event_type":"activity.message","timestamp":"2020-01-01T00:00:06Z","agent_id":"session-talk","session_id":"talk","message":"All 12 tests pass.","event_id":"019cb022-dc57-786c-a795-000000000001","correlation":{"trace_id":"t","span_id":"m1","parent_span_id":"p1","root_agent_id":"session-talk"},"metadata":{"client":"claude-code","source":"transcript","usage":{"input_tokens":1000,"output_tokens":200,"model":"claude-sonnet-4-5"}}}"#;
    Stored::with(&[
        hook(1, "prompt_submit", "UserPromptSubmit", r#","prompt":"Fix the labels""#, ""),
        call(2, "pre_tool_use", "PreToolUse", ""),
        call(
            4,
            "post_tool_use",
            "PostToolUse",
            r#","tool_result":"ok\n12 passed","duration_ms":1800"#,
        ),
        answer.to_owned(),
        hook(8, "stop", "Stop", "", ""),
    ])
}

#[test]
fn a_session_reads_like_a_conversation_with_its_cost_at_the_end() {
    let stored = talk();
    insta::assert_snapshot!(stored.run(&["session", "talk", "--talk", "--utc"]).show(), @r#"
    session talk

    00:00:01 person     Fix the labels
    00:00:02 tool       ✓ Bash 1.8s  {"command":"make test\nmake lint"}
    00:00:06 agent      All 12 tests pass.
    00:00:08            ── turn completed ──

    1 turn, 1 call, 0 errors in 7.0s
    1200 tokens: 1000 in, 200 out, 0 read from a cache, 0 written to one
    cost $0.0060, of which $0.0060 is estimated by prices of 2026-10-10
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["session", "talk", "--full", "--utc"]).show(), @r#"
    session talk

    00:00:01 person     Fix the labels
    00:00:02 tool       ✓ Bash 1.8s
                          given: {"command":"make test\nmake lint"}
                          gave: ok
                            12 passed
    00:00:06 agent      All 12 tests pass.
    00:00:08            ── turn completed ──

    1 turn, 1 call, 0 errors in 7.0s
    1200 tokens: 1000 in, 200 out, 0 read from a cache, 0 written to one
    cost $0.0060, of which $0.0060 is estimated by prices of 2026-10-10
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["session", "talk", "--talk", "--at", "2", "--utc"]).show(), @r#"
    session talk

    00:00:01 person     Fix the labels
    00:00:02 tool       ◆ Bash running  {"command":"make test\nmake lint"}

    1 turn, 1 call, 0 errors in 1.0s
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["session", "talk", "--at", "1", "--utc"]).show(), @"
    POSITION  TIME                 ACTOR         TYPE                STATUS    WHAT
    1         2020-01-01 00:00:01  session-talk  hook.prompt_submit  thinking  UserPromptSubmit
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_conversation_comes_turn_by_turn_to_a_program() {
    let stored = talk();
    insta::assert_snapshot!(stored.run(&["session", "talk", "--talk", "--json"]).show(), @r#"
    {"prompt":{"by":"person","text":"Fix the labels","at":"2020-01-01T00:00:01Z","positions":[1]},"items":[{"kind":"call","call":"call-1","tool":"Bash","input":"{\"command\":\"make test\\nmake lint\"}","result":"ok\n12 passed","is_ok":true,"is_denied":false,"duration_ms":1800,"at":"2020-01-01T00:00:02Z","positions":[2,3]},{"kind":"words","by":"agent","text":"All 12 tests pass.","at":"2020-01-01T00:00:06Z","positions":[4]}],"end":{"phase":"completed","at":"2020-01-01T00:00:08Z","positions":[5]}}
    {"session":{"actors":["session-talk"],"cost_usd":0.006,"estimated_usd":0.006,"first_position":1,"first_prompt":"Fix the labels","last_prompt":"Fix the labels","last_seen":"2020-01-01T00:00:08Z","model":"claude-sonnet-4-5","n_calls":1,"n_errors":0,"n_records":5,"n_turns":1,"position":5,"session":"talk","silent_ms":0,"since":"2020-01-01T00:00:01Z","state":"waiting","total_tokens":1200},"usage":{"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":0.006,"estimated_usd":0.006,"first_seen":"2020-01-01T00:00:06Z","input_tokens":1000,"last_seen":"2020-01-01T00:00:06Z","n_reports":1,"output_tokens":200,"prices_as_of":"2026-10-10","reported_usd":0.0,"total_tokens":1200,"unpriced_tokens":0,"unsplit_tokens":0}}
    --- stderr
    --- exit 0
    "#);
    let records = stored.run(&["session", "talk", "--json"]);
    assert_eq!(records.stdout, stored.run(&["session", "talk", "--format", "json"]).stdout);
    assert_eq!(records.stdout.lines().count(), 5);
}
