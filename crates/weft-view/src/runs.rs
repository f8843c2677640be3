//! Task runs: their state, step, budget and judge.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// Task runs: their state, step, budget and judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Runs {}

impl View for Runs {
    const NAME: &'static str = "runs";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
