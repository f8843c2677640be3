//! What a stream says to a reader that takes its time, with a clock that only moves when it is told to.

use std::time::Duration;

use axum::body::BodyDataStream;
use futures_util::StreamExt as _;
use tokio::sync::watch;
use weft_event::event::Expect;
use weft_event::sample;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::lock::Owner;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::{Filter, Network, Position, Store};

use super::{Stream, answer};
use crate::limits::Limits;
use crate::parts::{Core, Parts};
use crate::views::Judgement;
use crate::{feed, writer};

/// A store with some events, and a server's parts over it.
struct Scene {
    _folder: tempfile::TempDir,
    core: Core,
    _ended: watch::Sender<bool>,
}

impl Scene {
    fn of(n_events: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::make(folder.path(), Network::Refuse).expect("a store");
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (patience, hold, indexing) = (Duration::ZERO, Hold::Long, Indexing::Meanwhile);
        let options = Options { owner, patience, hold, indexing };
        let log = Log::open(store.clone(), options, &mut |_| {}).expect("a log");
        let mut gate = Gate::new(&store, Which::Largest, Strictness::Lenient);
        let admit = |event: String| {
            let (line, expect, via) = (event.as_bytes(), Expect::Any, "test");
            gate.admit_own(&Arrival { line, expect, via, delivery: None, topic: None })
                .expect("valid")
        };
        let events = sample::events(7).take(n_events).map(admit).collect();
        let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
        log.append(batch).expect("it is written");
        let limits = Limits::default();
        let (feed, waker, _) = feed::start(store.clone(), 1 << 20).expect("it can be read");
        let (appender, _) = writer::start(log, &limits, waker).expect("a thread");
        let (ended, is_ended) = watch::channel(false);
        let store_id = "5".to_owned();
        let parts = Parts {
            store,
            store_id,
            appender,
            feed,
            limits,
            judgement: Judgement::default(),
            is_demo: false,
            ended: is_ended,
        };
        Self { _folder: folder, core: Core::new(parts), _ended: ended }
    }

    fn stream(&self) -> BodyDataStream {
        let permit = self.core.stream_permit().expect("there is room");
        let live = Stream::new(&self.core, Position::FIRST, Filter::all(), permit);
        answer(self.core.clone(), live).into_body().into_data_stream()
    }
}

async fn next(stream: &mut BodyDataStream) -> Option<String> {
    let bytes = stream.next().await?.expect("it cannot fail");
    Some(String::from_utf8(bytes.into()).expect("it is text"))
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_told_where_to_resume_and_dropped() {
    let scene = Scene::of(3);
    let mut stream = scene.stream();
    assert_eq!(next(&mut stream).await.as_deref(), Some("retry: 1000\n\n"));
    let records = next(&mut stream).await.expect("the stream goes on");
    assert_eq!(records.matches("\ndata: ").count(), 3, "{records}");
    tokio::time::advance(scene.core.limits().reader_patience / 2 + Duration::from_millis(1)).await;
    let last = "event: resume\ndata: {\"why\":\"slow\",\"after\":\"5:3\"}\n\n";
    assert_eq!(next(&mut stream).await.as_deref(), Some(last));
    assert_eq!(next(&mut stream).await, None);
    drop(stream);
    assert_eq!(scene.core.n_streams(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_takes_what_it_is_sent_is_kept_through_the_night() {
    let scene = Scene::of(3);
    let mut stream = scene.stream();
    assert_eq!(next(&mut stream).await.as_deref(), Some("retry: 1000\n\n"));
    assert!(next(&mut stream).await.is_some());
    for _ in 0..2000 {
        assert_eq!(next(&mut stream).await.as_deref(), Some(": alive\nid: 5:3\n\n"));
    }
}
