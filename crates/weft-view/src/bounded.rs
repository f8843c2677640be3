//! A map that never grows beyond its limit: what was touched longest ago goes.

use std::collections::HashMap;

use serde::{Deserialize, Serialize, Serializer};

/// How many of the oldest are looked for at once, so that a full map is not searched for every new key.
const OLDEST_KEPT: usize = 256;

/// At most `MAX` values by name. Beyond that the one goes whose newest event is the oldest; of equal ones the first by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Saved<V>", bound(serialize = "V: Serialize"))]
pub(crate) struct Bounded<V, const MAX: usize> {
    /// Where the slot of each name is: so it is looked up once, whether or not it is there yet.
    #[serde(skip)]
    places: HashMap<String, usize>,
    #[serde(serialize_with = "by_name")]
    slots: Vec<Slot<V>>,
    /// The first to go, the very first last, as they were when they were looked for. Nothing that is not here is older.
    #[serde(skip)]
    oldest: Vec<(i64, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Slot<V> {
    #[serde(skip)]
    name: String,
    touched_ns: i64,
    value: V,
}

/// What is saved of it.
#[derive(Deserialize)]
struct Saved<V> {
    slots: HashMap<String, Slot<V>>,
}

impl<V, const MAX: usize> From<Saved<V>> for Bounded<V, MAX> {
    fn from(saved: Saved<V>) -> Self {
        let named = saved.slots.into_iter().map(|(name, slot)| Slot { name, ..slot });
        let slots: Vec<Slot<V>> = named.collect();
        let places = slots.iter().enumerate().map(|(idx, slot)| (slot.name.clone(), idx)).collect();
        Self { places, slots, oldest: Vec::new() }
    }
}

fn by_name<V: Serialize, S: Serializer>(
    slots: &[Slot<V>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(slots.iter().map(|slot| (&slot.name, slot)))
}

impl<V, const MAX: usize> Default for Bounded<V, MAX> {
    fn default() -> Self {
        Self { places: HashMap::new(), slots: Vec::new(), oldest: Vec::new() }
    }
}

/// What goes next is found again when it is needed, and slots have no order, so that neither is a part of the value.
impl<V: PartialEq, const MAX: usize> PartialEq for Bounded<V, MAX> {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |slot: &Slot<V>| other.slot(&slot.name) == Some(slot);
        self.slots.len() == other.slots.len() && self.slots.iter().all(is_same)
    }
}

impl<V: Default, const MAX: usize> Bounded<V, MAX> {
    /// Returns the value of a name that something happened to at this time. `None` if the map is full and nothing in it is older.
    pub(crate) fn touch(&mut self, name: &str, at_ns: i64) -> Option<&mut V> {
        let idx = match self.places.get(name).copied() {
            Some(idx) => idx,
            None if self.slots.len() >= MAX && !self.make_room(at_ns, name) => return None,
            None => {
                let name = name.to_owned();
                self.places.insert(name.clone(), self.slots.len());
                self.slots.push(Slot { name, touched_ns: at_ns, value: V::default() });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[idx];
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
            if self.slot(&oldest).is_none_or(|slot| slot.touched_ns != touched_ns) {
                continue;
            }
            let is_younger = (touched_ns, oldest.as_str()) < (at_ns, name);
            if is_younger {
                self.remove(&oldest);
                self.put_in_line(at_ns, name);
            } else {
                self.oldest.push((touched_ns, oldest));
            }
            return is_younger;
        }
    }

    fn remove(&mut self, name: &str) {
        let Some(idx) = self.places.remove(name) else { return };
        self.slots.swap_remove(idx);
        if let Some(moved) = self.slots.get(idx) {
            let place = self.places.get_mut(&moved.name).expect("every slot has its place");
            *place = idx;
        }
    }

    fn look_for_oldest(&mut self) {
        let mut all: Vec<(i64, &str)> =
            self.slots.iter().map(|slot| (slot.touched_ns, slot.name.as_str())).collect();
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
        self.slot(name).map(|slot| &slot.value)
    }

    fn slot(&self, name: &str) -> Option<&Slot<V>> {
        self.places.get(name).map(|idx| &self.slots[*idx])
    }

    /// Returns all of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.slots.iter().map(|slot| (slot.name.as_str(), &slot.value))
    }
}

#[cfg(test)]
mod tests;
