//! Moving the large strings of an event to blobs, so that it can be stored.

use std::borrow::Cow;
use std::ops::Range;

use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::json::{SyntaxError, Tape, Value};
use weft_event::problem::{Code, Problems};

use super::line::{splice, strings};
use super::{BlobError, BlobRef, Blobs, VALUE_BYTES_MIN};
use crate::redact::Redaction;

/// How often a changed event is read again before what is left untried stays in place. Each is a pass over the line; more than a
/// few are needed only where many large strings have a form that a reference does not fit.
const CHECKS_MAX: usize = 64;

/// Which strings [`shrink`] moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The largest, until the event fits.
    Largest,
    /// Every one of at least so many bytes, and then the largest until the event fits.
    AllFrom {
        /// Length as it stands in the line.
        bytes: usize,
    },
}

/// How an event is shrunk.
#[derive(Clone, Copy)]
pub struct ShrinkRules<'r> {
    /// What takes secrets out first, so that no blob holds one.
    pub redaction: &'r Redaction,
    /// The way the event came in.
    pub via: &'r str,
    /// The dialect that the event is in, and stays valid in.
    pub dialect: Dialect,
    /// Longest line that fits; usually [`super::EVENT_BYTES_MAX`].
    pub event_bytes_max: usize,
    /// Which strings go.
    pub which: Which,
    /// Says by JSON pointer which strings stay in any case. Those that facts other than the message are read from stay anyway.
    pub stays: &'r dyn Fn(&str) -> bool,
}

/// An event that fits.
#[derive(Debug)]
pub struct Shrunk<'a> {
    /// Its line: the given one but for the secrets taken out and the values moved.
    pub line: Cow<'a, [u8]>,
    /// Whether there were secrets.
    pub is_redacted: bool,
    /// What was moved, in the order of the line.
    pub moved: Vec<BlobRef>,
}

/// Why an event cannot be shrunk.
#[derive(Debug, thiserror::Error)]
pub enum ShrinkError {
    /// It is too large even without all that may be moved.
    #[error(
        "an event of {bytes} bytes is too large: {bytes_least} without what can be moved, {bytes_max} at most"
    )]
    TooLarge {
        /// Length of its line.
        bytes: usize,
        /// Length with everything moved that may be.
        bytes_least: usize,
        /// Length that would fit.
        bytes_max: usize,
    },
    /// The line is not JSON.
    #[error("the event is not JSON")]
    Syntax(#[from] SyntaxError),
    /// A value cannot be stored.
    #[error("cannot move a value out of an event")]
    Blob(#[from] BlobError),
}

/// Takes secrets out of an event and moves strings of it to blobs until it fits; every other byte stays. Blobs are durable when
/// this returns, and none is written for an event that does not fit in the end.
///
/// Keys and strings under [`VALUE_BYTES_MIN`] are never moved, nor is a string whose reference would make the event invalid or
/// change what it says of itself. The same line under the same rules always gives the same result. An identity that rests on
/// the content of an event, as that of a STATE, is another after this.
pub fn shrink<'a>(
    line: &'a [u8],
    rules: &ShrinkRules<'_>,
    blobs: &Blobs,
) -> Result<Shrunk<'a>, ShrinkError> {
    let redacted = match rules.dialect {
        // Weft needs what it wrote for itself.
        Dialect::Weft => Cow::Borrowed(line),
        Dialect::Idle
        | Dialect::Collector
        | Dialect::Pinchy
        | Dialect::Engine
        | Dialect::Needle => rules.redaction.redact(rules.via, line),
    };
    match redacted {
        Cow::Borrowed(line) => fit(line, rules, blobs),
        Cow::Owned(redacted) => {
            let Shrunk { line, moved, .. } = fit(&redacted, rules, blobs)?;
            let line = match line {
                Cow::Owned(line) => line,
                Cow::Borrowed(_) => redacted,
            };
            Ok(Shrunk { line: Cow::Owned(line), is_redacted: true, moved })
        }
    }
}

