//! Whether a record matches. Allocates only where a text of the event has escapes to decode.

use weft_event::json::{Kind, Value};
use weft_event::time::parse_rfc3339;

use super::Subject;
use super::expression::{Expression, MemberTest, Number, Scalar, Term, TextTest, Valued};
use super::field::TextField;
use crate::Meta;

/// Returns whether the record matches.
pub(super) fn matches(expression: &Expression, subject: &Subject<'_>) -> bool {
    match expression {
        Expression::All(parts) => parts.iter().all(|part| matches(part, subject)),
        Expression::Any(parts) => parts.iter().any(|part| matches(part, subject)),
        Expression::Not(part) => !matches(part, subject),
        Expression::Term(term) => term_matches(term, subject),
    }
}

/// Returns whether the record matches if what Weft adds to the event is enough to tell.
pub(super) fn matches_unread(expression: &Expression, meta: &Meta) -> Option<bool> {
    // What one part settles, the parts that cannot be told do not change.
    let settled = |parts: &[Expression], by: bool| {
        let mut all = Some(!by);
        for part in parts {
            match matches_unread(part, meta) {
                Some(found) if found == by => return Some(by),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    };
    match expression {
        Expression::All(parts) => settled(parts, false),
        Expression::Any(parts) => settled(parts, true),
        Expression::Not(part) => matches_unread(part, meta).map(|found| !found),
        Expression::Term(Term::Text(TextField::Dialect, test)) => {
            let mark = meta.mark.as_ref()?;
            Some(test.passes(mark.dialect.as_str()))
        }
        Expression::Term(_) => None,
    }
}

fn term_matches(term: &Term, subject: &Subject<'_>) -> bool {
    match term {
        Term::Words(phrase) => phrase.is_in(subject.event),
        Term::Text(field, test) => field.of(subject).is_some_and(|text| test.passes(text)),
        Term::Whole(field, comparison, number) => {
            let found = field.of(subject);
            found.is_some_and(|found| comparison.holds(found.cmp(&i128::from(*number))))
        }
        Term::Decimal(field, comparison, number) => {
            let order = field.of(subject).and_then(|found| found.partial_cmp(number));
            order.is_some_and(|order| comparison.holds(order))
        }
        Term::Since(ns) => when_ns(subject).is_some_and(|when| when >= i128::from(*ns)),
        Term::Until(ns) => when_ns(subject).is_some_and(|when| when < i128::from(*ns)),
        Term::Has(Valued::Text(field)) => field.of(subject).is_some(),
        Term::Has(Valued::Whole(field)) => field.of(subject).is_some(),
        Term::Has(Valued::Decimal(field)) => field.of(subject).is_some(),
        Term::Flag(field) => field.of(subject),
        Term::Member(path, test) => {
            path.any(subject.event, &mut |value| member_passes(test, value))
        }
    }
}

/// Returns when the event happened, or else was received.
fn when_ns(subject: &Subject<'_>) -> Option<i128> {
    let received_ns = || subject.meta.at_us.map(|at_us| i128::from(at_us) * 1000);
    subject.facts.time_ns.map(i128::from).or_else(received_ns)
}

/// Asks a value, or one of an array's items.
fn member_passes(test: &MemberTest, value: Value<'_>) -> bool {
    if value.kind() == Kind::Array && *test != MemberTest::Exists {
        value.items().any(|item| value_passes(test, item))
    } else {
        value_passes(test, value)
    }
}

fn value_passes(test: &MemberTest, value: Value<'_>) -> bool {
    match test {
        MemberTest::Exists => value.kind() != Kind::Null,
        MemberTest::Text(TextTest::Is(wanted)) => value.is_text(wanted),
        MemberTest::Text(test) => value.as_text().is_some_and(|text| test.passes(&text)),
        MemberTest::Scalar { text, value: wanted } => {
            value.is_text(text)
                || match wanted {
                    Scalar::Null => value.kind() == Kind::Null,
                    Scalar::Boolean(wanted) => value.as_bool() == Some(*wanted),
                    Scalar::Number(wanted) => compare(value, *wanted).is_some_and(|o| o.is_eq()),
                }
        }
        MemberTest::Number(comparison, wanted) => {
            compare(value, *wanted).is_some_and(|order| comparison.holds(order))
        }
        MemberTest::Time(comparison, wanted) => {
            let found = value.as_text().and_then(|text| parse_rfc3339(&text));
            found.is_some_and(|found| comparison.holds(found.cmp(wanted)))
        }
    }
}

/// Compares a JSON number with one of the filter, exactly where both are whole.
fn compare(value: Value<'_>, wanted: Number) -> Option<std::cmp::Ordering> {
    match wanted {
        Number::Whole(wanted) => match value.as_i64() {
            Some(found) => Some(found.cmp(&wanted)),
            None => value.as_f64()?.partial_cmp(&(wanted as f64)),
        },
        Number::Decimal(wanted) => value.as_f64()?.partial_cmp(&wanted),
    }
}
