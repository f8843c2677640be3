//! What each actor used up, by model.

use std::collections::HashMap;

use super::{UsageBook, UsageRow};
use crate::prices::Prices;

impl UsageBook {
    /// Returns what each actor used up by model, what cost most first; under no name what came without an actor.
    pub fn by_actor(&self, prices: &Prices) -> HashMap<Option<String>, Vec<UsageRow>> {
        let mut actors: HashMap<Option<String>, Vec<UsageRow>> = HashMap::new();
        self.each(prices, |_, portion, estimate| {
            let name = portion.actor.as_deref().map(str::to_owned);
            let rows = actors.entry(name).or_default();
            let idx = rows.iter().position(|row| row.name.as_deref() == portion.model.as_deref());
            let idx = idx.unwrap_or_else(|| {
                let name = portion.model.as_deref().map(str::to_owned);
                rows.push(UsageRow { name, ..UsageRow::default() });
                rows.len() - 1
            });
            rows[idx].add(&portion.tally, &estimate);
        });
        for rows in actors.values_mut() {
            rows.sort_by(|a, b| {
                let weight = |row: &UsageRow| (row.cost_usd, row.total_tokens);
                weight(b).cmp(&weight(a)).then_with(|| a.name.cmp(&b.name))
            });
        }
        actors
    }
}
