//! What others write is known as what they wrote it as.

use weft_event::Dialect;
use weft_event::event::Expect;

use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::Which;
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
