//! Budgets: those that producers report on, and those that the caller sets.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use weft_event::report::{Budget, Part};

use super::rows::{By, UsageRow, day_name};
use super::{DAY_NS, UsageBook};
use crate::bounded::Bounded;
use crate::money::Money;
use crate::prices::Prices;
use crate::{At, Entry, Latest};

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// How it is shared out.
    pub per: Per,
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
}

/// What producers say of their budgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Budgets {
    actors: Bounded<Vec<Register>, ACTORS_MAX>,
}

/// The newest word of one producer on one budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Register {
    session: Option<String>,
    task: Option<String>,
    said: Latest<Said>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Said {
    at_ns: i64,
    mark: Mark,
    /// In billionths of the budget's unit.
    used: Option<u64>,
    limit: Option<u64>,
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
        let said = Said { at_ns: entry.time_ns(), mark, used, limit };
        let session = facts.session.as_deref();
        let Some(registers) = self.actors.touch(actor, entry.time_ns()) else { return };
        let key = |register: &Register| {
            (register.session.as_deref(), register.task.as_deref()).cmp(&(session, task))
        };
        let said = Latest::new(entry.stamp(), said);
        match registers.binary_search_by(key) {
            Ok(idx) if registers[idx].said.stamp() <= said.stamp() => registers[idx].said = said,
            Ok(_) => {}
            Err(idx) => {
                let [session, task] = [session, task].map(|it| it.map(str::to_owned));
                registers.insert(idx, Register { session, task, said });
            }
        }
        if registers.len() > BUDGETS_MAX {
            let age = |idx: &usize| (registers[*idx].said.value().at_ns, *idx);
            let oldest = (0..registers.len()).min_by_key(age);
            oldest.into_iter().for_each(|idx| drop(registers.remove(idx)));
        }
    }

    fn rows(&self, marks: &BudgetMarks) -> Vec<BudgetRow> {
        let mut rows = Vec::new();
        for (actor, registers) in self.actors.iter() {
            let mut newest: HashMap<Option<&str>, &Register> = HashMap::new();
            for register in registers {
                let said = |register: &Register| {
                    (register.said.value().at_ns, register.said.stamp().position())
                };
                newest
                    .entry(register.task.as_deref())
                    .and_modify(|other| {
                        *other = std::cmp::max_by_key(*other, register, |it| said(it))
                    })
                    .or_insert(register);
            }
            rows.extend(newest.into_values().map(|register| register.row(actor, marks)));
        }
        rows
    }
}

impl Register {
    fn row(&self, actor: &str, marks: &BudgetMarks) -> BudgetRow {
        let Said { at_ns, mark, used, limit } = self.said.value();
        let [used, limit] = [used, limit].map(|it| it.map(|parts| parts as f64 / UNIT));
        let fraction = fraction(used, limit);
        BudgetRow {
            mark: mark_of(fraction, marks).max(*mark),
            scope: if self.task.is_some() { Scope::Task } else { Scope::Actor },
            actor: Some(actor.to_owned()),
            session: self.session.clone(),
            task: self.task.clone(),
            day: None,
            used,
            limit,
            unit: None,
            fraction,
            position: Some(self.said.stamp().position()),
            since: Some(At(*at_ns)),
        }
    }
}

fn fraction(used: Option<f64>, limit: Option<f64>) -> Option<f64> {
    let (used, limit) = used.zip(limit)?;
    (limit > 0.0).then(|| used / limit)
}

fn mark_of(fraction: Option<f64>, marks: &BudgetMarks) -> Mark {
    match fraction {
        Some(fraction) if fraction >= 1.0 => Mark::Exceeded,
        Some(fraction) if fraction >= marks.critical => Mark::Critical,
        Some(fraction) if fraction >= marks.warning => Mark::Warning,
        Some(_) | None => Mark::Ok,
    }
}

impl UsageBook {
    /// Returns what producers say of their budgets, those used most first. Of several sessions of an actor the latest speaks.
    pub fn budgets(&self, marks: &BudgetMarks) -> Vec<BudgetRow> {
        sorted(self.budgets.rows(marks))
    }

    /// Returns how far budgets are used that the caller sets, by what counts in the rows of usage; of days, the one of `now_ns`.
    pub fn limits(
        &self,
        limits: &[Limit],
        prices: &Prices,
        marks: &BudgetMarks,
        now_ns: i64,
    ) -> Vec<BudgetRow> {
        let today = day_name(now_ns.div_euclid(DAY_NS));
        let mut rows = Vec::new();
        for limit in limits {
            let (by, scope) = match limit.per {
                Per::Actor => (By::Actor, Scope::Actor),
                Per::Session => (By::Session, Scope::Session),
                Per::Day => (By::Day, Scope::Day),
            };
            let used = self.rows(by, prices).into_iter().filter(|row| match limit.per {
                Per::Actor | Per::Session => row.name.is_some(),
                Per::Day => row.name.as_ref() == Some(&today),
            });
            rows.extend(used.map(|row| limited(limit.of, scope, row, marks)));
        }
        sorted(rows)
    }
}

fn limited(of: LimitOf, scope: Scope, row: UsageRow, marks: &BudgetMarks) -> BudgetRow {
    let (used, limit, unit) = match of {
        LimitOf::Cost(limit) => (row.cost_usd.dollars(), limit.dollars(), "usd"),
        LimitOf::Tokens(limit) => (row.total_tokens as f64, limit as f64, "tokens"),
    };
    let fraction = fraction(Some(used), Some(limit));
    let name_if = |wanted: Scope| (scope == wanted).then(|| row.name.clone()).flatten();
    BudgetRow {
        mark: mark_of(fraction, marks),
        scope,
        actor: name_if(Scope::Actor),
        session: name_if(Scope::Session),
        task: name_if(Scope::Task),
        day: name_if(Scope::Day),
        used: Some(used),
        limit: Some(limit),
        unit: Some(unit),
        fraction,
        position: None,
        since: row.last_seen,
    }
}

/// Returns rows with those that are used most first.
fn sorted(mut rows: Vec<BudgetRow>) -> Vec<BudgetRow> {
    rows.sort_by(|a, b| {
        let name = |row: &BudgetRow| {
            let BudgetRow { scope, actor, session, task, day, unit, .. } = row.clone();
            (scope, actor, session, task, day, unit)
        };
        let fraction = |row: &BudgetRow| row.fraction.unwrap_or(0.0);
        b.mark
            .cmp(&a.mark)
            .then_with(|| fraction(b).total_cmp(&fraction(a)))
            .then_with(|| name(a).cmp(&name(b)))
    });
    rows
}
