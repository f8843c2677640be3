//! What the soak found, for people and for programs.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::measured::{Target, Wanted};
use super::account::{Account, Received};
use super::{POSTED, Sample};

/// What a server holds at its end is to be at most so many times what it held early.
const FLAT: f64 = 1.15;

/// The servers, in the order of their lives.
const SERVERS: [&str; 2] = ["first server", "second server"];

pub(super) struct Report {
    pub(super) account: Account,
    /// Events that were in the store before.
    pub(super) stored: u64,
    pub(super) rate: f64,
    pub(super) length: Duration,
    pub(super) down: Duration,
    pub(super) samples: Vec<Sample>,
}

/// What one server held in the course of its life: the median of a tenth of it, after the first tenth and at the end.
struct Course {
    memory: (u64, u64),
    memory_max: u64,
    descriptors: (usize, usize),
}

impl Report {
    fn course(&self, server: usize) -> Option<Course> {
        let samples: Vec<_> =
            self.samples.iter().filter(|sample| sample.server == server).collect();
        let tenth = samples.len().div_ceil(10);
        let memory = |some: &[&Sample]| middle(some.iter().map(|one| one.holding.memory));
        let descriptors = |some: &[&Sample]| middle(some.iter().map(|one| one.holding.descriptors));
        let early = samples.get(tenth..(2 * tenth).min(samples.len()))?;
        let late = &samples[samples.len() - tenth..];
        Some(Course {
            memory: (memory(early)?, memory(late)?),
            memory_max: samples.iter().map(|sample| sample.holding.memory).max()?,
            descriptors: (descriptors(early)?, descriptors(late)?),
        })
    }

    fn targets(&self) -> Vec<Target> {
        let target = |name: String, found| Target { name, wanted: Wanted::AtMost(FLAT), found };
        let of = |(server, name): (usize, &&str)| {
            let course = self.course(server);
            let memory = course.as_ref().map(|it| it.memory.1 as f64 / it.memory.0 as f64);
            let descriptors = course.map(|it| it.descriptors.1 as f64 / it.descriptors.0 as f64);
            [
                target(format!("{name}, memory at its end / early,"), memory),
                target(format!("{name}, descriptors at its end / early,"), descriptors),
            ]
        };
        SERVERS.iter().enumerate().flat_map(of).collect()
    }

    /// Returns how many events a second were sent and acknowledged.
    fn sent_rate(&self) -> f64 {
        self.account.n_acknowledged as f64 / self.length.as_secs_f64()
    }

    pub(super) fn to_table(&self) -> String {
        let Account { n_acknowledged, n_sessions, n_again, n_out_of_order, n_resumed, .. } =
            self.account;
        let mut out = format!(
            "{} events stored before; {:.1} minutes, {:.0} events/s asked for and {:.0} sent, {n_sessions} sessions with a connection each; \
             no server for {:.2} s half-way\n\n\
             {n_acknowledged} events acknowledged, {n_again} sent again, {n_out_of_order} out of order in the log; \
             the stream was resumed {n_resumed} times\n\n",
            self.stored,
            self.length.as_secs_f64() / 60.0,
            self.rate,
            self.sent_rate(),
            self.down.as_secs_f64(),
        );
        out.push_str(&format!(
            "{:24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>13}\n",
            "", "expected", "received", "repeats", "missing", "doubled", "out of order"
        ));
        let webhook = format!("webhook, dialect={}", POSTED.as_str());
        for (name, to) in [("stream", &self.account.stream), (&webhook, &self.account.webhook)] {
            let Received { n_expected, n_received, n_repeats, .. } = to;
            let Received { n_missing, n_doubled, n_out_of_order, .. } = to;
            out.push_str(&format!(
                "{name:24} {n_expected:>9} {n_received:>9} {n_repeats:>9} {n_missing:>9} {n_doubled:>9} {n_out_of_order:>13}\n"
            ));
        }
        out.push('\n');
        for (server, name) in SERVERS.into_iter().enumerate() {
            match self.course(server) {
                Some(Course { memory, memory_max, descriptors }) => out.push_str(&format!(
                    "{name}: {:.1} MB of memory early, {:.1} at its end, {:.1} at most; {} descriptors early, {} at its end\n",
                    memory.0 as f64 / 1e6,
                    memory.1 as f64 / 1e6,
                    memory_max as f64 / 1e6,
                    descriptors.0,
                    descriptors.1,
                )),
                None => out.push_str(&format!("{name}: the system does not tell what it held\n")),
            }
        }
        out.push('\n');
        self.targets().iter().for_each(|target| out.push_str(&target.to_line()));
        let verdict = if self.account.is_whole() {
            "everything arrived once and in order"
        } else {
            "FAILED: not everything arrived once and in order"
        };
        out.push_str(&format!("\n{verdict}\n"));
        out
    }

    pub(super) fn to_json(&self) -> String {
        let received = |to: &Received| {
            json!({
                "expected": to.n_expected,
                "received": to.n_received,
                "repeats": to.n_repeats,
                "missing": to.n_missing,
                "doubled": to.n_doubled,
                "out_of_order": to.n_out_of_order,
            })
        };
        let sample = |sample: &Sample| -> Value {
            json!({
                "server": sample.server + 1,
                "at_s": sample.at.as_secs_f64(),
                "memory": sample.holding.memory,
                "descriptors": sample.holding.descriptors,
            })
        };
        let account = &self.account;
        let report = json!({
            "stored": self.stored,
            "minutes": self.length.as_secs_f64() / 60.0,
            "events_per_second": self.rate,
            "sent_per_second": self.sent_rate(),
            "sessions": account.n_sessions,
            "down_s": self.down.as_secs_f64(),
            "acknowledged": account.n_acknowledged,
            "sent_again": account.n_again,
            "out_of_order": account.n_out_of_order,
            "resumed": account.n_resumed,
            "stream": received(&account.stream),
            "webhook": received(&account.webhook),
            "whole": account.is_whole(),
            "targets": self.targets().iter().map(Target::to_json).collect::<Vec<_>>(),
            "samples": self.samples.iter().map(sample).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }
}

fn middle<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values.get(values.len() / 2).copied()
}
