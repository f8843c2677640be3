//! The rows of the index beside the records of the log, both in the order of their positions.

use std::collections::VecDeque;

use super::{Fault, IndexFault, Note, Teller, VerifyError};
use crate::index::{self, Follower, Found, IndexError, Order, Place, Select, Watermark};
use crate::{Hash, Head, Position, Store, follow};

/// Rows read at a time.
const ROWS_TOGETHER: usize = 4096;

/// The index on its way along the log.
pub(super) struct Rows {
    index: index::Reader,
    mark: Watermark,
    ahead: VecDeque<Found>,
    /// The position from which rows are read next.
    from: u64,
    n_rows: u64,
    run: Option<Run>,
}

/// Rows with the same fault, one after the other.
#[derive(Clone, Copy)]
struct Run {
    kind: Kind,
    first: Position,
    last: Position,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    NoRow,
    NoRecord,
    Wrong,
}

impl Rows {
    /// Opens the index; `None` if it is of no use, which is told.
    pub(super) fn open(
        store: &Store,
        head: &Head,
        teller: &mut Teller<'_>,
    ) -> Result<Option<Self>, VerifyError> {
        let fault = match index::Reader::open(&store.index()) {
            Ok(index) => {
                let mark = index.watermark(Follower::Core)?;
                if follow::fits(mark, head) {
                    let behind = head.next.get() - 1 - mark.position;
                    if behind > 0 {
                        teller.note(Note::Behind { records: behind });
                    }
                    let (ahead, n_rows, run) = (VecDeque::new(), 0, None);
                    return Ok(Some(Self { index, mark, ahead, from: 1, n_rows, run }));
                }
                IndexFault::Unfit
            }
            Err(IndexError::Missing { .. }) => IndexFault::Missing,
            Err(IndexError::Stale { reason, .. }) => IndexFault::Stale(reason),
            Err(error) => return Err(error.into()),
        };
        teller.fault(Fault::Index(fault));
        Ok(None)
    }

    /// Compares the row of a record.
    pub(super) fn check(
        &mut self,
        position: Position,
        place: Place,
        crc: Option<u32>,
        teller: &mut Teller<'_>,
    ) -> Result<(), VerifyError> {
        if position.get() > self.mark.position {
            return Ok(());
        }
        self.pass(position, teller)?;
        match self.peek()? {
            Some(row) if row.position == position => {
                self.take();
                if (row.place, row.crc) != (place, crc) {
                    self.fault(Kind::Wrong, position, teller);
                }
            }
            Some(_) | None => self.fault(Kind::NoRow, position, teller),
        }
        Ok(())
    }

    /// Passes over the rows of records that the log has lost: that is told already.
    pub(super) fn skip(
        &mut self,
        first: Position,
        last: Position,
        teller: &mut Teller<'_>,
    ) -> Result<(), VerifyError> {
        self.pass(first, teller)?;
        while self.peek()?.is_some_and(|row| row.position <= last) {
            self.take();
        }
        Ok(())
    }

    /// Compares the watermark with the seal that ends at its place.
    pub(super) fn check_mark(
        &mut self,
        (segment, offset): (u64, u64),
        hash: Hash,
        teller: &mut Teller<'_>,
    ) {
        let is_there = (self.mark.segment, self.mark.offset) == (segment, offset);
        if is_there && self.mark.hash != hash {
            teller.fault(Fault::Index(IndexFault::Unfit));
        }
    }

    /// Ends the comparison; returns how many rows there are.
    pub(super) fn finish(mut self, teller: &mut Teller<'_>) -> Result<u64, VerifyError> {
        while let Some(row) = self.peek()? {
            self.take();
            self.fault(Kind::NoRecord, row.position, teller);
        }
        self.flush(teller);
        let counted = self.index.stats()?.n_records;
        if self.index.watermark(Follower::Core)? == self.mark && counted != self.n_rows {
            teller.fault(Fault::Index(IndexFault::Count { counted, rows: self.n_rows }));
        }
        Ok(self.n_rows)
    }

    /// Passes over the rows before a position, which have no record.
    fn pass(&mut self, position: Position, teller: &mut Teller<'_>) -> Result<(), VerifyError> {
        while let Some(row) = self.peek()?.filter(|row| row.position < position) {
            self.take();
            self.fault(Kind::NoRecord, row.position, teller);
        }
        Ok(())
    }

    fn take(&mut self) {
        self.n_rows += u64::from(self.ahead.pop_front().is_some());
    }

    fn peek(&mut self) -> Result<Option<Found>, VerifyError> {
        if self.ahead.is_empty()
            && let (Some(from), Some(upto)) =
                (Position::new(self.from), Position::new(self.mark.position))
            && from <= upto
        {
            let all = Select { condition: "true", params: &[], range: from..=upto };
            self.ahead = self.index.positions(&all, Order::Ascending, ROWS_TOGETHER)?.into();
            self.from = self.ahead.back().map_or(u64::MAX, |row| row.position.get() + 1);
        }
        Ok(self.ahead.front().copied())
    }

    fn fault(&mut self, kind: Kind, position: Position, teller: &mut Teller<'_>) {
        match &mut self.run {
            Some(run) if run.kind == kind && run.last.plus(1) == position => run.last = position,
            Some(_) | None => {
                self.flush(teller);
                self.run = Some(Run { kind, first: position, last: position });
            }
        }
    }

    fn flush(&mut self, teller: &mut Teller<'_>) {
        let Some(Run { kind, first, last }) = self.run.take() else { return };
        teller.fault(Fault::Index(match kind {
            Kind::NoRow => IndexFault::NoRow { first, last },
            Kind::NoRecord => IndexFault::NoRecord { first, last },
            Kind::Wrong => IndexFault::Wrong { first, last },
        }));
    }
}
