//! What the parts of a running server share: the store, the one writer, the feed, the limits, and the word that it is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use weft_event::translate::otlp::Series;
use weft_log::Store;

use crate::feed::Feed;
use crate::intake::Intake;
use crate::limits::Limits;
use crate::metrics::Counters;
use crate::reads::Reads;
use crate::room::Rooms;
use crate::subs::desk::Desk;
use crate::tail::TailState;
use crate::talks::Talks;
use crate::views::{Judgement, Live};
use crate::writer::Appender;

/// How long the rest of a request is waited for once the server ends. It has to be over before the server stops to wait for requests.
const REST_PATIENCE: Duration = Duration::from_secs(2);

/// A running server, seen from its parts. Cheap to clone.
#[derive(Clone)]
pub struct Core {
    shared: Arc<Shared>,
    /// Each clone waits for the end on its own.
    ended: watch::Receiver<bool>,
}

struct Shared {
    store: Store,
    store_id: String,
    appender: Appender,
    feed: Feed,
    reads: Reads,
    limits: Limits,
    streams: Arc<Semaphore>,
    desk: Desk,
    restored: Rooms,
    since: Instant,
    counters: Arc<Counters>,
    intake: Intake,
    series: Arc<Mutex<Series>>,
    tail: TailState,
    views: Live,
    talks: Arc<Talks>,
    is_demo: bool,
}

/// What a [`Core`] is made of.
pub struct Parts {
    /// The store.
    pub store: Store,
    /// Its id, which cursors carry.
    pub store_id: String,
    /// The writer.
    pub appender: Appender,
    /// The feed.
    pub feed: Feed,
    /// The limits.
    pub limits: Limits,
    /// Whether a made-up team is played into the log.
    pub is_demo: bool,
    /// What views are judged by.
    pub judgement: Judgement,
    /// Becomes true when the server ends.
    pub ended: watch::Receiver<bool>,
}

impl Core {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, store_id, appender, feed, limits, judgement, is_demo, ended } = parts;
        let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond());
        let (since, counters) = (Instant::now(), Arc::clone(appender.counters()));
        let intake = Intake::new(&store, &limits);
        let reads = Reads::new(store.clone(), &limits);
        let streams = Arc::new(Semaphore::new(limits.streams_max));
        let restored = Rooms::new(limits.subscriptions.restored_bytes_max, Duration::MAX);
        let shared = Shared {
            store,
            store_id,
            appender,
            feed,
            reads,
            limits,
            streams,
            desk: Desk::default(),
            restored,
            since,
            counters,
            intake,
            series: Arc::new(Mutex::new(Series::new(now_ns.unwrap_or(i64::MAX)))),
            tail: TailState::default(),
            views: Live::new(judgement),
            talks: Arc::default(),
            is_demo,
        };
        Self { shared: Arc::new(shared), ended }
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Returns the id of the store, which cursors carry.
    pub fn store_id(&self) -> &str {
        &self.shared.store_id
    }

    /// Returns the writer.
    pub fn appender(&self) -> &Appender {
        &self.shared.appender
    }

    /// Returns the feed.
    pub fn feed(&self) -> &Feed {
        &self.shared.feed
    }

    /// Returns the last position of the log: also what somebody was told is stored and the feed has not read back yet.
    pub fn last(&self) -> u64 {
        self.feed().last().max(self.appender().last())
    }

    /// Returns what answers questions about the log.
    pub fn reads(&self) -> &Reads {
        &self.shared.reads
    }

    /// Returns the right to one more stream; `None` if there are too many.
    pub fn stream_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.shared.streams).try_acquire_owned().ok()
    }

    /// Returns how many streams are open.
    pub fn n_streams(&self) -> usize {
        self.shared.limits.streams_max - self.shared.streams.available_permits()
    }

    /// Returns where running subscriptions are found.
    pub fn desk(&self) -> &Desk {
        &self.shared.desk
    }

    /// Returns the room for events that go to subscribers with their large values put back.
    pub(crate) fn restored(&self) -> &Rooms {
        &self.shared.restored
    }

    /// Waits until no stream is open.
    pub async fn streams_ended(&self) {
        let all = u32::try_from(self.shared.limits.streams_max).unwrap_or(u32::MAX);
        // Nobody closes it, so that there is no error to see to.
        drop(self.shared.streams.acquire_many(all).await);
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Returns when the server began.
    pub fn since(&self) -> Instant {
        self.shared.since
    }

    /// Returns what the server counts.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Returns the gates that events come in by.
    pub fn intake(&self) -> &Intake {
        &self.shared.intake
    }

    /// Returns what running totals of metrics are measured against.
    pub(crate) fn series(&self) -> &Arc<Mutex<Series>> {
        &self.shared.series
    }

    /// Returns how far the reading of folders is.
    pub fn tail(&self) -> &TailState {
        &self.shared.tail
    }

    /// Returns the views, as far as they are folded.
    pub fn views(&self) -> &Live {
        &self.shared.views
    }

    /// Returns the conversations that are kept.
    pub fn talks(&self) -> &Arc<Talks> {
        &self.shared.talks
    }

    /// Returns whether a made-up team is played into the log.
    pub fn is_demo(&self) -> bool {
        self.shared.is_demo
    }

    /// Returns whether the server is ending.
    pub fn is_ended(&self) -> bool {
        *self.ended.borrow()
    }

    /// Waits for the end of the server.
    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        // If nobody can say so any more, it is over as well.
        drop(ended.wait_for(|ended| *ended).await);
    }

    /// Waits until the server has been ending for so long that the rest of a request that has begun is not waited for any more.
    pub async fn ended_for_long(&self) {
        self.ended().await;
        tokio::time::sleep(REST_PATIENCE).await;
    }
}
