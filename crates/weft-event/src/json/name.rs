//! Names told apart quickly: the number that a listed name has, a hash, and a comparison without a call.

use super::string::window;
use super::vocabulary::VOCABULARY;

/// The name of a key as its number in the vocabulary; two keys of one listed name have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(u8);

/// How many numbers there can be. A table of this size is read by number without a check of its bounds.
pub(crate) const NAMES_MAX: usize = 256;

impl Name {
    /// What every name has that is not in the vocabulary.
    pub(crate) const UNLISTED: Name = Name(0);

    /// Returns the number of a name that must be listed; for constants, where one that is not fails the build.
    pub(crate) const fn listed(name: &str) -> Self {
        let number = Self::of(name);
        assert!(number.0 != Self::UNLISTED.0, "the vocabulary lacks this name");
        number
    }

    /// Returns the number of a name.
    pub(crate) const fn of(name: &str) -> Self {
        let name = name.as_bytes();
        find(word_at(name, 0), word_at(name, 8), name)
    }

    /// Returns the name of a number that [`Name::idx`] gave.
    #[inline(always)]
    pub(super) const fn at(number: u16) -> Self {
        Self(number as u8)
    }

    /// Returns the number as the index of a table of [`NAMES_MAX`] entries.
    #[inline(always)]
    pub(crate) const fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A set of listed names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names([u64; NAMES_MAX / 64]);

impl Names {
    /// No names.
    pub(crate) const NONE: Names = Names([0; NAMES_MAX / 64]);

    /// Returns the set with one name more, which must be listed.
    pub(crate) const fn with(mut self, name: &str) -> Self {
        let idx = Name::listed(name).idx();
        self.0[idx / 64] |= 1 << (idx % 64);
        self
    }

