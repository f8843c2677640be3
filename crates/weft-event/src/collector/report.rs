//! What a collector event reports beyond its facts: what is said and done in a session, who is asked, what was decided.
//!
//! A hook's payload says most of it; what agents record of themselves stands in `metadata`, and tools in `tool`.

mod told;

use std::borrow::Cow;

use super::LEGACY_ROW;
use crate::Status;
use crate::facts::Facts;
use crate::json::{Kind, Value};
use crate::report::read::{id, names, prose, text};
use crate::report::{
    Ask, AskKind, Call, CallPhase, Decision, Part, Report, Saying, Speaker, Turn, TurnPhase, Words,
    Work, WorkChange,
};
use crate::shape::{Fields, Wire as _};
use crate::transcript::TURN_COMPLETED;
use told::Told;

pub(super) fn report<'a>(fields: &Fields<'a>, facts: &Facts<'a>) -> Report<'a> {
    if std::ptr::eq(fields.shape(), &LEGACY_ROW) {
        return Report::default();
    }
    let told = Told::read(fields);
    Report { part: part(&told, facts), place: told.place().boxed() }
}

fn part<'a>(told: &Told<'a>, facts: &Facts<'a>) -> Part<'a> {
    let (payload, metadata) = (&told.payload, &told.metadata);
    let words = |by, saying, text| Part::Words(Words { by, saying, text });
    let call = |phase| Part::Call(call(told, phase));
    let turn = |phase, words| Part::Turn(turn(told, facts, phase, words));
    match facts.event_type.as_ref() {
        "hook.prompt_submit" | "activity.prompt" => {
            let said = payload.prompt.and_then(text);
            words(Speaker::Person, Saying::Prompt, said.or_else(|| said_text(told, facts)))
        }
        "hook.message_display" | "activity.message" => {
            let said = payload.delta.and_then(text);
            words(Speaker::Agent, Saying::Message, said.or_else(|| said_text(told, facts)))
        }
        "activity.thinking" => match said_text(told, facts) {
            // An answer of a model that was only counted says nothing of what was thought.
            None if metadata.is_counted => Part::Nothing,
            said => words(Speaker::Agent, Saying::Thought, said),
        },
        "hook.notification" => notification(told, facts),
        "hook.session_start" => match payload.session_title.and_then(text) {
            Some(title) => words(Speaker::Program, Saying::Title, Some(title)),
            None => Part::Nothing,
        },
        "system.title" => words(Speaker::Program, Saying::Title, said_text(told, facts)),
        "hook.permission_request" => Part::Ask(Ask {
            kind: AskKind::Permission,
            is_answer: false,
            id: facts.span.clone(),
            input: told.input,
        }),
        "hook.elicitation" => ask(AskKind::Answer, false, payload.elicitation()),
        "hook.elicitation_result" => ask(AskKind::Answer, true, payload.elicitation()),
        "hook.pre_tool_use" => call(CallPhase::Running),
        // Whoever reports its own tool may do so once it has run.
        "activity.tool_use" if told.result.is_none() => call(CallPhase::Running),
        "activity.tool_use" | "activity.tool_result" | "hook.post_tool_use" => {
            call(if told.is_error() { CallPhase::Failed } else { CallPhase::Completed })
        }
        "hook.post_tool_use_failure" => call(CallPhase::Failed),
        "hook.permission_denied" => call(CallPhase::Denied),
        "hook.stop" | "hook.subagent_stop" | "activity.turn_completed" => {
            turn(TurnPhase::Completed, last_words(told, facts))
        }
        "hook.stop_failure" | "activity.turn_failed" => turn(TurnPhase::Failed, None),
        "activity.turn_aborted" => turn(TurnPhase::Aborted, None),
        "coordination.waiting" => {
            Part::Wait { until: metadata.expected_status.and_then(Status::read) }
        }
        "coordination.handoff" => Part::Handoff,
        "decision.made" | "decision.rationale" | "decision.rejected" => {
            Part::Decision(Box::new(decision(told, facts)))
        }
        "system.heartbeat" => Part::Heartbeat,
        "hook.task_created" => Part::Work(task(told, WorkChange::Created)),
        "hook.task_completed" => Part::Work(task(told, WorkChange::Completed)),
        _ => Part::Nothing,
    }
}

