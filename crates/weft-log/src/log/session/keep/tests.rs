//! What is appended again is what stands in the log now.

use weft_event::event::Expect;

use crate::admit::{Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::index;
use crate::log::{Batch, Durability};
use crate::prune::{self, Reach};
use crate::redact::{self, ALL_SOURCES, Redaction, Settings};
use crate::testing::{Scene, event, lease, line, options};
use crate::verify::{self, Depth};

fn append(scene: &Scene, event: crate::admit::Admitted) {
    let log = scene.log();
    let (events, conditions) = (vec![event], Vec::new());
    log.append(Batch { events, conditions, durability: Durability::Synced }).unwrap();
    log.close().unwrap();
}

/// Deletes all that was written so far.
fn delete_all(scene: &Scene) -> u64 {
    let log = scene.log();
    log.roll().unwrap();
    log.close().unwrap();
    let ask = prune::Ask { reach: Reach::KeepBytes(0), mode: prune::Mode::Delete, holds: &[] };
    let report = prune::run(&scene.store, &ask, &options(), &mut |_| {}).unwrap();
    assert_eq!(report.carried.n_unreadable, 0);
    report.carried.n_carried
}

fn faults(scene: &Scene) -> Vec<String> {
    let mut faults = Vec::new();
    let ask = verify::Ask { against: None, depth: Depth::Usual };
    verify::verify(&scene.store, &ask, &mut |told| {
        if let verify::Told::Fault(fault) = told {
            faults.push(fault.to_string());
        }
    })
    .unwrap();
    faults
}

#[test]
fn a_newest_value_that_was_redacted_is_carried_whole_as_often_as_it_has_to_be() {
    let scene = Scene::empty();
    let settings = Settings { sources_off: vec![ALL_SOURCES.to_owned()], ..Settings::default() };
    let careless = scene.store.clone().with_redaction(Redaction::new(settings).into());
    let secret = line(1, "PASSWORD=hunter2-and-more make");
    let topic = lease("a");
    let arrival = Arrival {
        line: secret.as_bytes(),
        expect: Expect::Any,
        via: "test",
        delivery: None,
        topic: Some(&topic),
    };
    let mut gate = Gate::new(&careless, Which::Largest, Strictness::Lenient);
    append(&scene, gate.admit(&arrival).unwrap());
    append(&scene, event(2));
    redact::scan_store(&scene.store, &redact::Mode::Redact(options()), &mut |_| {}).unwrap();
    let masked = scene.lines()[0].1.clone();
    assert_ne!(masked, secret);

    for _ in 0..2 {
        // The value, and the record that says what was redacted.
        assert_eq!(delete_all(&scene), 2);
        assert_eq!(faults(&scene), [""; 0]);
        let index = index::Reader::open(&scene.store.index()).unwrap();
        let latest = index.latest("lease", "a").unwrap().unwrap();
        let (_, line) =
            scene.lines().into_iter().find(|(position, _)| *position == latest.get()).unwrap();
        assert_eq!(line, masked);
    }
}
