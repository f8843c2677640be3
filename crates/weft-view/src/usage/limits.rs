//! Budgets that the caller sets, held against what counts in the rows of usage.

use std::collections::{BTreeMap, HashMap};

use super::budgets::{Ranked, fraction, mark_of, most_used};
use super::rows::day_name;
use super::{
    BudgetMarks, BudgetRow, DAY_NS, Limit, LimitOf, Per, Portion, Scope, UsageBook, UsageRow,
};
use crate::name::Name;
use crate::prices::{Estimate, Prices};
use crate::{First, Judgement};

/// Whose share of a budget something is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Owner {
    actor: Option<String>,
    session: Option<String>,
    task: Option<String>,
    day: Option<i64>,
}

/// What was used of one share.
#[derive(Default)]
struct Share {
    row: UsageRow,
    /// What each actor used of it: cost, then tokens.
    spenders: BTreeMap<Name, (u64, u64)>,
}

impl UsageBook {
    /// Returns every budget: what producers say of theirs, and those that are set; those used most first.
    pub fn all_budgets(&self, judgement: &Judgement, now_ns: i64) -> Vec<BudgetRow> {
        self.first_budgets(usize::MAX, judgement, now_ns).rows
    }

    /// Returns the first of these.
    pub fn first_budgets(
        &self,
        limit: usize,
        judgement: &Judgement,
        now_ns: i64,
    ) -> First<BudgetRow> {
        let Judgement { rules, prices, limits } = judgement;
        let marks = rules.budget_marks();
        let mut ranked: Vec<Ranked<'_>> = Vec::new();
        // Where several are used as much, their names decide.
        for budget in self.budgets.by_use(&marks) {
            let is_as_far = |last: &Ranked<'_>| last.how_far() == budget.how_far();
            if ranked.len() >= limit && !ranked.last().is_some_and(is_as_far) {
                break;
            }
            ranked.push(budget);
        }
        let n_left = self.budgets.n_budgets() - ranked.len();
        let set = self.limits(limits, prices, &marks, now_ns);
        ranked.extend(set.into_iter().map(Ranked::from));
        let First { rows, n_more } = most_used(ranked, limit);
        First { rows, n_more: n_more + n_left }
    }

    /// Returns how far budgets are used that the caller sets; of days, the one of `now_ns`.
    pub fn limits(
        &self,
        limits: &[Limit],
        prices: &Prices,
        marks: &BudgetMarks,
        now_ns: i64,
    ) -> Vec<BudgetRow> {
        if limits.is_empty() {
            return Vec::new();
        }
        let today = now_ns.div_euclid(DAY_NS);
        let mut shares: HashMap<(usize, Owner), Share> = HashMap::new();
        self.each(prices, |session, portion, estimate| {
            for (idx, limit) in limits.iter().enumerate() {
                if let Some(owner) = owner(limit, session, portion, today) {
                    shares.entry((idx, owner)).or_default().add(portion, &estimate);
                }
            }
        });
        let row = |((idx, owner), share): ((usize, Owner), Share)| {
            Ranked::from(limited(&limits[idx], owner, share, marks))
        };
        most_used(shares.into_iter().map(row).collect(), usize::MAX).rows
    }
}

/// Returns whose share of a budget something counts to; `None` if it counts to none.
fn owner(limit: &Limit, session: Option<&str>, portion: &Portion, today: i64) -> Option<Owner> {
    let mut owner = Owner::default();
    for per in &limit.per {
        match per {
            Per::Actor => owner.actor = Some(portion.actor.as_deref()?.to_owned()),
            Per::Session => owner.session = Some(session?.to_owned()),
            Per::Task => owner.task = Some(portion.task.as_deref()?.to_owned()),
            Per::Day if portion.day == today => owner.day = Some(today),
            Per::Day => return None,
        }
    }
    Some(owner)
}

impl Share {
    fn add(&mut self, portion: &Portion, estimate: &Estimate<'_>) {
        self.row.add(&portion.tally, estimate);
        if let Some(actor) = &portion.actor {
            let spent = self.spenders.entry(actor.clone()).or_default();
            let nano = portion.tally.cost_nano().saturating_add(estimate.nano);
            spent.0 = spent.0.saturating_add(nano);
            spent.1 = spent.1.saturating_add(portion.tally.tokens.total());
        }
    }
}

fn limited(limit: &Limit, owner: Owner, share: Share, marks: &BudgetMarks) -> BudgetRow {
    let Share { row, spenders } = share;
    let (used, allowed, unit) = match limit.of {
        LimitOf::Cost(limit) => (row.cost_usd.dollars(), limit.dollars(), "usd"),
        LimitOf::Tokens(limit) => (row.total_tokens as f64, limit as f64, "tokens"),
    };
    let fraction = fraction(Some(used), Some(allowed));
    // Of those who used the same, the first by name.
    let most = spenders.into_iter().rev().max_by_key(|(_, spent)| *spent);
    BudgetRow {
        mark: mark_of(fraction, marks),
        scope: scope(&owner),
        spender: most.map(|(actor, _)| actor.to_string()).filter(|_| owner.actor.is_none()),
        actor: owner.actor,
        session: owner.session,
        task: owner.task,
        day: owner.day.map(day_name),
        used: Some(used),
        limit: Some(allowed),
        unit: Some(unit),
        fraction,
        position: None,
        since: row.last_seen,
        said: None,
        first_over: None,
    }
}

/// Returns the narrowest that a share is for.
fn scope(owner: &Owner) -> Scope {
    match owner {
        Owner { session: Some(_), .. } => Scope::Session,
        Owner { task: Some(_), .. } => Scope::Task,
        Owner { actor: Some(_), .. } => Scope::Actor,
        Owner { .. } => Scope::Day,
    }
}
