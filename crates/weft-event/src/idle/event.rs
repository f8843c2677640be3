//! The four events of the idle document.

use std::borrow::Cow;

use super::SCHEMA_CHECK;
use super::frame::{FRAME, Frame};
use super::run::{Mode, is_iteration};
use super::words::{AbortWord, AnchorWord, DoneWord, StateWord};
use crate::json::{Kind, Value};
use crate::problem::Code;
use crate::shape::{Check, Pattern, Rule, Wire, record, text_enum};

static ITERATION: Pattern = Pattern {
    regex: "^[0-9]+/[0-9]+$",
    matches: is_iteration,
    expected: "`current/max`, such as 3/10",
};

text_enum! {
    /// Why a loop is done.
    pub enum DoneReason {
        /// The work is complete.
        Complete = "COMPLETE",
        /// The iterations are used up.
        MaxIterations = "MAX_ITERATIONS",
        /// No issue is left.
        NoMoreIssues = "NO_MORE_ISSUES",
        /// The issues allowed are used up.
        MaxIssues = "MAX_ISSUES",
        /// The agent gave up. Producers write it, the document does not list it, Weft never writes it.
        Stuck = "STUCK",
    }
}

text_enum! {
    /// Why a loop was aborted, where it was asked for.
    pub enum AbortReason {
        /// A person cancelled it.
        UserCancelled = "USER_CANCELLED",
    }
}

text_enum! {
    /// Why Weft aborted a loop by itself, as it writes it to `detail`.
    pub enum AbortDetail {
        /// A budget is used up.
        Budget = "BUDGET",
        /// Iterations went by without a change.
        NoProgress = "NO_PROGRESS",
        /// The agent said that it cannot go on.
        Stuck = "STUCK",
        /// The state could not be read.
        Corrupt = "CORRUPT",
    }
}

record! {
    /// The stack of a loop as it stands now.
    pub struct State = STATE("STATE", Allowed) {
        /// Version of the schema.
        schema: ! u64 = SCHEMA_CHECK;
        /// The word `STATE`.
        event: ! StateWord = Check::Text(Rule::OneOf(StateWord::WORDS));
        /// Id of the run, as `mode-seconds-pid`.
        run_id: ! Cow<'a, str> = Check::TEXT;
        /// When it was posted.
        updated_at: ! Cow<'a, str> = Check::TIME;
        /// The frames, outermost first.
        stack: ! Vec<Frame<'a>> = Check::List(&Check::Union(&FRAME));
    }
}

record! {
    /// The end of a loop that ran its course.
    pub struct Done = DONE("DONE", Allowed) {
        /// Version of the schema.
        schema: ! u64 = SCHEMA_CHECK;
        /// The word `DONE`.
        event: ! DoneWord = Check::Text(Rule::OneOf(DoneWord::WORDS));
        /// Why it ended.
        reason: ! DoneReason = Check::Text(Rule::Tolerant(
            &["COMPLETE", "MAX_ITERATIONS", "NO_MORE_ISSUES", "MAX_ISSUES"],
            &[("STUCK", Code::ReasonStuck)],
        ));
        /// Always empty.
        stack: ! EmptyStack = Check::EmptyList;
        /// Id of the run that ended; Weft adds it.
        run_id: ? Cow<'a, str> = Check::TEXT;
        /// When it was posted; Weft adds it.
        updated_at: ? Cow<'a, str> = Check::TIME;
    }
}

record! {
    /// The end of a loop that was cancelled or went wrong.
    pub struct Abort = ABORT("ABORT", Allowed) {
        /// Version of the schema.
        schema: ! u64 = SCHEMA_CHECK;
        /// The word `ABORT`.
        event: ! AbortWord = Check::Text(Rule::OneOf(AbortWord::WORDS));
        /// Why it was cancelled; left out where something went wrong.
        reason: ? AbortReason = Check::Text(Rule::OneOf(AbortReason::WORDS));
        /// Always empty.
        stack: ! EmptyStack = Check::EmptyList;
        /// Id of the run that ended; Weft adds it.
        run_id: ? Cow<'a, str> = Check::TEXT;
        /// When it was posted; Weft adds it.
        updated_at: ? Cow<'a, str> = Check::TIME;
        /// What went wrong: BUDGET, NO_PROGRESS, STUCK or CORRUPT; Weft adds it.
        detail: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// What an agent needs to go on after its context was compacted.
    pub struct Anchor = ANCHOR("ANCHOR", Allowed) {
        /// Version of the schema; producers leave it out, whoever writes should not.
        schema: ~ u64 = SCHEMA_CHECK, else AnchorWithoutSchema;
        /// The word `ANCHOR`, which the document does not ask for.
        event: ? AnchorWord = Check::Text(Rule::OneOf(AnchorWord::WORDS));
        /// What is being worked on.
        goal: ! Cow<'a, str> = Check::TEXT;
        /// The loop's mode.
        mode: ! Mode = Check::Text(Rule::OneOf(Mode::WORDS));
        /// How far the loop is, as `current/max`.
        iteration: ! Cow<'a, str> = Check::Text(Rule::Pattern(&ITERATION));
        /// What happened in git lately.
        progress: ! Cow<'a, str> = Check::TEXT;
        /// The modified files, with commas between them.
        modified_files: ! Cow<'a, str> = Check::TEXT;
        /// How to go on.
        next_step: ! Cow<'a, str> = Check::TEXT;
        /// When it was posted.
        timestamp: ! Cow<'a, str> = Check::TIME;
    }
}

/// The stack of a loop that has ended: `[]`, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmptyStack;

impl Wire<'_> for EmptyStack {
    fn read(value: Value<'_>) -> Option<Self> {
        (value.kind() == Kind::Array && value.items().next().is_none()).then_some(Self)
    }

    fn write(&self, out: &mut String) {
        out.push_str("[]");
    }
}
