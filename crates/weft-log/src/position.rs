//! A record's place in the log.

use std::fmt;
use std::num::NonZeroU64;

/// Position of a record in the log: dense, starting at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(NonZeroU64);

impl Position {
    /// The position of the first record.
    pub const FIRST: Self = Self(NonZeroU64::MIN);

    /// Returns the position with this number; `None` for 0, which is no record's.
    pub const fn new(number: u64) -> Option<Self> {
        match NonZeroU64::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// Returns its number.
    pub const fn get(self) -> u64 {
        self.0.get()
    }

    /// Returns the position `n` records later.
    ///
    /// # Panics
    ///
    /// If there are more than 2^64 records.
    pub fn plus(self, n: u64) -> Self {
        Self(self.0.checked_add(n).expect("fewer than 2^64 records are ever written"))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
