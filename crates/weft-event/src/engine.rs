//! `engine`: task runs of the Loop Engine: the event, and the documents beside it (action, observation, plan, task, judge rule
//! and result, evidence pack).

pub mod action;
mod facts;
pub mod judge;
pub mod plan;
mod report;
mod types;

use std::borrow::Cow;

use crate::dialect::Speech;
use crate::event;
use crate::json::{Json, Value};
use crate::problem::{Code, Problem, Problems};
use crate::shape::{Check, Draft, Fields, Rule, record, shorten};

pub use types::{EventType, RunState, StateReason, TAXONOMY};

record! {
    /// One event of a run.
    pub struct Event = EVENT("Loop Engine Event", Allowed) {
        /// Id of this very event.
        id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// The run it belongs to.
        run_id as "runId": ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// When it happened, in milliseconds since 1970.
        ts: ! i64 = Check::INTEGER;
        /// Its number within the run, from 0.
        seq: ! u64 = Check::Sequence;
        /// What happened.
        kind as "type": ! Cow<'a, str> = Check::Text(Rule::Known(EventType::WORDS, Code::UnknownType));
        /// What belongs to the type.
        payload: ! Json<'a> = Check::Object;
    }
}

pub(crate) static SPEECH: Speech = Speech {
    validate,
    facts: facts::facts,
    report: report::report,
    taxonomy: &TAXONOMY,
    root: &Check::Shape(&EVENT),
    documents: &[
        ("action", &Check::Union(&action::ACTION)),
        ("observation", &Check::Shape(&action::OBSERVATION)),
        ("plan", &Check::Shape(&plan::PLAN)),
        ("task", &Check::Shape(&plan::TASK_CONFIG)),
        ("rule", &Check::Union(&judge::JUDGE_RULE)),
        ("result", &Check::Shape(&judge::JUDGE_RESULT)),
        ("evidence", &Check::Shape(&judge::EVIDENCE_PACK)),
    ],
    schema_id: "loop-engine/event-v1",
    draft: Draft::Twenty,
};

fn validate(fields: &mut Fields<'_>, problems: &mut Problems) {
    let value = fields.object();
    fields.check_as(&EVENT, problems);
    for key in value.repeated_keys() {
        if !problems.has_room(Code::DuplicateKey) {
            break;
        }
        let holder = key.holder();
        // The event itself is never an action, whatever its type says.
        if holder.idx() == value.idx() || !take_as_checkpoint_id(holder, key, problems) {
            event::report_repeated_key(key, problems);
        }
    }
    check_proposal(fields, problems);
}

/// An action that an event proposes is judged by its name: one that is not known is kept and never executed.
fn check_proposal(fields: &Fields<'_>, problems: &mut Problems) {
    const TYPE: usize = EVENT.slot("type");
    const PAYLOAD: usize = EVENT.slot("payload");
    let proposes = fields.get(TYPE).is_some_and(|name| name.is_text("AgentActionProposed"));
    let action = fields.get(PAYLOAD).filter(|_| proposes).and_then(|payload| payload.get("action"));
    if let Some(name) = action.and_then(|action| action.get("type"))
        && let Some(word) = name.as_text()
        && !action::ACTIONS.contains(&word.as_ref())
    {
        let message = format!("`{}` is not a known action; it is never executed", shorten(&word));
        problems.at(name, Code::UnknownAction, message);
    }
}

/// Applies the rules that the shapes of documents cannot say.
///
/// A key may not stand twice, but the second `id` of `checkpoint.restore` is the checkpoint's. An action that is its id and type
/// and nothing else is the document's base shape: it is kept, and cannot be executed.
pub(crate) fn finish_document(name: &str, document: Value<'_>, problems: &mut Problems) {
    let is_base = |(key, _): (Value<'_>, Value<'_>)| key.is_text("id") || key.is_text("type");
    if name == "action" && document.members().count() == 2 && document.members().all(is_base) {
        let is_about_type = |problem: &Problem| {
            problem.code == Code::Missing && !matches!(problem.pointer.as_str(), "/id" | "/type")
        };
        problems.soften(Code::BareAction, is_about_type);
    }
    for key in document.repeated_keys() {
        if !problems.has_room(Code::DuplicateKey) {
            break;
        }
        if !take_as_checkpoint_id(key.holder(), key, problems) {
            event::report_repeated_key(key, problems);
        }
    }
}

/// Reports a second `id` that stands for `checkpointId`, in place of the missing field; returns whether it was one.
fn take_as_checkpoint_id(action: Value<'_>, key: Value<'_>, problems: &mut Problems) -> bool {
    let is_it = action::second_id(action).is_some_and(|(second, _)| second.idx() == key.idx());
    if is_it {
        // Only an action that is a document of its own was asked for the field.
        if action.idx() == 0 {
            problems.forgive(|problem| {
                problem.code == Code::Missing && problem.pointer == "/checkpointId"
            });
        }
        problems.at(key, Code::CheckpointId, "the second `id` is read as `checkpointId`");
    }
    is_it
}

#[cfg(test)]
mod tests;
