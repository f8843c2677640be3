//! How fast several ways of doing the same are, slice by slice and round by round, and what they are to each other.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What was measured, by name, in the order in which it was first measured.
#[derive(Default)]
pub(super) struct Measured {
    rows: Vec<Row>,
}

/// One way.
struct Row {
    name: &'static str,
    /// Events and time of the round in hand.
    n_events: usize,
    took: Duration,
    /// Events a second of the rounds before.
    speeds: Vec<f64>,
}

impl Row {
    /// Returns the speed in the round in hand.
    fn speed(&self) -> f64 {
        self.n_events as f64 / self.took.max(Duration::from_nanos(1)).as_secs_f64()
    }
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
            row.speeds.push(row.speed());
            (row.n_events, row.took) = (0, Duration::ZERO);
        }
    }

    /// Returns the speed of a way in the round in hand, in events a second; `None` if it was not measured yet.
    pub(super) fn speed_now(&self, name: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.name == name && row.n_events > 0)?;
        Some(row.speed())
    }

    /// Returns the median speed of a way, in events a second.
    pub(super) fn speed(&self, name: &str) -> Option<f64> {
        median(self.speeds(name).iter().copied())
    }

    fn speeds(&self, name: &str) -> &[f64] {
        self.rows.iter().find(|row| row.name == name).map_or(&[], |row| &row.speeds)
    }

    /// Returns the median of what two ways are to each other, round by round: a disk that is slow for a while is so for both.
    pub(super) fn ratio(&self, name: &str, against: &str) -> Option<f64> {
        let rounds = self.speeds(name).iter().zip(self.speeds(against));
        median(rounds.map(|(one, other)| one / other))
    }

    /// Returns a line for each way, under a heading.
    pub(super) fn to_table(&self, event_bytes: u64) -> String {
        let mut out = format!(
            "{:34} {:>11} {:>9} {:>11} {:>11}\n",
            "", "events/s", "MB/s", "lowest", "highest"
        );
        for Row { name, speeds, .. } in &self.rows {
            let median = median(speeds.iter().copied()).unwrap_or_default();
            let lowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = speeds.iter().copied().fold(0.0, f64::max);
            let megabytes = median * event_bytes as f64 / 1e6;
            writeln!(
                out,
                "{name:34} {median:>11.0} {megabytes:>9.1} {lowest:>11.0} {highest:>11.0}"
            )
            .expect("writing to a string cannot fail");
        }
        out
    }

    /// Returns an object for each way.
    pub(super) fn to_json(&self) -> Vec<Value> {
        let row = |Row { name, speeds, .. }: &Row| {
            let median = median(speeds.iter().copied());
            json!({ "name": name, "events_per_second": median, "rounds": speeds })
        };
        self.rows.iter().map(row).collect()
    }
}

/// What is wanted, and what was found.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) wanted: Wanted,
    pub(super) found: Option<f64>,
}

/// On which side of a number something has to be.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    AtLeast(f64),
    AtMost(f64),
}

impl Target {
    fn holds(&self) -> Option<bool> {
        self.found.map(|found| match self.wanted {
            Wanted::AtLeast(least) => found >= least,
            Wanted::AtMost(most) => found <= most,
        })
    }

    /// Returns a line that says whether it holds.
    pub(super) fn to_line(&self) -> String {
        let Self { name, wanted, found } = self;
        let wanted = match wanted {
            Wanted::AtLeast(least) => format!("at least {least}"),
            Wanted::AtMost(most) => format!("at most {most}"),
        };
        let verdict = match self.holds() {
            Some(true) => "holds: ",
            Some(false) => "missed: ",
            None => "not measured",
        };
        let found = found.map(|found| format!("{found:.2}")).unwrap_or_default();
        format!("target, {name} {wanted}: {verdict}{found}\n")
    }

    /// Returns it as an object.
    pub(super) fn to_json(&self) -> Value {
        let holds = self.holds();
        let mut object = json!({ "name": self.name, "found": self.found, "holds": holds });
        let (word, wanted) = match self.wanted {
            Wanted::AtLeast(least) => ("target", least),
            Wanted::AtMost(most) => ("target_at_most", most),
        };
        object[word] = json!(wanted);
        object
    }
}

/// Returns the middle one of some values; `None` if there are none.
pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Returns how long something takes.
pub(super) fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Duration)> {
    let started = Instant::now();
    let done = work()?;
    Ok((done, started.elapsed()))
}

/// Cuts a number of events into slices: ways that are compared take turns, so that a disk that is slow for a while is slow for each.
pub(super) fn slices(n: usize) -> impl Iterator<Item = usize> {
    const SLICES: usize = 5;
    let each = n.div_ceil(SLICES);
    (0..n).step_by(each).map(move |start| each.min(n - start))
}
