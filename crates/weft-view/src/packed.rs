//! Saved views in few bytes and little time: values one behind the other as serde tells them, and no names.
//!
//! What reads has to ask for what was written, in the same order. So the names of all fields and variants that were met stand as
//! hashes at the end, and who reads compares them with those it asked for: a view that has changed is not taken for the one that was
//! saved. A snapshot is written every 50,000 records and read at every start, and as JSON both took longer.

mod read;
mod write;

use std::collections::BTreeSet;
use std::io;

use serde::{Deserialize, Serialize};

/// Why a value was not saved, or is not what was saved.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It cannot be written.
    #[error("cannot write it")]
    Io(#[from] io::Error),
    /// It ends too early.
    #[error("it ends too early")]
    Ended,
    /// Something stands behind its end.
    #[error("{n_bytes} bytes stand behind its end")]
    Left {
        /// How much.
        n_bytes: usize,
    },
    /// A text is no text, or a number too large for its place.
    #[error("a value is none of its kind")]
    Value,
    /// It was saved by another form of the program.
    #[error("it was saved with other fields")]
    Shapes,
    /// It needs what this form does not have.
    #[error("{0} cannot be saved so")]
    Unsupported(&'static str),
    /// What it is made into does not take it.
    #[error("{0}")]
    Custom(String),
}

/// Writes a value.
pub fn write(value: &impl Serialize, out: &mut dyn io::Write) -> Result<(), PackError> {
    let mut writer = write::Writer::new(out);
    value.serialize(&mut writer)?;
    writer.finish()
}

/// Reads a value that was written.
pub fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, PackError> {
    let mut reader = read::Reader::new(bytes);
    let value = T::deserialize(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

impl serde::ser::Error for PackError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Custom(message.to_string())
    }
}

impl serde::de::Error for PackError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Custom(message.to_string())
    }
}

/// The names that were met, as hashes of those that belong together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shapes {
    met: BTreeSet<u64>,
    /// The one met last: most follow one of their kind.
    last: Option<u64>,
}

impl Shapes {
    fn meet(&mut self, shape: Shape) {
        if self.last != Some(shape.0) {
            self.last = Some(shape.0);
            self.met.insert(shape.0);
        }
    }
}

/// Names that belong together, in their order.
#[derive(Clone, Copy, Debug)]
struct Shape(u64);

impl Shape {
    /// Returns that of the fields of a structure, before the first.
    const FIELDS: Self = Self(0xCBF2_9CE4_8422_2325);

    /// Returns that of a variant.
    fn of_variant(index: u32, name: &str) -> Self {
        Self(u64::from(index) + 1).with(name)
    }

    /// Returns it with one name more: FNV-1a, over eight bytes at a time.
    fn with(self, name: &str) -> Self {
        const PRIME: u64 = 0x0000_0100_0000_01B3;
        let mut hash = (self.0 ^ name.len() as u64).wrapping_mul(PRIME);
        for part in name.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(PRIME);
            hash ^= hash >> 29;
        }
        Self(hash)
    }
}

#[cfg(test)]
mod tests;
