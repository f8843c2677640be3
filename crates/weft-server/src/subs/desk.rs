//! Where running subscriptions are found: what the log says of them, how they are doing, and whom to ask for their events.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::books::Books;
use super::pull;

/// What runs, seen from outside. Cheap to clone.
#[derive(Clone)]
pub struct Desk {
    shared: Arc<Mutex<Shared>>,
    done: watch::Sender<Done>,
}

/// How far what the books say is so.
#[derive(Default)]
struct Done {
    /// Up to where they were kept.
    upto: u64,
    /// Subscriptions whose worker is being ended: they do as they did before, or nothing.
    ending: HashSet<String>,
}

#[derive(Default)]
struct Shared {
    books: Books,
    running: HashMap<String, Running>,
}

/// A running subscription.
#[derive(Clone)]
pub(crate) struct Running {
    /// How it is doing.
    pub(crate) status: watch::Receiver<Status>,
    /// Takes requests for its events, if it is of the pull kind.
    pub(crate) pull: Option<mpsc::Sender<pull::Request>>,
}

/// How a running subscription is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Events in memory: under way, failing, or behind those.
    pub n_held: usize,
    /// Sessions that something is under way in.
    pub n_busy: usize,
    /// Everything up to here is settled.
    pub acknowledged: u64,
    /// How many events the subscriber took.
    pub n_delivered: u64,
    /// Whether the subscriber is not to be reached.
    pub is_away: bool,
    /// What went wrong last.
    pub error: Option<String>,
}

impl Default for Desk {
    fn default() -> Self {
        Self { shared: Arc::default(), done: watch::Sender::new(Done::default()) }
    }
}

impl Desk {
    /// Waits until the books are kept up to a position; returns whether that was in time.
    pub(crate) async fn settle(&self, position: u64, patience: Duration) -> bool {
        self.wait(patience, |done| done.upto >= position).await
    }

    /// Waits until a subscription does what the books say up to a position; returns whether that was in time.
    pub(crate) async fn settle_one(&self, name: &str, position: u64, patience: Duration) -> bool {
        self.wait(patience, |done| done.upto >= position && !done.ending.contains(name)).await
    }

    async fn wait(&self, patience: Duration, is_so: impl FnMut(&Done) -> bool) -> bool {
        let mut done = self.done.subscribe();
        matches!(tokio::time::timeout(patience, done.wait_for(is_so)).await, Ok(Ok(_)))
    }

    /// Looks into the books.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Books) -> T) -> T {
        look(&self.lock().books)
    }

    /// Writes into the books what the log says.
    pub(super) fn keep<T>(&self, keep: impl FnOnce(&mut Books) -> T) -> T {
        keep(&mut self.lock().books)
    }

    /// Says how far the books are kept, and what they say done, but for those that are being ended.
    pub(super) fn kept(&self, position: u64) {
        self.done.send_modify(|done| done.upto = position);
    }

    /// Takes a subscription away whose worker is being ended.
    pub(super) fn begin_end(&self, name: &str) {
        self.take(name);
        self.done.send_modify(|done| {
            done.ending.insert(name.to_owned());
        });
    }

    /// Says that the worker has ended, and what the books say is done.
    pub(super) fn ended(&self, name: &str) {
        self.done.send_modify(|done| {
            done.ending.remove(name);
        });
    }

    /// Returns whether a worker of this name is being ended.
    pub(super) fn is_ending(&self, name: &str) -> bool {
        self.done.borrow().ending.contains(name)
    }

    pub(super) fn put(&self, name: &str, running: Running) {
        self.lock().running.insert(name.to_owned(), running);
    }

    pub(super) fn take(&self, name: &str) {
        self.lock().running.remove(name);
    }

    /// Returns a subscription, if it runs.
    pub(crate) fn running(&self, name: &str) -> Option<Running> {
        self.lock().running.get(name).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
