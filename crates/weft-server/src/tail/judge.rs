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
use weft_log::source::{Arrived, Batch, Deliveries, Form, Origin};

use crate::socket::request::Sent;

/// The way in of what files of sessions tell, as records and refusals have it.
pub const VIA_SESSIONS: &str = "transcript";

/// How lines are judged.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How the dialect of events is settled.
    pub expect: Expect,
    /// What happens to warnings.
    pub strictness: Strictness,
    /// The way in of events, as records and refusals have it.
    pub via: &'static str,
}

impl Rules {
    /// Returns how the dialect of a line is settled, and the way it came in.
    fn about(self, form: Form) -> (Expect, &'static str) {
        match form {
            Form::Events => (self.expect, self.via),
            Form::Sessions(_) => (Expect::Dialect(Dialect::Collector), VIA_SESSIONS),
        }
    }

    /// Returns a gate with these rules.
    pub fn gate(self, store: &Store) -> Gate {
        Gate::new(store, Which::Largest, self.strictness)
    }
}

/// A batch and what came of its lines.
pub struct Judged {
    /// The number of the batch, from 0.
    pub number: u64,
    /// The lines.
    pub batch: Batch,
    /// The events that may go into the log.
    pub events: Vec<Admitted>,
    /// Which line of the batch each of them was.
    pub lines: Vec<usize>,
    /// The dialect of each of them.
    pub dialects: Vec<Dialect>,
    /// The way in of each of them.
    pub vias: Vec<&'static str>,
    /// What was refused, and which line of the batch it was.
    pub refused: Vec<(usize, rejected::Refusal)>,
    /// Last lines that are not whole yet: a later run reads them.
    pub unfinished: Vec<usize>,
    /// What is odd about the input and loses nothing.
    pub faults: Vec<(usize, Fault)>,
    /// How many bytes the lines have.
    pub n_bytes: usize,
    /// A value that could not be moved out of an event, which is nobody's fault but the disk's.
    pub trouble: Option<BlobError>,
}

impl Judged {
    /// Returns the events that may go into the log as they came.
    pub fn sent(&self, rules: Rules) -> Vec<Sent<'_>> {
        let all: Vec<Arrived<'_>> = self.batch.arrived().collect();
        let sent = |idx: &usize| {
            let arrived = &all[*idx];
            let line: &[u8] = match arrived.item {
                Item::Line(line) => line.bytes,
                Item::Fault(_) => &[],
            };
            let dialect = match rules.about(arrived.origin.form()).0 {
                Expect::Any => None,
                Expect::Dialect(dialect) => Some(dialect),
            };
            Sent { dialect, delivery: arrived.delivery().map(Cow::Owned), ..Sent::plain(line) }
        };
        self.lines.iter().map(sent).collect()
    }
}

/// Judges the lines of a batch.
pub fn judge(gate: &mut Gate, rules: Rules, number: u64, batch: Batch) -> Judged {
    let at_us = jiff::Timestamp::now().as_microsecond();
    let mut events = Vec::with_capacity(batch.len());
    let (mut lines, mut dialects, mut vias) = (Vec::new(), Vec::new(), Vec::new());
    let (mut refused, mut faults, mut unfinished) = (Vec::new(), Vec::new(), Vec::new());
    let (mut n_bytes, mut trouble) = (0, None);
    let mut deliveries = Deliveries::default();
    for (idx, arrived) in batch.arrived().enumerate() {
        let (expect, via) = rules.about(arrived.origin.form());
        let line = match arrived.item {
            Item::Line(line) => line,
            Item::Fault(fault) if fault.kind.replaces_line() => {
                refused.push((idx, of_fault(&arrived, fault, (via, at_us))));
                continue;
            }
            Item::Fault(fault) => {
                faults.push((idx, fault));
                continue;
            }
        };
        n_bytes += line.bytes.len() + 1;
        let delivery = deliveries.of(&arrived);
        let arrival = Arrival { line: line.bytes, expect, via, delivery, topic: None };
        match gate.admit(&arrival) {
            Ok(event) => {
                dialects.push(event.entry.mark.dialect);
                vias.push(via);
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
    Judged {
        number,
        batch,
        events,
        lines,
        dialects,
        vias,
        refused,
        unfinished,
        faults,
        n_bytes,
        trouble,
    }
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
pub fn line_number(arrived: &Arrived<'_>) -> u64 {
    match arrived.item {
        Item::Line(line) => line.number,
        Item::Fault(fault) => fault.number,
    }
}

/// Returns what is kept of a line that could not be read: where it is, for its bytes are too many.
fn of_fault(arrived: &Arrived<'_>, fault: Fault, (via, at_us): (&str, i64)) -> rejected::Refusal {
    let reason = Reason {
        code: fault.kind.code().as_str().to_owned(),
        path: String::new(),
        message: fault.kind.to_string(),
    };
    rejected::Refusal {
        at_us,
        via: via.to_owned(),
        origin: place(arrived),
        with: With::default(),
        reasons: vec![reason],
        bytes: Vec::new(),
    }
}
