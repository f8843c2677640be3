//! What `/metrics` counts of what comes in by the socket.

use crate::sandbox::{FINE, Sandbox};
use crate::served::Served;
use crate::stored::needle;

const CALL: &str = r#"{"session_id":"s","transcript_path":"","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1"}"#;

/// Returns what is counted of events and appends, without how long they took.
fn counted(served: &Served) -> String {
    let metrics = served.get("/metrics");
    let is_counted = |line: &&str| {
        ["weft_events_", "weft_append_seconds_count", "weft_append_failures", "weft_log_position"]
            .iter()
            .any(|name| line.starts_with(name))
    };
    metrics.lines().filter(is_counted).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_comes_in_by_the_socket_is_counted_by_its_way() {
    let sandbox = Sandbox::with_store(&[("a.jsonl", FINE.as_bytes())]);
    let served = Served::start(&sandbox);
    let answer = served.ask("POST", "/v1/events", &[], &needle(0, "w", "s", 0));
    assert!(answer.contains(r#""accepted":true"#), "{answer}");
    let emit = |event: &str| sandbox.pipe(&["emit", "-"], event.as_bytes()).code;
    let event = needle(1, "w", "s", 1);
    assert_eq!([emit(&event), emit(&event)], [0, 0]);
    assert_eq!(sandbox.run(&["ingest", "a.jsonl"]).code, 0);
    assert_eq!(sandbox.pipe(&["hook"], CALL.as_bytes()).code, 0);
    insta::assert_snapshot!(counted(&served), @r#"
    weft_events_accepted_total{dialect="needle",via="http"} 1
    weft_events_accepted_total{dialect="needle",via="emit"} 1
    weft_events_accepted_total{dialect="collector",via="ingest"} 1
    weft_events_accepted_total{dialect="collector",via="hook"} 1
    weft_events_repeated_total{dialect="needle",via="emit"} 1
    weft_append_seconds_count 5
    weft_append_failures_total 0
    weft_log_position 4
    "#);
}
