//! What a merge found beside the order itself, sorted by place and said once.

use std::fmt;
use std::io::{self, Read, Seek, Write};

use super::Place;
use super::key::{place_at, producer_at, put_place, put_u64, u64_at};
use super::sort::{Sorted, Sorter};
use crate::order::Producer;
use crate::problem::Code;

/// One thing found at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The event, or the line that is none.
    pub place: Place,
    /// Whose event it is; `None` if the line is no event.
    pub producer: Option<Producer<'static>>,
    /// What was found.
    pub kind: Kind,
}

/// What can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The event was there before and is not written again.
    Repeat {
        /// Where it was first.
        first: Place,
        /// How many lines from here on repeat those from `first` on, one by one.
        n_lines: u64,
    },
    /// The event has the identity or the number of another, and other content. Both are written.
    Conflict {
        /// Where the other is.
        first: Place,
    },
    /// Numbers are missing before this event.
    Gap {
        /// The number that should have come.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// The input has this event behind one with a higher number of the same producer. The output does not.
    Backward {
        /// The higher number.
        after: u64,
        /// The event's.
        found: u64,
    },
    /// The line is not an event and is not written.
    Unreadable {
        /// Why.
        code: Code,
        /// Why, for a person.
        message: String,
    },
}

impl Kind {
    /// Returns the word used in output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Kind::Repeat { .. } => "repeat",
            Kind::Conflict { .. } => "conflict",
            Kind::Gap { .. } => "gap",
            Kind::Backward { .. } => "backward",
            Kind::Unreadable { .. } => "unreadable",
        }
    }
}

/// How much was merged and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Events read.
    pub n_events: u64,
    /// Events written: all but the repeats.
    pub n_written: u64,
    /// Producers of those written.
    pub n_producers: u64,
    /// Events that are not valid in their dialect, written all the same.
    pub n_invalid: u64,
    /// Lines that are no events.
    pub n_unreadable: u64,
    /// Events that were there before.
    pub n_repeats: u64,
    /// Events with the identity or number of another, and other content.
    pub n_conflicts: u64,
    /// Places where numbers are missing.
    pub n_gaps: u64,
    /// Numbers that are missing.
    pub n_missing: u64,
    /// Backward steps in the inputs.
    pub n_backward: u64,
}

impl Summary {
    /// Returns whether nothing is missing, in doubt or out of order. Plain repeats and invalid events are fine.
    pub fn is_clean(&self) -> bool {
        self.n_unreadable + self.n_conflicts + self.n_gaps + self.n_backward == 0
    }

    fn count(&mut self, kind: &Kind) {
        match kind {
            Kind::Repeat { n_lines, .. } => self.n_repeats += n_lines,
            Kind::Conflict { .. } => self.n_conflicts += 1,
            Kind::Gap { expected, found } => {
                self.n_gaps += 1;
                self.n_missing = self.n_missing.saturating_add(found - expected);
            }
            Kind::Backward { .. } => self.n_backward += 1,
            Kind::Unreadable { .. } => self.n_unreadable += 1,
        }
    }
}

/// What a merge found, in the order of places.
#[derive(Debug)]
pub struct Report<F> {
    sorted: Sorted<F>,
    summary: Summary,
    last_key: Vec<u8>,
    last_repeat: Option<Place>,
    /// A finding that the next one may still extend.
    held: Option<Finding>,
}

impl<F: Read> Report<F> {
    pub(super) fn new(sorted: Sorted<F>, summary: Summary) -> Self {
        Self { sorted, summary, last_key: Vec::new(), last_repeat: None, held: None }
    }

    /// Returns the next finding.
    pub fn read(&mut self) -> io::Result<Option<Finding>> {
        let next = loop {
            let Some(record) = self.sorted.read()? else { break None };
            // The same thing is found twice where two keys of an event say it.
            if record.key == self.last_key {
                continue;
            }
            self.last_key.clear();
            self.last_key.extend_from_slice(record.key);
            let finding = decode(record.key, record.payload);
            if self.last_repeat == Some(finding.place)
                && matches!(finding.kind, Kind::Repeat { .. } | Kind::Conflict { .. })
            {
                continue;
            }
            if matches!(finding.kind, Kind::Repeat { .. }) {
                self.last_repeat = Some(finding.place);
            }
            if !self.held.as_mut().is_some_and(|held| held.extend(&finding)) {
                break Some(finding);
            }
        };
        let done = match (self.held.take(), next) {
            (None, Some(first)) => {
                self.held = Some(first);
                return self.read();
            }
            (held, next) => {
                self.held = next;
                held
            }
        };
        if let Some(finding) = &done {
            self.summary.count(&finding.kind);
        }
        Ok(done)
    }

    /// Reads what is left and returns how much it was.
    pub fn finish(mut self) -> io::Result<Summary> {
        while self.read()?.is_some() {}
        Ok(self.summary)
    }
}

impl Finding {
    /// Takes the next line's finding in if it goes on with the same repetition.
    fn extend(&mut self, next: &Finding) -> bool {
        let Kind::Repeat { first, n_lines } = &mut self.kind else { return false };
        let Kind::Repeat { first: next_first, .. } = next.kind else { return false };
        let goes_on = next.place == self.place.plus(*n_lines)
            && next_first == first.plus(*n_lines)
            && next.producer == self.producer;
        *n_lines += u64::from(goes_on);
        goes_on
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Adds a finding; `producer` is one as its keys have it, and not looked at where the line is no event.
///
/// The sort key holds place, kind, and the two numbers or the other place that tell findings of one kind apart.
pub(super) fn add<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
    findings: &mut Sorter<F, S>,
    place: Place,
    kind: &Kind,
    producer: &[u8],
) -> io::Result<()> {
    let (tag, a, b) = match *kind {
        Kind::Repeat { first, .. } => (0, u64::from(first.input), first.line),
        Kind::Conflict { first } => (1, u64::from(first.input), first.line),
        Kind::Gap { expected, found } => (2, expected, found),
        Kind::Backward { after, found } => (3, after, found),
        Kind::Unreadable { code, .. } => (4, code as u64, 0),
    };
    let mut key = Vec::with_capacity(29);
    put_place(&mut key, place);
    key.push(tag);
    put_u64(&mut key, a);
    put_u64(&mut key, b);
    match kind {
        Kind::Unreadable { message, .. } => findings.push(&key, message.as_bytes()),
        Kind::Repeat { .. } | Kind::Conflict { .. } | Kind::Gap { .. } | Kind::Backward { .. } => {
            findings.push(&key, producer)
        }
    }
}

fn decode(key: &[u8], payload: &[u8]) -> Finding {
    let place = place_at(key, 0);
    let (tag, a, b) = (key[12], u64_at(key, 13), u64_at(key, 21));
    let first = Place { input: a as u32, line: b };
    let kind = match tag {
        0 => Kind::Repeat { first, n_lines: 1 },
        1 => Kind::Conflict { first },
        2 => Kind::Gap { expected: a, found: b },
        3 => Kind::Backward { after: a, found: b },
        _ => {
            let message = String::from_utf8_lossy(payload).into_owned();
            let kind = Kind::Unreadable { code: Code::ALL[a as usize], message };
            return Finding { place, producer: None, kind };
        }
    };
    Finding { place, producer: Some(producer_at(payload)), kind }
}
