//! Lines for tests, each said at a time of its own, and the views of them.

use serde_json::{Value, json};
use weft_event::demo::World;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::time::format_rfc3339;

use crate::testing::{Placed, START_NS, place};
use crate::{Entry, Views};

/// Returns this many seconds after the start of a test.
pub(crate) fn at(seconds: i64) -> i64 {
    START_NS + seconds * 1_000_000_000
}

/// Returns what an agent says in a session at a time.
pub(crate) fn agent(
    name: &str,
    session: &str,
    seconds: i64,
    event_type: &str,
    more: Value,
) -> String {
    let event = json!({
        "version": "1.0.0",
        "event_type": event_type,
        "agent_id": name,
        "session_id": session,
        "timestamp": format_rfc3339(at(seconds)),
    });
    with(event, more)
}

/// Returns what a worker says as the event of a number.
pub(crate) fn worker(
    name: &str,
    number: u64,
    seconds: i64,
    event_type: &str,
    more: Value,
) -> String {
    let event = json!({
        "schema_version": 1,
        "event_type": event_type,
        "worker_id": name,
        "session_id": format!("{name}-1"),
        "sequence": number,
        "timestamp": format_rfc3339(at(seconds)),
        "data": {},
    });
    with(event, more)
}

/// Returns what a run says as the event of a number.
pub(crate) fn run(id: &str, number: u64, seconds: i64, event_type: &str, payload: Value) -> String {
    let event = json!({
        "id": format!("{id}-{number}"),
        "runId": id,
        "seq": number,
        "ts": at(seconds) / 1_000_000,
        "type": event_type,
        "payload": payload,
    });
    event.to_string()
}

/// Returns what a component of a gateway says, for an agent in a session.
pub(crate) fn gateway(
    source: Value,
    routing: Value,
    seconds: i64,
    event_type: &str,
    payload: Value,
) -> String {
    let event = json!({
        "version": "v1",
        "event_id": format!("019cb022-0000-7000-8000-{:012x}", seconds),
        "trace_id": "9bc00c37d919608d7857441c6d57519f",
        "occurred_at": format_rfc3339(at(seconds)),
        "event_type": event_type,
        "tenant_id": "harbor",
        "source": source,
        "routing": routing,
        "payload": payload,
    });
    event.to_string()
}

/// Returns a call that a hook tells of, before or after it.
pub(crate) fn hook(
    session: &str,
    seconds: i64,
    event_type: &str,
    call: &str,
    tool: &str,
    input: Value,
) -> String {
    let hook_type = event_type.strip_prefix("hook.").expect("a hook");
    let more = json!({
        "source": "hook",
        "tool": {"tool_name": tool, "tool_input": input},
        "correlation": {"trace_id": "t", "span_id": call},
        "hook": {"hook_type": hook_type, "raw_payload": {}},
    });
    agent(&format!("session-{session}"), session, seconds, event_type, more)
}

/// Returns that a person is asked whether a tool may run, as a hook tells it: without the id of the call.
pub(crate) fn permission(session: &str, seconds: i64, tool: &str, input: Value) -> String {
    let more = json!({
        "source": "hook",
        "tool": {"tool_name": tool, "tool_input": input},
        "correlation": {"trace_id": "t", "parent_span_id": "p"},
        "hook": {"hook_type": "PermissionRequest", "raw_payload": {"tool_name": tool, "tool_input": input}},
    });
    agent(&format!("session-{session}"), session, seconds, "hook.permission_request", more)
}

fn with(mut event: Value, more: Value) -> String {
    let Value::Object(more) = more else { panic!("an object of members is asked for") };
    event.as_object_mut().expect("an event is an object").extend(more);
    event.to_string()
}

/// Returns lines in their places, received so late that only their own times count.
pub(crate) fn late(lines: impl IntoIterator<Item = String>) -> Vec<Placed> {
    let mut placed = place(lines);
    placed.iter_mut().for_each(|placed| placed.received_ns = at(1_000_000));
    placed
}

/// Returns all views of lines.
pub(crate) fn views(lines: &[Placed]) -> Views {
    let mut views = Views::default();
    lines.iter().for_each(|placed| apply(&mut views, placed));
    views
}

/// How many lines of the demonstration go by before its views are shown again.
const LOOK_EVERY: u64 = 25;

/// Folds the first lines of the demonstration's world of a seed, and shows the views and the time again and again.
pub(crate) fn night(seed: u64, n: usize, mut see: impl FnMut(&Views, i64)) {
    let mut views = Views::default();
    for (position, moment) in (1..).zip(World::new(seed, START_NS).take(n)) {
        apply(&mut views, &Placed { position, received_ns: moment.due_ns, line: moment.line });
        if position % LOOK_EVERY == 0 {
            see(&views, moment.due_ns);
        }
    }
}

fn apply(views: &mut Views, placed: &Placed) {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, placed.line.as_bytes(), Expect::Any, &mut problems);
    let event = event.unwrap_or_else(|| panic!("{}: {problems:?}", placed.line));
    let facts = event.facts();
    let report = event.report(&facts);
    views.apply(&Entry {
        position: placed.position,
        received_ns: placed.received_ns,
        is_carried: false,
        facts: &facts,
        report: &report,
    });
}
