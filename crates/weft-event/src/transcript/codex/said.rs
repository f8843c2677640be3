//! What was said in a turn, counted: what stands in rows of two kinds is told once, and what is said twice is told twice.

use std::collections::VecDeque;

use crate::digest_parts;
use crate::json::{Json, Object, Value};

/// Things that are remembered; the one said the longest time ago is forgotten first.
const SAID_MAX: usize = 64;

/// The kinds of rows that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// `response_item`, or any other than the second.
    Item,
    /// `event_msg`.
    Message,
}

/// How often each thing was said in this turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said(VecDeque<Thing>);

#[derive(Clone, Debug, PartialEq)]
struct Thing {
    digest: u64,
    n_by_items: u64,
    n_by_messages: u64,
}

impl Said {
    /// Counts what a row says; returns how often that was told before, or `None` if a row of the other kind has told this time.
    pub(super) fn count(&mut self, by: By, kind: &str, said: &str) -> Option<u64> {
        let digest = digest_parts(&[kind.as_bytes(), said.as_bytes()]);
        let (digest, _) = digest.split_first_chunk().expect("a digest has 16 bytes");
        let digest = u64::from_le_bytes(*digest);
        let at = self.0.iter().position(|thing| thing.digest == digest);
        let known = at.and_then(|at| self.0.remove(at));
        let mut thing = known.unwrap_or(Thing { digest, n_by_items: 0, n_by_messages: 0 });
        let n_told = thing.n_by_items.max(thing.n_by_messages);
        let n = match by {
            By::Item => &mut thing.n_by_items,
            By::Message => &mut thing.n_by_messages,
        };
        *n = n.saturating_add(1);
        let is_new = *n > n_told;
        if self.0.len() == SAID_MAX {
            self.0.pop_front();
        }
        self.0.push_back(thing);
        is_new.then_some(n_told)
    }

    /// Forgets all: another turn begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        let row = |Thing { digest, n_by_items, n_by_messages }: &Thing| {
            let counts = [n_by_items, n_by_messages].map(|n| Json::integer(*n));
            Json::array([Json::text(&format!("{digest:016x}"))].into_iter().chain(counts))
        };
        object.json("said", &Json::array(self.0.iter().map(row)));
    }

    pub(super) fn resume(state: Value<'_>) -> Option<Self> {
        let read = |row: Value<'_>| {
            let mut row = row.items();
            let (digest, by_items, by_messages) = (row.next()?, row.next()?, row.next()?);
            let digest = u64::from_str_radix(&digest.as_text()?, 16).ok()?;
            Some(Thing {
                digest,
                n_by_items: by_items.as_u64()?,
                n_by_messages: by_messages.as_u64()?,
            })
        };
        let said: Option<VecDeque<Thing>> = state.get("said")?.items().map(read).collect();
        said.filter(|said| said.len() <= SAID_MAX).map(Self)
    }
}
