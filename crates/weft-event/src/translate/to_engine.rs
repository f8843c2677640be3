//! Writing an event in the engine dialect.
//!
//! The run is the session, for its events are numbered as a run's are; an event without a session belongs to a run named for its
//! actor.

use super::lack::Demands;
use super::source::put;
use super::{Meaning, Source, Untranslatable};
use crate::facts::{Facts, Status, carried};
use crate::json::Json;
use crate::{Dialect, time};

const TO: Dialect = Dialect::Engine;

/// The type for what none of the others says.
pub(super) const OTHERWISE: &str = "Observation";

pub(super) fn write(
    source: &Source<'_>,
    added: Option<&Json<'_>>,
) -> Result<String, Untranslatable> {
    let event_type = source.type_in(TO)?;
    let mut demands = Demands::of(TO);
    let time_ns = demands.time(source, "ts");
    let run_id = demands.text(run(&source.facts).as_deref(), "runId", "--session");
    demands.met()?;
    let line = Json::object(|event| {
        event.text("id", &source.id());
        event.text("runId", run_id);
        event.json("ts", &Json::integer(time_ns.div_euclid(time::MILLI_NS)));
        event.json("seq", &Json::integer(source.sequence));
        event.text("type", &event_type);
        event.json("payload", &payload(source, &event_type, added));
    });
    Ok(line.as_str().to_owned())
}

/// Returns what a run is named for.
pub(super) fn run<'f, 'a>(facts: &'f Facts<'a>) -> &'f Option<std::borrow::Cow<'a, str>> {
    let has_session = facts.session.as_deref().is_some_and(|session| !session.is_empty());
    if has_session { &facts.session } else { &facts.actor }
}

fn payload(source: &Source<'_>, event_type: &str, added: Option<&Json<'_>>) -> Json<'static> {
    let facts = &source.facts;
    Json::object(|payload| {
        match event_type {
            "StateChanged" => payload.text("to", state(facts.status)),
            "Observation" => payload.json("ok", &Json::bool(facts.status != Some(Status::Error))),
            "ToolCallFinished" => {
                payload.json("ok", &Json::bool(source.meaning != Meaning::ToolFails));
            }
            _ => {}
        }
        put(payload, said_as(event_type), &facts.message);
        put(payload, "tool", &facts.tool);
        if source.meaning.is_about_tool() {
            put(payload, "toolCallId", &facts.span);
        }
        put(payload, "path", &facts.path);
        put(payload, "taskId", &facts.task);
        facts.duration_ms.iter().for_each(|&ms| payload.json("durationMs", &Json::integer(ms)));
        if let Some(usage) = &facts.usage {
            payload.json("usage", &carried::write_usage(usage));
        }
        added.into_iter().for_each(|added| payload.json(carried::KEY, added));
    })
}

/// Returns the name that a payload of this type has for what it says.
fn said_as(event_type: &str) -> &'static str {
    match event_type {
        "Observation" | "ToolCallFinished" => "summary",
        "Error" | "StateChanged" => "message",
        _ => "text",
    }
}

/// Returns the run's state that a status stands for.
fn state(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::Started | Status::Thinking | Status::ToolUse | Status::Progress) => "RUNNING",
        Some(Status::Waiting) => "AWAITING_USER",
        Some(Status::Blocked) => "PAUSED",
        Some(Status::Completed) => "FINISHED",
        Some(Status::Error) => "ERROR",
        None => "IDLE",
    }
}
