//! Usage as rows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::Serialize;
use weft_event::time::format_rfc3339;

use super::{DAY_NS, Portion, Tally, Tokens, UsageBook, choice};
use crate::first::first;
use crate::money::Money;
use crate::prices::{Estimate, Prices, Rater};
use crate::{At, First};

/// What usage is grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Who used it.
    Actor,
    /// The session.
    Session,
    /// The piece of work.
    Task,
    /// The model.
    Model,
    /// The day, in UTC.
    Day,
}

/// What one actor, session, task, model or day used up, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageRow {
    /// The actor, session, task, model or day; `None` for all, and for what came without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tokens read, and neither from a cache nor into one.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens written to a cache.
    pub cache_write_tokens: u64,
    /// Tokens of which only the sum is known.
    pub unsplit_tokens: u64,
    /// All of these.
    pub total_tokens: u64,
    /// What it cost: as reported and as estimated, together.
    pub cost_usd: Money,
    /// What producers say it cost.
    pub reported_usd: Money,
    /// What the tokens without a reported cost would cost by the prices given.
    pub estimated_usd: Money,
    /// The day that the prices of that were looked up, of several the oldest; `None` where nothing is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices_as_of: Option<String>,
    /// Tokens that nobody says the cost of and no price is known for: they are not in the cost.
    pub unpriced_tokens: u64,
    /// Events that say so.
    pub n_reports: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<At>,
    /// The last of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<At>,
}

impl UsageRow {
    pub(super) fn add(&mut self, tally: &Tally, estimate: &Estimate<'_>) {
        let tokens = &tally.tokens;
        let sums = [
            (&mut self.input_tokens, tokens.input),
            (&mut self.output_tokens, tokens.output),
            (&mut self.cache_read_tokens, tokens.cache_read),
            (&mut self.cache_write_tokens, tokens.cache_write),
            (&mut self.unsplit_tokens, tokens.unsplit),
            (&mut self.total_tokens, tokens.total()),
            (&mut self.reported_usd.0, tally.cost_nano()),
            (&mut self.estimated_usd.0, estimate.nano),
            (&mut self.cost_usd.0, tally.cost_nano().saturating_add(estimate.nano)),
            (&mut self.unpriced_tokens, estimate.unpriced_tokens),
            (&mut self.n_reports, tally.n_reports),
        ];
        sums.into_iter().for_each(|(sum, n)| *sum = sum.saturating_add(n));
        self.first_seen = [self.first_seen, Some(At(tally.first_ns))].into_iter().flatten().min();
        self.last_seen = self.last_seen.max(Some(At(tally.last_ns)));
        if let Some(as_of) = estimate.as_of
            && self.prices_as_of.as_deref().is_none_or(|oldest| as_of < oldest)
        {
            self.prices_as_of = Some(as_of.to_owned());
        }
    }
}

impl UsageBook {
    /// Returns usage by one of five groupings, what cost most first, then what used most tokens.
    pub fn rows(&self, by: By, prices: &Prices) -> Vec<UsageRow> {
        self.first(usize::MAX, by, prices).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize, by: By, prices: &Prices) -> First<UsageRow> {
        let mut sums = Sums::default();
        sums.places.reserve(self.sessions.len());
        self.each(prices, |session, portion, estimate| {
            let group = match by {
                By::Actor => Group::Name(portion.actor.as_deref()),
                By::Session => Group::Name(session),
                By::Task => Group::Name(portion.task.as_deref()),
                By::Model => Group::Name(portion.model.as_deref()),
                By::Day => Group::Day(portion.day),
            };
            sums.add(group, portion, estimate);
        });
        let Sums { all, lines, .. } = sums;
        let order = |a: &Sum<'_>, b: &Sum<'_>| {
            (b.cost_nano, b.n_tokens, a.group).cmp(&(a.cost_nano, a.n_tokens, b.group))
        };
        first(all, limit, order, |sum| {
            let mut row = UsageRow { name: sum.group.name(), ..UsageRow::default() };
            let mut next = Some(sum.newest);
            while let Some(line) = next.map(|idx| &lines[idx]) {
                row.add(&line.portion.tally, &line.estimate);
                next = line.before;
            }
            row
        })
    }

