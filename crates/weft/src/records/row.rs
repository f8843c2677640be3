//! One record as a row of a table.

use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Facts, Status};
use weft_log::query::Found;

use crate::times::{self, Clock};

pub(super) const HEADER: [&str; 6] = ["POSITION", "TIME", "ACTOR", "TYPE", "STATUS", "WHAT"];

/// Bytes of a message that are ever shown in a row; more is for `weft show`.
const WHAT_BYTES_MAX: usize = 4096;

/// Returns the cells of a record.
pub(super) fn cells(
    found: &Found,
    clock: &Clock,
    tape: &mut Tape,
    problems: &mut Problems,
) -> Vec<String> {
    problems.clear();
    let position = found.meta.position.to_string();
    let received = found.meta.at_us.map(|at_us| at_us.saturating_mul(1000));
    let Some(event) = found.read(tape) else {
        let time = received.map_or_else(none, |ns| clock.brief(ns));
        let line = String::from_utf8_lossy(&found.line[..found.line.len().min(WHAT_BYTES_MAX)]);
        return vec![position, time, none(), none(), none(), format!("not an event: {line}")];
    };
    let facts = event.facts();
    let time = facts.time_ns.or(received).map_or_else(none, |ns| clock.brief(ns));
    let actor = facts.actor.as_deref().map_or_else(none, str::to_owned);
    let status = match (facts.status.map(Status::as_str), facts.ended) {
        (Some(status), _) => status.to_owned(),
        (None, true) => "ended".to_owned(),
        (None, false) => none(),
    };
    let what = marks(found) + &what(&facts);
    vec![position, time, actor, facts.event_type.to_string(), status, what]
}

/// Returns when an event happened, or else was received.
pub(crate) fn when_ns(found: &Found, facts: &Facts<'_>) -> Option<i64> {
    facts.time_ns.or(found.meta.at_us.map(|at_us| at_us.saturating_mul(1000)))
}

/// Returns what an event is about, in a few words: its message, else its tool, file, task and whom it names.
pub(crate) fn what(facts: &Facts<'_>) -> String {
    if let Some(message) = facts.message.as_deref().filter(|message| !message.is_empty()) {
        let end = (0..=message.len().min(WHAT_BYTES_MAX)).rev();
        let end = end.into_iter().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
        return message[..end].to_owned();
    }
    let parts = [&facts.tool, &facts.path, &facts.task, &facts.subject];
    let mut parts: Vec<String> =
        parts.into_iter().flatten().map(|part| part.clone().into_owned()).collect();
    parts.extend(facts.progress.map(|progress| format!("{:.0} %", progress * 100.0)));
    parts.extend(facts.duration_ms.map(times::duration));
    parts.join(" ")
}

/// Returns what is odd about a record.
fn marks(found: &Found) -> String {
    let Some(mark) = &found.meta.mark else { return "(unverified) ".to_owned() };
    let carried = mark.carried.map(|carried| format!("(carried from {}) ", carried.position));
    let conflict = mark.conflict.map(|other| format!("(conflict with {other}) "));
    carried.unwrap_or_default() + &conflict.unwrap_or_default()
}

fn none() -> String {
    "-".to_owned()
}
