//! The facts of an idle event.

use std::borrow::Cow;

use super::event::{ABORT, ANCHOR, DONE, STATE};
use super::jwz::{Body, MESSAGE, TOPIC};
use super::run::Iteration;
use super::trace::{TRACE, TraceEvent};
use super::{ACK, REQUEST, RESULT};
use crate::Status;
use crate::facts::{Facts, Level, carried};
use crate::identity::{Identity, Key, KeyText};
use crate::json::Value;
use crate::shape::{Fields, Shape, Wire as _};

pub(super) fn facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    let is = |shape: &'static Shape| std::ptr::eq(fields.shape(), shape);
    if is(&STATE) {
        state(fields, facts);
    } else if is(&DONE) {
        done(fields, facts);
    } else if is(&ABORT) {
        abort(fields, facts);
    } else if is(&ANCHOR) {
        anchor(fields, facts);
    } else if is(&MESSAGE) {
        message(fields, facts);
    } else if is(&TOPIC) {
        topic(fields, facts);
    } else if is(&TRACE) {
        trace(fields, facts);
    } else if is(&REQUEST) {
        request(fields, facts);
    } else if is(&ACK) {
        ack(fields, facts);
    } else if is(&RESULT) {
        result(fields, facts);
    } else {
        let object = fields.object();
        let name = object.text_at("event").or_else(|| object.text_at("type"));
        facts.event_type = name.unwrap_or_default();
    }
    facts.session = fields.other("session_id").and_then(Value::as_text);
    if let Some(added) = fields.other(carried::KEY) {
        carried::apply_added(facts, added);
    }
}

/// Sets what the type alone says.
fn set_type(facts: &mut Facts<'_>, event_type: &'static str, topic: &'static str) {
    facts.event_type = Cow::Borrowed(event_type);
    facts.set_type_defaults();
    facts.topic = Some(Cow::Borrowed(topic));
}

fn state<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const RUN_ID: usize = STATE.slot("run_id");
    const UPDATED_AT: usize = STATE.slot("updated_at");
    const STACK: usize = STATE.slot("stack");
    set_type(facts, "STATE", "loop:current");
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(UPDATED_AT);
    if let Some(stack) = fields.get(STACK) {
        read_stack(facts, stack);
    }
    let text = |slot| fields.get(slot).filter(Value::is_string).map(KeyText::Value);
    if let (Some(run), Some(updated_at)) = (text(RUN_ID), text(UPDATED_AT)) {
        facts.identity = Identity::of(Key::State { run, updated_at, content: fields.object() });
    }
}

/// Reads the frame at work, which is the last; in a nested stack the first belongs to the run around it.
fn read_stack<'a>(facts: &mut Facts<'a>, stack: Value<'a>) {
    let mut frames = stack.items();
    let Some(outer) = frames.next() else { return };
    let top = match frames.last() {
        Some(top) => {
            facts.parent = outer.text_at("id").filter(|id| Some(id) != facts.actor.as_ref());
            top
        }
        None => outer,
    };
    let number = |name: &str| top.get(name).and_then(Value::as_u64);
    facts.progress = fraction(number("iter"), number("max"));
    facts.task = top.text_at("issue_id");
}

fn done<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const REASON: usize = DONE.slot("reason");
    const RUN_ID: usize = DONE.slot("run_id");
    const UPDATED_AT: usize = DONE.slot("updated_at");
    set_type(facts, "DONE", "loop:current");
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(UPDATED_AT);
    fields.put_text(REASON, &mut facts.message);
    if facts.message.as_deref() == Some("STUCK") {
        facts.status = Some(Status::Blocked);
        facts.level = Level::Warn;
    }
}

fn abort<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const REASON: usize = ABORT.slot("reason");
    const RUN_ID: usize = ABORT.slot("run_id");
    const UPDATED_AT: usize = ABORT.slot("updated_at");
    const DETAIL: usize = ABORT.slot("detail");
    set_type(facts, "ABORT", "loop:current");
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(UPDATED_AT);
    facts.message = fields.text(REASON).or_else(|| fields.text(DETAIL));
    if fields.get(REASON).is_none() {
        facts.status = Some(Status::Error);
        facts.level = Level::Error;
    }
}

fn anchor<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const ITERATION: usize = ANCHOR.slot("iteration");
    const NEXT_STEP: usize = ANCHOR.slot("next_step");
    const TIMESTAMP: usize = ANCHOR.slot("timestamp");
    set_type(facts, "ANCHOR", "loop:anchor");
    facts.actor = fields.object().text_at("run_id");
    facts.time_ns = fields.time_ns(TIMESTAMP);
    let iteration = fields.text(ITERATION).and_then(|text| Iteration::parse(&text));
    facts.progress = iteration.and_then(Iteration::fraction);
    fields.put_text(NEXT_STEP, &mut facts.message);
}

