//! Writing an event in the needle dialect.

use std::borrow::Cow;

use super::lack::Demands;
use super::source::put;
use super::{Source, Untranslatable};
use crate::facts::{Facts, carried};
use crate::json::Json;
use crate::needle::VERSION;
use crate::{Dialect, time};

const TO: Dialect = Dialect::Needle;

/// Returns the name of a type that the taxonomy has no counterpart for: the source's own, as `category.action`.
pub(super) fn event_type(facts: &Facts<'_>) -> Cow<'static, str> {
    let words = words(&facts.event_type);
    let category = match (facts.dialect, facts.event_type.contains('.')) {
        (Dialect::Idle, _) => "loop.",
        (_, true) => "",
        (_, false) if words.len() > 1 => "",
        (_, false) => "event.",
    };
    let name = match (&words[..], facts.event_type.contains('.')) {
        ([], _) => "unknown".to_owned(),
        (_, true) => facts.event_type.to_lowercase(),
        ([first, rest @ ..], false) if category.is_empty() => {
            format!("{first}.{}", rest.join("_"))
        }
        (words, false) => words.join("_"),
    };
    Cow::Owned(format!("{category}{name}"))
}

/// Splits a type into its words in lower case: at dots, and before a capital letter in the middle of a word.
///
/// What is neither a letter nor a dot becomes `_`.
pub(super) fn words(event_type: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begins_word = true;
    let mut was_lower = false;
    for c in event_type.chars() {
        if c == '.' {
            begins_word = true;
            continue;
        }
        if begins_word || (c.is_ascii_uppercase() && was_lower) {
            words.push(String::new());
        }
        begins_word = false;
        was_lower = c.is_ascii_lowercase();
        let letter = if c.is_ascii_alphabetic() { c.to_ascii_lowercase() } else { '_' };
        words.last_mut().expect("the first character begins a word").push(letter);
    }
    words
}

pub(super) fn write(
    source: &Source<'_>,
    added: Option<&Json<'_>>,
) -> Result<String, Untranslatable> {
    let facts = &source.facts;
    let event_type = source.type_in(TO)?;
    let mut demands = Demands::of(TO);
    let timestamp = time::format_rfc3339(demands.time(source, "timestamp"));
    let worker_id = demands.text(facts.actor.as_deref(), "worker_id", "--agent");
    let session_id = demands.text(facts.session.as_deref(), "session_id", "--session");
    demands.met()?;
    let line = Json::object(|event| {
        event.json("schema_version", &Json::integer(VERSION));
        event.text("timestamp", &timestamp);
        event.text("event_type", &event_type);
        event.text("worker_id", worker_id);
        event.text("session_id", session_id);
        event.json("sequence", &Json::integer(source.sequence));
        put(event, "bead_id", &facts.task);
        event.json("data", &data(facts, &event_type, added));
        facts.duration_ms.iter().for_each(|&ms| event.json("duration_ms", &Json::integer(ms)));
        put(event, "trace_id", &facts.trace);
        put(event, "span_id", &facts.span);
    });
    Ok(line.as_str().to_owned())
}

fn data(facts: &Facts<'_>, event_type: &str, added: Option<&Json<'_>>) -> Json<'static> {
    Json::object(|data| {
        let failed = event_type.starts_with("error.") || event_type.ends_with(".failed");
        put(data, if failed { "error" } else { "message" }, &facts.message);
        put(data, "tool", &facts.tool);
        put(data, "path", &facts.path);
        match event_type {
            "heartbeat.emitted" => {
                facts.status.iter().for_each(|status| data.text("status", status.as_str()));
            }
            "heartbeat.stuck_detected" | "heartbeat.recovery" | "lock.priority_bump" => {
                put(data, "worker_id", &facts.subject);
            }
            _ => {}
        }
        if let Some(usage) = &facts.usage {
            put(data, "model", &usage.model);
            put(data, "provider", &usage.provider);
        }
        added.into_iter().for_each(|added| data.json(carried::KEY, added));
    })
}
