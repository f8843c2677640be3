//! Budgets: what they are, and those that producers report on.

use std::cmp::{Ordering, Reverse};
use std::iter::Peekable;

use serde::{Deserialize, Serialize};
use weft_event::report::{Budget, Part};

use super::UsageBook;
use crate::first::first;
use crate::money::Money;
use crate::ordered::{self, Ordered};
use crate::{At, Entry, First, Latest, Stamp, snug};

/// Actors whose budgets are kept.
const ACTORS_MAX: usize = 4_096;
/// Budgets that are kept of one actor, by session and task.
const BUDGETS_MAX: usize = 64;

/// Parts that a unit of a budget is counted in, so that figures are saved exactly.
const UNIT: f64 = 1e9;

/// From which share on a budget is worth a warning, and critical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetMarks {
    /// Worth a warning.
    pub warning: f64,
    /// Critical.
    pub critical: f64,
}

impl Default for BudgetMarks {
    fn default() -> Self {
        Self { warning: 0.80, critical: 0.95 }
    }
}

/// How far a budget is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// There is enough left.
    Ok,
    /// Much of it is used.
    Warning,
    /// Nearly all of it is used.
    Critical,
    /// All of it is used.
    Exceeded,
}

impl Mark {
    /// All of them, the worst first.
    const ALL: [Self; 4] = [Mark::Exceeded, Mark::Critical, Mark::Warning, Mark::Ok];
}

/// What a budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// An actor, by the producer's or the caller's word.
    Actor,
    /// A piece of work.
    Task,
    /// A session.
    Session,
    /// A day, in UTC.
    Day,
}

/// How a budget is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Each actor has one.
    Actor,
    /// Each session has one.
    Session,
    /// Each piece of work has one.
    Task,
    /// Each day has one, in UTC.
    Day,
}

/// What a budget allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitOf {
    /// So much money; estimates count.
    Cost(Money),
    /// So many tokens of all kinds.
    Tokens(u64),
}

/// A budget that the caller sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// How it is shared out: by each of these, such as one for each actor on each day. There is at least one.
    pub per: Vec<Per>,
    /// What it allows.
    pub of: LimitOf,
}

/// One budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BudgetRow {
    /// How far it is used.
    pub mark: Mark,
    /// What it is for.
    pub scope: Scope,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The session that it is for, or that it was reported in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The piece of work that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The day that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// How much is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<f64>,
    /// How much it allows, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Who used most of it, where it is not one actor's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spender: Option<String>,
    /// The unit: `usd` or `tokens`; a producer's own is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// How much of it is used, 1 for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
    /// The record that says so, where a producer does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// When it was said, or last used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<At>,
    /// Where in the producer's own order it was said, where a producer does.
    #[serde(skip)]
    pub(crate) said: Option<Stamp>,
    /// When a producer first said that it is used up.
    #[serde(skip)]
    pub(crate) first_over: Option<At>,
}

/// What producers say of their budgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Budgets {
    actors: Ordered<Registers, ACTORS_MAX>,
}

/// What one actor says of its budgets, by session, task and limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Registers(Vec<Register>);

/// Those that are said to be used most first: by what was said, by how much is used of it, and which of the actor's it is.
///
/// How much is worth a warning is for whoever asks to say, so that each of the words that are said is an order of its own.
type Rank = (Reverse<Mark>, Reverse<Share>, usize);

/// How much of a budget is used, in the order of the amounts; 0 where that is not known.
type Share = u64;

impl ordered::Ranked for Registers {
    type Rank = Rank;
    type Ranks = Vec<Rank>;

    fn ranks(&self) -> Self::Ranks {
        let newest = self.newest();
        newest.into_iter().map(|idx| self.0[idx].rank(idx)).collect()
    }
}

