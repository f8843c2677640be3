//! Spans: those that name an agent, a tool or a model become events at their end.

use super::made::{self, Made};
use super::read;
use super::record::{Record, nanos};
use super::{NEEDLE_BEAD, Taken};
use crate::collector::{Correlation, Tool};
use crate::identity::digest_parts;
use crate::json::{Json, Value};
use crate::translate::otlp::names::{
    AGENT_PREFIX, CHAT, CREATE_AGENT, EXECUTE_TOOL, INVOKE_AGENT, OPERATION, TOOL_CALL, TOOL_NAME,
};
use crate::translate::source::uuid;
use crate::translate::{Fill, Untranslatable};

/// What the names of Claude Code's spans begin with.
const CLAUDE_CODE: &str = "claude_code.";
/// The word of a status that says that something failed, as a number.
const STATUS_ERROR: u64 = 2;

const UNRELATED: Untranslatable =
    Untranslatable::Unwanted("it names no agent, no tool and no model");

/// Makes an event of a span.
pub(super) fn take(record: &Record<'_>, fill: &Fill, each: &mut dyn FnMut(Taken<'_>)) {
    let name = record.value.text_at("name").unwrap_or_default();
    let ended = nanos(record.value, "endTimeUnixNano");
    let time_ns = ended.or_else(|| nanos(record.value, "startTimeUnixNano"));
    let is_wanted = name.starts_with(CLAUDE_CODE)
        || record.attributes().iter().any(|(key, _)| is_about_agents(key));
    let outcome = match is_wanted {
        true => made::known(record, (time_ns, "endTimeUnixNano"), fill).map(|known| {
            let has_failed = status(record.value) == Some(STATUS_ERROR);
            let (trace_id, span_id) = (record.trace_id(), record.span_id());
            let id = trace_id.as_ref().zip(span_id.as_ref()).map(|(trace, span)| {
                uuid(digest_parts(&[b"otlp span", trace.as_bytes(), span.as_bytes()]))
            });
            let call = record.text(&TOOL_CALL);
            // A tool call goes by its own id, as it does wherever else it is reported.
            let own = span_id.as_ref().filter(|_| call.is_some());
            let mut metadata = Vec::new();
            metadata.extend(own.map(|own| ("otlp_span_id", Json::text(own))));
            let bead = record.text(&[NEEDLE_BEAD]);
            metadata.extend(bead.map(|bead| ("bead_id", Json::text(&bead))));
            let made = Made {
                known,
                event_type: event_type(record, &name, has_failed),
                name: name.clone(),
                id,
                message: name.clone(),
                tool: tool(record),
                correlation: Correlation {
                    trace_id,
                    span_id: call.or(span_id),
                    parent_span_id: record.parent_span_id(),
                    ..Correlation::default()
                },
                usage: read::usage(record),
                usage_from: "span",
                metadata,
                facts: Vec::new(),
                request: &|out| record.write_request(out),
            };
            made::write(record, made)
        }),
        false => Err(UNRELATED),
    };
    each(Taken { outcome, is_timed: time_ns.is_some(), alone: &|out| record.write_request(out) });
}

/// Returns whether an attribute of this name says that a span is about an agent, a tool or a model.
fn is_about_agents(key: &str) -> bool {
    key == OPERATION
        || TOOL_NAME[..2].contains(&key)
        || key.starts_with(AGENT_PREFIX)
        || (key.starts_with("gen_ai.") && key.ends_with(".model"))
        || key.starts_with("needle.")
}

fn status(span: Value<'_>) -> Option<u64> {
    span.get("status")?.get("code")?.as_u64()
}

fn tool<'a>(record: &Record<'a>) -> Tool<'a> {
    let times = ["startTimeUnixNano", "endTimeUnixNano"].map(|name| nanos(record.value, name));
    let took_ns = match times {
        [Some(start), Some(end)] => end.checked_sub(start).filter(|ns| *ns >= 0),
        [_, _] => None,
    };
    Tool {
        tool_name: record.text(&TOOL_NAME),
        tool_input: read::tool_input(record),
        duration_ms: took_ns.map(|ns| ns / 1_000_000),
        ..Tool::default()
    }
}

/// Returns the collector's type for a span that has ended.
fn event_type(record: &Record<'_>, name: &str, has_failed: bool) -> &'static str {
    let operation = record.text(&[OPERATION]);
    let is_agent = matches!(operation.as_deref(), Some(INVOKE_AGENT | CREATE_AGENT));
    match (operation.as_deref(), name.strip_prefix(CLAUDE_CODE)) {
        _ if has_failed && is_agent => "lifecycle.error",
        _ if has_failed => "system.error",
        (Some(EXECUTE_TOOL), _) | (None, Some("tool")) => "hook.post_tool_use",
        (Some(CREATE_AGENT), _) => "lifecycle.started",
        (Some(INVOKE_AGENT), _) => "lifecycle.completed",
        (Some(CHAT | "generate_content" | "text_completion" | "plan"), _)
        | (None, Some("llm_request")) => "activity.thinking",
        (Some(_), _) => "activity.progress",
        (None, Some("interaction")) => "hook.stop",
        (None, Some("subagent.spawn")) => "hook.subagent_start",
        (None, Some("compaction")) => "hook.post_compact",
        (None, Some(_)) => "activity.progress",
        (None, None) if record.text(&TOOL_NAME).is_some() => "hook.post_tool_use",
        (None, None) if read::model(record).0.is_some() => "activity.thinking",
        (None, None) => "activity.progress",
    }
}
