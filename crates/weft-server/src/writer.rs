//! The one thread that writes the log for every client of the server. It takes what waits, appends it together, and answers each.
//!
//! While it has nothing to do, whoever is woken by a client anyway may write in its place: to wake it as well costs a lone event more
//! than the write.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use weft_log::follow::Progress;
use weft_log::log::{Answer, AppendError, Batch, Durability, Log};

use crate::feed::Waker;
use crate::limits::Limits;
use crate::metrics::Counters;

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
    /// The store is not ready for writing yet.
    #[error("the index is brought up to date, {} of {} records: try again later", done.position, done.last)]
    Opening {
        /// How far that is.
        done: Progress,
    },
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
    queue: mpsc::Sender<Job>,
    opening: watch::Receiver<Option<Progress>>,
    room: Arc<Semaphore>,
    permits_max: usize,
    patience: Duration,
    /// The last position that anybody was told of.
    last: Arc<AtomicU64>,
    pen: Arc<SharedPen>,
    counters: Arc<Counters>,
}

/// The log as it is written to, by whoever has it; `None` once the store was let go for good.
type SharedPen = Mutex<Option<Pen>>;

struct Pen {
    log: Log,
    waker: Waker,
    last: Arc<AtomicU64>,
    /// Whether something was written that is not known to be on the disk.
    is_unsynced: bool,
}

/// What the writer is told.
enum Job {
    Append(Waiting),
    /// Look after the store.
    Tend,
    /// Look after it, bring the index up to date, and say so.
    Settle(oneshot::Sender<()>),
    /// Take nothing more.
    Stop,
}

struct Waiting {
    batch: Batch,
    answer: oneshot::Sender<Result<Answer, AppendError>>,
    /// Given back when the batch is answered.
    _room: OwnedSemaphorePermit,
}

/// The writer's thread. It ends when it is told to, or when every [`Appender`] is dropped.
pub struct WriterThread(JoinHandle<()>);

impl WriterThread {
    /// Waits until everything that was handed in is answered, and the store is let go.
    pub fn join(self) {
        if let Err(panic) = self.0.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Starts the writer of a log. Whoever follows the log is woken after each append. A log that is only begun is made ready first.
pub fn start(log: Log, limits: &Limits, waker: Waker) -> std::io::Result<(Appender, WriterThread)> {
    let (queue, jobs) = mpsc::channel(TOGETHER_MAX);
    let (state, opening) = watch::channel(Some(Progress { position: 0, last: 0 }));
    let permits_max = limits.queue_bytes_max / PERMIT_BYTES;
    let room = Arc::new(Semaphore::new(permits_max));
    let last = Arc::new(AtomicU64::new(0));
    let pen = Pen { log: log.clone(), waker, last: Arc::clone(&last), is_unsynced: false };
    let pen = Arc::new(Mutex::new(Some(pen)));
    let own = Arc::clone(&pen);
    let counters = Arc::new(Counters::default());
    let counted = Arc::clone(&counters);
    log.tell_spooled(Box::new(move |what| counted.spooled(what)));
    let thread = thread::Builder::new().name("weft-writer".to_owned());
    let thread = thread.spawn(move || {
        let ready = log.get_ready(&mut |done| {
            state.send_replace(Some(done));
        });
        if let Err(error) = ready {
            // Whoever appends is told, for then it is tried again.
            tracing::error!(error = %chain(&error), "the store is not ready for writing");
        }
        drop(log);
        state.send_replace(None);
        write(&own, jobs);
    })?;
    let patience = limits.queue_patience;
    let appender = Appender { queue, opening, room, permits_max, patience, last, pen, counters };
    Ok((appender, WriterThread(thread)))
}

/// Returns an error with all its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // An error that passes its cause's words on as its own has said them already.
        let said = cause.to_string();
        if !text.ends_with(&said) {
            text += &format!(": {said}");
        }
        source = cause.source();
    }
    text
}

