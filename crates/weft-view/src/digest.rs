//! A digest: what each agent was asked, did, decided, cost, finished, broke and left, over a stretch of the log.
//!
//! It is made of the records of that stretch and of what was open at its end, and of nothing else: no clock is read, and the same
//! records give the same digest.

mod activity;
mod deeds;
mod escape;
mod gather;
mod html;
mod lines;
mod markdown;

use serde::Serialize;

use crate::decisions::DecisionRow;
use crate::files::Collision;
use crate::inbox::Need;
use crate::usage::UsageRow;
use crate::work::WorkState;
use crate::{At, Entry, Judgement, Money, View as _, Views, errors, loops, runs};

pub use activity::{Activity, ActivityRow};
pub use deeds::{Deeds, ToolCalls};
pub use gather::digest;

/// What the records of a stretch tell.
#[derive(Clone, Debug, Default)]
pub struct Told {
    views: Views,
    deeds: Deeds,
    n_events: u64,
    activity: Activity,
    /// When the first and the last of them happened.
    ends_ns: Option<(i64, i64)>,
    /// When the first and the last of them were received.
    received_ns: Option<(i64, i64)>,
}

impl Told {
    /// Takes in the next record of the stretch.
    pub fn apply(&mut self, entry: &Entry<'_, '_>) {
        self.views.apply(entry);
        self.deeds.apply(entry);
        self.count(entry);
    }

    fn count(&mut self, entry: &Entry<'_, '_>) {
        self.n_events += u64::from(!entry.is_carried);
        let at_ns = entry.seen_ns();
        widen(&mut self.ends_ns, at_ns);
        widen(&mut self.received_ns, entry.received_ns);
        if !entry.is_carried {
            self.activity.put(at_ns, errors::is_error(entry));
        }
    }

    /// Returns when the last record happened; `None` if there is none.
    pub fn last_ns(&self) -> Option<i64> {
        self.ends_ns.map(|(_, last_ns)| last_ns)
    }
}

fn widen(ends_ns: &mut Option<(i64, i64)>, at_ns: i64) {
    let (first_ns, last_ns) = ends_ns.unwrap_or((at_ns, at_ns));
    *ends_ns = Some((first_ns.min(at_ns), last_ns.max(at_ns)));
}

/// What a digest is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The records of the stretch.
    pub told: &'q Told,
    /// All views as they were at its end.
    pub end: &'q Views,
    /// From when on its records were received, if that was asked for; otherwise it begins with its first record.
    pub since_ns: Option<i64>,
    /// Until when they were received, if that was asked for; otherwise it ends with its last record.
    pub until_ns: Option<i64>,
    /// The one session that it is about.
    pub session: Option<&'q str>,
    /// What it is judged by.
    pub judgement: &'q Judgement,
}

/// A digest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Digest {
    /// When it begins: by when records were received where one of its ends was asked for, else by when they happened. None where
    /// there is no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<At>,
    /// When it ends, by the same clock; none where there is no record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<At>,
    /// When the first of its events happened; before it begins, if that was received late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_event: Option<At>,
    /// When the last of its events happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event: Option<At>,
    /// The one session that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How many events there were.
    pub n_events: u64,
    /// How many sessions.
    pub n_sessions: usize,
    /// How many events there were from time to time, and how many of them tell of a failure.
    pub activity: Vec<ActivityRow>,
    /// What all of it used up.
    pub usage: UsageRow,
    /// What needs a person at the end, the worst first.
    pub needs: Vec<Need>,
    /// Who did something, those with most to tell first.
    pub actors: Vec<ActorDigest>,
    /// Who was only seen, by name.
    pub only_seen: Vec<String>,
    /// Who got in whose way, the first first.
    pub collisions: Vec<Collision>,
    /// Runs that failed, or that their judge did not pass.
    pub runs: Vec<runs::Row>,
    /// Loops that were stopped, or that nothing came of any more.
    pub loops: Vec<loops::Row>,
    /// Work that is not done at the end, what is blocked or failed first.
    pub left: Vec<Piece>,
}

/// What one actor did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActorDigest {
    /// Who.
    pub actor: String,
    /// Who started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The sessions it had part in.
    pub sessions: Vec<String>,
    /// What it was asked, in order.
    pub asked: Vec<String>,
    /// How many turns it had.
    pub n_turns: u64,
    /// How many of them failed.
    pub n_failed_turns: u64,
    /// Its calls by tool.
    pub calls: Vec<ToolCalls>,
    /// The files that it changed, by name.
    pub files: Vec<String>,
    /// The work that it finished.
    pub done: Vec<Piece>,
    /// The work that it failed at.
    pub failed: Vec<Piece>,
    /// How many steps of its plan are done, and how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<(usize, usize)>,
    /// What it decided, the first first.
    pub decisions: Vec<DecisionRow>,
    /// What it used up, by model.
    pub usage: Vec<UsageRow>,
    /// What that cost, estimates among it.
    pub cost_usd: Money,
    /// What failed, most often first.
    pub errors: Vec<Failure>,
    /// The work that it has in its hands at the end.
    pub left: Vec<Piece>,
    /// What it needs a person for at the end.
    pub needs: Vec<Need>,
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// Its id.
    pub id: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What state it is in.
    pub state: WorkState,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<At>,
    /// Who has it, or had it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The parts of it that are not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
}

/// Failures that say the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The tool that failed, else the type of the event.
    pub kind: String,
    /// What they say, without what differs.
    pub signature: String,
    /// How often.
    pub n: u64,
}

#[cfg(test)]
mod tests;
