//! The names that log records and spans go by: what attributes are called, old and new, and which type an event's name gives.
//!
//! The names of the GenAI conventions change; this file is the one place that knows them.

use std::borrow::Cow;

use super::record::Record;
use crate::facts::{Level, Usage};
use crate::json::{Json, Kind, Tape};

/// The id of a tool call, by which reports of the same call from elsewhere are joined.
pub(super) const TOOL_CALL: [&str; 3] = ["gen_ai.tool.call.id", "tool_use_id", "call_id"];
/// The name of a tool.
pub(super) const TOOL_NAME: [&str; 3] = ["gen_ai.tool.name", "tool_name", "function_name"];
/// What a tool was given, as the text of a JSON object.
const TOOL_INPUT: [&str; 5] =
    ["gen_ai.tool.call.arguments", "tool_input", "tool_parameters", "arguments", "function_args"];
/// What the GenAI conventions call the kind of work.
pub(super) const OPERATION: &str = "gen_ai.operation.name";
/// The prompt that everything up to the next belongs to.
pub(super) const PROMPT: &str = "prompt.id";
/// The agent that started the one that a record is about.
pub(super) const PARENT_AGENT: &str = "parent_agent_id";

/// Tokens read, with those from and for a cache.
const ALL_INPUT: [&str; 3] =
    ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "input_token_count"];
/// Tokens read, without those from and for a cache.
const INPUT: [&str; 1] = ["input_tokens"];
const OUTPUT: [&str; 4] = [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "output_tokens",
    "output_token_count",
];
/// Tokens written while thinking where they are not among those written.
const THOUGHT: [&str; 1] = ["thoughts_token_count"];
const CACHE_READ: [&str; 5] = [
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "cache_read_tokens",
    "cached_token_count",
    "cached_content_token_count",
];
const CACHE_WRITE: [&str; 5] = [
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "cache_creation_tokens",
    "cache_write_token_count",
];
const MODEL: [&str; 3] = ["gen_ai.response.model", "gen_ai.request.model", "model"];
const PROVIDER: [&str; 2] = ["gen_ai.provider.name", "gen_ai.system"];

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
        total_tokens: record.count(&["weft.usage.total_tokens"]),
        cost_usd: record.number(&["cost_usd", "weft.usage.cost_usd"]),
        used: record.number(&["weft.usage.used"]),
        limit: record.number(&["weft.usage.limit"]),
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
