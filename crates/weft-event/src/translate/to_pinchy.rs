//! Writing an event in the pinchy dialect.

use std::borrow::Cow;

use super::lack::Demands;
use super::source::{hex, put};
use super::{Source, Untranslatable};
use crate::facts::{Facts, carried};
use crate::json::Json;
use crate::pinchy::VERSION;
use crate::{Dialect, time};

const TO: Dialect = Dialect::Pinchy;

pub(super) fn write(
    source: &Source<'_>,
    added: Option<&Json<'_>>,
) -> Result<String, Untranslatable> {
    let facts = &source.facts;
    let event_type = source.type_in(TO)?;
    let mut demands = Demands::of(TO);
    let occurred_at = time::format_rfc3339(demands.time(source, "occurred_at"));
    let tenant_id = demands.text(facts.tenant.as_deref(), "tenant_id", "--tenant");
    let agent_id = demands.text(facts.actor.as_deref(), "routing.agent_id", "--agent");
    let session_id = demands.text(facts.session.as_deref(), "routing.session_id", "--session");
    let payload = payload(source, &event_type, &mut demands);
    demands.met()?;
    let line = Json::object(|event| {
        event.text("version", VERSION);
        event.text("event_id", &source.id());
        event.text("trace_id", &trace_id(source));
        event.text("occurred_at", &occurred_at);
        event.text("event_type", &event_type);
        event.text("tenant_id", tenant_id);
        let from = Json::object(|from| {
            from.text("component_type", component_type(&event_type));
            from.text("component_id", agent_id);
            from.text("transport", "internal");
        });
        event.json("source", &from);
        let routing = Json::object(|routing| {
            routing.text("agent_id", agent_id);
            routing.text("session_id", session_id);
        });
        event.json("routing", &routing);
        event.json("payload", &payload);
        if let Some(added) = added {
            event.json("meta", &Json::object(|meta| meta.json(carried::KEY, added)));
        }
    });
    Ok(line.as_str().to_owned())
}

/// The envelope demands a trace; an event without one is a trace of its own.
fn trace_id<'s>(source: &'s Source<'_>) -> Cow<'s, str> {
    match &source.facts.trace {
        Some(trace) => Cow::Borrowed(trace),
        None => Cow::Owned(hex(&source.key())),
    }
}

fn component_type(event_type: &str) -> &'static str {
    match event_type {
        "channel.message.received" => "listener",
        "tool.call.completed" | "tool.call.failed" => "tool_host",
        "config.applied" => "operator",
        _ => "gateway",
    }
}

fn payload(source: &Source<'_>, event_type: &str, demands: &mut Demands) -> Json<'static> {
    let facts = &source.facts;
    let id = source.id();
    let call_id = facts.span.as_deref().unwrap_or(&id);
    let is_call = event_type.starts_with("tool.call.");
    let tool = match is_call {
        true => Some(demands.text(facts.tool.as_deref(), "payload.tool_name", "--tool")),
        false => facts.tool.as_deref(),
    };
    Json::object(|payload| {
        match event_type {
            "agent.response.created" => payload.text("response_id", &id),
            "config.applied" => payload.text("revision_id", &id),
            _ if is_call => payload.text("call_id", call_id),
            _ => {}
        }
        tool.into_iter().for_each(|tool| payload.text("tool_name", tool));
        match event_type {
            "tool.call.completed" => payload.text("status", "ok"),
            "tool.call.failed" => payload.text("status", "error"),
            _ => {}
        }
        put_message(payload, facts, event_type);
        if let Some(path) = &facts.path {
            payload.json("args", &Json::object(|args| args.text("file_path", path)));
        }
        facts.duration_ms.iter().for_each(|&ms| payload.json("duration_ms", &Json::integer(ms)));
        if let Some(usage) = &facts.usage {
            payload.json("usage", &carried::write_usage(usage));
        }
    })
}

fn put_message(payload: &mut crate::json::Object<'_>, facts: &Facts<'_>, event_type: &str) {
    let Some(message) = &facts.message else { return };
    match event_type {
        "agent.response.created" => {
            let part = Json::object(|part| {
                part.text("type", "text");
                part.text("text", message);
            });
            payload.json("content", &Json::array([part]));
        }
        "agent.turn.failed" | "tool.call.failed" => {
            payload.json("error", &Json::object(|error| error.text("message", message)));
        }
        _ => put(payload, "text", &facts.message),
    }
}