    /// Returns what one session used.
    pub(crate) fn of_session(&self, session: &str, prices: &Prices) -> UsageRow {
        let mut row = UsageRow::default();
        if let Some(account) = self.sessions.get(session) {
            rate(&choice::counted(account), &mut prices.rater(), |portion, estimate| {
                row.add(&portion.tally, &estimate);
            });
        }
        row
    }

    /// Returns all usage together.
    pub fn total(&self, prices: &Prices) -> UsageRow {
        let mut row = UsageRow::default();
        self.each(prices, |_, portion, estimate| row.add(&portion.tally, &estimate));
        row
    }

    /// Calls with every portion that counts, its session, and what it would have cost where nobody says what it did.
    pub(super) fn each<'b>(
        &'b self,
        prices: &'b Prices,
        mut each: impl FnMut(Option<&'b str>, &'b Portion, Estimate<'b>),
    ) {
        let mut rater = prices.rater();
        let mut rate = |session: Option<&'b str>, portions: &[&'b Portion]| {
            rate(portions, &mut rater, |portion, estimate| each(session, portion, estimate));
        };
        let mut counted = Vec::new();
        for (session, account) in &self.sessions {
            choice::count(account, &mut counted);
            rate(Some(session), &counted);
        }
        for account in self.actors.values() {
            choice::count(account, &mut counted);
            rate(None, &counted);
        }
        self.past.iter().for_each(|portion| rate(None, &[portion]));
    }
}

/// Calls with every portion of one session that counts, and what it would have cost where nobody says what it did.
fn rate<'b>(
    portions: &[&'b Portion],
    rater: &mut Rater<'b>,
    mut each: impl FnMut(&'b Portion, Estimate<'b>),
) {
    let is_paid = choice::is_paid(portions);
    for portion in portions {
        // Where all of it has a cost, no price is looked up.
        let estimate = match is_paid || portion.tally.bare == Tokens::default() {
            true => Estimate::default(),
            false => rater.estimate(portion.model.as_deref(), &portion.tally.bare),
        };
        each(portion, estimate);
    }
}

/// What each group weighs, and where to find what it is made of: rows are made of those that are shown alone.
#[derive(Default)]
struct Sums<'b> {
    places: HashMap<Group<'b>, usize>,
    all: Vec<Sum<'b>>,
    lines: Vec<Line<'b>>,
}

/// What a group is ordered by.
struct Sum<'b> {
    group: Group<'b>,
    cost_nano: u64,
    n_tokens: u64,
    /// Its line that was put in last.
    newest: usize,
}

/// A part of what a group used.
struct Line<'b> {
    portion: &'b Portion,
    estimate: Estimate<'b>,
    /// The line of the same group before this one.
    before: Option<usize>,
}

impl<'b> Sums<'b> {
    fn add(&mut self, group: Group<'b>, portion: &'b Portion, estimate: Estimate<'b>) {
        let newest = self.lines.len();
        let cost_nano = portion.tally.cost_nano().saturating_add(estimate.nano);
        let n_tokens = portion.tally.tokens.total();
        let before = match self.places.entry(group) {
            Entry::Occupied(place) => {
                let sum = &mut self.all[*place.get()];
                sum.cost_nano = sum.cost_nano.saturating_add(cost_nano);
                sum.n_tokens = sum.n_tokens.saturating_add(n_tokens);
                Some(std::mem::replace(&mut sum.newest, newest))
            }
            Entry::Vacant(place) => {
                place.insert(self.all.len());
                self.all.push(Sum { group, cost_nano, n_tokens, newest });
                None
            }
        };
        self.lines.push(Line { portion, estimate, before });
    }
}

/// What usage is summed up under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Group<'b> {
    Name(Option<&'b str>),
    Day(i64),
}

impl Group<'_> {
    fn name(self) -> Option<String> {
        match self {
            Group::Name(name) => name.map(str::to_owned),
            Group::Day(day) => Some(day_name(day)),
        }
    }
}

/// Returns a day since 1970 as a date.
pub(super) fn day_name(day: i64) -> String {
    let text = format_rfc3339(day.saturating_mul(DAY_NS));
    text.split('T').next().unwrap_or_default().to_owned()
}