fn message<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const ID: usize = MESSAGE.slot("id");
    const TOPIC_ID: usize = MESSAGE.slot("topic_id");
    const BODY: usize = MESSAGE.slot("body");
    const CREATED_AT: usize = MESSAGE.slot("created_at");
    const SENDER: usize = MESSAGE.slot("sender");
    facts.event_type = Cow::Borrowed("message");
    facts.actor = fields
        .get(SENDER)
        .and_then(|sender| sender.text_at("id").or_else(|| sender.text_at("name")));
    facts.time_ns = fields.time_of_millis_ns(CREATED_AT);
    facts.message = fields.get(BODY).and_then(Body::read).map(Body::into_text);
    fields.put_text(TOPIC_ID, &mut facts.topic);
    facts.identity.put_id(fields.get(ID));
}

fn topic<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const ID: usize = TOPIC.slot("id");
    const NAME: usize = TOPIC.slot("name");
    const CREATED_AT: usize = TOPIC.slot("created_at");
    facts.event_type = Cow::Borrowed("topic");
    facts.time_ns = fields.time_of_millis_ns(CREATED_AT);
    fields.put_text(NAME, &mut facts.message);
    fields.put_text(ID, &mut facts.topic);
    facts.identity.put_id(fields.get(ID));
}

fn trace<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const EVENT_ID: usize = TRACE.slot("event_id");
    const TS: usize = TRACE.slot("ts");
    const RUN_ID: usize = TRACE.slot("run_id");
    const EVENT: usize = TRACE.slot("event");
    const ITERATION: usize = TRACE.slot("iteration");
    const MAX: usize = TRACE.slot("max");
    const DETAILS: usize = TRACE.slot("details");
    let known = fields.word(EVENT, TraceEvent::ALL);
    set_type(facts, known.map_or("trace", TraceEvent::event_type), "loop:trace");
    if facts.status == Some(Status::Blocked) {
        facts.level = Level::Warn;
    }
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(TS);
    let number = |slot: usize| fields.get(slot).and_then(Value::as_u64);
    facts.progress = fraction(number(ITERATION), number(MAX));
    facts.message = fields.get(DETAILS).and_then(|details| details.text_at("reason"));
    facts.identity.put_id(fields.get(EVENT_ID));
}

fn request<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const REQUEST_ID: usize = REQUEST.slot("request_id");
    const TS: usize = REQUEST.slot("ts");
    const RUN_ID: usize = REQUEST.slot("run_id");
    const REASON: usize = REQUEST.slot("reason");
    set_type(facts, "control.REQUEST", "loop:control");
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(TS);
    fields.put_text(REASON, &mut facts.message);
    facts.identity = by_request("REQUEST", fields, REQUEST_ID);
}

fn ack<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const REQUEST_ID: usize = ACK.slot("request_id");
    const TS: usize = ACK.slot("ts");
    const RUN_ID: usize = ACK.slot("run_id");
    set_type(facts, "control.ACK", "loop:control");
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(TS);
    facts.identity = by_request("ACK", fields, REQUEST_ID);
}

fn result<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const REQUEST_ID: usize = RESULT.slot("request_id");
    const TS: usize = RESULT.slot("ts");
    const RUN_ID: usize = RESULT.slot("run_id");
    const CODE: usize = RESULT.slot("code");
    set_type(facts, "control.RESULT", "loop:control");
    facts.actor = run(fields, RUN_ID);
    facts.time_ns = fields.time_ns(TS);
    fields.put_text(CODE, &mut facts.message);
    facts.identity = by_request("RESULT", fields, REQUEST_ID);
}

/// Returns the run; producers that do not know it write the empty string.
fn run<'a>(fields: &Fields<'a>, slot: usize) -> Option<Cow<'a, str>> {
    fields.text(slot).filter(|run| !run.is_empty())
}

fn fraction(current: Option<u64>, max: Option<u64>) -> Option<f64> {
    Iteration { current: current?, max: max? }.fraction()
}

fn by_request<'a>(word: &'static str, fields: &Fields<'a>, slot: usize) -> Identity<'a> {
    let key = |id: Value<'a>| Identity::of(Key::Request { word, id: id.into() });
    fields.get(slot).filter(Value::is_string).map_or(Identity::NONE, key)
}
