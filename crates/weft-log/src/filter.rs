//! The filter language: one for the command line, HTTP, subscriptions and screens.
//!
//! A [`Filter`] is parsed once and then asked of records, one by one with [`Filter::matches`], or many at a time through the
//! index with [`Filter::plan`]. `docs/filter.md` describes the language. Nothing here reads a clock, a file or the index.

mod compare;
mod complete;
mod demand;
mod display;
mod error;
mod expression;
mod field;
mod glob;
mod matching;
mod parse;
mod path;
mod plan;
mod quote;
mod scan;
mod value;
mod words;

use weft_event::json::Value;
use weft_event::{Dialect, Facts};

use crate::Meta;

use expression::{Expression, Term, TextTest};
use field::TextField;

pub use complete::{Completion, Offer, VALUES_FROM, complete};
pub use demand::{Demands, NameTest};
pub use error::{Expected, FilterError, FilterFault};
pub use field::{FieldInfo, FieldKind, fields};
pub use glob::Glob;
pub use plan::{Plan, SqlValue};
pub use words::{SEARCH_TOKENIZER, write_search_text};

/// Most bytes that a filter's text can have, as written and in normal form.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Most parentheses that can be open at once.
pub const DEPTH_MAX: usize = 32;
/// Most terms of one filter.
pub const TERMS_MAX: usize = 256;
/// Most regular expressions of one filter.
pub const REGEXES_MAX: usize = 32;
/// Most memory that one regular expression can take.
pub const REGEX_BYTES_MAX: usize = 1024 * 1024;

/// What a record must be like.
///
/// Prints as its normal form, in which relative times are absolute, and which parses back to an equal filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    expression: Expression,
}

/// A record as a filter sees it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What Weft adds to the event.
    pub meta: &'a Meta,
    /// What Weft reads off the event.
    pub facts: &'a Facts<'a>,
    /// The event.
    pub event: Value<'a>,
}

/// Reads a time as filters write it: how long before `now_ns`, a date, or a date with a clock time. In nanoseconds since 1970.
pub fn parse_time(text: &str, now_ns: i64) -> Option<i64> {
    value::time(text, now_ns).map(value::Time::start_ns)
}

/// Returns a text as a value of the filter language that stands for itself.
pub fn quoted(text: &str) -> String {
    quote::Quoted(text).to_string()
}

impl FieldInfo {
    /// Returns the text that a record has in the field, if it is one of texts.
    pub fn text<'s>(&self, subject: &'s Subject<'_>) -> Option<&'s str> {
        match self.field {
            field::Field::Text(field) => field.of(subject),
            field::Field::Whole(_)
            | field::Field::Decimal(_)
            | field::Field::Flag(_)
            | field::Field::Since
            | field::Field::Until
            | field::Field::Has => None,
        }
    }
}

impl Filter {
    /// Returns the filter that matches every record.
    pub fn all() -> Self {
        Self { expression: Expression::EVERYTHING }
    }

    /// Parses a filter; an empty one matches every record. Relative times count from `now_ns`, in nanoseconds since 1970.
    pub fn parse(text: &str, now_ns: i64) -> Result<Self, FilterError> {
        let too_long = |bytes| FilterError::new(0..text.len(), FilterFault::TooLong { bytes });
        if text.len() > TEXT_BYTES_MAX {
            return Err(too_long(text.len()));
        }
        let filter = Self { expression: parse::parse(text, now_ns)? };
        let normal_bytes = filter.to_string().len();
        if normal_bytes > TEXT_BYTES_MAX {
            return Err(too_long(normal_bytes));
        }
        Ok(filter)
    }

    /// Leaves Weft's own records out, unless the filter asks for their dialect.
    #[must_use]
    pub fn without_bookkeeping(self) -> Self {
        if self.expression.asks_for_own() {
            return self;
        }
        let own = TextTest::Is(Dialect::Weft.as_str().to_owned());
        let is_own = Expression::from(Term::Text(TextField::Dialect, own));
        Self { expression: expression::all(vec![self.expression, expression::not(is_own)]) }
    }

    /// Returns whether the filter is the one that matches every record.
    pub fn is_all(&self) -> bool {
        self.expression == Expression::EVERYTHING
    }

    /// Returns whether the record matches. A comparison with what the record does not have is false, and its negation true.
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        matching::matches(&self.expression, subject)
    }

    /// Returns whether the record matches if that can be told without reading the event.
    pub fn matches_unread(&self, meta: &Meta) -> Option<bool> {
        matching::matches_unread(&self.expression, meta)
    }

    /// Returns what the index can do for the filter.
    pub fn plan(&self) -> Plan {
        plan::plan(&self.expression)
    }
}

#[cfg(test)]
mod tests;
