//! The facts of a NEEDLE event, in its present shape and in the two old ones.

use std::borrow::Cow;

use super::{EVENT, LEGACY_EVENT, LEGACY_FLAT, LegacyWorker, level};
use crate::Status;
use crate::facts::{Facts, Level, Usage, carried, millis, name};
use crate::json::{Kind, Name, Value};
use crate::shape::{Fields, Wire as _};

/// The type of a flat record whose text is no type's name.
const LOG_LINE: &str = "log";

pub(super) fn facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    if std::ptr::eq(fields.shape(), &LEGACY_EVENT) {
        legacy_event_facts(fields, facts)
    } else if std::ptr::eq(fields.shape(), &LEGACY_FLAT) {
        legacy_flat_facts(fields, facts)
    } else {
        event_facts(fields, facts)
    }
}

fn event_facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const TIMESTAMP: usize = EVENT.slot("timestamp");
    const EVENT_TYPE: usize = EVENT.slot("event_type");
    const WORKER_ID: usize = EVENT.slot("worker_id");
    const SESSION_ID: usize = EVENT.slot("session_id");
    const SEQUENCE: usize = EVENT.slot("sequence");
    const BEAD_ID: usize = EVENT.slot("bead_id");
    const DATA: usize = EVENT.slot("data");
    const DURATION_MS: usize = EVENT.slot("duration_ms");
    const TRACE_ID: usize = EVENT.slot("trace_id");
    const SPAN_ID: usize = EVENT.slot("span_id");
    facts.set_type(fields.get(EVENT_TYPE));
    facts.level = level(&facts.event_type);
    facts.time_ns = fields.time_ns(TIMESTAMP);
    fields.put_text(WORKER_ID, &mut facts.actor);
    fields.put_text(SESSION_ID, &mut facts.session);
    facts.order = fields.get(SEQUENCE).and_then(Value::as_u64);
    if let (Some(worker), Some(session), Some(sequence)) =
        (fields.get(WORKER_ID), fields.get(SESSION_ID), facts.order)
    {
        facts.identity.put_sequence(worker, session, sequence);
    }
    fields.put_text(TRACE_ID, &mut facts.trace);
    fields.put_text(SPAN_ID, &mut facts.span);
    let added = fields.get(DATA).and_then(|data| read_data(facts, data));
    if let Some(bead) = fields.get(BEAD_ID) {
        bead.put_text_if_any(&mut facts.task);
    }
    facts.duration_ms = facts.duration_ms.or_else(|| fields.get(DURATION_MS).and_then(millis));
    if let Some(added) = added {
        carried::apply_added(facts, added);
    }
}

fn legacy_event_facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const TS: usize = LEGACY_EVENT.slot("ts");
    const NAME: usize = LEGACY_EVENT.slot("event");
    const WORKER: usize = LEGACY_EVENT.slot("worker");
    const LEVEL: usize = LEGACY_EVENT.slot("level");
    const SESSION: usize = LEGACY_EVENT.slot("session");
    const DATA: usize = LEGACY_EVENT.slot("data");
    set_type(facts, fields.text(NAME).unwrap_or_default());
    facts.level = fields.get(LEVEL).and_then(Level::read).unwrap_or(facts.level);
    facts.time_ns = fields.time_ns(TS);
    let worker = fields.get(WORKER).and_then(LegacyWorker::read);
    facts.actor = worker.map(LegacyWorker::into_name).filter(|name| !name.is_empty());
    fields.put_text(SESSION, &mut facts.session);
    if let Some(data) = fields.get(DATA) {
        read_data(facts, data);
    }
}

/// A flat record has the members of an event's `data` beside its own fields.
fn legacy_flat_facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const TS: usize = LEGACY_FLAT.slot("ts");
    const WORKER: usize = LEGACY_FLAT.slot("worker");
    const LEVEL: usize = LEGACY_FLAT.slot("level");
    const MSG: usize = LEGACY_FLAT.slot("msg");
    let text = fields.text(MSG).unwrap_or_default();
    let (name, said) =
        if is_type_name(&text) { (text, None) } else { (Cow::Borrowed(LOG_LINE), Some(text)) };
    set_type(facts, name);
    facts.level = fields.get(LEVEL).and_then(Level::read).unwrap_or(facts.level);
    facts.time_ns = fields.time_of_millis_ns(TS);
    fields.put_text(WORKER, &mut facts.actor);
    let record = fields.object();
    read_data(facts, record);
    facts.session = record.text_at("session").or_else(|| record.text_at("session_id"));
    facts.task = record.text_at("bead").or(facts.task.take());
    facts.trace = record.text_at("trace_id");
    facts.span = record.text_at("span_id");
    facts.message = said.or(facts.message.take());
}

