//! What an event is about, in a few words.

use weft_event::Facts;

/// Bytes of a message that are ever shown as what an event is about.
const WHAT_BYTES_MAX: usize = 4096;

/// Returns what an event is about: its message, else its tool, file, task, whom it names and how far it is.
pub fn what(facts: &Facts<'_>) -> String {
    if let Some(message) = facts.message.as_deref().filter(|message| !message.is_empty()) {
        return message[..message.floor_char_boundary(WHAT_BYTES_MAX)].to_owned();
    }
    let parts = [&facts.tool, &facts.path, &facts.task, &facts.subject];
    let mut parts: Vec<String> = parts.into_iter().flatten().map(ToString::to_string).collect();
    parts.extend(facts.progress.map(|progress| format!("{:.0} %", progress * 100.0)));
    parts.join(" ")
}
