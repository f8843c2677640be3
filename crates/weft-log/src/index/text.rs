//! What of an event the text index is fed: its words, as searches cut and fold them.

use weft_event::json::Tape;

use super::{Entry, integer};
use crate::filter::write_search_text;

/// Returns position and text of each record; a line that is no JSON has none.
pub(super) fn rows(entries: &[Entry<'_>]) -> Vec<(i64, String)> {
    let mut tape = Tape::new();
    let mut rows = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut text = String::with_capacity(entry.line.len());
        if let Ok(event) = tape.parse_bytes(entry.line) {
            write_search_text(event, &mut text);
        }
        rows.push((integer(entry.meta.position.get()), text));
    }
    rows
}
