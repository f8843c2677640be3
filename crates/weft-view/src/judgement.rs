//! What views are judged by: everything that can be set about what rows say.

use crate::usage::Limit;
use crate::{Prices, Rules};

/// What views are judged by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The thresholds of rules.
    pub rules: Rules,
    /// What models cost.
    pub prices: Prices,
    /// Budgets, beside those that producers report on.
    pub limits: Vec<Limit>,
}
