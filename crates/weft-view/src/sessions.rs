//! The sessions: where, of whom, since when, how many turns, how far.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// The sessions: where, of whom, since when, how many turns, how far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sessions {}

impl View for Sessions {
    const NAME: &'static str = "sessions";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
