//! What failed, grouped by what it says.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// What failed, grouped by what it says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {}

impl View for Errors {
    const NAME: &'static str = "errors";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
