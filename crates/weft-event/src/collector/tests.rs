//! What the collector dialect accepts, warns about and refuses, and the facts it gives.

use super::{Event, HOOKS, LISTED, NAMESPACES, TAXONOMY, hook_event_type, status_event_type};
use crate::json::Tape;
use crate::shape::Wire as _;
use crate::testing::{check, constraints, facts_of};
use crate::{Dialect, Status};

const MINIMAL: &str = r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a"}"#;

fn with(extra: &str) -> String {
    format!("{},{extra}}}", &MINIMAL[..MINIMAL.len() - 1])
}

#[test]
fn the_listed_types_have_the_documents_statuses() {
    let listed = &TAXONOMY.rows()[..LISTED];
    assert_eq!(listed.iter().filter(|row| row.status.is_some()).count(), 19);
    let without: Vec<_> =
        listed.iter().filter(|row| row.status.is_none()).map(|row| row.name).collect();
    assert_eq!(
        without,
        [
            "lifecycle.terminated",
            "coordination.handoff",
            "decision.made",
            "decision.rationale",
            "decision.rejected",
            "system.heartbeat",
            "system.config_change"
        ]
    );
    for row in TAXONOMY.rows() {
        let namespace = row.name.split('.').next().unwrap();
        assert!(NAMESPACES.contains(&namespace), "{}", row.name);
        assert!(super::is_event_type(row.name), "{}", row.name);
    }
}

#[test]
fn every_hook_has_a_type_and_every_status_word_its_own() {
    for hook in HOOKS {
        let name = hook_event_type(hook);
        assert!(TAXONOMY.get(&name).is_some_and(|row| row.status.is_some()), "{hook} -> {name}");
    }
    for &status in Status::ALL {
        assert_eq!(TAXONOMY.get(status_event_type(status)).unwrap().status, Some(status));
    }
}

