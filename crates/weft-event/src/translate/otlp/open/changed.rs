//! Records of ours that somebody changed: what a record shows against what the event inside it says.

use super::record::Record;
use super::request::records;
use super::{EVENT, NEEDLE_BEAD, NEEDLE_SEQUENCE, NEEDLE_SESSION, NEEDLE_WORKER, Signal, usage};
use crate::event::{self, Event, Expect};
use crate::facts::carried;
use crate::json::{Json, Kind, Tape, Value};
use crate::problem::{Code, Problem, Problems};
use crate::translate::otlp::names::{AGENT, SESSION, TOOL_NAME};
use crate::translate::otlp::{FILLED, write};
use crate::translate::{Fill, Numbering, Opened, Origin, Source, Untranslatable, carry};
use crate::{Dialect, time};

/// Facts that are text, with the attributes that show them.
const TEXTS: [(&str, &str); 17] = [
    ("actor", NEEDLE_WORKER),
    ("actor", AGENT[0]),
    ("session", NEEDLE_SESSION),
    ("session", SESSION[0]),
    ("session", SESSION[1]),
    ("task", NEEDLE_BEAD),
    ("task", "weft.task"),
    ("subject", "weft.subject"),
    ("parent", "weft.parent"),
    ("tenant", "tenant.id"),
    ("tool", TOOL_NAME[0]),
    ("path", "file.path"),
    ("trace", "weft.trace_id"),
    ("span", "weft.span_id"),
    ("parent_span", "weft.parent_span_id"),
    ("topic", "weft.topic"),
    ("status", "weft.status"),
];

/// A fact by name, as it is carried.
type Fact = (&'static str, Json<'static>);

/// Opens a record that holds an event: as it is, or, if the record shows other facts by now, with those carried.
pub(super) fn open(
    record: &Record<'_>,
    dialect: Dialect,
    line: String,
) -> Result<Opened, Untranslatable> {
    let changes = changes(record, dialect, &line);
    if changes.is_empty() {
        return Ok(Opened { line, dialect, origin: Origin::Original, losses: Vec::new() });
    }
    let line = with_facts(dialect, &line, &changes);
    match changes_left(record, dialect, &line) {
        None => Ok(Opened { line, dialect, origin: Origin::Made, losses: Vec::new() }),
        Some(name) => Err(Untranslatable::Malformed(Problem {
            code: Code::Enum,
            pointer: record.value.pointer(),
            message: format!(
                "the record was changed: its {name} is not that of `{EVENT}`, which cannot take it"
            ),
        })),
    }
}

fn changes_left(record: &Record<'_>, dialect: Dialect, line: &str) -> Option<&'static str> {
    changes(record, dialect, line).first().map(|(name, _)| *name)
}

/// Returns the facts that a record shows otherwise than the event on this line would be shown. An invalid event has none.
fn changes(record: &Record<'_>, dialect: Dialect, line: &str) -> Vec<Fact> {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let expect = Expect::Dialect(dialect);
    let read = event::read(&mut tape, line.as_bytes(), expect, &mut problems);
    let Some(event) = read.filter(|_| !problems.has_errors()) else { return Vec::new() };
    let request = as_written(record, &event);
    let mut tape = Tape::new();
    let written = tape.parse(&request).ok();
    let written = written.map(|value| records(value, Signal::Logs));
    let written = written.and_then(|records| records.good.into_iter().next());
    let Some(written) = written else { return Vec::new() };
    let mut changes: Vec<Fact> = Vec::new();
    for ((name, found), (_, expected)) in shown(record).into_iter().zip(shown(&written)) {
        let is_new = changes.iter().all(|(known, _)| *known != name);
        // What was taken away, as exporters and processors do, says nothing else.
        if let Some(found) = found.filter(|found| Some(found) != expected.as_ref() && is_new) {
            changes.push((name, found));
        }
    }
    changes
}

/// Writes the event as it was written when the record was made: with what was filled in then.
fn as_written(record: &Record<'_>, event: &Event<'_>) -> String {
    let filled = record.text(&[FILLED]).unwrap_or_default();
    let is_filled = |name: &str| filled.split(',').any(|filled| filled == name);
    let text = |name: &str, attribute: &str| {
        record.text(&[attribute]).filter(|_| is_filled(name)).map(|text| text.into_owned())
    };
    let fill = Fill {
        tenant: text("tenant", "tenant.id"),
        agent: text("actor", AGENT[0]),
        session: text("session", SESSION[0]),
        task: text("task", "weft.task"),
        tool: text("tool", TOOL_NAME[0]),
        time_ns: record.own_time_ns().filter(|_| is_filled("time")),
        ..Fill::default()
    };
    write(&Source::new(event, &fill, &Numbering::new()))
}

/// Returns every fact that a record can show, in one order for all records.
fn shown(record: &Record<'_>) -> Vec<(&'static str, Option<Json<'static>>)> {
    let own = |name| record.value.text_at(name).map(|text| Json::text(&text));
    let count = |name| record.count(&[name]).map(Json::integer);
    let at = record.own_time_ns().map(|ns| Json::text(&time::format_rfc3339(ns)));
    let ended = record.text(&["weft.ended"]).map(|text| Json::bool(text == "true"));
    let mut shown = vec![
        ("type", own("eventName")),
        ("time", at),
        ("level", record.level().map(|level| Json::text(level.as_str()))),
        ("message", record.body().map(|body| Json::text(&body))),
        ("trace", own("traceId")),
        ("span", own("spanId")),
        ("order", count(NEEDLE_SEQUENCE)),
        ("order", count("event.sequence")),
        ("ended", ended),
        ("progress", record.number(&["weft.progress"]).map(Json::number)),
        ("duration_ms", count("duration_ms")),
        ("usage", usage(record).map(|usage| carried::write_usage(&usage))),
    ];
    let texts = TEXTS.iter().map(|(name, attribute)| (*name, record.text(&[attribute])));
    shown.extend(texts.map(|(name, text)| (name, text.map(|text| Json::text(&text)))));
    shown
}

/// Writes an event with facts carried in its free place, over those that it carries already.
fn with_facts(dialect: Dialect, line: &str, facts: &[Fact]) -> String {
    let mut tape = Tape::new();
    let Ok(event) = tape.parse(line) else { return line.to_owned() };
    let path = carry::free_member(dialect).into_iter().chain([carried::KEY, "facts"]);
    put_facts(Some(event), &path.collect::<Vec<_>>(), facts).as_str().to_owned()
}

fn put_facts(object: Option<Value<'_>>, path: &[&str], facts: &[Fact]) -> Json<'static> {
    let object = object.filter(|object| object.kind() == Kind::Object);
    let is_replaced = |name: &str| match path.first() {
        Some(next) => name == *next,
        None => facts.iter().any(|(fact, _)| *fact == name),
    };
    Json::object(|out| {
        for (key, member) in object.into_iter().flat_map(Value::members) {
            let name = key.as_text().expect("a key is a string");
            if !is_replaced(&name) {
                out.json(&name, &Json::of(member));
            }
        }
        match path.split_first() {
            Some((next, rest)) => {
                let inner = object.and_then(|object| object.get(next));
                out.json(next, &put_facts(inner, rest, facts));
            }
            None => facts.iter().for_each(|(name, json)| out.json(name, json)),
        }
    })
}
