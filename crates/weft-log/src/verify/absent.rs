//! Blobs that are not there, told once however many they are.

use std::fmt;

use crate::{Hash, Position};

/// How many are named.
const EXAMPLES_MAX: usize = 3;

/// Blobs that are referred to and not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    /// How many.
    pub n: usize,
    /// The first of them, each with the first record that refers to it.
    pub examples: Vec<(Position, Hash)>,
}

impl Absent {
    pub(super) fn add(&mut self, position: Position, hash: Hash) {
        self.n += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push((position, hash));
        }
    }

    /// Returns whether there are no more of them than are named.
    pub(super) fn is_few(&self) -> bool {
        self.n == self.examples.len()
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.n == 1 { "" } else { "s" };
        write!(f, "{} blob{plural} (", self.n)?;
        for (idx, (position, hash)) in self.examples.iter().enumerate() {
            let comma = if idx > 0 { ", " } else { "" };
            write!(f, "{comma}{hash} of record {position}")?;
        }
        f.write_str(if self.is_few() { ")" } else { " and more)" })
    }
}
