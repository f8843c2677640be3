//! A blocked Bloom filter over identity keys.
//!
//! A key sets one bit in each of the eight words of one cache line, so a look-up touches memory once. Keys are digests
//! already: their own bits choose line and bits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bits set per key, one in each word of a line.
const WORDS: usize = 8;
/// A filter is made with this many bits for each key it is to hold …
const BITS_PER_KEY_MAX: u64 = 16;
/// … and is full when it has this many left for each: beyond that too many unknown keys would look known.
const BITS_PER_KEY_MIN: u64 = 12;
/// The fewest keys that a filter is made for.
const KEYS_MIN: u64 = 16 * 1024;

const LINE_BITS: u64 = 64 * WORDS as u64;

/// What the filter says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// No record has it.
    No,
    /// Some record may have it.
    Maybe,
}

#[repr(align(64))]
struct Line([AtomicU64; WORDS]);

/// A filter over the keys of all records. Any number of threads may add and ask at once.
///
/// Until [`Known::set_ready`] every key may be known: one thread fills the filter from the index while the writer already adds
/// the keys of what it writes. When it is full, another one takes the keys that follow.
pub struct Known {
    lines: Box<[Line]>,
    n_added: AtomicU64,
    is_ready: AtomicBool,
}

impl Known {
    /// Makes an empty filter for this many keys and a third more: 2 bytes for each. Events have 1.3 keys on average, so it takes
    /// 2.6 MB for each million of them.
    pub fn with_room_for(n_keys: u64) -> Self {
        let n_lines = (n_keys.max(KEYS_MIN) * BITS_PER_KEY_MAX).div_ceil(LINE_BITS);
        let line = || Line([const { AtomicU64::new(0) }; WORDS]);
        let lines = std::iter::repeat_with(line).take(n_lines as usize).collect();
        Self { lines, n_added: AtomicU64::new(0), is_ready: AtomicBool::new(false) }
    }

    /// Adds a key.
    pub fn add(&self, key: i64) {
        let (line, bits) = self.place(key);
        for (word, bit) in line.0.iter().zip(bits) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        self.n_added.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether a record may have the key.
    pub fn has(&self, key: i64) -> Seen {
        if !self.is_ready() {
            return Seen::Maybe;
        }
        let (line, bits) = self.place(key);
        let is_set = |(word, bit): (&AtomicU64, u64)| word.load(Ordering::Relaxed) & bit != 0;
        if line.0.iter().zip(bits).all(is_set) { Seen::Maybe } else { Seen::No }
    }

    /// Says that the keys of all records are in. What was added before is seen by whoever sees this.
    pub fn set_ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Returns whether the keys of all records are in.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Returns how many keys were added, repeats included.
    pub fn n_added(&self) -> u64 {
        self.n_added.load(Ordering::Relaxed)
    }

    /// Returns whether it is time for another one.
    pub fn is_full(&self) -> bool {
        self.n_added() * BITS_PER_KEY_MIN > self.lines.len() as u64 * LINE_BITS
    }

    /// Returns the memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.lines)
    }

    /// The upper half of the key chooses the line, the lower half its bits.
    fn place(&self, key: i64) -> (&Line, [u64; WORDS]) {
        const ODD: [u32; WORDS] = [
            0x47b6_137b,
            0x4497_4d91,
            0x8824_ad5b,
            0xa2b7_289d,
            0x7054_95c7,
            0x2df1_424b,
            0x9efc_4947,
            0x5c6b_fb31,
        ];
        let key = key.cast_unsigned();
        let line = ((key >> 32) * self.lines.len() as u64) >> 32;
        let low = key as u32;
        (&self.lines[line as usize], ODD.map(|odd| 1 << (low.wrapping_mul(odd) >> 26)))
    }
}