/// Sets what a type alone gives.
fn set_type<'a>(facts: &mut Facts<'a>, name: Cow<'a, str>) {
    facts.event_type = name;
    facts.set_type_defaults();
    facts.level = level(&facts.event_type);
}

/// Returns whether a text is words in lower case with dots between them.
fn is_type_name(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|b| b == b'_' || b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    text.contains('.') && text.split('.').all(is_word)
}

/// Reads what `data` holds; returns what a translation has added to it.
fn read_data<'a>(facts: &mut Facts<'a>, data: Value<'a>) -> Option<Value<'a>> {
    let (mut error, mut reason, mut parent_bead, mut added) = (None, None, None, None);
    let mut usage: Option<Box<Usage<'a>>> = None;
    for (key, member) in data.members() {
        match key.listed_name() {
            name::BEAD_ID => member.put_text(&mut facts.task),
            name::PARENT_BEAD_ID => parent_bead = Some(member),
            name::PATH => member.put_text_if_any(&mut facts.path),
            name::FILE => member.put_text_if_none(&mut facts.path),
            name::DURATION_MS => facts.duration_ms = millis(member),
            name::ERROR => {
                let said =
                    if member.kind() == Kind::Text { Some(member) } else { member.get("message") };
                error = said.filter(Value::is_string);
            }
            name::REASON => reason = Some(member).filter(Value::is_string),
            name::MESSAGE => member.put_text(&mut facts.message),
            name::TOOL => member.put_text_if_any(&mut facts.tool),
            name::TOOL_NAME => member.put_text_if_none(&mut facts.tool),
            name::HOOK if facts.event_type.starts_with("hook.") => {
                member.put_text_if_none(&mut facts.tool);
            }
            name::STATUS if facts.event_type == "heartbeat.emitted" => {
                facts.status = member.as_text().and_then(|word| Status::parse(&word));
            }
            name::WORKER_ID | name::FROM_WORKER | name::WORKERS => {
                facts.subject = subject(facts, key.listed_name(), member).or(facts.subject.take());
            }
            name::TOKENS | name::COST if facts.event_type == "effort.recorded" => {
                read_effort(usage.get_or_insert_default(), key.listed_name(), member);
            }
            name::USED if facts.event_type.starts_with("budget.") => {
                usage.get_or_insert_default().used = member.as_f64()
            }
            name::LIMIT if facts.event_type.starts_with("budget.") => {
                usage.get_or_insert_default().limit = member.as_f64()
            }
            name::MODEL => usage.get_or_insert_default().model = member.as_text(),
            name::PROVIDER => usage.get_or_insert_default().provider = member.as_text(),
            carried::NAME => added = added.or(Some(member)),
            _ => {}
        }
    }
    if let Some(parent_bead) = parent_bead {
        parent_bead.put_text_if_none(&mut facts.task);
    }
    if let Some(said) = error.or(reason) {
        said.put_text(&mut facts.message);
    }
    facts.usage = usage;
    added
}

/// Returns the other worker that a member of `data` names, in the types that say something about one.
fn subject<'a>(facts: &Facts<'a>, key: Name, member: Value<'a>) -> Option<Cow<'a, str>> {
    match (facts.event_type.as_ref(), key) {
        (
            "heartbeat.stuck_detected"
            | "heartbeat.recovery"
            | "lock.priority_bump"
            | "mend.heartbeat_cleaned",
            name::WORKER_ID,
        )
        | ("lock.priority_bump_received", name::FROM_WORKER) => member.as_text(),
        ("file.conflict", name::WORKERS) => member
            .items()
            .filter_map(Value::as_text)
            .find(|worker| Some(worker) != facts.actor.as_ref()),
        _ => None,
    }
}

/// Reads what a bead has used: `tokens` is their sum, or an object that tells them apart.
fn read_effort<'a>(usage: &mut Usage<'a>, key: Name, member: Value<'a>) {
    if key == name::COST {
        usage.cost_usd = member.as_f64();
        return;
    }
    usage.total_tokens = member.as_u64();
    for (key, count) in member.members() {
        let Some(kind) = key.as_text() else { continue };
        match kind.as_ref() {
            "input" | "input_tokens" => usage.input_tokens = count.as_u64(),
            "output" | "output_tokens" => usage.output_tokens = count.as_u64(),
            "cache_read" | "cache_read_tokens" => usage.cache_read_tokens = count.as_u64(),
            "cache_write" | "cache_write_tokens" => usage.cache_write_tokens = count.as_u64(),
            "total" | "total_tokens" => usage.total_tokens = count.as_u64(),
            _ => {}
        }
    }
}
