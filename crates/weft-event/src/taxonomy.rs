//! Event types as data: what each means, and the status it gives its actor.

use std::sync::LazyLock;

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
    by_name: LazyLock<Index>,
}

/// The rows by the hash of their names: open addressing, at most half full.
type Index = Vec<Option<&'static EventType>>;

impl Taxonomy {
    pub(crate) const fn new(rows: &'static [EventType], by_name: fn() -> Index) -> Self {
        Self { rows, by_name: LazyLock::new(by_name) }
    }

    /// Returns the types in the order of the document.
    pub fn rows(&self) -> &'static [EventType] {
        self.rows
    }

    /// Returns the type of this name.
    pub fn get(&self, name: &str) -> Option<&'static EventType> {
        let index = &*self.by_name;
        let mut at = usize::from(text_hash(name.as_bytes()));
        loop {
            let row = index[at % index.len()]?;
            if same_name(row.name.as_bytes(), name.as_bytes()) {
                return Some(row);
            }
            at += 1;
        }
    }
}

/// Returns the rows by the hash of their names, for look-ups.
pub(crate) fn index(rows: &'static [EventType]) -> Index {
    let mut index = vec![None; (rows.len() * 2 + 1).next_power_of_two()];
    for row in rows {
        let mut at = usize::from(text_hash(row.name.as_bytes()));
        while index[at % index.len()].is_some() {
            at += 1;
        }
        let slot = at % index.len();
        index[slot] = Some(row);
    }
    index
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
