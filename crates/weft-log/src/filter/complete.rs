//! How a filter that is being typed could go on: names of fields, the words a field can have, and values that were seen.

use super::{FieldInfo, FieldKind, Filter, fields, quoted};

/// From how many of the newest records values are usually offered.
pub const VALUES_FROM: usize = 1000;

/// Most ways to go on that are offered.
const OFFERS_MAX: usize = 50;

/// Ways to go on with a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where the part of the text begins that they stand for, in bytes.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What could stand there.
    pub offers: Vec<Offer>,
}

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What is written.
    pub text: String,
    /// What the field is, where it names one.
    pub about: Option<&'static str>,
}

/// Returns how a filter could go on at a place in its text, in bytes. `values` gives those of a field that were seen, in the order
/// in which they are offered; it is asked only where they are of use.
pub fn complete(
    text: &str,
    cursor: usize,
    values: impl FnOnce(&FieldInfo) -> Vec<String>,
) -> Completion {
    let before = &text[..text.floor_char_boundary(cursor)];
    let to = before.len();
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '!' | '-');
    let from = before
        .char_indices()
        .rev()
        .find(|(_, c)| is_edge(*c))
        .map_or(0, |(at, edge)| at + edge.len_utf8());
    let word = &before[from..];
    let Some(operator) = word.find(['=', ':', '~', '<', '>']) else {
        let named = fields().iter().filter(|field| field.name.starts_with(word));
        let offers = named.map(|field| Offer {
            text: format!("{}{}", field.name, operator_of(field.kind)),
            about: Some(field.about),
        });
        return Completion { from, to, offers: offers.collect() };
    };
    let value = word[operator..].trim_start_matches(['=', ':', '~', '<', '>']);
    let from = to - value.len();
    let Some(field) = fields().iter().find(|field| field.name == &word[..operator]) else {
        return Completion { from, to, offers: Vec::new() };
    };
    let value = value.trim_start_matches('"');
    let words = words(field, values).into_iter().filter(|word| word.starts_with(value));
    let offer = |word: String| Offer { text: plain_or_quoted(&word), about: about(field, &word) };
    Completion { from, to, offers: words.take(OFFERS_MAX).map(offer).collect() }
}

/// Returns what can stand behind a field.
fn words(field: &FieldInfo, values: impl FnOnce(&FieldInfo) -> Vec<String>) -> Vec<String> {
    match field.kind {
        FieldKind::Word(words) | FieldKind::Rank(words) => {
            words.iter().map(|word| (*word).to_owned()).collect()
        }
        FieldKind::YesNo => vec!["yes".to_owned(), "no".to_owned()],
        FieldKind::Text => values(field),
        FieldKind::Time => ["15m", "2h", "1d", "7d"].map(str::to_owned).to_vec(),
        // Of fields that say where to look nothing can be there or not.
        FieldKind::FieldName => {
            let names = fields().iter().map(|field| field.name);
            names.filter(|name| is_readable(field.name, name)).map(str::to_owned).collect()
        }
        FieldKind::Whole | FieldKind::Decimal | FieldKind::Duration => Vec::new(),
    }
}

/// Returns what the field is that a word behind another names.
fn about(field: &FieldInfo, word: &str) -> Option<&'static str> {
    let named = || fields().iter().find(|named| named.name == word);
    if field.kind == FieldKind::FieldName { named().map(|named| named.about) } else { None }
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

/// Returns a value as it is written: as it is where that is plain, else in quotes.
fn plain_or_quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@-_./".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) { value.to_owned() } else { quoted(value) }
}

#[cfg(test)]
mod tests;
