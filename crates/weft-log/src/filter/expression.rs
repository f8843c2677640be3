//! What a filter is once it is parsed: terms under and, or, not, kept in one normal form so that equal filters are equal.

use std::cmp::Ordering;

use regex::Regex;
use weft_event::Dialect;

use super::field::{DecimalField, FlagField, TextField, WholeField};
use super::glob::Glob;
use super::path::Path;
use super::words::Phrase;

/// A filter or a part of one. `All` of nothing matches every record, `Any` of nothing matches none.
///
/// Normal form, kept by [`all`], [`any`] and [`not`]: no list of one, no list directly in a list of its own sort, no list that
/// holds an empty one, no `Not` of a `Not` or of an empty list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
    Term(Term),
}

/// One question to a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Words(Phrase),
    Text(TextField, TextTest),
    Whole(WholeField, Comparison, i64),
    Decimal(DecimalField, Comparison, f64),
    /// In nanoseconds since 1970.
    Since(i64),
    Until(i64),
    Has(Valued),
    Flag(FlagField),
    Member(Path, MemberTest),
}

/// A field whose value may be missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Valued {
    Text(TextField),
    Whole(WholeField),
    Decimal(DecimalField),
}

/// A question to a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextTest {
    Is(String),
    Like(Glob),
    Matches(Pattern),
}

/// A question to what stands at a path of the event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MemberTest {
    Exists,
    /// It is a string that passes.
    Text(TextTest),
    /// It is this value, or the string that is written like it.
    Scalar {
        text: String,
        value: Scalar,
    },
    Number(Comparison, Number),
    /// It is a string that is a time; in nanoseconds since 1970.
    Time(Comparison, i64),
}

/// A JSON value that is no string and has nothing inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Boolean(bool),
    Number(Number),
}

/// A number as precise as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Whole(i64),
    Decimal(f64),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A regular expression, equal to another if it is written the same.
#[derive(Clone, Debug)]
pub(super) struct Pattern(pub(super) Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TextTest {
    pub(super) fn passes(&self, text: &str) -> bool {
        match self {
            TextTest::Is(wanted) => text == wanted,
            TextTest::Like(glob) => glob.matches(text),
            TextTest::Matches(pattern) => pattern.0.is_match(text),
        }
    }
}

impl From<Term> for Expression {
    fn from(term: Term) -> Self {
        Expression::Term(term)
    }
}

impl Comparison {
    pub(super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessOrEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterOrEqual => ordering.is_ge(),
        }
    }

    /// Returns the operator, which is the same in a filter and in SQL.
    pub(super) fn operator(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl Expression {
    pub(super) const EVERYTHING: Self = Self::All(Vec::new());
    pub(super) const NOTHING: Self = Self::Any(Vec::new());

    /// Returns whether it asks for the dialect of Weft's own records.
    pub(super) fn asks_for_own(&self) -> bool {
        match self {
            Expression::All(parts) | Expression::Any(parts) => parts.iter().any(Self::asks_for_own),
            Expression::Not(part) => part.asks_for_own(),
            Expression::Term(Term::Text(TextField::Dialect, test)) => {
                test.passes(Dialect::Weft.as_str())
            }
            Expression::Term(_) => false,
        }
    }

    /// Counts the terms.
    pub(super) fn n_terms(&self) -> usize {
        match self {
            Expression::All(parts) | Expression::Any(parts) => {
                parts.iter().map(Self::n_terms).sum()
            }
            Expression::Not(part) => part.n_terms(),
            Expression::Term(_) => 1,
        }
    }
}

/// Returns what matches where all of the parts do.
pub(super) fn all(parts: Vec<Expression>) -> Expression {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expression::All(inner) => flat.extend(inner),
            Expression::Any(inner) if inner.is_empty() => return Expression::NOTHING,
            Expression::Any(_) | Expression::Not(_) | Expression::Term(_) => flat.push(part),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Expression::All(flat) }
}

/// Returns what matches where any of the parts does.
pub(super) fn any(parts: Vec<Expression>) -> Expression {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expression::Any(inner) => flat.extend(inner),
            Expression::All(inner) if inner.is_empty() => return Expression::EVERYTHING,
            Expression::All(_) | Expression::Not(_) | Expression::Term(_) => flat.push(part),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Expression::Any(flat) }
}

/// Returns what matches where the part does not.
pub(super) fn not(part: Expression) -> Expression {
    match part {
        Expression::Not(inner) => *inner,
        Expression::All(parts) if parts.is_empty() => Expression::NOTHING,
        Expression::Any(parts) if parts.is_empty() => Expression::EVERYTHING,
        part @ (Expression::All(_) | Expression::Any(_) | Expression::Term(_)) => {
            Expression::Not(Box::new(part))
        }
    }
}
