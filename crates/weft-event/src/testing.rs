//! Small views of events for the tests of this crate: what was found, and which facts, as text.

use crate::event::{self, Expect};
use crate::json::Tape;
use crate::problem::Problems;
use crate::{Dialect, Facts};

/// Returns the problems of a line read in a dialect, one a line, or `fine`.
pub(crate) fn check(dialect: Dialect, line: &str) -> String {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    event::read(&mut tape, line.as_bytes(), Expect::Dialect(dialect), &mut problems);
    show(&problems)
}

/// Returns the problems, one a line, or `fine`.
pub(crate) fn show(problems: &Problems) -> String {
    if problems.list().is_empty() {
        return "fine".to_owned();
    }
    let line = |problem: &crate::problem::Problem| {
        format!("{} {}: {problem}\n", problem.severity().as_str(), problem.code.as_str())
    };
    problems.list().iter().map(line).collect()
}

/// Returns the facts of a line, one a line, without those that are not there.
pub(crate) fn facts_of(line: &str) -> String {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
    let Some(event) = event else { return show(&problems) };
    describe(&event.facts())
}

/// Returns facts as text, one a line, without those that are not there.
pub(crate) fn describe(facts: &Facts<'_>) -> String {
    facts.rows().iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// Returns a JSON Schema's constraints alone: without its texts, defaults written out, or the way a number is spelled.
pub(crate) fn constraints(schema: &str) -> serde_json::Value {
    fn strip(value: serde_json::Value) -> serde_json::Value {
        use serde_json::Value::{Array, Number, Object};
        match value {
            Object(members) => {
                let says_nothing = |name: &str, value: &serde_json::Value| match name {
                    "title" | "description" | "$id" => value.is_string(),
                    "additionalProperties" => value == true,
                    _ => false,
                };
                let kept = members.into_iter().filter(|(name, value)| !says_nothing(name, value));
                Object(kept.map(|(name, value)| (name, strip(value))).collect())
            }
            Array(items) => Array(items.into_iter().map(strip).collect()),
            Number(n) => n.as_f64().into(),
            other => other,
        }
    }
    strip(serde_json::from_str(schema).expect("a schema is JSON"))
}
