//! Writing to a store from any number of threads: what waits is taken together, written with one call and synced once.
//!
//! There is no timer and no thread of the writer's own. Whoever comes while nobody writes leads: it takes what waits, writes it for
//! all, and hands the lead to the first of those who came meanwhile. So a lone producer pays for its write and sync and nothing else.

mod background;
mod judge;
mod knowledge;
mod likeness;
mod queue;
mod recent;
mod session;
mod settle;
mod written;

use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use weft_event::Dialect;

use crate::admit::Admitted;
use crate::blobs::BlobError;
use crate::follow::{FollowError, Progress};
use crate::index::IndexError;
use crate::lock::{LockError, Owner};
use crate::prune::{self, PruneError};
use crate::recover::{self, Finding};
use crate::rejected::{Refusal, RejectedError};
use crate::writer::WriteError;
use crate::{Position, Store, TopicKey};

pub use judge::JudgeError;
use queue::{Queue, Told, Turn};
use session::Session;
pub use session::{CLOCK_SLACK_US, LATER_RECORDS_MAX};
pub use settle::{is_settled, settle, whole_head};
pub use written::Written;

/// Groups that one producer writes for others before it hands on the lead: its own answer waits that long.
const LEAD_GROUPS_MAX: usize = 8;

/// What an answer promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// The system has it: it survives the end of the process, not a power cut.
    Written,
    /// The disk has it.
    Synced,
}

/// Events that are appended together: all or, where a condition fails, none.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The events, in order.
    pub events: Vec<Admitted>,
    /// What has to be so, or the batch is refused.
    pub conditions: Vec<Condition>,
    /// What the answer has to promise.
    pub durability: Durability,
}

/// What the newest record of a last-value key has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The topic and its key.
    pub topic: TopicKey,
    /// The position of the newest record; `None` if there must be none.
    pub last: Option<Position>,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// One for each event.
    pub outcomes: Vec<Outcome>,
    /// What is promised.
    pub durability: Durability,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is in the log.
    Stored {
        /// Its position.
        position: Position,
        /// An earlier record with the same identity and other content.
        conflict: Option<Position>,
    },
    /// It was in the log before.
    Repeat {
        /// The position of the first.
        position: Position,
    },
}

impl Outcome {
    /// Returns where the event is.
    pub fn position(self) -> Position {
        match self {
            Outcome::Stored { position, .. } | Outcome::Repeat { position } => position,
        }
    }
}

/// What became of batches that were appended together.
#[derive(Clone, Debug)]
pub struct Appended {
    /// One for each batch.
    pub answers: Vec<Result<Answer, AppendError>>,
    /// The records that were written for them; `None` if there are none, or if not all of them are durable.
    pub written: Option<Written>,
}

/// How many values were carried forward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarriedCount {
    /// Appended again.
    pub n_carried: u64,
    /// Damaged, so that there is nothing to carry.
    pub n_unreadable: u64,
}

/// Segments that were removed.
#[derive(Clone, Debug)]
pub(crate) struct Removed {
    /// Their numbers and positions.
    pub(crate) segments: Vec<(u64, RangeInclusive<Position>)>,
    /// The first position that is left.
    pub(crate) first_kept: Position,
}

/// Why a batch was not appended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// A condition does not hold.
    #[error("the newest record of {} is {}", describe(topic), actual.map_or("none".to_owned(), |actual| actual.to_string()))]
    Condition {
        /// The topic and key.
        topic: TopicKey,
        /// The position of the newest record.
        actual: Option<Position>,
    },
    /// The log could not be written.
    #[error(transparent)]
    Write(Arc<WriteError>),
    /// The store could not be made ready for writing.
    #[error(transparent)]
    Begin(Arc<BeginError>),
    /// What is known of earlier events could not be read.
    #[error("cannot tell whether an event is a repeat")]
    Identity(#[source] Arc<JudgeError>),
    /// Whoever was writing for all ended half-way. Asking again is safe: a repeat is recognised.
    #[error("the writer ended before it answered")]
    Left,
}

fn describe(topic: &TopicKey) -> String {
    let key = topic.key.as_deref().unwrap_or_default();
    format!("`{key}` in topic `{}`", topic.topic)
}

