//! Meanings: what an event says, apart from the word that its dialect has for it.
//!
//! Every known type has one meaning, and every meaning has at most one type per dialect that it is written as. So a
//! translation is two look-ups, and a meaning that a dialect has no type for is visible as a gap in the table.

mod sources;

#[cfg(test)]
pub(super) use sources::meaning;

use crate::Dialect;
use crate::event::Event;
use crate::facts::{Facts, Status};

/// Writes the table: meaning, then the types that say it in collector, pinchy, engine, needle and idle.
macro_rules! meanings {
    ($($(#[doc = $about:literal])+ $name:ident: $collector:tt $pinchy:tt $engine:tt $needle:tt $idle:tt;)+) => {
        /// What an event says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Meaning { $($(#[doc = $about])+ $name,)+ }

        impl Meaning {
            /// Every meaning, with its name.
            #[cfg(test)]
            pub(super) const ALL: &'static [(Meaning, &'static str)] =
                &[$((Meaning::$name, stringify!($name)),)+];

            /// Returns what it means, in a few words.
            pub(crate) fn about(self) -> &'static str {
                match self { $(Meaning::$name => concat!($($about,)+).trim_ascii(),)+ }
            }

            /// Returns the type that says it in a dialect.
            pub(crate) fn written_as(self, dialect: Dialect) -> Option<&'static str> {
                let row: [Option<&'static str>; 5] = match self {
                    $(Meaning::$name => [
                        meanings!(@cell $collector),
                        meanings!(@cell $pinchy),
                        meanings!(@cell $engine),
                        meanings!(@cell $needle),
                        meanings!(@cell $idle),
                    ],)+
                };
                match dialect {
                    Dialect::Collector => row[0],
                    Dialect::Pinchy => row[1],
                    Dialect::Engine => row[2],
                    Dialect::Needle => row[3],
                    Dialect::Idle => row[4],
                    Dialect::Weft => None,
                }
            }
        }
    };
    (@cell -) => { None };
    (@cell $name:literal) => { Some($name) };
}

meanings! {
    /// The actor or its session begins.
    Begins: "lifecycle.started" "agent.turn.started" "StateChanged" "worker.started" "STATE";
    /// It finished well.
    Completes: "lifecycle.completed" "agent.turn.completed" "StateChanged" "bead.completed" "DONE";
    /// One of its turns begins.
    BeginsTurn: "lifecycle.started" "agent.turn.started" "StateChanged" "bead.agent_started" -;
    /// One of its turns is over.
    EndsTurn: "hook.stop" "agent.turn.completed" "StateChanged" "bead.agent_completed" -;
    /// It failed.
    Fails: "lifecycle.error" "agent.turn.failed" "Error" "bead.failed" "ABORT";
    /// It was stopped and is gone.
    Stops: "lifecycle.terminated" - "StateChanged" "worker.stopped" "ABORT";
    /// It reasons.
    Thinks: "activity.thinking" - "StateChanged" - -;
    /// It is given a prompt.
    IsPrompted: "hook.prompt_submit" "channel.message.received" "UserMessage" "bead.prompt_built" -;
    /// It answers.
    Replies: "hook.message_display" "agent.response.created" "AgentMessage" - -;
    /// A piece of its answer.
    RepliesInPart: - - "AgentMessageChunk" - -;
    /// It asks a person whether it may do something.
    AsksLeave: "hook.permission_request" - "AgentActionProposed" - -;
    /// It calls a tool.
    CallsTool: "hook.pre_tool_use" "tool.call.requested" "ToolCallStarted" - -;
    /// A piece of a tool's output.
    ToolSays: - - "ToolCallChunk" - -;
    /// A tool has run.
    ToolReturns: "hook.post_tool_use" "tool.call.completed" "ToolCallFinished" - -;
    /// A tool has run and failed.
    ToolFails: "hook.post_tool_use_failure" "tool.call.failed" "ToolCallFinished" - -;
    /// It got further.
    Progresses: "activity.progress" - "TaskUpdated" - "STATE";
    /// It waits.
    Waits: "coordination.waiting" - "StateChanged" "worker.idle" -;
    /// It cannot go on without help.
    IsBlocked: "coordination.blocked" - "StateChanged" - -;
    /// It gives its work to another.
    HandsOver: "coordination.handoff" - - - -;
    /// It notes where it stands before its context shrinks.
    Anchors: "hook.pre_compact" - - - "ANCHOR";
    /// Its plan changed.
    Plans: - - "PlanUpdated" - -;
    /// A piece of work changed: claimed, split, released, done.
    TaskChanges: - - "TaskUpdated" - -;
    /// The work was judged.
    Judges: - - "JudgeResult" - -;
    /// It decided something.
    Decides: "decision.made" - - - -;
    /// It is alive.
    Lives: "system.heartbeat" "heartbeat.tick" - "heartbeat.emitted" -;
    /// Settings changed.
    Configures: "system.config_change" "config.applied" - - -;
    /// Something below the actor failed.
    BreaksBelow: "system.error" - "Error" - -;
    /// Anything else: told in other dialects by its status alone.
    Notes: - - - - -;
}

impl Meaning {
    /// Returns what an event means: by its type, or by its status where the type says it only there or is not known.
    pub(super) fn of(event: &Event<'_>, facts: &Facts<'_>) -> Self {
        let by_type = sources::meaning(event.dialect(), &facts.event_type);
        match by_type {
            Some(Meaning::ToolReturns) if sources::tool_failed(event) => Meaning::ToolFails,
            Some(meaning) => meaning,
            None => Meaning::of_status(facts.status, facts.ended),
        }
    }

    /// Returns whether it is about one call of a tool.
    pub(super) fn is_about_tool(self) -> bool {
        matches!(
            self,
            Meaning::CallsTool | Meaning::ToolSays | Meaning::ToolReturns | Meaning::ToolFails
        )
    }

    /// Returns whether it is about the course of an actor or of one of its turns: that it begins, goes wrong or is over.
    pub(super) fn is_about_course(self) -> bool {
        matches!(
            self,
            Meaning::Begins
                | Meaning::Completes
                | Meaning::BeginsTurn
                | Meaning::EndsTurn
                | Meaning::Fails
                | Meaning::Stops
        )
    }

    fn of_status(status: Option<Status>, ended: bool) -> Self {
        match status {
            Some(Status::Started) => Meaning::Begins,
            Some(Status::Thinking) => Meaning::Thinks,
            Some(Status::ToolUse) => Meaning::CallsTool,
            Some(Status::Progress) => Meaning::Progresses,
            Some(Status::Waiting) => Meaning::Waits,
            Some(Status::Blocked) => Meaning::IsBlocked,
            Some(Status::Completed) => Meaning::Completes,
            Some(Status::Error) => Meaning::Fails,
            None if ended => Meaning::Stops,
            None => Meaning::Notes,
        }
    }
}
