//! The last statuses of every actor with their times, which views do not keep: what a timeline shows.
//!
//! Screens keep [`Lanes`] beside the views and ask what shows best for a column; whoever has the records of a window makes lanes of
//! them and asks for [`rows`].

mod rows;

use std::collections::{BTreeMap, HashMap};

use weft_event::Status;

use crate::{Entry, what};

pub use rows::{LaneRow, LaneSpan, Window, rows};

/// How long a stage lasts that nothing more is heard of.
pub const QUIET_NS: i64 = 120_000_000_000;
/// How much of what a stage is about is kept.
const WHAT_CHARS_MAX: usize = 120;

/// What an actor did from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It was in this status.
    In(Status),
    /// It was gone.
    Gone,
}

impl Stage {
    /// Returns what an event says of its actor, if it says that.
    fn of(entry: &Entry<'_, '_>) -> Option<Self> {
        match entry.facts.status {
            _ if entry.facts.ended => Some(Stage::Gone),
            Some(status) => Some(Stage::In(status)),
            None => None,
        }
    }

    /// Returns whether it goes on until something else is heard.
    fn lasts(self) -> bool {
        match self {
            Stage::In(
                Status::Started
                | Status::Thinking
                | Status::ToolUse
                | Status::Progress
                | Status::Waiting
                | Status::Blocked,
            ) => true,
            Stage::In(Status::Completed | Status::Error) | Stage::Gone => false,
        }
    }
}

/// How much lanes hold.
#[derive(Clone, Copy, Debug)]
pub struct LaneLimits {
    /// Most actors that have a lane; whose newest stage is oldest goes.
    pub lanes_max: usize,
    /// Most stages of one lane, the newest.
    pub stretches_max: usize,
}

/// The lanes of all actors.
#[derive(Debug)]
pub struct Lanes {
    limits: LaneLimits,
    by_actor: HashMap<String, Lane>,
}

/// One actor's stages, by the times and positions they began at.
#[derive(Debug, Default)]
pub struct Lane {
    stretches: BTreeMap<(i64, u64), Stretch>,
    /// The session and the parent that were named last, and when.
    session: Option<(i64, String)>,
    parent: Option<(i64, String)>,
}

/// A stage, and when it was last said.
#[derive(Clone, Debug)]
struct Stretch {
    stage: Stage,
    last_ns: i64,
    /// How many records say so.
    n: u64,
    /// What the first of them is about.
    what: Option<String>,
}

impl Default for Lanes {
    /// Returns lanes as a screen keeps them.
    fn default() -> Self {
        Self::new(LaneLimits { lanes_max: 256, stretches_max: 512 })
    }
}

impl Lanes {
    /// Returns lanes that hold so much.
    pub fn new(limits: LaneLimits) -> Self {
        Self { limits, by_actor: HashMap::new() }
    }

    /// Takes a record in; the order does not matter.
    pub fn take(&mut self, entry: &Entry<'_, '_>) {
        let Some(stage) = Stage::of(entry) else { return };
        let facts = entry.facts;
        let Some(actor) = facts.actor.as_deref().filter(|_| !entry.is_carried) else { return };
        let at_ns = entry.seen_ns();
        let about = || {
            let what: String = what(facts).chars().take(WHAT_CHARS_MAX).collect();
            Some(what).filter(|what| !what.is_empty())
        };
        let stretches_max = self.limits.stretches_max;
        let lane = self.lane(actor);
        lane.put((at_ns, entry.position), stage, stretches_max, about);
        name(&mut lane.session, at_ns, facts.session.as_deref());
        name(&mut lane.parent, at_ns, facts.parent.as_deref());
        if self.by_actor.len() > self.limits.lanes_max {
            self.drop_oldest();
        }
    }

    /// Returns the lanes with something to show between two moments, by name.
    pub fn within(&self, from_ns: i64, upto_ns: i64) -> Vec<(&str, &Lane)> {
        let lanes = self.by_actor.iter().filter(|(_, lane)| lane.show(from_ns, upto_ns).is_some());
        let mut lanes: Vec<_> = lanes.map(|(actor, lane)| (actor.as_str(), lane)).collect();
        lanes.sort_unstable_by_key(|(actor, _)| *actor);
        lanes
    }

    fn lane(&mut self, actor: &str) -> &mut Lane {
        if !self.by_actor.contains_key(actor) {
            self.by_actor.insert(actor.to_owned(), Lane::default());
        }
        self.by_actor.get_mut(actor).expect("it was just put in")
    }

    fn drop_oldest(&mut self) {
        let newest = |lane: &Lane| lane.stretches.last_key_value().map(|(at, _)| *at);
        let oldest = self.by_actor.iter().min_by_key(|(actor, lane)| (newest(lane), *actor));
        if let Some(actor) = oldest.map(|(actor, _)| actor.clone()) {
            self.by_actor.remove(&actor);
        }
    }
}

fn name(known: &mut Option<(i64, String)>, at_ns: i64, said: Option<&str>) {
    let Some(said) = said else { return };
    match known {
        Some((since, _)) if *since > at_ns => {}
        Some((since, text)) if text == said => *since = at_ns,
        Some(_) | None => *known = Some((at_ns, said.to_owned())),
    }
}

impl Lane {
    fn put(
        &mut self,
        at: (i64, u64),
        stage: Stage,
        stretches_max: usize,
        about: impl FnOnce() -> Option<String>,
    ) {
        let at_ns = at.0;
        let is_newest = self.stretches.last_key_value().is_none_or(|(last, _)| *last < at);
        if let Some(mut last) = self.stretches.last_entry()
            && is_newest
            && last.get().stage == stage
            && at_ns.saturating_sub(last.get().last_ns) < QUIET_NS
        {
            last.get_mut().last_ns = at_ns.max(last.get().last_ns);
            last.get_mut().n += 1;
            return;
        }
        let stretch = Stretch { stage, last_ns: at_ns, n: 1, what: about() };
        self.stretches.insert(at, stretch);
        if self.stretches.len() > stretches_max {
            self.stretches.pop_first();
        }
    }

    /// Returns what shows best for a time: what went wrong in it, else what began in it last, else what lasts into it. What nothing
    /// more was heard of for a while lasts no longer.
    pub fn show(&self, from_ns: i64, upto_ns: i64) -> Option<Stage> {
        let weight = |stage: Stage| match stage {
            Stage::In(Status::Error) => 3,
            Stage::In(Status::Blocked) => 2,
            Stage::In(Status::Waiting | Status::Completed) | Stage::Gone => 1,
            Stage::In(Status::Started | Status::Thinking | Status::ToolUse | Status::Progress) => 0,
        };
        let inside = self.stretches.range((from_ns, 0)..(upto_ns, 0)).map(|(_, it)| it.stage);
        let before = self.stretches.range(..(from_ns, 0)).next_back().map(|(_, it)| it);
        let is_still = |it: &&Stretch| {
            it.last_ns >= from_ns
                || it.stage.lasts() && it.last_ns.saturating_add(QUIET_NS) > from_ns
        };
        let lasting = before.filter(is_still).map(|it| it.stage);
        inside.max_by_key(|stage| weight(*stage)).or(lasting)
    }
}

#[cfg(test)]
mod tests;
