//! `loop:trace`: what the Stop hook of a loop did, step by step.

use std::borrow::Cow;

use crate::json::Json;
use crate::problem::Code;
use crate::shape::{Check, Rule, record, text_enum};

text_enum! {
    /// The mode of a traced loop.
    pub enum LoopKind {
        /// One task, again and again.
        Loop = "loop",
        /// One issue after the other.
        Grind = "grind",
        /// One issue.
        Issue = "issue",
        /// The producer had not read it yet; seen where a state was too old to look at.
        Unknown = "",
    }
}

text_enum! {
    /// What is traced.
    pub enum TraceEvent {
        /// The loop begins.
        LoopStart = "LOOP_START",
        /// It goes on with another iteration.
        Iteration = "ITERATION",
        /// A marker said that it is complete.
        Completion = "COMPLETION",
        /// Its iterations are used up.
        MaxIterations = "MAX_ITERATIONS",
        /// Its state was too old to count.
        Staleness = "STALENESS",
        /// It was aborted.
        Abort = "ABORT",
        /// A review is missing, so it may not complete.
        ReviewGateBlocked = "REVIEW_GATE_BLOCKED",
        /// The review is handed to a person.
        ReviewEscalate = "REVIEW_ESCALATE",
    }
}

impl TraceEvent {
    /// Returns the name of the event type.
    pub const fn event_type(self) -> &'static str {
        match self {
            TraceEvent::LoopStart => "trace.LOOP_START",
            TraceEvent::Iteration => "trace.ITERATION",
            TraceEvent::Completion => "trace.COMPLETION",
            TraceEvent::MaxIterations => "trace.MAX_ITERATIONS",
            TraceEvent::Staleness => "trace.STALENESS",
            TraceEvent::Abort => "trace.ABORT",
            TraceEvent::ReviewGateBlocked => "trace.REVIEW_GATE_BLOCKED",
            TraceEvent::ReviewEscalate => "trace.REVIEW_ESCALATE",
        }
    }
}

record! {
    /// One step of a loop's hook.
    pub struct Trace = TRACE("Trace", Allowed) {
        /// Id of this very step.
        event_id: ! Cow<'a, str> = Check::TEXT;
        /// When it happened.
        ts: ! Cow<'a, str> = Check::TIME;
        /// Id of the run.
        run_id: ! Cow<'a, str> = Check::TEXT;
        /// The loop's mode.
        loop_kind: ! LoopKind = Check::Text(Rule::Tolerant(
            &["loop", "grind", "issue"],
            &[("", Code::TraceWithoutMode)],
        ));
        /// What happened.
        event: ! TraceEvent = Check::Text(Rule::OneOf(TraceEvent::WORDS));
        /// The iteration it happened in; 0 before the first.
        iteration: ! u64 = Check::COUNT;
        /// The iterations allowed.
        max: ! u64 = Check::COUNT;
        /// What belongs to the event.
        details: ! Json<'a> = Check::Object;
    }
}
