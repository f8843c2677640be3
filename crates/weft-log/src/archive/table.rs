//! The seek table: the last frame of an archive, in zstd's published seekable format, and before it a frame with its checksum.
//!
//! That format has no checksum of the table itself. A wrong length in it would shift all that follows, so it is trusted only
//! with one; readers of zstd skip both frames.

use zstd::zstd_safe::compress_bound;

use super::{FRAME_BYTES_MAX, FRAMES_MAX};

/// First bytes of the frame with the checksum: 0x184D2A50.
const CHECK_MAGIC: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();

/// Magic, length and CRC-32C.
const CHECK_BYTES: usize = 12;

/// First bytes of the frame with the table: 0x184D2A5E.
const MAGIC: [u8; 4] = 0x184D_2A5E_u32.to_le_bytes();

/// Last bytes of the table: 0x8F92EAB1.
const FOOTER_MAGIC: [u8; 4] = 0x8F92_EAB1_u32.to_le_bytes();

/// Magic and length.
const HEADER_BYTES: usize = 8;

const ENTRY_BYTES: usize = 8;

/// Number of frames, descriptor, magic.
pub(super) const FOOTER_BYTES: usize = 9;

/// How much [`is_start`] looks at.
pub(super) const START_BYTES: usize = CHECK_BYTES + MAGIC.len();

/// One frame, as the table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) packed_bytes: u32,
    pub(super) bytes: u32,
}

impl Entry {
    pub(super) fn of(packed_bytes: usize, bytes: usize) -> Self {
        let fits = |bytes: usize| u32::try_from(bytes).expect("a frame is at most FRAME_BYTES_MAX");
        Self { packed_bytes: fits(packed_bytes), bytes: fits(bytes) }
    }

    fn is_within_limits(self) -> bool {
        let packed_bytes_max = compress_bound(FRAME_BYTES_MAX);
        self.packed_bytes as usize <= packed_bytes_max && self.bytes as usize <= FRAME_BYTES_MAX
    }
}

/// Returns the table and its checksum as they stand at the end of the archive.
pub(super) fn encode(entries: &[Entry]) -> Vec<u8> {
    let word = |n: usize| u32::try_from(n).expect("an archive has at most FRAMES_MAX frames");
    let content_bytes = word(entries.len() * ENTRY_BYTES + FOOTER_BYTES);
    let mut table = Vec::with_capacity(HEADER_BYTES + content_bytes as usize);
    table.extend_from_slice(&MAGIC);
    table.extend_from_slice(&content_bytes.to_le_bytes());
    for entry in entries {
        table.extend_from_slice(&entry.packed_bytes.to_le_bytes());
        table.extend_from_slice(&entry.bytes.to_le_bytes());
    }
    table.extend_from_slice(&word(entries.len()).to_le_bytes());
    table.push(0);
    table.extend_from_slice(&FOOTER_MAGIC);
    let crc = crc32c::crc32c(&table).to_le_bytes();
    [&CHECK_MAGIC, &4_u32.to_le_bytes(), &crc, &table[..]].concat()
}

/// Returns the length of table and checksum, by the last [`FOOTER_BYTES`] of the archive; `None` if they are no footer.
pub(super) fn bytes_by_footer(footer: &[u8]) -> Option<usize> {
    let (n_frames, rest) = footer.split_first_chunk::<4>()?;
    let n_frames = u32::from_le_bytes(*n_frames) as usize;
    let is_footer = rest.get(1..) == Some(&FOOTER_MAGIC) && n_frames <= FRAMES_MAX;
    is_footer.then_some(CHECK_BYTES + HEADER_BYTES + n_frames * ENTRY_BYTES + FOOTER_BYTES)
}

/// Reads a table of the length that [`bytes_by_footer`] gave. `None` if it is not what [`encode`] writes of frames that fill
/// the `frames_bytes` before it.
pub(super) fn decode(table: &[u8], frames_bytes: u64) -> Option<Vec<Entry>> {
    let listed = table.get(CHECK_BYTES + HEADER_BYTES..table.len().checked_sub(FOOTER_BYTES)?)?;
    let (words, _) = listed.as_chunks::<4>();
    let entry = |pair: &[[u8; 4]]| Entry {
        packed_bytes: u32::from_le_bytes(pair[0]),
        bytes: u32::from_le_bytes(pair[1]),
    };
    let entries: Vec<Entry> = words.chunks_exact(2).map(entry).collect();
    let sum: u64 = entries.iter().map(|entry| u64::from(entry.packed_bytes)).sum();
    let is_sound = encode(&entries) == table
        && sum == frames_bytes
        && entries.iter().all(|entry| entry.is_within_limits());
    is_sound.then_some(entries)
}

/// Returns whether the table or its checksum starts here; either may be damaged.
pub(super) fn is_start(bytes: &[u8]) -> bool {
    bytes.starts_with(&CHECK_MAGIC) || bytes.get(CHECK_BYTES..) == Some(&MAGIC)
}
