//! What attributes say together: what was used up, of which model, what a tool was given, and the type that a record's name gives.

use std::borrow::Cow;

use super::record::Record;
use crate::facts::{Level, Usage};
use crate::json::{Json, Kind, Tape};
use crate::translate::otlp::names::{
    ALL_INPUT, CACHE_READ, CACHE_WRITE, COST_USD, INPUT, LIMIT, MODEL, OUTPUT, PROVIDER, THOUGHT,
    TOOL_INPUT, TOTAL, USED,
};

/// Reads what was used up.
pub(super) fn usage<'a>(record: &Record<'a>) -> Option<Usage<'a>> {
    let (cache_read, cache_write) = (record.count(&CACHE_READ), record.count(&CACHE_WRITE));
    let cached = [cache_read, cache_write].into_iter().flatten();
    let (output, thought) = (record.count(&OUTPUT), record.count(&THOUGHT));
    let (model, provider) = model(record);
    let usage = Usage {
        input_tokens: match record.count(&ALL_INPUT) {
            Some(all) => Some(cached.fold(all, u64::saturating_sub)),
            None => record.count(&INPUT),
        },
        output_tokens: output.map(|output| output.saturating_add(thought.unwrap_or(0))),
        cache_read_tokens: cache_read,
        cache_write_tokens: cache_write,
        total_tokens: record.count(&[TOTAL]),
        cost_usd: record.number(&COST_USD),
        used: record.number(&[USED]),
        limit: record.number(&[LIMIT]),
        model,
        provider,
    };
    (usage != Usage::default()).then_some(usage)
}

/// Reads which model it is, and whose.
pub(super) fn model<'a>(record: &Record<'a>) -> (Option<Cow<'a, str>>, Option<Cow<'a, str>>) {
    (record.text(&MODEL), record.text(&PROVIDER))
}

/// Returns what a tool was given, if that is an object.
pub(super) fn tool_input(record: &Record<'_>) -> Option<Json<'static>> {
    let text = record.text(&TOOL_INPUT)?;
    let mut tape = Tape::new();
    let input = tape.parse(&text).ok()?;
    let is_object = input.kind() == Kind::Object && input.repeated_keys().next().is_none();
    is_object.then(|| Json::of(input).into_owned())
}

/// Returns the collector's type for a record of Claude Code, Codex or Gemini; any other is progress, or an error by its severity.
pub(super) fn event_type(record: &Record<'_>, name: &str) -> &'static str {
    let is = |attribute: &str, words: &[&str]| {
        record.text(&[attribute]).is_some_and(|found| words.iter().any(|word| found == *word))
    };
    match name {
        "codex.conversation_starts" | "gemini_cli.config" => "hook.session_start",
        "user_prompt" | "codex.user_prompt" | "gemini_cli.user_prompt" => "hook.prompt_submit",
        "tool_result" | "codex.tool_result" | "gemini_cli.tool_call" => {
            if is("success", &["false"]) {
                "hook.post_tool_use_failure"
            } else {
                "hook.post_tool_use"
            }
        }
        "tool_decision" | "codex.tool_decision"
            if is("decision", &["reject", "denied", "abort"]) =>
        {
            "hook.permission_denied"
        }
        "api_request"
        | "assistant_response"
        | "codex.api_request"
        | "codex.sse_event"
        | "gemini_cli.api_request"
        | "gemini_cli.api_response"
        | "gen_ai.client.inference.operation.details" => match record.level() {
            Some(Level::Error) => "system.error",
            Some(Level::Debug | Level::Info | Level::Warn) | None => "activity.thinking",
        },
        "api_error" | "api_retries_exhausted" | "internal_error" | "gemini_cli.api_error" => {
            "system.error"
        }
        "gemini_cli.agent.start" => "hook.subagent_start",
        "subagent_completed" | "gemini_cli.agent.finish" => "hook.subagent_stop",
        "compaction" | "gemini_cli.chat_compression" => "hook.post_compact",
        _ if record.level() == Some(Level::Error) => "system.error",
        _ => "activity.progress",
    }
}
