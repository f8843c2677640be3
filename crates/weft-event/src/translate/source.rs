//! The event being translated: its facts with what was filled in, its meaning, and ids for targets that demand them.

use std::borrow::Cow;

use super::{Fill, Meaning, Numbering, Untranslatable};
use crate::event::Event;
use crate::facts::Facts;
use crate::identity::digest_parts;
use crate::json::Object;
use crate::shape::is_uuid;
use crate::{Dialect, json};

/// An event with all that a writer of a target asks for.
pub(super) struct Source<'a> {
    pub(super) event: Event<'a>,
    /// The event's facts; where it has none, those that were given.
    pub(super) facts: Facts<'a>,
    /// The names of the facts that were given.
    pub(super) filled: Vec<&'static str>,
    pub(super) meaning: Meaning,
    pub(super) fill: &'a Fill,
    /// The number for a target that demands one.
    pub(super) sequence: u64,
    /// Stands for an identity where the event has none.
    delivery: [u8; 16],
}

impl<'a> Source<'a> {
    pub(super) fn new(event: &Event<'a>, fill: &'a Fill, numbering: &Numbering) -> Self {
        let mut facts = event.facts();
        let meaning = Meaning::of(event, &facts);
        let mut filled = Vec::new();
        let mut text = |name, fact: &mut Option<Cow<'a, str>>, given: &'a Option<String>| {
            if let (true, Some(given)) = (fact.as_deref().is_none_or(str::is_empty), given) {
                *fact = Some(Cow::Borrowed(given));
                filled.push(name);
            }
        };
        text("tenant", &mut facts.tenant, &fill.tenant);
        text("actor", &mut facts.actor, &fill.agent);
        text("session", &mut facts.session, &fill.session);
        text("task", &mut facts.task, &fill.task);
        if meaning.is_about_tool() {
            text("tool", &mut facts.tool, &fill.tool);
        }
        if let (None, Some(time_ns)) = (facts.time_ns, fill.time_ns) {
            facts.time_ns = Some(time_ns);
            filled.push("time");
        }
        let has_identity = facts.identity.own.is_some();
        let delivery = if has_identity { [0; 16] } else { delivery(event, numbering) };
        Self { event: *event, facts, filled, meaning, fill, sequence: 0, delivery }
    }

    /// Returns the type that says the same in a dialect, or that there is none.
    pub(super) fn type_in(&self, to: Dialect) -> Result<Cow<'static, str>, Untranslatable> {
        type_in(&self.event, &self.facts, self.meaning, to).ok_or_else(|| {
            Untranslatable::NoEquivalent {
                from: self.event.dialect(),
                event_type: self.facts.event_type.to_string(),
                to,
                about: about(&self.event, &self.facts).unwrap_or(self.meaning.about()),
            }
        })
    }

    /// Returns the event's own id, else one made from its identity, else one made from its delivery. Never empty.
    pub(super) fn id(&self) -> Cow<'_, str> {
        let own = self.facts.identity.own.and_then(|key| key.as_id());
        own.unwrap_or_else(|| Cow::Owned(self.made_uuid()))
    }

    /// Returns the event's own id if it is a UUID, else one made from its identity; `None` if it has no identity.
    pub(super) fn own_uuid(&self) -> Option<Cow<'_, str>> {
        let own = self.facts.identity.own?.as_id().filter(|id| is_uuid(id.as_bytes()));
        Some(own.unwrap_or_else(|| Cow::Owned(self.made_uuid())))
    }

    /// Returns what stands for the event: its identity, else its delivery, as 128 bits.
    pub(super) fn key(&self) -> [u8; 16] {
        let own = self.facts.identity.own.as_ref();
        own.map_or(self.delivery, |key| key.digest(self.event.dialect()))
    }

    /// Returns [`Source::key`] as a UUID.
    pub(super) fn made_uuid(&self) -> String {
        uuid(self.key())
    }

    /// Returns the one whose events a target numbers together: the run in engine, else the actor in its session.
    pub(super) fn producer(&self, to: Dialect) -> [u8; 16] {
        let text = |fact: &'_ Option<Cow<'a, str>>| fact.clone().unwrap_or_default();
        if to == Dialect::Engine {
            return digest_parts(&[text(super::to_engine::run(&self.facts)).as_bytes()]);
        }
        digest_parts(&[text(&self.facts.actor).as_bytes(), text(&self.facts.session).as_bytes()])
    }
}

fn about(event: &Event<'_>, facts: &Facts<'_>) -> Option<&'static str> {
    event.dialect().taxonomy().get(&facts.event_type).map(|row| row.about)
}

/// Returns the type that an event has in a dialect; see [`Source::type_in`].
pub(super) fn type_in(
    event: &Event<'_>,
    facts: &Facts<'_>,
    meaning: Meaning,
    to: Dialect,
) -> Option<Cow<'static, str>> {
    let row = to.taxonomy().get(&facts.event_type).filter(|_| event.dialect() == to);
    let named = row.map(|row| row.name).or_else(|| meaning.written_as(to));
    match to {
        Dialect::Collector => Some(super::to_collector::event_type(named, facts)),
        Dialect::Engine => Some(Cow::Borrowed(named.unwrap_or(super::to_engine::OTHERWISE))),
        Dialect::Needle => {
            Some(named.map_or_else(|| super::to_needle::event_type(facts), Cow::Borrowed))
        }
        Dialect::Pinchy => named.map(Cow::Borrowed),
        Dialect::Idle => {
            named.map(Cow::Borrowed).filter(|name| super::to_idle::TYPES.contains(&name.as_ref()))
        }
        Dialect::Weft => None,
    }
}

/// Writes a member if there is a text for it.
pub(super) fn put(object: &mut Object<'_>, name: &str, text: &Option<Cow<'_, str>>) {
    text.iter().for_each(|text| object.text(name, text));
}

fn delivery(event: &Event<'_>, numbering: &Numbering) -> [u8; 16] {
    let (origin, nth) = numbering.delivery();
    digest_parts(&[origin.as_bytes(), &nth.to_le_bytes(), &json::digest(event.value())])
}

/// Writes 128 bits as a UUID of version 8, whose bits are free but for version and variant.
pub(crate) fn uuid(mut bits: [u8; 16]) -> String {
    bits[6] = bits[6] & 0x0f | 0x80;
    bits[8] = bits[8] & 0x3f | 0x80;
    let hex = hex(&bits);
    let [a, b, c, d, e] = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("{a}-{b}-{c}-{d}-{e}")
}

/// Writes bytes as lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
