//! Writing an event in the collector dialect.

use std::borrow::Cow;

use super::lack::Demands;
use super::{Source, Untranslatable};
use crate::collector::{Correlation, Event, TAXONOMY, Tool, VERSION, status_event_type};
use crate::facts::{Facts, carried};
use crate::json::Json;
use crate::{Dialect, time};

const TO: Dialect = Dialect::Collector;

/// Returns the type: the counterpart if its status is the event's, else by status, else a name of its own in `system`.
///
/// A type whose default is another status would be a mismatch, which is a warning.
pub(super) fn event_type(
    counterpart: Option<&'static str>,
    facts: &Facts<'_>,
) -> Cow<'static, str> {
    let usual = |name: &str| TAXONOMY.get(name).and_then(|row| row.status);
    match (counterpart, facts.status) {
        (Some(name), status) if usual(name).is_none() || usual(name) == status => {
            Cow::Borrowed(name)
        }
        (_, Some(status)) => Cow::Borrowed(status_event_type(status)),
        (_, None) if facts.ended => Cow::Borrowed("lifecycle.terminated"),
        (_, None) => Cow::Owned(system_type(&facts.event_type)),
    }
}

/// Returns `system.` and the type in lower case, with `_` for whatever a collector type cannot have.
fn system_type(event_type: &str) -> String {
    let name = super::to_needle::words(event_type).join("_");
    format!("system.{}", if name.is_empty() { "event" } else { &name })
}

pub(super) fn write(
    source: &Source<'_>,
    added: Option<&Json<'_>>,
) -> Result<String, Untranslatable> {
    let facts = &source.facts;
    let event_type = source.type_in(TO)?;
    let metadata = metadata(facts, &event_type, added);
    let mut demands = Demands::of(TO);
    let time_ns = demands.time(source, "timestamp");
    let agent_id = demands.text(facts.actor.as_deref(), "agent_id", "--agent");
    demands.met()?;
    let event = Event {
        version: VERSION.into(),
        timestamp: time::format_rfc3339(time_ns).into(),
        agent_id: agent_id.into(),
        event_id: source.own_uuid(),
        session_id: facts.session.clone(),
        status: facts.status,
        message: facts.message.clone(),
        progress: facts.progress.filter(|progress| (0.0..=1.0).contains(progress)),
        tool: tool(facts),
        correlation: correlation(facts),
        metadata: (metadata != Json::empty_object()).then_some(metadata),
        event_type,
        ..Event::default()
    };
    Ok(event.to_line())
}

fn tool<'f>(facts: &'f Facts<'_>) -> Option<Tool<'f>> {
    let path = facts.path.as_deref();
    let duration_ms = facts.duration_ms.and_then(|ms| i64::try_from(ms).ok());
    let is_there = facts.tool.is_some() || path.is_some() || duration_ms.is_some();
    is_there.then(|| Tool {
        tool_name: facts.tool.as_deref().map(Cow::Borrowed),
        tool_input: path.map(|path| Json::object(|input| input.text("file_path", path))),
        duration_ms,
        ..Tool::default()
    })
}

fn correlation<'f>(facts: &'f Facts<'_>) -> Option<Correlation<'f>> {
    let text = |fact: &'f Option<Cow<'_, str>>| fact.as_deref().map(Cow::Borrowed);
    let correlation = Correlation {
        trace_id: text(&facts.trace),
        span_id: text(&facts.span),
        parent_span_id: text(&facts.parent_span),
        root_agent_id: text(&facts.parent),
        ..Correlation::default()
    };
    (correlation != Correlation::default()).then_some(correlation)
}

fn metadata(facts: &Facts<'_>, event_type: &str, added: Option<&Json<'_>>) -> Json<'static> {
    Json::object(|metadata| {
        let mut text = |name: &str, fact: &Option<Cow<'_, str>>| {
            fact.iter().for_each(|fact| metadata.text(name, fact));
        };
        text("task_id", &facts.task);
        text("tenant_id", &facts.tenant);
        match event_type {
            "coordination.waiting" => text("waiting_for", &facts.subject),
            "coordination.handoff" => text("handoff_to", &facts.subject),
            _ => {}
        }
        if let Some(usage) = &facts.usage {
            metadata.json("usage", &carried::write_usage(usage));
        }
        added.into_iter().for_each(|added| metadata.json(carried::KEY, added));
    })
}
