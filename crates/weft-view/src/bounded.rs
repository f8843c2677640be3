//! A map that never grows beyond its limit: what was touched longest ago goes.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// How many of the oldest are looked for at once, so that a full map is not searched for every new key.
const OLDEST_KEPT: usize = 256;

/// At most `MAX` values by name. Beyond that the one goes whose newest event is the oldest; of equal ones the first by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bounded<V, const MAX: usize> {
    slots: HashMap<String, Slot<V>>,
    /// The first to go, the very first last, as they were when they were looked for. Nothing that is not here is older.
    #[serde(skip)]
    oldest: Vec<(i64, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Slot<V> {
    touched_ns: i64,
    value: V,
}

impl<V, const MAX: usize> Default for Bounded<V, MAX> {
    fn default() -> Self {
        Self { slots: HashMap::new(), oldest: Vec::new() }
    }
}

/// What goes next is found again when it is needed, so it is no part of the value.
impl<V: PartialEq, const MAX: usize> PartialEq for Bounded<V, MAX> {
    fn eq(&self, other: &Self) -> bool {
        self.slots == other.slots
    }
}

impl<V: Default, const MAX: usize> Bounded<V, MAX> {
    /// Returns the value of a name that something happened to at this time. `None` if the map is full and nothing in it is older.
    pub(crate) fn touch(&mut self, name: &str, at_ns: i64) -> Option<&mut V> {
        if !self.slots.contains_key(name) {
            if self.slots.len() >= MAX && !self.make_room(at_ns, name) {
                return None;
            }
            let slot = Slot { touched_ns: at_ns, value: V::default() };
            self.slots.insert(name.to_owned(), slot);
        }
        let slot = self.slots.get_mut(name)?;
        slot.touched_ns = slot.touched_ns.max(at_ns);
        Some(&mut slot.value)
    }

    /// Lets the oldest go if this one is younger. Returns whether there is room.
    fn make_room(&mut self, at_ns: i64, name: &str) -> bool {
        loop {
            let Some((touched_ns, oldest)) = self.oldest.pop() else {
                self.look_for_oldest();
                continue;
            };
            if self.slots.get(&oldest).is_none_or(|slot| slot.touched_ns != touched_ns) {
                continue;
            }
            let is_younger = (touched_ns, oldest.as_str()) < (at_ns, name);
            if is_younger {
                self.slots.remove(&oldest);
                self.put_in_line(at_ns, name);
            } else {
                self.oldest.push((touched_ns, oldest));
            }
            return is_younger;
        }
    }

    fn look_for_oldest(&mut self) {
        let mut all: Vec<(i64, &str)> =
            self.slots.iter().map(|(name, slot)| (slot.touched_ns, name.as_str())).collect();
        if all.len() > OLDEST_KEPT {
            all.select_nth_unstable(OLDEST_KEPT);
            all.truncate(OLDEST_KEPT);
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        self.oldest = all.into_iter().map(|(at_ns, name)| (at_ns, name.to_owned())).collect();
    }

    /// Puts a new name among the first to go, if it is one of them.
    fn put_in_line(&mut self, at_ns: i64, name: &str) {
        let is_after =
            |(oldest_ns, oldest): &(i64, String)| (*oldest_ns, oldest.as_str()) > (at_ns, name);
        let idx = self.oldest.partition_point(is_after);
        if idx > 0 {
            self.oldest.insert(idx, (at_ns, name.to_owned()));
        }
    }
}

impl<V, const MAX: usize> Bounded<V, MAX> {
    /// Returns the value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.slots.get(name).map(|slot| &slot.value)
    }

    /// Returns all of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.slots.iter().map(|(name, slot)| (name.as_str(), &slot.value))
    }
}

#[cfg(test)]
mod tests;
