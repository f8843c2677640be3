//! Merging inputs into one ordered stream: each producer in its own order, producers beside each other by time.
//!
//! The order is total and depends on the inputs alone, not on how they were read or how much memory there was:
//!
//! 1. A producer's events stand by number; where it gives none, as its inputs have them. The sessions of a needle worker follow
//!    each other by the time at which they begin.
//! 2. An event counts as no earlier than those before it in that order: its *effective time* is the latest of theirs and its own.
//! 3. All events stand by effective time, then by producer, then by their place in the producer's order.
//!
//! The second step needs each producer's order and the third needs the second, so that lines are sorted twice, on disk where they
//! do not fit. It opens nothing: lines come in one by one, and the caller says where sorted runs are kept.

mod finding;
mod join;
mod key;
mod repeats;
mod sort;
mod weave;

use std::io::{self, Read, Seek, Write};

use crate::event::{self, Expect};
use crate::identity::KeyDigests;
use crate::input::{Item, Line};
use crate::json::{self, Tape};
use crate::order::{self, Producer};
use crate::problem::{Code, Problems};
use crate::{Dialect, Facts};

pub use finding::{Finding, Kind, Report, Summary};

use key::{NO_TIME, OrderKey, put_place, put_producer, put_time, put_u64};
use sort::Sorter;

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Number of the input. Of two events that nothing else tells apart the one of the lower input comes first, so that a caller
    /// who numbers inputs by name gets the same output whatever order they were named in.
    pub input: u32,
    /// Number of the line, from 1.
    pub line: u64,
}

impl Place {
    fn plus(self, n_lines: u64) -> Self {
        Self { line: self.line + n_lines, ..self }
    }
}

/// What a merge is told.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How dialects are found.
    pub expect: Expect,
    /// How many bytes of events and keys are held in memory. While runs are merged, one line of each comes on top.
    pub memory_bytes: usize,
}

/// Why a merge stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Sorted runs could not be kept or read back.
    #[error("cannot keep what does not fit in memory")]
    Spill(#[source] io::Error),
    /// The merged events could not be written.
    #[error("cannot write the merged events")]
    Output(#[source] io::Error),
}

/// A merge that takes lines.
#[derive(Debug)]
pub struct Merge<F, S> {
    expect: Expect,
    tape: Tape,
    problems: Problems,
    entries: Entries<F, S>,
}

impl<F: Read + Write + Seek, S: FnMut() -> io::Result<F> + Clone> Merge<F, S> {
    /// Returns a merge of nothing yet; `spill` makes an empty place for a sorted run, such as a temporary file.
    pub fn new(options: Options, spill: S) -> Self {
        Self {
            expect: options.expect,
            tape: Tape::new(),
            problems: Problems::new(),
            entries: Entries::new(options.memory_bytes, spill),
        }
    }

    /// Takes the next item of an input. Inputs come one after the other, in any order of their numbers.
    pub fn push(&mut self, input: u32, item: Item<'_>) -> Result<(), Error> {
        match item {
            Item::Line(line) => self.push_line(Place { input, line: line.number }, line),
            Item::Fault(fault) if fault.kind.replaces_line() => {
                let place = Place { input, line: fault.number };
                self.entries.skip(place, fault.kind.code(), fault.kind.to_string())
            }
            Item::Fault(_) => Ok(()),
        }
        .map_err(Error::Spill)
    }

    fn push_line(&mut self, place: Place, line: Line<'_>) -> io::Result<()> {
        self.problems.clear();
        let event = event::read_line(&mut self.tape, line, self.expect, &mut self.problems);
        let problems = self.problems.list();
        let refused = problems.iter().find(|problem| problem.code == Code::ReservedKey);
        let (Some(event), None) = (event, refused) else {
            let reason = refused.or(problems.first()).expect("a line that is refused has a reason");
            return self.entries.skip(place, reason.code, reason.message.clone());
        };
        self.entries.summary.n_invalid += u64::from(self.problems.has_errors());
        let facts = event.facts();
        let keys = Keys::of(&facts, || json::digest(event.value()));
        let producer = order::producer(&facts);
        let number = producer.number(facts.order);
        let (time_ns, line) = (facts.time_ns, &line.on_one_line());
        self.entries.add(&Entry { place, producer, number, time_ns, keys, line })
    }

    /// Writes the merged events, one a line, and returns what was found.
    pub fn finish(self, out: &mut impl Write) -> Result<Report<F>, Error> {
        let (mut output, findings, summary) = self.entries.weave().map_err(Error::Spill)?;
        while let Some(record) = output.read().map_err(Error::Spill)? {
            out.write_all(record.payload).map_err(Error::Output)?;
            out.write_all(b"\n").map_err(Error::Output)?;
        }
        out.flush().map_err(Error::Output)?;
        Ok(Report::new(findings.sort().map_err(Error::Spill)?, summary))
    }
}

/// What the order of an event depends on.
#[derive(Debug)]
struct Entry<'a> {
    place: Place,
    producer: Producer<'a>,
    number: Option<u64>,
    time_ns: Option<i64>,
    keys: Keys,
    line: &'a [u8],
}

