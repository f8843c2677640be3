//! The result: what each takes, and whether the targets hold.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::measured::{Target, Wanted, median};
use super::CROWD;
use super::runs::{BASH, FLOOR, HOOKS, PYTHON, WEFT_ALONE, WEFT_SERVED};
use super::scene::Moment;

/// A hook with a server takes at most so many times what starting a program and one sync take. A static build has less to load.
const START_TIMES_MAX: f64 = if cfg!(target_env = "musl") { 2.0 } else { 3.0 };

/// A hook without a server takes at most so much longer than with one.
const ALONE_MORE_MS_MAX: f64 = 2.0;

/// A script takes at least so many times what a hook takes.
const SCRIPT_TIMES_MIN: f64 = 12.0;

/// A hook that decides takes at most so many times what one takes that only reports.
const DECIDED_TIMES_MAX: f64 = 3.0;

pub(super) struct Report {
    rounds: u32,
    /// Records in each store before.
    n_stored: u64,
    rows: Vec<Row>,
    /// How long a crowd takes with a server, and without.
    crowds: [Duration; 2],
}

struct Row {
    name: &'static str,
    about: &'static str,
    /// Milliseconds, round by round.
    times: Vec<f64>,
}

impl Row {
    /// Returns the time that so many of a hundred rounds do not exceed, in milliseconds.
    fn ms(&self, percent: usize) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let last = times.len().saturating_sub(1);
        times.get(last * percent / 100).copied().unwrap_or(0.0)
    }
}

impl Report {
    pub(super) fn new(rounds: u32, n_stored: u64, crowds: [Duration; 2]) -> Self {
        Self { rounds, n_stored, rows: Vec::new(), crowds }
    }

    pub(super) fn add(
        &mut self,
        name: &'static str,
        about: &'static str,
        times: impl IntoIterator<Item = Duration>,
    ) {
        let times = times.into_iter().map(|time| time.as_secs_f64() * 1e3).collect();
        self.rows.push(Row { name, about, times });
    }

    /// Returns the median of a figure that two ways have together in a round: a machine that is busy for a while is so for both.
    fn compare(&self, one: &str, other: &str, figure: impl Fn(f64, f64) -> f64) -> Option<f64> {
        let times = |name: &str| self.rows.iter().find(|row| row.name == name);
        let rounds = times(one)?.times.iter().zip(&times(other)?.times);
        median(rounds.map(|(one, other)| figure(*one, *other)))
    }

    fn targets(&self) -> Vec<Target> {
        let mut targets = vec![
            Target {
                name: format!("with a server, times {FLOOR}"),
                wanted: Wanted::AtMost(START_TIMES_MAX),
                found: self.compare(WEFT_SERVED, FLOOR, |served, floor| served / floor),
            },
            Target {
                name: "without a server, milliseconds more".to_owned(),
                wanted: Wanted::AtMost(ALONE_MORE_MS_MAX),
                found: self.compare(WEFT_ALONE, WEFT_SERVED, |alone, served| alone - served),
            },
        ];
        for script in [BASH, PYTHON] {
            targets.push(Target {
                name: format!("times as fast as {script}"),
                wanted: Wanted::AtLeast(SCRIPT_TIMES_MIN),
                found: self.compare(script, WEFT_SERVED, |script, served| script / served),
            });
        }
        let decided = HOOKS.into_iter().filter(|(moment, _)| *moment != Moment::ToolCall);
        for (_, names) in decided {
            for (name, plain) in names.into_iter().zip([WEFT_SERVED, WEFT_ALONE]) {
                targets.push(Target {
                    name: format!("{name}, times the hook that only reports"),
                    wanted: Wanted::AtMost(DECIDED_TIMES_MAX),
                    found: self.compare(name, plain, |decided, plain| decided / plain),
                });
            }
        }
        targets
    }

    pub(super) fn to_table(&self) -> String {
        let mut out = format!(
            "{} rounds, in milliseconds; {} records in each store before\n\n",
            self.rounds, self.n_stored
        );
        let mut line = |cells: [&str; 5]| {
            let [name, median, least, most, about] = cells;
            writeln!(out, "{name:22} {median:>8} {least:>8} {most:>8}  {about}")
                .expect("writing to a string cannot fail");
        };
        line(["", "median", "least", "95 %", ""]);
        for row in &self.rows {
            let ms = |percent| format!("{:.2}", row.ms(percent));
            line([row.name, &ms(50), &ms(0), &ms(95), row.about]);
        }
        let [served, alone] = self.crowds.map(|crowd| crowd.as_secs_f64() * 1e3);
        out += &format!(
            "\n{CROWD} at once, none lost, none doubled: {served:.0} ms with a server, {alone:.0} ms without\n\n"
        );
        out.extend(self.targets().iter().map(Target::to_line));
        out
    }

    pub(super) fn to_json(&self) -> String {
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "about": row.about,
                "median_ms": row.ms(50),
                "least_ms": row.ms(0),
                "p95_ms": row.ms(95),
            })
        };
        let crowds = self.crowds.map(|crowd| Value::from(crowd.as_secs_f64() * 1e3));
        let report = json!({
            "iterations": self.rounds,
            "stored": self.n_stored,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "crowd": CROWD,
            "crowd_ms": crowds,
            "targets": self.targets().iter().map(Target::to_json).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }
}
