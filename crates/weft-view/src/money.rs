//! An amount of money, as rows show it.

use serde::{Serialize, Serializer};

/// Nano-dollars in a dollar.
const DOLLAR: f64 = 1e9;

/// US dollars, kept as whole nano-dollars so that sums are exact in whatever order they are made; written as dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u64);

impl Money {
    /// Returns this many dollars, to the nearest nano-dollar; less than nothing, and what is no number, is nothing.
    pub fn from_dollars(dollars: f64) -> Self {
        // A cast from a float keeps to the limits of the type.
        Self((dollars * DOLLAR).round() as u64)
    }

    /// Returns it in dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / DOLLAR
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}
