//! What pruning needs of whoever holds the store: newest values appended again, and the index without what is gone.

use std::ops::RangeInclusive;
use std::sync::Arc;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Dialect, KeyDigests};

use super::super::judge::{self, JudgeError};
use super::super::{AppendError, BeginError, CarriedCount, Removed, now_us};
use super::{Commit, Held, Session};
use crate::admit::Admitted;
use crate::index::{Keys, Order, Select};
use crate::lines::LineError;
use crate::writer::{Entry, GROUP_RECORDS_MAX};
use crate::{Carried, Mark, Position};

impl Session {
    /// Begins a new segment.
    pub(in crate::log) fn roll(&mut self) -> Result<(), BeginError> {
        self.hold_if_free(&mut |_| {})?;
        let held = self.held.as_mut().expect("the store is held");
        held.sync().map_err(BeginError::Sync)?;
        held.writer.roll(now_us()).map_err(BeginError::Sync)
    }

    /// Appends the newest values of last-value keys that stand in a range again, marked as carried. They are durable when this
    /// returns, and no value that came meanwhile is made old by them.
    pub(in super::super) fn carry(
        &mut self,
        range: &RangeInclusive<Position>,
    ) -> Result<CarriedCount, AppendError> {
        let begin = |error| AppendError::Begin(Arc::new(error));
        let identity = |error: JudgeError| AppendError::Identity(Arc::new(error));
        self.hold_if_free(&mut |_| {}).map_err(begin)?;
        self.catch_up(&mut |_| {}).map_err(begin)?;
        let held = self.held.as_mut().expect("the store is held");
        let newest = held.index.latest_within(range).map_err(|error| identity(error.into()))?;
        let known = self.known.as_ref();
        let mut count = CarriedCount::default();
        for some in newest.chunks(GROUP_RECORDS_MAX) {
            let mut events = Vec::with_capacity(some.len());
            for position in some {
                match held.again(*position).map_err(identity)? {
                    Again::Event(event) => events.push(*event),
                    Again::Older => {}
                    Again::Unreadable => count.n_unreadable += 1,
                }
            }
            let mut commit = Commit::new(held, known);
            commit.needs_sync = true;
            let n_events = events.len() as u64;
            let pushed =
                events.into_iter().try_for_each(|event| commit.push(event, None).map(|_| ()));
            if let Err(error) = pushed.and_then(|()| commit.finish().map(drop)) {
                self.held = None;
                return Err(AppendError::Write(error));
            }
            count.n_carried += n_events;
        }
        if let (Some(held), Some(known)) = (&self.held, &mut self.known) {
            known.upto = held.writer.next();
        }
        Ok(count)
    }

    /// Takes segments that were removed out of the index, and lets others have the store between two of them.
    pub(in super::super) fn forget_removed(&mut self, removed: &Removed) -> Result<(), BeginError> {
        for (number, range) in &removed.segments {
            self.hold_if_free(&mut |_| {})?;
            self.catch_up(&mut |_| {})?;
            let held = self.held.as_ref().expect("the store is held");
            let mut follow = super::lock(&held.follow);
            let index = follow.index();
            if !range.is_empty() {
                index.prune(*range.start(), *range.end())?;
                index.note_gone(*range.start(), *range.end(), removed.first_kept)?;
            }
            index.drop_segment(*number)?;
            drop(follow);
            self.let_others();
        }
        Ok(())
    }

    /// Gives the index's free space back.
    pub(in super::super) fn compact_index(&mut self) -> Result<(), BeginError> {
        self.hold_if_free(&mut |_| {})?;
        let held = self.held.as_ref().expect("the store is held");
        Ok(super::lock(&held.follow).index().compact()?)
    }
}

/// A record on its way to be appended again.
enum Again {
    Event(Box<Admitted>),
    /// There is a newer value of its key.
    Older,
    /// It is damaged.
    Unreadable,
}

impl Held {
    /// Reads a record to be appended again, if it is the newest of its key.
    fn again(&mut self, position: Position) -> Result<Again, JudgeError> {
        let one = Select { condition: "true", params: &[], range: position..=position };
        let Some(row) = self.index.rows(&one, Order::Ascending, 1)?.pop() else {
            return Ok(Again::Older);
        };
        let line = match self.lines.read(row.found.place, row.found.crc) {
            Ok(line) => line,
            Err(LineError::Damaged { .. } | LineError::Segment { .. }) => {
                return Ok(Again::Unreadable);
            }
            Err(error @ LineError::Io { .. }) => return Err(error.into()),
        };
        let marked = self.lines.read_mark(row.found.place, position)?;
        let dialect = row.dialect.as_deref().and_then(Dialect::parse);
        let crc = crc32c::crc32c(&line);
        let (mut mark, at_us) = match (marked, dialect) {
            // The seal still has the checksum from before a redaction; what is appended is the line as it is now.
            (Some((mark, at_us)), _) => (Mark { crc, ..mark }, at_us),
            // The seal is damaged; the index still knows what it said.
            (None, Some(dialect)) => {
                let (via, topic) = (row.via.as_deref().unwrap_or_default().into(), row.topic);
                let (delivery, carried, conflict) = (None, None, None);
                let mark = Mark { dialect, via, crc, delivery, topic, carried, conflict };
                (mark, row.at_us.unwrap_or_default())
            }
            (None, None) => return Ok(Again::Unreadable),
        };
        let Some(topic) = mark.topic.as_ref().filter(|topic| topic.key.is_some()) else {
            return Ok(Again::Unreadable);
        };
        if judge::latest(&super::lock(&self.tail), &self.index, topic)? != Some(position) {
            return Ok(Again::Older);
        }
        mark.carried = mark.carried.or(Some(Carried { position, at_us }));
        mark.conflict = None;
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let read = event::read(&mut tape, &line, Expect::Dialect(mark.dialect), &mut problems);
        let digests = read.map(|event| KeyDigests::of(&event.facts())).unwrap_or_default();
        let keys = Keys::of_digests(&digests).with_delivery(mark.delivery.as_deref());
        let entry = Entry { line: line.into(), mark };
        Ok(Again::Event(Box::new(Admitted {
            entry,
            digests,
            redacted: None,
            keys,
            warnings: Vec::new(),
        })))
    }
}

#[cfg(test)]
mod tests;