/// Why a store could not be made ready for writing.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// Another process writes.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The log cannot be opened.
    #[error(transparent)]
    Recover(#[from] recover::Error),
    /// The index cannot be brought up to date.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The index cannot be opened.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index is so far behind that bringing it up to date takes longer than a single event can wait.
    #[error("the index lacks {records} records: `weft index rebuild` brings it up to date")]
    Behind {
        /// How many.
        records: u64,
    },
    /// What single commands left in the spool cannot be moved into the log.
    #[error("cannot move the spool into the log")]
    Spool(#[source] crate::spool::SpoolError),
    /// A large value of an event in the spool cannot be moved out of it.
    #[error("cannot move the spool into the log")]
    Blob(#[source] BlobError),
    /// What was refused on its way out of the spool cannot be kept.
    #[error("cannot keep what was refused")]
    Rejected(#[source] RejectedError),
    /// What is written could not be made durable.
    #[error(transparent)]
    Sync(WriteError),
    /// What single commands left in the spool cannot be written.
    #[error("cannot write what the spool holds")]
    SpoolWrite(#[source] Arc<WriteError>),
    /// What is known of earlier events could not be read.
    #[error("cannot tell whether an event is a repeat")]
    Identity(#[source] Arc<JudgeError>),
    /// The index was made again after an interrupted redaction, and that cannot be noted.
    #[error("cannot complete an interrupted redaction")]
    Redaction(#[source] io::Error),
    /// A deletion of old segments was interrupted, and cannot be completed.
    #[error("cannot complete an interrupted deletion of old segments")]
    Prune(#[source] Box<PruneError>),
}

/// How a store is written to.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who writes, for messages to others.
    pub owner: Owner,
    /// How long to wait for another process to let go of the store.
    pub patience: Duration,
    /// How long the store is held.
    pub hold: Hold,
    /// When what is written gets into the index.
    pub indexing: Indexing,
}

/// When what is written gets into the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// While more is written, where the store is held for long.
    Meanwhile,
    /// Before the store is let go.
    AtTheEnd,
    /// By whoever opens the store next, for as long as it is little: nobody waits for it after a single event, and readers miss
    /// nothing, since they read what the index lacks from the log.
    Later,
}

/// How long a store is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// For single events: an index that is far behind is an error, and what is written is indexed before the store is let go.
    Briefly,
    /// For many events: an index that is behind is first brought up to date, another thread keeps it so, and the store is let go
    /// for a moment whenever another process waits for it.
    Long,
}

/// A store to write to. Cheap to clone; the store is let go when the last clone is closed or dropped.
#[derive(Clone)]
pub struct Log {
    shared: Arc<Shared>,
}

/// What became of something that the spool held.
#[derive(Clone, Copy, Debug)]
pub enum FromSpool<'a> {
    /// It is in the log.
    Kept {
        /// The way that it came in.
        via: &'a str,
        /// Its dialect.
        dialect: Dialect,
        /// Since when.
        outcome: Outcome,
    },
    /// It was refused, and is kept.
    Refused(&'a Refusal),
}

/// Is told what becomes of what the spool holds.
pub type TellSpooled = Box<dyn FnMut(FromSpool<'_>) + Send>;

struct Shared {
    queue: Queue,
    session: Mutex<Session>,
}

impl Log {
    /// Opens a store for writing; makes it if there is none. The store is taken when the first batch comes, or here for long work.
    pub fn open(
        store: Store,
        options: Options,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, BeginError> {
        let log = Self::begin(store, options)?;
        log.get_ready(progress)?;
        Ok(log)
    }

    /// Takes a store and brings its log in order, and leaves the index as it is. Takes no longer where the log is large.
    pub fn begin(store: Store, options: Options) -> Result<Self, BeginError> {
        let session = Mutex::new(Session::begin(store, options)?);
        Ok(Self { shared: Arc::new(Shared { queue: Queue::default(), session }) })
    }

    /// Makes a store that was taken ready for the first batch, which would otherwise wait for it.
    pub fn get_ready(&self, progress: &mut dyn FnMut(Progress)) -> Result<(), BeginError> {
        let mut session = lock(&self.shared.session);
        session.hold_if_free(progress)?;
        let (store, hold) = (session.store().clone(), session.how_long());
        drop(session);
        if hold == Hold::Long {
            prune::resume(self, &store).map_err(|error| BeginError::Prune(Box::new(error)))?;
        }
        Ok(())
    }

    /// Has somebody told what becomes of what the spool holds, from now on.
    pub fn tell_spooled(&self, tell: TellSpooled) {
        lock(&self.shared.session).tell_spooled(tell);
    }

    /// Moves what single commands left in the spool meanwhile into the log; returns whether there was anything.
    pub fn empty_spool(&self) -> Result<bool, BeginError> {
        lock(&self.shared.session).empty_spool()
    }

    /// Lets the store go if another process waits for it. It is taken again with the next batch.
    pub fn give_way(&self) {
        lock(&self.shared.session).let_others();
    }

    /// Appends a batch and returns what became of each event, once that is as durable as asked for.
    pub fn append(&self, batch: Batch) -> Result<Answer, AppendError> {
        let place = self.shared.queue.join(batch);
        loop {
            match place.wait() {
                Turn::Lead => self.lead(),
                Turn::Answer(answer) => return answer,
            }
        }
    }

    /// Appends batches together, for a caller that has gathered them itself, and answers each.
    pub fn append_all(&self, batches: Vec<Batch>) -> Appended {
        lock(&self.shared.session).commit(batches)
    }

    /// Writes what waits, for as long as more comes, and hands on the lead after a while.
    fn lead(&self) {
        let queue = &self.shared.queue;
        let lead = queue.lead();
        for _ in 1..LEAD_GROUPS_MAX {
            let told = self.write_group();
            if queue.is_empty() {
                // Who comes next leads at once, and does not wait for the others to be told.
                drop(lead);
                return told.tell();
            }
            told.tell();
        }
        let told = self.write_group();
        drop(lead);
        told.tell();
    }

    fn write_group(&self) -> Told {
        let (batches, group) = self.shared.queue.take();
        group.told(lock(&self.shared.session).commit(batches))
    }

    /// Returns the newest record of a last-value key.
    pub fn latest(&self, topic: &TopicKey) -> Result<Option<Position>, AppendError> {
        lock(&self.shared.session).latest(topic)
    }

    /// Appends the newest values of last-value keys that stand in a range again, so that the range may go.
    pub(crate) fn carry(
        &self,
        range: &RangeInclusive<Position>,
    ) -> Result<CarriedCount, AppendError> {
        lock(&self.shared.session).carry(range)
    }

    /// Begins a new segment, so that what stands in the last one changes no more.
    pub(crate) fn roll(&self) -> Result<(), BeginError> {
        lock(&self.shared.session).roll()
    }

    /// Takes segments that were removed out of the index.
    pub(crate) fn forget_removed(&self, removed: &Removed) -> Result<(), BeginError> {
        lock(&self.shared.session).forget_removed(removed)
    }

    /// Gives the index's free space back, if there is much of it.
    pub(crate) fn compact_index(&self) -> Result<(), BeginError> {
        lock(&self.shared.session).compact_index()
    }

    /// Returns what was found when the store was opened, and forgets it.
    pub fn take_findings(&self) -> Vec<Finding> {
        lock(&self.shared.session).take_findings()
    }

    /// Returns the last position that is durable; `None` in an empty log.
    pub fn last(&self) -> Option<Position> {
        lock(&self.shared.session).last()
    }

    /// Returns whether new events are told from repeats in memory. Until then, after a store was opened for long, the index is asked
    /// for each of them.
    pub fn is_warm(&self) -> bool {
        lock(&self.shared.session).is_warm()
    }

    /// Waits until the index has everything that is in the log.
    pub fn catch_up(&self, progress: &mut dyn FnMut(Progress)) -> Result<(), BeginError> {
        lock(&self.shared.session).catch_up(progress)
    }

    /// Makes durable what is written, indexes it, and lets the store go.
    pub fn close(&self) -> Result<(), BeginError> {
        lock(&self.shared.session).end()
    }
}

/// A lock that a panicking thread held guards nothing that it can have left half changed in memory: the log is on disk.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the time in microseconds since 1970.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
