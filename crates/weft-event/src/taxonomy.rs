//! Event types as data: what each means, and the status it gives its actor.

use crate::Status;
use crate::json::{Ends, Value};

/// One event type of a dialect.
#[derive(Debug)]
pub struct EventType {
    /// The name on the wire.
    pub name: &'static str,
    /// The status it gives the actor; `None` leaves the status as it was.
    pub status: Option<Status>,
    /// Whether it ends the actor.
    pub ends: bool,
    /// What it means.
    pub about: &'static str,
    /// The fields to look at first.
    pub fields: &'static [&'static str],
    /// Why it has this status, or none.
    pub why: &'static str,
}

/// The event types of a dialect, in the order of its document.
#[derive(Debug)]
pub struct Taxonomy {
    rows: &'static [EventType],
    /// The rows by the hash of their names, each in its own place or the next free one after it.
    places: [Place; PLACES],
    /// What the rows mean, by their number, close together.
    outcomes: [Outcome; PLACES / 2],
}

/// What of a row is asked for most, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Place {
    name: Ends,
    row: u8,
    outcome: Outcome,
}

/// What an event of a type means for its actor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The status it gives the actor; `None` leaves the status as it was.
    pub(crate) status: Option<Status>,
    /// Whether it ends the actor.
    pub(crate) ends: bool,
}

/// How many bits of a hash choose a place.
const PLACE_BITS: u32 = 8;

/// How many places there are for the rows of a dialect: more than twice as many as rows, so that most are found at once.
const PLACES: usize = 1 << PLACE_BITS;

/// What stands in a place that no row has.
const FREE: u8 = u8::MAX;

impl Taxonomy {
    pub(crate) const fn new(rows: &'static [EventType]) -> Self {
        assert!(rows.len() < PLACES / 2, "the table of places is too small");
        let outcome = Outcome { status: None, ends: false };
        let mut places = [Place { name: Ends::NONE, row: FREE, outcome }; PLACES];
        let mut outcomes = [outcome; PLACES / 2];
        let mut idx = 0;
        while idx < rows.len() {
            let name = Ends::listed(rows[idx].name);
            let mut at = name.hash(PLACE_BITS);
            while places[at].row != FREE {
                at = (at + 1) % PLACES;
            }
            let outcome = Outcome { status: rows[idx].status, ends: rows[idx].ends };
            places[at] = Place { name, row: idx as u8, outcome };
            outcomes[idx] = outcome;
            idx += 1;
        }
        Self { rows, places, outcomes }
    }

    /// Returns the types of a dialect that has an enum of them, whose words must be the names of the rows in their order.
    pub(crate) const fn of_words(rows: &'static [EventType], words: &[&str]) -> Self {
        assert!(rows.len() == words.len(), "each word has a row");
        let mut idx = 0;
        while idx < rows.len() {
            let (name, word) = (Ends::listed(rows[idx].name), Ends::listed(words[idx]));
            assert!(name.same(&word), "the rows are in the order of the words");
            idx += 1;
        }
        Self::new(rows)
    }

    /// Returns the types in the order of the document.
    pub fn rows(&self) -> &'static [EventType] {
        self.rows
    }

    /// Returns the type of this name.
    pub fn get(&self, name: &str) -> Option<&'static EventType> {
        let place = self.find(&Ends::of(name)?)?;
        self.rows.get(usize::from(place.row))
    }

    /// Returns what an event of this type means for its actor.
    pub(crate) fn outcome(&self, name: &str) -> Option<Outcome> {
        Some(self.find(&Ends::of(name)?)?.outcome)
    }

    /// Returns what an event of the type in this row means for its actor.
    #[inline]
    pub(crate) fn outcome_at(&self, row: usize) -> Option<Outcome> {
        self.outcomes.get(row).copied()
    }

    /// Returns what an event of the type that a value names means for its actor.
    #[inline]
    pub(crate) fn outcome_of(&self, name: Value<'_>) -> Option<Outcome> {
        match name.ends() {
            Some(name) => Some(self.find(&name)?.outcome),
            None => self.outcome(&name.as_text()?),
        }
    }

    fn find(&self, name: &Ends) -> Option<&Place> {
        let mut at = name.hash(PLACE_BITS);
        loop {
            let place = &self.places[at];
            if place.name.same(name) {
                return Some(place);
            }
            if place.row == FREE {
                return None;
            }
            at = (at + 1) % PLACES;
        }
    }
}

/// Writes one row: name, status or `-`, a mark for types that end their actor, meaning, fields, reason.
macro_rules! event_types {
    ($($name:literal $status:tt $($ends:ident)?: $about:literal [$($field:literal),*] $why:literal;)+) => {
        &[$($crate::taxonomy::EventType {
            name: $name,
            status: $crate::taxonomy::event_types!(@status $status),
            ends: $crate::taxonomy::event_types!(@ends $($ends)?),
            about: $about,
            fields: &[$($field),*],
            why: $why,
        },)+]
    };
    (@status -) => { None };
    (@status $status:ident) => { Some($crate::Status::$status) };
    (@ends) => { false };
    (@ends ends) => { true };
}

pub(crate) use event_types;
