//! The names that the dialects give to members of their objects.
//!
//! A key with one of these names is known by its number once it is parsed, see [`Name`](super::name::Name). A name that is asked
//! for and not listed is found too, only slower; those of shapes must be listed, which the build checks.

/// The names, in alphabetical order.
#[rustfmt::skip]
pub(super) const VOCABULARY: [&str; 223] = [
    "action", "actions", "actor_id", "address", "agent_id", "allowNetwork", "applied_by", "args", "artifacts", "at",
    "attachments", "autonomy", "base_ref", "bead", "bead_id", "body", "branch", "budget", "cacheReadTokens",
    "cacheWriteTokens", "cache_read_tokens", "cache_write_tokens", "call_id", "channel_id", "checkpointId", "checks",
    "checksum", "cmd", "code", "command", "commandPolicy", "completion", "component_id", "component_type", "content",
    "context", "correlation", "cost", "costUsd", "cost_usd", "created_at", "criteria", "cwd", "data", "description",
    "detail", "details", "diff", "dirty", "done", "durationMs", "duration_ms", "error", "error_code", "error_message",
    "errors", "event", "event_id", "event_type", "evidence", "exitCode", "facts", "failMatch", "file", "file_path",
    "filter", "from_worker", "git", "goal", "handoff_to", "hardStop", "head", "hook", "hook_type", "id", "idempotency_key",
    "identifier", "input", "inputTokens", "input_tokens", "isolation_key", "issue_id", "iter", "iteration", "job_id",
    "job_name", "kind", "label", "level", "limit", "loop_kind", "max", "maxIterations", "maxToolCalls", "maxWallTimeMs",
    "message", "message_id", "meta", "metadata", "mime_type", "mode", "model", "modified_files", "msg",
    "mtls_cert_fingerprint", "name", "next_step", "notebook_path", "occurred_at", "oid", "ok", "output", "outputTokens",
    "output_tokens", "pairing_id", "parent_bead_id", "parent_id", "parent_span_id", "patch", "path", "pathPolicy", "paths",
    "pattern", "payload", "peer_id", "plan", "platform", "policy_tags", "prefix", "program", "progress", "prompt_file",
    "prompt_id", "provider", "question", "raw", "raw_payload", "reason", "reasons", "remote_component_id",
    "remote_component_type", "remote_public_key_ed25519", "remote_public_key_x25519", "remote_uri", "reply_to_message_id",
    "request_id", "response_id", "result", "retryable", "revision_id", "riskPolicy", "role", "root_agent_id", "routing",
    "runId", "run_id", "runner", "scheduled_for", "schema", "schema_valid", "schema_version", "semantic_valid", "sender",
    "seq", "sequence", "session", "session_id", "smoke_test_passed", "source", "source_channel_id", "source_platform",
    "span_id", "stack", "state", "status", "stepId", "steps", "successMatch", "summary", "target", "target_override",
    "task", "taskId", "task_id", "tenant_id", "text", "thread_id", "timeout_ms", "timestamp", "title", "to", "to_agent",
    "tokens", "tool", "toolCallId", "toolCalls", "tool_input", "tool_name", "tool_result", "tool_use_id", "topic_id",
    "total", "totalTokens", "total_tokens", "trace_id", "transport", "triggered_at", "ts", "type", "updated_at", "url",
    "usage", "used", "validation", "version", "waiting_for", "weft", "weft_seal", "worker", "worker_id", "workers",
    "workspace", "worktree_path",
];
