//! Loops: their frames, iterations and age.

pub(crate) mod ends;

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// Loops: their frames, iterations and age.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loops {}

impl View for Loops {
    const NAME: &'static str = "loops";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
