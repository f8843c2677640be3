//! The meaning of every known type, dialect by dialect.

use super::Meaning::{self, *};
use crate::Dialect;
use crate::event::Event;

/// Returns the meaning of a type; `None` where its status says it, or where the type is not known.
pub(in crate::translate) fn meaning(dialect: Dialect, event_type: &str) -> Option<Meaning> {
    match dialect {
        Dialect::Idle => idle(event_type),
        Dialect::Collector => collector(event_type),
        Dialect::Pinchy => pinchy(event_type),
        Dialect::Engine => engine(event_type),
        Dialect::Needle => needle(event_type),
        Dialect::Weft => Some(Notes),
    }
}

/// Returns whether an event that says that a tool has run also says that it failed.
pub(super) fn tool_failed(event: &Event<'_>) -> bool {
    let Some(payload) = event.value().get("payload") else { return false };
    let results = [Some(payload), payload.get("observation"), payload.get("result")];
    results
        .iter()
        .flatten()
        .any(|result| result.get("ok").and_then(|ok| ok.as_bool()) == Some(false))
}

fn idle(event_type: &str) -> Option<Meaning> {
    Some(match event_type {
        "trace.LOOP_START" => Begins,
        "STATE" | "trace.ITERATION" => Progresses,
        "ANCHOR" => Anchors,
        "trace.COMPLETION" | "trace.MAX_ITERATIONS" => Completes,
        "trace.ABORT" => Stops,
        "trace.REVIEW_GATE_BLOCKED" => IsBlocked,
        "trace.REVIEW_ESCALATE" => Waits,
        "topic" | "message" | "trace.STALENESS" => Notes,
        "control.REQUEST" | "control.ACK" | "control.RESULT" => Notes,
        _ => return None,
    })
}

fn collector(event_type: &str) -> Option<Meaning> {
    Some(match event_type {
        "lifecycle.started" | "hook.session_start" | "hook.subagent_start" => Begins,
        "lifecycle.completed" | "hook.session_end" => Completes,
        "hook.stop" | "hook.subagent_stop" | "activity.turn_completed" => EndsTurn,
        "lifecycle.error" | "hook.stop_failure" | "activity.turn_failed" => Fails,
        "lifecycle.terminated" => Stops,
        "activity.thinking" => Thinks,
        "hook.prompt_submit" | "activity.prompt" => IsPrompted,
        "hook.message_display" | "activity.message" => Replies,
        "hook.permission_request" | "hook.elicitation" => AsksLeave,
        "activity.tool_use" | "hook.pre_tool_use" => CallsTool,
        "hook.post_tool_use" | "activity.tool_result" => ToolReturns,
        "hook.post_tool_use_failure" => ToolFails,
        "activity.progress" => Progresses,
        "coordination.waiting" | "hook.teammate_idle" | "activity.turn_aborted" => Waits,
        "coordination.blocked" | "hook.permission_denied" => IsBlocked,
        "coordination.handoff" => HandsOver,
        "hook.pre_compact" => Anchors,
        "hook.task_created" | "hook.task_completed" => TaskChanges,
        "decision.made" | "decision.rationale" | "decision.rejected" => Decides,
        "system.heartbeat" => Lives,
        "system.config_change" | "hook.config_change" => Configures,
        "system.error" => BreaksBelow,
        "hook.notification"
        | "hook.user_prompt_expansion"
        | "hook.post_tool_batch"
        | "hook.post_compact"
        | "hook.worktree_create"
        | "hook.worktree_remove"
        | "hook.cwd_changed"
        | "hook.file_changed"
        | "hook.directory_added"
        | "hook.pre_model_switch"
        | "hook.post_model_switch"
        | "hook.instructions_loaded"
        | "hook.setup"
        | "hook.elicitation_result"
        | "activity.usage"
        | "system.title" => Notes,
        _ => return None,
    })
}

fn pinchy(event_type: &str) -> Option<Meaning> {
    Some(match event_type {
        "agent.turn.started" => BeginsTurn,
        "agent.turn.completed" => EndsTurn,
        "agent.turn.failed" => Fails,
        "channel.message.received" => IsPrompted,
        "agent.response.created" => Replies,
        "tool.call.requested" => CallsTool,
        "tool.call.completed" => ToolReturns,
        "tool.call.failed" => ToolFails,
        "heartbeat.tick" => Lives,
        "config.applied" | "config.reverted" => Configures,
        "channel.message.edited"
        | "channel.message.deleted"
        | "cron.triggered"
        | "pairing.started"
        | "pairing.completed"
        | "pairing.failed" => Notes,
        _ => return None,
    })
}

fn engine(event_type: &str) -> Option<Meaning> {
    Some(match event_type {
        "UserMessage" => IsPrompted,
        "AgentMessage" | "AgentMessageDone" => Replies,
        "AgentMessageChunk" => RepliesInPart,
        "AgentActionProposed" => AsksLeave,
        "ToolCallStarted" => CallsTool,
        "ToolCallChunk" => ToolSays,
        "ToolCallFinished" => ToolReturns,
        "PlanUpdated" => Plans,
        "TaskUpdated" => TaskChanges,
        "JudgeResult" => Judges,
        "Error" => Fails,
        "Observation" => Notes,
        _ => return None,
    })
}

fn needle(event_type: &str) -> Option<Meaning> {
    Some(match event_type {
        "worker.started" | "worker.booting" => Begins,
        "bead.completed" => Completes,
        "bead.agent_started" | "agent.dispatched" => BeginsTurn,
        "bead.agent_completed" | "agent.completed" => EndsTurn,
        "bead.failed" | "error.agent_crash" | "worker.errored" => Fails,
        "worker.stopped" => Stops,
        "worker.idle" => Waits,
        "bead.prompt_built" => IsPrompted,
        "hook.started" => CallsTool,
        "hook.completed" => ToolReturns,
        "hook.failed" => ToolFails,
        "heartbeat.emitted" => Lives,
        "error.claim_failed" | "error.timeout" | "error.release_failed" => BreaksBelow,
        "bead.claimed"
        | "bead.released"
        | "bead.claim_retry"
        | "bead.claim_exhausted"
        | "bead.claim.attempted"
        | "bead.claim.succeeded"
        | "bead.claim.race_lost"
        | "outcome.classified"
        | "outcome.handled"
        | "bead.mitosis.child_created"
        | "bead.mitosis.complete"
        | "unravel.alternative_created"
        | "weave.bead_created"
        | "pulse.bead_created"
        | "mend.orphan_released" => TaskChanges,
        known if Dialect::Needle.taxonomy().get(known).is_some() => Notes,
        _ => return None,
    })
}
