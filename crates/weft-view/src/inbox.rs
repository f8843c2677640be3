//! The inbox: what needs a person, and nothing else.
//!
//! It is derived from the state of the other views, so a need is there as soon as the event that raises it, and gone with the event
//! that resolves it. A need has one cause, and a cause has one need, whatever shows it: the id stays the same for as long as it lasts.

mod command;
mod joint;
mod silence;
mod source;

use serde::Serialize;

use crate::{At, Judgement, Rules, Views};

pub(crate) use command::actor_log;

/// What a person is needed for, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// To allow a tool.
    Permission,
    /// To answer a question.
    Answer,
    /// To help: it cannot go on.
    Blocked,
    /// To part actors that wait for each other, or for one that will not come.
    Deadlock,
    /// To allow more.
    OverBudget,
    /// To look at what failed.
    Failed,
    /// To get it going again.
    Stuck,
    /// To keep actors out of each other's way.
    Collision,
    /// To give it something to do.
    Idle,
}

impl NeedKind {
    /// All of them, the worst first.
    pub const ALL: [Self; 9] = [
        NeedKind::Permission,
        NeedKind::Answer,
        NeedKind::Blocked,
        NeedKind::Deadlock,
        NeedKind::OverBudget,
        NeedKind::Failed,
        NeedKind::Stuck,
        NeedKind::Collision,
        NeedKind::Idle,
    ];

    /// Returns the kind of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            NeedKind::Permission => "permission",
            NeedKind::Answer => "answer",
            NeedKind::Blocked => "blocked",
            NeedKind::Deadlock => "deadlock",
            NeedKind::OverBudget => "over_budget",
            NeedKind::Failed => "failed",
            NeedKind::Stuck => "stuck",
            NeedKind::Collision => "collision",
            NeedKind::Idle => "idle",
        }
    }
}

/// Something that needs a person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Need {
    /// What tells its cause from every other; it does not change while the cause lasts.
    pub id: String,
    /// What a person is needed for.
    pub kind: NeedKind,
    /// Whom it is about.
    pub actor: String,
    /// The session it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The piece of work it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Since when.
    pub since: At,
    /// What it is, in words.
    pub what: String,
    /// The records that made it, in the order of the log.
    pub positions: Vec<u64>,
    /// The command that acts on it, or else shows it.
    pub command: String,
}

/// Returns what needs a person, the worst first, and of equal kinds the oldest.
pub fn needs(views: &Views, now_ns: i64, judgement: &Judgement) -> Vec<Need> {
    let mut needs = inbox(views, now_ns, &judgement.rules);
    // Who is over a budget may be stuck as well, and that is another need.
    needs.extend(joint::of_limits(views, now_ns, judgement));
    sort(&mut needs);
    needs
}

/// Returns the same by rules alone, without budgets that are set.
pub fn inbox(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Need> {
    let work = joint::of_work(views, now_ns, rules);
    let mut needs = source::of_actors(views, now_ns, rules);
    needs.retain(|need| !work.iter().any(|of_work| has_cause(need, of_work)));
    source::add_loops(views, &mut needs, now_ns, rules);
    needs.extend(source::of_deadlocks(views));
    let over_budget = joint::of_budgets(views, &needs, now_ns, rules);
    needs.extend(over_budget);
    needs.extend(joint::of_collisions(views, now_ns, rules));
    let stuck = source::of_stuck(views, &needs, now_ns, rules);
    needs.extend(stuck);
    // Whoever gave up on a piece of work may be stuck on another.
    needs.extend(work);
    sort(&mut needs);
    needs
}

/// Returns whether a need of an actor is that it gave up on a piece of work, which needs a person itself.
fn has_cause(need: &Need, of_work: &Need) -> bool {
    need.kind == of_work.kind
        && need.positions.iter().all(|position| of_work.positions.contains(position))
}

fn sort(needs: &mut [Need]) {
    needs.sort_by(|a, b| (a.kind, a.since, &a.id).cmp(&(b.kind, b.since, &b.id)));
}

#[cfg(test)]
mod tests;
