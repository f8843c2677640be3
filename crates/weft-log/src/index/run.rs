//! A run: keys with their positions, sorted, eleven bytes each.

/// Bytes of a key and of a position in its bucket.
const ENTRY_BYTES: usize = 11;
/// Bits of a position in its bucket.
const OFFSET_BITS: u32 = 24;

/// A key and a position that has it; sorts by the key without its sign, then by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Entry(u128);

impl Entry {
    pub(super) fn new(key: i64, position: i64) -> Self {
        Self(u128::from(key as u64) << 64 | u128::from(position as u64))
    }

    pub(super) fn key(self) -> i64 {
        (self.0 >> 64) as i64
    }

    pub(super) fn position(self) -> i64 {
        self.0 as i64
    }
}

/// Writes sorted entries of a bucket that begins behind a position, each once.
pub(super) fn encode(entries: &[Entry], start: i64, bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.reserve(entries.len() * ENTRY_BYTES);
    for equal in entries.chunk_by(|a, b| a == b) {
        let entry = equal[0];
        let offset = (entry.position() - start) as u64 & ((1 << OFFSET_BITS) - 1);
        let packed = entry.0 >> 64 << OFFSET_BITS | u128::from(offset);
        bytes.extend_from_slice(&packed.to_be_bytes()[16 - ENTRY_BYTES..]);
    }
}

/// Returns the entries of a run.
pub(super) fn entries(run: &[u8], start: i64) -> impl Iterator<Item = Entry> {
    run.as_chunks::<ENTRY_BYTES>().0.iter().map(move |entry| decode(entry, start))
}

/// Returns the positions that a run has under a key.
pub(super) fn find(run: &[u8], start: i64, key: i64) -> impl Iterator<Item = i64> {
    let entries = run.as_chunks::<ENTRY_BYTES>().0;
    let wanted = (key as u64).to_be_bytes();
    let from = entries.partition_point(|entry| entry[..wanted.len()] < wanted[..]);
    let equal = entries[from..].iter().take_while(move |entry| entry[..wanted.len()] == wanted);
    equal.map(move |entry| decode(entry, start).position())
}

fn decode(entry: &[u8; ENTRY_BYTES], start: i64) -> Entry {
    let mut packed = [0; 16];
    packed[16 - ENTRY_BYTES..].copy_from_slice(entry);
    let packed = u128::from_be_bytes(packed);
    let offset = packed as i64 & ((1 << OFFSET_BITS) - 1);
    Entry::new((packed >> OFFSET_BITS) as i64, start + offset)
}
