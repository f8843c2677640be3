//! Work: beads, issues and tasks, who has which, since when, what is ready, what is blocked and by what; and the plans of runs.
//!
//! What happens to a piece of work is kept in the order of each producer, and its state is worked out from that when it is asked
//! for, so that what comes late is put where it belongs.

mod piece;
mod plan;
mod rows;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use weft_event::Status;
use weft_event::report::{Lineage, Part, WorkChange};

use crate::bounded::Bounded;
use crate::ordered::Ordered;
use crate::shed::shed;
use crate::{Entry, Latest, View};

pub(crate) use piece::GivenUp;
pub use piece::{Origin, WorkState};
pub use plan::{PlanRow, StepRow};
pub use rows::{ChildRow, WorkRow};

use piece::{Ending, Move, Piece};
use plan::PlanBook;

/// Pieces of work that are kept; those that are finished go first, the oldest of them before others.
pub const PIECES_MAX: usize = 10_000;
/// Runs whose plans are kept.
pub const PLANS_MAX: usize = 2_000;
/// Actors of whom it is kept how they ended.
pub const ENDS_MAX: usize = 4_000;

/// What there is to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    pieces: HashMap<String, Piece>,
    /// By run.
    plans: Ordered<PlanBook, PLANS_MAX>,
    /// How runs and others that are gone ended, by actor and session.
    ends: Bounded<Ending, ENDS_MAX>,
}

impl View for Work {
    const NAME: &'static str = "work";
    const VERSION: u32 = 1;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let part = &entry.report.part;
        if entry.facts.ended || matches!(part, Part::Run(_)) {
            self.end(entry);
        }
        if let Part::Plan(plan) = part {
            return self.plan(entry, plan);
        }
        // A job is the scheduler's, and a producer that talks about another is not at work on it.
        if matches!(part, Part::Job(_) | Part::Finding(_) | Part::Budget(_)) {
            return;
        }
        let Some(task) = entry.facts.task.as_deref().filter(|task| !task.is_empty()) else {
            return;
        };
        if let Part::Work(work) = part {
            self.change(entry, task, work);
        } else if matches!(part, Part::Handoff) {
            let to = entry.facts.subject.as_deref().map(str::to_owned);
            self.piece(task).step(entry, Move::HandedOver { to });
        } else {
            self.piece(task).mention(entry);
        }
        self.shed();
    }
}

impl Work {
    fn change(&mut self, entry: &Entry<'_, '_>, task: &str, work: &weft_event::report::Work<'_>) {
        if let Some(child) = work.child.as_deref() {
            let child = self.piece(child);
            child.step(entry, Move::Created);
            child.came_of(entry, Some(task), work.lineage.unwrap_or(Lineage::Child).into());
            child.call(entry, work.title.as_deref());
            self.piece(task).seen(entry);
            return;
        }
        let piece = self.piece(task);
        piece.call(entry, work.title.as_deref());
        let origin = work.lineage.map(Origin::from);
        if let Some(origin) = origin.or(work.parent.as_ref().map(|_| Origin::Child)) {
            piece.came_of(entry, work.parent.as_deref(), origin);
        }
        let counts = &mut piece.counts;
        if !entry.is_carried {
            counts.attempt = counts.attempt.max(work.attempt.unwrap_or(0));
            match work.change {
                WorkChange::Tried => counts.n_tries += 1,
                WorkChange::Retried => counts.n_retries += 1,
                WorkChange::Claimed => counts.n_claims += 1,
                WorkChange::Failed => counts.n_failures += 1,
                WorkChange::Created
                | WorkChange::Exhausted
                | WorkChange::Worked
                | WorkChange::Handled
                | WorkChange::Completed
                | WorkChange::Released
                | WorkChange::Split => {}
            }
        }
        match work.change {
            // Whoever tries to get it has not got it, and somebody else may have.
            WorkChange::Tried | WorkChange::Retried => piece.seen(entry),
            WorkChange::Created => piece.step(entry, Move::Created),
            WorkChange::Exhausted => piece.step(entry, Move::Exhausted),
            WorkChange::Claimed => piece.step(entry, Move::Claimed),
            WorkChange::Worked | WorkChange::Handled => piece.step(entry, Move::Worked),
            WorkChange::Completed => piece.step(entry, Move::Completed),
            WorkChange::Failed => piece.step(entry, Move::Failed),
            WorkChange::Released => piece.step(entry, Move::Released),
            WorkChange::Split => piece.step(entry, Move::Split),
        }
    }

    /// Takes in how an actor ends, or that it goes on: a run that ends well has done what it was for.
    fn end(&mut self, entry: &Entry<'_, '_>) {
        let Some(actor) = entry.facts.actor.as_deref() else { return };
        let state = match entry.facts.status {
            Some(Status::Completed) => Some(WorkState::Done),
            Some(Status::Error) => Some(WorkState::Failed),
            Some(
                Status::Started
                | Status::Thinking
                | Status::ToolUse
                | Status::Progress
                | Status::Waiting
                | Status::Blocked,
            )
            | None => entry.facts.ended.then_some(WorkState::Left),
        };
        let at_ns = entry.time_ns();
        let producer = producer_name(actor, entry.facts.session.as_deref());
        if let Some(ending) = self.ends.touch(&producer, at_ns) {
            Latest::put(&mut ending.last, entry.stamp(), || (state, at_ns));
        }
    }

    fn plan(&mut self, entry: &Entry<'_, '_>, plan: &weft_event::report::Plan<'_>) {
        let Some(run) = entry.facts.actor.as_deref() else { return };
        self.plans.change(run, entry.time_ns(), |book| book.put(entry, plan));
    }

    /// Returns the pieces of work that nobody will try again to get, by their ids, in no order.
    pub(crate) fn given_up(&self) -> impl Iterator<Item = (&str, GivenUp<'_>)> {
        self.pieces.iter().filter_map(|(id, piece)| Some((id.as_str(), piece.given_up()?)))
    }

    fn piece(&mut self, id: &str) -> &mut Piece {
        if !self.pieces.contains_key(id) {
            self.pieces.insert(id.to_owned(), Piece::default());
        }
        self.pieces.get_mut(id).expect("it was put in if it was not there")
    }

    fn shed(&mut self) {
        shed(&mut self.pieces, PIECES_MAX, |piece| (!piece.now().state.is_over(), piece.last_ns));
    }
}

/// Returns a name for an actor in a session.
fn producer_name(actor: &str, session: Option<&str>) -> String {
    format!("{actor}\n{}", session.unwrap_or_default())
}

impl From<Lineage> for Origin {
    fn from(lineage: Lineage) -> Self {
        match lineage {
            Lineage::Child => Origin::Child,
            Lineage::Alternative => Origin::Alternative,
            Lineage::Weave => Origin::Weave,
            Lineage::Pulse => Origin::Pulse,
        }
    }
}

/// Returns whether a status says that its actor cannot go on.
fn is_blocked(status: Status) -> bool {
    match status {
        Status::Blocked => true,
        Status::Started
        | Status::Thinking
        | Status::ToolUse
        | Status::Progress
        | Status::Waiting
        | Status::Completed
        | Status::Error => false,
    }
}

#[cfg(test)]
mod tests;
