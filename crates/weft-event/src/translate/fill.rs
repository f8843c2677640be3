//! What a translation may add: values for fields that the target demands and the source lacks, and numbers.

use std::collections::HashMap;

use super::Untranslatable;
use crate::idle::Mode;

/// Most producers that are numbered at a time.
pub const PRODUCERS_MAX: usize = 1 << 20;

/// Values for what the target demands and the source may lack. Each is used only where the event has none of its own.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// The tenant.
    pub tenant: Option<String>,
    /// The actor: agent, worker, component or run.
    pub agent: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// When it happened, in nanoseconds since 1970.
    pub time_ns: Option<i64>,
    /// The tool.
    pub tool: Option<String>,
    /// The piece of work: bead, issue, step, task, job.
    pub task: Option<String>,
    /// idle: the mode of the loop.
    pub mode: Option<Mode>,
    /// idle: how many iterations the loop may take.
    pub max: Option<u64>,
    /// idle: where the prompt is kept.
    pub prompt_file: Option<String>,
    /// idle, mode `grind`: which issues are taken.
    pub filter: Option<String>,
    /// idle, mode `issue`: where the worktree is.
    pub worktree: Option<String>,
    /// idle, mode `issue`: the branch of the worktree.
    pub branch: Option<String>,
    /// idle, mode `issue`: what the branch started from.
    pub base_ref: Option<String>,
    /// idle: what the loop is for.
    pub goal: Option<String>,
    /// idle: how to go on after a loss of context.
    pub next_step: Option<String>,
}

/// Counts the events of each producer that gives them no number, in the order of translation.
///
/// An event with a number of its own moves the count beyond it, so that no later one gets the same.
#[derive(Debug, Default)]
pub struct Numbering {
    next: HashMap<[u8; 16], u64>,
    origin: String,
    n_events: u64,
}

impl Numbering {
    /// Returns counts that all start at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names where the next events come from. Together with their place there it tells events without an identity apart.
    pub fn begin(&mut self, origin: &str) {
        origin.clone_into(&mut self.origin);
        self.n_events = 0;
    }

    /// Counts one more event of the origin, whether it can be translated or not.
    pub(super) fn arrive(&mut self) {
        self.n_events += 1;
    }

    /// Returns what tells the event that arrived last from every other: the origin and the place in it.
    pub(super) fn delivery(&self) -> (&str, u64) {
        (&self.origin, self.n_events)
    }

    /// Returns the number of the producer's next event: `order` if it has one. Nothing is counted yet.
    pub(super) fn peek(
        &self,
        producer: [u8; 16],
        order: Option<u64>,
    ) -> Result<u64, Untranslatable> {
        match (order, self.next.get(&producer)) {
            (Some(order), _) => Ok(order),
            (None, Some(&next)) => Ok(next),
            (None, None) if self.next.len() >= PRODUCERS_MAX => {
                Err(Untranslatable::TooManyProducers)
            }
            (None, None) => Ok(0),
        }
    }

    /// Counts the event that got this number.
    pub(super) fn take(&mut self, producer: [u8; 16], number: u64) {
        if self.next.len() < PRODUCERS_MAX || self.next.contains_key(&producer) {
            let next = self.next.entry(producer).or_default();
            *next = (*next).max(number.saturating_add(1));
        }
    }
}
