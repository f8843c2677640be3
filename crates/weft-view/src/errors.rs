//! What failed, grouped by what it says: numbers, ids, paths and quoted words make no difference.

mod signature;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use weft_event::json::Value;
use weft_event::report::{CallPhase, Part, TurnPhase};
use weft_event::{Level, Status};

use crate::bounded::Bounded;
use crate::distinct::fingerprint;
use crate::{At, Entry, View};

pub use signature::signature;

/// Groups that are kept.
pub const GROUPS_MAX: usize = 2_000;
/// Actors of a group that are counted apart.
const ACTORS_MAX: usize = 64;
/// Occurrences of a group that are kept, the newest.
const RECENT_MAX: usize = 16;
/// How much of a message is kept as a sample.
const SAMPLE_CHARS_MAX: usize = 500;

/// What failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    groups: Bounded<Group, GROUPS_MAX>,
}

/// Failures that say the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Group {
    kind: String,
    signature: String,
    n: u64,
    actors: Vec<(String, u64)>,
    first: Spot,
    last: Spot,
    /// What the last one said.
    sample: String,
    /// From the oldest to the newest.
    recent: Vec<Spot>,
}

/// When and where in the log something failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Spot {
    at_ns: i64,
    position: u64,
    /// What tells the call from others, where a call failed.
    call: Option<u64>,
}

/// Failures that say the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorRow {
    /// The tool that failed, else the type of the event.
    pub kind: String,
    /// What they say, with `<n>`, `<id>`, `<path>` and the like for what differs.
    pub signature: String,
    /// How often.
    pub n: u64,
    /// Whom it happened to, whom most often first.
    pub actors: Vec<ErrorActor>,
    /// The first time.
    pub first_seen: At,
    /// The record of the first time.
    pub first_position: u64,
    /// The last time.
    pub last_seen: At,
    /// The record of the last time.
    pub last_position: u64,
    /// What the last one said, in full up to 500 characters.
    pub sample: String,
    /// The records of the last 16.
    pub positions: Vec<u64>,
}

/// An actor that something failed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorActor {
    /// Who.
    pub actor: String,
    /// How often.
    pub n: u64,
}

impl View for Errors {
    const NAME: &'static str = "errors";
    const VERSION: u32 = 1;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        if entry.is_carried || !is_error(entry) {
            return;
        }
        let facts = entry.facts;
        let is_call = matches!(entry.report.part, Part::Call(_));
        let tool = facts.tool.as_deref().filter(|_| is_call);
        let kind = tool.unwrap_or(&facts.event_type);
        let said = said(entry);
        // A call that failed without a word is told with words by another event of it.
        if is_call && facts.span.is_some() && said.trim().is_empty() {
            return;
        }
        let signature = signature(&said);
        let key = format!("{kind}\n{signature}");
        let span = facts.span.as_deref().filter(|_| is_call);
        let call = span.map(|span| fingerprint(facts.session.as_deref(), span));
        let spot = Spot { at_ns: entry.time_ns(), position: entry.position, call };
        if let Some(group) = self.groups.touch(&key, spot.at_ns) {
            if group.n == 0 {
                (group.kind, group.signature) = (kind.to_owned(), signature);
                (group.first, group.last) = (spot, spot);
            }
            group.put(spot, facts.actor.as_deref().unwrap_or_default(), &said);
        }
    }
}

impl Group {
    fn put(&mut self, spot: Spot, actor: &str, said: &str) {
        if self.sample.is_empty() || self.last <= spot {
            self.sample = said.chars().take(SAMPLE_CHARS_MAX).collect();
        }
        self.first = self.first.min(spot);
        self.last = self.last.max(spot);
        let same = |other: &Spot| spot.call.is_some() && other.call == spot.call;
        if let Some(idx) = self.recent.iter().position(same) {
            let known = self.recent.remove(idx);
            self.place(known.min(spot));
            return;
        }
        self.n += 1;
        match self.actors.binary_search_by(|(known, _)| known.as_str().cmp(actor)) {
            Ok(idx) => self.actors[idx].1 += 1,
            Err(idx) if self.actors.len() < ACTORS_MAX => {
                self.actors.insert(idx, (actor.to_owned(), 1));
            }
            Err(_) => {}
        }
        self.place(spot);
        if self.recent.len() > RECENT_MAX {
            self.recent.remove(0);
        }
    }

    fn place(&mut self, spot: Spot) {
        let idx = self.recent.partition_point(|other| *other < spot);
        self.recent.insert(idx, spot);
    }
}

impl Errors {
    /// Returns what failed, most often first, then last.
    pub fn rows(&self) -> Vec<ErrorRow> {
        let mut rows: Vec<ErrorRow> = self.groups.iter().map(|(_, group)| row(group)).collect();
        rows.sort_by(|a, b| {
            let weight = |row: &ErrorRow| (row.n, row.last_seen, row.last_position);
            weight(b).cmp(&weight(a))
        });
        rows
    }
}

fn row(group: &Group) -> ErrorRow {
    let mut actors: Vec<ErrorActor> = group
        .actors
        .iter()
        .filter(|(actor, _)| !actor.is_empty())
        .map(|(actor, n)| ErrorActor { actor: actor.clone(), n: *n })
        .collect();
    actors.sort_by(|a, b| b.n.cmp(&a.n).then_with(|| a.actor.cmp(&b.actor)));
    ErrorRow {
        kind: group.kind.clone(),
        signature: group.signature.clone(),
        n: group.n,
        actors,
        first_seen: At(group.first.at_ns),
        first_position: group.first.position,
        last_seen: At(group.last.at_ns),
        last_position: group.last.position,
        sample: group.sample.clone(),
        positions: group.recent.iter().map(|spot| spot.position).collect(),
    }
}

/// Returns whether something failed. A judge that is not content is none of it: that is its work.
pub(crate) fn is_error(entry: &Entry<'_, '_>) -> bool {
    let part = &entry.report.part;
    if matches!(part, Part::Judge(_)) {
        return false;
    }
    let is_failed_call = matches!(part, Part::Call(call) if call.phase == CallPhase::Failed);
    let is_failed_turn = matches!(part, Part::Turn(turn) if turn.phase == TurnPhase::Failed);
    let has_failed = is_failed_call || is_failed_turn;
    has_failed || entry.facts.level == Level::Error || entry.facts.status == Some(Status::Error)
}

/// Returns what a failure says: what a tool gave back, else the message, else nothing.
pub(crate) fn said<'e>(entry: &'e Entry<'_, '_>) -> Cow<'e, str> {
    let result = if let Part::Call(call) = &entry.report.part { call.result } else { None };
    let told = result.and_then(error_text);
    told.or_else(|| entry.facts.message.as_deref().map(Cow::Borrowed)).unwrap_or_default()
}

/// Returns the words of a tool's error: itself, or what it has under a name for such words.
fn error_text(result: Value<'_>) -> Option<Cow<'_, str>> {
    let text = |value: Value<'_>| {
        value.as_text().map(|text| text.into_owned()).filter(|text| !text.trim().is_empty())
    };
    let names = ["error", "message", "summary", "stderr", "text", "content"];
    let named = |of: Value<'_>| names.iter().find_map(|name| text(of.get(name)?));
    let inner = || result.get("error").and_then(named);
    text(result).or_else(|| named(result)).or_else(inner).map(Cow::Owned)
}

#[cfg(test)]
mod tests;
