//! Counting what is different among things that come again and again, in little room.

use serde::{Deserialize, Serialize};

/// Fingerprints that are kept: as many as these are counted exactly, more by how close the kept ones lie.
const KEPT_MAX: usize = 256;

/// How many different things were seen: exact up to 256, beyond that true to a few in a hundred.
///
/// It keeps the smallest fingerprints, so that it is the same in whatever order they come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Distinct {
    smallest: Vec<u64>,
}

impl Distinct {
    /// Takes in something by its fingerprint.
    pub(crate) fn put(&mut self, fingerprint: u64) {
        let is_full = self.smallest.len() == KEPT_MAX;
        if is_full && self.smallest.last().is_some_and(|largest| *largest < fingerprint) {
            return;
        }
        if let Err(idx) = self.smallest.binary_search(&fingerprint) {
            self.smallest.insert(idx, fingerprint);
            self.smallest.truncate(KEPT_MAX);
        }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> u64 {
        match self.smallest.last() {
            // As many as lie below the largest, the more of its kind fit into the whole range.
            Some(largest) if self.smallest.len() == KEPT_MAX => {
                let n = u128::from(u64::MAX) * (KEPT_MAX as u128 - 1) / u128::from(*largest).max(1);
                u64::try_from(n).unwrap_or(u64::MAX).max(KEPT_MAX as u64)
            }
            Some(_) | None => self.smallest.len() as u64,
        }
    }
}

/// Returns a number for an id within a scope that no other has, but for a chance in many millions.
pub(crate) fn fingerprint(scope: Option<&str>, id: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = scope.unwrap_or_default().bytes().chain([0]).chain(id.bytes());
    let hash = bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    // Ids differ in their last characters, which that leaves in the low bits.
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests;
