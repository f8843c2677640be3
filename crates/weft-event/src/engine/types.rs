//! The words of a run: its event types, its states, and why they change.

use crate::Status;
use crate::shape::text_enum;
use crate::taxonomy::{Taxonomy, event_types};

text_enum! {
    /// What an event reports; the document recommends these, others are kept.
    pub enum EventType {
        /// The run went from one state to another.
        StateChanged = "StateChanged",
        /// A person said something.
        UserMessage = "UserMessage",
        /// The agent said something.
        AgentMessage = "AgentMessage",
        /// The agent said a part of something.
        AgentMessageChunk = "AgentMessageChunk",
        /// The agent said all of it.
        AgentMessageDone = "AgentMessageDone",
        /// The agent wants something done.
        AgentActionProposed = "AgentActionProposed",
        /// A tool began.
        ToolCallStarted = "ToolCallStarted",
        /// A tool gave a part of its output.
        ToolCallChunk = "ToolCallChunk",
        /// A tool ended.
        ToolCallFinished = "ToolCallFinished",
        /// The agent was told what came of an action.
        Observation = "Observation",
        /// The plan changed.
        PlanUpdated = "PlanUpdated",
        /// The task changed.
        TaskUpdated = "TaskUpdated",
        /// The judge gave a verdict.
        JudgeResult = "JudgeResult",
        /// Something failed.
        Error = "Error",
    }
}

text_enum! {
    /// The states of a run.
    pub enum RunState {
        /// Not begun.
        Idle = "IDLE",
        /// At work.
        Running = "RUNNING",
        /// Held by a person.
        Paused = "PAUSED",
        /// It waits for a person.
        AwaitingUser = "AWAITING_USER",
        /// It failed.
        Error = "ERROR",
        /// It is over.
        Finished = "FINISHED",
    }
}

impl RunState {
    /// Returns the status that the state gives the run; `None` leaves it as it was.
    pub fn status(self) -> Option<Status> {
        match self {
            RunState::Idle => None,
            RunState::Running => Some(Status::Progress),
            RunState::Paused | RunState::AwaitingUser => Some(Status::Waiting),
            RunState::Error => Some(Status::Error),
            RunState::Finished => Some(Status::Completed),
        }
    }
}

text_enum! {
    /// Why a run's state changed.
    pub enum StateReason {
        /// It was started.
        Start = "start",
        /// A person held it.
        Pause = "pause",
        /// A person let it go on.
        Resume = "resume",
        /// It was stopped.
        Stop = "stop",
        /// It goes on after a stop for a person.
        Continue = "continue",
        /// A person answered.
        UserInput = "user_input",
        /// A person stopped it.
        UserStop = "user_stop",
        /// A limit was reached.
        StepBudget = "step_budget",
        /// A step is done.
        StepComplete = "step_complete",
        /// It needs a person.
        AwaitingUser = "awaiting_user",
        /// The agent failed.
        AgentError = "agent_error",
        /// The engine failed.
        RuntimeError = "runtime_error",
        /// The judge passed it.
        JudgePass = "judge_pass",
        /// The judge failed it.
        JudgeFail = "judge_fail",
        /// It is over.
        Finished = "finished",
        /// The plan changed.
        PlanUpdate = "plan_update",
        /// A step of the plan changed.
        PlanStatus = "plan_status",
    }
}

static TYPES: &[crate::taxonomy::EventType] = event_types! {
    "StateChanged" -: "The run went from one state to another" ["payload.to", "payload.reason"] "the new state says: RUNNING progress, PAUSED and AWAITING_USER waiting, ERROR error, FINISHED completed, IDLE none";
    "UserMessage" Thinking: "A person said something to the run" ["payload.text"] "the agent takes it in, as a prompt";
    "AgentMessage" Thinking: "The agent said something" ["payload.text"] "the model is at work";
    "AgentMessageChunk" Thinking: "The agent said a part of something" ["payload.text"] "the model is at work";
    "AgentMessageDone" Progress: "The agent said all it had to say" ["payload.text", "payload.usage"] "the message is whole, the run goes on";
    "AgentActionProposed" Thinking: "The agent wants something done" ["payload.action"] "nothing runs yet; if a person has to confirm, the state changes";
    "ToolCallStarted" ToolUse: "A tool began" ["payload.type", "payload.id"] "a tool runs";
    "ToolCallChunk" ToolUse: "A tool gave a part of its output" ["payload.toolCallId"] "the tool still runs";
    "ToolCallFinished" Progress: "A tool ended" ["payload.toolCallId", "payload.durationMs"] "the call is over, well or not; the run goes on";
    "Observation" Progress: "The agent was told what came of an action" ["payload.ok", "payload.summary"] "a result is there, good or bad; the run goes on";
    "PlanUpdated" Progress: "The plan changed" ["payload.goal", "payload.steps"] "a step in the work";
    "TaskUpdated" Progress: "The task changed" ["payload.taskId"] "a step in the work";
    "JudgeResult" Progress: "The judge gave a verdict" ["payload.status", "payload.reasons"] "a verdict alone ends nothing; the state that follows does";
    "Error" Error: "Something failed" ["payload.message"] "the run says so itself";
};

/// The recommended event types, in the order of the document.
pub static TAXONOMY: Taxonomy = Taxonomy::of_words(TYPES, EventType::WORDS);
