//! What each actor, session, task, model and day used, summed up as it comes, and in the order in which it is shown.
//!
//! Sums follow from what the book keeps and are not saved. They are kept in the order that the prices make which Weft comes with;
//! with other prices the sums are put in order when they are asked for.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::rows::day_name;
use super::{Account, By, Portion, Tally, Tokens, UsageRow, choice};
use crate::first::first;
use crate::name::Name;
use crate::prices::{self, Estimate, Prices, Rater};
use crate::{First, snug};

/// What usage is summed up under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Group {
    Name(Option<Name>),
    Day(i64),
}

/// What a sum is ordered by: cost, then tokens.
type Weight = (u64, u64);

/// Sums by every grouping.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    by_actor: Groups,
    by_session: Groups,
    by_task: Groups,
    by_model: Groups,
    by_day: Groups,
    /// Every name that is in a sum, once.
    names: HashSet<Name>,
    /// What each model costs by the prices that Weft comes with.
    prices: HashMap<Name, Price>,
}

type Price = Option<&'static prices::Row>;

/// Sums by one grouping.
#[derive(Clone, Debug, Default)]
struct Groups {
    sums: HashMap<Group, Sum>,
    /// Of those with anything that counts.
    order: BTreeSet<(Reverse<Weight>, Group)>,
}

/// What one group used.
#[derive(Clone, Debug)]
struct Sum {
    /// What counts, by model, since models have prices.
    parts: Vec<Part>,
    weight: Weight,
    /// When something was first and last told of it, in whatever way.
    first_ns: i64,
    last_ns: i64,
}

#[derive(Clone, Debug)]
struct Part {
    model: Option<Name>,
    price: Price,
    n_portions: u32,
    tally: Tally,
}

/// What counts of a portion, and what counted before.
#[derive(Clone, Copy)]
struct Change<'p> {
    portion: &'p Portion,
    price: Price,
    was: Option<&'p Tally>,
    is: Option<&'p Tally>,
}

/// Which prices make an estimate.
enum At<'p, 'r> {
    BuiltIn,
    Others(&'r mut Rater<'p>),
}

/// Which portions of an account count.
pub(super) enum Counted {
    /// All of them, and whether they are paid for.
    All { is_paid: bool },
    /// Some of them, as one of several ways says most.
    Some { is_counted: Vec<bool>, is_paid: bool },
}

/// Where in an account something was put.
#[derive(Clone, Copy, Debug)]
pub(super) struct Put {
    pub(super) idx: usize,
    /// What was there before; nothing if it is new.
    pub(super) before: Option<Tally>,
}

impl Counted {
    pub(super) fn of(account: &Account) -> Self {
        let portions = &account.portions;
        let counted = choice::counted(account);
        let is_paid = choice::is_paid(&counted);
        if counted.len() == portions.len() {
            return Self::All { is_paid };
        }
        // Those that count are in the order of all.
        let mut next = counted.into_iter().peekable();
        let is_counted = portions
            .iter()
            .map(|portion| next.next_if(|counted| std::ptr::eq(*counted, portion)).is_some())
            .collect();
        Self::Some { is_counted, is_paid }
    }

    /// Returns what counts of a portion at a place, of which this was told.
    fn tally(&self, idx: usize, told: Option<&Tally>) -> Option<Tally> {
        let is_paid = match self {
            Self::All { is_paid } => is_paid,
            Self::Some { is_counted, is_paid } if is_counted[idx] => is_paid,
            Self::Some { .. } => return None,
        };
        let bare = |told: &Tally| if *is_paid { Tokens::default() } else { told.bare };
        told.map(|told| Tally { bare: bare(told), ..*told })
    }
}

impl Sums {
    /// Adds the whole account of a session or an actor.
    pub(super) fn add(&mut self, session: Option<&Name>, account: &mut Account) {
        for Portion { model, actor, task, .. } in &mut account.portions {
            [model, actor, task].into_iter().flatten().for_each(|name| *name = self.name(name));
        }
        let counted = Counted::of(account);
        for (idx, portion) in account.portions.iter().enumerate() {
            let tally = counted.tally(idx, Some(&portion.tally));
            self.change(session, portion, None, tally.as_ref());
        }
    }

    /// Adds what is kept of accounts that are no longer told apart.
    pub(super) fn add_past(&mut self, past: &[Portion]) {
        for portion in past {
            let is_paid = choice::is_paid(&[portion]);
            let tally = Counted::All { is_paid }.tally(0, Some(&portion.tally));
            self.change(None, portion, None, tally.as_ref());
        }
    }

    /// Takes in that something was put into the account of a session or an actor.
    pub(super) fn put(
        &mut self,
        session: Option<&Name>,
        account: &Account,
        before: &Counted,
        put: Put,
    ) {
        let after = Counted::of(account);
        let is_one = match (before, &after) {
            (Counted::All { is_paid: was_paid }, Counted::All { is_paid }) => was_paid == is_paid,
            (Counted::All { .. } | Counted::Some { .. }, _) => false,
        };
        // Mostly nothing changes but what was put in.
        let changed = if is_one { put.idx..put.idx + 1 } else { 0..account.portions.len() };
        for idx in changed {
            let portion = &account.portions[idx];
            let is_moved = put.before.is_none() && idx > put.idx;
            let told = if idx == put.idx { put.before } else { Some(portion.tally) };
            let was = told.and_then(|told| before.tally(idx - usize::from(is_moved), Some(&told)));
            let is = after.tally(idx, Some(&portion.tally));
            if was != is || idx == put.idx {
                self.change(session, portion, was.as_ref(), is.as_ref());
            }
        }
    }

