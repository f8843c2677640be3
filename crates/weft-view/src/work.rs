//! Beads, issues, tasks and steps: who has which, what is ready, what is blocked, what came of what.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// Beads, issues, tasks and steps: who has which, what is ready, what is blocked, what came of what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {}

impl View for Work {
    const NAME: &'static str = "work";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
