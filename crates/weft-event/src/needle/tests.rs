//! What the needle dialect accepts and refuses, and the facts it gives; the old shapes have tests of their own.

use super::{Event, LISTED, NeedleType, TAXONOMY, VERSION, level};
use crate::event::{self, Expect};
use crate::json::{Json, Tape};
use crate::problem::Problems;
use crate::shape::Wire as _;
use crate::testing::{check, facts_of};
use crate::{Dialect, Level, Status};

pub(super) const EXAMPLE: &str = include_str!("../../tests/fixtures/needle/example.json");
const FIELD: &str = include_str!("../../tests/fixtures/needle/field.jsonl");
pub(super) const LEGACY: &str = include_str!("../../tests/fixtures/needle/legacy.jsonl");
const TYPES: &str = include_str!("../../tests/fixtures/needle/types.txt");

pub(super) const MINIMAL: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","event_type":"worker.started","worker_id":"w","session_id":"s","sequence":4,"data":{}}"#;

/// Returns an event of a type, with these members in its data.
pub(super) fn event_of(event_type: &str, data: &str) -> String {
    MINIMAL.replace("worker.started", event_type).replace("{}", &format!("{{{data}}}"))
}

pub(super) fn typed(line: &str) -> String {
    let mut tape = Tape::new();
    Event::read(tape.parse(line).unwrap()).unwrap().to_line()
}

#[test]
fn the_documents_example_is_fine_and_comes_back() {
    assert_eq!(check(Dialect::Needle, EXAMPLE), "fine");
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let read = event::read(&mut tape, EXAMPLE.as_bytes(), Expect::Any, &mut problems).unwrap();
    assert_eq!((read.dialect(), read.value().raw()), (Dialect::Needle, EXAMPLE.trim_end()));

    let one_line: String = EXAMPLE.lines().map(str::trim).collect::<String>().replace(": ", ":");
    assert_eq!(typed(&one_line), one_line);
    let built = Event {
        schema_version: Some(VERSION),
        timestamp: "2026-04-21T11:20:19.962811515Z".into(),
        event_type: "worker.started".into(),
        worker_id: "tcb-alpha".into(),
        session_id: "d7261357".into(),
        sequence: 1,
        bead_id: Some("bd-abc123".into()),
        data: Json::empty_object(),
        ..Event::default()
    };
    assert_eq!(built.to_line(), one_line);
    let mut tape = Tape::new();
    assert_eq!(Event::read(tape.parse(EXAMPLE).unwrap()), Some(built));
}

#[test]
fn every_type_of_the_document_has_its_row_in_its_order() {
    let rows = TAXONOMY.rows()[..LISTED].iter().map(|row| {
        let fields = row.fields.iter().map(|field| field.strip_prefix("data.").unwrap());
        [row.name].into_iter().chain(fields).collect::<Vec<_>>().join(" ")
    });
    assert_eq!(rows.collect::<Vec<_>>(), TYPES.lines().collect::<Vec<_>>());
}

#[test]
fn every_type_is_accepted_and_its_status_has_a_reason() {
    for row in TAXONOMY.rows() {
        assert_eq!(check(Dialect::Needle, &event_of(row.name, "")), "fine", "{}", row.name);
        assert!(!row.about.is_empty() && !row.why.is_empty(), "{}", row.name);
        assert!(
            matches!(NeedleType::of(row.name.into()), NeedleType::Known(known) if known.name == row.name)
        );
    }
    let count = |status| TAXONOMY.rows().iter().filter(|row| row.status == Some(status)).count();
    let counts: Vec<_> =
        Status::ALL.iter().map(|&s| format!("{} {}", s.as_str(), count(s))).collect();
    insta::assert_snapshot!(counts.join(", "), @"started 4, thinking 6, tool_use 1, progress 32, waiting 4, blocked 4, completed 1, error 8");
    let of = |name| TAXONOMY.get(name).unwrap();
    assert_eq!(count(Status::Completed), 1, "only a completed bead is completed work");
    assert_eq!(of("bead.completed").status, Some(Status::Completed));
    let ends: Vec<_> = TAXONOMY.rows().iter().filter(|r| r.ends).map(|r| r.name).collect();
    assert_eq!(ends, ["worker.stopped"]);
    for row in TAXONOMY.rows().iter().filter(|row| row.name.starts_with("error.")) {
        assert_eq!(row.status, Some(Status::Error), "{}", row.name);
    }
}

