//! Finding repeats and conflicts: events that share a key.

use std::io::{self, Read, Seek, Write};

use super::finding::{self, Kind};
use super::key::{OrderKey, PLACE_BYTES, place_at};
use super::sort::Sorter;

/// Bytes of a digest.
const DIGEST_BYTES: usize = 16;

/// Reads identities, sorted by key, content and place; reports what is found, and puts the order keys of repeats into `dropped`.
///
/// `conflicts` sorts the first event of each content where a key has more than one, so that the earliest of them is the one that the
/// others are held against, however many there are.
pub(super) fn find<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
    identities: Sorter<F, S>,
    mut conflicts: Sorter<F, S>,
    dropped: &mut Sorter<F, S>,
    findings: &mut Sorter<F, S>,
) -> io::Result<()> {
    let mut sorted = identities.sort()?;
    let mut first = First::default();
    while let Some(record) = sorted.read()? {
        let (digests, place) = record.key.split_at(2 * DIGEST_BYTES);
        let order_key = OrderKey::read(record.payload);
        if digests == first.digests {
            let kind = Kind::Repeat { first: place_at(&first.place, 0), n_lines: 1 };
            finding::add(findings, order_key.place, &kind, order_key.producer)?;
            dropped.push(order_key.bytes, &[])?;
            continue;
        }
        let same_key = first.digests.get(..DIGEST_BYTES) == Some(&digests[..DIGEST_BYTES]);
        if same_key && !first.told {
            first.tell(&mut conflicts)?;
        }
        first.set(digests, place, record.payload);
        if same_key {
            first.tell(&mut conflicts)?;
        }
    }
    drop(sorted);
    find_conflicts(conflicts, findings)
}

fn find_conflicts<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
    conflicts: Sorter<F, S>,
    findings: &mut Sorter<F, S>,
) -> io::Result<()> {
    let mut sorted = conflicts.sort()?;
    let mut digest = Vec::new();
    let mut first = place_at(&[0; PLACE_BYTES], 0);
    while let Some(record) = sorted.read()? {
        let order_key = OrderKey::read(record.payload);
        if record.key[..DIGEST_BYTES] == digest[..] {
            finding::add(findings, order_key.place, &Kind::Conflict { first }, order_key.producer)?;
        } else {
            digest.clear();
            digest.extend_from_slice(&record.key[..DIGEST_BYTES]);
            first = order_key.place;
        }
    }
    Ok(())
}

/// The first event with some key and content.
#[derive(Default)]
struct First {
    digests: Vec<u8>,
    place: Vec<u8>,
    order_key: Vec<u8>,
    /// Whether the conflicts have it already.
    told: bool,
}

impl First {
    fn set(&mut self, digests: &[u8], place: &[u8], order_key: &[u8]) {
        let parts = [
            (&mut self.digests, digests),
            (&mut self.place, place),
            (&mut self.order_key, order_key),
        ];
        for (to, from) in parts {
            to.clear();
            to.extend_from_slice(from);
        }
        self.told = false;
    }

    fn tell<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
        &mut self,
        conflicts: &mut Sorter<F, S>,
    ) -> io::Result<()> {
        self.told = true;
        let key = [&self.digests[..DIGEST_BYTES], &self.place].concat();
        conflicts.push(&key, &self.order_key)
    }
}
