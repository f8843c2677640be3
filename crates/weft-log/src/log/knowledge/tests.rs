//! What others write is known as what they wrote it as, and what comes in is known however much comes.

use std::sync::Arc;
use std::thread;

use weft_event::Dialect;
use weft_event::event::Expect;

use super::Knowledge;
use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::index::{self, Keys, delivery_key};
use crate::known::{Known, Seen};
use crate::log::{Batch, Durability, Log, Outcome};
use crate::testing::Scene;
use crate::{Position, Store};

/// Returns a needle event that has what makes a collector event, too: by its shape alone it could be either.
fn ambiguous(store: &Store, sequence: u64) -> Admitted {
    let line = format!(
        r#"{{"schema_version":1,"timestamp":"2026-01-05T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{sequence},"data":{{"bead_id":"b"}},"agent_id":"w","status":"progress","version":"1.0.0"}}"#
    );
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let arrival = |expect| Arrival {
        line: line.as_bytes(),
        expect,
        via: "test",
        delivery: None,
        topic: None,
    };
    assert!(gate.admit(&arrival(Expect::Any)).is_err());
    gate.admit(&arrival(Expect::Dialect(Dialect::Needle))).unwrap()
}

#[test]
fn a_repeat_of_what_another_process_wrote_is_known_whatever_its_shape() {
    let scene = Scene::empty();
    let append = |log: &Log, sequence| {
        let (events, conditions) = (vec![ambiguous(&scene.store, sequence)], Vec::new());
        let batch = Batch { events, conditions, durability: Durability::Synced };
        let outcome = log.append(batch).unwrap().outcomes[0];
        // Which lets others have the store; the handle takes it again.
        log.close().unwrap();
        outcome
    };
    let one = scene.log();
    append(&one, 1);
    append(&scene.log(), 2);
    let repeat = Outcome::Repeat { position: Position::new(2).unwrap() };
    assert_eq!(append(&one, 2), repeat);
}

#[test]
fn keys_stay_known_while_filters_are_added_and_put_together() {
    let scene = Scene::empty();
    let log = scene.log();
    let events = (1..=2_000).map(|n| ambiguous(&scene.store, n)).collect();
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced }).unwrap();
    log.close().unwrap();
    let (mut stored, index) = (Vec::new(), index::Reader::open(&scene.store.index()).unwrap());
    index.each_key(|key| stored.push(key)).unwrap();

    let first = Known::with_room_for(1 << 14);
    first.set_ready();
    stored.iter().for_each(|key| first.add(*key));
    let filters = vec![Arc::new(first)];
    let upto = Position::new(2_001).unwrap();
    let mut knowledge = Knowledge { filters, next: None, upto };
    let id_of = |n: u64| format!("delivery {n}");
    let (mut n, mut n_before, mut is_put_together) = (0, None, false);
    while !is_put_together {
        n += 1;
        knowledge.add(&Keys::NONE.with_delivery(Some(&id_of(n))));
        let n_filters = knowledge.filters.len();
        // The index comes far enough some time later.
        knowledge.tend(&scene.store, if n % 1000 == 0 { 2_000 } else { 1_999 });
        is_put_together = knowledge.filters.len() < n_filters;
        // What came before is known from the index, and what is not there was made up here.
        n_before = n_before.or(knowledge.next.is_some().then_some(n));
        if knowledge.next.is_some() {
            thread::yield_now();
        }
    }
    let n_before = n_before.unwrap();
    assert!(n_before > 3 << 14, "several filters were filled before: {n_before} keys");
    assert!(stored.iter().all(|key| knowledge.has(*key) == Seen::Maybe));
    let has = |n: u64| knowledge.has(delivery_key(&id_of(n)));
    assert!((n_before + 1..=n).all(|n| has(n) == Seen::Maybe));
    let n_mistaken = (1..=10_000).filter(|more| has(n + more) == Seen::Maybe).count();
    assert!(n_mistaken < 1_000, "{n_mistaken} of 10,000 keys look known that nobody added");
}
