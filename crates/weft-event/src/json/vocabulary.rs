//! The names that the dialects give to members of their objects.
//!
//! A key with one of these names is known by its number once it is parsed, see [`Name`](super::name::Name). A name that is asked
//! for and not listed is found too, only slower; those of shapes must be listed, which the build checks.

/// The names: first those that tell dialects apart, so that one word of a set holds them, then the others; both in alphabetical order.
#[rustfmt::skip]
pub(super) const VOCABULARY: [&str; 223] = [
    "agent_id", "bead_id", "body", "correlation", "created_at", "goal", "hook", "idempotency_key", "iteration", "level",
    "loop_kind", "message", "meta", "metadata", "modified_files", "msg", "next_step", "occurred_at", "request_id",
    "routing", "runId", "run_id", "schema", "schema_version", "seq", "sequence", "source", "stack", "status",
    "tenant_id", "tool", "topic_id", "updated_at", "version", "weft", "worker", "worker_id", "workspace",

    "action", "actions", "actor_id", "address", "allowNetwork", "applied_by", "args", "artifacts", "at", "attachments",
    "autonomy", "base_ref", "bead", "branch", "budget", "cacheReadTokens", "cacheWriteTokens", "cache_read_tokens",
    "cache_write_tokens", "call_id", "channel_id", "checkpointId", "checks", "checksum", "cmd", "code", "command",
    "commandPolicy", "completion", "component_id", "component_type", "content", "context", "cost", "costUsd",
    "cost_usd", "criteria", "cwd", "data", "description", "detail", "details", "diff", "dirty", "done", "durationMs",
    "duration_ms", "error", "error_code", "error_message", "errors", "event", "event_id", "event_type", "evidence",
    "exitCode", "facts", "failMatch", "file", "file_path", "filter", "from_worker", "git", "handoff_to", "hardStop",
    "head", "hook_type", "id", "identifier", "input", "inputTokens", "input_tokens", "isolation_key", "issue_id",
    "iter", "job_id", "job_name", "kind", "label", "limit", "max", "maxIterations", "maxToolCalls", "maxWallTimeMs",
    "message_id", "mime_type", "mode", "model", "mtls_cert_fingerprint", "name", "notebook_path", "oid", "ok", "output",
    "outputTokens", "output_tokens", "pairing_id", "parent_bead_id", "parent_id", "parent_span_id", "patch", "path",
    "pathPolicy", "paths", "pattern", "payload", "peer_id", "plan", "platform", "policy_tags", "prefix", "program",
    "progress", "prompt_file", "prompt_id", "provider", "question", "raw", "raw_payload", "reason", "reasons",
    "remote_component_id", "remote_component_type", "remote_public_key_ed25519", "remote_public_key_x25519",
    "remote_uri", "reply_to_message_id", "response_id", "result", "retryable", "revision_id", "riskPolicy", "role",
    "root_agent_id", "runner", "scheduled_for", "schema_valid", "semantic_valid", "sender", "session", "session_id",
    "smoke_test_passed", "source_channel_id", "source_platform", "span_id", "state", "stepId", "steps", "successMatch",
    "summary", "target", "target_override", "task", "taskId", "task_id", "text", "thread_id", "timeout_ms", "timestamp",
    "title", "to", "to_agent", "tokens", "toolCallId", "toolCalls", "tool_input", "tool_name", "tool_result",
    "tool_use_id", "total", "totalTokens", "total_tokens", "trace_id", "transport", "triggered_at", "ts", "type", "url",
    "usage", "used", "validation", "waiting_for", "weft_seal", "workers", "worktree_path",
];
