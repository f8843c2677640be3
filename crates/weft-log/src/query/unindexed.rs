//! What the index has not reached yet: read from the log, and kept where it is little.

use std::ops::RangeInclusive;

use super::{Ask, Found, Page, QueryError, Records, TAIL_BYTES_MAX, is_match};
use crate::disk::RealDisk;
use crate::index::{Order, Watermark};
use crate::reader::{ReadError, Reader};
use crate::{Head, Mark, Position};

/// The records behind the end of the index.
#[derive(Debug)]
pub(super) struct Unindexed {
    /// Where the index ended.
    core: Watermark,
    /// The position behind the last of them.
    next: Position,
    /// Oldest first.
    records: Vec<Found>,
    lost: Vec<(Position, Position)>,
}

impl Unindexed {
    /// Returns the records behind a position, oldest first.
    pub(super) fn beyond(&self, position: u64) -> impl DoubleEndedIterator<Item = &Found> {
        let start = self.records.partition_point(|found| found.meta.position.get() <= position);
        self.records[start..].iter()
    }
}

impl Records {
    /// Returns what the index lacks up to a head; `None` if that is too much to be kept, or there is no index.
    pub(super) fn unindexed(
        &mut self,
        core: Option<Watermark>,
        head: &Head,
    ) -> Result<Option<&Unindexed>, QueryError> {
        let Some(core) = core else { return Ok(None) };
        let has =
            |known: &Unindexed| known.core.position <= core.position && known.next >= head.next;
        if !self.unindexed.as_ref().is_some_and(has) {
            let is_little = core.segment == head.number
                && head.end.saturating_sub(core.offset) <= TAIL_BYTES_MAX;
            if !is_little {
                return Ok(None);
            }
            let mut reader = crate::follow::open_after(&self.store, core)?;
            let (mut records, mut lost) = (Vec::new(), Vec::new());
            let mut next = Position::FIRST.plus(core.position);
            while let Some(batch) = reader.read()? {
                lost.extend(batch.lost());
                let found = |(record, _): (crate::Record<'_>, _)| Found {
                    meta: record.meta,
                    line: record.line.to_vec(),
                };
                records.extend(batch.records().map(found));
                next = batch.mileage.next;
            }
            self.unindexed = Some(Unindexed { core, next, records, lost });
        }
        Ok(self.unindexed.as_ref())
    }

    /// Adds those that match, as [`Records::page`] wants them: oldest first, the first `wanted`, or in descending order the last.
    pub(super) fn add_unindexed(
        &mut self,
        ask: &Ask<'_>,
        range: &RangeInclusive<Position>,
        wanted: usize,
        page: &mut Page,
    ) {
        let Self { unindexed: Some(known), tape, problems, .. } = self else { return };
        let is_within =
            |(first, last): &&(Position, Position)| first <= range.end() && last >= range.start();
        page.lost.extend(known.lost.iter().filter(is_within));
        let found = known.beyond(range.start().get() - 1);
        let found = found.take_while(|found| found.meta.position <= *range.end());
        let mut is_match =
            |found: &&Found| is_match(ask.filter, &found.meta, &found.line, tape, problems);
        match ask.order {
            Order::Ascending => {
                let left = wanted.saturating_sub(page.records.len());
                page.records.extend(found.filter(&mut is_match).take(left).cloned());
            }
            Order::Descending => {
                let found: Vec<&Found> = found.collect();
                let mut last: Vec<Found> =
                    found.into_iter().rev().filter(&mut is_match).take(wanted).cloned().collect();
                last.reverse();
                page.records.extend(last);
            }
        }
    }

    /// Returns the newest record behind the index whose mark is meant, by reading all of them.
    pub(super) fn newest_read(
        &self,
        indexed: u64,
        core: Option<Watermark>,
        is_meant: impl Fn(&Mark) -> bool,
    ) -> Result<Option<Found>, QueryError> {
        let mut newest = None;
        let mut reader = self.open_tail(Position::FIRST.plus(indexed), core)?;
        while let Some(batch) = reader.read()? {
            let is = |mark: &Option<Mark>| mark.as_ref().is_some_and(&is_meant);
            if let Some((record, _)) =
                batch.records().filter(|(record, _)| is(&record.meta.mark)).last()
            {
                newest = Some(Found { meta: record.meta, line: record.line.to_vec() });
            }
        }
        Ok(newest)
    }

    /// Opens the log at a position that the index lacks. Where the index ends right before it, it says where that is; elsewhere the
    /// segment is read from its beginning.
    pub(super) fn open_tail(
        &self,
        from: Position,
        core: Option<Watermark>,
    ) -> Result<Reader<RealDisk>, ReadError> {
        match core {
            Some(core) if core.position + 1 == from.get() => {
                crate::follow::open_after(&self.store, core)
            }
            Some(_) | None => Reader::open(RealDisk, self.store.root().to_owned(), from),
        }
    }
}
