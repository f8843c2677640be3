//! The facts of a collector event.

use std::borrow::Cow;

use super::{EVENT, EVENT_TYPE_SLOT, LEGACY_ROW, STATUS_SLOT, status_event_type};
use crate::Status;
use crate::facts::{Facts, Level, Usage, carried, input_path, millis, name};
use crate::identity::{Identity, Key, KeyText};
use crate::json::Value;
use crate::shape::Fields;
use crate::transcript::Client;

const TIMESTAMP: usize = EVENT.slot("timestamp");
const AGENT_ID: usize = EVENT.slot("agent_id");
const EVENT_ID: usize = EVENT.slot("event_id");
const SESSION_ID: usize = EVENT.slot("session_id");
const MESSAGE: usize = EVENT.slot("message");
const PROGRESS: usize = EVENT.slot("progress");
const TOOL: usize = EVENT.slot("tool");
const HOOK: usize = EVENT.slot("hook");
const CORRELATION: usize = EVENT.slot("correlation");
const METADATA: usize = EVENT.slot("metadata");

/// How the types of hooks begin that are about a task of the agent's own list.
const HOOK_OF_TASK: &str = "hook.task_";

pub(super) fn facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    if std::ptr::eq(fields.shape(), &LEGACY_ROW) {
        return legacy_facts(fields, facts);
    }
    facts.set_type(fields.get(EVENT_TYPE_SLOT));
    facts.status = fields.word(STATUS_SLOT, Status::ALL).or(facts.status);
    facts.level = level(facts.status);
    facts.time_ns = fields.time_ns(TIMESTAMP);
    fields.put_text(AGENT_ID, &mut facts.actor);
    fields.put_text(SESSION_ID, &mut facts.session);
    fields.put_text(MESSAGE, &mut facts.message);
    facts.progress = fields.get(PROGRESS).and_then(Value::as_f64);
    if let Some(tool) = fields.get(TOOL) {
        read_tool(facts, tool);
    }
    if let Some(correlation) = fields.get(CORRELATION) {
        read_correlation(facts, correlation);
    }
    let mut told = Told::default();
    if let Some(metadata) = fields.get(METADATA) {
        read_metadata(facts, metadata, &mut told);
    }
    if facts.task.is_none() && facts.event_type.starts_with(HOOK_OF_TASK) {
        let payload = fields.get(HOOK).and_then(|hook| hook.get("raw_payload"));
        facts.task = payload.and_then(|payload| payload.text_at("task_id"));
    }
    if let Some(context) = fields.other("context") {
        facts.task = context.text_at("task_id").or(facts.task.take());
    }
    if facts.identity.put_id(fields.get(EVENT_ID)) {
        if told.is_recorded {
            facts.identity.retry = fields.get(EVENT_ID).map(|id| Key::Recorded(id.into()));
        }
    } else if let Some(report) = fields.get(HOOK) {
        facts.identity = reported(fields, report, facts.time_ns).unwrap_or(Identity::NONE);
    }
    if let Some(added) = told.added {
        carried::apply_added(facts, added);
    }
}

fn legacy_facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const AGENT_ID: usize = LEGACY_ROW.slot("agent_id");
    const STATUS: usize = LEGACY_ROW.slot("status");
    const MESSAGE: usize = LEGACY_ROW.slot("message");
    const TIMESTAMP: usize = LEGACY_ROW.slot("timestamp");
    const SESSION_ID: usize = LEGACY_ROW.slot("session_id");
    const PROGRESS: usize = LEGACY_ROW.slot("progress");
    let status = fields.text(STATUS).and_then(|word| Status::parse(&word));
    let event_type = status.map_or("", status_event_type);
    facts.event_type = Cow::Borrowed(event_type);
    facts.status = status;
    facts.level = level(status);
    fields.put_text(AGENT_ID, &mut facts.actor);
    fields.put_text(MESSAGE, &mut facts.message);
    fields.put_text(SESSION_ID, &mut facts.session);
    facts.time_ns = fields.time_ns(TIMESTAMP);
    facts.progress = fields.get(PROGRESS).and_then(Value::as_f64);
}

