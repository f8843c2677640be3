//! How the two old shapes are read, and what becomes of them and of an event on the way from one to the other.

use super::{LegacyEvent, LegacyFlat};
use crate::Dialect;
use crate::json::Tape;
use crate::needle::tests::{EXAMPLE, LEGACY, MINIMAL, event_of, typed};
use crate::needle::{Event, TAXONOMY};
use crate::shape::Wire as _;
use crate::testing::{check, facts_of};

const LEGACY_WARNING: &str =
    "warning legacy_shape: an old shape without a sequence; its order is unknown\n";

fn flat(line: &str) -> String {
    let mut tape = Tape::new();
    let event = Event::read(tape.parse(line).unwrap()).unwrap();
    event.flatten().unwrap().to_line()
}

#[test]
fn the_old_shapes_are_read_with_a_warning() {
    for line in LEGACY.lines() {
        assert_eq!(check(Dialect::Needle, line), LEGACY_WARNING, "{line}");
        let mut tape = Tape::new();
        let value = tape.parse(line).unwrap();
        let written = match value.get("msg") {
            Some(_) => LegacyFlat::read(value).unwrap().to_line(),
            None => LegacyEvent::read(value).unwrap().to_line(),
        };
        assert_eq!(written, line);
    }
    let facts: Vec<_> = LEGACY.lines().map(facts_of).collect();
    insta::assert_snapshot!(facts.join("\n"), @"
    type: bead.claimed
    time: 2026-02-03T04:05:06.789Z
    actor: alpha
    session: s0
    status: started
    level: info
    task: bd-7

    type: bead.failed
    time: 2026-02-03T04:05:07Z
    actor: claude-anthropic-sonnet-alpha
    session: s0
    status: error
    level: error
    message: tests are red
    task: bd-7

    type: hook.failed
    time: 2026-02-03T04:05:08Z
    actor: alpha
    session: s0
    status: error
    level: warn
    tool: lint
    message: exit 1
    task: bd-7

    type: log
    time: 2026-02-03T04:05:09Z
    actor: alpha
    level: info
    tool: Read
    path: src/plan.md
    duration: 15 ms
    message: Reading the plan
    ");
}

#[test]
fn every_rule_of_the_old_shapes_can_be_broken() {
    insta::assert_snapshot!(check(Dialect::Needle, r#"{"ts":5,"event":1,"worker":7,"level":"loud","session":1,"data":[]}"#), @"
    warning legacy_shape: an old shape without a sequence; its order is unknown
    error type: /ts: expected string, found number
    error type: /event: expected string, found number
    error type: /worker: expected string or object, found number
    error enum: /level: `loud` is not one of debug, info, warn, error
    error type: /session: expected string, found number
    error type: /data: expected object, found array
    ");
    insta::assert_snapshot!(check(Dialect::Needle, r#"{"ts":"now","event":"a.b","worker":{"runner":1,"provider":2,"model":3,"identifier":4},"data":{"a":1,"a":2}}"#), @"
    error duplicate_key: /data/a: the key `a` stands twice
    warning legacy_shape: an old shape without a sequence; its order is unknown
    error format: /ts: `now` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z
    error type: /worker/runner: expected string, found number
    error type: /worker/provider: expected string, found number
    error type: /worker/model: expected string, found number
    error type: /worker/identifier: expected string, found number
    error missing: /session: `session` is missing
    ");
    insta::assert_snapshot!(check(Dialect::Needle, r#"{"ts":1.5,"worker":{},"level":"loud","msg":1}"#), @"
    warning legacy_shape: an old shape without a sequence; its order is unknown
    error type: /ts: expected integer, found a number with a fraction
    error type: /worker: expected string, found object
    error enum: /level: `loud` is not one of debug, info, warn, error
    error type: /msg: expected string, found number
    ");
    insta::assert_snapshot!(check(Dialect::Needle, r#"{"ts":1,"worker":"w"}"#), @"
    warning legacy_shape: an old shape without a sequence; its order is unknown
    error missing: /level: `level` is missing
    error missing: /msg: `msg` is missing
    ");
    insta::assert_snapshot!(check(Dialect::Needle, r#"{"ts":"2026-01-01T00:00:00Z","worker":"w"}"#), @"
    warning legacy_shape: an old shape without a sequence; its order is unknown
    error missing: /event: `event` is missing
    error missing: /session: `session` is missing
    error missing: /data: `data` is missing
    ");
}

#[test]
fn an_event_with_a_stray_old_key_is_still_an_event() {
    let line = MINIMAL.replace("{}", r#"{},"ts":1,"worker":"w","msg":"m""#);
    assert_eq!(check(Dialect::Needle, &line), "fine");
}

#[test]
fn an_old_event_becomes_a_new_one() {
    let converted = |line: &str| {
        let mut tape = Tape::new();
        let event = LegacyEvent::read(tape.parse(line).unwrap()).unwrap().into_event(3);
        let line = event.to_line();
        assert_eq!(check(Dialect::Needle, &line), "fine");
        assert_eq!(typed(&line), line);
        line
    };
    let mut lines = LEGACY.lines();
    insta::assert_snapshot!(converted(lines.next().unwrap()), @r#"{"schema_version":1,"timestamp":"2026-02-03T04:05:06.789Z","event_type":"bead.claimed","worker_id":"alpha","session_id":"s0","sequence":3,"data":{"bead_id":"bd-7"}}"#);
    insta::assert_snapshot!(converted(lines.next().unwrap()), @r#"{"schema_version":1,"timestamp":"2026-02-03T04:05:07Z","event_type":"bead.failed","worker_id":"claude-anthropic-sonnet-alpha","session_id":"s0","sequence":3,"data":{"bead_id":"bd-7","error":"tests are red"},"worker":{"runner":"claude","provider":"anthropic","model":"sonnet","identifier":"alpha"},"level":"error"}"#);
    let odd = r#"{"ts":"2026-02-03T04:05:06Z","event":"a.b","worker":"w","session":"s","data":{},"bead_id":"bd\u002d1","trace_id":"t","sequence":"x","host":"h"}"#;
    insta::assert_snapshot!(converted(odd), @r#"{"schema_version":1,"timestamp":"2026-02-03T04:05:06Z","event_type":"a.b","worker_id":"w","session_id":"s","sequence":3,"bead_id":"bd-1","data":{},"trace_id":"t","legacy.sequence":"x","host":"h"}"#);
    insta::assert_snapshot!(converted(&odd.replace(r#""bd\u002d1""#, "7")), @r#"{"schema_version":1,"timestamp":"2026-02-03T04:05:06Z","event_type":"a.b","worker_id":"w","session_id":"s","sequence":3,"data":{},"trace_id":"t","legacy.bead_id":7,"legacy.sequence":"x","host":"h"}"#);
}

#[test]
fn an_event_flattens_to_the_oldest_shape() {
    insta::assert_snapshot!(flat(EXAMPLE), @r#"{"ts":1776770419962,"worker":"tcb-alpha","level":"info","msg":"worker.started","session":"d7261357","bead":"bd-abc123"}"#);
    let crowded = event_of(
        "hook.failed",
        r#""hook":"lint","worker":"v","bead":1,"data.bead":2,"event_type":3,"worker_id":"v","trace_id":"x","weft_seal":{},"duration_ms":4"#,
    )
    .replace("\"data\":", "\"duration_ms\":5,\"workspace\":\"/srv\",\"host\":\"h\",\"span_id\":\"y\",\"data\":");
    insta::assert_snapshot!(flat(&crowded), @r#"{"ts":1767225600000,"worker":"w","level":"warn","msg":"hook.failed","session":"s","span_id":"y","hook":"lint","data.worker":"v","data.bead":1,"data.data.bead":2,"data.event_type":3,"worker_id":"v","data.trace_id":"x","data.weft_seal":{},"duration_ms":4,"workspace":"/srv","event.duration_ms":5,"host":"h"}"#);
    assert_eq!(check(Dialect::Needle, &flat(&crowded)), LEGACY_WARNING);
    let mut tape = Tape::new();
    let untimed = MINIMAL.replace("2026-01-01T00:00:00Z", "soon");
    assert_eq!(Event::read(tape.parse(&untimed).unwrap()).unwrap().flatten(), None);
}

#[test]
fn a_flattened_event_keeps_its_facts_but_for_order_and_identity() {
    for row in TAXONOMY.rows() {
        let line = event_of(
            row.name,
            r#""worker_id":"v","workers":["w","v"],"bead_id":"b","error":"e","path":"p","hook":"h","tokens":3,"used":1,"status":"waiting","duration_ms":7"#,
        );
        let flat = flat(&line);
        assert_eq!(check(Dialect::Needle, &flat), LEGACY_WARNING, "{}", row.name);
        let ordered = |fact: &&str| !fact.starts_with("order: ") && !fact.starts_with("identity: ");
        let facts = facts_of(&line);
        let kept: Vec<_> = facts.lines().filter(ordered).collect();
        assert_eq!(facts_of(&flat).lines().collect::<Vec<_>>(), kept, "{}", row.name);
    }
}
