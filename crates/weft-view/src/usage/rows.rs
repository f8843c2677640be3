//! Usage as rows.

use serde::Serialize;
use weft_event::time::format_rfc3339;

use super::{DAY_NS, Portion, Tally, Tokens, UsageBook, choice};
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
    /// The first event that tells of it, in whatever way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<At>,
    /// The last of these.
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
        self.sums.first(limit, by, prices)
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

/// Returns a day since 1970 as a date.
pub(super) fn day_name(day: i64) -> String {
    let text = format_rfc3339(day.saturating_mul(DAY_NS));
    text.split('T').next().unwrap_or_default().to_owned()
}
