//! What readers of the feed are given, near its end and far behind it.

use std::time::Duration;

use weft_event::event::Expect;
use weft_event::sample;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::lock::Owner;
use weft_log::log::{self, Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::{Network, Position, Store};

use super::{Cursor, start};

const N_EVENTS: usize = 3000;

/// A store with a log that is written to.
struct Written {
    _folder: tempfile::TempDir,
    store: Store,
    log: Log,
    events: Vec<String>,
}

impl Written {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::make(folder.path(), Network::Refuse).expect("a store");
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (patience, hold, indexing) = (Duration::ZERO, Hold::Long, Indexing::Meanwhile);
        let options = Options { owner, patience, hold, indexing };
        let log = Log::open(store.clone(), options, &mut |_| {}).expect("a log");
        let events = sample::events(7).take(N_EVENTS).collect();
        Self { _folder: folder, store, log, events }
    }

    fn append(&self, events: &[String]) {
        drop(self.append_and_show(events));
    }

    fn append_and_show(&self, events: &[String]) -> Option<log::Written> {
        let mut gate = Gate::new(&self.store, Which::Largest, Strictness::Lenient);
        let mut admit = |event: &String| {
            let (line, expect, via) = (event.as_bytes(), Expect::Any, "test");
            gate.admit_own(&Arrival { line, expect, via, delivery: None, topic: None })
                .expect("valid")
        };
        let events = events.iter().map(&mut admit).collect();
        let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
        let mut appended = self.log.append_all(vec![batch]);
        appended.answers.pop().expect("an answer").expect("it is written");
        appended.written
    }
}

/// Reads up to the last event, and checks that each comes once and in order.
async fn expect_rest(mut cursor: Cursor, events: &[String]) {
    let mut next = cursor.next().get();
    while next <= events.len() as u64 {
        assert!(cursor.ready().await, "the feed goes on");
        let chunk = cursor.read().await.expect("it can be read");
        assert!(chunk.lost.is_empty());
        for live in chunk.records {
            assert_eq!(live.meta.position.get(), next);
            let event = &events[usize::try_from(next).expect("small") - 1];
            assert_eq!(live.line, event.as_bytes());
            next += 1;
        }
        assert_eq!(cursor.next().get(), next);
    }
}

#[test]
fn every_cursor_reads_everything_once_however_far_behind_it_is() {
    let written = Written::new();
    let (before, after) = written.events.split_at(N_EVENTS / 3);
    before.chunks(100).for_each(|some| written.append(some));
    // Room for a few dozen records only: cursors fall out of it and read the log.
    let (feed, waker, thread) = start(written.store.clone(), 20_000).expect("it can be read");
    assert_eq!(feed.last(), before.len() as u64);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_time().build().expect("runtime");
    let position = |n: usize| Position::new(n as u64).expect("not 0");
    let readers: Vec<_> = [1, 2, before.len() / 2, before.len(), before.len() + 1, N_EVENTS]
        .map(|n| {
            let (cursor, events) = (feed.cursor(position(n)), written.events.clone());
            runtime.spawn(async move {
                let read = expect_rest(cursor, &events);
                tokio::time::timeout(Duration::from_secs(60), read).await.expect("in time");
            })
        })
        .into();
    // Some are handed over, some are not and told of, and of some nobody says anything.
    for (nth, some) in after.chunks(37).enumerate() {
        match (nth % 7, written.append_and_show(some)) {
            (0 | 1, _) => waker.wake(),
            (2, _) => {}
            (_, shown) => waker.give(shown.expect("it is durable")),
        }
    }
    readers.into_iter().for_each(|reader| runtime.block_on(reader).expect("as expected"));
    drop(waker);
    thread.join();
}

#[test]
fn what_is_handed_over_is_there_at_once_and_without_the_disk() {
    let written = Written::new();
    let (feed, waker, thread) = start(written.store.clone(), 1 << 20).expect("it can be read");
    // Only what is handed over can be read now.
    std::fs::remove_dir_all(written.store.log()).expect("it is there");
    std::fs::create_dir(written.store.log()).expect("it can be made");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
    let mut cursor = feed.cursor(Position::FIRST);
    let before = runtime.block_on(cursor.read()).expect("there is nothing to read");
    assert!(before.records.is_empty());
    waker.give(written.append_and_show(&written.events[..10]).expect("it is durable"));
    assert_eq!(feed.last(), 10);
    runtime.block_on(expect_rest(cursor, &written.events[..10]));
    drop(waker);
    thread.join();
}

#[test]
fn what_another_writes_is_noticed_without_being_told() {
    let written = Written::new();
    written.append(&written.events[..10]);
    let (feed, waker, thread) = start(written.store.clone(), 1 << 20).expect("it can be read");
    written.append(&written.events[10..20]);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("runtime");
    let cursor = feed.cursor(Position::new(11).expect("not 0"));
    let read = expect_rest(cursor, &written.events[..20]);
    runtime
        .block_on(async { tokio::time::timeout(Duration::from_secs(60), read).await })
        .expect("in time");
    drop(waker);
    thread.join();
}

#[test]
fn nothing_is_kept_for_readers_that_are_far_behind() {
    let written = Written::new();
    let (feed, waker, thread) = start(written.store.clone(), 1 << 20).expect("it can be read");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
    let position = |n: u64| Position::new(n).expect("not 0");
    let give = |range: std::ops::Range<usize>| {
        waker.give(written.append_and_show(&written.events[range]).expect("it is durable"));
    };
    give(0..1100);
    assert!(!feed.keeps(position(1100)), "nobody reads");
    let mut far = feed.cursor(Position::FIRST);
    let chunk = runtime.block_on(far.read_upto(1)).expect("it can be read");
    assert_eq!(chunk.records.len(), 1);
    give(1100..1110);
    assert!(!feed.keeps(position(1110)), "who reads has the log to read first");
    let (mut rest, events) = (far, &written.events);
    runtime.block_on(async {
        while rest.next().get() < 200 {
            rest.read_upto(10_000).await.expect("it can be read");
        }
    });
    give(1110..1120);
    assert!(feed.keeps(position(1111)), "it has nearly caught up");
    runtime.block_on(expect_rest(rest, &events[..1120]));
    give(1120..1130);
    assert!(!feed.keeps(position(1121)), "it is gone");
    drop(waker);
    thread.join();
}
