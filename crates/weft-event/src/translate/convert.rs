//! Conversion of whole inputs: every item of [`input::Lines`](crate::input::Lines) gives its translations, and notes of what
//! could not be translated.

use super::{
    Fill, Numbering, Opened, Origin, Target, Translated, Untranslatable, cloudevents, open, otlp,
    translate,
};
use crate::event::{self, Event, Expect};
use crate::input::{Fault, Item, Line};
use crate::json::{Tape, Value};
use crate::problem::{Code, Problem, Problems, Severity};
use crate::shape::text_enum;

text_enum! {
    /// Why something was noted. Names are part of the interface: programs match on them.
    pub enum NoteCode {
        /// The target has no type that means the same; the event is skipped.
        NoEquivalent = "no_equivalent",
        /// The target demands something that was not given; the event is skipped.
        Missing = "missing",
        /// The event was translated, but not all of it.
        Loss = "loss",
        /// The source is not valid; it is skipped.
        Invalid = "invalid",
        /// The result would not be valid; the event is skipped.
        Unwritable = "unwritable",
        /// More producers than can be numbered; the event is skipped.
        TooManyProducers = "too_many_producers",
    }
}

/// Something to tell about one place of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The number of the line.
    pub number: u64,
    /// Why it was noted.
    pub code: NoteCode,
    /// Of an invalid source: which kind of problem it has.
    pub problem: Option<Code>,
    /// What it is, for a person.
    pub message: String,
}

/// What one item of an input gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The translations, each on one line.
    pub lines: Vec<String>,
    /// What is to be told.
    pub notes: Vec<Note>,
}

/// Converts items one by one, with memory that it reuses.
#[derive(Debug)]
pub struct Converter {
    to: Target,
    expect: Expect,
    fill: Fill,
    numbering: Numbering,
    tape: Tape,
}

impl Converter {
    /// Returns a converter that has seen nothing.
    ///
    /// Where any dialect is expected, CloudEvents and OTLP export requests are opened too.
    pub fn new(to: Target, expect: Expect, fill: Fill) -> Self {
        Self { to, expect, fill, numbering: Numbering::new(), tape: Tape::new() }
    }

    /// Names the input that the next items come from.
    pub fn begin(&mut self, origin: &str) {
        self.numbering.begin(origin);
    }

    /// Converts one item.
    pub fn convert(&mut self, item: Item<'_>) -> Converted {
        match item {
            Item::Line(line) => self.convert_line(line),
            Item::Fault(fault) => told(fault),
        }
    }

    fn convert_line(&mut self, line: Line<'_>) -> Converted {
        let mut out = Output { number: line.number, converted: Converted::default() };
        let mut problems = Problems::new();
        let bytes = line.on_one_line();
        let Self { to, expect, fill, numbering, tape } = self;
        let Some(value) = event::parse(tape, &bytes, line.ending, &mut problems) else {
            out.invalid(problems.list());
            return out.converted;
        };
        if *expect == Expect::Any
            && let Some((lines, problems)) = of_target(value, *to)
        {
            out.converted.lines = lines;
            out.invalid(&problems);
            return out.converted;
        }
        let opened = if *expect == Expect::Any { open(value, fill) } else { None };
        match opened {
            Some(opened) => {
                for opened in opened {
                    convert_opened(opened, *to, fill, numbering, &mut out);
                }
            }
            None => match event::read_value(value, *expect, &mut problems) {
                Some(event) if !problems.has_errors() => {
                    out.translated(translate(&event, *to, fill, numbering));
                }
                Some(_) | None => out.invalid(problems.list()),
            },
        }
        out.converted
    }
}

/// Returns what a value holds that is of the target already, as it is, and what is wrong with the rest.
fn of_target(value: Value<'_>, to: Target) -> Option<(Vec<String>, Vec<Problem>)> {
    match to {
        Target::CloudEvents => cloudevents::unpack(value),
        Target::Otlp => otlp::unpack(value),
        Target::Idle | Target::Collector | Target::Pinchy | Target::Engine | Target::Needle => None,
    }
}

fn convert_opened(
    opened: Result<Opened, Untranslatable>,
    to: Target,
    fill: &Fill,
    numbering: &mut Numbering,
    out: &mut Output,
) {
    let Opened { line, dialect, origin, losses } = match opened {
        Ok(opened) => opened,
        Err(error) => return out.untranslatable(&error),
    };
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let expect = Expect::Dialect(dialect);
    let read: Option<Event<'_>> = event::read(&mut tape, line.as_bytes(), expect, &mut problems);
    let Some(event) = read.filter(|_| !problems.has_errors()) else {
        return out.invalid(problems.list());
    };
    let mut translated = match origin {
        Origin::Original if to.dialect() == Some(dialect) => {
            Ok(Translated { line: line.clone(), losses: Vec::new() })
        }
        Origin::Original | Origin::Made => translate(&event, to, fill, numbering),
    };
    if let Ok(translated) = &mut translated {
        translated.losses.splice(0..0, losses);
    }
    out.translated(translated);
}

fn told(fault: Fault) -> Converted {
    let mut out = Output { number: fault.number, converted: Converted::default() };
    if fault.kind.replaces_line() {
        out.problem(fault.kind.code(), fault.kind.to_string());
    }
    out.converted
}

/// What an item gave so far.
struct Output {
    number: u64,
    converted: Converted,
}

impl Output {
    fn note(&mut self, code: NoteCode, message: String) {
        self.converted.notes.push(Note { number: self.number, code, problem: None, message });
    }

    fn problem(&mut self, problem: Code, message: String) {
        let (number, code) = (self.number, NoteCode::Invalid);
        self.converted.notes.push(Note { number, code, problem: Some(problem), message });
    }

    fn translated(&mut self, translated: Result<Translated, Untranslatable>) {
        match translated {
            Ok(Translated { line, losses }) => {
                self.converted.lines.push(line);
                losses.iter().for_each(|loss| self.note(NoteCode::Loss, loss.to_string()));
            }
            Err(error) => self.untranslatable(&error),
        }
    }

    fn untranslatable(&mut self, error: &Untranslatable) {
        if let Untranslatable::Malformed(problem) = error {
            return self.invalid(std::slice::from_ref(problem));
        }
        let code = match error {
            Untranslatable::NoEquivalent { .. } | Untranslatable::Unwanted(_) => {
                NoteCode::NoEquivalent
            }
            Untranslatable::Missing { .. } | Untranslatable::Incomplete { .. } => NoteCode::Missing,
            Untranslatable::TooManyProducers => NoteCode::TooManyProducers,
            Untranslatable::Malformed(_) => NoteCode::Invalid,
            Untranslatable::Invalid(_) => NoteCode::Unwritable,
        };
        self.note(code, error.to_string());
    }

    fn invalid(&mut self, problems: &[Problem]) {
        let errors = problems.iter().filter(|problem| problem.severity() == Severity::Error);
        for problem in errors {
            self.problem(problem.code, problem.to_string());
        }
    }
}