/// The newest word of one producer on one budget. Where more is allowed, that is another budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Register {
    session: Option<String>,
    task: Option<String>,
    /// In billionths of the budget's unit.
    limit: Option<u64>,
    said: Latest<Said>,
    /// Where the producer first says that it is used up, and when that was.
    first_over: Option<(Stamp, i64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Said {
    at_ns: i64,
    mark: Mark,
    /// In billionths of the budget's unit.
    used: Option<u64>,
}

impl Budgets {
    pub(super) fn apply(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let usage = facts.usage.as_deref();
        let budget =
            if let Part::Budget(budget) = &entry.report.part { Some(*budget) } else { None };
        let figures = [usage.and_then(|usage| usage.used), usage.and_then(|usage| usage.limit)];
        if budget.is_none() && figures.iter().any(Option::is_none) {
            return;
        }
        let Some(actor) = facts.actor.as_deref() else { return };
        let (mark, task) = match budget {
            None => (Mark::Ok, None),
            Some(Budget::Warning) => (Mark::Warning, None),
            Some(Budget::Exceeded) => (Mark::Exceeded, None),
            Some(Budget::TaskExceeded) => (Mark::Exceeded, facts.task.as_deref()),
        };
        let [used, limit] = figures.map(|it| it.map(|amount| (amount * UNIT).round() as u64));
        let (at_ns, stamp) = (entry.seen_ns(), entry.stamp());
        let session = facts.session.as_deref();
        let first_over = Some((stamp, at_ns)).filter(|_| {
            let is_used_up = used.zip(limit).is_some_and(|(used, limit)| used >= limit);
            is_used_up || mark == Mark::Exceeded
        });
        let said = Latest::new(stamp, Said { at_ns, mark, used });
        let [session, task] = [session, task].map(|it| it.map(str::to_owned));
        let register = Register { session, task, limit, said, first_over };
        self.actors.change(actor, at_ns, |registers| registers.put(register));
    }

    /// Returns how many there are.
    pub(super) fn n_budgets(&self) -> usize {
        self.actors.n_shown()
    }

    /// Returns all of them, those that are used most first; those that are used as much in no order.
    pub(super) fn by_use<'b>(&'b self, marks: &'b BudgetMarks) -> impl Iterator<Item = Ranked<'b>> {
        let mut said = Mark::ALL.map(|mark| self.said(mark, marks).peekable());
        std::iter::from_fn(move || {
            let use_of = |of: &mut Peekable<_>| of.peek().map(Ranked::how_far);
            let uses = said.iter_mut().enumerate().filter_map(|(idx, of)| Some((use_of(of)?, idx)));
            let most = uses.max_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            said[most?.1].next()
        })
    }

    /// Returns those of which one thing is said, those that are used most first.
    fn said<'b>(&'b self, mark: Mark, marks: &'b BudgetMarks) -> impl Iterator<Item = Ranked<'b>> {
        let from = self.actors.from((Reverse(mark), Reverse(Share::MAX), 0));
        let all = from.take_while(move |(rank, _, _)| rank.0 == Reverse(mark));
        all.map(|(rank, actor, registers)| registers.0[rank.2].ranked(actor, marks))
    }
}

impl Registers {
    fn put(&mut self, register: Register) {
        let Self(all) = self;
        match all.binary_search_by(|known| known.key().cmp(&register.key())) {
            Ok(idx) => all[idx].put(register.said, register.first_over),
            Err(idx) => snug::insert(all, idx, register),
        }
        if all.len() > BUDGETS_MAX {
            let age = |idx: &usize| (all[*idx].said.value().at_ns, *idx);
            let oldest = (0..all.len()).min_by_key(age);
            oldest.into_iter().for_each(|idx| drop(all.remove(idx)));
        }
    }

    /// Returns which of them count: of several sessions the latest speaks.
    fn newest(&self) -> Vec<usize> {
        let Self(all) = self;
        let mut newest: Vec<usize> = Vec::new();
        for idx in 0..all.len() {
            match newest.iter_mut().find(|other| all[**other].task == all[idx].task) {
                Some(other) => *other = std::cmp::max_by_key(*other, idx, |at| all[*at].said_at()),
                None => newest.push(idx),
            }
        }
        newest
    }
}

/// A budget that a row may be made of, and what it is ordered by.
pub(super) struct Ranked<'b> {
    mark: Mark,
    fraction: Option<f64>,
    of: Of<'b>,
}

enum Of<'b> {
    /// One that a producer reports on, and the actor whose it is.
    Register(&'b str, &'b Register),
    /// One that the caller sets.
    Row(Box<BudgetRow>),
}

impl From<BudgetRow> for Ranked<'_> {
    fn from(row: BudgetRow) -> Self {
        Self { mark: row.mark, fraction: row.fraction, of: Of::Row(Box::new(row)) }
    }
}

impl Ranked<'_> {
    /// Returns what tells a budget from the others.
    fn name(&self) -> (Scope, [Option<&str>; 4], Option<&'static str>) {
        match &self.of {
            Of::Register(actor, register) => {
                let [session, task] = [&register.session, &register.task].map(Option::as_deref);
                (register.scope(), [Some(actor), session, task, None], None)
            }
            Of::Row(row) => {
                let names = [&row.actor, &row.session, &row.task, &row.day].map(|it| it.as_deref());
                (row.scope, names, row.unit)
            }
        }
    }

    /// Returns how far it is used.
    pub(super) fn how_far(&self) -> (Mark, f64) {
        (self.mark, self.fraction.unwrap_or(0.0))
    }

    fn order(&self, other: &Self) -> Ordering {
        let ((mark, fraction), (other_mark, other_fraction)) = (self.how_far(), other.how_far());
        let by_use = || other_fraction.total_cmp(&fraction);
        let by_mark = other_mark.cmp(&mark);
        by_mark.then_with(by_use).then_with(|| self.name().cmp(&other.name()))
    }

    fn row(self) -> BudgetRow {
        match self.of {
            Of::Register(actor, register) => register.row(actor, self.mark, self.fraction),
            Of::Row(row) => *row,
        }
    }
}

