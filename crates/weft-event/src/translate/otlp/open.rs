//! The events out of an export request: our own as they were, NEEDLE's as needle events, any other record as a collector event.

mod changed;
mod needle;
mod record;
mod request;

use super::{DIALECT, EVENT, NEEDLE_BEAD, NEEDLE_SEQUENCE, NEEDLE_SESSION, NEEDLE_WORKER};
use crate::collector::{Correlation, Event as CollectorEvent, Tool, VERSION};
use crate::facts::{Level, Usage, carried};
use crate::identity::digest_parts;
use crate::json::{Json, Value};
use crate::problem::Problem;
use crate::translate::source::{put, uuid};
use crate::translate::{
    Fill, Lack, Lacks, Loss, Opened, Origin, Target, Untranslatable, on_one_line,
};
use crate::{Dialect, time};

use record::{Around, Record};
use request::{Records, records};

/// Takes the events out of an export request; `None` if the value is none.
pub(in crate::translate) fn open(
    value: Value<'_>,
    fill: &Fill,
) -> Option<Vec<Result<Opened, Untranslatable>>> {
    let Records { good, problems } = records(value)?;
    let opened = good.iter().map(|record| open_record(record, fill));
    let malformed = problems.list().iter().cloned().map(|p| Err(Untranslatable::Malformed(p)));
    Some(opened.chain(malformed).collect())
}

/// Takes a request apart into requests with one record each, as they are, and what is wrong with the rest; `None` if the
/// value is no request.
///
/// A request with nothing wrong stays whole.
pub(in crate::translate) fn unpack(value: Value<'_>) -> Option<(Vec<String>, Vec<Problem>)> {
    let Records { good, problems } = records(value)?;
    let problems = problems.list().to_vec();
    let requests = match problems.is_empty() {
        true => vec![value.raw().to_owned()],
        false => good.iter().map(|record| record.request().as_str().to_owned()).collect(),
    };
    Some((requests, problems))
}

fn open_record(record: &Record<'_>, fill: &Fill) -> Result<Opened, Untranslatable> {
    let dialect = record.text(&[DIALECT]).and_then(|word| Dialect::parse(&word));
    if let (Some(dialect), Some(line)) = (dialect, record.text(&[EVENT])) {
        return changed::open(record, dialect, on_one_line(line.into_owned()));
    }
    match needle_event(record, fill) {
        Some(opened) => Ok(opened),
        None => collector_event(record, fill),
    }
}

/// Returns the needle event that NEEDLE's own exporter sent.
///
/// It is written as NEEDLE writes it to its file, so that the same event from both places has the same content. Only a record
/// that says more than such an event can is kept beside it.
fn needle_event(record: &Record<'_>, fill: &Fill) -> Option<Opened> {
    let worker_id = record.text(&[NEEDLE_WORKER])?;
    let session_id = record.text(&[NEEDLE_SESSION])?;
    let sequence = record.count(&[NEEDLE_SEQUENCE])?;
    let timestamp = time::format_rfc3339(record.time_ns().or(fill.time_ns)?);
    let name = record.name();
    let is_kept = record.says_more_than_needle(&name);
    let data = record.needle_data(&name, is_kept.then(|| added(record, &name, None)));
    let line = Json::object(|event| {
        event.json("schema_version", &Json::integer(crate::needle::VERSION));
        event.text("timestamp", &timestamp);
        event.text("event_type", &name);
        event.text("worker_id", &worker_id);
        event.text("session_id", &session_id);
        event.json("sequence", &Json::integer(sequence));
        put(event, "bead_id", &record.text(&[NEEDLE_BEAD]));
        event.json("data", &data);
        put(event, "trace_id", &record.trace_id());
        put(event, "span_id", &record.span_id());
    });
    let is_kept = is_kept && record.around == Around::Kept;
    let is_lost = !is_kept && record.has_surroundings();
    let losses = if is_lost { vec![Loss::Surroundings] } else { Vec::new() };
    let line = line.as_str().to_owned();
    Some(Opened { line, dialect: Dialect::Needle, origin: Origin::Made, losses })
}

