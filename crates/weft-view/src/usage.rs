//! Tokens and cost by actor, session, task, model and day, and budgets.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// Tokens and cost by actor, session, task, model and day, and budgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageBook {}

impl View for UsageBook {
    const NAME: &'static str = "usage";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
