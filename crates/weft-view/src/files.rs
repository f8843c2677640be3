//! Who touched which file and when, leases and collisions.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// Who touched which file and when, leases and collisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {}

impl View for Files {
    const NAME: &'static str = "files";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
