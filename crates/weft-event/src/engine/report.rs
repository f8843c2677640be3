//! What an engine event reports beyond its facts: the state of a run, its plan, its verdicts, and what was said and done in it.

use std::borrow::Cow;

use super::{EVENT, EventType};
use crate::facts::Facts;
use crate::json::{Kind, Value};
use crate::report::read::{id, names, prose_of, text_of};
use crate::report::{
    Ask, AskKind, Call, CallPhase, Judge, Part, Place, Plan, Report, Run, Saying, Speaker, Step,
    StepStatus, Verdict, Words, Work, WorkChange,
};
use crate::shape::{Fields, Wire as _};

/// The action that asks a person.
const USER_ASK: &str = "user.ask";

/// The members in which payloads have what was said.
const SAID: [&str; 5] = ["text", "chunk", "delta", "message", "content"];

/// The members in which steps name those that come before them.
const NEEDS: [&str; 4] = ["needs", "dependsOn", "depends_on", "dependencies"];

pub(super) fn report<'a>(fields: &Fields<'a>, facts: &Facts<'a>) -> Report<'a> {
    const TYPE: usize = EVENT.slot("type");
    const PAYLOAD: usize = EVENT.slot("payload");
    let event_type = fields.word(TYPE, EventType::ALL);
    let (Some(event_type), Some(payload)) = (event_type, fields.get(PAYLOAD)) else {
        return Report::default();
    };
    let part = match event_type {
        EventType::StateChanged => run(payload),
        EventType::UserMessage => words(Speaker::Person, Saying::Prompt, payload),
        EventType::AgentMessage | EventType::AgentMessageDone => {
            words(Speaker::Agent, Saying::Message, payload)
        }
        EventType::AgentMessageChunk => words(Speaker::Agent, Saying::Chunk, payload),
        EventType::AgentActionProposed => call(CallPhase::Proposed, payload, facts),
        EventType::ToolCallStarted => call(CallPhase::Running, payload, facts),
        EventType::ToolCallChunk => call(CallPhase::Output, payload, facts),
        EventType::ToolCallFinished | EventType::Observation => {
            call(ended(payload), payload, facts)
        }
        EventType::PlanUpdated => plan(inner(payload, "plan")),
        EventType::TaskUpdated => work(inner(payload, "task")),
        EventType::JudgeResult => judge(inner(payload, "result")),
        EventType::Error => Part::Nothing,
    };
    let folder = text_of(inner(payload, "task"), &["workspace"]);
    Report { part, place: Place { folder, ..Place::default() }.boxed() }
}

/// Returns what a payload holds under a name, or the payload itself, where it is that very thing.
fn inner<'a>(payload: Value<'a>, name: &str) -> Value<'a> {
    payload.get(name).filter(|inner| inner.kind() == Kind::Object).unwrap_or(payload)
}

fn run(payload: Value<'_>) -> Part<'_> {
    let reason = text_of(payload, &["reason"]);
    match text_of(payload, &["to", "state"]) {
        Some(state) => Part::Run(Run { state, reason }),
        None => Part::Nothing,
    }
}

fn words<'a>(by: Speaker, saying: Saying, payload: Value<'a>) -> Part<'a> {
    Part::Words(Words { by, saying, text: prose_of(payload, &SAID) })
}

/// Reads a call. One that asks a person is a question until it is over.
fn call<'a>(phase: CallPhase, payload: Value<'a>, facts: &Facts<'a>) -> Part<'a> {
    if facts.tool.as_deref() == Some(USER_ASK) {
        let is_answer = matches!(phase, CallPhase::Completed | CallPhase::Failed);
        let (kind, id) = (AskKind::Answer, facts.span.clone());
        return Part::Ask(Ask { kind, is_answer, id, input: None });
    }
    let first = |names: &[&str]| names.iter().find_map(|name| payload.get(name));
    let (input, result) = match phase {
        CallPhase::Proposed | CallPhase::Running => {
            // A payload with a type of its own is the action.
            let action = Some(payload).filter(|payload| payload.get("type").is_some());
            (first(&["action", "input", "args"]).or(action), None)
        }
        CallPhase::Output => (None, first(&SAID).or_else(|| first(&["output"]))),
        CallPhase::Completed | CallPhase::Failed | CallPhase::Denied => {
            let told = first(&["observation", "result", "output", "error"]);
            (None, told.or_else(|| Some(payload).filter(|it| it.get("summary").is_some())))
        }
    };
    Part::Call(Call { phase, input, result })
}

/// Returns how a call ended: as it says itself, or as what came of it says; else well, if there is no error.
fn ended(payload: Value<'_>) -> CallPhase {
    let ok = |of: Value<'_>| of.get("ok").and_then(Value::as_bool);
    let told = ok(payload).or_else(|| ok(inner(payload, "observation")));
    let told = told.or_else(|| ok(inner(payload, "result")));
    let has_error = || payload.get("error").is_some_and(|error| error.kind() != Kind::Null);
    if told.unwrap_or_else(|| !has_error()) { CallPhase::Completed } else { CallPhase::Failed }
}

/// Reads a plan. Without a list of steps there is none: it would seem that all of them are gone.
fn plan(plan: Value<'_>) -> Part<'_> {
    let Some(steps) = plan.get("steps").filter(|steps| steps.kind() == Kind::Array) else {
        return Part::Nothing;
    };
    let objects = steps.items().filter(|step| step.kind() == Kind::Object);
    Part::Plan(Box::new(Plan {
        version: plan.get("version").and_then(Value::as_u64),
        goal: text_of(plan, &["goal"]),
        steps: objects.enumerate().map(|(idx, it)| step(idx, it)).collect(),
    }))
}

/// Reads a step; one without an id goes by its place, from 1.
fn step(idx: usize, step: Value<'_>) -> Step<'_> {
    let is = |name| step.get(name).and_then(Value::as_bool).unwrap_or(false);
    let needs = NEEDS.iter().find_map(|name| step.get(name));
    Step {
        id: step.get("id").and_then(id).unwrap_or_else(|| Cow::Owned((idx + 1).to_string())),
        title: text_of(step, &["title", "description"]).unwrap_or_default(),
        status: step_status(text_of(step, &["status"]).as_deref(), is("done")),
        is_hard_stop: is("hardStop"),
        needs: needs.map(names).unwrap_or_default(),
    }
}

/// Returns how far a step is. A step that is said to be done is, unless its status says how else it ended.
fn step_status(word: Option<&str>, is_done: bool) -> StepStatus {
    let status = match word {
        Some("in_progress") => StepStatus::Running,
        Some("completed") => StepStatus::Done,
        Some("failed") => StepStatus::Error,
        Some(word) => StepStatus::parse(word).unwrap_or(StepStatus::Pending),
        None => StepStatus::Pending,
    };
    match status {
        StepStatus::Pending | StepStatus::Running if is_done => StepStatus::Done,
        StepStatus::Pending
        | StepStatus::Running
        | StepStatus::Done
        | StepStatus::Skipped
        | StepStatus::Error => status,
    }
}

fn work(task: Value<'_>) -> Part<'_> {
    Part::Work(Work { title: text_of(task, &["goal", "title"]), ..Work::of(WorkChange::Worked) })
}

fn judge(result: Value<'_>) -> Part<'_> {
    let list = |name| result.get(name).map(names).unwrap_or_default();
    match result.get("status").and_then(Verdict::read) {
        Some(verdict) => Part::Judge(Box::new(Judge {
            verdict,
            reasons: list("reasons"),
            evidence: list("evidence"),
        })),
        None => Part::Nothing,
    }
}
