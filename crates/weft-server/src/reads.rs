//! Questions to the log. They read the disk, so that they run on threads of their own, only so many at a time.

use std::ops::RangeInclusive;
use std::sync::Arc;

use tokio::sync::Semaphore;
use weft_log::query::{Ask, Found, Order, Page, QueryError, Records, by_producer};
use weft_log::{Filter, Position, Store};

use crate::limits::Limits;
use crate::room::{NoRoom, Room, Rooms};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReadsError {
    /// The log or its index cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// More records match than may be put into order at once.
    #[error(
        "more than {records_max} records match, or {bytes_max} bytes of them: ask for them by position, in pages"
    )]
    TooMany {
        /// How many may be.
        records_max: usize,
        /// How large they may be together.
        bytes_max: usize,
    },
}

/// Records that are read before a look at how large they are; twice as many after each look, up to a limit.
const STEP_RECORDS: usize = 16;
const STEP_RECORDS_MAX: usize = 128;

/// What answers questions. Cheap to clone.
#[derive(Clone)]
pub struct Reads {
    store: Store,
    places: Arc<Semaphore>,
    answers: Rooms,
}

/// A question for a page.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which records.
    pub filter: Filter,
    /// Between which positions, both included.
    pub range: RangeInclusive<Position>,
    /// From which end.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
    /// After how many bytes of them the page ends, whether or not there are as many records.
    pub bytes_max: usize,
}

impl Reads {
    /// Answers questions about a store, so many at a time.
    pub fn new(store: Store, limits: &Limits) -> Self {
        let places = Arc::new(Semaphore::new(limits.reads_max));
        Self { store, places, answers: Rooms::new(limits.answers_bytes_max, limits.queue_patience) }
    }

    /// Waits for room for an answer of so many bytes. Who holds an answer until its client takes it holds its room as well.
    pub async fn room(&self, n_bytes: usize) -> Result<Room, NoRoom> {
        self.answers.take(n_bytes).await
    }

    /// Returns a page.
    pub async fn page(&self, question: Question) -> Result<Page, ReadsError> {
        self.read(move |records| page(records, question)).await
    }

    /// Returns one record; `None` if there is none.
    pub async fn get(&self, position: Position) -> Result<Option<Found>, ReadsError> {
        self.read(move |records| Ok(records.get(position)?)).await
    }

    /// Returns all records that match, in the order of their producers; an error if there are too many.
    pub async fn by_producer(&self, question: Question) -> Result<Page, ReadsError> {
        self.read(move |records| {
            let (limit, bytes_max) = (question.limit, question.bytes_max);
            let page = page(records, question)?;
            if page.next.is_some() {
                return Err(ReadsError::TooMany { records_max: limit, bytes_max });
            }
            Ok(Page { records: by_producer(page.records), ..page })
        })
        .await
    }

    /// Asks whatever is asked, on a thread where it may take its time.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Records) -> Result<T, ReadsError> + Send + 'static,
    ) -> Result<T, ReadsError> {
        self.aside(move |store| work(&mut Records::open(store.clone())?)).await
    }

    /// Does whatever takes its time with the store, on a thread where it may.
    pub async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> T {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let store = self.store.clone();
        let read = tokio::task::spawn_blocking(move || {
            let answer = work(&store);
            drop(place);
            answer
        });
        read.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

/// Returns a page, read in steps, so that large records are noticed before there are too many of them in memory.
pub fn page(records: &mut Records, question: Question) -> Result<Page, ReadsError> {
    let Question { filter, mut range, order, limit, bytes_max } = question;
    let (mut all, mut bytes, mut step) = (Page::default(), 0, STEP_RECORDS);
    loop {
        let n = step.min(limit - all.records.len());
        let ask = Ask { filter: &filter, range: range.clone(), order, limit: n };
        let mut page = records.page(&ask)?;
        bytes += page.records.iter().map(|found| found.line.len()).sum::<usize>();
        all.records.append(&mut page.records);
        all.lost.append(&mut page.lost);
        all.next = page.next;
        let Some(next) = page.next.filter(|_| all.records.len() < limit && bytes < bytes_max)
        else {
            // Each step names everything that is lost from there on.
            all.lost.sort();
            all.lost.dedup();
            return Ok(all);
        };
        range = match order {
            Order::Ascending => next..=*range.end(),
            Order::Descending => *range.start()..=next,
        };
        step = (2 * step).min(STEP_RECORDS_MAX);
    }
}
