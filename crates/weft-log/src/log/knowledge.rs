//! The filter over the keys of all records, kept large enough: most events are told to be new without asking the index.

use std::sync::Arc;
use std::thread::JoinHandle;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use crate::disk::RealDisk;
use crate::index::{self, IndexError, Keys};
use crate::known::{Known, Seen};
use crate::reader::{ReadError, Reader};
use crate::{Position, Store};

/// Keys that the filter of an empty store has room for: 2 MB.
const KEYS_ROOM: u64 = 1 << 20;

/// Filters that are asked one after the other; beyond it one is filled to take the place of all.
const FILTERS_MAX: usize = 4;

/// What is known of all keys up to a position.
pub(super) struct Knowledge {
    /// Each but the last is full. Only the first was filled from the index; it alone may not be ready, for ever if that failed.
    filters: Vec<Arc<Known>>,
    /// One with room for all keys, which is to take the place of those.
    next: Option<Next>,
    /// The keys of all records before it are in.
    pub(super) upto: Position,
}

/// A filter that is to take the place of others. It has the keys of all records after `last`, and waits for the index to have those
/// up to it, from which it is filled.
struct Next {
    known: Arc<Known>,
    last: u64,
    filling: Option<JoinHandle<()>>,
}

impl Knowledge {
    /// Returns the knowledge of a store whose index has everything before `upto`. It is filled on a thread of its own, and until
    /// then every key may be known.
    pub(super) fn of(
        store: &Store,
        index: &index::Reader,
        upto: Position,
    ) -> Result<Self, IndexError> {
        // Engine and pinchy events have two keys, the others one or none: 1.3 on average. Where there are more, a larger filter
        // soon takes the place of this one.
        let n_keys = index.n_records()? * 13 / 10;
        let known = Arc::new(Known::with_room_for(n_keys.max(KEYS_ROOM)));
        if n_keys == 0 {
            known.set_ready();
        } else {
            // Where it fails, another is filled in its place once as many keys have come again.
            drop(fill(store, &known));
        }
        Ok(Self { filters: vec![known], next: None, upto })
    }

    /// Returns whether the keys of all earlier records are in.
    pub(super) fn is_ready(&self) -> bool {
        self.filters.iter().all(|known| known.is_ready())
    }

    /// Returns whether a record may have the key.
    pub(super) fn has(&self, key: i64) -> Seen {
        let is_known = self.filters.iter().any(|known| known.has(key) == Seen::Maybe);
        if is_known { Seen::Maybe } else { Seen::No }
    }

    /// Adds the keys of a record.
    pub(super) fn add(&self, keys: &Keys) {
        let next = self.next.as_ref().map(|next| &next.known);
        let filters = self.filters.last().into_iter().chain(next);
        filters.for_each(|known| keys.as_slice().iter().for_each(|key| known.add(*key)));
    }

    /// Adds the keys of the records that came since, from another process.
    pub(super) fn learn(&mut self, store: &Store, upto: Position) -> Result<(), ReadError> {
        if self.upto >= upto {
            return Ok(());
        }
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let mut reader = Reader::open(RealDisk, store.root().to_owned(), self.upto)?;
        while let Some(batch) = reader.read()? {
            for (record, _) in batch.records() {
                problems.clear();
                let mark = record.meta.mark.as_ref();
                let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
                let read = event::read(&mut tape, record.line, expect, &mut problems);
                let keys = read.map_or(Keys::NONE, |event| Keys::of(&event.facts()));
                let delivery = mark.and_then(|mark| mark.delivery.as_deref());
                self.add(&keys.with_delivery(delivery));
            }
        }
        self.upto = upto;
        Ok(())
    }

    /// Begins another filter when the last one is full; where there are many, also one for all keys, which takes their place when it
    /// is filled. The index has every record up to `indexed`.
    pub(super) fn tend(&mut self, store: &Store, indexed: u64) {
        let is_over = |next: &mut Next| next.filling.as_ref().is_some_and(JoinHandle::is_finished);
        // One that could not be filled is begun anew when the last of the others is full.
        if let Some(next) = self.next.take_if(is_over)
            && next.known.is_ready()
        {
            self.filters = vec![next.known];
        }
        if self.filters.last().is_some_and(|last| last.is_full()) {
            let n_keys: u64 = self.filters.iter().map(|known| known.n_added()).sum();
            let another = Known::with_room_for(n_keys / 4);
            another.set_ready();
            self.filters.push(Arc::new(another));
            let is_wanted = self.filters.len() > FILTERS_MAX || !self.is_ready();
            if is_wanted && self.next.is_none() {
                let (known, last) = (Known::with_room_for(n_keys), self.upto.get() - 1);
                self.next = Some(Next { known: Arc::new(known), last, filling: None });
            }
        }
        if let Some(next) = &mut self.next
            && next.filling.is_none()
            && next.last <= indexed
        {
            next.filling = Some(fill(store, &next.known));
        }
    }
}

/// Fills a filter from the index, on a thread of its own. Whatever goes wrong there, the filter stays unready and the index is asked.
fn fill(store: &Store, known: &Arc<Known>) -> JoinHandle<()> {
    let (known, path) = (Arc::clone(known), store.index());
    std::thread::spawn(move || {
        let filled =
            index::Reader::open(&path).and_then(|index| index.each_key(|key| known.add(key)));
        if filled.is_ok() {
            known.set_ready();
        }
    })
}

#[cfg(test)]
mod tests;