fn write(pen: &SharedPen, mut jobs: mpsc::Receiver<Job>) {
    const OPEN: &str = "only the writer lets the store go";
    lock(pen).as_ref().expect(OPEN).waker.wake();
    let mut is_over = false;
    while !is_over && let Some(first) = jobs.blocking_recv() {
        let (mut waiting, mut tend, mut settled) = (Vec::new(), false, Vec::new());
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                Job::Append(one) => waiting.push(one),
                Job::Tend => tend = true,
                Job::Settle(tell) => settled.push(tell),
                Job::Stop => is_over = true,
            }
            let is_full = waiting.len() >= TOGETHER_MAX || is_over;
            next = if is_full { None } else { jobs.try_recv().ok() };
        }
        let mut pen = lock(pen);
        let pen = pen.as_mut().expect(OPEN);
        if !waiting.is_empty() {
            pen.append_waiting(waiting);
        }
        // Readers see what is synced. The next append would do it; if none waits, nobody knows when that comes.
        tend |= pen.is_unsynced && jobs.is_empty();
        if tend || !settled.is_empty() {
            pen.look_after();
        }
        if !settled.is_empty() {
            pen.settle(settled);
        }
    }
    let pen = lock(pen).take().expect(OPEN);
    if let Err(error) = pen.log.close() {
        tracing::warn!(error = %chain(&error), "the store was let go before its index was complete");
    }
}

fn lock(pen: &SharedPen) -> MutexGuard<'_, Option<Pen>> {
    // What a write that panicked left half done, the log sees to itself.
    pen.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pen {
    fn append_waiting(&mut self, waiting: Vec<Waiting>) {
        let (batches, waiting): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .map(|Waiting { batch, answer, _room }| (batch, (answer, _room)))
            .unzip();
        self.append(batches, |answers| {
            for ((answer, _room), outcome) in waiting.into_iter().zip(answers) {
                // A client that is gone by now has no use for its answer.
                drop(answer.send(outcome));
            }
        });
    }

    /// Appends batches together. Readers are told before whoever waits for an answer: one word is enough for all of them, while each
    /// answer is a message of its own, and those who read what was stored would be told after the last of these.
    fn append(&mut self, batches: Vec<Batch>, tell: impl FnOnce(Vec<Result<Answer, AppendError>>)) {
        // What waits in the spool came before, maybe of the same producer.
        self.empty_spool();
        let syncs = batches.iter().any(|batch| batch.durability == Durability::Synced);
        let appended = self.log.append_all(batches);
        self.is_unsynced = !syncs;
        let told = appended.answers.iter().flatten().flat_map(|answer| &answer.outcomes);
        let upto = told.map(|outcome| outcome.position().get()).max();
        self.last.fetch_max(upto.unwrap_or(0), Ordering::Release);
        match appended.written {
            Some(written) => self.waker.give(written),
            None => self.waker.wake(),
        }
        tell(appended.answers);
    }

    /// Makes durable what nobody waits for, moves the spool into the log, and lets others have the store.
    fn look_after(&mut self) {
        if std::mem::replace(&mut self.is_unsynced, false) {
            let (events, conditions) = (Vec::new(), Vec::new());
            let nothing = Batch { events, conditions, durability: Durability::Synced };
            if let Some(Err(error)) = self.log.append_all(vec![nothing]).answers.pop() {
                tracing::error!(error = %chain(&error), "cannot make durable what was written");
            }
            self.waker.wake();
        }
        self.empty_spool();
        self.log.give_way();
    }

    fn settle(&self, settled: Vec<oneshot::Sender<()>>) {
        if let Err(error) = self.log.catch_up(&mut |_| {}) {
            tracing::warn!(error = %chain(&error), "cannot bring the index up to date");
        }
        for tell in settled {
            match tell.send(()) {
                // Whoever asked may be gone by now.
                Ok(()) | Err(()) => {}
            }
        }
    }

    fn empty_spool(&self) {
        match self.log.empty_spool() {
            Ok(true) => self.waker.wake(),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(error = %chain(&error), "cannot move the spool into the log");
            }
        }
    }
}

impl Appender {
    /// Returns the server's counters, which what came in by the spool is counted in before there is anything else.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Returns how many bytes wait to be written, to about a kilobyte for each batch.
    pub fn waiting_bytes(&self) -> usize {
        self.permits_max.saturating_sub(self.room.available_permits()) * PERMIT_BYTES
    }

