//! All views together, at one position of the log.

use serde::{Deserialize, Serialize};

use crate::decisions::Decisions;
use crate::errors::Errors;
use crate::files::Files;
use crate::fleet::Fleet;
use crate::gateway::Gateway;
use crate::loops::Loops;
use crate::runs::Runs;
use crate::sessions::Sessions;
use crate::traces::Traces;
use crate::usage::UsageBook;
use crate::work::Work;
use crate::{Entry, View};

/// The version of each view, by name. What was saved under others is of no use.
pub const VERSIONS: [(&str, u32); 11] = [
    (Fleet::NAME, Fleet::VERSION),
    (Sessions::NAME, Sessions::VERSION),
    (Traces::NAME, Traces::VERSION),
    (Work::NAME, Work::VERSION),
    (Decisions::NAME, Decisions::VERSION),
    (Loops::NAME, Loops::VERSION),
    (Runs::NAME, Runs::VERSION),
    (Gateway::NAME, Gateway::VERSION),
    (UsageBook::NAME, UsageBook::VERSION),
    (Files::NAME, Files::VERSION),
    (Errors::NAME, Errors::VERSION),
];

/// Every view, folded up to one position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Views {
    /// The position of the last record taken in; 0 before the first.
    position: u64,
    /// When that record was received, in nanoseconds since 1970; never goes back.
    received_ns: i64,
    /// Who is there and what everyone does.
    pub fleet: Fleet,
    /// The sessions: where, of whom, since when, how many turns, how far.
    pub sessions: Sessions,
    /// The newest traces, and the spans of one.
    pub traces: Traces,
    /// Beads, issues, tasks and steps: who has which, what is ready, what is blocked, what came of what.
    pub work: Work,
    /// What was decided, why, and what was turned down.
    pub decisions: Decisions,
    /// Loops: their frames, iterations and age.
    pub loops: Loops,
    /// Task runs: their state, step, budget and judge.
    pub runs: Runs,
    /// A gateway: sessions by tenant, deliveries, peers, jobs, tool hosts, configurations.
    pub gateway: Gateway,
    /// Tokens and cost by actor, session, task, model and day, and budgets.
    pub usage: UsageBook,
    /// Who touched which file and when, leases and collisions.
    pub files: Files,
    /// What failed, grouped by what it says.
    pub errors: Errors,
}

impl Views {
    /// Returns the position of the last record taken in; 0 before the first.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns when the last record was received, in nanoseconds since 1970.
    pub fn received_ns(&self) -> i64 {
        self.received_ns
    }

    /// Takes the next record in; one that was taken in already changes nothing.
    pub fn apply(&mut self, entry: &Entry<'_, '_>) {
        if entry.position <= self.position {
            return;
        }
        self.position = entry.position;
        self.received_ns = self.received_ns.max(entry.received_ns);
        self.fleet.apply(entry);
        self.sessions.apply(entry);
        self.traces.apply(entry);
        self.work.apply(entry);
        self.decisions.apply(entry);
        self.loops.apply(entry);
        self.runs.apply(entry);
        self.gateway.apply(entry);
        self.usage.apply(entry);
        self.files.apply(entry);
        self.errors.apply(entry);
    }
}

#[cfg(test)]
mod tests;
