//! Finding records: by position, and by filter in pages. The index gives candidates, the log gives the records.
//!
//! What the index has not reached yet is read from the log itself, so that an answer is always the whole truth up to `head`.

mod order;
mod unindexed;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use weft_event::Dialect;
use weft_event::event::{self, Event, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use crate::disk::RealDisk;
use crate::filter::{FieldInfo, Filter, Subject};
use crate::index::{self, Follower, IndexError, Select, SqlValue, Watermark};
use crate::lines::{LineError, Lines};
use crate::reader::{self, ReadError};
use crate::{Head, Mark, Meta, Position, Store, TopicKey, filter};

pub use index::Order;
pub use order::by_producer;
use unindexed::Unindexed;

/// Candidates that are asked of the index at a time.
const CANDIDATES_MIN: usize = 256;

/// Bytes of the log that the index lacks and that are kept in memory: more is read anew for each question.
const TAIL_BYTES_MAX: u64 = 1 << 20;

/// Bytes of a value that is offered as one to look for.
const VALUE_BYTES_MAX: usize = 120;

/// Why records cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The index cannot be asked.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A record cannot be read.
    #[error(transparent)]
    Line(#[from] LineError),
}

/// A record that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What Weft adds.
    pub meta: Meta,
    /// The event, as it came.
    pub line: Vec<u8>,
}

impl Found {
    /// Reads the event; `None` if it is none, which only a damaged record can be.
    pub fn read<'a>(&'a self, tape: &'a mut Tape) -> Option<Event<'a>> {
        read_event(&self.meta, &self.line, tape, &mut Problems::new())
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Ask<'f> {
    /// Which records.
    pub filter: &'f Filter,
    /// Between which positions, both included.
    pub range: RangeInclusive<Position>,
    /// From which end.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
}

/// Records that were found, in the order asked for.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The records.
    pub records: Vec<Found>,
    /// Positions in the range whose records are damaged or gone.
    pub lost: Vec<(Position, Position)>,
    /// Where the next page begins; `None` if there is nothing more.
    pub next: Option<Position>,
}

/// A store to find records in.
pub struct Records {
    store: Store,
    head: Head,
    /// `None` where there is none, or none of use.
    index: Option<index::Reader>,
    lines: Lines,
    /// What the index lacks, once it was read.
    unindexed: Option<Unindexed>,
    tape: Tape,
    problems: Problems,
}

