//! Questions to the log. They read the disk, so that they run on threads of their own, only so many at a time.

use std::ops::RangeInclusive;
use std::sync::Arc;

use tokio::sync::Semaphore;
use weft_log::query::{Ask, Found, Order, Page, QueryError, Records, by_producer};
use weft_log::{Filter, Position, Store};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReadsError {
    /// The log or its index cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// More records match than may be put into order at once.
    #[error("more than {max} records match: ask for them by position, in pages")]
    TooMany {
        /// How many may be.
        max: usize,
    },
}

/// What answers questions. Cheap to clone.
#[derive(Clone)]
pub struct Reads {
    store: Store,
    places: Arc<Semaphore>,
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
}

impl Reads {
    /// Answers questions about a store, so many at a time.
    pub fn new(store: Store, reads_max: usize) -> Self {
        Self { store, places: Arc::new(Semaphore::new(reads_max)) }
    }

    /// Returns a page.
    pub async fn page(&self, question: Question) -> Result<Page, ReadsError> {
        self.read(move |records| {
            let Question { filter, range, order, limit } = question;
            Ok(records.page(&Ask { filter: &filter, range, order, limit })?)
        })
        .await
    }

    /// Returns one record; `None` if there is none.
    pub async fn get(&self, position: Position) -> Result<Option<Found>, ReadsError> {
        self.read(move |records| Ok(records.get(position)?)).await
    }

    /// Returns all records that match, in the order of their producers; an error if there are more than `max`.
    pub async fn by_producer(&self, filter: Filter, max: usize) -> Result<Page, ReadsError> {
        self.read(move |records| {
            let range = Position::FIRST..=Position::new(u64::MAX).expect("it is not 0");
            let ask = Ask { filter: &filter, range, order: Order::Ascending, limit: max };
            let page = records.page(&ask)?;
            if page.next.is_some() {
                return Err(ReadsError::TooMany { max });
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
        let place = Arc::clone(&self.places).acquire_owned().await;
        let store = self.store.clone();
        let read = tokio::task::spawn_blocking(move || {
            let answer = work(&mut Records::open(store)?);
            drop(place);
            answer
        });
        read.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}
