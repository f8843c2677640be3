//! Translation: an event of one dialect as an event of another, as a CloudEvent, or as an OTLP log record; and back.
//!
//! The way leads over facts. The target's type comes from a table of meanings; what the target has a field for goes into that
//! field; every fact that the result would lack, or would have wrongly, is carried in one added object with the key `weft`,
//! together with the original. So a result has the facts of its source, and the way back gives the original's own bytes.

mod carry;
mod cloudevents;
mod convert;
mod fill;
mod lack;
mod meaning;
pub mod otlp;
mod source;
mod to_collector;
mod to_engine;
mod to_idle;
mod to_needle;
mod to_pinchy;
pub(crate) mod trace;
mod upgrade;

use crate::Dialect;
use crate::event::{self, Event, Expect};
use crate::json::{Json, Tape, Value};
use crate::problem::{Code, Problem, Problems};
use crate::shape::text_enum;

pub use convert::{Converted, Converter, Note, NoteCode};
pub use fill::{Fill, Numbering, PRODUCERS_MAX};
pub use lack::{Lack, Lacks};
pub use trace::parse_traceparent;

pub(crate) use source::uuid;

use carry::Keep;
use meaning::Meaning;
use source::Source;

text_enum! {
    /// What an event can be translated to.
    pub enum Target {
        /// The idle dialect.
        Idle = "idle",
        /// The collector dialect.
        Collector = "collector",
        /// The pinchy dialect.
        Pinchy = "pinchy",
        /// The engine dialect.
        Engine = "engine",
        /// The needle dialect.
        Needle = "needle",
        /// CloudEvents 1.0, structured JSON.
        CloudEvents = "cloudevents",
        /// OTLP/JSON: one export request with one log record.
        Otlp = "otlp",
    }
}

impl Target {
    /// Returns the dialect, if the target is one.
    pub fn dialect(self) -> Option<Dialect> {
        match self {
            Target::Idle => Some(Dialect::Idle),
            Target::Collector => Some(Dialect::Collector),
            Target::Pinchy => Some(Dialect::Pinchy),
            Target::Engine => Some(Dialect::Engine),
            Target::Needle => Some(Dialect::Needle),
            Target::CloudEvents | Target::Otlp => None,
        }
    }
}

/// An event in its new form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    /// The event, on one line.
    pub line: String,
    /// What the source says and the line does not.
    pub losses: Vec<Loss>,
}

/// Something that a translation could not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// The original does not fit into the line beside its translation.
    #[error(
        "the original is too long to be kept beside its translation; the way back gives its facts, not its bytes"
    )]
    Original,
    /// What surrounds a log record, which is resource, scope, and when it was observed: a needle event has no place for it, and
    /// copies of large ones in every event of a request would be too much.
    #[error("resource, scope and observed time of the log record are not kept in the event")]
    Surroundings,
}

/// Why an event has no translation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untranslatable {
    /// The target has no type that means the same.
    #[error("{} has no type for `{event_type}` of {}: {about}", .to.as_str(), .from.as_str())]
    NoEquivalent {
        /// The source's dialect.
        from: Dialect,
        /// The source's type.
        event_type: String,
        /// The target.
        to: Dialect,
        /// What the type means.
        about: &'static str,
    },
    /// The target demands fields that nothing in the source gives.
    #[error("{} demands {lacks}, which the event lacks; {}", .to.as_str(), .lacks.remedy())]
    Missing {
        /// The target.
        to: Dialect,
        /// What is lacking.
        lacks: Lacks,
    },
    /// A foreign CloudEvent or log record lacks what every event that is made of one has.
    #[error("the {} lacks {lacks}; {}", envelope(*.what), .lacks.remedy())]
    Incomplete {
        /// What it was made of.
        what: Target,
        /// What it lacks.
        lacks: Lacks,
    },
    /// A span or a data point that says nothing of agents.
    #[error("not kept: {0}")]
    Unwanted(&'static str),
    /// More producers without numbers of their own than can be counted.
    #[error("more than {PRODUCERS_MAX} producers without numbers of their own")]
    TooManyProducers,
    /// What should hold the event is not of the form that it has to be of.
    #[error("{0}")]
    Malformed(Problem),
    /// The result would not be valid in the target.
    #[error("the result would not be valid: {0}")]
    Invalid(Problem),
}

/// An event that was found inside something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The event, on one line.
    pub line: String,
    /// Its dialect.
    pub dialect: Dialect,
    /// Whether the line is the event's own, or was made from what was found.
    pub origin: Origin,
    /// What was around it and is not in the line.
    pub losses: Vec<Loss>,
}

/// Where the line of an [`Opened`] event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is the original, byte for byte.
    Original,
    /// It was made from a foreign CloudEvent or log record.
    Made,
}

