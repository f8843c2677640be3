//! The object that a translation adds, and the way back to the original that is in it.

use super::source::type_in;
use super::{Fill, Meaning, Source, Target};
use crate::Dialect;
use crate::event::{self, Event, Expect};
use crate::facts::carried;
use crate::json::{Json, Kind, Tape, Value};
use crate::problem::Problems;

/// How the original is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// As a value.
    Value,
    /// As a string: for an original that has a key twice, or is nested almost too deeply.
    Text,
    /// Not at all.
    Nothing,
}

/// Returns the object to add: where the event comes from, the facts without a place of their own, and the original.
pub(super) fn added(
    source: &Source<'_>,
    leftover: &[(&'static str, Json<'static>)],
    keep: Keep,
) -> Json<'static> {
    let value = source.event.value();
    Json::object(|object| {
        object.text("dialect", source.event.dialect().as_str());
        object.text("type", &source.facts.event_type);
        if !leftover.is_empty() {
            let facts = Json::object(|facts| {
                leftover.iter().for_each(|(name, json)| facts.json(name, json));
            });
            object.json("facts", &facts);
        }
        if !source.filled.is_empty() {
            object.json("filled", &Json::array(source.filled.iter().map(|name| Json::text(name))));
        }
        match keep {
            Keep::Value => object.json("event", &Json::of(value)),
            Keep::Text => object.text("event", value.raw()),
            Keep::Nothing => {}
        }
    })
}

/// Returns the original that an event was translated from, if it is of the wanted target and the event still says the same.
///
/// An original that is itself a translation is opened in turn.
pub(super) fn original(event: &Event<'_>, to: Target) -> Option<String> {
    let added = free_place(event)?.get(carried::KEY)?;
    let word = added.text_at("dialect")?;
    let kept = added.get("event")?;
    let text = match kept.kind() {
        Kind::Text => kept.as_text()?.into_owned(),
        Kind::Object => kept.raw().to_owned(),
        _ => return None,
    };
    let Some(dialect) = Dialect::parse(&word) else {
        return foreign_original(event, Target::parse(&word)?, text)
            .filter(|_| to.as_str() == word);
    };
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let expect = Expect::Dialect(dialect);
    let inner = event::read(&mut tape, text.as_bytes(), expect, &mut problems)?;
    if problems.has_errors() || !says_the_same(event, added, &inner) {
        return None;
    }
    if to.dialect() == Some(dialect) {
        return Some(inner.value().raw().to_owned());
    }
    original(&inner, to)
}

/// Returns the CloudEvent or log record that an event was made from, if the event is still what was made.
fn foreign_original(event: &Event<'_>, to: Target, text: String) -> Option<String> {
    let mut tape = Tape::new();
    let value = tape.parse(&text).ok()?;
    let made = match to {
        Target::CloudEvents => super::cloudevents::open(value, &Fill::default()),
        Target::Otlp => super::otlp::open(value, &Fill::default()),
        Target::Idle | Target::Collector | Target::Pinchy | Target::Engine | Target::Needle => None,
    };
    let made = made?.into_iter().next()?.ok()?;
    (made.line == event.value().raw()).then_some(text)
}

/// Returns whether a translation still has the type and the facts of its original, apart from what was filled in.
fn says_the_same(event: &Event<'_>, added: Value<'_>, original: &Event<'_>) -> bool {
    let facts = original.facts();
    let expected = type_in(original, &facts, Meaning::of(original, &facts), event.dialect());
    let said = event.facts();
    let is_filled = |name: &str| {
        added.get("filled").is_some_and(|filled| filled.items().any(|item| item.is_text(name)))
    };
    expected.is_some_and(|expected| expected == said.event_type)
        && carried::difference(&facts, &said).iter().all(|(name, _)| is_filled(name))
}

/// Returns the object of a dialect's event in which anything may stand.
fn free_place<'a>(event: &Event<'a>) -> Option<Value<'a>> {
    let value = event.value();
    let has_one = event.dialect() != Dialect::Weft;
    let member = free_member(event.dialect());
    member.map_or(Some(value), |name| value.get(name)).filter(|_| has_one)
}

/// Returns the name of the member in which anything may stand; `None` if that is the event itself.
pub(super) fn free_member(dialect: Dialect) -> Option<&'static str> {
    match dialect {
        Dialect::Collector => Some("metadata"),
        Dialect::Pinchy => Some("meta"),
        Dialect::Engine => Some("payload"),
        Dialect::Needle => Some("data"),
        Dialect::Idle | Dialect::Weft => None,
    }
}
