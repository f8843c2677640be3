//! How long it takes to open a store for one event, whatever its size.

use std::process::Stdio;
use std::time::{Duration, Instant};

use weft_log::disk::RealDisk;
use weft_log::writer::Writer;

use crate::scene::{Scene, feed, needle, shown};

/// What opening the log of a clean store may take.
const OPEN_MAX: Duration = Duration::from_micros(300);

/// How often it is tried; others may have the machine meanwhile, so that the best counts.
const TRIES: usize = 200;

#[test]
fn a_clean_store_opens_at_once_whatever_its_size() {
    for n_events in [1_000, 200_000] {
        let scene = Scene::new();
        scene.append("a.jsonl", (1..=n_events).map(|number| needle("w", number)));
        let output = scene.weft(&["ingest", "a.jsonl"]).output().unwrap();
        assert!(output.status.success(), "{}", shown(&output));
        let open = || {
            let started = Instant::now();
            let (writer, findings) = Writer::open(RealDisk, scene.store(), 0).unwrap();
            let took = started.elapsed();
            assert!(findings.is_empty() && writer.next().get() == n_events + 1);
            took
        };
        let opened = sorted((0..TRIES).map(|_| open()));
        let emit = |number| {
            let started = Instant::now();
            let mut child = scene.weft(&["emit"]).stdin(Stdio::piped()).spawn().unwrap();
            feed(&mut child, needle("e", number).into_bytes());
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", shown(&output));
            started.elapsed()
        };
        let emitted = sorted((1..=20).map(emit));
        let of = |times: &[Duration]| format!("{:?}, best {:?}", times[times.len() / 2], times[0]);
        println!("{n_events} events: open {}; weft emit {}", of(&opened), of(&emitted));
        assert!(opened[0] < OPEN_MAX, "opening took {:?} at best", opened[0]);
    }
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times
}
