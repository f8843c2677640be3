//! The strings of a line: finding them, and putting others in their place without touching any other byte.

use std::borrow::Cow;
use std::ops::Range;

use weft_event::json::{Kind, Value};

/// Returns the string values in `value`, in the order of the line, whose text between the quotes `which` selects; never keys.
pub(super) fn strings<'a>(value: Value<'a>, which: impl Fn(&str) -> bool) -> Vec<Value<'a>> {
    let mut found = Vec::new();
    collect(value, &which, &mut found);
    found
}

/// Descends at most as deep as the parser does.
fn collect<'a>(value: Value<'a>, which: &impl Fn(&str) -> bool, found: &mut Vec<Value<'a>>) {
    match value.kind() {
        Kind::Text => found.extend(value.raw_text().filter(|raw| which(raw)).map(|_| value)),
        Kind::Object => value.members().for_each(|(_, member)| collect(member, which, found)),
        Kind::Array => value.items().for_each(|item| collect(item, which, found)),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => {}
    }
}

/// Returns the line with other bytes in these places, which are in order and apart.
pub(super) fn splice(line: &[u8], changes: &[(Range<usize>, Cow<'_, [u8]>)]) -> Vec<u8> {
    let (gone, come) = changes
        .iter()
        .fold((0, 0), |(gone, come), (place, bytes)| (gone + place.len(), come + bytes.len()));
    let mut spliced = Vec::with_capacity(line.len() - gone + come);
    let mut at = 0;
    for (place, bytes) in changes {
        spliced.extend_from_slice(&line[at..place.start]);
        spliced.extend_from_slice(bytes);
        at = place.end;
    }
    spliced.extend_from_slice(&line[at..]);
    spliced
}
