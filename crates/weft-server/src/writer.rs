//! The one thread that writes the log for every client of the server. It takes what waits, appends it together, and answers each.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use weft_log::log::{Answer, AppendError, Batch, Durability, Log};

use crate::feed::Waker;
use crate::limits::Limits;

/// Batches that are appended together at most. The log cuts them into groups.
const TOGETHER_MAX: usize = 4096;

/// One permit of the queue stands for so many bytes.
const PERMIT_BYTES: usize = 1024;

/// Why a batch was not appended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteFailure {
    /// Too much waits to be written.
    #[error("too many events wait to be written: try again later")]
    Busy,
    /// The server is ending.
    #[error("the server is shutting down")]
    Closed,
    /// The log refused or failed.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// A handle of the writer's thread. Cheap to clone.
#[derive(Clone)]
pub struct Appender {
    queue: mpsc::Sender<Waiting>,
    room: Arc<Semaphore>,
    permits_max: usize,
    patience: Duration,
}

struct Waiting {
    batch: Batch,
    answer: oneshot::Sender<Result<Answer, AppendError>>,
    /// Given back when the batch is answered.
    _room: OwnedSemaphorePermit,
}

/// The writer's thread. It ends when every [`Appender`] is dropped.
pub struct WriterThread(JoinHandle<()>);

impl WriterThread {
    /// Waits until everything that was handed in is answered, and the store is let go.
    pub fn join(self) {
        if let Err(panic) = self.0.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Starts the writer of a log. Whoever follows the log is woken after each append.
pub fn start(log: Log, limits: &Limits, waker: Waker) -> std::io::Result<(Appender, WriterThread)> {
    let (queue, waiting) = mpsc::channel(TOGETHER_MAX);
    let permits_max = limits.queue_bytes_max / PERMIT_BYTES;
    let room = Arc::new(Semaphore::new(permits_max));
    let thread = thread::Builder::new().name("weft-writer".to_owned());
    let thread = thread.spawn(move || write(&log, waiting, &waker))?;
    let appender = Appender { queue, room, permits_max, patience: limits.queue_patience };
    Ok((appender, WriterThread(thread)))
}

fn write(log: &Log, mut queue: mpsc::Receiver<Waiting>, waker: &Waker) {
    while let Some(first) = queue.blocking_recv() {
        let mut waiting = vec![first];
        while waiting.len() < TOGETHER_MAX
            && let Ok(next) = queue.try_recv()
        {
            waiting.push(next);
        }
        let (batches, answers): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .map(|Waiting { batch, answer, _room }| (batch, (answer, _room)))
            .unzip();
        let is_only_written = batches.iter().all(|batch| batch.durability == Durability::Written);
        let outcomes = log.append_all(batches);
        waker.wake();
        for ((answer, _room), outcome) in answers.into_iter().zip(outcomes) {
            // A client that is gone by now has no use for its answer.
            drop(answer.send(outcome));
        }
        // Readers see what is synced. The next append would do it; if none waits, nobody knows when that comes.
        if is_only_written && queue.is_empty() {
            sync(log);
            waker.wake();
        }
    }
    if let Err(error) = log.close() {
        tracing::warn!("the store was let go before its index was complete: {error}");
    }
}

/// Makes durable what is written. If that fails, the next append finds out and makes it good or says so.
fn sync(log: &Log) {
    let (events, conditions) = (Vec::new(), Vec::new());
    let nothing = Batch { events, conditions, durability: Durability::Synced };
    for outcome in log.append_all(vec![nothing]) {
        if let Err(error) = outcome {
            tracing::error!("cannot sync what is written: {error}");
        }
    }
}

impl Appender {
    /// Returns how many bytes wait to be written, to about a kilobyte for each batch.
    pub fn waiting_bytes(&self) -> usize {
        self.permits_max.saturating_sub(self.room.available_permits()) * PERMIT_BYTES
    }

    /// Appends a batch, and returns what became of it once that is as durable as it asks for.
    pub async fn append(&self, batch: Batch) -> Result<Answer, WriteFailure> {
        let bytes: usize = batch.events.iter().map(|event| event.entry.group_bytes()).sum();
        let permits = (bytes / PERMIT_BYTES + 1).min(self.permits_max);
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(permits);
        let room = match tokio::time::timeout(self.patience, room).await {
            Ok(Ok(room)) => room,
            Ok(Err(_closed)) => return Err(WriteFailure::Closed),
            Err(_elapsed) => return Err(WriteFailure::Busy),
        };
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { batch, answer, _room: room };
        self.queue.send(waiting).await.map_err(|_closed| WriteFailure::Closed)?;
        match answered.await {
            Ok(answer) => Ok(answer?),
            Err(_gone) => Err(WriteFailure::Closed),
        }
    }
}
