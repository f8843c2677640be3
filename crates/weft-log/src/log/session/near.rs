//! A store that is taken for a moment while its index lacks little: what that is, is read from the log, and nothing is indexed.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::super::recent::Recent;
use super::super::{BeginError, Indexing, Log, Options, lock};
use super::{Held, Session};
use crate::Store;
use crate::disk::RealDisk;
use crate::follow::{self, Follow};
use crate::index::{self, Follower, Index, IndexError, Keys, Watermark};
use crate::known::Tail;
use crate::lines::Lines;
use crate::lock::Lock;
use crate::reader::ReadError;
use crate::writer::Writer;

/// Records that a moment leaves for the next one to index: reading them again takes about as long as one connection to the index.
pub const LATER_RECORDS_MAX: u64 = 64;

/// What is known of a store whose index lacks little.
pub(super) struct Near {
    index: index::Reader,
    follow: Follow,
    lines: Lines,
    tail: Tail,
    recent: Recent,
}

impl Log {
    /// Takes a store for single events, whoever has a connection to its index already: no other one is made while little is to be
    /// indexed.
    pub fn begin_reading(
        store: Store,
        options: Options,
        index: Option<index::Reader>,
    ) -> Result<Self, BeginError> {
        let log = Self::begin(store, options)?;
        lock(&log.shared.session).reader = index;
        Ok(log)
    }
}

impl Session {
    /// Reads what the index lacks, where it may be left so; `None` if there is too much of it, or something is wrong with either.
    pub(super) fn near(&mut self, writer: &Writer<RealDisk>) -> Result<Option<Near>, BeginError> {
        if self.options.indexing != Indexing::Later {
            return Ok(None);
        }
        let (path, head) = (self.store.index(), writer.head());
        let index = match self.reader.take().map_or_else(|| index::Reader::open(&path), Ok) {
            Ok(index) => index,
            Err(IndexError::Missing { .. } | IndexError::Stale { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let [core, text] = [index.watermark(Follower::Core)?, index.watermark(Follower::Text)?];
        let n_lacking = head.next.get().saturating_sub(core.position + 1);
        if core.segment == 0
            || n_lacking > LATER_RECORDS_MAX
            || !follow::fits(core, head)
            || index.store()? != head.store
        {
            return Ok(None);
        }
        let later = Index::later(&path, &head.store, core, text);
        let follow = Follow::new(self.store.clone(), later);
        let lines = Lines::new(self.store.clone(), Some(&index))?;
        let (tail, recent) = (Tail::default(), Recent::default());
        let mut near = Near { index, follow, lines, tail, recent };
        let is_whole = n_lacking == 0
            || near.read(&self.store, core).map_err(|error| BeginError::Follow(error.into()))?;
        Ok(is_whole.then_some(near))
    }
}

impl Near {
    /// Reads what the index lacks; returns whether all of it is whole.
    fn read(&mut self, store: &Store, core: Watermark) -> Result<bool, ReadError> {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let mut reader = follow::open_after(store, core)?;
        while let Some(batch) = reader.read()? {
            if batch.gaps().next().is_some() {
                return Ok(false);
            }
            self.lines.note(batch.number, batch.segment);
            for (record, place) in batch.records() {
                let Some(mark) = &record.meta.mark else { return Ok(false) };
                problems.clear();
                let expect = Expect::Dialect(mark.dialect);
                let read = event::read(&mut tape, record.line, expect, &mut problems);
                let keys = read.map_or(Keys::NONE, |event| Keys::of(&event.facts()));
                let keys = keys.with_delivery(mark.delivery.as_deref());
                self.tail.add(record.meta.position, &keys, mark.topic.as_ref());
                let line = std::iter::once((place.bytes as usize, mark.crc));
                self.recent.set(record.meta.position, (place.segment, place.offset), line);
            }
        }
        Ok(true)
    }

    /// Holds the store with it.
    pub(super) fn hold(self, lock: Lock, writer: Writer<RealDisk>) -> Held {
        let Self { index, follow, lines, tail, recent } = self;
        Held {
            writer,
            follow: Arc::new(Mutex::new(follow)),
            tail: Arc::new(Mutex::new(tail)),
            indexed: Arc::default(),
            recent,
            index,
            lines,
            follower: None,
            since: Instant::now(),
            lock,
        }
    }
}

impl Held {
    /// Returns whether the index lacks so little that the next one may take it up.
    pub(super) fn is_near(&self) -> bool {
        let indexed = lock(&self.follow).watermark(Follower::Core).position;
        self.writer.next().get().saturating_sub(indexed + 1) <= LATER_RECORDS_MAX
    }
}
