//! The gateway's 17 event types.

use crate::shape::text_enum;
use crate::taxonomy::{Taxonomy, event_types};

text_enum! {
    /// What an event reports.
    pub enum EventType {
        /// A message came in.
        MessageReceived = "channel.message.received",
        /// A message was changed.
        MessageEdited = "channel.message.edited",
        /// A message was taken back.
        MessageDeleted = "channel.message.deleted",
        /// A job is due.
        CronTriggered = "cron.triggered",
        /// A component is alive.
        HeartbeatTick = "heartbeat.tick",
        /// The agent begins a turn.
        TurnStarted = "agent.turn.started",
        /// The agent ended a turn well.
        TurnCompleted = "agent.turn.completed",
        /// A turn failed.
        TurnFailed = "agent.turn.failed",
        /// The agent has an answer.
        ResponseCreated = "agent.response.created",
        /// The agent wants a tool run.
        ToolRequested = "tool.call.requested",
        /// A tool ran well.
        ToolCompleted = "tool.call.completed",
        /// A tool failed.
        ToolFailed = "tool.call.failed",
        /// Two components begin to pair.
        PairingStarted = "pairing.started",
        /// Two components are paired.
        PairingCompleted = "pairing.completed",
        /// Two components could not be paired.
        PairingFailed = "pairing.failed",
        /// A configuration is in force.
        ConfigApplied = "config.applied",
        /// A configuration was taken back.
        ConfigReverted = "config.reverted",
    }
}

/// Returns whether events of this type move a session's turns along, so that the gateway keeps them in order per session.
///
/// Those are what an agent answers to: messages, with their edits and deletions, which must not overtake the message, and jobs.
/// The rest tells of a turn that runs already, or of the gateway itself.
pub fn is_turn_driving(event_type: EventType) -> bool {
    match event_type {
        EventType::MessageReceived
        | EventType::MessageEdited
        | EventType::MessageDeleted
        | EventType::CronTriggered => true,
        EventType::HeartbeatTick
        | EventType::TurnStarted
        | EventType::TurnCompleted
        | EventType::TurnFailed
        | EventType::ResponseCreated
        | EventType::ToolRequested
        | EventType::ToolCompleted
        | EventType::ToolFailed
        | EventType::PairingStarted
        | EventType::PairingCompleted
        | EventType::PairingFailed
        | EventType::ConfigApplied
        | EventType::ConfigReverted => false,
    }
}

static TYPES: &[crate::taxonomy::EventType] = event_types! {
    "channel.message.received" Thinking: "A message came in for the agent" ["payload.text", "payload.attachments", "source.channel_id"] "a turn of the agent follows, as after a prompt";
    "channel.message.edited" -: "A message was changed by its author" ["payload", "source.message_id"] "the conversation changes, what the agent does need not";
    "channel.message.deleted" -: "A message was taken back by its author" ["payload", "source.message_id"] "the conversation changes, what the agent does need not";
    "cron.triggered" Started: "A job of the agent is due" ["payload.job_id", "payload.reason", "payload.scheduled_for"] "the agent begins the job";
    "heartbeat.tick" -: "A component is alive" ["source.component_id"] "a sign of life, not a change";
    "agent.turn.started" Thinking: "The agent begins a turn" ["routing.agent_id", "routing.session_id"] "the model is at work";
    "agent.turn.completed" Completed: "The agent ended a turn well" ["routing.agent_id", "routing.session_id"] "the turn is over and was not cut short";
    "agent.turn.failed" Error: "A turn of the agent failed" ["payload"] "the turn is over without its result";
    "agent.response.created" Progress: "The agent has an answer" ["payload.content", "payload.actions", "payload.usage"] "an answer is there, the turn is not over";
    "tool.call.requested" ToolUse: "The agent wants a tool run" ["payload.tool_name", "payload.args"] "the agent waits for its own tool";
    "tool.call.completed" Progress: "A tool ran well" ["payload.tool_name", "payload.result", "payload.duration_ms"] "the call is over, the turn is not";
    "tool.call.failed" Progress: "A tool failed or took too long" ["payload.tool_name", "payload.status", "payload.error"] "a failed call is the agent's to handle; it goes on";
    "pairing.started" Waiting: "A component begins to pair with a remote one" ["payload.pairing_id", "payload.remote_uri"] "the remote component has to answer";
    "pairing.completed" Progress: "A component is paired with a remote one" ["payload.pairing_id", "payload.remote_component_id"] "the answer came; the component works on";
    "pairing.failed" Error: "A component could not be paired" ["payload.error_code", "payload.error_message"] "the pairing is over without its result";
    "config.applied" -: "A configuration is in force" ["payload.revision_id", "payload.applied_by"] "settings changed, nobody's doing did";
    "config.reverted" -: "A configuration was taken back" ["payload"] "settings changed, nobody's doing did";
};

/// The event types, in the order of the document.
pub static TAXONOMY: Taxonomy = Taxonomy::of_words(TYPES, EventType::WORDS);
