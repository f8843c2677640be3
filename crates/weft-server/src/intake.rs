//! The gates that events come in by, whatever way they come: gates with memory to reuse, room for bodies, and a place for what is
//! refused. It writes nothing to the log itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use weft_log::Store;
use weft_log::admit::{Gate, Strictness};
use weft_log::blobs::{Blobs, Which};
use weft_log::rejected::{Refusal, RefusalId, Rejected, RejectedError};

use crate::limits::Limits;

/// Gates that wait to be used again.
const GATES_MAX: usize = 64;

/// The most bytes a gate may have read for it to be kept: one that has read more keeps memory for as much.
const GATE_BYTES_MAX: usize = 1 << 20;

/// One permit of the room stands for so many bytes.
const PERMIT_BYTES: usize = 1024;

/// What all ways in share.
pub struct Intake {
    store: Store,
    gates: Mutex<Vec<Gate>>,
    /// Waited for without a thread: one request at a time keeps what was refused.
    rejected: Arc<tokio::sync::Mutex<Rejected>>,
    room: Arc<Semaphore>,
    permits_max: usize,
    patience: Duration,
    judges: Arc<Semaphore>,
}

/// Room for a body. It is given back when this is dropped.
#[derive(Debug)]
pub struct Room {
    permit: OwnedSemaphorePermit,
}

/// There is no room for one more body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are in memory: try again later")]
pub struct NoRoom;

impl Intake {
    /// Returns the gates of a store.
    pub fn new(store: &Store, limits: &Limits) -> Self {
        let permits_max = (limits.bodies_bytes_max / PERMIT_BYTES).clamp(1, u32::MAX as usize);
        let n_judges = thread::available_parallelism().map_or(1, |n| n.get());
        Self {
            store: store.clone(),
            gates: Mutex::default(),
            rejected: Arc::new(tokio::sync::Mutex::new(Rejected::new(store.root()))),
            room: Arc::new(Semaphore::new(permits_max)),
            permits_max,
            patience: limits.queue_patience,
            judges: Arc::new(Semaphore::new(n_judges)),
        }
    }

    /// Lends a gate for work on so many bytes.
    pub fn with_gate<T>(
        &self,
        strictness: Strictness,
        n_bytes: usize,
        work: impl FnOnce(&mut Gate) -> T,
    ) -> T {
        let new = || Gate::new(Blobs::new(self.store.blobs()), Which::Largest, strictness);
        match strictness {
            Strictness::Strict => work(&mut new()),
            Strictness::Lenient => {
                let kept = lock(&self.gates).pop();
                let mut gate = kept.unwrap_or_else(new);
                let done = work(&mut gate);
                let mut gates = lock(&self.gates);
                if n_bytes <= GATE_BYTES_MAX && gates.len() < GATES_MAX {
                    gates.push(gate);
                }
                done
            }
        }
    }

    /// Runs work that takes the processor for long, or the disk, away from the threads that serve; as much at a time as there are
    /// processors.
    pub async fn aside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let turn = Arc::clone(&self.judges).acquire_owned().await;
        let turn = turn.expect("nobody closes it");
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// Waits for room for so many bytes, no longer than a request waits for the log.
    pub async fn room(&self, n_bytes: usize) -> Result<Room, NoRoom> {
        let permits = u32::try_from((n_bytes / PERMIT_BYTES + 1).min(self.permits_max));
        let permits = permits.expect("the room is counted in 32 bits");
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_many_owned(permits) {
            return Ok(Room { permit });
        }
        let permit = Arc::clone(&self.room).acquire_many_owned(permits);
        match tokio::time::timeout(self.patience, permit).await {
            Ok(permit) => Ok(Room { permit: permit.expect("nobody closes it") }),
            Err(_elapsed) => Err(NoRoom),
        }
    }

    /// Keeps what was refused, gives it back, and returns the ids.
    pub async fn keep_refused(
        &self,
        refused: Vec<Refusal>,
    ) -> (Vec<Refusal>, Result<Vec<RefusalId>, RejectedError>) {
        let mut rejected = Arc::clone(&self.rejected).lock_owned().await;
        let kept = tokio::task::spawn_blocking(move || {
            let kept = rejected.put(&refused);
            (refused, kept)
        });
        kept.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

impl Room {
    /// Returns how many bytes it is for.
    pub fn bytes(&self) -> usize {
        self.permit.num_permits() * PERMIT_BYTES
    }

    /// Adds more room to it.
    pub fn add(&mut self, more: Room) {
        self.permit.merge(more.permit);
    }

    /// Gives back what is beyond so many bytes.
    pub fn shrink(&mut self, n_bytes: usize) {
        let needed = n_bytes / PERMIT_BYTES + 1;
        drop(self.permit.split(self.permit.num_permits().saturating_sub(needed)));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
