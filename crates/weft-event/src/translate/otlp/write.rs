//! One event as an export request.

use super::names::{
    AGENT, ALL_INPUT, CACHE_READ, CACHE_WRITE, CHAT, COST_USD, ERROR_TYPE, EXECUTE_TOOL,
    INVOKE_AGENT, LIMIT, OPERATION, OUTPUT, PROVIDER, REQUEST_MODEL, SESSION, TOOL_CALL, TOOL_NAME,
    TOTAL, USED,
};
use super::{
    DIALECT, EVENT, FILLED, NEEDLE_BEAD, NEEDLE_SEQUENCE, NEEDLE_SESSION, NEEDLE_WORKER, severity,
};
use crate::Dialect;
use crate::facts::{Facts, Status, Usage};
use crate::json::{Json, Object};
use crate::translate::{Source, trace};

/// Writes the event as a request with one log record. The event itself is an attribute, so nothing is lost.
pub(in crate::translate) fn write(source: &Source<'_>) -> String {
    request([(source.facts.dialect, vec![record(source)])])
}

/// Writes a request with these records, one resource for each list of them: what speaks a dialect is the service.
pub(super) fn request(lists: impl IntoIterator<Item = (Dialect, Vec<Json<'static>>)>) -> String {
    let lists = lists.into_iter().map(|(dialect, records)| resource_logs(dialect, records));
    let request = Json::object(|request| request.json("resourceLogs", &Json::array(lists)));
    request.as_str().to_owned()
}

fn resource_logs(dialect: Dialect, records: Vec<Json<'static>>) -> Json<'static> {
    let mut resource = Attributes::default();
    resource.text("service.name", dialect.as_str());
    let scope = Json::object(|scope| scope.text("name", "weft"));
    let scope_logs = Json::object(|logs| {
        logs.json("scope", &scope);
        logs.json("logRecords", &Json::array(records));
    });
    Json::object(|logs| {
        let attributes = resource.into_json();
        logs.json("resource", &Json::object(|object| object.json("attributes", &attributes)));
        logs.json("scopeLogs", &Json::array([scope_logs]));
    })
}

/// Writes the event as a log record.
pub(super) fn record(source: &Source<'_>) -> Json<'static> {
    let facts = &source.facts;
    Json::object(|record| {
        // Times are unsigned; an event from before 1970 has its time in the event alone.
        if let Some(ns) = facts.time_ns.and_then(|ns| u64::try_from(ns).ok()) {
            record.text("timeUnixNano", &ns.to_string());
            record.text("observedTimeUnixNano", &ns.to_string());
        }
        let (number, word) = severity(facts.level);
        record.json("severityNumber", &Json::integer(number));
        record.text("severityText", word);
        record.text("eventName", &facts.event_type);
        let body = facts.message.as_deref().unwrap_or(&facts.event_type);
        record.json("body", &Json::object(|body_value| body_value.text("stringValue", body)));
        record.json("attributes", &attributes(source).into_json());
        put_trace(record, facts);
    })
}

fn put_trace(record: &mut Object<'_>, facts: &Facts<'_>) {
    let Some(id) = &facts.trace else { return };
    record.text("traceId", &trace::trace(id).hex);
    facts.span.iter().for_each(|id| record.text("spanId", &trace::span(id).hex));
}

fn attributes(source: &Source<'_>) -> Attributes {
    let facts = &source.facts;
    let mut out = Attributes::default();
    out.text(DIALECT, facts.dialect.as_str());
    if facts.dialect == Dialect::Needle {
        out.option(NEEDLE_WORKER, facts.actor.as_deref());
        out.option(NEEDLE_SESSION, facts.session.as_deref());
        out.count(NEEDLE_SEQUENCE, facts.order);
        out.option(NEEDLE_BEAD, facts.task.as_deref());
    }
    out.option(AGENT[0], facts.actor.as_deref());
    for name in &SESSION[..2] {
        out.option(name, facts.session.as_deref());
    }
    put_operation(&mut out, source);
    out.count("event.sequence", facts.order);
    out.option("tenant.id", facts.tenant.as_deref());
    out.option("weft.status", facts.status.map(|status| status.as_str()));
    if facts.ended {
        out.push("weft.ended", "boolValue", Json::bool(true));
    }
    out.option("weft.subject", facts.subject.as_deref());
    out.option("weft.parent", facts.parent.as_deref());
    out.option("weft.task", facts.task.as_deref());
    out.option("weft.topic", facts.topic.as_deref());
    out.number("weft.progress", facts.progress);
    out.option(TOOL_NAME[0], facts.tool.as_deref());
    out.option("file.path", facts.path.as_deref());
    out.count("duration_ms", facts.duration_ms);
    let is_own = |id: &str| trace::trace(id).is_own;
    out.option("weft.trace_id", facts.trace.as_deref().filter(|id| !is_own(id)));
    let is_in_record = |id: &str| facts.trace.is_some() && trace::span(id).is_own;
    out.option("weft.span_id", facts.span.as_deref().filter(|id| !is_in_record(id)));
    out.option("weft.parent_span_id", facts.parent_span.as_deref());
    if let Some(usage) = &facts.usage {
        put_usage(&mut out, usage);
    }
    if !source.filled.is_empty() {
        out.text(FILLED, &source.filled.join(","));
    }
    out.text(EVENT, source.event.value().raw());
    out
}

/// Says which kind of work the event is about, where it is one that the conventions have a word for.
fn put_operation(out: &mut Attributes, source: &Source<'_>) {
    let Source { facts, meaning, .. } = source;
    let is_of_model = facts.usage.as_ref().is_some_and(|usage| usage.model.is_some());
    if meaning.is_about_tool() && facts.tool.is_some() {
        out.text(OPERATION, EXECUTE_TOOL);
        out.option(TOOL_CALL[0], facts.span.as_deref());
    } else if meaning.is_about_course() {
        out.text(OPERATION, INVOKE_AGENT);
    } else if is_of_model {
        out.text(OPERATION, CHAT);
    }
    if facts.status == Some(Status::Error) {
        out.text(ERROR_TYPE, &facts.event_type);
    }
}

/// In these names the tokens read include those from and for a cache.
fn put_usage(out: &mut Attributes, usage: &Usage<'_>) {
    let cached = [usage.cache_read_tokens, usage.cache_write_tokens].into_iter().flatten();
    let input = usage.input_tokens.map(|input| cached.fold(input, u64::saturating_add));
    out.count(ALL_INPUT[0], input);
    out.count(OUTPUT[0], usage.output_tokens);
    out.count(CACHE_READ[0], usage.cache_read_tokens);
    out.count(CACHE_WRITE[0], usage.cache_write_tokens);
    out.option(REQUEST_MODEL, usage.model.as_deref());
    out.option(PROVIDER[0], usage.provider.as_deref());
    out.count(TOTAL, usage.total_tokens);
    out.number(COST_USD[0], usage.cost_usd);
    out.number(USED, usage.used);
    out.number(LIMIT, usage.limit);
}

/// A list of attributes being written.
#[derive(Default)]
struct Attributes(Vec<Json<'static>>);

impl Attributes {
    fn push(&mut self, key: &str, kind: &str, value: Json<'_>) {
        self.0.push(Json::object(|attribute| {
            attribute.text("key", key);
            attribute.json("value", &Json::object(|any| any.json(kind, &value)));
        }));
    }

    fn text(&mut self, key: &str, text: &str) {
        self.push(key, "stringValue", Json::text(text));
    }

    fn option(&mut self, key: &str, text: Option<&str>) {
        text.into_iter().for_each(|text| self.text(key, text));
    }

    /// Integers of 64 bits are strings in OTLP/JSON; what does not fit its sign is left to the event.
    fn count(&mut self, key: &str, n: Option<u64>) {
        if let Some(n) = n.and_then(|n| i64::try_from(n).ok()) {
            self.push(key, "intValue", Json::text(&n.to_string()));
        }
    }

    fn number(&mut self, key: &str, n: Option<f64>) {
        n.into_iter().for_each(|n| self.push(key, "doubleValue", Json::number(n)));
    }

    fn into_json(self) -> Json<'static> {
        Json::array(self.0)
    }
}
