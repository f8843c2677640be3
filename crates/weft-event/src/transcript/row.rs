//! What rows of all clients have in common: texts that may be missing or in pieces, and times.

use std::borrow::Cow;

use crate::json::{Kind, Value};
use crate::time;

pub(super) use crate::hook::head;

/// The longest id or name that is taken for one.
const ID_BYTES_MAX: usize = 256;

/// Returns a text that is not empty.
pub(super) fn text<'a>(row: Value<'a>, name: &str) -> Option<Cow<'a, str>> {
    row.text_at(name).filter(|text| !text.is_empty())
}

/// Returns an id or a name, which is not empty and short enough to be remembered.
pub(super) fn id<'a>(row: Value<'a>, name: &str) -> Option<Cow<'a, str>> {
    text(row, name).filter(|id| id.len() <= ID_BYTES_MAX)
}

/// Returns whether a member is `true`.
pub(super) fn is_set(row: Value<'_>, name: &str) -> bool {
    row.get(name).and_then(Value::as_bool) == Some(true)
}

/// Returns a number, or 0 where there is none.
pub(super) fn count(row: Value<'_>, name: &str) -> u64 {
    row.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns a time as it stands in a row, and in nanoseconds since 1970.
pub(super) fn time(row: Value<'_>) -> Option<(String, i64)> {
    let text = text(row, "timestamp")?;
    let ns = time::parse_rfc3339(&text)?;
    Some((text.into_owned(), ns))
}

/// Returns the text of a content: a text itself, or the texts of its blocks, one below the other. Of other blocks only the kind is
/// told.
pub(super) fn content(value: Value<'_>) -> Cow<'_, str> {
    match value.kind() {
        Kind::Text => value.as_text().unwrap_or_default(),
        Kind::Array => {
            let blocks: Vec<Cow<'_, str>> = value.items().filter_map(block).collect();
            Cow::Owned(blocks.join("\n"))
        }
        Kind::Object | Kind::Number | Kind::True | Kind::False => Cow::Borrowed(value.raw()),
        Kind::Null | Kind::Key => Cow::Borrowed(""),
    }
}

fn block(block: Value<'_>) -> Option<Cow<'_, str>> {
    if block.kind() == Kind::Text {
        return block.as_text();
    }
    let other = || Some(Cow::Owned(format!("[{}]", block.text_at("type")?)));
    block.text_at("text").or_else(other)
}

/// Returns how many levels a value has. Descends at most as deep as the parser does.
pub(super) fn depth(value: Value<'_>) -> usize {
    let inside = match value.kind() {
        Kind::Object => value.members().map(|(_, member)| depth(member)).max(),
        Kind::Array => value.items().map(depth).max(),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => return 0,
    };
    1 + inside.unwrap_or(0)
}
