//! A value that only a later event can change.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Stamp;

/// The newest value of a producer, and where in its order it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latest<T> {
    stamp: Stamp,
    value: T,
}

/// As a pair, in few bytes, since there are many.
impl<T: Serialize> Serialize for Latest<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.stamp, &self.value).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Latest<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <(Stamp, T)>::deserialize(deserializer).map(|(stamp, value)| Self { stamp, value })
    }
}

impl<T> Latest<T> {
    /// Returns a value said at this place.
    pub fn new(stamp: Stamp, value: T) -> Self {
        Self { stamp, value }
    }

    /// Returns where it was said.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Returns the value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Puts a value in the place of an older one; a late one changes nothing. Returns whether it counts now.
    pub fn put(slot: &mut Option<Self>, stamp: Stamp, value: impl FnOnce() -> T) -> bool {
        let is_newer = slot.as_ref().is_none_or(|latest| latest.stamp <= stamp);
        if is_newer {
            *slot = Some(Self::new(stamp, value()));
        }
        is_newer
    }
}

impl<T: Default> Latest<T> {
    /// Changes an older value into a newer one, in its memory; a late one changes nothing.
    pub fn change(slot: &mut Option<Self>, stamp: Stamp, change: impl FnOnce(&mut T)) {
        let latest = match slot {
            Some(latest) if latest.stamp > stamp => return,
            Some(latest) => latest,
            None => slot.insert(Self::new(stamp, T::default())),
        };
        latest.stamp = stamp;
        change(&mut latest.value);
    }
}