/// Makes an event fit that has no secrets.
fn fit<'a>(
    line: &'a [u8],
    rules: &ShrinkRules<'_>,
    blobs: &Blobs,
) -> Result<Shrunk<'a>, ShrinkError> {
    let is_redacted = false;
    let all_from = match rules.which {
        Which::Largest => usize::MAX,
        Which::AllFrom { bytes } => bytes.max(VALUE_BYTES_MIN),
    };
    if line.len() <= rules.event_bytes_max.min(all_from) {
        return Ok(Shrunk { line: Cow::Borrowed(line), is_redacted, moved: Vec::new() });
    }
    let mut tape = Tape::new();
    let event = tape.parse_bytes(line)?;
    let mut candidates = strings(event, |raw| raw.len() >= VALUE_BYTES_MIN);
    candidates.sort_by_key(|string| std::cmp::Reverse(raw_bytes(*string)));
    let mut candidates = candidates.into_iter().peekable();

    let mut plan = Plan::new(line, rules.dialect);
    loop {
        let mut line_bytes = plan.line_bytes;
        let mut batch = Vec::new();
        while let Some(string) = candidates
            .next_if(|string| raw_bytes(*string) >= all_from || line_bytes > rules.event_bytes_max)
        {
            if !(rules.stays)(&string.pointer()) {
                let step = Move::of(string);
                line_bytes -= step.gain();
                batch.push(step);
            }
        }
        if batch.is_empty() {
            break;
        }
        plan.admit(&batch);
    }
    if plan.line_bytes > rules.event_bytes_max {
        let (bytes_least, bytes_max) = (plan.line_bytes, rules.event_bytes_max);
        return Err(ShrinkError::TooLarge { bytes: line.len(), bytes_least, bytes_max });
    }
    if plan.moves.is_empty() {
        return Ok(Shrunk { line: Cow::Borrowed(line), is_redacted, moved: Vec::new() });
    }
    let moved = plan.moves.iter().map(|step| (&step.reference.hash, &line[step.place.clone()]));
    blobs.put_known(moved)?;
    let line = Cow::Owned(plan.line_with(&[]));
    let moved = plan.moves.into_iter().map(|step| step.reference).collect();
    Ok(Shrunk { line, is_redacted, moved })
}

fn raw_bytes(string: Value<'_>) -> usize {
    string.raw_text().map_or(0, str::len)
}

/// A value that is to be moved.
#[derive(Clone, Debug)]
struct Move {
    /// Where it stands, between its quotes.
    place: Range<usize>,
    reference: BlobRef,
    /// What stands there instead.
    raw_reference: Vec<u8>,
}

impl Move {
    fn of(string: Value<'_>) -> Self {
        let (raw, text) = string.raw_text().zip(string.as_text()).expect("candidates are strings");
        let reference = BlobRef::of(raw, &text);
        Self { place: string.place(), raw_reference: reference.to_raw(), reference }
    }

    fn gain(&self) -> usize {
        self.place.len() - self.raw_reference.len()
    }
}

/// The values that may be moved together, as far as known.
struct Plan<'a> {
    line: &'a [u8],
    dialect: Dialect,
    /// What the event says before anything is moved.
    reading: Reading,
    /// In the order of the line.
    moves: Vec<Move>,
    line_bytes: usize,
    n_checks: usize,
}

impl<'a> Plan<'a> {
    fn new(line: &'a [u8], dialect: Dialect) -> Self {
        let reading = Reading::of(line, dialect);
        Self { line, dialect, reading, moves: Vec::new(), line_bytes: line.len(), n_checks: 0 }
    }

    /// Adds those of the batch that leave the event as it reads: all if they do together, else the halves by themselves.
    fn admit(&mut self, batch: &[Move]) {
        if batch.is_empty() || self.n_checks == CHECKS_MAX {
            return;
        }
        self.n_checks += 1;
        if Reading::of(&self.line_with(batch), self.dialect) == self.reading {
            self.line_bytes -= batch.iter().map(Move::gain).sum::<usize>();
            self.moves.extend_from_slice(batch);
            self.moves.sort_by_key(|step| step.place.start);
        } else if batch.len() > 1 {
            let (larger, smaller) = batch.split_at(batch.len() / 2);
            self.admit(larger);
            self.admit(smaller);
        }
    }

    fn line_with(&self, batch: &[Move]) -> Vec<u8> {
        let steps = self.moves.iter().chain(batch);
        let changes =
            steps.map(|step| (step.place.clone(), Cow::Borrowed(&step.raw_reference[..])));
        let mut changes: Vec<_> = changes.collect();
        changes.sort_by_key(|(place, _)| place.start);
        splice(self.line, &changes)
    }
}

/// What must be the same before and after: the problems and the facts. The message may give way; it is what agents make long.
#[derive(PartialEq, Eq)]
struct Reading {
    problems: Vec<(Code, String)>,
    facts: Vec<(&'static str, String)>,
}

impl Reading {
    fn of(line: &[u8], dialect: Dialect) -> Self {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems);
        let mut facts = event.map(|event| event.facts().rows()).unwrap_or_default();
        facts.retain(|(name, _)| *name != "message");
        let found = problems.list().iter();
        Self { problems: found.map(|found| (found.code, found.pointer.clone())).collect(), facts }
    }
}
