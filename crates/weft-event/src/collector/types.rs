//! The collector's event types: the 26 of its document, then the hooks that came after it, then what agents record of a session.

use crate::Status;
use crate::taxonomy::{EventType, Taxonomy, event_types};

/// The namespaces of version 1.0.
pub const NAMESPACES: [&str; 6] =
    ["lifecycle", "activity", "coordination", "hook", "decision", "system"];

/// How many of the types stand in the document; the rest extends its hook map by the same rule, and has what files of sessions tell.
pub const LISTED: usize = 26;

/// The types that only the files in which agents record their sessions give.
pub const RECORDED: [&str; 8] = [
    "activity.prompt",
    "activity.message",
    "activity.tool_result",
    "activity.usage",
    "activity.turn_completed",
    "activity.turn_failed",
    "activity.turn_aborted",
    "system.title",
];

static TYPES: &[EventType] = event_types! {
    "lifecycle.started" Started: "The agent begins" ["message"] "the document's table";
    "lifecycle.completed" Completed: "The agent finished well" ["message"] "the document's table";
    "lifecycle.error" Error: "The agent failed for good" ["message"] "the document's table";
    "lifecycle.terminated" - ends: "The agent was stopped from outside" ["message"] "the document gives none; the actor has ended";
    "activity.thinking" Thinking: "It reasons or plans" ["message"] "the document's table";
    "activity.tool_use" ToolUse: "It runs a tool" ["tool"] "the document's table";
    "activity.progress" Progress: "It reached a point worth telling" ["progress", "message"] "the document's table";
    "coordination.waiting" Waiting: "It waits for another agent or a resource" ["metadata.waiting_for", "metadata.expected_status"] "the document's table";
    "coordination.blocked" Blocked: "It cannot go on without help" ["message"] "the document's table";
    "coordination.handoff" -: "It hands its work to another agent" ["metadata"] "the document gives none";
    "hook.session_start" Started: "A session began" ["session_id"] "the document's table";
    "hook.session_end" Completed: "A session is over" ["session_id"] "the document's table";
    "hook.prompt_submit" Thinking: "A person sent a prompt" ["message"] "the document's table";
    "hook.pre_tool_use" ToolUse: "A tool is about to run" ["tool"] "the document's table";
    "hook.post_tool_use" Progress: "A tool has run" ["tool"] "the document's table";
    "hook.permission_request" Waiting: "It asks a person for permission" ["tool"] "the document's table";
    "hook.notification" Progress: "The agent notifies its user" ["message"] "the document's table";
    "hook.stop" Completed: "The main agent ends its turn" ["message"] "the document's table";
    "hook.subagent_stop" Completed: "A subagent is done" ["agent_id"] "the document's table";
    "hook.pre_compact" Progress: "The context is about to be compacted" ["hook"] "the document's table";
    "decision.made" -: "A decision was taken" ["metadata.decision_id", "metadata.chosen", "metadata.rationale"] "the document gives none";
    "decision.rationale" -: "The reasons for a decision" ["metadata.decision_id", "metadata.rationale"] "the document gives none";
    "decision.rejected" -: "An option was turned down" ["metadata.decision_id", "metadata.option", "metadata.reason"] "the document gives none";
    "system.heartbeat" -: "The agent is alive" ["metadata"] "the document gives none";
    "system.config_change" -: "Settings changed" ["metadata"] "the document gives none";
    "system.error" Error: "Something below the agent failed" ["message"] "the document's table";
    "hook.subagent_start" Started: "A subagent began" ["agent_id"] "it begins, as session_start does";
    "hook.user_prompt_expansion" Thinking: "A slash command or prompt was expanded" ["hook"] "part of taking in a prompt";
    "hook.message_display" Thinking: "The agent says something" ["hook"] "the model is at work";
    "hook.post_tool_use_failure" Progress: "A tool ran and failed" ["tool"] "a failed call is the agent's to handle; it goes on";
    "hook.post_tool_batch" Progress: "A batch of parallel tools has run" ["hook"] "the call is over, the turn is not";
    "hook.post_compact" Progress: "The context was compacted" ["hook"] "the other end of pre_compact";
    "hook.task_created" Progress: "The agent noted a task" ["hook"] "a step in the work";
    "hook.task_completed" Progress: "The agent finished a task" ["hook"] "a step in the work; the agent goes on";
    "hook.worktree_create" Progress: "A worktree is made" ["hook"] "a step in the work";
    "hook.worktree_remove" Progress: "A worktree is removed" ["hook"] "a step in the work";
    "hook.config_change" Progress: "A settings file changed" ["hook"] "something happened, nobody waits";
    "hook.cwd_changed" Progress: "The working directory changed" ["hook"] "something happened, nobody waits";
    "hook.file_changed" Progress: "A watched file changed" ["hook"] "something happened, nobody waits";
    "hook.directory_added" Progress: "A directory was added to the session" ["hook"] "something happened, nobody waits";
    "hook.pre_model_switch" Progress: "The model is about to be switched" ["hook"] "something happened, nobody waits";
    "hook.post_model_switch" Progress: "The model was switched" ["hook"] "something happened, nobody waits";
    "hook.instructions_loaded" Progress: "An instruction file entered the context" ["hook"] "something happened, nobody waits";
    "hook.setup" Progress: "The session is being set up" ["hook"] "something happened, nobody waits";
    "hook.elicitation" Waiting: "A tool server asks the user something" ["hook"] "a person has to answer";
    "hook.elicitation_result" Progress: "The user answered a tool server" ["hook"] "the answer came";
    "hook.teammate_idle" Waiting: "A teammate is about to idle" ["hook"] "it waits for work";
    "hook.permission_denied" Blocked: "A tool call was denied" ["tool"] "it cannot do what it wanted without help";
    "hook.stop_failure" Error: "The turn was ended by an API error" ["hook"] "the turn failed";
    "activity.prompt" Thinking: "The agent was given something to do" ["message", "metadata.text"] "as prompt_submit";
    "activity.message" Thinking: "The agent says something" ["message", "metadata.text"] "as message_display";
    "activity.tool_result" Progress: "A tool has run" ["tool", "metadata.is_error"] "as post_tool_use";
    "activity.usage" -: "What an answer of the model used up" ["metadata.usage"] "it says nothing about what the agent does";
    "activity.turn_completed" Completed: "The agent ends its turn" ["message"] "as stop";
    "activity.turn_failed" Error: "The turn was ended by an error" ["message"] "as stop_failure";
    "activity.turn_aborted" Waiting: "A person stopped the turn" ["message"] "it goes on when that person says so";
    "system.title" -: "The session was given a title" ["message"] "it says nothing about what the agent does";
};

/// The event types, those of the document first.
pub static TAXONOMY: Taxonomy = Taxonomy::new(TYPES);

/// Returns the event type that a status word of the old table stands for.
pub fn status_event_type(status: Status) -> &'static str {
    match status {
        Status::Started => "lifecycle.started",
        Status::Thinking => "activity.thinking",
        Status::ToolUse => "activity.tool_use",
        Status::Progress => "activity.progress",
        Status::Waiting => "coordination.waiting",
        Status::Blocked => "coordination.blocked",
        Status::Completed => "lifecycle.completed",
        Status::Error => "lifecycle.error",
    }
}
