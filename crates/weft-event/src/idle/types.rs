//! The event types of the dialect: the four of its document, then the records, traces and control messages around them.

use crate::taxonomy::{EventType, Taxonomy, event_types};

static TYPES: &[EventType] = event_types! {
    "STATE" Progress: "The stack of a loop as it stands" ["run_id", "stack"] "it is posted with every iteration";
    "DONE" Completed: "A loop ran its course" ["reason"] "the loop finished; with the reason STUCK it is blocked";
    "ABORT" - ends: "A loop was cancelled or went wrong" ["reason", "detail"] "stopped from outside, so it has ended; without a reason it is an error";
    "ANCHOR" Progress: "What is needed to go on after compaction" ["goal", "iteration", "next_step"] "it says how far the work is";
    "topic" -: "A topic was made" ["name", "description"] "about the store, not about an actor";
    "message" -: "A message was posted to a topic" ["topic_id", "sender", "body"] "talk says nothing certain about its sender's state";
    "trace.LOOP_START" Started: "A loop begins" ["run_id", "loop_kind", "max"] "the run starts here";
    "trace.ITERATION" Progress: "A loop goes on with another iteration" ["iteration", "max"] "one iteration further";
    "trace.COMPLETION" Completed: "A marker said that the loop is complete" ["details.reason"] "the same as DONE";
    "trace.MAX_ITERATIONS" Completed: "The iterations are used up" ["iteration", "max"] "the same as DONE with that reason";
    "trace.STALENESS" -: "A state was too old to count" ["details"] "the state was left alone; what the loop does is not known";
    "trace.ABORT" - ends: "A loop was aborted" ["details.reason"] "the same as ABORT";
    "trace.REVIEW_GATE_BLOCKED" Blocked: "A review is missing, so the loop may not complete" ["details"] "it cannot end without the review";
    "trace.REVIEW_ESCALATE" Waiting: "The review is handed to a person" ["details"] "a person has to answer";
    "control.REQUEST" -: "A loop is asked to pause, resume, cancel or escalate" ["command", "reason"] "asking changes nothing yet";
    "control.ACK" -: "A loop has taken a request" ["request_id"] "taking a request changes nothing yet";
    "control.RESULT" -: "What came of a request" ["ok", "code"] "the change itself shows in the loop's next state";
};

/// The event types, those of the document first.
pub static TAXONOMY: Taxonomy = Taxonomy::new(TYPES);
