//! The last statuses of every actor with their times, which views do not keep: what the timeline shows.

use std::collections::{BTreeMap, HashMap};

use weft_event::Status;
use weft_view::Entry;

/// Most actors that have a lane.
const LANES_MAX: usize = 256;
/// Most stages of one lane.
const STRETCHES_MAX: usize = 512;
/// How long a stage lasts that nothing more is heard of.
const QUIET_NS: i64 = 120_000_000_000;

/// What an actor did from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It was in this status.
    In(Status),
    /// It was gone.
    Gone,
}

/// The lanes of all actors.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    by_actor: HashMap<String, Lane>,
}

/// One actor's stages, by the times and positions they began at.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    stretches: BTreeMap<(i64, u64), Stretch>,
}

/// A stage, and when it was last said.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    stage: Stage,
    last_ns: i64,
}

impl Lanes {
    /// Takes a record in; the order does not matter.
    pub(crate) fn take(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let stage = match facts.status {
            _ if facts.ended => Stage::Gone,
            Some(status) => Stage::In(status),
            None => return,
        };
        let Some(actor) = facts.actor.as_deref().filter(|_| !entry.is_carried) else { return };
        let at_ns = entry.time_ns().min(entry.received_ns);
        if let Some(lane) = self.by_actor.get_mut(actor) {
            lane.put(at_ns, entry.position, stage);
            return;
        }
        let mut lane = Lane::default();
        lane.put(at_ns, entry.position, stage);
        self.by_actor.insert(actor.to_owned(), lane);
        if self.by_actor.len() > LANES_MAX {
            self.drop_oldest();
        }
    }

    /// Returns the lanes with something to show between two moments, by name.
    pub(crate) fn within(&self, from_ns: i64, upto_ns: i64) -> Vec<(&str, &Lane)> {
        let lanes = self.by_actor.iter().filter(|(_, lane)| lane.show(from_ns, upto_ns).is_some());
        let mut lanes: Vec<_> = lanes.map(|(actor, lane)| (actor.as_str(), lane)).collect();
        lanes.sort_unstable_by_key(|(actor, _)| *actor);
        lanes
    }

    fn drop_oldest(&mut self) {
        let newest = |lane: &Lane| lane.stretches.last_key_value().map(|(at, _)| *at);
        let oldest = self.by_actor.iter().min_by_key(|(actor, lane)| (newest(lane), *actor));
        if let Some(actor) = oldest.map(|(actor, _)| actor.clone()) {
            self.by_actor.remove(&actor);
        }
    }
}

impl Lane {
    fn put(&mut self, at_ns: i64, position: u64, stage: Stage) {
        let is_newest =
            self.stretches.last_key_value().is_none_or(|(at, _)| *at < (at_ns, position));
        if let Some(mut last) = self.stretches.last_entry()
            && is_newest
            && last.get().stage == stage
            && at_ns.saturating_sub(last.get().last_ns) < QUIET_NS
        {
            last.get_mut().last_ns = at_ns.max(last.get().last_ns);
            return;
        }
        self.stretches.insert((at_ns, position), Stretch { stage, last_ns: at_ns });
        if self.stretches.len() > STRETCHES_MAX {
            self.stretches.pop_first();
        }
    }

    /// Returns what shows best for a time: what went wrong in it, else what began in it last, else what lasts into it. What nothing
    /// more was heard of for a while lasts no longer.
    pub(crate) fn show(&self, from_ns: i64, upto_ns: i64) -> Option<Stage> {
        let weight = |stage: Stage| match stage {
            Stage::In(Status::Error) => 3,
            Stage::In(Status::Blocked) => 2,
            Stage::In(Status::Waiting | Status::Completed) | Stage::Gone => 1,
            Stage::In(Status::Started | Status::Thinking | Status::ToolUse | Status::Progress) => 0,
        };
        let lasts = |stage: Stage| match stage {
            Stage::In(Status::Waiting | Status::Blocked) => true,
            Stage::In(Status::Started | Status::Thinking | Status::ToolUse | Status::Progress) => {
                true
            }
            Stage::In(Status::Completed | Status::Error) | Stage::Gone => false,
        };
        let inside = self.stretches.range((from_ns, 0)..(upto_ns, 0)).map(|(_, it)| it.stage);
        let before = self.stretches.range(..(from_ns, 0)).next_back().map(|(_, it)| *it);
        let is_still = |it: &Stretch| {
            it.last_ns >= from_ns
                || lasts(it.stage) && it.last_ns.saturating_add(QUIET_NS) > from_ns
        };
        let lasting = before.filter(is_still).map(|it| it.stage);
        inside.max_by_key(|stage| weight(*stage)).or(lasting)
    }
}

#[cfg(test)]
mod tests;
