//! Prices of models: data with a date, and how the row of a model is found.
//!
//! A price is good for an estimate only. What a producer says something cost counts before it.

mod table;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::usage::Tokens;

/// What one model costs, in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price<'p> {
    /// The model's name without its maker, date or place: `claude-sonnet-4-5`.
    pub model: &'p str,
    /// The day that the price was looked up, such as `2026-10-10`.
    pub as_of: &'p str,
    /// A million tokens read.
    pub input: f64,
    /// A million tokens written.
    pub output: f64,
    /// A million tokens read from a cache.
    pub cache_read: f64,
    /// A million tokens written to a cache.
    pub cache_write: f64,
}

/// What models cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    rows: Vec<Row>,
    /// Whether they are those that Weft comes with, and no other.
    is_built_in: bool,
}

static BUILT_IN: LazyLock<Prices> = LazyLock::new(|| Prices {
    rows: table::TABLE.iter().map(Row::new).collect(),
    is_built_in: true,
});

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// In lower case, with `-` for every `.`.
    model: String,
    as_of: String,
    rates: Rates,
}

/// Prices in millionths of a dollar for a million tokens, which are whole numbers: no maker has finer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rates {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

/// What tokens would have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate<'p> {
    /// In nano-dollars.
    pub nano: u64,
    /// Tokens that no price is known for; they are not in the amount.
    pub unpriced_tokens: u64,
    /// The day that the price was looked up; `None` where the amount is nothing.
    pub as_of: Option<&'p str>,
}

impl Default for Prices {
    /// Returns the prices that Weft comes with.
    fn default() -> Self {
        BUILT_IN.clone()
    }
}

impl Prices {
    /// Returns no prices: nothing is estimated.
    pub fn none() -> Self {
        Self { rows: Vec::new(), is_built_in: false }
    }

    /// Returns what a model costs by the prices that Weft comes with.
    pub(crate) fn built_in(model: &str) -> Option<&'static Row> {
        BUILT_IN.row(model)
    }

    /// Returns whether these are the prices that Weft comes with.
    pub(crate) fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// Puts in a price, in the place of one for the same model.
    pub fn set(&mut self, price: &Price<'_>) {
        let row = Row::new(price);
        self.rows.retain(|other| other.model != row.model);
        self.rows.push(row);
        self.is_built_in = false;
    }

    /// Returns what a model is called here, and the day that its price was looked up; `None` if its price is not known.
    pub fn find(&self, model: &str) -> Option<(&str, &str)> {
        self.row(model).map(|row| (row.model.as_str(), row.as_of.as_str()))
    }

    /// Returns what tokens of a model would have cost. Of tokens that are known as a sum alone nobody can say.
    pub fn estimate<'p>(&'p self, model: Option<&'p str>, tokens: &Tokens) -> Estimate<'p> {
        self.rater().estimate(model, tokens)
    }

    /// Returns what says that for many tokens of few models.
    pub(crate) fn rater<'p>(&'p self) -> Rater<'p> {
        Rater { prices: self, known: HashMap::new() }
    }

    /// Returns the row of a model: of those that its name has in it, the longest.
    fn row(&self, model: &str) -> Option<&Row> {
        let name = plain(model);
        let is_of = |row: &&Row| is_named(&name, &row.model);
        self.rows.iter().filter(is_of).max_by_key(|row| row.model.len())
    }
}

/// Says what tokens would have cost, and looks each model up once.
pub(crate) struct Rater<'p> {
    prices: &'p Prices,
    known: HashMap<&'p str, Option<&'p Row>>,
}

impl<'p> Rater<'p> {
    pub(crate) fn estimate(&mut self, model: Option<&'p str>, tokens: &Tokens) -> Estimate<'p> {
        let prices = self.prices;
        let row =
            model.and_then(|model| *self.known.entry(model).or_insert_with(|| prices.row(model)));
        estimate(row, tokens)
    }
}

/// Returns what tokens of a model would have cost at its price, if that is known.
pub(crate) fn estimate<'p>(row: Option<&'p Row>, tokens: &Tokens) -> Estimate<'p> {
    match row {
        Some(row) => row.estimate(tokens),
        None => Estimate { nano: 0, unpriced_tokens: tokens.total(), as_of: None },
    }
}

impl Row {
    fn estimate(&self, tokens: &Tokens) -> Estimate<'_> {
        let rates = &self.rates;
        let parts = [
            (tokens.input, rates.input),
            (tokens.output, rates.output),
            (tokens.cache_read, rates.cache_read),
            (tokens.cache_write, rates.cache_write),
        ];
        // Millionths of a dollar for a million tokens are thousandths of a nano-dollar for one.
        let thousandths: u128 =
            parts.iter().map(|(n, rate)| u128::from(*n) * u128::from(*rate)).sum();
        let nano = u64::try_from(thousandths / 1_000).unwrap_or(u64::MAX);
        let as_of = Some(self.as_of.as_str()).filter(|_| nano > 0);
        Estimate { nano, unpriced_tokens: tokens.unsplit, as_of }
    }

    fn new(price: &Price<'_>) -> Self {
        let micros = |dollars: f64| (dollars * 1e6).round() as u64;
        let rates = Rates {
            input: micros(price.input),
            output: micros(price.output),
            cache_read: micros(price.cache_read),
            cache_write: micros(price.cache_write),
        };
        Self { model: plain(price.model).into_owned(), as_of: price.as_of.to_owned(), rates }
    }
}

/// Returns a name in lower case with `-` for every `.`: the same model is called `4.5` and `4-5`.
fn plain(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|byte| byte == b'.' || byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase().replace('.', "-")),
        false => Cow::Borrowed(name),
    }
}

/// Returns whether a full name is that of a model: with its maker or place before it, and a date, a build or the like after it. A
/// name that goes on otherwise is another model's.
fn is_named(name: &str, model: &str) -> bool {
    let begins = |(at, _): (usize, &str)| {
        let before = name[..at].chars().next_back();
        let after = &name[at + model.len()..];
        before.is_none_or(|c| !c.is_alphanumeric()) && is_build(after)
    };
    name.match_indices(model).any(begins)
}

/// Returns whether what follows a model's name tells its builds apart, and not models.
fn is_build(after: &str) -> bool {
    if after.starts_with(char::is_alphanumeric) {
        return false;
    }
    let mut words = after.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match words.next() {
        None => true,
        Some("latest" | "preview" | "exp" | "1m") => true,
        Some(word) => {
            let version = word.strip_prefix('v').filter(|rest| !rest.is_empty());
            // A short number is a version of the model: `5-5` is not `5`.
            version.is_some_and(is_number) || (word.len() > 2 && is_number(word))
        }
    }
}

#[cfg(test)]
mod tests;
