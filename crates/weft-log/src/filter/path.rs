//! Paths into an event: `.data.bead_id`, `.tool.tool_input["file path"]`, `.items[0].x`, `.items[].x`.

use std::fmt;
use std::ops::Range;

use weft_event::json::Value;

use super::error::{FilterError, FilterFault};
use super::quote;

/// A path into an event: at least one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Item(usize),
    EveryItem,
}

impl Path {
    /// Reads the path that starts with the dot at `start`; returns it and where it ends.
    pub(super) fn read(text: &str, start: usize) -> Result<(Self, usize), FilterError> {
        let mut steps = Vec::new();
        let mut at = start;
        loop {
            at = match text.as_bytes().get(at) {
                Some(b'.') if steps.is_empty() && text[at + 1..].starts_with('[') => at + 1,
                Some(b'.') => {
                    let name = &text[at + 1..at + 1 + name_length(&text[at + 1..])];
                    if name.is_empty() {
                        return Err(bad(at..at + 1, "a name follows a dot"));
                    }
                    steps.push(Step::Member(name.to_owned()));
                    at + 1 + name.len()
                }
                Some(b'[') => read_bracket(text, at, &mut steps)?,
                Some(_) | None => return Ok((Self(steps), at)),
            }
        }
    }

    /// Returns the path that a name is without its leading dot; if it is none, the path to a member of exactly that name.
    pub(super) fn of_dotted(name: &str) -> Self {
        let dotted = format!(".{name}");
        match Self::read(&dotted, 0) {
            Ok((path, end)) if end == dotted.len() => path,
            Ok(_) | Err(_) => Self(vec![Step::Member(name.to_owned())]),
        }
    }

    /// Calls `test` with what stands at the path until something passes; several values where the path says `[]`.
    pub(super) fn any(&self, event: Value<'_>, test: &mut impl FnMut(Value<'_>) -> bool) -> bool {
        any_at(&self.0, event, test)
    }
}

fn any_at(steps: &[Step], value: Value<'_>, test: &mut impl FnMut(Value<'_>) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return test(value) };
    match step {
        Step::Member(name) => value.get(name).is_some_and(|inner| any_at(rest, inner, test)),
        Step::Item(n) => value.items().nth(*n).is_some_and(|inner| any_at(rest, inner, test)),
        Step::EveryItem => value.items().any(|inner| any_at(rest, inner, test)),
    }
}

/// Reads what stands in the bracket that opens at `start`; returns where it ends.
fn read_bracket(text: &str, start: usize, steps: &mut Vec<Step>) -> Result<usize, FilterError> {
    let inside = start + 1;
    let (step, end) = match text.as_bytes().get(inside) {
        Some(b']') => (Step::EveryItem, inside),
        Some(b'"' | b'\'') => {
            let close = quote::closing(text, inside)?;
            let name = quote::unescape(&text[inside + 1..close], inside + 1)?;
            (Step::Member(name.into_owned()), close + 1)
        }
        Some(_) | None => {
            let n_digits = text[inside..].bytes().take_while(u8::is_ascii_digit).count();
            let end = inside + n_digits;
            let Ok(n) = text[inside..end].parse() else {
                return Err(bad(start..end, "a number or a quoted name stands in brackets"));
            };
            (Step::Item(n), end)
        }
    };
    if text.as_bytes().get(end) != Some(&b']') {
        return Err(bad(start..end, "a bracket closes with `]`"));
    }
    steps.push(step);
    Ok(end + 1)
}

fn bad(place: Range<usize>, rule: &'static str) -> FilterError {
    FilterError::new(place, FilterFault::BadPath { rule })
}

/// Returns how many bytes at the start of a text are a name that needs no quotes.
fn name_length(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@');
    text.find(|c| !is_name(c)).unwrap_or(text.len())
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, step) in self.0.iter().enumerate() {
            let is_plain = |name: &str| !name.is_empty() && name_length(name) == name.len();
            match step {
                Step::Member(name) if is_plain(name) => write!(f, ".{name}")?,
                Step::Member(name) => {
                    f.write_str(if idx == 0 { ".[" } else { "[" })?;
                    quote::write(f, name)?;
                    f.write_str("]")?;
                }
                Step::Item(n) if idx == 0 => write!(f, ".[{n}]")?,
                Step::Item(n) => write!(f, "[{n}]")?,
                Step::EveryItem if idx == 0 => f.write_str(".[]")?,
                Step::EveryItem => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}
