//! The facts of an event as JSON: numbers as numbers, times as RFC 3339, and nothing that is not there.

use std::borrow::Cow;

use super::{Facts, Usage};
use crate::json::{Json, Object};
use crate::time;

impl Facts<'_> {
    /// Returns the facts as one JSON object.
    pub fn json(&self) -> Json<'static> {
        facts_json(self)
    }
}

fn facts_json(facts: &Facts<'_>) -> Json<'static> {
    Json::object(|object| {
        object.text("dialect", facts.dialect.as_str());
        object.text("type", &facts.event_type);
        text(object, "time", facts.time_ns.map(time::format_rfc3339).as_deref());
        cow(object, "actor", &facts.actor);
        cow(object, "subject", &facts.subject);
        cow(object, "parent", &facts.parent);
        cow(object, "session", &facts.session);
        cow(object, "tenant", &facts.tenant);
        count(object, "order", facts.order);
        text(object, "identity", facts.identity.own.as_ref().map(ToString::to_string).as_deref());
        text(
            object,
            "retry_key",
            facts.identity.retry.as_ref().map(ToString::to_string).as_deref(),
        );
        text(object, "status", facts.status.map(|status| status.as_str()));
        object.json("ended", &Json::bool(facts.ended));
        object.text("level", facts.level.as_str());
        number(object, "progress", facts.progress);
        cow(object, "tool", &facts.tool);
        cow(object, "path", &facts.path);
        count(object, "duration_ms", facts.duration_ms);
        cow(object, "message", &facts.message);
        cow(object, "trace", &facts.trace);
        cow(object, "span", &facts.span);
        cow(object, "parent_span", &facts.parent_span);
        cow(object, "task", &facts.task);
        if let Some(usage) = &facts.usage {
            object.json("usage", &usage_json(usage));
        }
        cow(object, "topic", &facts.topic);
    })
}

fn usage_json(usage: &Usage<'_>) -> Json<'static> {
    Json::object(|object| {
        count(object, "input_tokens", usage.input_tokens);
        count(object, "output_tokens", usage.output_tokens);
        count(object, "cache_read_tokens", usage.cache_read_tokens);
        count(object, "cache_write_tokens", usage.cache_write_tokens);
        count(object, "total_tokens", usage.total_tokens);
        number(object, "cost_usd", usage.cost_usd);
        number(object, "used", usage.used);
        number(object, "limit", usage.limit);
        cow(object, "model", &usage.model);
        cow(object, "provider", &usage.provider);
    })
}

fn text(object: &mut Object<'_>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        object.text(name, value);
    }
}

fn cow(object: &mut Object<'_>, name: &str, value: &Option<Cow<'_, str>>) {
    text(object, name, value.as_deref());
}

fn count(object: &mut Object<'_>, name: &str, value: Option<u64>) {
    if let Some(value) = value {
        object.json(name, &Json::integer(value));
    }
}

fn number(object: &mut Object<'_>, name: &str, value: Option<f64>) {
    if let Some(value) = value {
        object.json(name, &Json::number(value));
    }
}
