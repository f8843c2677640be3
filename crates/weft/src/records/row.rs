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

/// Returns what an event is about, in a few words; without a message also how long it took.
fn what(facts: &Facts<'_>) -> String {
    let is_told = facts.message.as_deref().is_some_and(|message| !message.is_empty());
    let took = facts.duration_ms.filter(|_| !is_told).map(times::duration);
    let parts = [weft_view::what(facts), took.unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
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
