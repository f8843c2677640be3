//! What was used up: tokens and cost by actor, session, task, model and day, and how far budgets are used.
//!
//! The state keeps tokens as they were reported. What they would have cost, where nobody says what they did cost, is worked out
//! when rows are asked for, from the prices that come with the question.

mod budgets;
mod by_actor;
mod choice;
mod limits;
mod rows;
mod sums;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::money::Money;
use crate::name::Name;
use crate::shed::shed;
use crate::way::Way;
use crate::{Entry, View, snug};

pub use budgets::{BudgetMarks, BudgetRow, Limit, LimitOf, Mark, Per, Scope};
pub use rows::{By, UsageRow};

use budgets::Budgets;
use sums::{Counted, Put, Sums};

/// Sessions that are told apart. Of those that were used longest ago, model and day are kept.
pub const SESSIONS_MAX: usize = 10_000;
/// Parts of a session that are told apart, by actor, task, model, day and way. Of those used longest ago, the task is forgotten.
pub const PARTS_MAX: usize = 1_024;

const DAY_NS: i64 = 86_400_000_000_000;

/// Tokens of one or more answers. No token is in two of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Read, and neither from a cache nor into one.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
    /// Known as a sum alone.
    pub unsplit: u64,
}

impl Tokens {
    /// Returns all of them.
    pub fn total(&self) -> u64 {
        let Self { input, output, cache_read, cache_write, unsplit } = *self;
        [input, output, cache_read, cache_write, unsplit].into_iter().fold(0, u64::saturating_add)
    }

    fn add(&mut self, other: &Self) {
        self.change(other, u64::saturating_add);
    }

    fn take(&mut self, other: &Self) {
        self.change(other, less);
    }

    /// Changes each sum by the other's.
    fn change(&mut self, other: &Self, change: impl Fn(u64, u64) -> u64) {
        let pairs = [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.unsplit, other.unsplit),
        ];
        pairs.into_iter().for_each(|(sum, n)| *sum = change(*sum, n));
    }
}

/// Returns a sum without a part of it; one that was too large to be told stays so.
fn less(sum: u64, n: u64) -> u64 {
    if sum == u64::MAX { sum } else { sum.saturating_sub(n) }
}

/// What was reported, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    /// All tokens.
    tokens: Tokens,
    /// Those of them that no cost was said with.
    bare: Tokens,
    /// What was said to be the cost of the others, in nano-dollars.
    cost_nano: u64,
    /// What was said to have been spent without saying on how many tokens.
    lone_cost_nano: u64,
    n_reports: u64,
    first_ns: i64,
    last_ns: i64,
}

impl Tally {
    fn cost_nano(&self) -> u64 {
        self.cost_nano.saturating_add(self.lone_cost_nano)
    }

    fn add(&mut self, other: &Self) {
        if self.n_reports == 0 {
            *self = *other;
            return;
        }
        self.tokens.add(&other.tokens);
        self.bare.add(&other.bare);
        self.cost_nano = self.cost_nano.saturating_add(other.cost_nano);
        self.lone_cost_nano = self.lone_cost_nano.saturating_add(other.lone_cost_nano);
        self.n_reports = self.n_reports.saturating_add(other.n_reports);
        self.first_ns = self.first_ns.min(other.first_ns);
        self.last_ns = self.last_ns.max(other.last_ns);
    }

    /// Takes out what was added; when that was stays.
    fn take(&mut self, other: &Self) {
        self.tokens.take(&other.tokens);
        self.bare.take(&other.bare);
        self.cost_nano = less(self.cost_nano, other.cost_nano);
        self.lone_cost_nano = less(self.lone_cost_nano, other.lone_cost_nano);
        self.n_reports = less(self.n_reports, other.n_reports);
    }
}

/// What one actor used on one task with one model on one day, told in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Portion {
    model: Option<Name>,
    way: Way,
    actor: Option<Name>,
    task: Option<Name>,
    day: i64,
    tally: Tally,
}

impl Portion {
    fn key(&self) -> PortionKey<'_> {
        let Self { model, way, actor, task, day, tally: _ } = self;
        (model.as_deref(), *way, actor.as_deref(), task.as_deref(), *day)
    }
}

type PortionKey<'k> = (Option<&'k str>, Way, Option<&'k str>, Option<&'k str>, i64);

/// What one session used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Account {
    /// In the order of their keys.
    portions: Vec<Portion>,
    last_ns: i64,
}

impl Account {
    /// Takes in what was used. Returns where that was put, or nothing if tasks had to be forgotten.
    fn put(&mut self, key: PortionKey<'_>, tally: &Tally, names: &mut Sums) -> Option<Put> {
        self.last_ns = self.last_ns.max(tally.last_ns);
        let put = match self.portions.binary_search_by(|portion| portion.key().cmp(&key)) {
            Ok(idx) => {
                let before = Some(self.portions[idx].tally);
                self.portions[idx].tally.add(tally);
                Put { idx, before }
            }
            Err(idx) => {
                let (model, way, actor, task, day) = key;
                let [model, actor, task] =
                    [model, actor, task].map(|it| it.map(|text| names.name(text)));
                let portion = Portion { model, way, actor, task, day, tally: *tally };
                snug::insert(&mut self.portions, idx, portion);
                Put { idx, before: None }
            }
        };
        if self.portions.len() > PARTS_MAX {
            self.forget_tasks();
            return None;
        }
        Some(put)
    }

