//! The speeds, how they compare, and whether the targets hold.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use super::reads::Reads;
use super::timed;

/// One way is to be at least so many times as fast as another.
const TARGETS: [(&str, &str, f64); 7] = [
    ("Weft, 1 producer", "disk, 1 a sync", 0.9),
    ("Weft, 64 producers, index paused", "disk, 64 producers", 0.8),
    ("Weft, 64 producers", "disk, 64 producers", 0.5),
    ("Weft, bulk", "SQLite, 1000 a sync", 5.0),
    ("Weft, bulk until indexed", "SQLite, 1000 a sync", 1.3),
    ("Weft, 64 producers", "JetStream, 64 in flight", 15.0),
    ("Weft, bulk", "JetStream, 1000 in flight", 15.0),
];

/// One way is to do at least so many events a second.
const SPEEDS: [(&str, f64); 1] = [("Weft, index rebuilt", 120_000.0)];

/// A query is to be at least so many times as fast as `jq`.
const QUERY_TARGET: f64 = 50.0;

/// What was measured, by name, in the order in which it was first measured.
#[derive(Default)]
pub(super) struct Measured {
    rows: Vec<Row>,
}

/// One way to write.
struct Row {
    name: &'static str,
    /// Events and time of the round in hand.
    n_events: usize,
    took: Duration,
    /// Events a second of the rounds before.
    speeds: Vec<f64>,
}

impl Measured {
    /// Does one way, or a slice of it, and notes how long it took.
    pub(super) fn time(
        &mut self,
        name: &'static str,
        n_events: usize,
        work: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let ((), took) = timed(work)?;
        let idx = self.rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            self.rows.push(Row { name, n_events: 0, took: Duration::ZERO, speeds: Vec::new() });
            self.rows.len() - 1
        });
        self.rows[idx].n_events += n_events;
        self.rows[idx].took += took;
        Ok(())
    }

    /// Closes a round.
    pub(super) fn end_round(&mut self) {
        for row in self.rows.iter_mut().filter(|row| row.n_events > 0) {
            let (n_events, took) =
                (std::mem::take(&mut row.n_events), std::mem::take(&mut row.took));
            row.speeds.push(n_events as f64 / took.max(Duration::from_nanos(1)).as_secs_f64());
        }
    }

    fn speeds(&self, name: &str) -> &[f64] {
        self.rows.iter().find(|row| row.name == name).map_or(&[], |row| &row.speeds)
    }

    /// Returns the median of what two ways are to each other, round by round: a disk that is slow for a while is so for both.
    fn ratio(&self, name: &str, against: &str) -> Option<f64> {
        let rounds = self.speeds(name).iter().zip(self.speeds(against));
        median(rounds.map(|(one, other)| one / other))
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

pub(super) struct Report {
    pub(super) measured: Measured,
    pub(super) reads: Reads,
    pub(super) stored: u64,
    pub(super) event_bytes: u64,
    pub(super) rounds: u32,
    pub(super) has_nats: bool,
}

struct Target {
    name: String,
    wanted: f64,
    found: Option<f64>,
}

impl Report {
    fn targets(&self) -> Vec<Target> {
        let ratios = TARGETS.iter().map(|(name, against, wanted)| Target {
            name: format!("{name} / {against}"),
            wanted: *wanted,
            found: self.measured.ratio(name, against),
        });
        let speeds = SPEEDS.iter().map(|(name, wanted)| Target {
            name: format!("{name}, events a second"),
            wanted: *wanted,
            found: median(self.measured.speeds(name).iter().copied()),
        });
        let query = Target {
            name: "100 records of a session, times as fast as jq,".to_owned(),
            wanted: QUERY_TARGET,
            found: self
                .reads
                .jq
                .zip(self.reads.query)
                .map(|(jq, query)| jq.as_secs_f64() / query.as_secs_f64()),
        };
        ratios.chain(speeds).chain([query]).collect()
    }

    pub(super) fn to_table(&self) -> String {
        let Self { stored, event_bytes, rounds, .. } = self;
        let mut out = format!(
            "{event_bytes} bytes an event, {stored} stored before, every event synced, median of {rounds} rounds\n\n"
        );
        writeln!(
            out,
            "{:34} {:>11} {:>9} {:>11} {:>11}",
            "", "events/s", "MB/s", "lowest", "highest"
        )
        .expect("writing to a string cannot fail");
        for Row { name, speeds, .. } in &self.measured.rows {
            let median = median(speeds.iter().copied()).unwrap_or_default();
            let lowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = speeds.iter().copied().fold(0.0, f64::max);
            let megabytes = median * self.event_bytes as f64 / 1e6;
            writeln!(
                out,
                "{name:34} {median:>11.0} {megabytes:>9.1} {lowest:>11.0} {highest:>11.0}"
            )
            .expect("writing to a string cannot fail");
        }
        if !self.has_nats {
            out.push_str("JetStream                          not measured: there is no command nats-server\n");
        }
        let Reads { open, query, jq } = self.reads;
        let time = |took: Option<Duration>| match took {
            Some(took) => format!("{:.3} ms", 1e3 * took.as_secs_f64()),
            None => "not measured".to_owned(),
        };
        let [open, query, jq] = [Some(open), query, jq].map(time);
        writeln!(out, "\nopened for one event: {open}\n100 records of a session found: {query}; with jq: {jq}\n")
            .expect("writing to a string cannot fail");
        for Target { name, wanted, found } in self.targets() {
            let verdict = match found {
                Some(found) if found >= wanted => format!("holds: {found:.2}"),
                Some(found) => format!("missed: {found:.2}"),
                None => "not measured".to_owned(),
            };
            writeln!(out, "target, {name} at least {wanted}: {verdict}")
                .expect("writing to a string cannot fail");
        }
        out
    }

    pub(super) fn to_json(&self) -> String {
        let row = |Row { name, speeds, .. }: &Row| {
            let median = median(speeds.iter().copied());
            json!({ "name": name, "events_per_second": median, "rounds": speeds })
        };
        let target = |target: Target| {
            let holds = target.found.map(|found| found >= target.wanted);
            json!({ "name": target.name, "target": target.wanted, "found": target.found, "holds": holds })
        };
        let report = json!({
            "stored": self.stored,
            "event_bytes": self.event_bytes,
            "iterations": self.rounds,
            "open_s": self.reads.open.as_secs_f64(),
            "query_s": self.reads.query.map(|query| query.as_secs_f64()),
            "jq_s": self.reads.jq.map(|jq| jq.as_secs_f64()),
            "rows": self.measured.rows.iter().map(row).collect::<Vec<_>>(),
            "targets": self.targets().into_iter().map(target).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }
}
