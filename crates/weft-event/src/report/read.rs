//! What reports are read with: texts and lists in all the forms in which producers write them.

use std::borrow::Cow;
use std::iter;

use super::{Place, Work, WorkChange};
use crate::json::{Kind, Value};

/// The members of an object by which a list names it.
const NAMES: [&str; 5] = ["name", "option", "title", "label", "id"];

impl<'a> Place<'a> {
    /// Returns the place as a report holds it; none if nothing is known of it.
    pub(crate) fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

impl Work<'_> {
    /// Returns a change to a piece of work that says nothing more.
    pub(crate) fn of(change: WorkChange) -> Self {
        Self { change, title: None, parent: None, lineage: None, child: None, attempt: None }
    }
}

/// Returns a text that is not empty.
pub(crate) fn text(value: Value<'_>) -> Option<Cow<'_, str>> {
    value.as_text().filter(|text| !text.is_empty())
}

/// Returns the text of the first of these members that has one.
pub(crate) fn text_of<'a>(object: Value<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| object.get(name).and_then(text))
}

/// Returns an id: a text, or a number.
pub(crate) fn id(value: Value<'_>) -> Option<Cow<'_, str>> {
    text(value).or_else(|| value.as_u64().map(|number| Cow::Owned(number.to_string())))
}

/// Returns what was said: a text, or the texts of its blocks, one below the other.
pub(crate) fn prose<'a>(value: Value<'a>) -> Option<Cow<'a, str>> {
    match value.kind() {
        Kind::Text => text(value),
        Kind::Object => value.get("text").and_then(text),
        Kind::Array => {
            let of_block = |block: Value<'a>| text(block).or_else(|| text(block.get("text")?));
            let mut blocks = value.items().filter_map(of_block);
            let first = blocks.next()?;
            let Some(second) = blocks.next() else { return Some(first) };
            let mut all = first.into_owned();
            for block in iter::once(second).chain(blocks) {
                all.push('\n');
                all.push_str(&block);
            }
            Some(Cow::Owned(all))
        }
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => None,
    }
}

/// Returns what was said in the first of these members that says something.
pub(crate) fn prose_of<'a>(object: Value<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| object.get(name).and_then(prose))
}

/// Returns the items of a list by name: texts, or objects that have one.
pub(crate) fn names(list: Value<'_>) -> Vec<Cow<'_, str>> {
    list.items().filter_map(|item| id(item).or_else(|| text_of(item, &NAMES))).collect()
}