    /// Adds a name; returns whether it is new.
    #[inline(always)]
    pub(super) fn insert(&mut self, name: Name) -> bool {
        let (word, bit) = (&mut self.0[name.idx() / 64], 1 << (name.idx() % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline(always)]
    pub(crate) fn has(&self, name: Name) -> bool {
        self.0[name.idx() / 64] >> (name.idx() % 64) & 1 != 0
    }

    /// Returns whether there is a name in both sets.
    #[inline(always)]
    pub(crate) fn meets(&self, other: &Names) -> bool {
        self.0.iter().zip(&other.0).fold(0, |common, (a, b)| common | a & b) != 0
    }
}

/// Returns the number of the name that stands at `start..end` of a line, and its hash.
#[inline(always)]
pub(super) fn name_at(line: &[u8], start: usize, end: usize) -> (Name, u64) {
    let n = end - start;
    match window::<16>(line, start) {
        // The line goes on behind the name: two loads, of which the rest is cut off.
        Some(words) if n <= WORDS_BYTES => {
            let words = u128::from_le_bytes(*words);
            let kept = &KEPT[n % KEPT.len()];
            let (head, tail) = (words as u64 & kept.0, (words >> 64) as u64 & kept.1);
            let hash = spread(head, tail, n);
            let number = NUMBERS[place(hash)];
            let entry = &ENTRIES[number as usize];
            let differs = (entry.head ^ head) | (entry.tail ^ tail) | (entry.text.len() ^ n) as u64;
            match number {
                _ if differs == 0 => (Name(number), hash),
                0 => (Name::UNLISTED, hash),
                _ => (find(head, tail, &line[start..end]), hash),
            }
        }
        _ => name_by_bytes(&line[start..end]),
    }
}

#[cold]
#[inline(never)]
fn name_by_bytes(name: &[u8]) -> (Name, u64) {
    let (head, tail) = (word_at(name, 0), word_at(name, 8));
    (find(head, tail, name), spread(head, tail, name.len()))
}

/// How many bytes of a name its two words hold.
const WORDS_BYTES: usize = 16;

/// What is kept of sixteen bytes of which so many belong to a name.
const KEPT: [(u64, u64); 32] = {
    let mut kept = [(u64::MAX, u64::MAX); 32];
    let mut n = 0;
    while n < WORDS_BYTES {
        let bits = (1_u128 << (8 * n)) - 1;
        kept[n] = (bits as u64, (bits >> 64) as u64);
        n += 1;
    }
    kept
};

/// A listed name: its first eight bytes, the eight after them, and all of it.
struct Entry {
    head: u64,
    tail: u64,
    text: &'static str,
}

/// The listed names by number.
static ENTRIES: [Entry; NAMES_MAX] = {
    assert!(VOCABULARY.len() < NAMES_MAX, "a number does not fit a byte");
    let mut entries = [const { Entry { head: 0, tail: 0, text: "" } }; NAMES_MAX];
    let mut idx = 0;
    while idx < VOCABULARY.len() {
        let text = VOCABULARY[idx];
        let (head, tail) = (word_at(text.as_bytes(), 0), word_at(text.as_bytes(), 8));
        entries[idx + 1] = Entry { head, tail, text };
        idx += 1;
    }
    entries
};

/// How many bits of a hash choose a place in [`NUMBERS`].
const PLACE_BITS: u32 = 11;

/// The numbers by the hash of their names, each in its place or the next free one after it; 0 is a free one.
static NUMBERS: [u8; 1 << PLACE_BITS] = {
    let mut numbers = [0; 1 << PLACE_BITS];
    let mut number = 1;
    while number <= VOCABULARY.len() {
        let text = VOCABULARY[number - 1].as_bytes();
        let mut place = place(spread(word_at(text, 0), word_at(text, 8), text.len()));
        while numbers[place] != 0 {
            place = (place + 1) % numbers.len();
        }
        numbers[place] = number as u8;
        number += 1;
    }
    numbers
};

/// Returns the number of a name whose first two words are given.
const fn find(head: u64, tail: u64, name: &[u8]) -> Name {
    let mut place = place(spread(head, tail, name.len()));
    loop {
        let number = NUMBERS[place];
        if number == 0 {
            return Name::UNLISTED;
        }
        let entry = &ENTRIES[number as usize];
        let is_same = entry.head == head && entry.tail == tail && entry.text.len() == name.len();
        if is_same && (name.len() <= WORDS_BYTES || same_rest(entry.text.as_bytes(), name)) {
            return Name(number);
        }
        place = (place + 1) % NUMBERS.len();
    }
}

const fn same_rest(a: &[u8], b: &[u8]) -> bool {
    let mut at = WORDS_BYTES;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns the eight bytes of a name from `start` on, with zeros for those that it lacks.
const fn word_at(name: &[u8], start: usize) -> u64 {
    let mut word = 0;
    let mut at = if name.len() < start + 8 { name.len() } else { start + 8 };
    while at > start {
        at -= 1;
        word = word << 8 | name[at] as u64;
    }
    word
}

/// Returns the hash of a name of so many bytes whose first two words are given; its highest bits are its best.
///
/// The factor was searched for: with it no two names of the vocabulary have the same place. A name that is added may share one,
/// which costs it a second look.
#[inline(always)]
const fn spread(head: u64, tail: u64, n: usize) -> u64 {
    (head ^ tail.rotate_left(29) ^ n as u64).wrapping_mul(0xB223_0B62_4216_2195)
}

#[inline(always)]
const fn place(hash: u64) -> usize {
    (hash >> (u64::BITS - PLACE_BITS)) as usize
}

/// Returns a hash of any text: its length, its first eight bytes and its last eight, mixed.
///
/// It is for words of a fixed vocabulary and is always followed by a comparison.
#[inline]
pub(crate) const fn text_hash(text: &[u8]) -> u16 {
    let (head, tail) = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (word_at(text, 0), 0),
    };
    (spread(head, tail, text.len()) >> 48) as u16
}

/// Returns whether two names are equal. Names are short: two overlapping parts cover up to 32 bytes.
#[inline(always)]
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        0..4 => a.iter().eq(b),
        4..8 => same_ends::<4>(a, b),
        8..=16 => same_ends::<8>(a, b),
        17..=32 => same_ends::<16>(a, b),
        33.. => a == b,
    }
}

/// Returns whether the first `N` bytes are the same, and the last `N`.
#[inline(always)]
fn same_ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
    a.first_chunk::<N>() == b.first_chunk() && a.last_chunk::<N>() == b.last_chunk()
}
