//! Judging a batch of lines: which may go into the log, which are refused and why.

use std::borrow::Cow;

use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::input::{Ending, Fault, Item, Line};
use weft_event::json::Tape;
use weft_log::Store;
use weft_log::admit::{Admitted, Arrival, Gate, Refusal, Strictness};
use weft_log::blobs::{BlobError, ShrinkError, Which};
use weft_log::rejected::{self, Reason, With};
use weft_log::source::{Arrived, Batch, Origin};
use weft_server::socket::request::Sent;

/// The way in, as records and refusals have it.
pub(super) const VIA: &str = "ingest";

/// How lines are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) expect: Expect,
    pub(super) strictness: Strictness,
}

impl Rules {
    /// Returns a gate with these rules.
    pub(super) fn gate(self, store: &Store) -> Gate {
        Gate::new(store, Which::Largest, self.strictness)
    }
}

/// A batch and what came of its lines.
pub(super) struct Judged {
    /// The number of the batch, from 0.
    pub(super) number: u64,
    /// The lines.
    pub(super) batch: Batch,
    /// The events that may go into the log.
    pub(super) events: Vec<Admitted>,
    /// Which line of the batch each of them was.
    pub(super) lines: Vec<usize>,
    /// The dialect of each of them.
    pub(super) dialects: Vec<Dialect>,
    /// What was refused, and which line of the batch it was.
    pub(super) refused: Vec<(usize, rejected::Refusal)>,
    /// Last lines that are not whole yet: a later run reads them.
    pub(super) unfinished: Vec<usize>,
    /// What is odd about the input and loses nothing.
    pub(super) faults: Vec<(usize, Fault)>,
    /// How many bytes the lines have.
    pub(super) n_bytes: usize,
    /// A value that could not be moved out of an event, which is nobody's fault but the disk's.
    pub(super) trouble: Option<BlobError>,
}

impl Judged {
    /// Returns the events that may go into the log as they came.
    pub(super) fn sent(&self, rules: Rules) -> Vec<Sent<'_>> {
        let dialect = match rules.expect {
            Expect::Any => None,
            Expect::Dialect(dialect) => Some(dialect),
        };
        let all: Vec<Arrived<'_>> = self.batch.arrived().collect();
        let sent = |idx: &usize| {
            let arrived = &all[*idx];
            let line: &[u8] = match arrived.item {
                Item::Line(line) => line.bytes,
                Item::Fault(_) => &[],
            };
            Sent { dialect, delivery: arrived.delivery().map(Cow::Owned), ..Sent::plain(line) }
        };
        self.lines.iter().map(sent).collect()
    }
}

/// Judges the lines of a batch.
pub(super) fn judge(gate: &mut Gate, rules: Rules, number: u64, batch: Batch) -> Judged {
    let at_us = jiff::Timestamp::now().as_microsecond();
    let mut events = Vec::with_capacity(batch.len());
    let (mut lines, mut dialects) = (Vec::new(), Vec::new());
    let (mut refused, mut faults, mut unfinished) = (Vec::new(), Vec::new(), Vec::new());
    let (mut n_bytes, mut trouble) = (0, None);
    for (idx, arrived) in batch.arrived().enumerate() {
        let line = match arrived.item {
            Item::Line(line) => line,
            Item::Fault(fault) if fault.kind.replaces_line() => {
                refused.push((idx, of_fault(&arrived, fault, at_us)));
                continue;
            }
            Item::Fault(fault) => {
                faults.push((idx, fault));
                continue;
            }
        };
        n_bytes += line.bytes.len() + 1;
        let delivery = arrived.delivery();
        let arrival = Arrival {
            line: line.bytes,
            expect: rules.expect,
            via: VIA,
            delivery: delivery.as_deref(),
            topic: None,
        };
        match gate.admit(&arrival) {
            Ok(event) => {
                dialects.push(event.entry.mark.dialect);
                events.push(event);
                lines.push(idx);
            }
            Err(Refusal::Large(ShrinkError::Blob(error))) => trouble = Some(error),
            Err(_) if is_unfinished(&arrived, line) => unfinished.push(idx),
            Err(refusal) => {
                let origin = place(&arrived);
                refused.push((idx, rejected::Refusal::of(&arrival, &refusal, origin, at_us)));
            }
        }
    }
    Judged { number, batch, events, lines, dialects, refused, unfinished, faults, n_bytes, trouble }
}

/// Returns whether a line ends with its file in the midst of an event: whoever writes it is not done.
fn is_unfinished(arrived: &Arrived<'_>, line: Line<'_>) -> bool {
    let may_grow = match arrived.origin {
        Origin::File { .. } => line.ending == Ending::EndOfInput,
        Origin::Stream { .. } => false,
    };
    may_grow && Tape::new().parse_bytes(line.bytes).is_err()
}

/// Returns where a line stands, as `file:line`.
fn place(arrived: &Arrived<'_>) -> String {
    format!("{}:{}", arrived.origin.shown(), line_number(arrived))
}

/// Returns the number of a line in its file.
pub(super) fn line_number(arrived: &Arrived<'_>) -> u64 {
    match arrived.item {
        Item::Line(line) => line.number,
        Item::Fault(fault) => fault.number,
    }
}

/// Returns what is kept of a line that could not be read: where it is, for its bytes are too many.
fn of_fault(arrived: &Arrived<'_>, fault: Fault, at_us: i64) -> rejected::Refusal {
    let reason = Reason {
        code: fault.kind.code().as_str().to_owned(),
        path: String::new(),
        message: fault.kind.to_string(),
    };
    rejected::Refusal {
        at_us,
        via: VIA.to_owned(),
        origin: place(arrived),
        with: With::default(),
        reasons: vec![reason],
        bytes: Vec::new(),
    }
}
