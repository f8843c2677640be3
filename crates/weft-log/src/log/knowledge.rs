//! The filter over the keys of all records, kept large enough: most events are told to be new without asking the index.

use std::sync::Arc;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use crate::disk::RealDisk;
use crate::index::{self, IndexError, Keys};
use crate::known::{Known, Seen, Tail};
use crate::reader::{ReadError, Reader};
use crate::{Position, Store};

/// Keys that the filter of an empty store has room for: 1.5 MB.
const KEYS_ROOM: u64 = 1 << 20;

/// What is known of all keys up to a position.
pub(super) struct Knowledge {
    known: Arc<Known>,
    /// A larger one that is being filled to take its place.
    next: Option<Arc<Known>>,
    /// The keys of all records before it are in.
    pub(super) upto: Position,
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
            fill(store, &known);
        }
        Ok(Self { known, next: None, upto })
    }

    /// Returns whether the keys of all earlier records are in.
    pub(super) fn is_ready(&self) -> bool {
        self.known.is_ready()
    }

    /// Returns whether a record may have the key.
    pub(super) fn has(&self, key: i64) -> Seen {
        self.known.has(key)
    }

    /// Adds the keys of a record.
    pub(super) fn add(&self, keys: &Keys) {
        for key in keys.as_slice() {
            self.known.add(*key);
            if let Some(next) = &self.next {
                next.add(*key);
            }
        }
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

    /// Begins a larger filter when this one is full, and takes it when it is filled. `tail` has the keys that the index lacks.
    pub(super) fn tend(&mut self, store: &Store, tail: &Tail) {
        if let Some(next) = self.next.take_if(|next| next.is_ready()) {
            self.known = next;
        }
        if self.next.is_none() && self.known.is_full() {
            let next = Arc::new(Known::with_room_for(self.known.n_added()));
            tail.each_key(|key| next.add(key));
            fill(store, &next);
            self.next = Some(next);
        }
    }
}

/// Fills a filter from the index, on a thread of its own. Whatever goes wrong there, the filter stays unready and the index is asked.
fn fill(store: &Store, known: &Arc<Known>) {
    let (known, path) = (Arc::clone(known), store.index());
    std::thread::spawn(move || {
        let filled =
            index::Reader::open(&path).and_then(|index| index.each_key(|key| known.add(key)));
        if filled.is_ok() {
            known.set_ready();
        }
    });
}

#[cfg(test)]
mod tests;
