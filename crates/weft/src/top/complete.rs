//! How a filter that is being typed could go on: names of fields, the words a field can have, and values that were seen.

use std::collections::BTreeSet;

use weft_event::Facts;
use weft_event::json::Tape;
use weft_log::Filter;
use weft_log::filter::{FieldKind, fields};
use weft_log::query::Found;
use weft_tui::source::Completions;

use crate::records::quoted;

/// From how many of the newest records values are offered.
pub(super) const VALUES_FROM: usize = 1000;
/// Most ways to go on that are offered.
const WORDS_MAX: usize = 50;

/// Returns how a filter could go on at a place in its text.
pub(super) fn complete(
    text: &str,
    cursor: usize,
    newest: impl FnOnce() -> Vec<Found>,
) -> Completions {
    let before = &text[..text.floor_char_boundary(cursor)];
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '!' | '-');
    let start = before.rfind(is_edge).map_or(0, |at| at + 1);
    let word = &before[start..];
    let Some(operator) = word.find(['=', ':', '~', '<', '>']) else {
        let named = fields().iter().filter(|field| field.name.starts_with(word));
        let words = named.map(|field| format!("{}{}", field.name, operator_of(field.kind)));
        return Completions { from: start, words: words.collect() };
    };
    let value = word[operator..].trim_start_matches(['=', ':', '~', '<', '>']);
    let from = before.len() - value.len();
    let Some(field) = fields().iter().find(|field| field.name == &word[..operator]) else {
        return Completions { from, words: Vec::new() };
    };
    let value = value.trim_start_matches('"');
    let words: Vec<String> = match field.kind {
        FieldKind::Word(words) | FieldKind::Rank(words) => {
            words.iter().map(|word| (*word).to_owned()).collect()
        }
        FieldKind::YesNo => vec!["yes".to_owned(), "no".to_owned()],
        FieldKind::Text => seen(field.name, &newest()),
        FieldKind::Time => ["15m", "2h", "1d", "7d"].map(str::to_owned).to_vec(),
        // Of fields that say where to look nothing can be there or not.
        FieldKind::FieldName => {
            let names = fields().iter().map(|field| field.name);
            names.filter(|name| is_readable(field.name, name)).map(str::to_owned).collect()
        }
        FieldKind::Whole | FieldKind::Decimal | FieldKind::Duration => Vec::new(),
    };
    let fitting = words.into_iter().filter(|word| word.starts_with(value)).take(WORDS_MAX);
    Completions { from, words: fitting.map(|word| plain_or_quoted(&word)).collect() }
}

/// Returns whether a filter of a field and a value can be read.
fn is_readable(field: &str, value: &str) -> bool {
    Filter::parse(&format!("{field}:{value}"), 0).is_ok()
}

fn operator_of(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Rank(_) => ">=",
        FieldKind::Time | FieldKind::FieldName => ":",
        FieldKind::Whole | FieldKind::Decimal | FieldKind::Duration => ">",
        FieldKind::Text | FieldKind::Word(_) | FieldKind::YesNo => "=",
    }
}

/// Returns the values of a field in some records, in order.
fn seen(field: &str, found: &[Found]) -> Vec<String> {
    let mut values = BTreeSet::new();
    let mut tape = Tape::new();
    for found in found {
        if let Some(event) = found.read(&mut tape) {
            values.extend(value(field, &event.facts()).map(str::to_owned));
        }
    }
    values.into_iter().collect()
}

fn value<'f>(field: &str, facts: &'f Facts<'_>) -> Option<&'f str> {
    match field {
        "type" => Some(&facts.event_type),
        "actor" => facts.actor.as_deref(),
        "subject" => facts.subject.as_deref(),
        "parent" => facts.parent.as_deref(),
        "session" => facts.session.as_deref(),
        "tenant" => facts.tenant.as_deref(),
        "task" => facts.task.as_deref(),
        "tool" => facts.tool.as_deref(),
        "path" => facts.path.as_deref(),
        "trace" => facts.trace.as_deref(),
        "topic" => facts.topic.as_deref(),
        "model" => facts.usage.as_ref().and_then(|usage| usage.model.as_deref()),
        _ => None,
    }
}

/// Returns a value as it is written: as it is where that is plain, else in quotes.
fn plain_or_quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@-_./".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) { value.to_owned() } else { quoted(value) }
}

#[cfg(test)]
mod tests;
