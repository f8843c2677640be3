//! The log as the tools see it: events are put in, records are found. A server has it at hand; a command takes it for the moment.

use std::error::Error;

use uuid::Uuid;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::problem::Problem;
use weft_log::admit::{Admitted, Arrival, Gate, Refusal, Strictness};
use weft_log::blobs::{ShrinkError, Which};
use weft_log::log::Outcome;
use weft_log::query::{Found, Page, QueryError, Records};
use weft_log::{Position, Store, TopicKey, rejected};

use crate::reads::Question;
use crate::views::{self, Ask};
use crate::writer::chain;

/// The way in, as records and refusals have it.
pub const VIA: &str = "mcp";

/// What the tools work on. Cheap to clone.
pub trait Shelf: Clone + Send + Sync + 'static {
    /// Puts events into the log together, and returns what became of each once that is durable.
    fn put(&self, events: Vec<Put>) -> impl Future<Output = Result<Vec<Kept>, ShelfError>> + Send;

    /// Looks at the log, where it may take its time. A store that nobody has made yet gives nothing.
    fn look<T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Records) -> Result<T, QueryError> + Send + 'static,
    ) -> impl Future<Output = Result<T, ShelfError>> + Send;

    /// Finds records.
    fn find(
        &self,
        question: Question,
    ) -> impl Future<Output = Result<Seen<Page>, ShelfError>> + Send;

    /// Returns the record at a position, if there is one.
    fn get(
        &self,
        position: Position,
    ) -> impl Future<Output = Result<Seen<Option<Found>>, ShelfError>> + Send;

    /// Returns the rows of a view as they are now.
    fn view(&self, ask: Ask) -> impl Future<Output = Result<views::Seen, ShelfError>> + Send;
}

/// An event that a tool made.
#[derive(Clone, Debug)]
pub struct Put {
    /// The event, on one line.
    pub line: String,
    /// Its dialect.
    pub dialect: Dialect,
    /// The topic it is posted to, if any.
    pub topic: Option<TopicKey>,
}

/// What became of an event.
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    /// It is in the log, stored now or before.
    Logged(Outcome),
    /// It waits in the spool, because somebody else has the log.
    Spooled,
}

/// What was found, and where.
#[derive(Clone, Debug)]
pub struct Seen<T> {
    /// The id of the store, which cursors carry.
    pub store_id: String,
    /// The first position that is kept.
    pub first: u64,
    /// What was found.
    pub found: T,
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// An event was refused.
    #[error("the event is not valid")]
    Refused {
        /// What is wrong with it.
        problems: Vec<Problem>,
    },
    /// The log cannot be written or read.
    #[error("the log cannot be had")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl ShelfError {
    /// Says that something went wrong with the log.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        ShelfError::Failed(error.into())
    }

    /// Returns all of it for a reader who can do something about it.
    pub(super) fn told(&self) -> String {
        match self {
            ShelfError::Failed(error) => chain(error.as_ref()),
            ShelfError::Refused { problems } => {
                let mut text = "The event was refused, and nothing was recorded:".to_owned();
                for Problem { code, pointer, message } in problems {
                    let place = if pointer.is_empty() { "/" } else { pointer };
                    text += &format!("\n{place}: {message} ({})", code.as_str());
                }
                text
            }
        }
    }
}

/// Why events cannot go into the log.
#[derive(Debug)]
pub enum NotAdmitted {
    /// One of them is not valid.
    Refused {
        /// What is wrong with it.
        problems: Vec<Problem>,
        /// The same, to be kept with the event.
        refusal: Box<rejected::Refusal>,
    },
    /// What is too large for an event could not be put beside the log.
    Failed(ShrinkError),
}

/// Judges events on their way in: all of them are good, without so much as a warning, or none goes in.
pub fn admit(store: &Store, events: &[Put]) -> Result<Vec<Admitted>, NotAdmitted> {
    let mut gate = Gate::new(store, Which::Largest, Strictness::Strict);
    let at_us = jiff::Timestamp::now().as_microsecond();
    let admit = |put: &Put| {
        let (expect, topic) = (Expect::Dialect(put.dialect), put.topic.as_ref());
        let line = put.line.as_bytes();
        let arrival = Arrival { line, expect, via: VIA, delivery: None, topic };
        gate.admit(&arrival).map_err(|refusal| match refusal {
            Refusal::Large(error @ ShrinkError::Blob(_)) => NotAdmitted::Failed(error),
            refusal => {
                let origin = format!("{VIA}:{}", Uuid::now_v7());
                let kept = rejected::Refusal::of(&arrival, &refusal, origin, at_us);
                NotAdmitted::Refused { problems: refusal.problems(), refusal: Box::new(kept) }
            }
        })
    };
    events.iter().map(admit).collect()
}
