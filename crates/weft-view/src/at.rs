//! A moment, as rows show it.

use serde::{Serialize, Serializer};
use weft_event::time::format_rfc3339;

/// A moment in nanoseconds since 1970, written as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At(pub i64);

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format_rfc3339(self.0))
    }
}