    /// Puts what belongs to the tasks used longest ago to no task.
    fn forget_tasks(&mut self) {
        let mut ages: Vec<i64> =
            self.portions.iter().map(|portion| portion.tally.last_ns).collect();
        ages.sort_unstable();
        let since_ns = ages[ages.len() / 2];
        let (kept, gone) = std::mem::take(&mut self.portions)
            .into_iter()
            .partition(|portion| portion.task.is_none() || portion.tally.last_ns >= since_ns);
        self.portions = kept;
        for portion in &gone {
            let (model, way, actor, _, day) = portion.key();
            let key = (model, way, actor, None, day);
            match self.portions.binary_search_by(|other| other.key().cmp(&key)) {
                Ok(idx) => self.portions[idx].tally.add(&portion.tally),
                Err(idx) => self.portions.insert(idx, Portion { task: None, ..portion.clone() }),
            }
        }
    }
}

/// What was used up.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Saved")]
pub struct UsageBook {
    sessions: HashMap<Name, Account>,
    /// What came without a session, by actor; the empty name for nobody.
    actors: HashMap<Name, Account>,
    /// What sessions used that are no longer told apart, by model and day alone.
    past: Vec<Portion>,
    budgets: Budgets,
    #[serde(skip)]
    sums: Sums,
}

/// What is saved of it.
#[derive(Deserialize)]
struct Saved {
    sessions: HashMap<Name, Account>,
    actors: HashMap<Name, Account>,
    past: Vec<Portion>,
    budgets: Budgets,
}

impl From<Saved> for UsageBook {
    fn from(saved: Saved) -> Self {
        let Saved { sessions, actors, past, budgets } = saved;
        let mut book = Self { sessions, actors, past, budgets, sums: Sums::default() };
        book.sum_up();
        book
    }
}

/// Sums follow from the rest.
impl PartialEq for UsageBook {
    fn eq(&self, other: &Self) -> bool {
        let Self { sessions, actors, past, budgets, sums: _ } = self;
        let others = (&other.sessions, &other.actors, &other.past, &other.budgets);
        (sessions, actors, past, budgets) == others
    }
}

impl View for UsageBook {
    const NAME: &'static str = "usage";
    const VERSION: u32 = 3;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        self.budgets.apply(entry);
        if entry.is_carried {
            return;
        }
        let Some(tally) = tally(entry) else { return };
        let facts = entry.facts;
        let (actor, task) = (facts.actor.as_deref(), facts.task.as_deref());
        let model = facts.usage.as_ref().and_then(|usage| usage.model.as_deref());
        let day = tally.last_ns.div_euclid(DAY_NS);
        let session = facts.session.as_deref();
        let name = self.sums.name(session.or(actor).unwrap_or_default());
        let accounts = if session.is_some() { &mut self.sessions } else { &mut self.actors };
        let account = accounts.entry(name.clone()).or_default();
        let before = Counted::of(account);
        let key = (model, Way::of(entry), actor, task, day);
        let put = account.put(key, &tally, &mut self.sums);
        if let Some(put) = put {
            self.sums.put(session.map(|_| &name), account, &before, put);
        }
        let gone = shed(accounts, SESSIONS_MAX, |account| account.last_ns);
        for (_, account) in &gone {
            self.past = choice::merged(std::mem::take(&mut self.past), account);
        }
        if put.is_none() || !gone.is_empty() {
            self.sum_up();
        }
    }
}

impl UsageBook {
    /// Makes the sums anew.
    fn sum_up(&mut self) {
        let mut sums = Sums::default();
        self.sessions.iter_mut().for_each(|(name, account)| sums.add(Some(name), account));
        self.actors.values_mut().for_each(|account| sums.add(None, account));
        sums.add_past(&self.past);
        self.sums = sums;
    }
}

/// Returns what an event says was used up; `None` if it says nothing of it.
fn tally(entry: &Entry<'_, '_>) -> Option<Tally> {
    let usage = entry.facts.usage.as_deref()?;
    let parts = [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
    ];
    let is_split = parts.iter().any(Option::is_some);
    let [input, output, cache_read, cache_write] = parts.map(|n| n.unwrap_or(0));
    let unsplit = if is_split { 0 } else { usage.total_tokens.unwrap_or(0) };
    let tokens = Tokens { input, output, cache_read, cache_write, unsplit };
    let cost_nano = usage.cost_usd.map(|dollars| Money::from_dollars(dollars).0);
    let is_nothing = tokens == Tokens::default() && cost_nano.is_none_or(|nano| nano == 0);
    if is_nothing {
        return None;
    }
    let has_tokens = tokens != Tokens::default();
    let (cost_nano, lone_cost_nano, bare) = match cost_nano {
        Some(nano) if has_tokens => (nano, 0, Tokens::default()),
        Some(nano) => (0, nano, Tokens::default()),
        None => (0, 0, tokens),
    };
    let at_ns = entry.time_ns();
    let (first_ns, last_ns) = (at_ns, at_ns);
    Some(Tally { tokens, bare, cost_nano, lone_cost_nano, n_reports: 1, first_ns, last_ns })
}

#[cfg(test)]
mod tests;
