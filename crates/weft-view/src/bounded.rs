//! A map that never grows beyond its limit: what was touched longest ago goes.

use std::collections::HashMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::name::Name;

/// How many of the oldest are looked for at once, so that a full map is not searched for every new key.
const OLDEST_KEPT: usize = 256;

/// At most `MAX` values by name. Beyond that the one goes whose newest event is the oldest; of equal ones the first by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Saved<V>", bound(serialize = "V: Serialize"))]
pub(crate) struct Bounded<V, const MAX: usize> {
    /// Where the slot of each name is: so it is looked up once, whether or not it is there yet.
    #[serde(skip)]
    places: HashMap<Name, usize>,
    #[serde(serialize_with = "by_name")]
    slots: Vec<Slot<V>>,
    /// The first to go, the very first last, as they were when they were looked for. Nothing that is not here is older.
    #[serde(skip)]
    oldest: Vec<(i64, Name)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Slot<V> {
    #[serde(skip, default = "nameless")]
    name: Name,
    touched_ns: i64,
    value: V,
}

/// Returns the name of a slot that is read: it stands before it.
fn nameless() -> Name {
    Name::from("")
}

/// What is saved of it.
#[derive(Deserialize)]
struct Saved<V> {
    slots: HashMap<Name, Slot<V>>,
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
        self.touch_in_place(name, at_ns, |_, _| {}).map(|(_, value)| value)
    }

    /// Returns the same with its place, which it keeps for as long as it is kept; what it takes the place of is handed to `let_go`.
    pub(crate) fn touch_in_place(
        &mut self,
        name: &str,
        at_ns: i64,
        let_go: impl FnOnce(usize, &V),
    ) -> Option<(usize, &mut V)> {
        let idx = match self.places.get(name).copied() {
            Some(idx) => idx,
            None => {
                let is_full = self.slots.len() >= MAX;
                let room = if is_full { Some(self.make_room(at_ns, name)?) } else { None };
                let name = Name::from(name);
                let slot = Slot { name: name.clone(), touched_ns: at_ns, value: V::default() };
                let idx = room.unwrap_or(self.slots.len());
                self.places.insert(name, idx);
                match self.slots.get_mut(idx) {
                    Some(gone) => {
                        let_go(idx, &gone.value);
                        *gone = slot;
                    }
                    None => {
                        if idx == self.slots.capacity() {
                            // Room for more than `MAX` is never used.
                            self.slots.reserve_exact(idx.max(4).min(MAX - idx));
                        }
                        self.slots.push(slot);
                    }
                }
                idx
            }
        };
        let slot = &mut self.slots[idx];
        slot.touched_ns = slot.touched_ns.max(at_ns);
        Some((idx, &mut slot.value))
    }

    /// Lets the oldest go if this one is younger. Returns the place that is free then.
    fn make_room(&mut self, at_ns: i64, name: &str) -> Option<usize> {
        loop {
            let Some((touched_ns, oldest)) = self.oldest.pop() else {
                self.look_for_oldest();
                continue;
            };
            if self.slot(&oldest).is_none_or(|slot| slot.touched_ns != touched_ns) {
                continue;
            }
            if (touched_ns, &*oldest) < (at_ns, name) {
                let place = self.places.remove(&*oldest);
                self.put_in_line(at_ns, name);
                return place;
            }
            self.oldest.push((touched_ns, oldest));
            return None;
        }
    }

    fn look_for_oldest(&mut self) {
        let mut all: Vec<(i64, &Name)> =
            self.slots.iter().map(|slot| (slot.touched_ns, &slot.name)).collect();
        if all.len() > OLDEST_KEPT {
            all.select_nth_unstable(OLDEST_KEPT);
            all.truncate(OLDEST_KEPT);
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        self.oldest = all.into_iter().map(|(at_ns, name)| (at_ns, name.clone())).collect();
    }

    /// Puts a new name among the first to go, if it is one of them.
    fn put_in_line(&mut self, at_ns: i64, name: &str) {
        let is_after = |(oldest_ns, oldest): &(i64, Name)| (*oldest_ns, &**oldest) > (at_ns, name);
        let idx = self.oldest.partition_point(is_after);
        if idx > 0 {
            self.oldest.insert(idx, (at_ns, Name::from(name)));
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

    /// Returns the name and the value at a place.
    pub(crate) fn at(&self, place: usize) -> (&str, &V) {
        let slot = &self.slots[place];
        (&slot.name, &slot.value)
    }

    /// Returns all of them by their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.slots.iter().map(|slot| (&*slot.name, &slot.value))
    }
}

#[cfg(test)]
mod tests;
