//! A subscriber that asks for its events: it deals with most of them, fails some, and forgets to report now and then.

use std::collections::HashSet;
use std::io;

use serde_json::{Value, json};

use super::Storm;
use super::delivered::Taken;
use super::event::Event;
use super::http::{Ask, Connection};
use crate::draw::Draw;

/// How long events are lent.
pub(crate) const LENT_MS: u64 = 500;

/// Pulls until the storm is over and everything is settled; returns what was taken.
pub(crate) fn pull(storm: &Storm) -> Vec<Taken> {
    let mut draw = Draw::new(storm.seed, 2000);
    let mut taken = Vec::new();
    while !storm.is_settled() {
        // A server that is killed hangs up, and its leases are gone with it.
        drop(converse(storm, &mut draw, &mut taken));
    }
    taken
}

fn converse(storm: &Storm, draw: &mut Draw, taken: &mut Vec<Taken>) -> io::Result<()> {
    let mut connection = Connection::open(&storm.board.place().http)?;
    while !storm.is_settled() {
        let limit = 1 + draw.below(60);
        let target = format!("/v1/subscriptions/pull/events?wait=1&limit={limit}");
        let ask = Ask { method: "GET", target: &target, headers: &[], body: "" };
        let (status, lent) = connection.ask(&ask)?;
        if status != 200 {
            assert!(matches!(status, 409 | 429 | 503), "{status} {lent}");
            continue;
        }
        let lease = serde_json::from_str::<Value>(&lent).unwrap()["lease"].clone();
        let report = deal(&read(&lent), draw, taken);
        if lease.is_null() || draw.below(40) == 0 {
            continue;
        }
        let report = json!({"lease":lease,"positions":report.0,"failed":report.1}).to_string();
        let target = "/v1/subscriptions/pull/ack";
        let (status, told) =
            connection.ask(&Ask { method: "POST", target, headers: &[], body: &report })?;
        assert!(matches!(status, 200 | 409 | 503), "{status} {told}");
    }
    Ok(())
}

/// Deals with events in their order; returns the positions of those that are done, and those that failed.
fn deal(lent: &[Taken], draw: &mut Draw, taken: &mut Vec<Taken>) -> (Vec<u64>, Vec<Value>) {
    let (mut done, mut failed, mut stopped) = (Vec::new(), Vec::new(), HashSet::new());
    for event in lent {
        let lane = Event::read(&event.event).lane();
        // A session stops at the first that fails; the rest of it comes again.
        if stopped.contains(&lane) {
            continue;
        }
        if draw.below(200) == 0 {
            failed.push(json!({"position":event.position,"reason":"on purpose"}));
            stopped.insert(lane);
        } else {
            taken.push(event.clone());
            done.push(event.position);
        }
    }
    (done, failed)
}

/// Reads the events of an answer, as they stand in it.
fn read(lent: &str) -> Vec<Taken> {
    let read = |part: &str| {
        let (id, rest) = part.split_once('"').unwrap();
        let (_, record) = rest.split_once(",\"record\":").unwrap();
        let record = record.trim_end().trim_end_matches("]}").trim_end_matches(',');
        Taken::read(id, record.strip_suffix('}').unwrap())
    };
    lent.split("{\"event_id\":\"").skip(1).map(read).collect()
}
