//! Bringing what was found into order: apart from each other, inside the values of a JSON line, and between its escapes.

use std::ops::Range;

use super::Found;
use crate::json::{Kind, Tape, Value};

/// Sorts and joins what was found; of a JSON line only what is in string values stays.
#[cold]
pub(super) fn settle(line: &[u8], found: &mut Vec<Found>) {
    join(found);
    if let Some(texts) = texts(line) {
        found.retain_mut(|secret| fit(line, &texts, &mut secret.range));
    }
}

/// Makes ranges fit into the string values of a JSON line, between its escapes; those that reach into none go. Of other bytes
/// all stay as they are.
#[cold]
pub fn confine(line: &[u8], ranges: &mut Vec<Range<usize>>) {
    if let Some(texts) = texts(line) {
        ranges.retain_mut(|range| fit(line, &texts, range));
    }
}

/// Returns the places of the string values of a JSON line, without their quotes; `None` if it is none.
pub fn texts(line: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut tape = Tape::new();
    let value = tape.parse_bytes(line).ok()?;
    let mut texts = Vec::new();
    collect_texts(value, &mut texts);
    Some(texts)
}

/// Joins what overlaps, under the name of the rule that comes first.
fn join(found: &mut Vec<Found>) {
    found.sort_by_key(|secret| (secret.range.start, secret.rule));
    found.dedup_by(|next, earlier| {
        let overlaps = next.range.start < earlier.range.end;
        if overlaps {
            earlier.range.end = earlier.range.end.max(next.range.end);
            earlier.rule = earlier.rule.min(next.rule);
        }
        overlaps
    });
}

/// Adds the places of all string values, in the order of the line.
fn collect_texts(value: Value<'_>, texts: &mut Vec<Range<usize>>) {
    match value.kind() {
        Kind::Text => texts.push(value.place()),
        Kind::Object => value.members().for_each(|(_, member)| collect_texts(member, texts)),
        Kind::Array => value.items().for_each(|item| collect_texts(item, texts)),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => {}
    }
}

/// Makes a range fit into the string value that it stands in; returns whether there is one.
fn fit(line: &[u8], texts: &[Range<usize>], range: &mut Range<usize>) -> bool {
    let text = texts.partition_point(|text| text.end <= range.start);
    let Some(text) = texts.get(text).filter(|text| text.start < range.end) else { return false };
    let (start, end) = (range.start.max(text.start), range.end.min(text.end));
    let mut at = text.start;
    *range = end..start;
    while at < end {
        let next = at + char_bytes(&line[at..text.end]);
        if at >= start && range.start >= end {
            range.start = at;
        }
        if next <= end {
            range.end = next;
        }
        at = next;
    }
    range.start < range.end
}

/// Returns how many bytes the first character of a JSON string takes; a pair of surrogates is one.
fn char_bytes(text: &[u8]) -> usize {
    let n = match text {
        [b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..] => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', _, ..] => 2,
        _ => 1,
    };
    n.min(text.len())
}
