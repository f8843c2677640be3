//! A filter as text: one normal form, which parses back to an equal filter.

use std::fmt::{Display, Formatter, Result};

use weft_event::time::format_rfc3339;

use super::Filter;
use super::expression::{
    Comparison, Expression, MemberTest, Number, Pattern, Term, TextTest, Valued,
};
use super::field::{Field, FieldKind, TextField, WholeField, fields};
use super::path::Path;
use super::{quote, value};

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_expression(f, &self.expression)
    }
}

fn write_expression(f: &mut Formatter<'_>, expression: &Expression) -> Result {
    match expression {
        Expression::All(parts) if parts.is_empty() => f.write_str("*"),
        Expression::Any(parts) if parts.is_empty() => f.write_str("-*"),
        Expression::All(parts) => {
            for (idx, part) in parts.iter().enumerate() {
                f.write_str(if idx > 0 { " " } else { "" })?;
                match part {
                    Expression::Any(_) => write_enclosed(f, part)?,
                    Expression::All(_) | Expression::Not(_) | Expression::Term(_) => {
                        write_expression(f, part)?;
                    }
                }
            }
            Ok(())
        }
        Expression::Any(parts) => {
            for (idx, part) in parts.iter().enumerate() {
                f.write_str(if idx > 0 { " or " } else { "" })?;
                write_expression(f, part)?;
            }
            Ok(())
        }
        Expression::Not(part) => match part.as_ref() {
            Expression::Term(term) => write_negated(f, term),
            Expression::All(_) | Expression::Any(_) | Expression::Not(_) => {
                f.write_str("-")?;
                write_enclosed(f, part)
            }
        },
        Expression::Term(term) => write!(f, "{term}"),
    }
}

fn write_enclosed(f: &mut Formatter<'_>, expression: &Expression) -> Result {
    f.write_str("(")?;
    write_expression(f, expression)?;
    f.write_str(")")
}

/// Writes a term that must not match, with an operator that says so where there is one.
fn write_negated(f: &mut Formatter<'_>, term: &Term) -> Result {
    match term {
        Term::Text(field, test) => write_text(f, *field, "!", test),
        Term::Member(path, test @ (MemberTest::Text(_) | MemberTest::Scalar { .. })) => {
            write_member(f, path, "!", test)
        }
        Term::Whole(field, Comparison::Equal, number) => {
            write!(f, "{}!=", Field::Whole(*field).name())?;
            write_whole(f, *field, *number)
        }
        Term::Decimal(field, Comparison::Equal, number) => {
            write!(f, "{}!={number:?}", Field::Decimal(*field).name())
        }
        Term::Words(_)
        | Term::Whole(..)
        | Term::Decimal(..)
        | Term::Since(_)
        | Term::Until(_)
        | Term::Has(_)
        | Term::Flag(_)
        | Term::Member(..) => write!(f, "-{term}"),
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Term::Words(phrase) => write!(f, "{phrase}"),
            Term::Text(field, test) => write_text(f, *field, "", test),
            Term::Whole(field, comparison, number) => {
                write!(f, "{}{}", Field::Whole(*field).name(), comparison.operator())?;
                write_whole(f, *field, *number)
            }
            Term::Decimal(field, comparison, number) => {
                let field = Field::Decimal(*field).name();
                write!(f, "{field}{}{number:?}", comparison.operator())
            }
            Term::Since(ns) => write!(f, "since:{}", format_rfc3339(*ns)),
            Term::Until(ns) => write!(f, "until:{}", format_rfc3339(*ns)),
            Term::Has(valued) => {
                let field = match valued {
                    Valued::Text(field) => Field::Text(*field),
                    Valued::Whole(field) => Field::Whole(*field),
                    Valued::Decimal(field) => Field::Decimal(*field),
                };
                write!(f, "has:{}", field.name())
            }
            Term::Flag(field) => write!(f, "has:{}", Field::Flag(*field).name()),
            Term::Member(path, test) => write_member(f, path, "", test),
        }
    }
}

fn write_text(f: &mut Formatter<'_>, field: TextField, negation: &str, test: &TextTest) -> Result {
    write!(f, "{}{negation}", Field::Text(field).name())?;
    match test {
        TextTest::Is(text) if is_plain(text) => write!(f, "={text}"),
        TextTest::Is(text) => write_quoted(f, text),
        TextTest::Like(glob) => write!(f, "={glob}"),
        TextTest::Matches(pattern) => write_pattern(f, pattern),
    }
}

fn write_member(f: &mut Formatter<'_>, path: &Path, negation: &str, test: &MemberTest) -> Result {
    match test {
        MemberTest::Exists => write!(f, "has:{path}"),
        MemberTest::Text(TextTest::Is(text)) => {
            let is_scalar = matches!(text.as_str(), "null" | "true" | "false");
            write!(f, "{path}{negation}")?;
            if is_plain(text) && !is_scalar && value::number(text).is_none() {
                write!(f, "={text}")
            } else {
                write_quoted(f, text)
            }
        }
        MemberTest::Text(TextTest::Like(glob)) => write!(f, "{path}{negation}={glob}"),
        MemberTest::Text(TextTest::Matches(pattern)) => {
            write!(f, "{path}{negation}")?;
            write_pattern(f, pattern)
        }
        MemberTest::Scalar { text, .. } => write!(f, "{path}{negation}={text}"),
        MemberTest::Number(comparison, number) => {
            write!(f, "{path}{}", comparison.operator())?;
            match number {
                Number::Whole(number) => write!(f, "{number}"),
                Number::Decimal(number) => write!(f, "{number:?}"),
            }
        }
        MemberTest::Time(comparison, ns) => {
            write!(f, "{path}{}{}", comparison.operator(), format_rfc3339(*ns))
        }
    }
}

fn write_whole(f: &mut Formatter<'_>, field: WholeField, number: i64) -> Result {
    let info = fields().iter().find(|info| info.field == Field::Whole(field));
    match info.expect("every field is in the list").kind {
        FieldKind::Time => f.write_str(&format_rfc3339(number)),
        FieldKind::Duration => write!(f, "{number}ms"),
        FieldKind::Text
        | FieldKind::Word(_)
        | FieldKind::Rank(_)
        | FieldKind::Whole
        | FieldKind::Decimal
        | FieldKind::YesNo
        | FieldKind::FieldName => write!(f, "{number}"),
    }
}

/// Returns whether a text needs no quotes as a value.
fn is_plain(text: &str) -> bool {
    let is_special =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '(' | ')' | '*' | '?');
    !text.is_empty() && !text.starts_with(['\'', '=', '<', '>']) && !text.contains(is_special)
}

fn write_quoted(f: &mut Formatter<'_>, text: &str) -> Result {
    f.write_str("=")?;
    quote::write(f, text)
}

/// Writes a regular expression in the quotes that it does not contain: its own backslashes leave no other way.
fn write_pattern(f: &mut Formatter<'_>, pattern: &Pattern) -> Result {
    let text = pattern.0.as_str();
    let mut characters = text.chars();
    let mut quote = '"';
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                characters.next();
            }
            '"' => quote = '\'',
            _ => {}
        }
    }
    write!(f, "~{quote}{text}{quote}")
}
