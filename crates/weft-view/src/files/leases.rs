//! Who holds a file, who wants it, and what producers say of that.

use serde::{Deserialize, Serialize};
use weft_event::report::{Lease, LeaseChange};

use super::history::History;
use crate::{Entry, Latest};

/// Producers of which it is kept whether they hold a file.
const HOLDERS_MAX: usize = 32;
/// Wishes and conflicts that are kept of a file, the newest.
const NOTES_MAX: usize = 16;

/// What is known of the leases of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Leases {
    /// By actor and session.
    pub(super) holders: Vec<Holder>,
    /// From the oldest to the newest.
    pub(super) wishes: Vec<Note>,
    pub(super) conflicts: Vec<Note>,
    /// When somebody last found that nobody works on it.
    pub(super) stale_ns: Option<i64>,
    /// When somebody last found that it was held past its time.
    pub(super) expired_ns: Option<i64>,
}

/// Whether a producer holds the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Holder {
    pub(super) actor: String,
    pub(super) session: Option<String>,
    pub(super) hold: Latest<Hold>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hold {
    pub(super) is_held: bool,
    pub(super) at_ns: i64,
    pub(super) until_ns: Option<i64>,
}

/// Actors that were named at one moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) at_ns: i64,
    pub(super) position: u64,
    pub(super) actors: Vec<String>,
}

impl History {
    pub(super) fn lease(&mut self, entry: &Entry<'_, '_>, lease: &Lease<'_>) {
        let at_ns = entry.seen_ns();
        let leases = &mut self.leases;
        match lease.change {
            LeaseChange::Taken => leases.hold(entry, true, lease.until_ns),
            LeaseChange::Released => leases.hold(entry, false, None),
            LeaseChange::Conflict => put(&mut leases.conflicts, note(entry, lease)),
            LeaseChange::Wanted => put(&mut leases.wishes, note(entry, lease)),
            LeaseChange::Stale => leases.stale_ns = leases.stale_ns.max(Some(at_ns)),
            LeaseChange::Expired => leases.expired_ns = leases.expired_ns.max(Some(at_ns)),
        }
    }
}

impl Leases {
    fn hold(&mut self, entry: &Entry<'_, '_>, is_held: bool, until_ns: Option<i64>) {
        let facts = entry.facts;
        let Some(actor) = facts.actor.as_deref() else { return };
        let session = facts.session.as_deref();
        let hold = Latest::new(entry.stamp(), Hold { is_held, at_ns: entry.seen_ns(), until_ns });
        let key = |holder: &Holder| {
            (holder.actor.as_str(), holder.session.as_deref()).cmp(&(actor, session))
        };
        match self.holders.binary_search_by(key) {
            Ok(idx) if self.holders[idx].hold.stamp() <= hold.stamp() => {
                self.holders[idx].hold = hold
            }
            Ok(_) => {}
            Err(idx) => {
                let (actor, session) = (actor.to_owned(), session.map(str::to_owned));
                self.holders.insert(idx, Holder { actor, session, hold });
            }
        }
        if self.holders.len() > HOLDERS_MAX {
            let age = |idx: &usize| (self.holders[*idx].hold.value().at_ns, *idx);
            let oldest = (0..self.holders.len()).min_by_key(age);
            oldest.into_iter().for_each(|idx| drop(self.holders.remove(idx)));
        }
    }

    /// Returns who holds the file: of several the one that took it last.
    pub(super) fn holder(&self) -> Option<&Holder> {
        let held = self.holders.iter().filter(|holder| holder.hold.value().is_held);
        held.max_by_key(|holder| (holder.hold.value().at_ns, holder.hold.stamp().position()))
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.holders.extend(other.holders.iter().cloned());
        other.wishes.iter().for_each(|wish| put(&mut self.wishes, wish.clone()));
        other.conflicts.iter().for_each(|conflict| put(&mut self.conflicts, conflict.clone()));
        self.stale_ns = self.stale_ns.max(other.stale_ns);
        self.expired_ns = self.expired_ns.max(other.expired_ns);
    }
}

fn note(entry: &Entry<'_, '_>, lease: &Lease<'_>) -> Note {
    let mut actors: Vec<String> = lease.actors.iter().map(ToString::to_string).collect();
    if actors.is_empty() {
        actors.extend(entry.facts.actor.as_deref().map(str::to_owned));
    }
    actors.sort_unstable();
    actors.dedup();
    Note { at_ns: entry.seen_ns(), position: entry.position, actors }
}

fn put(notes: &mut Vec<Note>, note: Note) {
    let idx = notes.partition_point(|other| *other < note);
    notes.insert(idx, note);
    if notes.len() > NOTES_MAX {
        notes.remove(0);
    }
}