#[test]
fn a_broken_event_shows_all_that_is_wrong_with_it() {
    let line = r#"{"version":"1.0","event_type":"Lifecycle.started","timestamp":"yesterday","agent_id":"","event_id":"x","session_id":1,"source":"web","status":"done","message":null,"progress":1.5,"tool":{"tool_name":1,"tool_input":[],"tool_result":{},"duration_ms":1.5},"hook":{"hook_type":0,"raw_payload":0},"correlation":{"trace_id":0,"span_id":0,"parent_span_id":0,"root_agent_id":0},"metadata":[]}"#;
    insta::assert_snapshot!(check(Dialect::Collector, line), @"
    error pattern: /version: `1.0` is not a version such as 1.0.0
    error pattern: /event_type: `Lifecycle.started` is not `namespace.name` in one of the six namespaces, in lower case
    error format: /timestamp: `yesterday` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z
    error length: /agent_id: must not be empty
    error format: /event_id: `x` is not a UUID
    error type: /session_id: expected string, found number
    error enum: /source: `web` is not one of mcp, hook
    error enum: /status: `done` is not one of started, thinking, tool_use, progress, waiting, blocked, completed, error
    error type: /message: expected string, found null
    error range: /progress: 1.5 is not between 0 and 1
    error type: /tool/tool_name: expected string, found number
    error type: /tool/tool_input: expected object, found array
    error type: /tool/tool_result: expected string, found object
    error type: /tool/duration_ms: expected integer, found a number with a fraction
    error type: /hook/hook_type: expected string, found number
    error type: /hook/raw_payload: expected object, found number
    error type: /correlation/trace_id: expected string, found number
    error type: /correlation/span_id: expected string, found number
    error type: /correlation/parent_span_id: expected string, found number
    error type: /correlation/root_agent_id: expected string, found number
    error type: /metadata: expected object, found array
    ");
    insta::assert_snapshot!(check(Dialect::Collector, "{}"), @"
    error missing: /version: `version` is missing
    error missing: /event_type: `event_type` is missing
    error missing: /timestamp: `timestamp` is missing
    error missing: /agent_id: `agent_id` is missing
    ");
}

#[test]
fn a_version_is_readable_within_its_major_number() {
    insta::assert_snapshot!(check(Dialect::Collector, &MINIMAL.replace("1.0.0", "2.0.0")), @r#"error foreign_version: /version: version "2.0.0" cannot be read, only 1.x"#);
    let newer = MINIMAL.replace("1.0.0", "1.1.0").replace("lifecycle.started", "git.pushed");
    insta::assert_snapshot!(check(Dialect::Collector, &newer), @"warning newer_minor: /event_type: `git.pushed` is not `namespace.name` in one of the six namespaces, in lower case");
    insta::assert_snapshot!(check(Dialect::Collector, &newer.replace("1.1.0", "1.0.9")), @"error pattern: /event_type: `git.pushed` is not `namespace.name` in one of the six namespaces, in lower case");
}

#[test]
fn a_stated_status_wins_and_a_mismatch_is_told() {
    let line = with(r#""status":"blocked""#);
    insta::assert_snapshot!(check(Dialect::Collector, &line), @"warning status_mismatch: /status: `lifecycle.started` means `started`; the stated `blocked` counts");
    assert!(facts_of(&line).contains("status: blocked"));
}

#[test]
fn a_legacy_row_is_read_by_its_status() {
    let line = r#"{"agent_id":"@a","status":"waiting","message":"for @b","timestamp":"2026-01-01T00:00:00Z","host":"h"}"#;
    insta::assert_snapshot!(check(Dialect::Collector, line), @"warning legacy_row: a row of the old status table; read by its status word");
    let mut tape = Tape::new();
    let row = super::LegacyRow::read(tape.parse(line).unwrap()).unwrap();
    let event = row.into_event().to_line();
    insta::assert_snapshot!(event, @r#"{"version":"1.0.0","event_type":"coordination.waiting","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","status":"waiting","message":"for @b","metadata":{"host":"h"}}"#);
    assert_eq!(check(Dialect::Collector, &event), "fine");
}

#[test]
fn typed_events_write_what_they_read() {
    let line = with(
        r#""source":"hook","progress":0.5,"tool":{"tool_name":"Read","x":1},"metadata":{"k":[1]},"context":{"task_id":"t"}"#,
    );
    let mut tape = Tape::new();
    let event = Event::read(tape.parse(&line).unwrap()).unwrap();
    assert_eq!(event.to_line(), line);
}

#[test]
fn the_schema_states_what_the_document_states() {
    let document = include_str!("../../tests/fixtures/collector/event.schema.json");
    assert_eq!(constraints(&Dialect::Collector.schema()), constraints(document));
}

/// Returns what the second of two events of a hook is to the first, by its keys alone.
fn second(first: (&str, &str), second: (&str, &str)) -> &'static str {
    let digests = |(time, payload): (&str, &str)| {
        let hook = format!(
            r#""session_id":"s","hook":{{"hook_type":"Stop","raw_payload":{{"prompt_id":"p",{payload}}}}}"#
        );
        let line = with(&hook).replace("00:00:00Z", time);
        let mut tape = Tape::new();
        let value = tape.parse(&line).unwrap();
        let mut problems = crate::problem::Problems::new();
        let event = crate::event::read_value(value, crate::event::Expect::Any, &mut problems);
        crate::KeyDigests::of(&event.unwrap().facts())
    };
    let (first, second) = (digests(first), digests(second));
    match (second.is_retry_of(&first), second.own == first.own) {
        (true, _) => "the same",
        (false, true) => "in conflict",
        (false, false) => "another",
    }
}

#[test]
fn a_hook_that_fires_twice_is_known_by_its_payload() {
    let call = r#""tool_use_id":"t","x":1"#;
    assert_eq!(second(("00:00:00Z", call), ("00:00:00.010Z", call)), "the same");
    assert_eq!(second(("00:00:00Z", call), ("23:00:00Z", call)), "the same");
    let otherwise = r#""tool_use_id":"t","x":2"#;
    assert_eq!(second(("00:00:00Z", call), ("00:00:00.010Z", otherwise)), "in conflict");
    let other = r#""tool_use_id":"u","x":1"#;
    assert_eq!(second(("00:00:00Z", call), ("00:00:00.010Z", other)), "another");
}

#[test]
fn a_hook_without_a_call_may_say_the_same_again_later() {
    let auto = r#""trigger":"auto""#;
    for (first, later) in [
        ("00:00:00Z", "00:00:00.010Z"),
        ("00:00:01.999Z", "00:00:02.001Z"),
        ("00:00:02.001Z", "00:00:01.999Z"),
        ("00:00:01.900Z", "00:00:03.900Z"),
    ] {
        assert_eq!(second((first, auto), (later, auto)), "the same", "{first} and {later}");
    }
    assert_eq!(second(("00:00:00Z", auto), ("00:00:04Z", auto)), "another");
    assert_eq!(second(("00:00:00Z", auto), ("00:00:00Z", r#""trigger":"manual""#)), "another");
}

#[test]
fn a_member_that_is_no_text_takes_no_fact_away() {
    let line = r#"{"version":"1.0.0","event_type":"coordination.waiting","timestamp":"2026-01-01T00:00:00Z","agent_id":"a","tool":{"tool_input":{"path":null,"file_path":"f"}},"metadata":{"task_id":"t","issue_id":null,"waiting_for":"b","to_agent":7,"usage":null}}"#;
    insta::assert_snapshot!(facts_of(line), @"
    type: coordination.waiting
    time: 2026-01-01T00:00:00Z
    actor: a
    subject: b
    status: waiting
    level: info
    path: f
    task: t
    ");
}

#[test]
fn a_hook_about_a_task_names_it_in_its_payload_or_beside_it() {
    let task = |event_type: &str, metadata: &str| {
        let line = format!(
            r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2026-01-01T00:00:00Z","agent_id":"a","hook":{{"hook_type":"H","raw_payload":{{"task_id":"4"}}}},"metadata":{{{metadata}}}}}"#
        );
        let facts = facts_of(&line);
        facts.lines().find_map(|line| line.strip_prefix("task: ").map(str::to_owned))
    };
    assert_eq!(task("hook.task_created", "").as_deref(), Some("4"));
    assert_eq!(task("hook.task_completed", r#""task_id":"7""#).as_deref(), Some("7"));
    assert_eq!(task("hook.stop", ""), None);
}
