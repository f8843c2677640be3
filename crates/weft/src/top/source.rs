//! The store as the screen reads it: without a server, and beside one.

use std::error::Error;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use weft_event::Dialect;
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::disk::RealDisk;
use weft_log::filter::{VALUES_FROM, complete, quoted};
use weft_log::query::{Ask as LogAsk, Found, Order, Records, is_match, values};
use weft_log::reader::{ReadError, first_kept, read_head};
use weft_log::snapshots::SPACING;
use weft_log::tail::{Step, Tail};
use weft_log::{Filter, FilterError, Position, Store, spool};
use weft_server::views::{Fold, Moment};
use weft_tui::source::{
    Ask, Completions, End, FilterFault, Leap, More, Opening, Page, Place, Record, Source,
    SourceError, Steer, Steered, Which,
};
use weft_view::Views;

use crate::{steer, stores};

/// How long what comes is gathered before it is handed on, where much comes.
const GATHER: Duration = Duration::from_millis(50);
/// How long is read at a time where much has to be, at least.
const LEAP: Duration = Duration::from_millis(250);
/// How much longer is read than it takes to copy the views that are shown meanwhile, at least.
const LEAP_COPIES: u32 = 4;

/// A store, and how far it was read.
pub(super) struct StoreSource {
    store: Store,
    /// `None` before it was opened at a place.
    tail: Option<Tail>,
    /// What is behind so far that its records are taken in here, snapshots left on the way, and up to where.
    behind: Option<(Fold, u64)>,
    /// How long it took to copy its views last.
    copied: Duration,
    /// Records that were read and not given yet.
    left: Vec<Found>,
    /// When records were given last.
    given: Instant,
    /// Which records match.
    filter: Filter,
    /// Whether that is all that a person is shown at all, for which no line has to be read.
    is_all: bool,
    tape: Tape,
    problems: Problems,
}

impl StoreSource {
    pub(super) fn new(store: Store) -> Result<Self, SourceError> {
        stores::settle_unsaid(&store).map_err(|error| SourceError::Failed(error.into()))?;
        let filter = Filter::all().without_bookkeeping();
        let (tape, problems) = (Tape::new(), Problems::new());
        let (left, given) = (Vec::new(), Instant::now());
        Ok(Self {
            store,
            tail: None,
            behind: None,
            copied: Duration::ZERO,
            left,
            given,
            filter,
            is_all: true,
            tape,
            problems,
        })
    }

    fn head(&self) -> Result<u64, SourceError> {
        let head = read_head(&RealDisk, self.store.root()).map_err(failed)?;
        Ok(head.last().map_or(0, Position::get))
    }

    fn record(&mut self, found: Found) -> Record {
        let (tape, problems) = (&mut self.tape, &mut self.problems);
        let mark = found.meta.mark.as_ref();
        let is_match = if self.is_all {
            mark.is_none_or(|mark| mark.dialect != Dialect::Weft)
        } else {
            is_match(&self.filter, &found.meta, &found.line, tape, problems)
        };
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

    /// Returns records that a filter matches, in the order of the log, and whether there are more.
    fn some(
        &self,
        filter: &Filter,
        range: RangeInclusive<Position>,
        end: End,
        max: usize,
    ) -> Result<(Vec<Found>, bool), SourceError> {
        if range.is_empty() {
            return Ok((Vec::new(), false));
        }
        let order = match end {
            End::Newest => Order::Descending,
            End::Oldest => Order::Ascending,
        };
        let mut page =
            self.records()?.page(&LogAsk { filter, range, order, limit: max }).map_err(failed)?;
        if end == End::Newest {
            page.records.reverse();
        }
        Ok((page.records, page.next.is_some()))
    }

    /// Returns the position that a place means, 0 if nothing was received by then, and what time it was.
    fn position(&self, place: &Place, now_ns: i64) -> Result<(u64, Option<i64>), SourceError> {
        let moment = match place {
            Place::Now => Moment::Now,
            Place::Position(position) => {
                Position::new(*position).map_or(Moment::Now, Moment::Position)
            }
            Place::Text(text) => Moment::parse(text, now_ns)
                .map_err(|_unread| SourceError::NoMoment { text: text.clone() })?,
        };
        let last = moment.position(&self.store).map_err(failed)?.map_or(0, Position::get);
        let last = last.min(self.head()?);
        if let (Moment::Position(_), Some(position)) = (moment, Position::new(last)) {
            let found = self.records()?.get(position).map_err(no_place)?;
            let at_us = found.and_then(|found| found.meta.at_us);
            return Ok((last, at_us.map(|at_us| at_us.saturating_mul(1000))));
        }
        Ok((last, moment.time_ns()))
    }

    /// Takes records in for a while, and hands the views on instead.
    fn leap(&mut self, tail: &mut Tail, mut fold: Fold, end: u64) -> Result<More, SourceError> {
        let until = Instant::now() + LEAP.max(self.copied * LEAP_COPIES);
        while fold.upto() < end && Instant::now() < until {
            match tail.read(Duration::ZERO).map_err(failed)? {
                Step::Records { records, lost } => {
                    for found in records {
                        if found.meta.position.get() > end {
                            self.left.push(found);
                        } else {
                            fold.take(&found.meta, &found.line);
                        }
                    }
                    lost.into_iter().for_each(|(_, last)| fold.pass(last.plus(1)));
                }
                // The rest is lost, or there is none.
                Step::Quiet => fold.pass(Position::FIRST.plus(end)),
            }
        }
        let upto = fold.upto();
        let views = if upto < end { self.go_on(fold, end) } else { fold.into_views() };
        let leap = Leap { views, upto };
        Ok(More { leap: Some(Box::new(leap)), records: Vec::new(), head: self.head()? })
    }

    /// Keeps a fold to take more in, and returns a copy of its views.
    fn go_on(&mut self, fold: Fold, end: u64) -> Views {
        let began = Instant::now();
        let views = fold.views().clone();
        self.copied = began.elapsed();
        self.behind = Some((fold, end));
        views
    }
}

impl Source for StoreSource {
    fn open(&mut self, place: &Place, now_ns: i64) -> Result<Opening, SourceError> {
        let (position, received_ns) = self.position(place, now_ns)?;
        let first = first_kept(RealDisk, self.store.root()).map_err(failed)?;
        let first = first.unwrap_or(Position::FIRST);
        if 0 < position && position < first.get() {
            let position = Position::FIRST.plus(position - 1);
            return Err(no_place(ReadError::Pruned { position, first }));
        }
        let head = self.head()?;
        let last = Position::new(position).unwrap_or(Position::FIRST);
        let mut fold = Fold::usual(&self.store, last).map_err(failed)?;
        let upto = fold.upto().max(first.get() - 1);
        let next = Position::FIRST.plus(upto);
        self.tail = Some(Tail::open(&self.store, next, Filter::all()).map_err(failed)?);
        self.left = Vec::new();
        self.behind = None;
        let views = if position.saturating_sub(upto) > SPACING.every {
            fold.leave_snapshots(Position::new(head).unwrap_or(last));
            self.go_on(fold, position)
        } else {
            fold.into_views()
        };
        Ok(Opening { views, upto, position, received_ns, head })
    }