/// Takes the events out of a CloudEvent or an OTLP export request; `None` if the value is neither.
pub fn open(value: Value<'_>, fill: &Fill) -> Option<Vec<Result<Opened, Untranslatable>>> {
    cloudevents::open(value, fill).or_else(|| otlp::open(value, fill))
}

/// Translates an event that has no errors.
///
/// An event that is of the target already comes back as it is; one of an old or tolerated form in the form of the document. An
/// event that is itself a translation from the target comes back as its original, unless its facts were changed since.
pub fn translate(
    event: &Event<'_>,
    to: Target,
    fill: &Fill,
    numbering: &mut Numbering,
) -> Result<Translated, Untranslatable> {
    numbering.arrive();
    let verbatim = |line: String| Ok(Translated { line: on_one_line(line), losses: Vec::new() });
    let is_of_target = to.dialect() == Some(event.dialect());
    if is_of_target && upgrade::is_proper(event) {
        return verbatim(event.value().raw().to_owned());
    }
    if let Some(original) = carry::original(event, to) {
        return verbatim(original);
    }
    let source = Source::new(event, fill, numbering);
    if let Some(upgraded) = is_of_target.then(|| upgrade::upgrade(&source, numbering)).flatten() {
        return verbatim(upgraded);
    }
    match to {
        Target::CloudEvents => readable(cloudevents::write(&source)),
        Target::Otlp => readable(otlp::write(&source)),
        Target::Idle => to_dialect(&source, Dialect::Idle, to_idle::write),
        Target::Collector => to_dialect(&source, Dialect::Collector, to_collector::write),
        Target::Pinchy => to_dialect(&source, Dialect::Pinchy, to_pinchy::write),
        Target::Engine => numbered(source, Dialect::Engine, to_engine::write, numbering),
        Target::Needle => numbered(source, Dialect::Needle, to_needle::write, numbering),
    }
}

/// Makes every line break of a JSON text a space; it can only stand between tokens.
fn on_one_line(text: String) -> String {
    if text.contains('\n') { text.replace('\n', " ") } else { text }
}

/// Writes a source in a dialect whose events have numbers.
fn numbered(
    mut source: Source<'_>,
    to: Dialect,
    write: Write,
    numbering: &mut Numbering,
) -> Result<Translated, Untranslatable> {
    let producer = source.producer(to);
    source.sequence = numbering.peek(producer, source.facts.order)?;
    let translated = to_dialect(&source, to, write)?;
    numbering.take(producer, source.sequence);
    Ok(translated)
}

/// A line that could not be read back would be no translation.
fn readable(line: String) -> Result<Translated, Untranslatable> {
    let mut problems = Problems::new();
    match Tape::new().parse(&line) {
        Ok(_) => Ok(Translated { line: on_one_line(line), losses: Vec::new() }),
        Err(error) => {
            problems.whole(Code::Json, error.to_string());
            Err(invalid(&problems))
        }
    }
}

/// Writes a source in a dialect, with an object of ours in the dialect's free place.
type Write = fn(&Source<'_>, Option<&Json<'_>>) -> Result<String, Untranslatable>;

/// Writes the event without an object of ours, sees which facts are amiss, and writes it again with those carried.
fn to_dialect(
    source: &Source<'_>,
    to: Dialect,
    write: Write,
) -> Result<Translated, Untranslatable> {
    let plain = write(source, None)?;
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let read = event::read(&mut tape, plain.as_bytes(), Expect::Dialect(to), &mut problems);
    let Some(read) = read else { return Err(invalid(&problems)) };
    let leftover = crate::facts::carried::difference(&source.facts, &read.facts());
    for keep in [Keep::Value, Keep::Text, Keep::Nothing] {
        let added = carry::added(source, &leftover, keep);
        let line = write(source, Some(&added))?;
        problems.clear();
        let mut tape = Tape::new();
        let read = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        if let Some(other) = read.map(|read| read.dialect()).filter(|&dialect| dialect != to) {
            problems.whole(Code::AmbiguousDialect, format!("it reads as {}", other.as_str()));
        }
        if problems.list().is_empty() {
            let losses = if keep == Keep::Nothing { vec![Loss::Original] } else { Vec::new() };
            return Ok(Translated { line: on_one_line(line), losses });
        }
    }
    Err(invalid(&problems))
}

/// Returns what a person calls one envelope of a target.
fn envelope(what: Target) -> &'static str {
    match what {
        Target::CloudEvents => "CloudEvent",
        Target::Otlp => "log record",
        Target::Idle | Target::Collector | Target::Pinchy | Target::Engine | Target::Needle => {
            "event"
        }
    }
}

fn invalid(problems: &Problems) -> Untranslatable {
    let problem = problems.list().first().cloned();
    Untranslatable::Invalid(problem.expect("a line that is not clean has a problem"))
}

#[cfg(test)]
mod tests;
