//! The store as the screen reads it: without a server, and beside one.

use std::error::Error;
use std::time::{Duration, Instant};

use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::time::format_rfc3339;
use weft_log::disk::RealDisk;
use weft_log::query::{Ask as LogAsk, Found, Order, Records, is_match};
use weft_log::reader::{first_kept, read_head};
use weft_log::tail::{Step, Tail};
use weft_log::{Filter, FilterError, Position, Store, filter, spool};
use weft_tui::source::{
    Ask, Completions, FilterFault, More, Opening, Page, Place, Record, Source, SourceError, Which,
};
use weft_view::Views;

use super::complete::{self, VALUES_FROM};
use crate::records::quoted;
use crate::stores;

/// How long what is there is gathered before it is handed on.
const GATHER: Duration = Duration::from_millis(20);

/// A store, and how far it was read.
pub(super) struct StoreSource {
    store: Store,
    /// `None` before it was opened at a place.
    tail: Option<Tail>,
    /// Which records match.
    filter: Filter,
    tape: Tape,
    problems: Problems,
}

impl StoreSource {
    pub(super) fn new(store: Store) -> Result<Self, SourceError> {
        stores::settle_unsaid(&store).map_err(|error| SourceError::Failed(error.into()))?;
        let filter = Filter::all().without_bookkeeping();
        Ok(Self { store, tail: None, filter, tape: Tape::new(), problems: Problems::new() })
    }

    fn head(&self) -> Result<u64, SourceError> {
        let head = read_head(&RealDisk, self.store.root()).map_err(failed)?;
        Ok(head.last().map_or(0, Position::get))
    }

    fn record(&mut self, found: Found) -> Record {
        let (tape, problems) = (&mut self.tape, &mut self.problems);
        let is_match = is_match(&self.filter, &found.meta, &found.line, tape, problems);
        let mark = found.meta.mark.as_ref();
        Record {
            position: found.meta.position.get(),
            received_ns: found.meta.at_us.unwrap_or_default().saturating_mul(1000),
            is_carried: mark.is_some_and(|mark| mark.carried.is_some()),
            dialect: mark.map(|mark| mark.dialect),
            is_match,
            line: found.line,
        }
    }

    fn records(&self) -> Result<Records, SourceError> {
        Records::open(self.store.clone()).map_err(failed)
    }

    /// Returns the newest records up to a position that a filter matches, in the order of the log, and whether there are older ones.
    fn newest(
        &self,
        filter: &Filter,
        upto: u64,
        max: usize,
    ) -> Result<(Vec<Found>, bool), SourceError> {
        let Some(upto) = Position::new(upto) else { return Ok((Vec::new(), false)) };
        let range = Position::FIRST..=upto;
        let ask = LogAsk { filter, range, order: Order::Descending, limit: max };
        let mut page = self.records()?.page(&ask).map_err(failed)?;
        page.records.reverse();
        Ok((page.records, page.next.is_some()))
    }

    /// Returns the position that a place means; 0 if nothing was received by then.
    fn position(&self, place: &Place, now_ns: i64) -> Result<(u64, Option<i64>), SourceError> {
        match place {
            Place::Now => Ok((self.head()?, None)),
            Place::Position(position) => {
                let last = Position::new((*position).min(self.head()?));
                let Some(last) = last else { return Ok((0, None)) };
                let found = self.records()?.get(last).map_err(no_place)?;
                let at_us = found.and_then(|found| found.meta.at_us);
                Ok((last.get(), at_us.map(|at_us| at_us.saturating_mul(1000))))
            }
            Place::Text(text) => match (text.parse(), filter::time_ns(text, now_ns)) {
                (Ok(position), _) => self.position(&Place::Position(position), now_ns),
                (Err(_), None) => Err(SourceError::NoMoment { text: text.clone() }),
                (Err(_), Some(ns)) => {
                    let until = format!("at<={}", quoted(&format_rfc3339(ns)));
                    let until = Filter::parse(&until, now_ns).map_err(no_place)?;
                    let (found, _) = self.newest(&until, self.head()?, 1)?;
                    let last = found.first().map_or(0, |found| found.meta.position.get());
                    Ok((last, Some(ns)))
                }
            },
        }
    }
}

impl Source for StoreSource {
    fn open(&mut self, place: &Place, now_ns: i64) -> Result<Opening, SourceError> {
        let (position, received_ns) = self.position(place, now_ns)?;
        let first = first_kept(RealDisk, self.store.root()).map_err(failed)?;
        let first = first.unwrap_or(Position::FIRST);
        self.tail = Some(Tail::open(&self.store, first, Filter::all()).map_err(failed)?);
        let upto = first.get() - 1;
        Ok(Opening { views: Views::default(), upto, position, received_ns, head: self.head()? })
    }

    fn more(&mut self, max: usize, patience: Duration) -> Result<More, SourceError> {
        let Some(tail) = &mut self.tail else { return Ok(More::default()) };
        let mut found = Vec::new();
        let mut wait = patience;
        let until = Instant::now() + patience.max(GATHER);
        while found.len() < max && Instant::now() < until {
            match tail.read(wait).map_err(failed)? {
                Step::Records { records, .. } => found.extend(records),
                Step::Quiet => break,
            }
            wait = Duration::ZERO;
        }
        if found.is_empty() && !spool::is_empty(self.store.root()) {
            stores::settle_unsaid(&self.store)
                .map_err(|error| SourceError::Failed(error.into()))?;
        }
        let records = found.into_iter().map(|found| self.record(found)).collect();
        Ok(More { records, head: self.head()? })
    }

    fn set_filter(&mut self, text: &str, now_ns: i64) -> Result<(), FilterFault> {
        let filter = Filter::parse(text, now_ns).map_err(fault)?;
        self.filter = filter.without_bookkeeping();
        Ok(())
    }

    fn page(&mut self, ask: &Ask) -> Result<Page, SourceError> {
        let text = match &ask.which {
            Which::Filter(text) => text.clone(),
            Which::Session(id) => format!("session={}", quoted(id)),
            Which::Trace(id) => format!("trace={}", quoted(id)),
        };
        let filter = Filter::parse(&text, ask.now_ns).map_err(failed)?.without_bookkeeping();
        let (found, is_cut) = self.newest(&filter, ask.upto, ask.max)?;
        let records = found.into_iter().map(|found| self.record(found)).collect();
        Ok(Page { records, is_cut })
    }

    fn complete(&mut self, text: &str, cursor: usize) -> Completions {
        // Where the log cannot be read there is nothing to offer but the names of fields.
        let newest = || self.newest(&Filter::all(), self.head()?, VALUES_FROM);
        complete::complete(text, cursor, || newest().map(|(found, _)| found).unwrap_or_default())
    }
}

fn fault(error: FilterError) -> FilterFault {
    FilterFault {
        offset: error.offset,
        length: error.length,
        message: error.to_string(),
        help: error.fault.help(),
    }
}

fn failed(error: impl Error + Send + Sync + 'static) -> SourceError {
    SourceError::Failed(Box::new(error))
}

fn no_place(error: impl Error + Send + Sync + 'static) -> SourceError {
    SourceError::NoPlace(Box::new(error))
}
