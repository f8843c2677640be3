//! What the log says of subscriptions: the one place they are kept. Folded from records of three last-value topics.

mod read;
mod show;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::json::{Json, Object, Tape, Value};
use weft_event::time::{format_rfc3339, parse_rfc3339};
use weft_log::admit::{Admitted, Arrival, Gate, Refusal, Strictness};
use weft_log::blobs::Which;
use weft_log::{Meta, Position, Store, TopicKey};

use super::definition::{Definition, DefinitionError};
use super::schedule::Tried;

pub use read::read;

/// Where subscriptions stand, by name.
pub const DEFINITIONS: &str = "weft:subscription";
/// How far they are, by name.
pub const ACKNOWLEDGEMENTS: &str = "weft:subscription-ack";
/// Which events could not be delivered, by `name/position`.
pub const DEAD: &str = "weft:subscription-dead";

/// The way in of these records.
const VIA: &str = "subscription";

/// Ranges that are written beyond an acknowledged position. What does not fit is delivered again after a crash.
pub const SETTLED_RANGES_MAX: usize = 256;

/// Failing events that are written with an acknowledged position. What does not fit is tried from the beginning after a crash.
pub const TRIED_MAX: usize = 256;

/// All subscriptions. Holds nothing that the log does not.
#[derive(Clone, Debug, Default)]
pub struct Books {
    entries: BTreeMap<String, Entry>,
}

/// What the log says of one subscription.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The subscription; an error if this version of Weft cannot read it.
    pub definition: Result<Definition, DefinitionError>,
    /// Where it stands.
    pub position: Position,
    /// How far it is.
    pub progress: Acknowledged,
    /// What could not be delivered, by position.
    pub dead: BTreeMap<u64, Dead>,
}

/// How far a subscription is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// Everything up to here is settled.
    pub position: u64,
    /// What is settled beyond.
    pub settled: Vec<RangeInclusive<u64>>,
    /// What failed and is not settled.
    pub tried: Vec<Tried>,
    /// How many events the subscriber took.
    pub n_delivered: u64,
    /// How many records were damaged or pruned before they could be delivered.
    pub n_lost: u64,
}

/// An event that could not be delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// Its position.
    pub position: u64,
    /// Its id.
    pub event_id: String,
    /// How often it was tried.
    pub attempts: u32,
    /// What the last try said.
    pub error: String,
    /// When it was given up, in nanoseconds since 1970.
    pub at_ns: i64,
    /// Whether it is to be tried again.
    pub fate: Fate,
}

/// What becomes of a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays.
    Kept,
    /// It is delivered again, out of its order.
    Replayed,
    /// It was delivered or dropped: a tombstone.
    Gone,
}

/// A record that is to be written.
#[derive(Clone, Debug)]
pub struct Note {
    topic: TopicKey,
    kind: &'static str,
    data: Json<'static>,
}

impl Note {
    /// Says what a subscription is from now on.
    pub fn definition(definition: &Definition) -> Self {
        let topic = topic(DEFINITIONS, definition.name.clone());
        let data = Json::object(|object| definition.write(object));
        Self { topic, kind: "subscription.changed", data }
    }

    /// Says how far a subscription is.
    pub fn acknowledged(definition: &Definition, acknowledged: &Acknowledged) -> Self {
        let topic = topic(ACKNOWLEDGEMENTS, definition.name.clone());
        let data = Json::object(|object| {
            object.text("name", &definition.name);
            object.text("id", &definition.id);
            object.json("round", &Json::integer(definition.round));
            acknowledged.write(object);
        });
        Self { topic, kind: "subscription.acknowledged", data }
    }

    /// Says that an event could not be delivered, or what became of it since.
    pub fn dead(definition: &Definition, dead: &Dead) -> Self {
        let key = format!("{}/{}", definition.name, dead.position);
        let data = Json::object(|object| {
            object.text("name", &definition.name);
            object.text("id", &definition.id);
            dead.write(object);
        });
        Self { topic: topic(DEAD, key), kind: "subscription.dead", data }
    }