    fn more(&mut self, max: usize, patience: Duration) -> Result<More, SourceError> {
        let Some(mut tail) = self.tail.take() else { return Ok(More::default()) };
        if let Some((fold, end)) = self.behind.take() {
            let more = self.leap(&mut tail, fold, end);
            self.tail = Some(tail);
            return more;
        }
        let mut found = std::mem::take(&mut self.left);
        let mut wait = if found.is_empty() { patience } else { Duration::ZERO };
        // A look at the log costs the same for one record and for hundreds: what comes singly is given at once, and the rest together.
        std::thread::park_timeout(GATHER.saturating_sub(self.given.elapsed()).min(patience));
        while found.len() < max {
            match tail.read(wait).map_err(failed)? {
                Step::Records { records, .. } => found.extend(records),
                Step::Quiet => break,
            }
            wait = Duration::ZERO;
        }
        self.tail = Some(tail);
        if !found.is_empty() {
            self.given = Instant::now();
        }
        if found.is_empty() && !spool::is_empty(self.store.root()) {
            stores::settle_unsaid(&self.store)
                .map_err(|error| SourceError::Failed(error.into()))?;
        }
        let records = found.into_iter().map(|found| self.record(found)).collect();
        Ok(More { leap: None, records, head: self.head()? })
    }

    fn set_filter(&mut self, text: &str, now_ns: i64) -> Result<(), FilterFault> {
        let filter = Filter::parse(text, now_ns).map_err(fault)?;
        self.is_all = filter.is_all();
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
        let Some(upto) = Position::new(ask.upto) else { return Ok(Page::default()) };
        let range = Position::FIRST.plus(ask.after)..=upto;
        let (found, is_cut) = self.some(&filter, range, ask.end, ask.max)?;
        let records = found.into_iter().map(|found| self.record(found)).collect();
        Ok(Page { records, is_cut })
    }

    fn complete(&mut self, text: &str, cursor: usize) -> Completions {
        // Where the log cannot be read there is nothing to offer but the names of fields.
        let newest = || {
            let Some(head) = Position::new(self.head()?) else { return Ok((Vec::new(), false)) };
            self.some(&Filter::all(), Position::FIRST..=head, End::Newest, VALUES_FROM)
        };
        let completion = complete(text, cursor, |field| {
            let found = newest().map(|(found, _): (Vec<Found>, bool)| values(field, &found));
            found.unwrap_or_else(|_: SourceError| Vec::new())
        });
        let words = completion.offers.into_iter().map(|offer| offer.text).collect();
        Completions { from: completion.from, words }
    }

    fn steer(&mut self, steer: &Steer) -> Result<Steered, SourceError> {
        let Steer { session, run, wish } = steer;
        let answer = steer::wish(&self.store, session, run, *wish)
            .map_err(|error| SourceError::Unsteered(error.into()))?;
        Ok(match answer.refusal {
            None => Steered::Done(answer.why),
            Some(_) => Steered::Refused(answer.why),
        })
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
