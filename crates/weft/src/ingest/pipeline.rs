//! Reading and judging on threads of their own, with the results in the order read. Every queue between them is bounded.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use weft_log::Store;
use weft_log::source::{Batch, Polled, SourceError, Sources};
use weft_server::tail::judge::{Judged, Rules, judge};

/// The most threads that judge. The log's writer takes about as much time for an event as one of them.
const JUDGES_MAX: usize = 4;

/// Batches that wait in each of the two queues, for each thread that judges.
const WAITING_MAX: usize = 1;

/// What comes out of the pipeline.
pub(super) enum Message {
    /// The next batch, judged.
    Judged(Box<Judged>),
    /// All inputs are read: there were so many batches.
    End {
        /// How many.
        n_batches: u64,
    },
    /// Somebody asked to stop.
    Stop,
}

/// A batch that is to be judged.
struct Job {
    number: u64,
    batch: Batch,
}

/// The threads, and what they gave so far.
pub(super) struct Pipeline {
    sender: SyncSender<Message>,
    messages: Receiver<Message>,
    /// Batches that are durable, on their way back to the reader.
    settled: Option<SyncSender<Batch>>,
    reader: Option<JoinHandle<Result<(), SourceError>>>,
    /// What came before its turn.
    early: BTreeMap<u64, Box<Judged>>,
    next: u64,
    n_batches: Option<u64>,
}

impl Pipeline {
    /// Starts the threads.
    pub(super) fn start(sources: Sources, store: &Store, rules: Rules) -> Self {
        let n_cores = thread::available_parallelism().map_or(1, |n| n.get());
        let n_judges = n_cores.saturating_sub(1).clamp(1, JUDGES_MAX);
        let (jobs, to_judge) = mpsc::sync_channel::<Job>(n_judges * WAITING_MAX);
        let (sender, messages) = mpsc::sync_channel(n_judges * WAITING_MAX);
        // As many as can be on their way at once, so that settling never waits for the reader.
        let (settled, to_settle) = mpsc::sync_channel(n_judges * (2 * WAITING_MAX + 1) + 2);
        let to_judge = Arc::new(Mutex::new(to_judge));
        for _ in 0..n_judges {
            let (jobs, sender) = (Arc::clone(&to_judge), sender.clone());
            let store = store.clone();
            thread::spawn(move || {
                let mut gate = rules.gate(&store);
                loop {
                    let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job { number, batch }) = job else { return };
                    let judged = Box::new(judge(&mut gate, rules, number, batch));
                    if sender.send(Message::Judged(judged)).is_err() {
                        return;
                    }
                }
            });
        }
        let ended = sender.clone();
        let reader = thread::spawn(move || read(sources, &jobs, &to_settle, &ended));
        Self {
            sender,
            messages,
            settled: Some(settled),
            reader: Some(reader),
            early: BTreeMap::new(),
            next: 0,
            n_batches: None,
        }
    }

    /// Returns a way to send messages into the pipeline.
    pub(super) fn sender(&self) -> SyncSender<Message> {
        self.sender.clone()
    }

    /// Returns what comes next; `None` if nothing does within the limit. After the end there is nothing more.
    pub(super) fn next(&mut self, limit: Option<Duration>) -> Option<Message> {
        loop {
            if let Some(judged) = self.early.remove(&self.next) {
                self.next += 1;
                return Some(Message::Judged(judged));
            }
            if let Some(n_batches) = self.n_batches.filter(|n_batches| *n_batches == self.next) {
                return Some(Message::End { n_batches });
            }
            let received = match limit {
                Some(limit) => self.messages.recv_timeout(limit),
                None => self.messages.recv().map_err(RecvTimeoutError::from),
            };
            match received.ok()? {
                Message::Judged(judged) => drop(self.early.insert(judged.number, judged)),
                Message::End { n_batches } => self.n_batches = Some(n_batches),
                Message::Stop => return Some(Message::Stop),
            }
        }
    }

    /// Gives a batch back that is durable.
    pub(super) fn settle(&self, batch: Batch) {
        if let Some(settled) = &self.settled {
            // A reader that has ended with an error settles nothing more; the error is told at the end.
            drop(settled.send(batch));
        }
    }

    /// Waits for the reader to note how far it came. To be called after the end.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        self.settled = None;
        match self.reader.take().map(JoinHandle::join) {
            Some(Ok(read)) => Ok(read?),
            Some(Err(_)) => anyhow::bail!("the thread that reads the inputs has failed"),
            None => Ok(()),
        }
    }
}

/// Reads batches until the inputs end, and notes which of them are durable.
fn read(
    mut sources: Sources,
    jobs: &SyncSender<Job>,
    to_settle: &Receiver<Batch>,
    ended: &SyncSender<Message>,
) -> Result<(), SourceError> {
    let mut number = 0;
    let mut read_on = || -> Result<(), SourceError> {
        loop {
            for batch in to_settle.try_iter() {
                sources.settle(&batch)?;
            }
            match sources.poll()? {
                Polled::Batch(batch) => {
                    if jobs.send(Job { number, batch }).is_err() {
                        return Ok(());
                    }
                    number += 1;
                }
                Polled::Idle => {}
                Polled::End => return Ok(()),
            }
        }
    };
    let read = read_on();
    // Whoever drives the pipeline may have given up.
    drop(ended.send(Message::End { n_batches: number }));
    for batch in to_settle {
        sources.settle(&batch)?;
    }
    read.and_then(|()| sources.finish())
}
