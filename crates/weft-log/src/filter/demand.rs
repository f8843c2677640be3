//! What every record that matches a filter must have, as far as the index has short ways to it.

use super::expression::{Comparison, Expression, MemberTest, Term, TextTest};
use super::field::{TextField, WholeField};
use super::words::{Last, Phrase};

/// What no matching record goes without. Each of them holds by itself; a field that may be anything is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Demands {
    /// One of these traces.
    pub traces: Option<Vec<String>>,
    /// One of these tasks.
    pub tasks: Option<Vec<String>>,
    /// An actor that passes one of these.
    pub actors: Option<Vec<NameTest>>,
    /// A type that passes one of these.
    pub types: Option<Vec<NameTest>>,
    /// A time, or lacking one a time of receipt, not before this; in nanoseconds since 1970.
    pub time_min_ns: i64,
    /// The same, not after this.
    pub time_max_ns: i64,
    /// Whether the plan's own condition is looked up: it asks for sessions, topics or words.
    pub is_looked_up: bool,
}

/// A question to a name.
#[derive(Clone, Debug, PartialEq)]
pub enum NameTest {
    /// It is this.
    Is(String),
    /// It passes this pattern of SQLite's GLOB.
    Like(String),
    /// It passes this regular expression.
    Matches(String),
}

impl Demands {
    /// Nothing is demanded.
    pub const NONE: Self = Self {
        traces: None,
        tasks: None,
        actors: None,
        types: None,
        time_min_ns: i64::MIN,
        time_max_ns: i64::MAX,
        is_looked_up: false,
    };

    /// Returns whether times are bounded.
    pub fn has_time(&self) -> bool {
        self.time_min_ns > i64::MIN || self.time_max_ns < i64::MAX
    }

    fn and(self, other: Self) -> Self {
        Self {
            traces: self.traces.or(other.traces),
            tasks: self.tasks.or(other.tasks),
            actors: self.actors.or(other.actors),
            types: self.types.or(other.types),
            time_min_ns: self.time_min_ns.max(other.time_min_ns),
            time_max_ns: self.time_max_ns.min(other.time_max_ns),
            is_looked_up: self.is_looked_up || other.is_looked_up,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            traces: either(self.traces, other.traces),
            tasks: either(self.tasks, other.tasks),
            actors: either(self.actors, other.actors),
            types: either(self.types, other.types),
            time_min_ns: self.time_min_ns.min(other.time_min_ns),
            time_max_ns: self.time_max_ns.max(other.time_max_ns),
            is_looked_up: self.is_looked_up && other.is_looked_up,
        }
    }
}

fn either<T>(one: Option<Vec<T>>, other: Option<Vec<T>>) -> Option<Vec<T>> {
    let (mut one, other) = one.zip(other)?;
    one.extend(other);
    Some(one)
}

/// Returns what an expression demands of a record.
pub(super) fn demands(expression: &Expression) -> Demands {
    match expression {
        Expression::All(parts) => parts.iter().map(demands).fold(Demands::NONE, Demands::and),
        Expression::Any(parts) => {
            parts.iter().map(demands).reduce(Demands::or).unwrap_or(Demands::NONE)
        }
        // What lacks a field passes every "not", and the index cannot look for what is lacking.
        Expression::Not(_) => Demands::NONE,
        Expression::Term(term) => term_demands(term),
    }
}

fn term_demands(term: &Term) -> Demands {
    let none = Demands::NONE;
    match term {
        Term::Text(TextField::Trace, TextTest::Is(trace)) => {
            Demands { traces: Some(vec![trace.clone()]), ..none }
        }
        Term::Text(TextField::Task, TextTest::Is(task)) => {
            Demands { tasks: Some(vec![task.clone()]), ..none }
        }
        Term::Text(TextField::Actor, test) => Demands { actors: Some(vec![name(test)]), ..none },
        Term::Text(TextField::Type, test) => Demands { types: Some(vec![name(test)]), ..none },
        Term::Text(TextField::Session | TextField::Topic, _) | Term::Words(_) => {
            Demands { is_looked_up: true, ..none }
        }
        Term::Member(_, MemberTest::Text(TextTest::Is(text))) => {
            Demands { is_looked_up: Phrase::of(text, Last::Whole).is_some(), ..none }
        }
        Term::Whole(WholeField::Time, comparison, ns) => {
            let (time_min_ns, time_max_ns) = match comparison {
                Comparison::Equal => (*ns, *ns),
                Comparison::Less | Comparison::LessOrEqual => (i64::MIN, *ns),
                Comparison::Greater | Comparison::GreaterOrEqual => (*ns, i64::MAX),
            };
            Demands { time_min_ns, time_max_ns, ..none }
        }
        Term::Since(ns) => Demands { time_min_ns: *ns, ..none },
        Term::Until(ns) => Demands { time_max_ns: *ns, ..none },
        Term::Text(..)
        | Term::Whole(..)
        | Term::Decimal(..)
        | Term::Has(_)
        | Term::Flag(_)
        | Term::Member(..) => none,
    }
}

fn name(test: &TextTest) -> NameTest {
    match test {
        TextTest::Is(text) => NameTest::Is(text.clone()),
        TextTest::Like(glob) => NameTest::Like(glob.to_sqlite()),
        TextTest::Matches(pattern) => NameTest::Matches(pattern.0.as_str().to_owned()),
    }
}