#[test]
fn an_unknown_type_is_kept_without_a_warning() {
    let line = event_of("verification.gate.opened", "");
    assert_eq!(check(Dialect::Needle, &line), "fine");
    assert_eq!(typed(&line), line);
    assert!(facts_of(&line).starts_with("type: verification.gate.opened\n"));
    let mut tape = Tape::new();
    let event = Event::read(tape.parse(&line).unwrap()).unwrap();
    let kind = event.kind();
    assert!(matches!(kind, NeedleType::Unknown(_)));
    assert_eq!((kind.as_str(), kind.category()), ("verification.gate.opened", "verification"));
    assert_eq!(NeedleType::of("lone".into()).category(), "lone");
    assert_eq!(NeedleType::of("bead.mitosis.check".into()).category(), "bead");
}

#[test]
fn a_version_that_is_stated_must_be_the_known_one() {
    assert_eq!(check(Dialect::Needle, MINIMAL), "fine", "it may be left out");
    let versioned = |version| {
        check(
            Dialect::Needle,
            &MINIMAL.replacen('{', &format!("{{\"schema_version\":{version},"), 1),
        )
    };
    assert_eq!(versioned("1"), "fine");
    assert_eq!(versioned("1.0"), "fine");
    insta::assert_snapshot!(versioned("2"), @"error version: /schema_version: version 2 cannot be read, only 1");
    insta::assert_snapshot!(versioned("0"), @"error version: /schema_version: version 0 cannot be read, only 1");
    insta::assert_snapshot!(versioned(r#""1""#), @"error type: /schema_version: expected integer, found string");
    insta::assert_snapshot!(versioned("null"), @"error type: /schema_version: expected integer, found null");
}

#[test]
fn every_rule_of_a_field_can_be_broken() {
    let mut found = String::new();
    for (right, wrong) in [
        (r#""2026-01-01T00:00:00Z""#, r#""2026-01-01 00:00""#),
        (r#""2026-01-01T00:00:00Z""#, "1767225600000"),
        (r#""worker.started""#, "1"),
        (r#""w""#, r#"{"runner":"r"}"#),
        (r#""s""#, "null"),
        (":4,", ":-1,"),
        (":4,", ":1.5,"),
        (":4,", r#":"4","#),
        (":4,", ":4,\"bead_id\":7,"),
        ("{}", "[]"),
        ("{}", "null"),
        ("{}", r#"{"a":{"b":1,"b":2}}"#),
        (":4,", ":4,\"sequence\":5,"),
        ("{}", r#"{},"weft_seal":{}"#),
    ] {
        assert!(MINIMAL.contains(right), "{right}");
        found += &check(Dialect::Needle, &MINIMAL.replacen(right, wrong, 1));
    }
    insta::assert_snapshot!(found, @"
    error format: /timestamp: `2026-01-01 00:00` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z
    error type: /timestamp: expected string, found number
    error type: /event_type: expected string, found number
    error type: /worker_id: expected string, found object
    error type: /session_id: expected string, found null
    error range: /sequence: -1 is less than 0
    error type: /sequence: expected integer, found a number with a fraction
    error type: /sequence: expected integer, found string
    error type: /bead_id: expected string, found number
    error type: /data: expected object, found array
    error type: /data: expected object, found null
    error duplicate_key: /data/a/b: the key `b` stands twice
    error duplicate_key: /sequence: the key `sequence` stands twice
    error reserved_key: /weft_seal: `weft_seal` is reserved for the log
    ");
    insta::assert_snapshot!(check(Dialect::Needle, "{}"), @"
    error missing: /timestamp: `timestamp` is missing
    error missing: /event_type: `event_type` is missing
    error missing: /worker_id: `worker_id` is missing
    error missing: /session_id: `session_id` is missing
    error missing: /sequence: `sequence` is missing
    error missing: /data: `data` is missing
    ");
}

#[test]
fn what_producers_add_is_no_fault_whatever_it_is() {
    for line in FIELD.lines() {
        assert_eq!(check(Dialect::Needle, line), "fine", "{line}");
        assert_eq!(typed(line), line);
    }
    let facts: Vec<_> = FIELD.lines().map(facts_of).collect();
    insta::assert_snapshot!(facts.join("\n"), @"
    type: worker.booting
    time: 2026-05-02T08:00:00.000000001Z
    actor: tcb-alpha
    session: s1
    order: 0
    identity: worker tcb-alpha, session s1, sequence 0
    status: started
    level: info
    trace: 4bf92f3577b34da6a3ce929d0e0e4736
    span: 00f067aa0ba902b7

    type: init.step.completed
    time: 2026-05-02T08:00:01Z
    actor: tcb-alpha
    session: s1
    order: 1
    identity: worker tcb-alpha, session s1, sequence 1
    level: info
    duration: 12 ms

    type: bead.claim.race_lost
    time: 2026-05-02T08:00:02Z
    actor: tcb-alpha
    session: s1
    order: 2
    identity: worker tcb-alpha, session s1, sequence 2
    status: waiting
    level: info
    task: bd-1

    type: rate_limit.wait
    time: 2026-05-02T08:00:03Z
    actor: tcb-alpha
    session: s1
    order: 2
    identity: worker tcb-alpha, session s1, sequence 2
    level: info
    ");
}

#[test]
fn the_level_follows_from_the_name() {
    for (name, expected) in [
        ("error.timeout", Level::Error),
        ("error.anything.failed", Level::Error),
        ("bead.failed", Level::Warn),
        ("bead.mitosis.failed", Level::Warn),
        ("claim.retry", Level::Warn),
        ("debug.state", Level::Debug),
        ("debug.dump.failed", Level::Warn),
        ("bead.claim_retry", Level::Info),
        ("worker.errored", Level::Info),
        ("errors.none", Level::Info),
        ("failed", Level::Info),
        ("", Level::Info),
    ] {
        assert_eq!(level(name), expected, "{name}");
    }
}

#[test]
fn facts_come_from_the_event_and_its_data() {
    insta::assert_snapshot!(facts_of(EXAMPLE), @"
    type: worker.started
    time: 2026-04-21T11:20:19.962811515Z
    actor: tcb-alpha
    session: d7261357
    order: 1
    identity: worker tcb-alpha, session d7261357, sequence 1
    status: started
    level: info
    task: bd-abc123
    ");
    insta::assert_snapshot!(facts_of(&event_of("error.agent_crash", r#""bead_id":"bd-1","error":"killed","reason":"memory","exit_code":137,"duration_ms":90.7,"model":"opus""#)), @"
    type: error.agent_crash
    time: 2026-01-01T00:00:00Z
    actor: w
    session: s
    order: 4
    identity: worker w, session s, sequence 4
    status: error
    level: error
    duration: 90 ms
    message: killed
    task: bd-1
    usage: model opus
    ");
    insta::assert_snapshot!(facts_of(&event_of("hook.started", r#""hook":"pre_claim""#)), @"
    type: hook.started
    time: 2026-01-01T00:00:00Z
    actor: w
    session: s
    order: 4
    identity: worker w, session s, sequence 4
    status: tool_use
    level: info
    tool: pre_claim
    ");
    insta::assert_snapshot!(facts_of(&event_of("weave.bead_created", r#""bead_id":"bd-2","file":"docs/a.md","line":3"#)), @"
    type: weave.bead_created
    time: 2026-01-01T00:00:00Z
    actor: w
    session: s
    order: 4
    identity: worker w, session s, sequence 4
    status: progress
    level: info
    path: docs/a.md
    task: bd-2
    ");
    insta::assert_snapshot!(facts_of(&event_of("unravel.alternative_created", r#""parent_bead_id":"bd-3","child_bead_id":"bd-4""#)), @"
    type: unravel.alternative_created
    time: 2026-01-01T00:00:00Z
    actor: w
    session: s
    order: 4
    identity: worker w, session s, sequence 4
    status: progress
    level: info
    task: bd-3
    ");
    insta::assert_snapshot!(facts_of(&event_of("worker.stopped", r#""reason":"asked to""#)), @"
    type: worker.stopped
    time: 2026-01-01T00:00:00Z
    actor: w
    session: s
    order: 4
    identity: worker w, session s, sequence 4
    ended: yes
    level: info
    message: asked to
    ");
}

/// Returns the named facts of an event.
fn some_facts(line: &str, names: &[&str]) -> String {
    let facts = facts_of(line);
    let wanted = |fact: &&str| names.iter().any(|name| fact.starts_with(&format!("{name}: ")));
    facts.lines().filter(wanted).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_beads_of_the_event_and_its_own_fields_come_first() {
    let line = event_of("bead.completed", r#""bead_id":"inner","duration_ms":5"#)
        .replace("\"data\"", "\"bead_id\":\"outer\",\"duration_ms\":9,\"data\"");
    assert_eq!(some_facts(&line, &["task", "duration"]), "duration: 5 ms, task: outer");
    let tools = event_of("x.y", r#""tool_name":"b","tool":"a","path":"p","file":"f""#);
    assert_eq!(some_facts(&tools, &["tool", "path"]), "tool: a, path: p");
}

#[test]
fn a_finding_about_another_worker_leaves_its_writer_alone() {
    let subject =
        |event_type, data| some_facts(&event_of(event_type, data), &["actor", "subject", "status"]);
    assert_eq!(
        subject("heartbeat.stuck_detected", r#""worker_id":"v","since":"09:00""#),
        "actor: w, subject: v"
    );
    assert_eq!(subject("heartbeat.recovery", r#""worker_id":"v""#), "actor: w, subject: v");
    assert_eq!(subject("file.conflict", r#""workers":["w","v","u"]"#), "actor: w, subject: v");
    assert_eq!(subject("file.conflict", r#""workers":["w"]"#), "actor: w");
    assert_eq!(
        subject("lock.priority_bump", r#""worker_id":"v""#),
        "actor: w, subject: v, status: waiting"
    );
    assert_eq!(
        subject("lock.priority_bump_received", r#""from_worker":"v""#),
        "actor: w, subject: v"
    );
    assert_eq!(subject("bead.completed", r#""worker_id":"v""#), "actor: w, status: completed");
}

#[test]
fn a_heartbeat_counts_if_it_says_one_of_the_status_words() {
    let status = |event_type, data| some_facts(&event_of(event_type, data), &["status"]);
    assert_eq!(status("heartbeat.emitted", r#""status":"blocked""#), "status: blocked");
    assert_eq!(status("heartbeat.emitted", r#""status":"executing""#), "");
    assert_eq!(status("bead.released", r#""status":"completed""#), "");
}

#[test]
fn usage_is_read_where_it_is_recorded() {
    let usage = |event_type, data| some_facts(&event_of(event_type, data), &["usage"]);
    insta::assert_snapshot!(usage("effort.recorded", r#""tokens":1200,"cost":0.25"#), @"usage: 1200 tokens total, 0.25 USD");
    insta::assert_snapshot!(usage("effort.recorded", r#""tokens":{"input":1000,"output":200},"cost":0.25,"model":"opus","provider":"anthropic""#), @"usage: 1000 tokens in, 200 tokens out, 0.25 USD, model opus, provider anthropic");
    insta::assert_snapshot!(usage("budget.warning", r#""used":8,"limit":10,"percentage":80"#), @"usage: 8 used, limit 10");
    insta::assert_snapshot!(usage("budget.stop", r#""used":10.5,"limit":10"#), @"usage: 10.5 used, limit 10");
    assert_eq!(
        usage("bead.completed", r#""tokens":1200,"cost":0.25,"used":1"#),
        "",
        "it would count twice"
    );
}

#[test]
fn the_schemas_agree_with_the_checks() {
    let schema = |text: &str| {
        let schema = serde_json::from_str(text).unwrap();
        jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
    };
    let root = schema(&Dialect::Needle.schema());
    let is_valid = |schema: &jsonschema::Validator, line: &str| {
        schema.is_valid(&serde_json::from_str(line).unwrap())
    };
    for line in FIELD.lines().chain([MINIMAL, EXAMPLE]) {
        assert!(is_valid(&root, line), "{line}");
    }
    let documents: Vec<_> = Dialect::Needle.documents().collect();
    assert_eq!(documents, ["legacy-event", "legacy-flat"]);
    let [old, flat] = ["legacy-event", "legacy-flat"]
        .map(|name| schema(&Dialect::Needle.document_schema(name).unwrap()));
    for line in LEGACY.lines() {
        let is_flat = line.contains("\"msg\"");
        let verdicts = (is_valid(&root, line), is_valid(&old, line), is_valid(&flat, line));
        assert_eq!(verdicts, (false, !is_flat, is_flat), "{line}");
    }
}
