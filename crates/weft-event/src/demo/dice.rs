//! The ids that chance makes, and cards that are dealt until all are out.

use crate::dice::Dice;
use crate::time::MILLI_NS;

impl Dice {
    /// Returns a UUID of version 7, which begins with the time.
    pub(super) fn uuid(&mut self, at_ns: i64) -> String {
        let ms = at_ns / MILLI_NS;
        let (high, low) = (self.bits(), self.bits());
        format!(
            "{:08x}-{:04x}-7{:03x}-a{:03x}-{:012x}",
            ms >> 16,
            ms & 0xFFFF,
            high & 0xFFF,
            high >> 12 & 0xFFF,
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// Returns a UUID of version 4, which is chance alone.
    pub(super) fn random_uuid(&mut self) -> String {
        let (high, low) = (self.bits(), self.bits());
        format!(
            "{:08x}-{:04x}-4{:03x}-9{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xFFFF,
            high >> 4 & 0xFFF,
            low >> 48 & 0xFFF,
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// Returns a ULID: the time, then chance, in Crockford's base 32.
    pub(super) fn ulid(&mut self, at_ns: i64) -> String {
        const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let ms = (at_ns / MILLI_NS) as u128;
        let bits = (ms << 80) | (u128::from(self.bits()) << 16) | u128::from(self.below(1 << 16));
        let digit = |n: u32| char::from(DIGITS[(bits >> (5 * (25 - n)) & 31) as usize]);
        (0..26).map(digit).collect()
    }
}

/// Cards that are dealt without a repeat until all are out: what is in a deck happens, and not only perhaps.
#[derive(Clone, Debug)]
pub(super) struct Deck<T: 'static> {
    all: &'static [T],
    left: Vec<T>,
}

impl<T: Copy> Deck<T> {
    pub(super) fn new(all: &'static [T]) -> Self {
        Self { all, left: Vec::new() }
    }

    pub(super) fn deal(&mut self, dice: &mut Dice) -> T {
        if self.left.is_empty() {
            self.left.extend_from_slice(self.all);
        }
        let idx = dice.below(self.left.len() as u64) as usize;
        self.left.swap_remove(idx)
    }
}
