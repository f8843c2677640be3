//! The facts of a gateway event.
//!
//! The actor is whoever the event is about. Messages, jobs, turns, responses and tool calls are about the agent they are routed
//! to; heartbeats, pairings and configurations are about the component they come from.

use std::borrow::Cow;

use super::{EVENT, EVENT_TYPE, EventType, IDEMPOTENCY_KEY, PAYLOAD, SOURCE_SLOT};
use crate::facts::{Facts, Level, Usage, carried, input_path, millis, name};
use crate::identity::Key;
use crate::json::Value;
use crate::shape::Fields;

const EVENT_ID: usize = EVENT.slot("event_id");
const TRACE_ID: usize = EVENT.slot("trace_id");
const OCCURRED_AT: usize = EVENT.slot("occurred_at");
const TENANT_ID: usize = EVENT.slot("tenant_id");
const ROUTING: usize = EVENT.slot("routing");
const META: usize = EVENT.slot("meta");

pub(super) fn facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    let event_type = fields.word(EVENT_TYPE, EventType::ALL);
    match event_type {
        Some(known) => facts.set_type_of_row(fields.get(EVENT_TYPE), known as usize),
        None => facts.set_type(fields.get(EVENT_TYPE)),
    }
    facts.level = event_type.map_or(Level::Info, level);
    facts.time_ns = fields.time_ns(OCCURRED_AT);
    fields.put_text(TENANT_ID, &mut facts.tenant);
    fields.put_text(TRACE_ID, &mut facts.trace);
    let component = fields.get(SOURCE_SLOT).and_then(|source| source.get("component_id"));
    let mut agent = None;
    if let Some(routing) = fields.get(ROUTING) {
        for (key, member) in routing.members() {
            match key.listed_name() {
                name::AGENT_ID => agent = Some(member),
                name::SESSION_ID => member.put_text(&mut facts.session),
                _ => {}
            }
        }
    }
    facts.identity.put_id(fields.get(EVENT_ID));
    if fields.get(IDEMPOTENCY_KEY).is_some()
        && let Some(component) = component.filter(Value::is_string)
    {
        facts.identity.retry = retry_key(fields, component);
    }
    if let Some(actor) = if event_type.is_some_and(is_about_agent) { agent } else { component } {
        actor.put_text(&mut facts.actor);
    }
    if let Some(payload) = fields.get(PAYLOAD) {
        read_payload(facts, payload);
    }
    if let Some(meta) = fields.get(META) {
        carried::apply(facts, meta);
    }
}

fn is_about_agent(event_type: EventType) -> bool {
    match event_type {
        EventType::MessageReceived
        | EventType::MessageEdited
        | EventType::MessageDeleted
        | EventType::CronTriggered
        | EventType::TurnStarted
        | EventType::TurnCompleted
        | EventType::TurnFailed
        | EventType::ResponseCreated
        | EventType::ToolRequested
        | EventType::ToolCompleted
        | EventType::ToolFailed => true,
        EventType::HeartbeatTick
        | EventType::PairingStarted
        | EventType::PairingCompleted
        | EventType::PairingFailed
        | EventType::ConfigApplied
        | EventType::ConfigReverted => false,
    }
}

fn level(event_type: EventType) -> Level {
    match event_type {
        EventType::TurnFailed | EventType::PairingFailed => Level::Error,
        EventType::ToolFailed | EventType::ConfigReverted => Level::Warn,
        EventType::HeartbeatTick => Level::Debug,
        EventType::MessageReceived
        | EventType::MessageEdited
        | EventType::MessageDeleted
        | EventType::CronTriggered
        | EventType::TurnStarted
        | EventType::TurnCompleted
        | EventType::ResponseCreated
        | EventType::ToolRequested
        | EventType::ToolCompleted
        | EventType::PairingStarted
        | EventType::PairingCompleted
        | EventType::ConfigApplied => Level::Info,
    }
}

/// Reads what payloads hold; one name means the same in all of them.
fn read_payload<'a>(facts: &mut Facts<'a>, payload: Value<'a>) {
    for (key, member) in payload.members() {
        match key.listed_name() {
            name::TEXT | name::ERROR_MESSAGE => {
                member.put_text_if_any(&mut facts.message);
            }
            name::CONTENT => facts.message = first_text(member).or(facts.message.take()),
            name::ERROR => facts.message = member.text_at("message").or(facts.message.take()),
            name::TOOL_NAME => member.put_text(&mut facts.tool),
            name::CALL_ID => member.put_text(&mut facts.span),
            name::ARGS => Value::put_text_of(input_path(member), &mut facts.path),
            name::DURATION_MS => facts.duration_ms = millis(member),
            name::JOB_ID => member.put_text(&mut facts.task),
            name::REMOTE_COMPONENT_ID => member.put_text(&mut facts.subject),
            name::USAGE => facts.usage = Usage::read(member),
            _ => {}
        }
    }
}

fn first_text(content: Value<'_>) -> Option<Cow<'_, str>> {
    content.items().find_map(|part| part.text_at("text"))
}

/// Returns the key that the producer promises for retries.
fn retry_key<'a>(fields: &Fields<'a>, component: Value<'a>) -> Option<Key<'a>> {
    let string = |slot| fields.get(slot).filter(Value::is_string);
    Some(Key::Idempotency {
        key: string(IDEMPOTENCY_KEY).filter(|key| !key.is_empty_text())?.into(),
        tenant: string(TENANT_ID)?.into(),
        component: component.into(),
    })
}
