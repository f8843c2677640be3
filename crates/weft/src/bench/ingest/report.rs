//! The speeds, how they compare, and whether the targets hold.

use serde_json::json;

use super::super::measured::{Measured, Target, Wanted};
use super::latency::{self, Latency};
use super::{CROWD, HTTP_BULK};

/// One way is to be at least so many times as fast as another.
const SINGLES: (&str, &str, f64) = (CROWD, "log, 64 producers", 0.5);

/// The best way to send in bulk is to be at least so many times as fast as another.
const BULK: (&str, f64) = ("log, bulk", 0.6);

/// From the append of an event to its receipt by a reader it is to take at most so many syncs, p50 and p99.
const TO_A_READER: (f64, f64) = (3.0, 10.0);

/// Ways whose ratio is shown beside the targets.
const SHOWN: [(&str, &str); 5] = [
    ("HTTP, bulk until indexed", "log, bulk until indexed"),
    ("HTTP, 1 connection", "log, 1 producer"),
    ("socket, 1 connection", "log, 1 producer"),
    ("socket, 64 connections", "log, 64 producers"),
    (CROWD, "JetStream, 64 in flight"),
];

pub(super) struct Report {
    pub(super) measured: Measured,
    pub(super) latencies: Vec<Latency>,
    pub(super) event_bytes: u64,
    pub(super) rounds: u32,
    pub(super) has_nats: bool,
}

impl Report {
    /// Returns the best way to send in bulk over HTTP.
    fn best_bulk(&self) -> &'static str {
        let speed = |name| self.measured.speed(name).unwrap_or_default();
        let names = HTTP_BULK.iter().map(|bulk| bulk.name);
        let best = names.max_by(|one, other| speed(one).total_cmp(&speed(other)));
        best.expect("there are ways to send in bulk")
    }

    fn targets(&self) -> Vec<Target> {
        let best = self.best_bulk();
        let at_least = |name: &str, against: &str, wanted| Target {
            name: format!("{name} / {against}"),
            wanted: Wanted::AtLeast(wanted),
            found: self.measured.ratio(name, against),
        };
        let (p50, p99) = latency::ratios(&self.latencies, |round| round.appended);
        let at_most = |name: &str, wanted, found| {
            let name = format!("appended to received / disk, write and sync, {name},");
            Target { name, wanted: Wanted::AtMost(wanted), found }
        };
        vec![
            at_least(best, BULK.0, BULK.1),
            at_least(SINGLES.0, SINGLES.1, SINGLES.2),
            at_most("p50", TO_A_READER.0, p50),
            at_most("p99", TO_A_READER.1, p99),
        ]
    }

    pub(super) fn to_table(&self) -> String {
        let Self { event_bytes, rounds, .. } = self;
        let mut out = format!(
            "{event_bytes} bytes an event, every event synced, median of {rounds} rounds\n\n"
        );
        out.push_str(&self.measured.to_table(*event_bytes));
        if !self.has_nats {
            out.push_str("JetStream                          not measured: there is no command nats-server\n");
        }
        out.push('\n');
        out.push_str(&latency::to_table(&self.latencies));
        out.push('\n');
        for (name, against) in SHOWN {
            if let Some(ratio) = self.measured.ratio(name, against) {
                out.push_str(&format!("{name} / {against}: {ratio:.2}\n"));
            }
        }
        if let (Some(p50), Some(p99)) = latency::ratios(&self.latencies, |round| round.received) {
            let name = "sent to received / disk, write and sync";
            out.push_str(&format!("{name}: p50 {p50:.2}, p99 {p99:.2}\n"));
        }
        out.push('\n');
        self.targets().iter().for_each(|target| out.push_str(&target.to_line()));
        out
    }

    pub(super) fn to_json(&self) -> String {
        let report = json!({
            "event_bytes": self.event_bytes,
            "iterations": self.rounds,
            "best_bulk": self.best_bulk(),
            "rows": self.measured.to_json(),
            "latency": latency::to_json(&self.latencies),
            "targets": self.targets().iter().map(Target::to_json).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }
}