/// Makes a collector event of any other log record, and keeps the record beside it.
fn collector_event(record: &Record<'_>, fill: &Fill) -> Result<Opened, Untranslatable> {
    let time_ns = record.time_ns().or(fill.time_ns);
    let agent = record.agent().or(fill.agent.as_deref().map(Into::into));
    let (Some(time_ns), Some(agent_id)) = (time_ns, agent.clone()) else {
        let lacks = [
            (time_ns.is_none(), Lack { field: "timeUnixNano", flag: "--time" }),
            (agent.is_none(), Lack { field: "gen_ai.agent.id", flag: "--agent" }),
        ];
        let lacks = lacks.into_iter().filter_map(|(is_missing, lack)| is_missing.then_some(lack));
        let (what, lacks) = (Target::Otlp, Lacks(lacks.collect()));
        return Err(Untranslatable::Incomplete { what, lacks });
    };
    let name = record.name();
    let event_type = event_type(record, &name);
    let session_id = record.session();
    let order = record.count(&["event.sequence"]);
    let identity = order.map(|order| {
        let session = session_id.as_deref().unwrap_or_default();
        let parts = [&agent_id, session, &name].map(str::as_bytes);
        let numbers = [order.to_le_bytes(), time_ns.to_le_bytes()];
        uuid(digest_parts(&[parts[0], parts[1], parts[2], &numbers[0], &numbers[1]]))
    });
    let tool = Tool {
        tool_name: record.text(&["gen_ai.tool.name", "tool_name"]),
        duration_ms: record.count(&["duration_ms"]).and_then(|ms| i64::try_from(ms).ok()),
        ..Tool::default()
    };
    let correlation = Correlation {
        trace_id: record.trace_id(),
        span_id: record.text(&["gen_ai.tool.call.id", "tool_use_id"]).or(record.span_id()),
        ..Correlation::default()
    };
    let metadata = Json::object(|metadata| {
        if let Some(usage) = usage(record) {
            metadata.json("usage", &carried::write_usage(&usage));
        }
        metadata.json(carried::KEY, &added(record, &name, order));
    });
    let event = CollectorEvent {
        version: VERSION.into(),
        event_type: event_type.into(),
        timestamp: time::format_rfc3339(time_ns).into(),
        agent_id,
        event_id: identity.map(Into::into),
        session_id,
        message: Some(record.body().unwrap_or(name)),
        tool: (tool != Tool::default()).then_some(tool),
        correlation: (correlation != Correlation::default()).then_some(correlation),
        metadata: Some(metadata),
        ..CollectorEvent::default()
    };
    let (line, dialect) = (event.to_line(), Dialect::Collector);
    let losses = match record.around {
        Around::Lost if record.has_surroundings() => vec![Loss::Surroundings],
        Around::Lost | Around::Kept => Vec::new(),
    };
    Ok(Opened { line, dialect, origin: Origin::Made, losses })
}

fn added(record: &Record<'_>, name: &str, order: Option<u64>) -> Json<'static> {
    Json::object(|added| {
        added.text("dialect", Target::Otlp.as_str());
        added.text("type", name);
        let facts = Json::object(|facts| {
            order.iter().for_each(|&order| facts.json("order", &Json::integer(order)));
            record.level().iter().for_each(|level| facts.text("level", level.as_str()));
        });
        added.json("facts", &facts);
        added.json("event", &record.request());
    })
}

/// Returns the collector's type for a record of Claude Code; any other record is progress, or an error by its severity.
fn event_type(record: &Record<'_>, name: &str) -> &'static str {
    match name {
        "user_prompt" => "hook.prompt_submit",
        "tool_result" if record.text(&["success"]).as_deref() == Some("false") => {
            "hook.post_tool_use_failure"
        }
        "tool_result" => "hook.post_tool_use",
        "tool_decision" if record.text(&["decision"]).as_deref() == Some("reject") => {
            "hook.permission_denied"
        }
        "api_request" | "assistant_response" => "activity.thinking",
        "api_error" | "api_retries_exhausted" | "internal_error" => "system.error",
        "subagent_completed" => "hook.subagent_stop",
        "compaction" => "hook.post_compact",
        _ if record.level() == Some(Level::Error) => "system.error",
        _ => "activity.progress",
    }
}

/// Reads what was used up, by the names of the GenAI conventions, old and new, and those of Claude Code.
fn usage<'a>(record: &Record<'a>) -> Option<Usage<'a>> {
    let cache_read = ["gen_ai.usage.cache_read.input_tokens", "cache_read_tokens"];
    let cache_write = [
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
        "cache_creation_tokens",
    ];
    let (cache_read, cache_write) = (record.count(&cache_read), record.count(&cache_write));
    let cached = [cache_read, cache_write].into_iter().flatten();
    let all_input = record.count(&["gen_ai.usage.input_tokens"]);
    let usage = Usage {
        input_tokens: match all_input {
            Some(all) => Some(cached.fold(all, u64::saturating_sub)),
            None => record.count(&["input_tokens"]),
        },
        output_tokens: record.count(&["gen_ai.usage.output_tokens", "output_tokens"]),
        cache_read_tokens: cache_read,
        cache_write_tokens: cache_write,
        total_tokens: record.count(&["weft.usage.total_tokens"]),
        cost_usd: record.number(&["cost_usd", "weft.usage.cost_usd"]),
        used: record.number(&["weft.usage.used"]),
        limit: record.number(&["weft.usage.limit"]),
        model: record.text(&["gen_ai.response.model", "gen_ai.request.model", "model"]),
        provider: record.text(&["gen_ai.provider.name", "gen_ai.system"]),
    };
    (usage != Usage::default()).then_some(usage)
}
