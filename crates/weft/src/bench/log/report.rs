//! The speeds, how they compare, and whether the targets hold.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use super::super::measured::{Measured, Target, Wanted};
use super::reads::{Reads, Scan};

/// One way is to be at least so many times as fast as another.
const TARGETS: [(&str, &str, f64); 8] = [
    ("Weft, 1 producer", "disk, 1 a sync", 0.9),
    ("Weft, 64 producers, index paused", "disk, 64 producers", 0.8),
    ("Weft, 64 producers", "disk, 64 producers", 0.5),
    ("Weft, bulk", "SQLite, 1000 a sync", 5.0),
    ("Weft, bulk until indexed", "SQLite, 1000 a sync", 1.3),
    ("Weft, bulk", "Weft, bulk, secrets kept", 0.87),
    ("Weft, 64 producers", "JetStream, 64 in flight", 15.0),
    ("Weft, bulk", "JetStream, 1000 in flight", 15.0),
];

/// One way is to do at least so many events a second.
const SPEEDS: [(&str, f64); 1] = [("Weft, index rebuilt", 120_000.0)];

/// A query is to be at least so many times as fast as `jq`.
const QUERY_TARGET: f64 = 50.0;

pub(super) struct Report {
    pub(super) measured: Measured,
    pub(super) reads: Reads,
    pub(super) stored: u64,
    pub(super) event_bytes: u64,
    pub(super) rounds: u32,
    pub(super) has_nats: bool,
}

impl Report {
    fn targets(&self) -> Vec<Target> {
        let ratios = TARGETS.iter().map(|(name, against, wanted)| Target {
            name: format!("{name} / {against}"),
            wanted: Wanted::AtLeast(*wanted),
            found: self.measured.ratio(name, against),
        });
        let speeds = SPEEDS.iter().map(|(name, wanted)| Target {
            name: format!("{name}, events a second"),
            wanted: Wanted::AtLeast(*wanted),
            found: self.measured.speed(name),
        });
        let query = Target {
            name: "100 records of a session, times as fast as jq,".to_owned(),
            wanted: Wanted::AtLeast(QUERY_TARGET),
            found: self
                .reads
                .jq
                .zip(self.reads.query)
                .map(|(jq, query)| jq.took().as_secs_f64() / query.as_secs_f64()),
        };
        ratios.chain(speeds).chain([query]).collect()
    }

    pub(super) fn to_table(&self) -> String {
        let Self { stored, event_bytes, rounds, .. } = self;
        let mut out = format!(
            "{event_bytes} bytes an event, {stored} stored before, every event synced, median of {rounds} rounds\n\n"
        );
        out.push_str(&self.measured.to_table(*event_bytes));
        if !self.has_nats {
            out.push_str("JetStream                          not measured: there is no command nats-server\n");
        }
        let Reads { open, query, jq } = self.reads;
        let time = |took: Option<Duration>| match took {
            Some(took) => format!("{:.3} ms", 1e3 * took.as_secs_f64()),
            None => "not measured".to_owned(),
        };
        let [open, query] = [Some(open), query].map(time);
        let jq = match jq {
            Some(Scan::Stopped(took)) => format!("more than {}", time(Some(took))),
            Some(Scan::Whole(took)) => time(Some(took)),
            None => time(None),
        };
        writeln!(out, "\nopened for one event: {open}\n100 records of a session found: {query}; with jq: {jq}\n")
            .expect("writing to a string cannot fail");
        self.targets().iter().for_each(|target| out.push_str(&target.to_line()));
        out
    }

    pub(super) fn to_json(&self) -> String {
        let report = json!({
            "stored": self.stored,
            "event_bytes": self.event_bytes,
            "iterations": self.rounds,
            "open_s": self.reads.open.as_secs_f64(),
            "query_s": self.reads.query.map(|query| query.as_secs_f64()),
            "jq_s": self.reads.jq.map(|jq| jq.took().as_secs_f64()),
            "jq_was_stopped": matches!(self.reads.jq, Some(Scan::Stopped(_))),
            "rows": self.measured.to_json(),
            "targets": self.targets().iter().map(Target::to_json).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }
}
