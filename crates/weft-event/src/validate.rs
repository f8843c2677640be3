//! Validation of whole inputs: every item of [`input::Lines`](crate::input::Lines) gets its verdict, and all are counted.

mod explain;
mod summary;

pub use explain::{Explanation, Settled, explain};
pub use summary::{Counts, Summary};

use std::io::Read;

use crate::Dialect;
use crate::event::{self, Expect};
use crate::input::{Fault, Item, Line, Lines};
use crate::json::{Tape, Value};
use crate::problem::{Code, Problem, Problems, Severity};

/// What the lines of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Events.
    Event(Expect),
    /// Documents of a dialect that are not events.
    Document {
        /// The dialect.
        dialect: Dialect,
        /// The document's name; one of [`Dialect::documents`].
        name: &'static str,
    },
}

/// Whether known deviations are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// They are warnings.
    Tolerant,
    /// They are errors.
    Strict,
}

impl Strictness {
    /// Returns how bad a kind of problem is.
    pub fn severity(self, code: Code) -> Severity {
        match self {
            Strictness::Tolerant => code.severity(),
            Strictness::Strict => Severity::Error,
        }
    }
}

/// Whether findings say how the dialect was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explain {
    /// They do.
    Yes,
    /// They do not.
    No,
}

/// What was found at one place of an input.
#[derive(Debug)]
pub struct Finding<'v> {
    /// The number of the line.
    pub number: u64,
    /// The dialect, where it is known.
    pub dialect: Option<Dialect>,
    /// What is wrong, in the order found.
    pub problems: &'v [Problem],
    /// How the dialect was settled, if that was asked for and the line is JSON.
    pub explanation: Option<Explanation>,
}

/// Checks items one by one with memory that it reuses.
#[derive(Debug)]
pub struct Validator {
    subject: Subject,
    strictness: Strictness,
    explain: Explain,
    tape: Tape,
    problems: Problems,
    summary: Summary,
}

impl Validator {
    /// Returns a validator that has seen nothing.
    ///
    /// # Panics
    /// If the subject is a document that its dialect does not have.
    pub fn new(subject: Subject, strictness: Strictness, explain: Explain) -> Self {
        if let Subject::Document { dialect, name } = subject {
            assert!(dialect.documents().any(|known| known == name), "no document {name}");
        }
        let (tape, problems, summary) = (Tape::new(), Problems::new(), Summary::default());
        Self { subject, strictness, explain, tape, problems, summary }
    }

    /// Returns the reader of a source that gives what is to be checked.
    pub fn lines<R: Read>(&self, source: R) -> Lines<R> {
        match self.subject {
            Subject::Event(_) => Lines::new(source),
            Subject::Document { .. } => Lines::documents(source),
        }
    }

    /// Checks one item.
    pub fn check(&mut self, item: Item<'_>) -> Finding<'_> {
        self.problems.clear();
        match item {
            Item::Line(line) => self.check_line(line),
            Item::Fault(fault) => self.check_fault(fault),
        }
    }

    /// Notes the end of an input, and how many seals were skipped in it.
    pub fn end_input(&mut self, n_seals: u64) {
        self.summary.end_input(n_seals);
    }

    /// Returns what was counted so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    fn check_line(&mut self, line: Line<'_>) -> Finding<'_> {
        let problems = &mut self.problems;
        let value = event::parse(&mut self.tape, line.bytes, line.ending, problems);
        let explanation = match (self.explain, value) {
            (Explain::Yes, Some(value)) => Some(explain(value, self.subject)),
            (Explain::Yes, None) | (Explain::No, _) => None,
        };
        let dialect = match value {
            Some(value) => check_value(self.subject, value, problems),
            None => expected(self.subject),
        };
        self.summary.event(dialect, self.strictness, self.problems.list());
        Finding { number: line.number, dialect, problems: self.problems.list(), explanation }
    }

    fn check_fault(&mut self, fault: Fault) -> Finding<'_> {
        self.problems.whole(fault.kind.code(), fault.kind.to_string());
        let problems = self.problems.list();
        let dialect = expected(self.subject);
        if fault.kind.replaces_line() {
            self.summary.event(dialect, self.strictness, problems);
        } else {
            self.summary.before_event(self.strictness, problems);
        }
        Finding { number: fault.number, dialect, problems, explanation: None }
    }
}

fn expected(subject: Subject) -> Option<Dialect> {
    match subject {
        Subject::Event(Expect::Any) => None,
        Subject::Event(Expect::Dialect(dialect)) | Subject::Document { dialect, .. } => {
            Some(dialect)
        }
    }
}

fn check_value(subject: Subject, value: Value<'_>, problems: &mut Problems) -> Option<Dialect> {
    match subject {
        Subject::Event(expect) => {
            let event = event::read_value(value, expect, problems);
            event.map(|event| event.dialect()).or(expected(subject))
        }
        Subject::Document { dialect, name } => {
            let is_known = dialect.check_document(name, value, problems);
            debug_assert!(is_known, "the constructor checks the name");
            Some(dialect)
        }
    }
}

#[cfg(test)]
mod tests;
