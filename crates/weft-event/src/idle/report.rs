//! What an idle event reports beyond its facts: the frames of a loop, how it ended, and what was said in its topics.

use std::borrow::Cow;

use super::{ABORT, ACK, ANCHOR, DONE, MESSAGE, REQUEST, RESULT, STATE, TRACE};
use crate::facts::Facts;
use crate::json::{Kind, Value};
use crate::report::read::{text, text_of};
use crate::report::{Frame, Loop, LoopPhase, Part, Place, Report, Saying, Speaker, Words};
use crate::shape::{Fields, Shape};

/// The parts that a person plays among senders.
const PERSONS: [&str; 5] = ["user", "human", "person", "operator", "owner"];

pub(super) fn report<'a>(fields: &Fields<'a>, facts: &Facts<'a>) -> Report<'a> {
    let is = |shape: &'static Shape| std::ptr::eq(fields.shape(), shape);
    if is(&STATE) {
        return state(fields);
    }
    if is(&MESSAGE) {
        return message(fields, facts);
    }
    let told = if is(&DONE) {
        const REASON: usize = DONE.slot("reason");
        Loop { reason: fields.text(REASON), ..blank(LoopPhase::Done) }
    } else if is(&ABORT) {
        const REASON: usize = ABORT.slot("reason");
        const DETAIL: usize = ABORT.slot("detail");
        let reason = fields.text(REASON).or_else(|| fields.text(DETAIL));
        Loop { reason, ..blank(LoopPhase::Abort) }
    } else if is(&ANCHOR) {
        const GOAL: usize = ANCHOR.slot("goal");
        const NEXT_STEP: usize = ANCHOR.slot("next_step");
        let (goal, next_step) = (fields.text(GOAL), fields.text(NEXT_STEP));
        Loop { goal, next_step, ..blank(LoopPhase::Anchor) }
    } else if is(&TRACE) {
        const EVENT: usize = TRACE.slot("event");
        Loop { reason: fields.text(EVENT), ..blank(LoopPhase::Trace) }
    } else if is(&REQUEST) || is(&ACK) || is(&RESULT) {
        control(fields)
    } else {
        return Report::default();
    };
    Report { part: Part::Loop(Box::new(told)), place: None }
}

fn blank<'a>(phase: LoopPhase) -> Loop<'a> {
    let (reason, paused, goal, next_step, request) = (None, None, None, None, None);
    Loop { phase, reason, frames: Vec::new(), paused, goal, next_step, request }
}

/// Reads the frames, and whether it waits; the place is that of the one at work.
fn state<'a>(fields: &Fields<'a>) -> Report<'a> {
    const STACK: usize = STATE.slot("stack");
    let stack = fields.get(STACK);
    let objects = || {
        let items = stack.into_iter().flat_map(Value::items);
        items.filter(|frame| frame.kind() == Kind::Object)
    };
    let frames: Vec<_> = objects().map(frame).collect();
    let of_top = |name| objects().last().and_then(|top| text_of(top, &[name]));
    let place =
        Place { folder: of_top("worktree_path"), branch: of_top("branch"), ..Place::default() };
    let paused = text_of(fields.object(), &["paused"]);
    let told = Loop { frames, paused, ..blank(LoopPhase::State) };
    Report { part: Part::Loop(Box::new(told)), place: place.boxed() }
}

fn frame(frame: Value<'_>) -> Frame<'_> {
    let text = |name| text_of(frame, &[name]);
    let number = |name| frame.get(name).and_then(Value::as_u64).unwrap_or_default();
    Frame {
        id: text("id").unwrap_or_default(),
        mode: text("mode").unwrap_or_default(),
        iter: number("iter"),
        max: number("max"),
        issue: text("issue_id"),
        filter: text("filter"),
        branch: text("branch"),
    }
}

/// Reads what a loop is asked for, or how it answers: it has taken the request, has done it, or why it did not.
fn control<'a>(fields: &Fields<'a>) -> Loop<'a> {
    let object = fields.object();
    let word = |word: &'static str| Some(Cow::Borrowed(word));
    let reason = if std::ptr::eq(fields.shape(), &REQUEST) {
        text_of(object, &["command"])
    } else if std::ptr::eq(fields.shape(), &ACK) {
        word("taken")
    } else if object.get("ok").and_then(Value::as_bool) == Some(true) {
        word("done")
    } else {
        text_of(object, &["code"]).or(word("refused"))
    };
    Loop { reason, request: text_of(object, &["request_id"]), ..blank(LoopPhase::Control) }
}

/// Reads a message. Who has no name there wrote from a command line; agents say who they are.
fn message<'a>(fields: &Fields<'a>, facts: &Facts<'a>) -> Report<'a> {
    const SENDER: usize = MESSAGE.slot("sender");
    const GIT: usize = MESSAGE.slot("git");
    let sender = fields.get(SENDER).filter(|sender| sender.kind() == Kind::Object);
    let role = sender.and_then(|sender| text_of(sender, &["role"]));
    let by = match role {
        Some(role) if PERSONS.iter().any(|person| role.eq_ignore_ascii_case(person)) => {
            Speaker::Person
        }
        Some(_) => Speaker::Agent,
        None if sender.is_some() => Speaker::Agent,
        None => Speaker::Person,
    };
    let place = Place {
        branch: fields.get(GIT).and_then(|git| text(git.get("head")?)),
        model: sender.and_then(|sender| text_of(sender, &["model"])),
        ..Place::default()
    };
    let said = Words { by, saying: Saying::Message, text: facts.message.clone() };
    Report { part: Part::Words(said), place: place.boxed() }
}
