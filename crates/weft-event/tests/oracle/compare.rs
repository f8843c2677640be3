//! Two verdicts on one line, and what it means that they differ.

use std::fmt;

use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::json::{Kind, Tape, Value};
use weft_event::problem::{Code, Problems};

use crate::formats;

/// One schema, compiled, beside the validator that it was printed from.
pub(crate) struct Oracle {
    dialect: Dialect,
    document: Option<&'static str>,
    schema: String,
    validator: jsonschema::Validator,
}

/// What both sides say of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Valid,
    Invalid,
    NotJson,
    /// A key stands twice, so that the two do not see the same object.
    RepeatedKey,
}

/// A line on which the two differ.
#[derive(Debug)]
pub(crate) struct Disagreement {
    dialect: Dialect,
    document: Option<&'static str>,
    line: String,
    theirs: String,
    ours: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.document.unwrap_or("event");
        writeln!(f, "verdicts differ on this {} {what}:\n{}", self.dialect.as_str(), self.line)?;
        writeln!(f, "theirs: {}", self.theirs)?;
        write!(f, "ours: {}", self.ours)
    }
}

impl Oracle {
    pub(crate) fn of_events(dialect: Dialect, schema: &str) -> Oracle {
        Oracle { dialect, document: None, schema: schema.to_owned(), validator: compile(schema) }
    }

    pub(crate) fn of_documents(dialect: Dialect, name: &'static str, schema: &str) -> Oracle {
        Oracle { document: Some(name), ..Oracle::of_events(dialect, schema) }
    }

    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the common verdict on a line.
    pub(crate) fn compare(&self, line: &[u8]) -> Result<Verdict, Box<Disagreement>> {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let parsed = tape.parse_bytes(line).map_err(|error| error.to_string());
        let theirs =
            serde_json::from_slice::<serde_json::Value>(line).map_err(|error| error.to_string());
        let (value, tree) = match (parsed, theirs) {
            (Ok(value), Ok(tree)) => (value, tree),
            (Err(_), Err(_)) => return self.refused(line),
            (ours, theirs) => {
                let say = |error: Option<String>| error.unwrap_or("JSON".to_owned());
                return Err(self.disagree(line, say(theirs.err()), say(ours.err())));
            }
        };
        match self.document {
            Some(name) => drop(self.dialect.check_document(name, value, &mut problems)),
            None => drop(event::read_value(value, Expect::Dialect(self.dialect), &mut problems)),
        }
        if n_members(value) != n_members_of_tree(&tree) {
            return match says_repeated(&problems) {
                true => Ok(Verdict::RepeatedKey),
                false => Err(self.disagree(line, "a key stands twice".to_owned(), list(&problems))),
            };
        }
        let theirs = self.validator.is_valid(&tree);
        let ours = !problems.list().iter().any(|problem| problem.code.is_in_schema());
        match (theirs, ours) {
            (true, true) => Ok(Verdict::Valid),
            (false, false) => Ok(Verdict::Invalid),
            (true, false) | (false, true) => {
                let errors: Vec<_> =
                    self.validator.iter_errors(&tree).map(|error| error.to_string()).collect();
                Err(self.disagree(line, format!("valid: {theirs} {errors:?}"), list(&problems)))
            }
        }
    }

    /// A line that is not JSON must be refused by the reader too, with nothing but the reason.
    fn refused(&self, line: &[u8]) -> Result<Verdict, Box<Disagreement>> {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line, Expect::Dialect(self.dialect), &mut problems);
        match event.is_none() && problems.has_errors() && problems.list().len() == 1 {
            true => Ok(Verdict::NotJson),
            false => Err(self.disagree(line, "not JSON".to_owned(), list(&problems))),
        }
    }

    fn disagree(&self, line: &[u8], theirs: String, ours: String) -> Box<Disagreement> {
        let line = String::from_utf8_lossy(line).into_owned();
        Box::new(Disagreement {
            dialect: self.dialect,
            document: self.document,
            line,
            theirs,
            ours,
        })
    }
}

fn compile(schema: &str) -> jsonschema::Validator {
    let schema: serde_json::Value = serde_json::from_str(schema).expect("a schema is JSON");
    jsonschema::options()
        .should_validate_formats(true)
        .with_format("uuid", formats::is_uuid)
        .with_format("date-time", formats::is_date_time)
        .build(&schema)
        .expect("the printed schema is a schema")
}

fn list(problems: &Problems) -> String {
    let show = |problem: &weft_event::problem::Problem| {
        let mark = if problem.code.is_in_schema() { "in schema" } else { "beyond schema" };
        format!("\n  {} ({mark}) {problem}", problem.code.as_str())
    };
    let text: String = problems.list().iter().map(show).collect();
    if text.is_empty() { "no problem".to_owned() } else { text }
}

fn says_repeated(problems: &Problems) -> bool {
    let repeats = [Code::DuplicateKey, Code::CheckpointId];
    problems.list().iter().any(|problem| repeats.contains(&problem.code))
}

fn n_members(value: Value<'_>) -> usize {
    match value.kind() {
        Kind::Object => value.members().map(|(_, member)| 1 + n_members(member)).sum(),
        Kind::Array => value.items().map(n_members).sum(),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => 0,
    }
}

fn n_members_of_tree(tree: &serde_json::Value) -> usize {
    match tree {
        serde_json::Value::Object(members) => {
            members.values().map(|member| 1 + n_members_of_tree(member)).sum()
        }
        serde_json::Value::Array(items) => items.iter().map(n_members_of_tree).sum(),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => 0,
    }
}

/// How many lines had which verdict.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) n_lines: u64,
    n_valid: u64,
    n_invalid: u64,
    n_not_json: u64,
    n_repeated: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, verdict: Verdict) {
        self.n_lines += 1;
        match verdict {
            Verdict::Valid => self.n_valid += 1,
            Verdict::Invalid => self.n_invalid += 1,
            Verdict::NotJson => self.n_not_json += 1,
            Verdict::RepeatedKey => self.n_repeated += 1,
        }
    }

    /// Panics unless so many in a hundred are valid, and as many invalid: agreement on one kind alone would say little.
    pub(crate) fn assert_balanced(&self, percent_min: u64) {
        let enough = |n: u64| n * 100 >= self.n_lines * percent_min;
        assert!(enough(self.n_valid) && enough(self.n_invalid), "out of balance: {self}");
        assert!(self.n_not_json > 0 && self.n_repeated > 0, "a kind is missing: {self}");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { n_lines, n_valid, n_invalid, n_not_json, n_repeated } = self;
        write!(
            f,
            "{n_lines} lines: {n_valid} valid, {n_invalid} invalid, {n_not_json} not JSON, {n_repeated} with a repeated key"
        )
    }
}
