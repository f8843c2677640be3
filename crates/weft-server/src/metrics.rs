//! What the server counts, and how Prometheus is told: events by dialect and way in, how long appends take, how much waits.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use weft_event::Dialect;
use weft_event::translate::otlp::Signal;
use weft_log::log::{Answer, AppendError, Batch, FromSpool, Outcome};
use weft_log::rejected::Refusal;

use crate::writer::WriteFailure;

/// The ways in that are counted by name. What a client calls its way is text of its own: whatever is not here is `other`, so that
/// no client can make the list grow.
const WAYS: [&str; 12] = [
    "http",
    "cloudevents",
    "socket",
    "emit",
    "ingest",
    "folder",
    "transcript",
    "hook",
    "mcp",
    "otlp",
    "demo",
    "other",
];

const N_WAYS: usize = WAYS.len();
const N_DIALECTS: usize = Dialect::ALL.len();

/// What stands for the dialect of something refused that is of none.
const NO_DIALECT: &str = "none";

/// The upper ends of the histogram's buckets, in microseconds.
const BUCKETS_US: [u64; 16] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 10_000_000,
];

/// How long the server calls itself failing after an append that failed.
const FAILING: Duration = Duration::from_secs(10);

/// What became of the events of one request, until it is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    accepted: [u64; N_DIALECTS],
    repeats: [u64; N_DIALECTS],
    /// The last is for what is of no dialect.
    refused: [u64; N_DIALECTS + 1],
}

impl Tally {
    /// Counts an event that was stored now.
    pub fn accept(&mut self, dialect: Dialect) {
        self.accepted[dialect as usize] += 1;
    }

    /// Counts an event that was stored before.
    pub fn repeat(&mut self, dialect: Dialect) {
        self.repeats[dialect as usize] += 1;
    }

    /// Counts an event that was refused; `None` if it is of no dialect.
    pub fn refuse(&mut self, dialect: Option<Dialect>) {
        self.refused[dialect.map_or(N_DIALECTS, |dialect| dialect as usize)] += 1;
    }
}

/// The way in and the dialect of each event of a batch, to be counted when it is known what became of them.
#[derive(Clone, Debug)]
pub struct Marks(Vec<(usize, Dialect)>);

impl Marks {
    /// Returns those of a batch.
    pub fn of(batch: &Batch) -> Self {
        let marks = batch.events.iter().map(|event| &event.entry.mark);
        Self(marks.map(|mark| (way(&mark.via), mark.dialect)).collect())
    }
}

/// The server's counters. They only grow, but for those that say how much there is now.
#[derive(Debug, Default)]
pub struct Counters {
    accepted: [[AtomicU64; N_DIALECTS]; N_WAYS],
    repeats: [[AtomicU64; N_DIALECTS]; N_WAYS],
    refused: [[AtomicU64; N_DIALECTS + 1]; N_WAYS],
    appends: Histogram,
    append_failures: AtomicU64,
    /// When the last append failed; `None` if it did not.
    failed: Mutex<Option<Instant>>,
    turned_away: AtomicU64,
    left: [AtomicU64; Signal::ALL.len()],
    /// Connections that are open now.
    pub connections: AtomicU64,
}

#[derive(Debug, Default)]
struct Histogram {
    /// The last is for what took longer than any bucket.
    counts: [AtomicU64; BUCKETS_US.len() + 1],
    sum_us: AtomicU64,
}

/// What is read elsewhere when the counters are told.
#[derive(Clone, Debug)]
pub struct Readings {
    /// When the server began.
    pub since: Instant,
    /// The last position that is durable.
    pub position: u64,
    /// The last position in the index; `None` if it cannot be read.
    pub indexed: Option<u64>,
    /// Bytes that wait to be written.
    pub queue_bytes: usize,
    /// Streams that are open.
    pub n_streams: usize,
    /// Secrets that were taken out, by rule.
    pub redacted: Vec<(String, u64)>,
}

