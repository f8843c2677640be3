//! The result: speeds, how they compare, and whether the targets hold.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use super::contest::{Outcome, VALUE, VALUE_AND_SCHEMA, WEFT};

/// Weft is to be at least so many times as fast as these.
const TARGETS: [(&str, f64); 2] = [(VALUE, 2.5), (VALUE_AND_SCHEMA, 5.0)];

pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) n_events: usize,
    pub(crate) n_bytes: usize,
    pub(crate) rounds: usize,
    pub(crate) seed: u64,
}

/// One line of the table.
pub(crate) struct Row {
    name: &'static str,
    /// What it does, or why there is no speed.
    about: &'static str,
    speed: Option<Speed>,
}

/// Events and bytes a second.
#[derive(Clone, Copy)]
struct Speed {
    best: f64,
    median: Option<f64>,
    best_bytes: f64,
}

impl Row {
    pub(crate) fn of_outcome(outcome: &Outcome, n_events: usize, n_bytes: usize) -> Self {
        let mut row = Self::of_best(outcome.name, outcome.about, outcome.best(), n_events, n_bytes);
        let median = n_events as f64 / outcome.median().as_secs_f64();
        row.speed = row.speed.map(|speed| Speed { median: Some(median), ..speed });
        row
    }

    pub(crate) fn of_best(
        name: &'static str,
        about: &'static str,
        best: Duration,
        n_events: usize,
        n_bytes: usize,
    ) -> Self {
        let per_second = |n: usize| n as f64 / best.as_secs_f64();
        let speed =
            Speed { best: per_second(n_events), median: None, best_bytes: per_second(n_bytes) };
        Self { name, about, speed: Some(speed) }
    }

    pub(crate) fn absent(name: &'static str, about: &'static str) -> Self {
        Self { name, about, speed: None }
    }
}

impl Report {
    pub(crate) fn to_table(&self) -> String {
        let mut out = format!(
            "{} events, {} bytes each on average, seed {}, one core, best and median of {} rounds\n\n",
            self.n_events,
            self.n_bytes / self.n_events.max(1),
            self.seed,
            self.rounds,
        );
        let mut line = |cells: [&str; 7]| {
            let [name, best, median, bytes, value, schema, about] = cells;
            writeln!(
                out,
                "{name:18} {best:>11} {median:>11} {bytes:>7} {value:>8} {schema:>13}  {about}"
            )
            .expect("writing to a string cannot fail");
        };
        line(["", "events/s", "median", "MB/s", "x Value", "x jsonschema", ""]);
        for row in &self.rows {
            match row.speed {
                None => line([row.name, "-", "-", "-", "-", "-", row.about]),
                Some(speed) => line([
                    row.name,
                    &format!("{:.0}", speed.best),
                    &speed.median.map_or("-".to_owned(), |median| format!("{median:.0}")),
                    &format!("{:.0}", speed.best_bytes / 1e6),
                    &ratio_text(self.ratio(row.name, VALUE)),
                    &ratio_text(self.ratio(row.name, VALUE_AND_SCHEMA)),
                    row.about,
                ]),
            }
        }
        out.push('\n');
        for (against, target) in TARGETS {
            let verdict = match self.ratio(WEFT, against) {
                Some(ratio) if ratio >= target => format!("holds: {ratio:.2}"),
                Some(ratio) => format!("missed: {ratio:.2}"),
                None => "not measured".to_owned(),
            };
            out.push_str(&format!("target, {target} times {against}: {verdict}\n"));
        }
        out
    }

    pub(crate) fn to_json(&self) -> String {
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "about": row.about,
                "events_per_second": row.speed.map(|speed| speed.best),
                "median_events_per_second": row.speed.and_then(|speed| speed.median),
                "bytes_per_second": row.speed.map(|speed| speed.best_bytes),
                "times_value": self.ratio(row.name, VALUE),
                "times_value_and_jsonschema": self.ratio(row.name, VALUE_AND_SCHEMA),
            })
        };
        let target = |(against, target): &(&str, f64)| {
            let ratio = self.ratio(WEFT, against);
            let holds = ratio.map(|ratio| ratio >= *target);
            json!({ "against": against, "target": target, "ratio": ratio, "holds": holds })
        };
        let report = json!({
            "events": self.n_events,
            "bytes": self.n_bytes,
            "iterations": self.rounds,
            "seed": self.seed,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "targets": TARGETS.iter().map(target).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }

    /// Returns how many times as fast one is as another.
    fn ratio(&self, name: &str, against: &str) -> Option<f64> {
        let speed = |name: &str| self.rows.iter().find(|row| row.name == name)?.speed;
        Some(speed(name)?.best / speed(against)?.best)
    }
}

fn ratio_text(ratio: Option<f64>) -> String {
    match ratio {
        None => "-".to_owned(),
        Some(ratio) if ratio < 0.1 => format!("{ratio:.4}"),
        Some(ratio) => format!("{ratio:.2}"),
    }
}
