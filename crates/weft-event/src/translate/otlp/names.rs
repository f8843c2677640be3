//! The names of attributes, for reading and for writing.
//!
//! The names of the GenAI conventions change, and exporters in the field mix old and new: this table is the one place that knows
//! them. Every name of a list is read; the first is the newest, and the one that is written unless a list says otherwise.

use crate::needle::{OTLP_SESSION_ID as NEEDLE_SESSION, OTLP_WORKER_ID as NEEDLE_WORKER};

/// The agent that a record is about.
pub(super) const AGENT: [&str; 4] =
    ["gen_ai.agent.id", "agent_id", "gen_ai.agent.name", NEEDLE_WORKER];
/// What the names of everything about an agent begin with.
pub(super) const AGENT_PREFIX: &str = "gen_ai.agent.";
/// The agent that started the one that a record is about.
pub(super) const PARENT_AGENT: &str = "parent_agent_id";
/// The session. The first two are written, for whoever knows only one of them.
pub(super) const SESSION: [&str; 4] =
    ["session.id", "gen_ai.conversation.id", "conversation.id", NEEDLE_SESSION];
/// The prompt that everything up to the next belongs to.
pub(super) const PROMPT: &str = "prompt.id";

/// What the GenAI conventions call the kind of work.
pub(super) const OPERATION: &str = "gen_ai.operation.name";
/// Kind of work: a tool is run.
pub(super) const EXECUTE_TOOL: &str = "execute_tool";
/// Kind of work: an agent is made.
pub(super) const CREATE_AGENT: &str = "create_agent";
/// Kind of work: an agent is at work.
pub(super) const INVOKE_AGENT: &str = "invoke_agent";
/// Kind of work: a model is asked.
pub(super) const CHAT: &str = "chat";
/// The kind of an error.
pub(super) const ERROR_TYPE: &str = "error.type";

/// The id of a tool call, by which reports of the same call from elsewhere are joined.
pub(super) const TOOL_CALL: [&str; 3] = ["gen_ai.tool.call.id", "tool_use_id", "call_id"];
/// The name of a tool.
pub(super) const TOOL_NAME: [&str; 3] = ["gen_ai.tool.name", "tool_name", "function_name"];
/// What a tool was given, as the text of a JSON object.
pub(super) const TOOL_INPUT: [&str; 5] =
    ["gen_ai.tool.call.arguments", "tool_input", "tool_parameters", "arguments", "function_args"];

/// Tokens read, with those from and for a cache.
pub(super) const ALL_INPUT: [&str; 3] =
    ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "input_token_count"];
/// Tokens read, without those from and for a cache.
pub(super) const INPUT: [&str; 1] = ["input_tokens"];
/// Tokens written.
pub(super) const OUTPUT: [&str; 4] = [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "output_tokens",
    "output_token_count",
];
/// Tokens written while thinking where they are not among those written.
pub(super) const THOUGHT: [&str; 1] = ["thoughts_token_count"];
/// Tokens read from a cache.
pub(super) const CACHE_READ: [&str; 5] = [
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "cache_read_tokens",
    "cached_token_count",
    "cached_content_token_count",
];
/// Tokens written to a cache.
pub(super) const CACHE_WRITE: [&str; 5] = [
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "cache_creation_tokens",
    "cache_write_token_count",
];
/// The model that is asked for, as it is written.
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
/// The model. One that answered is nearer to the truth than one that was asked for.
pub(super) const MODEL: [&str; 3] = ["gen_ai.response.model", REQUEST_MODEL, "model"];
/// Whose model it is.
pub(super) const PROVIDER: [&str; 2] = ["gen_ai.provider.name", "gen_ai.system"];
/// All tokens, where only the sum is known.
pub(super) const TOTAL: &str = "weft.usage.total_tokens";
/// What it cost, in US dollars.
pub(super) const COST_USD: [&str; 2] = ["weft.usage.cost_usd", "cost_usd"];
/// How much of a budget is used.
pub(super) const USED: &str = "weft.usage.used";
/// How much the budget allows.
pub(super) const LIMIT: &str = "weft.usage.limit";
