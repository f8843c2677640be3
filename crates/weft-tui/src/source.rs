//! Where the screen gets what it shows: the contract between it and whoever has the records.

use std::error::Error;
use std::time::Duration;

use weft_event::Dialect;
use weft_event::idle::Command;
use weft_view::Views;

/// A record as the screen takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its position in the log.
    pub position: u64,
    /// When it was received, in nanoseconds since 1970.
    pub received_ns: i64,
    /// Whether it stood in the log before and was appended again.
    pub is_carried: bool,
    /// The dialect it was read in; `None` where nothing vouches for it.
    pub dialect: Option<Dialect>,
    /// Whether it matches the filter that was set last.
    pub is_match: bool,
    /// The event, as it came.
    pub line: Vec<u8>,
}

/// Where to read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The end of the log.
    Now,
    /// A position.
    Position(u64),
    /// A position or a time, as a person writes it.
    Text(String),
}

/// What is there at a place. [`Source::more`] goes on after what is in the views.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opening {
    /// The views, which may be of an earlier position than asked for: the records between come as more.
    pub views: Views,
    /// Up to where records are in the views.
    pub upto: u64,
    /// The position that was asked for; 0 if there is no record yet.
    pub position: u64,
    /// When the record there was received, or the time that was asked for.
    pub received_ns: Option<i64>,
    /// The last position of the log.
    pub head: u64,
}

/// Records that follow those given before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct More {
    /// Where there are many: the views after them, in their place.
    pub leap: Option<Box<Leap>>,
    /// The records, in order; none if nothing came in time.
    pub records: Vec<Record>,
    /// The last position of the log, as far as it is known.
    pub head: u64,
}

/// The views at a later position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leap {
    /// The views.
    pub views: Views,
    /// Up to where records are in them.
    pub upto: u64,
}

/// Which records of the past are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that match a filter.
    Filter(String),
    /// Those of a session.
    Session(String),
    /// Those of a trace.
    Trace(String),
}

/// Which of several are meant where there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The newest.
    Newest,
    /// The oldest.
    Oldest,
}

/// A question for records of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Which.
    pub which: Which,
    /// The position before the first that counts; 0 for all.
    pub after: u64,
    /// The last position that counts.
    pub upto: u64,
    /// Which of them.
    pub end: End,
    /// How many at most.
    pub max: usize,
    /// What relative times in a filter count from.
    pub now_ns: i64,
}

/// Its answer, in the order of the log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The records.
    pub records: Vec<Record>,
    /// Whether there are more of those that were asked for.
    pub is_cut: bool,
}

/// What is wrong with a filter, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterFault {
    /// Where it begins, in bytes of the text.
    pub offset: usize,
    /// How many bytes it spans; 0 where something is missing.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// Ways to go on with a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// Where the word begins that they stand for, in bytes of the text.
    pub from: usize,
    /// What could stand there.
    pub words: Vec<String>,
}

/// What is wished of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steer {
    /// The session whose loop it is; empty for one that no session has taken up.
    pub session: String,
    /// The run, so that no other is meant than the one that is shown.
    pub run: String,
    /// What is wanted.
    pub wish: Command,
}

/// What came of it, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steered {
    /// It is done.
    Done(String),
    /// It cannot be done to the loop as it is.
    Refused(String),
}

/// Why a source cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The text names no moment.
    #[error(
        "`{text}` is no moment: write a position, or a time as 2h, 2026-11-15 or 2026-11-15T09:30"
    )]
    NoMoment {
        /// The text.
        text: String,
    },
    /// The place cannot be gone to.
    #[error("cannot go there")]
    NoPlace(#[source] Box<dyn Error + Send + Sync>),
    /// The records cannot be read.
    #[error("cannot read the log")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    /// A loop cannot be changed.
    #[error("cannot change the loop")]
    Unsteered(#[source] Box<dyn Error + Send + Sync>),
}

/// Records, and what can be asked about them.
pub trait Source {
    /// Goes to a place. Relative times count from `now_ns`.
    fn open(&mut self, place: &Place, now_ns: i64) -> Result<Opening, SourceError>;

    /// Returns up to `max` records after those given before, waiting for the first no longer than `patience`.
    fn more(&mut self, max: usize, patience: Duration) -> Result<More, SourceError>;

    /// Sets which records match from now on. At a fault the filter stays as it was.
    fn set_filter(&mut self, text: &str, now_ns: i64) -> Result<(), FilterFault>;

    /// Returns records of the past.
    fn page(&mut self, ask: &Ask) -> Result<Page, SourceError>;

    /// Returns how a filter could go on at a place in its text.
    fn complete(&mut self, text: &str, cursor: usize) -> Completions;

    /// Does what is wished of a loop, at once. What changes by it comes as records, as from anybody.
    fn steer(&mut self, steer: &Steer) -> Result<Steered, SourceError>;
}
