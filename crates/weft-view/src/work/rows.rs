//! Work as rows.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::piece::{Now, Origin, Piece, WorkState};
use super::plan::PlanRow;
use super::{Work, producer_name};
use crate::first::first;
use crate::{At, First, Latest};

const NS_PER_MS: i64 = 1_000_000;
/// How long an actor has to be on other work before what it only mentioned counts as left.
const LEFT_NS: i64 = 600_000_000_000;

/// What came of each piece of work.
type Children<'w> = HashMap<&'w str, Vec<(&'w str, Origin)>>;

/// When each actor was last on any piece of work.
type Turned<'w> = HashMap<&'w str, i64>;

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkRow {
    /// Its id.
    pub id: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What state it is in.
    pub state: WorkState,
    /// Who has it, or had it when it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Since when it is in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<At>,
    /// For how long by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_state_ms: Option<u64>,
    /// Whether somebody can begin with it: nobody has it, and all that came of it is done.
    pub is_ready: bool,
    /// The parts of it that are not done, and theirs.
    pub blocked_by: Vec<String>,
    /// How often it was claimed.
    pub n_claims: u64,
    /// How often somebody tried to get it, as far as that is told.
    pub n_attempts: u64,
    /// How often a try did not succeed.
    pub n_retries: u64,
    /// How often the work on it failed.
    pub n_failures: u64,
    /// The piece of work that it came of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// How it came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What came of it.
    pub children: Vec<ChildRow>,
    /// The last event about it.
    pub last_seen: At,
    /// The record of that.
    pub position: u64,
}

/// A piece of work that came of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChildRow {
    /// Its id.
    pub id: String,
    /// How it came of it.
    pub origin: Origin,
    /// What state it is in.
    pub state: WorkState,
}

impl Work {
    /// Returns pieces of work: what is blocked or failed first, then what is in somebody's hands, then what is open, then what is
    /// done; of each the last touched first.
    pub fn rows(&self, now_ns: i64) -> Vec<WorkRow> {
        self.first(usize::MAX, now_ns).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize, now_ns: i64) -> First<WorkRow> {
        let (children, turned) = (self.children(), self.turned());
        let is_shown = |(id, piece): &(&String, &Piece)| {
            !piece.is_step_of(|run| self.plans.get(run).is_some_and(|plan| plan.has(id)))
        };
        let pieces = self.pieces.iter().filter(is_shown).map(|(id, piece)| {
            (self.now(piece, &turned).state, Reverse(piece.last_ns), id.as_str(), piece)
        });
        first(
            pieces.collect(),
            limit,
            |a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)),
            |(_, _, id, piece)| self.row(id, piece, (&children, &turned), now_ns),
        )
    }

    /// Returns the plans of runs, the last told first.
    pub fn plans(&self, now_ns: i64) -> Vec<PlanRow> {
        self.first_plans(usize::MAX, now_ns).rows
    }

    /// Returns the first of these.
    pub fn first_plans(&self, limit: usize, now_ns: i64) -> First<PlanRow> {
        let First { rows, n_more } = self.plans.first(limit, |run, book| book.row(run, now_ns));
        First { rows: rows.into_iter().flatten().collect(), n_more }
    }

    /// Returns when each actor was last on any piece of work.
    fn turned(&self) -> Turned<'_> {
        let mut turned = Turned::new();
        for hand in self.pieces.values().flat_map(Piece::hands) {
            let last = turned.entry(hand.actor).or_insert(hand.last_ns);
            *last = (*last).max(hand.last_ns);
        }
        turned
    }

    /// Returns how things are with a piece of work, by what happened to it and by what became of whoever has it.
    fn now<'p>(&self, piece: &'p Piece, turned: &Turned<'_>) -> Now<'p> {
        let mut now = piece.now();
        let is_held =
            matches!(now.state, WorkState::Working | WorkState::Claimed | WorkState::Blocked);
        let Some(holder) = now.holder.filter(|_| is_held) else { return now };
        let own = piece.hands().filter(|hand| hand.actor == holder).max_by_key(|hand| hand.last_ns);
        let Some(own) = own else { return now };
        let ending = self.ends.get(&producer_name(own.actor, own.session));
        let ending = ending.and_then(|ending| ending.last.as_ref()).map(Latest::value);
        if let Some((Some(state), at_ns)) = ending
            && *at_ns >= own.last_ns
        {
            (now.state, now.since_ns) = (*state, Some(*at_ns));
            return now;
        }
        let last_ns = turned.get(holder).copied().unwrap_or(own.last_ns);
        if piece.is_mentioned_only() && last_ns.saturating_sub(own.last_ns) >= LEFT_NS {
            (now.state, now.since_ns) = (WorkState::Left, Some(own.last_ns));
        }
        now
    }

    /// Returns what came of each piece of work.
    fn children(&self) -> Children<'_> {
        let mut children = Children::new();
        for (id, piece) in &self.pieces {
            if let Some((_, (Some(parent), origin))) = &piece.origin {
                children.entry(parent).or_default().push((id, *origin));
            }
        }
        children.values_mut().for_each(|of_one| of_one.sort_unstable());
        children
    }

    fn row(
        &self,
        id: &str,
        piece: &Piece,
        (children, turned): (&Children<'_>, &Turned<'_>),
        now_ns: i64,
    ) -> WorkRow {
        let now = self.now(piece, turned);
        let state_of = |id: &str| {
            self.pieces.get(id).map_or(WorkState::Open, |piece| self.now(piece, turned).state)
        };
        let came = children.get(id).map(Vec::as_slice).unwrap_or_default();
        let child = |(id, origin): &(&str, Origin)| {
            let (id, state) = (*id, state_of(id));
            ChildRow { id: id.to_owned(), origin: *origin, state }
        };
        let is_done = now.state == WorkState::Done;
        let blocked_by = if is_done { Vec::new() } else { open_parts(id, children, &state_of) };
        let is_free = matches!(now.state, WorkState::Open | WorkState::Released | WorkState::Split);
        let (parent, origin) = match &piece.origin {
            Some((_, (parent, origin))) => (parent.clone(), Some(*origin)),
            None => (None, None),
        };
        let counts = piece.counts;
        let in_state =
            |since_ns: i64| (now_ns.saturating_sub(since_ns) / NS_PER_MS).max(0).unsigned_abs();
        WorkRow {
            id: id.to_owned(),
            title: piece.title.as_ref().map(|(_, title)| title.clone()),
            state: now.state,
            actor: now.holder.map(str::to_owned),
            since: now.since_ns.map(At),
            in_state_ms: now.since_ns.map(in_state),
            is_ready: is_free && blocked_by.is_empty(),
            blocked_by,
            n_claims: counts.n_claims,
            n_attempts: counts.n_tries.max(counts.attempt).max(counts.n_claims),
            n_retries: counts.n_retries,
            n_failures: counts.n_failures,
            parent,
            origin,
            children: came.iter().map(child).collect(),
            last_seen: At(piece.last_ns),
            position: piece.last_position,
        }
    }
}

/// Returns the parts of a piece of work that are not done, and theirs, by their ids. Another way to do it is no part of it.
fn open_parts(
    id: &str,
    children: &Children<'_>,
    state_of: &impl Fn(&str) -> WorkState,
) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        for (child, origin) in children.get(id).into_iter().flatten() {
            let is_open = *origin == Origin::Child && state_of(child) != WorkState::Done;
            if let Some(idx) =
                open.binary_search_by(|known| known.as_str().cmp(child)).err().filter(|_| is_open)
            {
                open.insert(idx, (*child).to_owned());
                waiting.push(child);
            }
        }
    }
    open
}
