//! What goes on beside the producers: a thread that keeps the index close behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::lock;
use crate::Position;
use crate::follow::Follow;
use crate::index::Follower;
use crate::known::Tail;

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
            while told.wait() {
                // An error shows again when the store is let go, and there it is told.
                let step = |follower| {
                    let mut follow = lock(&follow);
                    let is_more = follow.step(follower).unwrap_or(false);
                    forget(&follow, &tail, &indexed);
                    is_more
                };
                while told.now() != Wanted::Stop && step(Follower::Core) {}
                // Texts may lag: they are taken up while nothing else is to be done.
                while told.now() == Wanted::Nothing && step(Follower::Text) {}
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
        *lock(&self.state) = wanted;
        self.changed.notify_one();
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
