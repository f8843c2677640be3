//! What goes on beside the producers: a thread that keeps the index close behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::lock;
use crate::Position;
use crate::follow::Follow;
use crate::index::Follower;
use crate::known::Tail;
use crate::priority::step_back;

/// How long records may wait to be indexed so that more of them share a transaction: one for every few records would take as much
/// of the processor as the producers do. Readers miss nothing, since they read what the index lacks from the log.
const GATHER: Duration = Duration::from_millis(40);

/// Records that are worth a transaction without waiting for more.
const RECORDS_WORTH: u64 = 1024;

/// The thread that keeps the index close behind.
pub(super) struct FollowerThread {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Signal {
    state: Mutex<Wanted>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wanted {
    #[default]
    Nothing,
    Work,
    Stop,
}

impl FollowerThread {
    pub(super) fn start(
        follow: Arc<Mutex<Follow>>,
        tail: Arc<Mutex<Tail>>,
        indexed: Arc<AtomicU64>,
    ) -> Self {
        let signal = Arc::new(Signal::default());
        let told = Arc::clone(&signal);
        let thread = std::thread::spawn(move || {
            step_back();
            lock(&follow).index().step_back();
            while told.wait() {
                // Whoever is being answered right now may need the processor more.
                told.pause(GATHER);
                // An error shows again when the store is let go, and there it is told.
                let step = |follower| {
                    let mut follow = lock(&follow);
                    let before = follow.watermark(follower).position;
                    follow.step(follower).unwrap_or(false).then(|| {
                        forget(&follow, &tail, &indexed);
                        follow.watermark(follower).position - before
                    })
                };
                while told.now() != Wanted::Stop
                    && let Some(n_records) = step(Follower::Core)
                {
                    if n_records < RECORDS_WORTH {
                        told.pause(GATHER);
                    }
                }
                // Texts may lag: they are taken up while nothing else is to be done.
                while told.now() == Wanted::Nothing && step(Follower::Text).is_some() {}
            }
        });
        Self { signal, thread: Some(thread) }
    }

    pub(super) fn wake(&self) {
        self.signal.set(Wanted::Work);
    }
}

impl Drop for FollowerThread {
    fn drop(&mut self) {
        self.signal.set(Wanted::Stop);
        if let Some(thread) = self.thread.take() {
            // It has nothing to give back; if it panicked, the index is brought up to date by whoever opens the store next.
            drop(thread.join());
        }
    }
}

impl Signal {
    fn set(&self, wanted: Wanted) {
        // Who waits for more would be woken for each group of it, and find nothing that it does not know.
        if std::mem::replace(&mut *lock(&self.state), wanted) != wanted {
            self.changed.notify_one();
        }
    }

    /// Waits for work; returns whether there is any more to come.
    fn wait(&self) -> bool {
        let mut state = lock(&self.state);
        while *state == Wanted::Nothing {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let goes_on = *state != Wanted::Stop;
        if goes_on {
            *state = Wanted::Nothing;
        }
        goes_on
    }

    /// Waits for more, unless this is the end.
    fn pause(&self, time: Duration) {
        let is_on = |wanted: &mut Wanted| *wanted != Wanted::Stop;
        // Whether the time is over or the end has come shows at the next look.
        drop(self.changed.wait_timeout_while(lock(&self.state), time, is_on));
    }

    fn now(&self) -> Wanted {
        *lock(&self.state)
    }
}

/// Forgets the keys that the index has.
pub(super) fn forget(follow: &Follow, tail: &Mutex<Tail>, indexed: &AtomicU64) {
    let upto = follow.watermark(Follower::Core).position;
    indexed.store(upto, Ordering::Release);
    if let Some(upto) = Position::new(upto) {
        lock(tail).forget(upto);
    }
}
