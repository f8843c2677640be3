//! Event types as data: what each means, and the status it gives its actor.

use crate::Status;
use crate::json::{same_name, text_hash};

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
    /// The places of the rows by the hash of their names, each in its own or the next free one after it.
    places: [u8; PLACES],
}

/// How many places there are for the rows of a dialect: more than twice as many as rows, so that most are found at once.
const PLACES: usize = 256;

/// What stands in a place that no row has.
const FREE: u8 = u8::MAX;

impl Taxonomy {
    pub(crate) const fn new(rows: &'static [EventType]) -> Self {
        assert!(rows.len() < PLACES / 2, "the table of places is too small");
        let mut places = [FREE; PLACES];
        let mut idx = 0;
        while idx < rows.len() {
            let mut at = place(rows[idx].name);
            while places[at] != FREE {
                at = (at + 1) % PLACES;
            }
            places[at] = idx as u8;
            idx += 1;
        }
        Self { rows, places }
    }

    /// Returns the types in the order of the document.
    pub fn rows(&self) -> &'static [EventType] {
        self.rows
    }

    /// Returns the type of this name.
    pub fn get(&self, name: &str) -> Option<&'static EventType> {
        let mut at = place(name);
        loop {
            let row = self.rows.get(usize::from(self.places[at]))?;
            if same_name(row.name.as_bytes(), name.as_bytes()) {
                return Some(row);
            }
            at = (at + 1) % PLACES;
        }
    }
}

#[inline]
const fn place(name: &str) -> usize {
    text_hash(name.as_bytes()) as usize % PLACES
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