    /// Puts what counts of a portion in the place of what counted of it.
    fn change(
        &mut self,
        session: Option<&Name>,
        portion: &Portion,
        was: Option<&Tally>,
        is: Option<&Tally>,
    ) {
        let known = &mut self.prices;
        let find =
            |model: &Name| *known.entry(model.clone()).or_insert_with(|| Prices::built_in(model));
        let price = portion.model.as_ref().and_then(find);
        let change = Change { portion, price, was, is };
        self.by_actor.change(Group::Name(portion.actor.clone()), change);
        self.by_session.change(Group::Name(session.cloned()), change);
        self.by_task.change(Group::Name(portion.task.clone()), change);
        self.by_model.change(Group::Name(portion.model.clone()), change);
        self.by_day.change(Group::Day(portion.day), change);
    }

    /// Returns a name as it stands here already, if it does.
    pub(super) fn name(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name = Name::from(text);
        self.names.insert(name.clone());
        name
    }

    /// Returns the first rows of a grouping.
    pub(super) fn first(&self, limit: usize, by: By, prices: &Prices) -> First<UsageRow> {
        let groups = match by {
            By::Actor => &self.by_actor,
            By::Session => &self.by_session,
            By::Task => &self.by_task,
            By::Model => &self.by_model,
            By::Day => &self.by_day,
        };
        if prices.is_built_in() {
            let shown = groups.order.iter().take(limit).map(|(_, group)| group);
            let rows: Vec<UsageRow> =
                shown.map(|group| groups.sums[group].row(group, &mut At::BuiltIn)).collect();
            let n_more = groups.order.len() - rows.len();
            return First { rows, n_more };
        }
        let mut rater = prices.rater();
        let mut at = At::Others(&mut rater);
        let counted = groups.sums.iter().filter(|(_, sum)| !sum.parts.is_empty());
        let all = counted.map(|(group, sum)| (Reverse(sum.weigh(&mut at)), group, sum)).collect();
        let order = |a: &(_, _, _), b: &(_, _, _)| (a.0, a.1).cmp(&(b.0, b.1));
        first(all, limit, order, |(_, group, sum)| sum.row(group, &mut at))
    }
}

impl Groups {
    fn change(&mut self, group: Group, change: Change<'_>) {
        let Self { sums, order } = self;
        let Tally { first_ns, last_ns, .. } = change.portion.tally;
        let sum = sums.entry(group.clone()).or_insert_with(|| Sum {
            parts: Vec::new(),
            weight: Weight::default(),
            first_ns,
            last_ns,
        });
        let was_shown = !sum.parts.is_empty();
        (sum.first_ns, sum.last_ns) = (sum.first_ns.min(first_ns), sum.last_ns.max(last_ns));
        sum.change(change);
        let weight = sum.weigh(&mut At::BuiltIn);
        let before = std::mem::replace(&mut sum.weight, weight);
        let is_shown = !sum.parts.is_empty();
        if (was_shown, before) == (is_shown, weight) {
            return;
        }
        let mut at = (Reverse(before), group);
        if was_shown {
            order.remove(&at);
        }
        if is_shown {
            at.0 = Reverse(weight);
            order.insert(at);
        }
    }
}

impl Sum {
    fn change(&mut self, Change { portion, price, was, is }: Change<'_>) {
        let found = self.parts.iter().position(|part| part.model == portion.model);
        let idx = match found {
            Some(idx) => idx,
            None if is.is_none() => return,
            None => {
                let (model, tally) = (portion.model.clone(), Tally::default());
                let (idx, part) = (self.parts.len(), Part { model, price, n_portions: 0, tally });
                snug::insert(&mut self.parts, idx, part);
                idx
            }
        };
        let part = &mut self.parts[idx];
        if let Some(was) = was {
            part.tally.take(was);
            part.n_portions -= 1;
        }
        if let Some(is) = is {
            part.tally.add(is);
            part.n_portions += 1;
        }
        if part.n_portions == 0 {
            self.parts.swap_remove(idx);
        }
    }

    fn weigh<'s>(&'s self, at: &mut At<'s, '_>) -> Weight {
        let (mut cost_nano, mut n_tokens) = (0_u64, 0_u64);
        for part in &self.parts {
            let nano = part.tally.cost_nano().saturating_add(part.estimate(at).nano);
            cost_nano = cost_nano.saturating_add(nano);
            n_tokens = n_tokens.saturating_add(part.tally.tokens.total());
        }
        (cost_nano, n_tokens)
    }

    fn row<'s>(&'s self, group: &Group, at: &mut At<'s, '_>) -> UsageRow {
        let name = match group {
            Group::Name(name) => name.as_deref().map(str::to_owned),
            Group::Day(day) => Some(day_name(*day)),
        };
        let mut row = UsageRow { name, ..UsageRow::default() };
        let Self { first_ns, last_ns, .. } = *self;
        for part in &self.parts {
            row.add(&Tally { first_ns, last_ns, ..part.tally }, &part.estimate(at));
        }
        row
    }
}

impl Part {
    fn estimate<'p>(&'p self, at: &mut At<'p, '_>) -> Estimate<'p> {
        let bare = &self.tally.bare;
        if *bare == Tokens::default() {
            return Estimate::default();
        }
        match at {
            At::BuiltIn => prices::estimate(self.price, bare),
            At::Others(rater) => rater.estimate(self.model.as_deref(), bare),
        }
    }
}

#[cfg(test)]
mod tests;
