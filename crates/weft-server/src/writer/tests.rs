//! Writing in the writer's place.

use std::time::Duration;

use weft_event::event::Expect;
use weft_event::sample;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::lock::Owner;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::{Network, Store};

use super::{Appender, start};
use crate::feed;
use crate::limits::Limits;

/// Returns events that are known again, each by itself.
fn batches(store: &Store, n: usize) -> Vec<Batch> {
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let admit = |event: String| {
        let (line, expect, via) = (event.as_bytes(), Expect::Any, "test");
        gate.admit_own(&Arrival { line, expect, via, delivery: None, topic: None }).unwrap()
    };
    let batch = |event| {
        let (events, conditions) = (vec![event], Vec::new());
        Batch { events, conditions, durability: Durability::Synced }
    };
    let events = sample::events(7).map(admit).filter(|event| event.digests.own.is_some());
    events.take(n).map(batch).collect()
}

/// Appends as soon as the writer has nothing else to do; returns the positions.
fn append_here(appender: &Appender, mut batches: Vec<Batch>) -> Vec<u64> {
    loop {
        let mut positions = Vec::new();
        let told = appender.append_here(batches, |answers| {
            let outcomes = answers.into_iter().flat_map(|answer| answer.unwrap().outcomes);
            positions = outcomes.map(|outcome| outcome.position().get()).collect();
        });
        match told {
            Ok(()) => return positions,
            Err(back) => batches = back,
        }
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn another_thread_writes_while_the_writer_rests_and_not_after_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::make(folder.path(), Network::Refuse).unwrap();
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let (patience, hold, indexing) = (Duration::ZERO, Hold::Long, Indexing::Meanwhile);
    let log = Log::begin(store.clone(), Options { owner, patience, hold, indexing }).unwrap();
    let (feed, waker, feed_thread) = feed::start(store.clone(), 1 << 20).unwrap();
    let (appender, thread) = start(log, &Limits::default(), waker).unwrap();

    let mut all = batches(&store, 5);
    let last = all.pop().unwrap();
    assert_eq!(append_here(&appender, all), [1, 2, 3, 4]);
    // Readers have what was written here, and the writer goes on behind it.
    assert_eq!((feed.last(), appender.last()), (4, 4));
    let answer = appender.append(last).await.unwrap();
    assert_eq!(answer.outcomes[0].position().get(), 5);
    // The same again is a repeat, whoever writes it.
    assert_eq!(append_here(&appender, batches(&store, 1)), [1]);

    appender.stop().await;
    thread.join();
    let back = appender.append_here(batches(&store, 2), |_| panic!("nothing is written any more"));
    assert_eq!(back.unwrap_err().len(), 2);
    // The feed ends with the writer, although somebody could still ask that one.
    feed_thread.join();
}
