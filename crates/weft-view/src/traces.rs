//! The newest traces, and the spans of one.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// The newest traces, and the spans of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traces {}

impl View for Traces {
    const NAME: &'static str = "traces";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
