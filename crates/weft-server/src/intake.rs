//! The gates that events come in by, whatever way they come: gates with memory to reuse, room for bodies, and a place for what is
//! refused. It writes nothing to the log itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::Semaphore;
use weft_log::Store;
use weft_log::admit::{Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::rejected::{Refusal, RefusalId, Rejected, RejectedError};

use crate::limits::Limits;
use crate::room::{NoRoom, Room, Rooms};

/// Gates that wait to be used again.
const GATES_MAX: usize = 64;

/// The most bytes a gate may have read for it to be kept: one that has read more keeps memory for as much.
const GATE_BYTES_MAX: usize = 1 << 20;

/// What all ways in share.
pub struct Intake {
    store: Store,
    gates: Mutex<Vec<Gate>>,
    /// Waited for without a thread: one request at a time keeps what was refused.
    rejected: Arc<tokio::sync::Mutex<Rejected>>,
    rooms: Rooms,
    judges: Arc<Semaphore>,
}

impl Intake {
    /// Returns the gates of a store.
    pub fn new(store: &Store, limits: &Limits) -> Self {
        let n_judges = thread::available_parallelism().map_or(1, |n| n.get());
        Self {
            store: store.clone(),
            gates: Mutex::default(),
            rejected: Arc::new(tokio::sync::Mutex::new(Rejected::new(store))),
            rooms: Rooms::new(limits.bodies_bytes_max, limits.queue_patience),
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
        let new = || Gate::new(&self.store, Which::Largest, strictness);
        match strictness {
            Strictness::Strict => work(&mut new()),
            Strictness::Lenient => {
                let kept = lock(&self.gates).pop();
                let mut gate = kept.unwrap_or_else(new);
                gate.expect_together(n_bytes);
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

    /// Waits for room for a body of so many bytes, no longer than a request waits for the log.
    pub async fn room(&self, n_bytes: usize) -> Result<Room, NoRoom> {
        self.rooms.take(n_bytes).await
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

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
