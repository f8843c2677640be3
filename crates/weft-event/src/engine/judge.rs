//! Whether a run is done: the judge's rules, its result, and the evidence it goes by.

use std::borrow::Cow;

use crate::json::{Json, Value};
use crate::shape::{Check, Is, Rule, Union, Variant, When, Wire, record, text_enum, word};

/// Longest text that an evidence pack keeps of one source.
pub const EVIDENCE_TEXT_CHARS_MAX: usize = 2_000;

word!(CommandWord = "command");

record! {
    /// A rule that runs a command: its exit code decides first, then its output.
    pub struct CommandRule = COMMAND_RULE("Command Rule", Allowed) {
        /// Name of the rule.
        id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// What kind of rule it is.
        kind as "type": ! CommandWord = Check::Text(Rule::OneOf(&["command"]));
        /// The program and its arguments.
        command: ! Vec<Cow<'a, str>> = Check::TEXTS;
        /// What the output of a pass must hold.
        success_match as "successMatch": ? Cow<'a, str> = Check::TEXT;
        /// What the output of a pass must not hold.
        fail_match as "failMatch": ? Cow<'a, str> = Check::TEXT;
    }
}

text_enum! {
    /// What a rule that runs no command of its own looks at.
    pub enum StateRuleKind {
        /// The last run of the tests.
        Tests = "tests",
        /// Whether the working tree has no changes.
        GitClean = "git_clean",
        /// Whether the run had no error.
        NoError = "no_error",
    }
}

record! {
    /// A rule that looks at the state of the run.
    pub struct StateRule = STATE_RULE("State Rule", Allowed) {
        /// Name of the rule.
        id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// What kind of rule it is.
        kind as "type": ! StateRuleKind =
            Check::Text(Rule::OneOf(&["command", "tests", "git_clean", "no_error"]));
        /// The program that runs the tests, and its arguments, if not those that the workspace is known for.
        command: ? Vec<Cow<'a, str>> = Check::TEXTS;
        /// What the output of a pass must hold.
        success_match as "successMatch": ? Cow<'a, str> = Check::TEXT;
        /// What the output of a pass must not hold.
        fail_match as "failMatch": ? Cow<'a, str> = Check::TEXT;
    }
}

/// One rule of the judge.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgeRule<'a> {
    /// It runs a command.
    Command(CommandRule<'a>),
    /// It looks at the state of the run.
    State(StateRule<'a>),
}

/// The shapes of both kinds of rule.
pub static JUDGE_RULE: Union = Union {
    title: "Judge Rule",
    variants: &[Variant { when: &[When::new("type", Is::Text("command"))], shape: &COMMAND_RULE }],
    otherwise: &STATE_RULE,
};

impl<'a> Wire<'a> for JudgeRule<'a> {
    fn read(value: Value<'a>) -> Option<Self> {
        if value.get("type")?.is_text("command") {
            CommandRule::read(value).map(JudgeRule::Command)
        } else {
            StateRule::read(value).map(JudgeRule::State)
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            JudgeRule::Command(rule) => rule.write(out),
            JudgeRule::State(rule) => rule.write(out),
        }
    }
}

impl JudgeRule<'_> {
    /// Returns the rule as one line of JSON.
    pub fn to_line(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

text_enum! {
    /// What the judge says.
    pub enum JudgeStatus {
        /// It holds.
        Pass = "pass",
        /// It does not hold.
        Fail = "fail",
        /// It is not known yet.
        Pending = "pending",
        /// There is nothing to judge by.
        Skip = "skip",
    }
}

record! {
    /// What the judge says, and why.
    pub struct JudgeResult = JUDGE_RESULT("Judge Result", Allowed) {
        /// The verdict.
        status: ! JudgeStatus = Check::Text(Rule::OneOf(JudgeStatus::WORDS));
        /// Why, for a person.
        reasons: ! Vec<Cow<'a, str>> = Check::TEXTS;
        /// References to what it goes by, such as `events:tool-123`.
        evidence: ! Vec<Cow<'a, str>> = Check::TEXTS;
        /// The verdict of each rule.
        checks: ? Vec<Json<'a>> = Check::List(&Check::Object);
    }
}

record! {
    /// What one iteration left behind, for the judge.
    pub struct EvidencePack = EVIDENCE_PACK("Evidence Pack", Allowed) {
        /// The iteration.
        iteration: ! u64 = Check::COUNT;
        /// The step it worked on.
        step_id as "stepId": ? Cow<'a, str> = Check::TEXT;
        /// The tool calls it made.
        tool_calls as "toolCalls": ? Vec<Cow<'a, str>> = Check::TEXTS;
        /// Reference to what it changed.
        diff: ? Cow<'a, str> = Check::TEXT;
        /// What failed.
        errors: ? Vec<Cow<'a, str>> = Check::TEXTS;
        /// What it did, in short.
        summary: ! Cow<'a, str> = Check::TEXT;
    }
}

/// Returns the verdict over all rules: any fail fails, else any pending is pending, else any pass passes; no rules, no verdict.
pub fn combine(verdicts: &[JudgeStatus]) -> JudgeStatus {
    [JudgeStatus::Fail, JudgeStatus::Pending, JudgeStatus::Pass]
        .into_iter()
        .find(|status| verdicts.contains(status))
        .unwrap_or(JudgeStatus::Skip)
}

/// Returns as much of a text as an evidence pack keeps.
pub fn evidence_text(text: &str) -> &str {
    let end = text.char_indices().nth(EVIDENCE_TEXT_CHARS_MAX);
    end.map_or(text, |(at, _)| &text[..at])
}