impl Records {
    /// Opens a store for reading. It needs no lock, and sees what is durable now.
    pub fn open(store: Store) -> Result<Self, QueryError> {
        let head = reader::read_head(&RealDisk, store.root())?;
        let index = match index::Reader::open(&store.index()) {
            Ok(index) if crate::follow::fits(index.watermark(Follower::Core)?, &head) => {
                Some(index)
            }
            Ok(_) | Err(IndexError::Missing { .. } | IndexError::Stale { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let mut lines = Lines::new(store.clone(), index.as_ref())?;
        lines.note(head.number, head.segment);
        let (unindexed, tape, problems) = (None, Tape::new(), Problems::new());
        Ok(Self { store, head, index, lines, unindexed, tape, problems })
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Has it see what is durable now.
    pub fn refresh(&mut self) -> Result<(), QueryError> {
        self.head = reader::read_head(&RealDisk, self.store.root())?;
        self.lines.note(self.head.number, self.head.segment);
        Ok(())
    }

    /// Returns what was durable when the store was opened, or last looked at.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns whether the index lacks so many records at most, so that a question costs what its answer does.
    pub fn is_indexed_but_for(&self, n_records: u64) -> Result<bool, QueryError> {
        let Some(index) = &self.index else { return Ok(false) };
        let indexed = index.watermark(Follower::Core)?.position;
        Ok(self.head.last().map_or(0, Position::get).saturating_sub(indexed) <= n_records)
    }

    /// Returns the index, for whoever writes to the store next.
    pub fn into_index(self) -> Option<index::Reader> {
        self.index
    }

    /// Returns the index, if there is one of use.
    pub fn index(&self) -> Option<&index::Reader> {
        self.index.as_ref()
    }

    /// Returns one record; `None` if there is none at the position, or it is damaged. One that was pruned is an error.
    pub fn get(&mut self, position: Position) -> Result<Option<Found>, QueryError> {
        if let Some(first) = reader::first_kept(RealDisk, self.store.root())?
            && position < first
        {
            return Err(ReadError::Pruned { position, first }.into());
        }
        let filter = Filter::all();
        let ask =
            Ask { filter: &filter, range: position..=position, order: Order::Ascending, limit: 1 };
        let found = self.page(&ask)?.records.pop();
        let Some(mut found) = found else { return Ok(None) };
        if let Some(place) =
            self.index.as_ref().map(|index| index.place(position)).transpose()?.flatten()
            && let Some((mark, at_us)) = self.lines.read_mark(place.place, position)?
        {
            found.meta.at_us = Some(mark.carried.map_or(at_us, |carried| carried.at_us));
            found.meta.mark = Some(mark);
        }
        Ok(Some(found))
    }

    /// Returns the newest record of a topic's key, also where the index does not know of it yet.
    pub fn latest(&mut self, topic: &TopicKey) -> Result<Option<Found>, QueryError> {
        let core = self.index.as_ref().map(|index| index.watermark(Follower::Core)).transpose()?;
        let indexed = core.map_or(0, |mark| mark.position);
        let mut newest = None;
        if indexed < self.head.last().map_or(0, Position::get) {
            let head = reader::read_head(&RealDisk, self.store.root())?;
            let is_of = |mark: &Mark| mark.topic.as_ref() == Some(topic);
            let of = |found: &&Found| found.meta.mark.as_ref().is_some_and(is_of);
            if let Some(known) = self.unindexed(core, &head)? {
                newest = known.beyond(indexed).rev().find(of).cloned();
            } else {
                newest = self.newest_read(indexed, core, is_of)?;
            }
        }
        let (Some(index), None, Some(key)) = (&self.index, &newest, &topic.key) else {
            return Ok(newest);
        };
        let Some(position) = index.latest(&topic.topic, key)? else { return Ok(None) };
        // It may have come and been indexed since.
        if self.head.last().is_none_or(|last| last < position) {
            self.refresh()?;
        }
        let filter = Filter::all();
        let (range, order) = (position..=position, Order::Ascending);
        Ok(self.page(&Ask { filter: &filter, range, order, limit: 1 })?.records.pop())
    }

    /// Returns a page of records.
    pub fn page(&mut self, ask: &Ask<'_>) -> Result<Page, QueryError> {
        let mut page = Page::default();
        let plan = ask.filter.plan();
        let last = self.head.next.get() - 1;
        let start = ask.range.start().get().max(plan.position_min);
        let end = ask.range.end().get().min(plan.position_max).min(last);
        let (Some(start), Some(end)) = (Position::new(start), Position::new(end)) else {
            return Ok(page);
        };
        if start > end || ask.limit == 0 {
            return Ok(page);
        }
        let core = self.index.as_ref().map(|index| index.watermark(Follower::Core)).transpose()?;
        let indexed = core.map_or(0, |mark| mark.position);
        // One more than asked for tells whether there is a next page.
        let wanted = ask.limit + 1;
        let tail = (indexed < end.get()).then(|| start.max(Position::FIRST.plus(indexed))..=end);
        let known = Position::new(indexed.min(end.get()))
            .filter(|upto| *upto >= start)
            .map(|upto| start..=upto);
        match ask.order {
            Order::Ascending => {
                if let Some(range) = known {
                    self.add_indexed(ask, &plan, range, wanted, &mut page)?;
                }
                if let Some(range) = tail {
                    self.add_read(ask, range, core, wanted, &mut page)?;
                }
            }
            Order::Descending => {
                if let Some(range) = tail {
                    self.add_read(ask, range, core, wanted, &mut page)?;
                    page.records.reverse();
                }
                if let Some(range) = known {
                    self.add_indexed(ask, &plan, range, wanted, &mut page)?;
                }
            }
        }
        if page.records.len() > ask.limit {
            page.next = Some(page.records[ask.limit].meta.position);
            page.records.truncate(ask.limit);
        }
        Ok(page)
    }

    /// Adds the matching records that the index knows, until `wanted` are there.
    fn add_indexed(
        &mut self,
        ask: &Ask<'_>,
        plan: &filter::Plan,
        range: RangeInclusive<Position>,
        wanted: usize,
        page: &mut Page,
    ) -> Result<(), QueryError> {
        let Some(index) = &self.index else { return Ok(()) };
        let within =
            |first: Position, last: Position| first <= *range.end() && last >= *range.start();
        let gaps = index.gaps()?.into_iter().filter(|gap| within(gap.first, gap.last));
        page.lost.extend(gaps.map(|gap| (gap.first, gap.last)));
        let text = index.watermark(Follower::Text)?.position;
        let params: Vec<SqlValue> = plan.params.iter().map(|value| param(value, text)).collect();
        let mut rest = Some(range);
        while page.records.len() < wanted
            && let Some(range) = rest.take()
        {
            let n = (wanted - page.records.len()).max(CANDIDATES_MIN);
            let select = Select { condition: &plan.sql, params: &params, range: range.clone() };
            let index = self.index.as_ref().expect("it is there");
            let rows = index.rows_with(&plan.demands, &select, ask.order, n)?;
            if rows.len() == n {
                rest = rows.last().and_then(|row| after(&range, row.found.position, ask.order));
            }
            for row in rows {
                self.take_row(row, ask.filter, plan.is_exact, page)?;
                if page.records.len() >= wanted {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reads a candidate and adds it if it matches.
    fn take_row(
        &mut self,
        row: index::Row,
        filter: &Filter,
        is_exact: bool,
        page: &mut Page,
    ) -> Result<(), QueryError> {
        let index::Found { position, place, crc } = row.found;
        let line = match self.lines.read(place, crc) {
            Ok(line) => line,
            Err(LineError::Damaged { .. } | LineError::Segment { .. }) => {
                page.lost.push((position, position));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let mark = match (row.is_marked, crc, row.dialect.as_deref().and_then(Dialect::parse)) {
            (true, _, _) => self.lines.read_mark(place, position)?.map(|(mark, _)| mark),
            (false, Some(crc), Some(dialect)) => Some(Mark {
                dialect,
                via: row.via.as_deref().unwrap_or_default().into(),
                crc,
                delivery: None,
                topic: row.topic,
                carried: None,
                conflict: None,
            }),
            (false, _, _) => None,
        };
        let found = Found { meta: Meta { position, at_us: row.at_us, mark }, line };
        if is_exact
            || is_match(filter, &found.meta, &found.line, &mut self.tape, &mut self.problems)
        {
            page.records.push(found);
        }
        Ok(())
    }

    /// Adds the matching records of a range by reading the log, oldest first: the first `wanted`, or in descending order the last.
    fn add_read(
        &mut self,
        ask: &Ask<'_>,
        range: RangeInclusive<Position>,
        core: Option<Watermark>,
        wanted: usize,
        page: &mut Page,
    ) -> Result<(), QueryError> {
        let head = self.head.clone();
        if self.unindexed(core, &head)?.is_some() {
            self.add_unindexed(ask, &range, wanted, page);
            return Ok(());
        }
        let mut reader = self.open_tail(*range.start(), core)?;
        'log: while let Some(batch) = reader.read()? {
            page.lost.extend(batch.lost().filter(|(first, _)| first <= range.end()));
            for (record, _) in batch.records() {
                let is_enough = ask.order == Order::Ascending && page.records.len() >= wanted;
                if record.meta.position > *range.end() || is_enough {
                    break 'log;
                }
                let (tape, problems) = (&mut self.tape, &mut self.problems);
                if is_match(ask.filter, &record.meta, record.line, tape, problems) {
                    page.records.push(Found { meta: record.meta, line: record.line.to_vec() });
                }
            }
            if ask.order == Order::Descending {
                page.records.drain(..page.records.len().saturating_sub(wanted));
            }
        }
        if ask.order == Order::Descending {
            page.records.drain(..page.records.len().saturating_sub(wanted));
        }
        Ok(())
    }
}

/// Returns whether a record matches a filter.
pub fn is_match(
    filter: &Filter,
    meta: &Meta,
    line: &[u8],
    tape: &mut Tape,
    problems: &mut Problems,
) -> bool {
    if let Some(found) = filter.matches_unread(meta) {
        return found;
    }
    read_event(meta, line, tape, problems).is_some_and(|event| {
        let facts = event.facts();
        filter.matches(&Subject { meta, facts: &facts, event: event.value() })
    })
}

/// Returns the texts that some records have in a field, each once and in order; not those that are too long to choose from a list.
pub fn values(field: &FieldInfo, found: &[Found]) -> Vec<String> {
    let (mut tape, mut values) = (Tape::new(), BTreeSet::new());
    for found in found {
        let Some(event) = found.read(&mut tape) else { continue };
        let (meta, facts) = (&found.meta, event.facts());
        let subject = Subject { meta, facts: &facts, event: event.value() };
        let value = field.text(&subject).filter(|value| value.len() <= VALUE_BYTES_MAX);
        if let Some(value) = value.filter(|value| !values.contains(*value)) {
            values.insert(value.to_owned());
        }
    }
    values.into_iter().collect()
}

fn read_event<'a>(
    meta: &Meta,
    line: &'a [u8],
    tape: &'a mut Tape,
    problems: &mut Problems,
) -> Option<Event<'a>> {
    let expect = meta.mark.as_ref().map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
    problems.clear();
    event::read(tape, line, expect, problems)
}

/// Returns what is left of a range once a position was seen.
fn after(
    range: &RangeInclusive<Position>,
    seen: Position,
    order: Order,
) -> Option<RangeInclusive<Position>> {
    let rest = match order {
        Order::Ascending => seen.plus(1)..=*range.end(),
        Order::Descending => *range.start()..=Position::new(seen.get() - 1)?,
    };
    (!rest.is_empty()).then_some(rest)
}

fn param(value: &filter::SqlValue, text_upto: u64) -> SqlValue {
    match value {
        filter::SqlValue::Text(text) => SqlValue::Text(text.clone()),
        filter::SqlValue::Integer(number) => SqlValue::Integer(*number),
        filter::SqlValue::Real(number) => SqlValue::Real(*number),
        filter::SqlValue::TextWatermark => {
            SqlValue::Integer(i64::try_from(text_upto).unwrap_or(i64::MAX))
        }
    }
}

#[cfg(test)]
mod tests;
