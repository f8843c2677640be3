//! Who is there and what everyone does.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// Who is there and what everyone does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fleet {}

impl View for Fleet {
    const NAME: &'static str = "fleet";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