fn level(status: Option<Status>) -> Level {
    match status {
        Some(Status::Error) => Level::Error,
        Some(Status::Blocked) => Level::Warn,
        Some(
            Status::Started
            | Status::Thinking
            | Status::ToolUse
            | Status::Progress
            | Status::Waiting
            | Status::Completed,
        )
        | None => Level::Info,
    }
}

fn read_tool<'a>(facts: &mut Facts<'a>, tool: Value<'a>) {
    for (key, member) in tool.members() {
        match key.listed_name() {
            name::TOOL_NAME => member.put_text(&mut facts.tool),
            name::DURATION_MS => facts.duration_ms = millis(member),
            name::TOOL_INPUT => Value::put_text_of(input_path(member), &mut facts.path),
            _ => {}
        }
    }
}

fn read_correlation<'a>(facts: &mut Facts<'a>, correlation: Value<'a>) {
    for (key, member) in correlation.members() {
        match key.listed_name() {
            name::TRACE_ID => member.put_text(&mut facts.trace),
            name::SPAN_ID => member.put_text(&mut facts.span),
            name::PARENT_SPAN_ID => member.put_text(&mut facts.parent_span),
            name::ROOT_AGENT_ID => {
                facts.parent = member.as_text().filter(|root| Some(root) != facts.actor.as_ref());
            }
            _ => {}
        }
    }
}

/// What metadata tells beside facts.
#[derive(Default)]
struct Told<'a> {
    /// What a translation has added.
    added: Option<Value<'a>>,
    /// Whether the event was made from a file in which an agent records a session.
    is_recorded: bool,
}

fn read_metadata<'a>(facts: &mut Facts<'a>, metadata: Value<'a>, told: &mut Told<'a>) {
    for (key, member) in metadata.members() {
        match key.listed_name() {
            name::TASK_ID | name::ISSUE_ID | name::BEAD_ID => {
                member.put_text_if_any(&mut facts.task);
            }
            name::WAITING_FOR | name::HANDOFF_TO | name::TO_AGENT => {
                member.put_text_if_any(&mut facts.subject);
            }
            name::TENANT_ID => member.put_text(&mut facts.tenant),
            name::USAGE => facts.usage = Usage::read(member),
            name::SOURCE => {
                let is_of = |client: &Client| {
                    member.is_text(client.source())
                        && metadata.get("client").is_some_and(|it| it.is_text(client.as_str()))
                };
                told.is_recorded = Client::ALL.iter().any(is_of);
            }
            carried::NAME => told.added = told.added.or(Some(member)),
            _ => {}
        }
    }
}

/// The identity of a hook's event without an id: what the hook reports. A tool call has an id, and the very same payload about it is
/// a retry, so that a hook installed twice counts once although the two events differ in their time. Other hooks may say the same
/// of one prompt again and again, as before every compaction: such a payload is a retry only for a moment.
fn reported<'a>(
    fields: &Fields<'a>,
    report: Value<'a>,
    time_ns: Option<i64>,
) -> Option<Identity<'a>> {
    let text = |value: Value<'a>| Some(value).filter(Value::is_string).map(KeyText::Value);
    let field = |slot: usize| fields.get(slot).and_then(text);
    let named = |value: Value<'a>, name: &str| {
        value.get(name).filter(|id| !id.is_empty_text()).and_then(text)
    };
    let (session, hook) = (field(SESSION_ID)?, report.get("hook_type").and_then(text)?);
    let Some(payload) = report.get("raw_payload") else {
        let (call, agent) = (named(fields.get(CORRELATION)?, "span_id")?, field(AGENT_ID)?);
        return Some(Identity::of(Key::Hook { session, hook, call, agent }));
    };
    let Some(call) = named(payload, "tool_use_id") else {
        let at_ns = Some(time_ns?);
        return Some(Identity::of(Key::HookPayload { session, hook, payload, at_ns }));
    };
    let agent = field(AGENT_ID)?;
    let retry = Key::HookPayload { session, hook, payload, at_ns: None };
    let own = Key::Hook { session, hook, call, agent };
    Some(Identity { own: Some(own), retry: Some(retry) })
}