/// Returns what was said: the whole text where there is one, else the message. A record of OTLP has its own name for a message.
fn said_text<'a>(told: &Told<'a>, facts: &Facts<'a>) -> Option<Cow<'a, str>> {
    let message = || facts.message.clone().filter(|_| !told.metadata.is_counted);
    told.metadata.text.and_then(prose).or_else(message)
}

/// Returns the last words of a turn; a message that says only that it is over has none of them.
fn last_words<'a>(told: &Told<'a>, facts: &Facts<'a>) -> Option<Cow<'a, str>> {
    let last = told.payload.last_assistant_message.and_then(prose);
    let is_recorded = facts.event_type == "activity.turn_completed";
    last.or_else(|| said_text(told, facts).filter(|said| is_recorded && said != TURN_COMPLETED))
}

fn notification<'a>(told: &Told<'a>, facts: &Facts<'a>) -> Part<'a> {
    let kind = told.payload.notification_type.and_then(Value::as_text).unwrap_or_default();
    match kind.as_ref() {
        "permission_prompt" => ask(AskKind::Permission, false, None),
        "idle_prompt" => ask(AskKind::Idle, false, None),
        "elicitation_complete" | "elicitation_response" => ask(AskKind::Answer, true, None),
        "agent_needs_input" => ask(AskKind::Answer, false, None),
        kind if kind.starts_with("elicitation_") => ask(AskKind::Answer, false, None),
        _ => {
            let said = told.payload.message.and_then(text);
            let text = said.or_else(|| said_text(told, facts));
            Part::Words(Words { by: Speaker::Program, saying: Saying::Notice, text })
        }
    }
}

fn ask<'a>(kind: AskKind, is_answer: bool, id: Option<Cow<'a, str>>) -> Part<'a> {
    Part::Ask(Ask { kind, is_answer, id, input: None })
}

fn call<'a>(told: &Told<'a>, phase: CallPhase) -> Call<'a> {
    let why = || match phase {
        CallPhase::Denied => told.payload.reason,
        CallPhase::Failed => told.payload.error,
        CallPhase::Proposed | CallPhase::Running | CallPhase::Output | CallPhase::Completed => None,
    };
    Call { phase, input: told.input, result: told.result.or_else(why) }
}

fn turn<'a>(
    told: &Told<'a>,
    facts: &Facts<'a>,
    phase: TurnPhase,
    words: Option<Cow<'a, str>>,
) -> Turn<'a> {
    let named = || told.payload.turn().and_then(text);
    Turn { phase, id: facts.span.clone().or_else(named), words }
}

fn task<'a>(told: &Told<'a>, change: WorkChange) -> Work<'a> {
    Work { title: told.payload.task_subject.and_then(text), ..Work::of(change) }
}

/// Reads what an event says of a decision. Where reasons are all that it tells, its message is them.
fn decision<'a>(told: &Told<'a>, facts: &Facts<'a>) -> Decision<'a> {
    let metadata = &told.metadata;
    let is_rejection = facts.event_type == "decision.rejected";
    let rationale = metadata.rationale().and_then(prose);
    let is_reasons = facts.event_type == "decision.rationale";
    let message = || facts.message.clone().filter(|_| is_reasons);
    let rejected = metadata.option.and_then(id).filter(|_| is_rejection);
    Decision {
        id: metadata.decision_id.and_then(id),
        is_made: facts.event_type == "decision.made",
        chosen: metadata.chosen.and_then(named),
        options: metadata.options().map(names).unwrap_or_default(),
        rationale: rationale.or_else(message),
        category: metadata.category.and_then(text),
        reason: metadata.reason.and_then(prose).filter(|_| is_rejection),
        rejected,
    }
}

/// Returns what an option is called: it is its name, or an object that has one.
fn named(option: Value<'_>) -> Option<Cow<'_, str>> {
    match option.kind() {
        Kind::Object => option.get("name").and_then(text),
        Kind::Null
        | Kind::True
        | Kind::False
        | Kind::Number
        | Kind::Text
        | Kind::Array
        | Kind::Key => id(option),
    }
}
