//! What is read and not taken by the index is read again.

use std::time::Duration;

use rusqlite::Connection;
use weft_event::event::Expect;

use super::{Follow, FollowError};
use crate::admit::{Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::disk::RealDisk;
use crate::index::{Follower, Index};
use crate::lock::Owner;
use crate::log::{Batch, Durability, Hold, Indexing, Log, Options};
use crate::{Network, Store, reader};

/// Appends an event.
fn say(store: &Store, text: &str) {
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let (patience, hold, indexing) = (Duration::from_secs(60), Hold::Briefly, Indexing::AtTheEnd);
    let options = Options { owner, patience, hold, indexing };
    let log = Log::open(store.clone(), options, &mut |_| {}).unwrap();
    let line = format!(
        r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2020-01-01T00:00:00Z","agent_id":"@a","message":"{text}"}}"#
    );
    let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
    let arrival = Arrival { line, expect, via, delivery: None, topic: None };
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let events = vec![gate.admit(&arrival).unwrap()];
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced }).unwrap();
    log.close().unwrap();
}

#[test]
fn records_that_the_index_did_not_take_are_in_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::make(folder.path(), Network::Refuse).unwrap();
    ["one", "two", "three"].iter().for_each(|text| say(&store, text));
    let head = reader::read_head(&RealDisk, store.root()).unwrap();
    let index = Index::recreate(&store.index(), &head.store).unwrap();
    let mut follow = Follow::new(store.clone(), index);

    let other = Connection::open(store.index()).unwrap();
    let stray = "INSERT INTO records(position, segment, offset, bytes, ended, flags) VALUES(2, 0, 0, 0, 0, 0)";
    other.execute(stray, []).unwrap();
    for _ in 0..2 {
        let failed = follow.step(Follower::Core).unwrap_err();
        assert!(matches!(failed, FollowError::Index(_)), "{failed:?}");
        assert_eq!(follow.watermark(Follower::Core).position, 0);
    }
    other.execute("DELETE FROM records", []).unwrap();
    assert!(follow.step(Follower::Core).unwrap());
    assert!(!follow.step(Follower::Core).unwrap());
    assert_eq!(follow.watermark(Follower::Core).position, 3);
    let count = "SELECT (SELECT count(*) FROM records), (SELECT count(*) FROM segments)";
    let counted = other.query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?)));
    assert_eq!(counted, Ok((3, 1)));
}
