//! Every field rule, broken once: each member missing, each of a wrong type, and each rule of its own. The JSON Schema has to
//! come to the same verdict.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::Value;

use super::{EXAMPLES, RECORDS};
use crate::Dialect;
use crate::event::{self, Expect};
use crate::json::Tape;
use crate::problem::Problems;

fn example(n: usize) -> Value {
    serde_json::from_str(EXAMPLES.lines().nth(n).unwrap()).unwrap()
}

fn record(n: usize) -> Value {
    serde_json::from_str(RECORDS.lines().nth(n).unwrap()).unwrap()
}

/// Returns what is found in the event, in short, once the schema agrees.
fn verdict(event: &Value) -> String {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let line = event.to_string();
    event::read(&mut tape, line.as_bytes(), Expect::Dialect(Dialect::Idle), &mut problems);
    let beyond = problems.list().iter().all(|problem| !problem.code.is_in_schema());
    assert_eq!(SCHEMA.is_valid(event), beyond, "{line}");
    let short = |problem: &crate::problem::Problem| {
        format!("{} {}", problem.code.as_str(), problem.pointer)
    };
    problems.list().iter().map(short).collect::<Vec<_>>().join(", ")
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(&Dialect::Idle.schema()).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

/// Returns a verdict for each member of the object at `pointer`: without it, and with a value of a type that no field takes.
fn broken(event: &Value, pointer: &str) -> String {
    let mut out = String::new();
    let object = event.pointer(pointer).and_then(Value::as_object).unwrap();
    for name in object.keys() {
        let edit = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut event = event.clone();
            change(event.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap());
            verdict(&event)
        };
        let missing = edit(&|object| {
            object.remove(name);
        });
        let wrong = edit(&|object| {
            let value = if object[name].is_boolean() { 0.into() } else { Value::Bool(true) };
            object.insert(name.clone(), value);
        });
        writeln!(out, "{name}: without: {missing}; of a wrong type: {wrong}").unwrap();
    }
    out
}

/// Returns the verdict on the event with one value replaced.
fn with(event: &Value, pointer: &str, value: &str) -> String {
    let mut event = event.clone();
    *event.pointer_mut(pointer).unwrap() = serde_json::from_str(value).unwrap();
    verdict(&event)
}