    /// Makes an event of the log of it.
    pub fn admit(&self, store: &Store, now_ns: i64) -> Result<Admitted, Refusal> {
        let line = Json::object(|object| {
            object.json("weft", &Json::integer(1));
            object.text("type", self.kind);
            object.text("id", &uuid::Uuid::now_v7().to_string());
            object.text("at", &format_rfc3339(now_ns));
            object.json("data", &self.data);
        });
        let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
        gate.admit_own(&Arrival {
            line: line.as_str().as_bytes(),
            expect: Expect::Dialect(Dialect::Weft),
            via: VIA,
            delivery: None,
            topic: Some(&self.topic),
        })
    }
}

/// Returns the key of a last-value topic.
pub(super) fn topic(topic: &str, key: String) -> TopicKey {
    TopicKey { topic: topic.to_owned(), key: Some(key) }
}

/// Returns whether a record is one of these books, which no subscription delivers.
pub fn is_bookkeeping(meta: &Meta) -> bool {
    topic_of(meta).is_some()
}

fn topic_of(meta: &Meta) -> Option<(&str, &str)> {
    let mark = meta.mark.as_ref().filter(|mark| mark.dialect == Dialect::Weft)?;
    let TopicKey { topic, key } = mark.topic.as_ref()?;
    [DEFINITIONS, ACKNOWLEDGEMENTS, DEAD].contains(&&**topic).then_some((topic, key.as_deref()?))
}

impl Books {
    /// Returns the subscriptions that are there, by name.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        let is_there = |(_, entry): &(&String, &Entry)| !entry.is_removed();
        self.entries.iter().filter(is_there).map(|(name, entry)| (&**name, entry))
    }

    /// Returns a subscription, if it is there.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name).filter(|entry| !entry.is_removed())
    }

    /// Returns where the newest record of a name stands, whether or not there is such a subscription now.
    pub fn last(&self, name: &str) -> Option<Position> {
        self.entries.get(name).map(|entry| entry.position)
    }

    /// Takes what a record says; returns the name of the subscription that it says something about.
    pub fn apply(&mut self, meta: &Meta, line: &[u8]) -> Option<String> {
        let (topic, key) = topic_of(meta)?;
        let mut tape = Tape::new();
        let data = tape.parse_bytes(line).ok()?.get("data")?;
        match topic {
            DEFINITIONS => {
                self.define(key, Definition::read(data), meta.position);
                Some(key.to_owned())
            }
            ACKNOWLEDGEMENTS => {
                let entry = self.entries.get_mut(key).filter(|entry| entry.is_of(data))?;
                let round = data.get("round").and_then(Value::as_u64);
                let is_now = entry.definition.as_ref().is_ok_and(|now| Some(now.round) == round);
                let mut read = Acknowledged::read(data)?;
                if meta.position < entry.position {
                    // A change of the subscription begins the tries anew.
                    read.tried.clear();
                }
                if is_now {
                    entry.progress = read;
                } else {
                    // It is of an earlier round: what was counted goes on.
                    let Acknowledged { n_delivered, n_lost, .. } = read;
                    entry.progress.n_delivered = entry.progress.n_delivered.max(n_delivered);
                    entry.progress.n_lost = entry.progress.n_lost.max(n_lost);
                }
                Some(key.to_owned())
            }
            _ => {
                let name = key.rsplit_once('/')?.0;
                let entry = self.entries.get_mut(name).filter(|entry| entry.is_of(data))?;
                let dead = Dead::read(data)?;
                match dead.fate {
                    Fate::Kept | Fate::Replayed => drop(entry.dead.insert(dead.position, dead)),
                    Fate::Gone => drop(entry.dead.remove(&dead.position)),
                }
                Some(name.to_owned())
            }
        }
    }

    /// Takes what was just written of how far a subscription is.
    pub(super) fn note_progress(&mut self, of: &Definition, written: Acknowledged) {
        if let Some(entry) = self.entries.get_mut(&of.name)
            && let Ok(now) = &entry.definition
            && (&now.id, now.round) == (&of.id, of.round)
        {
            entry.progress = Acknowledged { tried: Vec::new(), ..written };
        }
    }

    fn define(
        &mut self,
        name: &str,
        definition: Result<Definition, DefinitionError>,
        position: Position,
    ) {
        let start = definition.as_ref().map_or(0, |definition| definition.start);
        let fresh = Acknowledged { position: start, ..Acknowledged::default() };
        let before = self.entries.remove(name);
        let (progress, dead) = match (before, &definition) {
            (Some(before), Ok(definition)) => match before.definition {
                Ok(old) if old.id == definition.id && old.round == definition.round => {
                    (Acknowledged { tried: Vec::new(), ..before.progress }, before.dead)
                }
                Ok(old) if old.id == definition.id => {
                    let Acknowledged { n_delivered, n_lost, .. } = before.progress;
                    (Acknowledged { n_delivered, n_lost, ..fresh }, before.dead)
                }
                Ok(_) | Err(_) => (fresh, BTreeMap::new()),
            },
            (None, _) | (_, Err(_)) => (fresh, BTreeMap::new()),
        };
        self.entries.insert(name.to_owned(), Entry { definition, position, progress, dead });
    }
}

