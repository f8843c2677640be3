//! What counts as the same failure.

use insta::assert_snapshot;
use proptest::proptest;

use super::{ErrorRow, Errors, signature};
use crate::testing::{assert_law, fold, place};

#[test]
fn a_signature_leaves_out_what_differs_each_time() {
    let texts = [
        "expected 429, got 200 at request 61",
        "cannot open /home/ana/harbor/src/search/fold.rs: Permission denied (os error 13)",
        "src/lib.rs:10:5: error[E0277]: `Foo` is not \"Send\"",
        "2026-11-15T08:00:00.123Z worker 019cb022-dc57-786c-a795-143edc7f3d65 timed out after 120ms",
        "bead bd-51014b8d lost 0xdeadbeef at commit 4bf92f3577b34da6",
        "can't connect to 127.0.0.1:4318:\n\n  connection   refused",
        "took 1.5 s of and/or, 50% in C:\\x",
        "assertion `left == right` failed",
        "toolu_01AbCdEf0123456789 failed at 12:00:01",
        "unfinished \"quote and 'another",
        "",
    ];
    let signatures = texts.map(|text| signature(text) + "\n").concat();
    assert_snapshot!(signatures, @r#"
    expected <n>, got <n> at request <n>
    cannot open …/fold.rs: Permission denied (os error <n>)
    …/lib.rs:<n>:<n>: error[E0277]: <text> is not <text>
    <time> worker <id> timed out after <n>ms
    bead bd-<id> lost <id> at commit <id>
    can't connect to <n>.<n>:<n>: connection refused
    took <n> s of and/or, <n>% in C:\x
    assertion <text> failed
    <id> failed at <time>
    unfinished "quote and 'another
    "#);
}

proptest! {
    #[test]
    fn any_text_has_a_signature(text in "\\PC{0,200}|[0-9a-f/'\"T:.Z -]{0,200}") {
        let first = signature(&text);
        assert!(first.len() <= text.len() * 6 + 8);
        assert_eq!(signature(&text), first);
    }
}

fn error(time: &str, actor: &str, message: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"system.error","timestamp":"2026-11-15T{time}Z","agent_id":"{actor}","status":"error","message":"{message}"}}"#
    )
}

/// Returns a call that failed, as a hook or a session's file tells it.
fn failed(event_type: &str, rest: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2026-11-15T09:10:00Z","agent_id":"ana","session_id":"s","correlation":{{"span_id":"t1"}},{rest}}}"#
    )
}

fn shown(lines: &[String]) -> String {
    let lines = place(lines.iter().map(String::as_str));
    assert_law::<Errors>(&lines, lines.len());
    let line = |row: &ErrorRow| {
        let actors: Vec<String> =
            row.actors.iter().map(|it| format!("{}×{}", it.actor, it.n)).collect();
        let (first, last) = (row.first_position, row.last_position);
        format!(
            "{}× {}: {} [{}] {first} to {last}: {}\n",
            row.n,
            row.kind,
            row.signature,
            actors.join(" "),
            row.sample
        )
    };
    fold::<Errors>(&lines).rows().iter().map(line).collect()
}

#[test]
fn failures_that_say_the_same_are_one_group() {
    let lines = [
        error("09:00:00", "ana", "no answer from port 4318"),
        error("09:00:02", "bob", "no answer from port 9999"),
        error("09:00:01", "bob", "no answer from port 1"),
        error("09:00:03", "ana", "disk is full"),
    ];
    assert_snapshot!(shown(&lines), @"
    3× system.error: no answer from port <n> [bob×2 ana×1] 1 to 2: no answer from port 9999
    1× system.error: disk is full [ana×1] 4 to 4: disk is full
    ");
}

#[test]
fn a_failed_call_is_counted_once_under_its_tool() {
    let lines = [
        failed(
            "hook.post_tool_use_failure",
            r#""tool":{"tool_name":"Bash","tool_input":{"command":"ls"}},"hook":{"hook_type":"PostToolUseFailure","raw_payload":{"tool_use_id":"t1","error":"exit code 2"}}"#,
        ),
        failed(
            "activity.tool_result",
            r#""tool":{"tool_name":"Bash","tool_result":"exit code 2"},"metadata":{"is_error":true}"#,
        ),
    ];
    assert_snapshot!(shown(&lines), @"1× Bash: exit code <n> [ana×1] 1 to 2: exit code 2");
}

#[test]
fn a_verdict_that_something_is_not_done_is_no_failure() {
    let verdict = r#"{"id":"j1","runId":"r1","ts":1794729600000,"seq":1,"type":"JudgeResult","payload":{"status":"fail","reasons":["tests fail"]}}"#;
    assert_eq!(shown(&[verdict.to_owned()]), "");
}
