//! An event of an old or tolerated form, in the form that its own dialect's document gives it.

use super::Numbering;
use super::carry::{self, Keep};
use super::source::Source;
use crate::Dialect;
use crate::collector::LegacyRow;
use crate::event::{self, Event, Expect};
use crate::facts::{Facts, carried};
use crate::idle::SCHEMA;
use crate::json::{Json, Tape, Value};
use crate::needle::LegacyEvent;
use crate::problem::Problems;
use crate::shape::Wire as _;

/// Returns the event in its proper form with the same facts, if that can be had without writing it anew from its facts.
pub(super) fn upgrade(source: &Source<'_>, numbering: &mut Numbering) -> Option<String> {
    let value = source.event.value();
    let has = |name: &str| value.get(name).is_some();
    let line = match source.event.dialect() {
        Dialect::Collector if !has("version") && !has("event_type") => {
            LegacyRow::read(value)?.into_event().to_line()
        }
        Dialect::Idle if !has("topic_id") => with_schema(value),
        Dialect::Needle if has("event") => {
            let producer = source.producer(Dialect::Needle);
            let number = numbering.peek(producer, None).ok()?;
            let line = numbered(source, LegacyEvent::read(value)?, number)?;
            numbering.take(producer, number);
            return Some(line);
        }
        Dialect::Collector
        | Dialect::Idle
        | Dialect::Needle
        | Dialect::Pinchy
        | Dialect::Engine
        | Dialect::Weft => return None,
    };
    let facts = source.event.facts();
    leftover(&facts, &line)?.is_empty().then_some(line)
}

/// Returns an old needle event with a number. What its new form would say otherwise is carried in its data.
fn numbered(source: &Source<'_>, mut legacy: LegacyEvent<'_>, number: u64) -> Option<String> {
    // Whoever is named by a flag has to be so in the fields too, since they are the event's identity.
    if source.filled.iter().any(|&name| name == "actor" || name == "session") {
        return None;
    }
    let plain = legacy.clone().into_event(number).to_line();
    let added = carry::added(source, &leftover(&source.facts, &plain)?, Keep::Nothing);
    let data = source.event.value().get("data").filter(|data| data.get(carried::KEY).is_none())?;
    legacy.data = Json::object(|out| {
        for (key, member) in data.members() {
            out.json(&key.as_text().expect("a key is a string"), &Json::of(member));
        }
        out.json(carried::KEY, &added);
    });
    let line = legacy.into_event(number).to_line();
    leftover(&source.facts, &line)?.is_empty().then_some(line)
}

/// Returns the wanted facts that a line of the same dialect says otherwise; `None` if the line is not proper.
fn leftover(wanted: &Facts<'_>, line: &str) -> Option<Vec<(&'static str, Json<'static>)>> {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let read = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems)?;
    let is_proper = problems.list().is_empty() && read.dialect() == wanted.dialect;
    is_proper.then(|| carried::difference(wanted, &read.facts()))
}

/// Returns whether an event is in its proper form already: valid, and without a warning.
pub(super) fn is_proper(event: &Event<'_>) -> bool {
    let mut problems = Problems::new();
    event::read_value(event.value(), Expect::Dialect(event.dialect()), &mut problems);
    problems.list().is_empty()
}

/// Returns an idle event with the schema number that the document gives, and everything else as it was.
fn with_schema(value: Value<'_>) -> String {
    let line = Json::object(|event| {
        event.json("schema", &Json::integer(SCHEMA));
        for (key, member) in value.members() {
            let name = key.as_text().expect("a key is a string");
            if name != "schema" {
                event.json(&name, &Json::of(member));
            }
        }
    });
    line.as_str().to_owned()
}