#[test]
fn the_fields_of_a_state_and_its_frames() {
    insta::assert_snapshot!(broken(&example(0), ""), @"
    event: without: missing /event; of a wrong type: type /event
    run_id: without: missing /run_id; of a wrong type: type /run_id
    schema: without: missing /schema; of a wrong type: type /schema
    stack: without: missing /stack; of a wrong type: type /stack
    updated_at: without: missing /updated_at; of a wrong type: type /updated_at
    ");
    insta::assert_snapshot!(broken(&example(0), "/stack/0"), @"
    id: without: missing /stack/0/id; of a wrong type: type /stack/0/id
    iter: without: missing /stack/0/iter; of a wrong type: type /stack/0/iter
    max: without: missing /stack/0/max; of a wrong type: type /stack/0/max
    mode: without: missing /stack/0/mode; of a wrong type: type /stack/0/mode
    prompt_file: without: missing /stack/0/prompt_file; of a wrong type: type /stack/0/prompt_file
    ");
    insta::assert_snapshot!(broken(&example(1), "/stack/0"), @"
    filter: without: missing /stack/0/filter; of a wrong type: type /stack/0/filter
    id: without: missing /stack/0/id; of a wrong type: type /stack/0/id
    iter: without: missing /stack/0/iter; of a wrong type: type /stack/0/iter
    max: without: missing /stack/0/max; of a wrong type: type /stack/0/max
    mode: without: missing /stack/0/mode; of a wrong type: type /stack/0/mode
    prompt_file: without: missing /stack/0/prompt_file; of a wrong type: type /stack/0/prompt_file
    ");
    insta::assert_snapshot!(broken(&example(1), "/stack/1"), @"
    base_ref: without: missing /stack/1/base_ref; of a wrong type: type /stack/1/base_ref
    branch: without: missing /stack/1/branch; of a wrong type: type /stack/1/branch
    id: without: missing /stack/1/id; of a wrong type: type /stack/1/id
    issue_id: without: missing /stack/1/issue_id; of a wrong type: type /stack/1/issue_id
    iter: without: missing /stack/1/iter; of a wrong type: type /stack/1/iter
    max: without: missing /stack/1/max; of a wrong type: type /stack/1/max
    mode: without: missing /stack/1/mode; of a wrong type: type /stack/1/mode
    prompt_file: without: missing /stack/1/prompt_file; of a wrong type: type /stack/1/prompt_file
    worktree_path: without: missing /stack/1/worktree_path; of a wrong type: type /stack/1/worktree_path
    ");
}

#[test]
fn the_fields_of_the_other_events() {
    insta::assert_snapshot!(broken(&record(7), ""), @"
    event: without: missing /event; of a wrong type: type /event
    reason: without: missing /reason; of a wrong type: type /reason
    run_id: without: ; of a wrong type: type /run_id
    schema: without: missing /schema; of a wrong type: type /schema
    stack: without: missing /stack; of a wrong type: type /stack
    updated_at: without: ; of a wrong type: type /updated_at
    ");
    insta::assert_snapshot!(broken(&record(8), ""), @"
    detail: without: ; of a wrong type: type /detail
    event: without: missing /event; of a wrong type: type /event
    run_id: without: ; of a wrong type: type /run_id
    schema: without: missing /schema; of a wrong type: type /schema
    stack: without: missing /stack; of a wrong type: type /stack
    updated_at: without: ; of a wrong type: type /updated_at
    ");
    insta::assert_snapshot!(broken(&example(3), ""), @"
    event: without: missing /event; of a wrong type: type /event
    reason: without: ; of a wrong type: type /reason
    schema: without: missing /schema; of a wrong type: type /schema
    stack: without: missing /stack; of a wrong type: type /stack
    ");
    insta::assert_snapshot!(broken(&record(9), ""), @"
    event: without: ; of a wrong type: type /event
    goal: without: missing /goal; of a wrong type: type /goal
    iteration: without: missing /iteration; of a wrong type: type /iteration
    mode: without: missing /mode; of a wrong type: type /mode
    modified_files: without: missing /modified_files; of a wrong type: type /modified_files
    next_step: without: missing /next_step; of a wrong type: type /next_step
    progress: without: missing /progress; of a wrong type: type /progress
    schema: without: anchor_without_schema /schema; of a wrong type: type /schema
    timestamp: without: missing /timestamp; of a wrong type: type /timestamp
    ");
}

#[test]
fn the_fields_of_the_stores_records() {
    insta::assert_snapshot!(broken(&record(0), ""), @"
    created_at: without: missing /created_at; of a wrong type: type /created_at
    description: without: missing /description; of a wrong type: type /description
    id: without: missing /id; of a wrong type: type /id
    name: without: missing /name; of a wrong type: type /name
    type: without: missing /type; of a wrong type: type /type
    ");
    insta::assert_snapshot!(broken(&record(1), ""), @"
    body: without: missing /body; of a wrong type: type /body
    created_at: without: missing /created_at; of a wrong type: type /created_at
    git: without: ; of a wrong type: type /git
    id: without: missing /id; of a wrong type: type /id
    parent_id: without: ; of a wrong type: type /parent_id
    sender: without: ; of a wrong type: type /sender
    topic_id: without: missing /topic_id; of a wrong type: type /topic_id
    type: without: missing /type; of a wrong type: type /type
    ");
    insta::assert_snapshot!(broken(&record(1), "/sender"), @"
    id: without: missing /sender/id; of a wrong type: type /sender/id
    model: without: ; of a wrong type: type /sender/model
    name: without: missing /sender/name; of a wrong type: type /sender/name
    role: without: ; of a wrong type: type /sender/role
    ");
    insta::assert_snapshot!(broken(&record(1), "/git"), @"
    dirty: without: missing /git/dirty; of a wrong type: type /git/dirty
    head: without: missing /git/head; of a wrong type: type /git/head
    oid: without: missing /git/oid; of a wrong type: type /git/oid
    prefix: without: missing /git/prefix; of a wrong type: type /git/prefix
    ");
}

#[test]
fn the_fields_of_traces_and_control_messages() {
    insta::assert_snapshot!(broken(&record(3), ""), @"
    details: without: missing /details; of a wrong type: type /details
    event: without: missing /event; of a wrong type: type /event
    event_id: without: missing /event_id; of a wrong type: type /event_id
    iteration: without: missing /iteration; of a wrong type: type /iteration
    loop_kind: without: missing /loop_kind; of a wrong type: type /loop_kind
    max: without: missing /max; of a wrong type: type /max
    run_id: without: missing /run_id; of a wrong type: type /run_id
    ts: without: missing /ts; of a wrong type: type /ts
    ");
    insta::assert_snapshot!(broken(&record(4), ""), @"
    command: without: missing /command; of a wrong type: type /command
    event: without: missing /event; of a wrong type: type /event
    reason: without: ; of a wrong type: type /reason
    request_id: without: missing /request_id; of a wrong type: type /request_id
    run_id: without: ; of a wrong type: type /run_id
    schema: without: missing /schema; of a wrong type: type /schema
    ts: without: missing /ts; of a wrong type: type /ts
    ");
    insta::assert_snapshot!(broken(&record(5), ""), @"
    event: without: missing /event; of a wrong type: type /event
    request_id: without: missing /request_id; of a wrong type: type /request_id
    run_id: without: ; of a wrong type: type /run_id
    schema: without: missing /schema; of a wrong type: type /schema
    ts: without: missing /ts; of a wrong type: type /ts
    ");
    insta::assert_snapshot!(broken(&record(6), ""), @"
    code: without: ; of a wrong type: type /code
    details: without: ; of a wrong type: type /details
    event: without: missing /event; of a wrong type: type /event
    ok: without: missing /ok; of a wrong type: type /ok
    request_id: without: missing /request_id; of a wrong type: type /request_id
    run_id: without: ; of a wrong type: type /run_id
    schema: without: missing /schema; of a wrong type: type /schema
    ts: without: missing /ts; of a wrong type: type /ts
    ");
}

#[test]
fn the_rules_of_single_fields() {
    let (state, nested, anchor) = (example(0), example(1), example(5));
    let (done, abort, message) = (example(2), example(3), record(1));
    let (trace, request, result) = (record(3), record(4), record(6));
    for (event, pointer, value, expected) in [
        (&state, "/schema", "2", "version /schema"),
        (&state, "/schema", "0.5", "version /schema"),
        (&state, "/schema", "0.0", ""),
        (&state, "/schema", "1", "schema_one /schema"),
        (&state, "/schema", "\"0\"", "type /schema"),
        (&state, "/run_id", "\"\"", "run_id /run_id"),
        (&state, "/updated_at", "\"2024-12-21 10:00:00\"", "format /updated_at"),
        (&state, "/stack", "[]", ""),
        (&state, "/stack", "[7]", "type /stack/0"),
        (&state, "/stack/0/mode", "\"spin\"", "enum /stack/0/mode"),
        (&state, "/stack/0/mode", "\"grind\"", "missing /stack/0/filter"),
        (&state, "/stack/0/iter", "0", "range /stack/0/iter"),
        (&state, "/stack/0/iter", "1.5", "type /stack/0/iter"),
        (&state, "/stack/0/max", "0", ""),
        (&state, "/stack/0/max", "-1", "range /stack/0/max"),
        (&state, "/stack/0/prompt_file", "\"prompt.txt\"", "pattern /stack/0/prompt_file"),
        (&state, "/stack/0/prompt_file", r#""C:\\loop\\prompt.txt""#, ""),
        (&state, "/stack/0/prompt_file", r#""c:/loop/prompt.txt""#, ""),
        (&state, "/stack/0/prompt_file", r#""C:prompt.txt""#, "pattern /stack/0/prompt_file"),
        (&state, "/stack/0/prompt_file", r#""1:/prompt.txt""#, "pattern /stack/0/prompt_file"),
        (&nested, "/stack/1/worktree_path", "\"./w\"", "pattern /stack/1/worktree_path"),
        (&nested, "/stack/1/iter", "0", "range /stack/1/iter"),
        (&nested, "/stack/0/iter", "0", "range /stack/0/iter"),
        (&done, "/reason", "\"USER_CANCELLED\"", "enum /reason"),
        (&done, "/reason", "\"STUCK\"", "reason_stuck /reason"),
        (&done, "/stack", "[{}]", "length /stack"),
        (&abort, "/reason", "\"COMPLETE\"", "enum /reason"),
        (&abort, "/stack", "[{}]", "length /stack"),
        (&anchor, "/mode", "\"spin\"", "enum /mode"),
        (&anchor, "/iteration", "\"3 of 10\"", "pattern /iteration"),
        (&anchor, "/iteration", "\"3/10/\"", "pattern /iteration"),
        (&anchor, "/iteration", "\"123456789012345678901/10\"", ""),
        (&anchor, "/timestamp", "\"today\"", "format /timestamp"),
        (&message, "/parent_id", "\"m0\"", ""),
        (&message, "/body", "[0,255]", "body_bytes /body"),
        (&message, "/body", "[256]", "range /body/0, body_bytes /body"),
        (&message, "/body", "[-1]", "range /body/0, body_bytes /body"),
        (&message, "/body", "[1.5]", "type /body/0, body_bytes /body"),
        (&message, "/body", "[\"a\"]", "type /body/0, body_bytes /body"),
        (&message, "/created_at", "0.5", "type /created_at"),
        (&message, "/sender/model", "null", ""),
        (&trace, "/loop_kind", "\"spin\"", "enum /loop_kind"),
        (&trace, "/loop_kind", "\"\"", "trace_without_mode /loop_kind"),
        (&trace, "/event", "\"NAP\"", "enum /event"),
        (&trace, "/event", "\"ABORT\"", ""),
        (&trace, "/iteration", "-1", "range /iteration"),
        (&trace, "/max", "-1", "range /max"),
        (&trace, "/ts", "\"1703123456\"", "format /ts"),
        (&trace, "/run_id", "\"\"", "run_id /run_id"),
        (&request, "/request_id", "\"\"", "length /request_id"),
        (&request, "/command", "\"stop\"", "enum /command"),
        (&request, "/ts", "\"\"", "format /ts"),
        (&result, "/code", "\"ok\"", "enum /code"),
        (&result, "/details", "[]", "type /details"),
    ] {
        assert_eq!(with(event, pointer, value), expected, "{pointer} {value}");
    }
}

#[test]
fn every_document_has_a_schema_of_its_own_that_takes_its_examples() {
    let names: Vec<_> = Dialect::Idle.documents().collect();
    let all = [
        "state", "done", "abort", "anchor", "frame", "topic", "message", "trace", "request", "ack",
        "result",
    ];
    assert_eq!(names, all);
    for (name, document) in [
        ("state", example(1)),
        ("done", record(7)),
        ("abort", record(8)),
        ("anchor", example(5)),
        ("frame", example(1)["stack"][1].clone()),
        ("topic", record(0)),
        ("message", record(1)),
        ("trace", record(3)),
        ("request", record(4)),
        ("ack", record(5)),
        ("result", record(6)),
    ] {
        let schema = Dialect::Idle.document_schema(name).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        assert!(jsonschema::is_valid(&schema, &document), "{name}");
        assert!(!jsonschema::is_valid(&schema, &serde_json::json!({})), "{name}");
    }
}