impl Counters {
    /// Counts what became of events that came in this way.
    pub fn count(&self, via: &str, tally: &Tally) {
        let way = way(via);
        add(&self.accepted[way], &tally.accepted);
        add(&self.repeats[way], &tally.repeats);
        add(&self.refused[way], &tally.refused);
    }

    /// Counts what became of the events of a batch, each for the way that it came in.
    pub fn stored(&self, marks: &Marks, outcomes: &[Outcome]) {
        for ((way, dialect), outcome) in marks.0.iter().zip(outcomes) {
            let counts = match outcome {
                Outcome::Stored { .. } => &self.accepted[*way],
                Outcome::Repeat { .. } => &self.repeats[*way],
            };
            counts[*dialect as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts events that were refused, each for the way that it came in.
    pub fn refused(&self, refusals: &[Refusal]) {
        for refusal in refusals {
            let dialect = refusal.with.dialect.map_or(N_DIALECTS, |dialect| dialect as usize);
            self.refused[way(&refusal.via)][dialect].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts what came in by the spool, for the way that it came into that.
    pub fn spooled(&self, what: FromSpool<'_>) {
        match what {
            FromSpool::Kept { via, dialect, outcome } => {
                self.stored(&Marks(vec![(way(via), dialect)]), &[outcome]);
            }
            FromSpool::Refused(refusal) => self.refused(std::slice::from_ref(refusal)),
        }
    }

    /// Counts an append by its answer, and how long that took. A condition that does not hold is no failure of the log.
    pub fn answered(&self, took: Duration, answer: &Result<Answer, WriteFailure>) {
        match answer {
            Ok(_) => self.appended(took),
            Err(WriteFailure::Busy) => self.turned_away(),
            Err(WriteFailure::Closed | WriteFailure::Opening { .. }) => {}
            Err(WriteFailure::Append(AppendError::Condition { .. })) => {}
            Err(WriteFailure::Append(
                AppendError::Write(_)
                | AppendError::Begin(_)
                | AppendError::Identity(_)
                | AppendError::Left,
            )) => self.append_failed(),
        }
    }

    /// Counts an append that was answered, and how long that took.
    pub fn appended(&self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS_US.partition_point(|end| *end < us);
        self.appends.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.appends.sum_us.fetch_add(us, Ordering::Relaxed);
        *lock(&self.failed) = None;
    }

    /// Counts an append that the log could not do.
    pub fn append_failed(&self) {
        self.append_failures.fetch_add(1, Ordering::Relaxed);
        *lock(&self.failed) = Some(Instant::now());
    }

    /// Returns whether the last append failed, and not long ago. After a while the answer is no again: if nobody sends anything
    /// because we say that we fail, nobody would find out that we do not any more.
    pub fn is_failing(&self) -> bool {
        lock(&self.failed).is_some_and(|failed| failed.elapsed() < FAILING)
    }

    /// Counts spans and data points that were not kept, because they say nothing of agents.
    pub fn left(&self, signal: Signal, n: u64) {
        self.left[signal as usize].fetch_add(n, Ordering::Relaxed);
    }

    /// Counts a request that was told to come again later.
    pub fn turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns everything in the text format of Prometheus.
    pub fn render(&self, readings: &Readings) -> String {
        let mut out = String::new();
        let by_dialect = |out: &mut String, name: &str, way: &str, counts: &[AtomicU64]| {
            for (idx, count) in counts.iter().enumerate() {
                let count = count.load(Ordering::Relaxed);
                let dialect = Dialect::WORDS.get(idx).unwrap_or(&NO_DIALECT);
                if count > 0 {
                    line(
                        out,
                        format_args!("{name}{{dialect=\"{dialect}\",via=\"{way}\"}} {count}"),
                    );
                }
            }
        };
        let name = "weft_events_accepted_total";
        about(&mut out, name, "counter", "Events that were stored.");
        WAYS.iter().zip(&self.accepted).for_each(|(way, n)| by_dialect(&mut out, name, way, n));
        let name = "weft_events_repeated_total";
        about(&mut out, name, "counter", "Events that were stored before.");
        WAYS.iter().zip(&self.repeats).for_each(|(way, n)| by_dialect(&mut out, name, way, n));
        let name = "weft_events_refused_total";
        about(&mut out, name, "counter", "Events that were refused.");
        WAYS.iter().zip(&self.refused).for_each(|(way, n)| by_dialect(&mut out, name, way, n));
        let name = "weft_secrets_redacted_total";
        about(&mut out, name, "counter", "Secrets that were taken out of what came in.");
        for (rule, n) in &readings.redacted {
            line(&mut out, format_args!("{name}{{rule=\"{rule}\"}} {n}"));
        }
        let name = "weft_otlp_not_kept_total";
        about(&mut out, name, "counter", "Spans and data points that say nothing of agents.");
        for signal in [Signal::Traces, Signal::Metrics] {
            let n = self.left[signal as usize].load(Ordering::Relaxed);
            line(&mut out, format_args!("{name}{{signal=\"{}\"}} {n}", signal.as_str()));
        }
        self.appends.render(&mut out);
        self.render_rest(&mut out, readings);
        out
    }

    fn render_rest(&self, out: &mut String, readings: &Readings) {
        let n = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        let Readings { since, position, indexed, queue_bytes, n_streams, redacted: _ } = *readings;
        let lag = indexed.map_or(f64::NAN, |indexed| position.saturating_sub(indexed) as f64);
        let rest = [
            (
                "weft_append_failures_total",
                "counter",
                "Appends that the log could not do.",
                n(&self.append_failures),
            ),
            (
                "weft_requests_turned_away_total",
                "counter",
                "Requests that were told to come again later.",
                n(&self.turned_away),
            ),
            ("weft_queue_bytes", "gauge", "Bytes that wait to be written.", queue_bytes as f64),
            ("weft_streams", "gauge", "Streams that are open.", n_streams as f64),
            ("weft_connections", "gauge", "Connections that are open.", n(&self.connections)),
            ("weft_log_position", "gauge", "The last position that is durable.", position as f64),
            ("weft_index_lag_records", "gauge", "Records that the index lacks.", lag),
            (
                "weft_uptime_seconds",
                "gauge",
                "How long the server runs.",
                since.elapsed().as_secs_f64(),
            ),
        ];
        for (name, kind, help, value) in rest {
            about(out, name, kind, help);
            line(out, format_args!("{name} {value}"));
        }
    }
}

impl Histogram {
    fn render(&self, out: &mut String) {
        let name = "weft_append_seconds";
        about(out, name, "histogram", "From a batch handed to the writer to its answer.");
        let mut total = 0;
        for (idx, count) in self.counts.iter().enumerate() {
            total += count.load(Ordering::Relaxed);
            match BUCKETS_US.get(idx) {
                Some(end) => {
                    let end = *end as f64 / 1e6;
                    line(out, format_args!("{name}_bucket{{le=\"{end}\"}} {total}"));
                }
                None => line(out, format_args!("{name}_bucket{{le=\"+Inf\"}} {total}")),
            }
        }
        let sum = self.sum_us.load(Ordering::Relaxed) as f64 / 1e6;
        line(out, format_args!("{name}_sum {sum}"));
        line(out, format_args!("{name}_count {total}"));
    }
}

/// Returns the place of a way in among those that are counted.
fn way(via: &str) -> usize {
    WAYS.iter().position(|way| *way == via).unwrap_or(N_WAYS - 1)
}

fn about(out: &mut String, name: &str, kind: &str, help: &str) {
    line(out, format_args!("# HELP {name} {help}"));
    line(out, format_args!("# TYPE {name} {kind}"));
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a string cannot fail");
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(counters: &[AtomicU64], counts: &[u64]) {
    for (counter, count) in counters.iter().zip(counts) {
        if *count > 0 {
            counter.fetch_add(*count, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
