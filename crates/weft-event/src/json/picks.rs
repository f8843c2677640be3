//! Several members of an object in one walk over it.

use super::name::{NAMES_MAX, Name};
use super::value::Value;

/// The names of the members that are wanted of an object.
pub(crate) struct Picks<const N: usize> {
    names: [&'static str; N],
    /// The place of every listed name among those that are wanted; `N` for one that is not.
    slots: [u8; NAMES_MAX],
}

/// The members that were found, by the places of their names.
pub(crate) struct Picked<'a, const N: usize> {
    object: Value<'a>,
    /// Their places on the tape; 0, where no member can be, for one that was not found.
    members: [u32; N],
}

impl<const N: usize> Picks<N> {
    /// Wants members of these names, which must be in the vocabulary.
    pub(crate) const fn new(names: [&'static str; N]) -> Self {
        let mut slots = [N as u8; NAMES_MAX];
        let mut slot = 0;
        while slot < N {
            slots[Name::listed(names[slot]).idx()] = slot as u8;
            slot += 1;
        }
        Self { names, slots }
    }

    /// Returns the place of a name; for constants, where a wrong one fails the build.
    pub(crate) const fn slot(&self, name: &str) -> usize {
        let slot = self.slots[Name::listed(name).idx()] as usize;
        assert!(slot < self.names.len(), "no member of this name is wanted");
        slot
    }

    /// Finds the members; of a repeated key the first counts.
    #[inline]
    pub(crate) fn find<'a>(&self, object: Value<'a>) -> Picked<'a, N> {
        let mut members = [0; N];
        for (key, member) in object.members() {
            let slot = self.slots[key.listed_name().idx()];
            if let Some(found @ 0) = members.get_mut(usize::from(slot)) {
                *found = member.idx();
            }
        }
        Picked { object, members }
    }
}

impl<'a, const N: usize> Picked<'a, N> {
    /// Returns the member at this place.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Option<Value<'a>> {
        match self.members[slot] {
            0 => None,
            idx => Some(self.object.value_at(idx)),
        }
    }

    /// Returns the member at this place if it is a string.
    #[inline]
    pub(crate) fn string(&self, slot: usize) -> Option<Value<'a>> {
        self.get(slot).filter(Value::is_string)
    }

    /// Returns the text of the member at this place.
    #[inline]
    pub(crate) fn text(&self, slot: usize) -> Option<std::borrow::Cow<'a, str>> {
        self.get(slot)?.as_text()
    }
}
