//! Carried facts: what a translated event says that its dialect has no field for.
//!
//! They stand in one object with the key `weft` in the place that the dialect leaves free, under `facts`, by name; `null`
//! means that there is no such fact although the dialect's own fields seem to give one.

use std::borrow::Cow;

use super::{Facts, Level, Status, Usage};
use crate::json::{Json, Name, Value};
use crate::time;

/// The key of the object that a translation adds.
pub(crate) const KEY: &str = "weft";
/// The name of that key.
pub(crate) const NAME: Name = Name::listed(KEY);

/// Lets the facts that `extension` carries win over those read so far.
#[inline]
pub(crate) fn apply<'a>(facts: &mut Facts<'a>, extension: Value<'a>) {
    if let Some(added) = extension.get(KEY) {
        apply_added(facts, added);
    }
}

/// Lets the facts of the added object itself win; for a reader that walks the extension's members anyway.
#[cold]
pub(crate) fn apply_added<'a>(facts: &mut Facts<'a>, added: Value<'a>) {
    let Some(given) = added.get("facts") else { return };
    for (key, member) in given.members() {
        let Some(name) = key.raw_text() else { continue };
        if let Some(fact) = text_fact(facts, name) {
            *fact = member.as_text();
            continue;
        }
        match name {
            "time" => facts.time_ns = member.as_text().and_then(|text| time::parse_rfc3339(&text)),
            "order" => facts.order = member.as_u64(),
            "status" => facts.status = member.as_text().and_then(|word| Status::parse(&word)),
            "ended" => facts.ended = member.as_bool().unwrap_or(facts.ended),
            "level" => {
                let level = member.as_text().and_then(|word| Level::parse(&word));
                facts.level = level.unwrap_or(facts.level);
            }
            "progress" => facts.progress = member.as_f64(),
            "duration_ms" => facts.duration_ms = member.as_u64(),
            "usage" => facts.usage = Usage::read(member),
            _ => {}
        }
    }
}

/// Returns the fact of this name, if facts of that name are text.
fn text_fact<'f, 'a>(facts: &'f mut Facts<'a>, name: &str) -> Option<&'f mut Option<Cow<'a, str>>> {
    Some(match name {
        "actor" => &mut facts.actor,
        "subject" => &mut facts.subject,
        "parent" => &mut facts.parent,
        "session" => &mut facts.session,
        "tenant" => &mut facts.tenant,
        "tool" => &mut facts.tool,
        "path" => &mut facts.path,
        "message" => &mut facts.message,
        "trace" => &mut facts.trace,
        "span" => &mut facts.span,
        "parent_span" => &mut facts.parent_span,
        "task" => &mut facts.task,
        "topic" => &mut facts.topic,
        _ => return None,
    })
}

/// Returns the facts in which `wanted` differs from `found`, by name, as they are carried.
///
/// Dialect, type and identity are the event's own and are not compared.
pub(crate) fn difference(
    wanted: &Facts<'_>,
    found: &Facts<'_>,
) -> Vec<(&'static str, Json<'static>)> {
    let mut out = Vec::new();
    let mut text = |name, wanted: &Option<Cow<'_, str>>, found: &Option<Cow<'_, str>>| {
        if wanted != found {
            out.push((name, wanted.as_ref().map_or(Json::null(), |text| Json::text(text))));
        }
    };
    text("actor", &wanted.actor, &found.actor);
    text("subject", &wanted.subject, &found.subject);
    text("parent", &wanted.parent, &found.parent);
    text("session", &wanted.session, &found.session);
    text("tenant", &wanted.tenant, &found.tenant);
    text("tool", &wanted.tool, &found.tool);
    text("path", &wanted.path, &found.path);
    text("message", &wanted.message, &found.message);
    text("trace", &wanted.trace, &found.trace);
    text("span", &wanted.span, &found.span);
    text("parent_span", &wanted.parent_span, &found.parent_span);
    text("task", &wanted.task, &found.task);
    // A dialect whose events all have a topic gives one to those that had none; that is no difference.
    if wanted.topic.is_some() {
        text("topic", &wanted.topic, &found.topic);
    }
    let mut other = |name, differs: bool, json: Option<Json<'static>>| {
        if differs {
            out.push((name, json.unwrap_or_else(Json::null)));
        }
    };
    let word = |word: &str| Json::text(word);
    let at = wanted.time_ns.map(|ns| word(&time::format_rfc3339(ns)));
    other("time", wanted.time_ns != found.time_ns, at);
    other("order", wanted.order != found.order, wanted.order.map(Json::integer));
    let status = wanted.status.map(|status| word(status.as_str()));
    other("status", wanted.status != found.status, status);
    other("ended", wanted.ended != found.ended, Some(Json::bool(wanted.ended)));
    other("level", wanted.level != found.level, Some(word(wanted.level.as_str())));
    other("progress", wanted.progress != found.progress, wanted.progress.map(Json::number));
    let duration = wanted.duration_ms.map(Json::integer);
    other("duration_ms", wanted.duration_ms != found.duration_ms, duration);
    other("usage", wanted.usage != found.usage, wanted.usage.as_deref().map(write_usage));
    out
}

/// Writes what was used up as an object with a member for everything that is known.
pub(crate) fn write_usage(usage: &Usage<'_>) -> Json<'static> {
    let tokens = [
        ("input_tokens", usage.input_tokens),
        ("output_tokens", usage.output_tokens),
        ("cache_read_tokens", usage.cache_read_tokens),
        ("cache_write_tokens", usage.cache_write_tokens),
        ("total_tokens", usage.total_tokens),
    ];
    let numbers = [("cost_usd", usage.cost_usd), ("used", usage.used), ("limit", usage.limit)];
    let texts = [("model", &usage.model), ("provider", &usage.provider)];
    Json::object(|object| {
        for (name, n) in tokens {
            n.iter().for_each(|&n| object.json(name, &Json::integer(n)));
        }
        for (name, n) in numbers {
            n.iter().for_each(|&n| object.json(name, &Json::number(n)));
        }
        for (name, text) in texts {
            text.iter().for_each(|text| object.text(name, text));
        }
    })
}