/// Returns rows of the first budgets, those that are used most.
pub(super) fn most_used(ranked: Vec<Ranked<'_>>, limit: usize) -> First<BudgetRow> {
    first(ranked, limit, Ranked::order, Ranked::row)
}

impl Register {
    fn key(&self) -> (Option<&str>, Option<&str>, Option<u64>) {
        (self.session.as_deref(), self.task.as_deref(), self.limit)
    }

    fn rank(&self, idx: usize) -> Rank {
        let [used, limit] = self.figures();
        // Amounts are not less than nothing, and such are in the order of their bits.
        let share = fraction(used, limit).map_or(0, |fraction| fraction.to_bits() + 1);
        (Reverse(self.said.value().mark), Reverse(share), idx)
    }

    fn put(&mut self, said: Latest<Said>, over: Option<(Stamp, i64)>) {
        if self.said.stamp() <= said.stamp() {
            self.said = said;
        }
        self.first_over = [self.first_over, over].into_iter().flatten().min();
    }

    /// Returns when it was said, and where.
    fn said_at(&self) -> (i64, u64) {
        (self.said.value().at_ns, self.said.stamp().position())
    }

    fn scope(&self) -> Scope {
        if self.task.is_some() { Scope::Task } else { Scope::Actor }
    }

    /// Returns how much is used and how much is allowed.
    fn figures(&self) -> [Option<f64>; 2] {
        [self.said.value().used, self.limit].map(|it| it.map(|parts| parts as f64 / UNIT))
    }

    fn ranked<'b>(&'b self, actor: &'b str, marks: &BudgetMarks) -> Ranked<'b> {
        let [used, limit] = self.figures();
        let fraction = fraction(used, limit);
        let mark = mark_of(fraction, marks).max(self.said.value().mark);
        Ranked { mark, fraction, of: Of::Register(actor, self) }
    }

    fn row(&self, actor: &str, mark: Mark, fraction: Option<f64>) -> BudgetRow {
        let [used, limit] = self.figures();
        BudgetRow {
            mark,
            scope: self.scope(),
            actor: Some(actor.to_owned()),
            session: self.session.clone(),
            task: self.task.clone(),
            day: None,
            used,
            limit,
            spender: None,
            unit: None,
            fraction,
            position: Some(self.said.stamp().position()),
            since: Some(At(self.said.value().at_ns)),
            said: Some(self.said.stamp()),
            first_over: self.first_over.map(|(_, at_ns)| At(at_ns)),
        }
    }
}

pub(super) fn fraction(used: Option<f64>, limit: Option<f64>) -> Option<f64> {
    let (used, limit) = used.zip(limit)?;
    (limit > 0.0).then(|| used / limit)
}

pub(super) fn mark_of(fraction: Option<f64>, marks: &BudgetMarks) -> Mark {
    match fraction {
        Some(fraction) if fraction >= 1.0 => Mark::Exceeded,
        Some(fraction) if fraction >= marks.critical => Mark::Critical,
        Some(fraction) if fraction >= marks.warning => Mark::Warning,
        Some(_) | None => Mark::Ok,
    }
}

impl Scope {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Actor => "actor",
            Scope::Task => "task",
            Scope::Session => "session",
            Scope::Day => "day",
        }
    }

    /// Returns who has a budget of this scope, in words.
    pub(crate) fn each(self) -> &'static str {
        match self {
            Scope::Actor => "an actor",
            Scope::Task => "a piece of work",
            Scope::Session => "a session",
            Scope::Day => "a day",
        }
    }
}

impl UsageBook {
    /// Returns what producers say of their budgets, those used most first. Of several sessions of an actor the latest speaks.
    pub fn budgets(&self, marks: &BudgetMarks) -> Vec<BudgetRow> {
        most_used(self.budgets.by_use(marks).collect(), usize::MAX).rows
    }

    /// Returns those of them that are nearly or wholly used up.
    pub(crate) fn critical_budgets(&self, marks: &BudgetMarks) -> Vec<BudgetRow> {
        let is_critical = |ranked: &Ranked<'_>| ranked.mark >= Mark::Critical;
        most_used(self.budgets.by_use(marks).take_while(is_critical).collect(), usize::MAX).rows
    }
}
