//! The spool and what is appended, together in the log: in their order, in one group, and nothing of it lost.

use std::path::Path;
use std::time::Duration;

use uuid::Uuid;

use super::super::{AppendError, BeginError, Condition, Hold, Indexing, Log, Options};
use super::{NEEDLE, admit, batch, lines, positions};
use crate::lock::Owner;
use crate::spool::{self, Entry};
use crate::{Network, Store, TopicKey};

/// An event with this number.
fn event(n: u64) -> String {
    NEEDLE.replace(":7,", &format!(":{n},"))
}

/// Leaves events in the spool.
fn leave(store: &Store, numbers: std::ops::Range<u64>) {
    for n in numbers {
        let line = event(n);
        let (id, via) = (Uuid::now_v7(), "hook".into());
        let entry = Entry { at_us: 1, via, id, dialect: None, topic: None, line: line.as_bytes() };
        spool::put(store, &entry).unwrap();
    }
}

/// Takes a store for a single event.
fn begin(store: &Store) -> Result<Log, BeginError> {
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let (hold, indexing) = (Hold::Briefly, Indexing::Later);
    let patience = Duration::from_secs(60);
    Log::begin(store.clone(), Options { owner, patience, hold, indexing })
}

/// How many records each group of a log has.
fn groups(root: &Path) -> Vec<usize> {
    let mut groups = Vec::new();
    for entry in std::fs::read_dir(root.join("log")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut n = 0;
        for line in text.lines() {
            if line.starts_with("{\"weft_seal\":") {
                groups.push(std::mem::take(&mut n));
            } else {
                n += 1;
            }
        }
    }
    groups.retain(|n| *n > 0);
    groups
}

#[test]
fn the_spool_and_what_is_appended_are_one_group_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::make(root, Network::Refuse).unwrap();
    for first in [1, 11] {
        leave(&store, first..first + 3);
        let log = begin(&store).unwrap();
        let appended = log.append(batch(vec![admit(root, &event(first + 3), None)]));
        let n_before = if first == 1 { 0 } else { 4 };
        assert_eq!(positions(&appended.unwrap()), [n_before + 4]);
        log.close().unwrap();
        assert!(spool::is_empty(root));
    }
    assert_eq!(groups(root), [4, 4]);
    let expected: Vec<String> = (1..5).chain(11..15).map(event).collect();
    assert_eq!(lines(root), expected);
}

#[test]
fn the_spool_is_moved_where_what_is_appended_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::make(root, Network::Refuse).unwrap();
    leave(&store, 1..3);
    let topic = TopicKey { topic: "lease".to_owned(), key: Some("file".to_owned()) };
    let conditions = vec![Condition { topic, last: crate::Position::new(9) }];
    let log = begin(&store).unwrap();
    let refused = batch(vec![admit(root, &event(3), None)]);
    let refused = log.append(super::Batch { conditions, ..refused });
    assert!(matches!(refused, Err(AppendError::Condition { actual: None, .. })), "{refused:?}");
    log.close().unwrap();
    assert!(spool::is_empty(root));
    assert_eq!(lines(root), [event(1), event(2)]);
}

#[test]
fn what_was_taken_out_of_the_spool_and_not_written_is_there_for_the_next_one_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::make(root, Network::Refuse).unwrap();
    leave(&store, 1..3);
    // One that ended after it had taken the entries, and one after they were written and before they were removed.
    let copy = root.join("spool/taking-0.jsonl");
    drop(spool::take(root).unwrap().unwrap());
    let taken = std::fs::read_dir(root.join("spool")).unwrap().next().unwrap().unwrap().path();
    std::fs::copy(taken, copy).unwrap();
    leave(&store, 3..4);
    let log = begin(&store).unwrap();
    log.append(batch(vec![admit(root, &event(4), None)])).unwrap();
    log.close().unwrap();
    assert!(spool::is_empty(root));
    assert_eq!(lines(root), (1..5).map(event).collect::<Vec<_>>());
}
