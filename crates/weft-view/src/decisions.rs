//! What was decided, why, and what was turned down.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// What was decided, why, and what was turned down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decisions {}

impl View for Decisions {
    const NAME: &'static str = "decisions";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
