//! What whoever asks gets: the same answer whatever the index has reached.

use std::path::Path;
use std::time::Duration;

use weft_event::event::Expect;

use super::{Ask, Order, Records};
use crate::admit::{Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::disk::RealDisk;
use crate::follow::{Follow, Progress};
use crate::index::{Follower, Index, Reader as IndexReader};
use crate::lock::Owner;
use crate::log::{Batch, Durability, Hold, Indexing, Log, Options};
use crate::{Filter, Network, Position, Store, reader};

fn store(root: &Path) -> Store {
    Store::make(root, Network::Refuse).unwrap()
}

/// Appends events that say these texts, each by a hold of its own.
fn say(store: &Store, texts: &[&str]) {
    say_indexing(store, texts, Indexing::AtTheEnd);
}

fn say_indexing(store: &Store, texts: &[&str], indexing: Indexing) {
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let (patience, hold) = (Duration::from_secs(60), Hold::Briefly);
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    for text in texts {
        let options = Options { owner: owner.clone(), patience, hold, indexing };
        let log = Log::open(store.clone(), options, &mut |_| {}).unwrap();
        let line = format!(
            r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2020-01-01T00:00:00Z","agent_id":"@a","message":"{text}"}}"#
        );
        let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
        let arrival = Arrival { line, expect, via, delivery: None, topic: None };
        let events = vec![gate.admit(&arrival).unwrap()];
        let durability = Durability::Synced;
        log.append(Batch { events, conditions: Vec::new(), durability }).unwrap();
        log.close().unwrap();
    }
}

fn follow_text(store: &Store) -> Vec<Progress> {
    let head = reader::read_head(&RealDisk, store.root()).unwrap();
    let index = Index::open(&store.index(), &head.store).unwrap();
    let mut told = Vec::new();
    let mut follow = Follow::new(store.clone(), index);
    follow.catch_up(Follower::Text, &mut |progress| told.push(progress)).unwrap();
    told
}

fn find(store: &Store, filter: &str) -> Vec<u64> {
    page(store, filter, Order::Ascending, 100).0
}

/// Returns the positions found, and where the next page begins.
fn page(store: &Store, filter: &str, order: Order, limit: usize) -> (Vec<u64>, Option<u64>) {
    let filter = Filter::parse(filter, 0).unwrap();
    let range = Position::FIRST..=Position::new(u64::MAX).unwrap();
    let ask = Ask { filter: &filter, range, order, limit };
    let page = Records::open(store.clone()).unwrap().page(&ask).unwrap();
    let positions = page.records.iter().map(|found| found.meta.position.get());
    (positions.collect(), page.next.map(Position::get))
}

#[test]
fn the_text_index_finds_what_reading_finds() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    say(&store, &["ΟΔΟΣ", "İstanbul", "Đuro naïve", "plain_words", "x²y", "ǅ", "日本語 text"]);
    let searches =
        ["οδοσ", "istanbul", "đuro", "naive", "plain", "\"plain words\"", "x²y", "ǆ", "日本*"];
    let ask = || searches.map(|search| find(&store, search));
    let read = ask();
    assert!(read.iter().all(|found| found.len() == 1), "{read:?}");
    assert_eq!(follow_text(&store), [Progress { position: 7, last: 7 }]);
    assert_eq!(ask(), read);
}

#[test]
fn a_segment_begins_where_it_began_however_often_the_index_reads_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    say(&store, &["a", "b", "c"]);
    follow_text(&store);
    let segments = IndexReader::open(&store.index()).unwrap().segments().unwrap();
    assert_eq!(segments.iter().map(|segment| segment.first.get()).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_page_is_the_same_with_and_without_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    say(&store, &["x a", "y", "x b", "x c", "y", "x d"]);
    let ask_of = |store: &Store| {
        let orders = [Order::Ascending, Order::Descending];
        orders.map(|order| [1, 3, 4, 9].map(|limit| page(store, "x*", order, limit)))
    };
    let ask = || ask_of(&store);
    let indexed = ask();
    let folder = tempfile::tempdir().unwrap();
    let half = self::store(folder.path());
    say(&half, &["x a", "y", "x b"]);
    say_indexing(&half, &["x c", "y", "x d"], Indexing::Later);
    let mark = IndexReader::open(&half.index()).unwrap().watermark(Follower::Core).unwrap();
    assert_eq!(mark.position, 3);
    assert_eq!(ask_of(&half), indexed);
    assert_eq!(indexed[0][1], (vec![1, 3, 4], Some(6)));
    assert_eq!(indexed[1][1], (vec![6, 4, 3], Some(1)));
    std::fs::remove_file(store.index()).unwrap();
    assert_eq!(ask(), indexed);
}

#[test]
fn what_comes_later_is_seen_after_another_look() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    say(&store, &["x a"]);
    for indexing in [Indexing::AtTheEnd, Indexing::Later] {
        let mut records = Records::open(store.clone()).unwrap();
        let filter = Filter::parse("x*", 0).unwrap();
        let positions = |records: &mut Records| {
            let range = Position::FIRST..=records.head().last().unwrap();
            let ask = Ask { filter: &filter, range, order: Order::Ascending, limit: 9 };
            let found = records.page(&ask).unwrap().records;
            found.iter().map(|found| found.meta.position.get()).collect::<Vec<_>>()
        };
        let before = positions(&mut records);
        say_indexing(&store, &["x b"], indexing);
        assert_eq!(positions(&mut records), before);
        records.refresh().unwrap();
        let next = before.last().unwrap() + 1;
        assert_eq!(positions(&mut records), [before, vec![next]].concat());
    }
}