    /// Appends a batch, and returns what became of it once that is as durable as it asks for.
    pub async fn append(&self, batch: Batch) -> Result<Answer, WriteFailure> {
        self.append_within(batch, self.patience).await
    }

    /// Does so, but waits no longer than this for room and for the store to be ready, or the usual time if that is shorter.
    pub async fn append_within(
        &self,
        batch: Batch,
        patience: Duration,
    ) -> Result<Answer, WriteFailure> {
        let patience = patience.min(self.patience);
        self.wait_open(patience).await?;
        let bytes: usize = batch.events.iter().map(|event| event.entry.group_bytes()).sum();
        let permits = (bytes / PERMIT_BYTES + 1).min(self.permits_max);
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        let room = self.room(permits, patience).await?;
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { batch, answer, _room: room };
        self.queue.send(Job::Append(waiting)).await.map_err(|_closed| WriteFailure::Closed)?;
        match answered.await {
            Ok(answer) => Ok(answer?),
            Err(_gone) => Err(WriteFailure::Closed),
        }
    }

    async fn room(
        &self,
        permits: u32,
        patience: Duration,
    ) -> Result<OwnedSemaphorePermit, WriteFailure> {
        if let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(permits) {
            return Ok(room);
        }
        let room = Arc::clone(&self.room).acquire_many_owned(permits);
        match tokio::time::timeout(patience, room).await {
            Ok(Ok(room)) => Ok(room),
            Ok(Err(_closed)) => Err(WriteFailure::Closed),
            Err(_elapsed) => Err(WriteFailure::Busy),
        }
    }

    /// Appends batches on the calling thread, and passes on what became of each. Gives them back, and does nothing, where the writer
    /// has other things to do or nothing can be written.
    pub fn append_here(
        &self,
        batches: Vec<Batch>,
        tell: impl FnOnce(Vec<Result<Answer, AppendError>>),
    ) -> Result<(), Vec<Batch>> {
        let Ok(mut pen) = self.pen.try_lock() else { return Err(batches) };
        match &mut *pen {
            Some(pen) if self.opening().is_none() => {
                pen.append(batches, tell);
                Ok(())
            }
            Some(_) | None => Err(batches),
        }
    }

    /// Waits for the store to be ready for writing.
    async fn wait_open(&self, patience: Duration) -> Result<(), WriteFailure> {
        if self.opening().is_none() {
            return Ok(());
        }
        let mut opening = self.opening.clone();
        let opened = async { opening.wait_for(Option::is_none).await.is_ok() };
        match tokio::time::timeout(patience, opened).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(WriteFailure::Closed),
            Err(_elapsed) => {
                let done = self.opening().unwrap_or(Progress { position: 0, last: 0 });
                Err(WriteFailure::Opening { done })
            }
        }
    }

    /// Brings the store in order for whoever reads it next: what was written is durable, the spool is in the log, and the index has
    /// everything.
    pub async fn settle(&self, patience: Duration) -> Result<(), WriteFailure> {
        self.wait_open(patience.min(self.patience)).await?;
        let (tell, told) = oneshot::channel();
        let sent = self.queue.send(Job::Settle(tell)).await;
        sent.map_err(|_closed| WriteFailure::Closed)?;
        told.await.map_err(|_gone| WriteFailure::Closed)
    }

    /// Returns the last position that somebody was told of; 0 if nothing was appended here yet.
    pub fn last(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// Returns how far the store is from being ready for writing; `None` once it is.
    pub fn opening(&self) -> Option<Progress> {
        *self.opening.borrow()
    }

    /// Has the writer look after the store, unless it has too much to do.
    pub fn tend(&self) {
        // A full queue is tended when it is less so; a writer that ended has nothing left to look after.
        drop(self.queue.try_send(Job::Tend));
    }

    /// Ends the writer once it has answered what was handed in before.
    pub async fn stop(&self) {
        // One that ended already needs no telling.
        drop(self.queue.send(Job::Stop).await);
    }
}

#[cfg(test)]
mod tests;
