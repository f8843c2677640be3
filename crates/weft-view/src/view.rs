//! What all views have in common.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Entry;

/// State folded from records.
pub trait View: Default + Clone + Serialize + DeserializeOwned {
    /// Its name, as commands and addresses have it.
    const NAME: &'static str;
    /// Changes whenever the same records would give another state: what was saved by another version is of no use.
    const VERSION: u32;

    /// Takes a record in. Records may come in any order of their producers and late, but each only once, unless it is carried.
    fn apply(&mut self, entry: &Entry<'_, '_>);
}