impl Entry {
    fn is_removed(&self) -> bool {
        use super::definition::State;
        self.definition.as_ref().is_ok_and(|definition| definition.state == State::Removed)
    }

    fn is_of(&self, data: Value<'_>) -> bool {
        self.definition
            .as_ref()
            .is_ok_and(|definition| data.get("id").is_some_and(|id| id.is_text(&definition.id)))
    }
}

impl Acknowledged {
    /// Writes the members.
    pub fn write(&self, object: &mut Object<'_>) {
        object.json("position", &Json::integer(self.position));
        let range = |range: &RangeInclusive<u64>| {
            Json::array([Json::integer(*range.start()), Json::integer(*range.end())])
        };
        object.json("settled", &Json::array(self.settled.iter().map(range)));
        if !self.tried.is_empty() {
            let numbers = |tried: &Tried| {
                [tried.position, tried.attempts.into(), tried.strikes.into()].map(Json::integer)
            };
            let tried = self.tried.iter().map(|tried| Json::array(numbers(tried)));
            object.json("tried", &Json::array(tried));
        }
        object.json("delivered", &Json::integer(self.n_delivered));
        object.json("lost", &Json::integer(self.n_lost));
    }

    fn read(data: Value<'_>) -> Option<Self> {
        let number = |name| data.get(name).and_then(Value::as_u64);
        let range = |pair: Value<'_>| {
            let mut ends = pair.items().map(Value::as_u64);
            Some(ends.next()??..=ends.next()??)
        };
        let settled: Option<_> = data
            .get("settled")
            .map_or(Some(Vec::new()), |settled| settled.items().map(range).collect());
        let tried = |numbers: Value<'_>| {
            let mut numbers = numbers.items().map(Value::as_u64);
            let position = numbers.next()??;
            let mut count = || u32::try_from(numbers.next()??).ok();
            Some(Tried { position, attempts: count()?, strikes: count()? })
        };
        let tried: Option<_> =
            data.get("tried").map_or(Some(Vec::new()), |all| all.items().map(tried).collect());
        Some(Self {
            position: number("position")?,
            settled: settled?,
            tried: tried?,
            n_delivered: number("delivered").unwrap_or(0),
            n_lost: number("lost").unwrap_or(0),
        })
    }
}

impl Dead {
    /// Writes the members.
    pub fn write(&self, object: &mut Object<'_>) {
        object.json("position", &Json::integer(self.position));
        object.text("event_id", &self.event_id);
        object.json("attempts", &Json::integer(self.attempts));
        object.text("error", &self.error);
        object.text("dead_at", &format_rfc3339(self.at_ns));
        object.text("fate", self.fate.as_str());
    }

    fn read(data: Value<'_>) -> Option<Self> {
        let fate = [Fate::Kept, Fate::Replayed, Fate::Gone];
        let attempts = data.get("attempts").and_then(Value::as_u64)?;
        Some(Self {
            position: data.get("position").and_then(Value::as_u64)?,
            event_id: data.text_at("event_id")?.into_owned(),
            attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
            error: data.text_at("error")?.into_owned(),
            at_ns: parse_rfc3339(&data.text_at("dead_at")?)?,
            fate: fate
                .into_iter()
                .find(|fate| data.text_at("fate").is_some_and(|text| text == fate.as_str()))?,
        })
    }
}

impl Fate {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Replayed => "replayed",
            Self::Gone => "gone",
        }
    }
}

#[cfg(test)]
mod tests;