/// What a repeat of an event is known by, as digests.
#[derive(Clone, Copy, Debug, Default)]
struct Keys {
    list: [Option<KeyDigest>; 4],
}

#[derive(Clone, Copy, Debug)]
struct KeyDigest {
    key: [u8; 16],
    /// Equal contents under one key are a repeat, others a conflict.
    content: [u8; 16],
}

impl Keys {
    fn of(facts: &Facts<'_>, content: impl FnOnce() -> [u8; 16]) -> Self {
        let digests = KeyDigests::of(facts);
        let content = if digests.own.is_some() { content() } else { [0; 16] };
        let with = |content| move |key| KeyDigest { key, content };
        // A retry is a repeat whatever its content, so that under its key all contents are one.
        let [retry, retry_too] = digests.retry.map(|key| key.map(with([0; 16])));
        let place = digests.place.map(with(content));
        Self { list: [digests.own.map(with(content)), retry, place, retry_too] }
    }
}

/// The events of a merge on their way into order.
#[derive(Debug)]
struct Entries<F, S> {
    spill: S,
    memory_bytes: usize,
    /// Lines by the producer's order.
    lines: Sorter<F, S>,
    /// What repeats are known by.
    identities: Sorter<F, S>,
    /// Numbers and times by producer and place.
    arrivals: Sorter<F, S>,
    findings: Sorter<F, S>,
    summary: Summary,
    before: Option<Before>,
    producer: Vec<u8>,
    key: Vec<u8>,
    scratch: Vec<u8>,
}

/// The event before, in the same input.
#[derive(Debug)]
struct Before {
    input: u32,
    dialect: Dialect,
    time_ns: i64,
    producer: Vec<u8>,
}

impl<F: Read + Write + Seek, S: FnMut() -> io::Result<F> + Clone> Entries<F, S> {
    fn new(memory_bytes: usize, spill: S) -> Self {
        Self {
            lines: Sorter::new(memory_bytes / LINES_SHARE, spill.clone()),
            identities: Sorter::new(memory_bytes / KEYS_SHARE, spill.clone()),
            arrivals: Sorter::new(memory_bytes / KEYS_SHARE, spill.clone()),
            findings: Sorter::new(memory_bytes / KEYS_SHARE, spill.clone()),
            spill,
            memory_bytes,
            summary: Summary::default(),
            before: None,
            producer: Vec::new(),
            key: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn skip(&mut self, place: Place, code: Code, message: String) -> io::Result<()> {
        finding::add(&mut self.findings, place, &Kind::Unreadable { code, message }, &[])
    }

    fn add(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.summary.n_events += 1;
        let Entry { place, number, .. } = *entry;
        self.producer.clear();
        put_producer(&mut self.producer, &entry.producer);
        let time_ns = self.settle_time(entry);

        if let Some(number) = number {
            self.key.clear();
            self.key.extend_from_slice(&self.producer);
            put_place(&mut self.key, place);
            self.scratch.clear();
            put_u64(&mut self.scratch, number);
            put_time(&mut self.scratch, time_ns);
            self.arrivals.push(&self.key, &self.scratch)?;
        }

        OrderKey::write(&mut self.key, &self.producer, number, place);
        for digest in entry.keys.list.iter().flatten() {
            self.scratch.clear();
            self.scratch.extend_from_slice(&digest.key);
            self.scratch.extend_from_slice(&digest.content);
            put_place(&mut self.scratch, place);
            self.identities.push(&self.scratch, &self.key)?;
        }

        self.scratch.clear();
        put_time(&mut self.scratch, time_ns);
        self.scratch.extend_from_slice(entry.line);
        self.lines.push(&self.key, &self.scratch)
    }

    /// Returns the event's time. One that has neither time nor number stands behind the event before it in its input, and if it
    /// does not say whose it is either, it is taken for one of the same producer.
    fn settle_time(&mut self, entry: &Entry<'_>) -> i64 {
        let before = self.before.take().filter(|before| before.input == entry.place.input);
        let dialect = entry.producer.dialect;
        let mut time_ns = entry.time_ns.unwrap_or(NO_TIME);
        if entry.time_ns.is_none()
            && entry.number.is_none()
            && let Some(before) = &before
        {
            time_ns = before.time_ns;
            if !entry.producer.is_named() && before.dialect == dialect {
                self.producer.clone_from(&before.producer);
            }
        }
        let mut producer = before.map(|before| before.producer).unwrap_or_default();
        producer.clone_from(&self.producer);
        self.before = Some(Before { input: entry.place.input, dialect, time_ns, producer });
        time_ns
    }
}

/// Parts of the memory: lines are sorted twice, by at most two sorters at a time, keys by at most five. All of them together fill it.
const LINES_SHARE: usize = 4;
const KEYS_SHARE: usize = 10;

#[cfg(test)]
mod tests;
