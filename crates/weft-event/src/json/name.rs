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

    /// Adds a name.
    #[inline(always)]
    pub(super) fn insert(&mut self, name: Name) {
        self.0[name.idx() / 64] |= 1 << (name.idx() % 64);
    }

    #[inline(always)]
    pub(crate) fn has(&self, name: Name) -> bool {
        self.0[name.idx() / 64] >> (name.idx() % 64) & 1 != 0
    }

    /// Returns the first names of the vocabulary, a bit by the number of each.
    #[inline(always)]
    pub(crate) const fn first(&self) -> u64 {
        self.0[0]
    }

    /// Returns whether there is a name in both sets.
    #[inline(always)]
    pub(crate) fn meets(&self, other: &Names) -> bool {
        self.0.iter().zip(&other.0).fold(0, |common, (a, b)| common | a & b) != 0
    }
}

/// The keys of an object so far: the listed names, and a bit by its hash for every other.
#[derive(Default)]
pub(super) struct KeySet([u64; NAMES_MAX / 64 + 1]);

impl KeySet {
    /// Adds a key; returns whether it is certainly new.
    #[inline(always)]
    pub(super) fn insert(&mut self, name: Name, hash: u64) -> bool {
        let other = NAMES_MAX + (hash >> (u64::BITS - 6)) as usize;
        let idx = if name.0 == 0 { other } else { name.idx() };
        let (word, bit) = (&mut self.0[idx / 64], 1 << (idx % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Returns the listed names.
    pub(super) fn listed(&self) -> Names {
        let [listed @ .., _] = self.0;
        Names(listed)
    }
}

/// Returns the number of the name that stands at `start..end` of a padded line, and its hash.
#[inline(always)]
pub(super) fn name_at(padded: &[u8], start: usize, end: usize) -> (Name, u64) {
    let n = end - start;
    match window::<16>(padded, start) {
        // The line goes on behind the name: two loads, of which the rest is cut off.
        Some(words) if n <= WORDS_BYTES => {
            let words = u128::from_le_bytes(*words);
            let kept = &KEPT[n % KEPT.len()];
            let (head, tail) = (words as u64 & kept.0, (words >> 64) as u64 & kept.1);
            let hash = spread(head, tail, n);
            let number = NUMBERS[place(hash)];
            let entry = &WORDS[number as usize];
            // No branch: whether a key is listed is hard to guess.
            let differs = (entry.0 ^ head) | (entry.1 ^ tail);
            (Name(if differs == 0 { number } else { 0 }), hash)
        }
        Some(_) | None => name_by_bytes(&padded[start..end]),
    }
}

#[cold]
#[inline(never)]
fn name_by_bytes(name: &[u8]) -> (Name, u64) {
    let (head, tail) = match name.first_chunk::<WORDS_BYTES>() {
        Some(words) => {
            let words = u128::from_le_bytes(*words);
            (words as u64, (words >> 64) as u64)
        }
        None => (word_at(name, 0), word_at(name, 8)),
    };
    let hash = spread(head, tail, name.len());
    let listed = match NUMBERS[place(hash)] {
        0 => Name::UNLISTED,
        number if VOCABULARY[usize::from(number) - 1].as_bytes() == name => Name(number),
        _ => Name::UNLISTED,
    };
    (listed, hash)
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

/// The two words of the listed names by number. A name that they do not hold has none that a key could have.
static WORDS: [(u64, u64); NAMES_MAX] = {
    assert!(VOCABULARY.len() < NAMES_MAX, "a number does not fit a byte");
    let mut words = [(u64::MAX, u64::MAX); NAMES_MAX];
    let mut idx = 0;
    while idx < VOCABULARY.len() {
        let text = VOCABULARY[idx].as_bytes();
        if text.len() <= WORDS_BYTES {
            words[idx + 1] = (word_at(text, 0), word_at(text, 8));
        }
        idx += 1;
    }
    words
};

/// How many bits of a hash choose a place in [`NUMBERS`].
const PLACE_BITS: u32 = 11;

/// The numbers by the hash of their names; 0 where no name has its place.
static NUMBERS: [u8; 1 << PLACE_BITS] = {
    let mut numbers = [0; 1 << PLACE_BITS];
    let mut number = 1;
    while number <= VOCABULARY.len() {
        let text = VOCABULARY[number - 1].as_bytes();
        let place = place(spread(word_at(text, 0), word_at(text, 8), text.len()));
        assert!(numbers[place] == 0, "two names have one place: search for another factor");
        numbers[place] = number as u8;
        number += 1;
    }
    numbers
};

/// Returns the number of a name whose first two words are given.
const fn find(head: u64, tail: u64, name: &[u8]) -> Name {
    match NUMBERS[place(spread(head, tail, name.len()))] {
        0 => Name::UNLISTED,
        number if same(VOCABULARY[number as usize - 1].as_bytes(), name) => Name(number),
        _ => Name::UNLISTED,
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
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
/// The factor was searched for: with it no two names of the vocabulary have the same place, which the build checks.
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

/// A text of up to 32 bytes as its first sixteen bytes, its last sixteen, and how many it has. Of a shorter text than sixteen both
/// are all of it, with zeros for what it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    head: (u64, u64),
    tail: (u64, u64),
    n: u64,
}

impl Ends {
    /// The longest text that they tell from all others.
    const BYTES_MAX: usize = 2 * WORDS_BYTES;

    /// What no text has.
    pub(crate) const NONE: Ends = Ends { head: (0, 0), tail: (0, 0), n: u64::MAX };

    /// Returns those of a text; for constants, where one that is too long fails the build.
    pub(crate) const fn listed(text: &str) -> Self {
        let text = text.as_bytes();
        assert!(text.len() <= Self::BYTES_MAX, "the text is too long");
        let last = if text.len() < WORDS_BYTES { 0 } else { text.len() - WORDS_BYTES };
        Self {
            head: (word_at(text, 0), word_at(text, 8)),
            tail: (word_at(text, last), word_at(text, last + 8)),
            n: text.len() as u64,
        }
    }

    /// Returns those of a text; `None` if it is too long.
    #[inline]
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut padded = [0; Self::BYTES_MAX];
        padded.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Self::at(&padded, 0, text.len())
    }

    /// Returns those of the text at `start..end` of a padded line; `None` if it is too long.
    #[inline(always)]
    pub(super) fn at(padded: &[u8], start: usize, end: usize) -> Option<Self> {
        let n = end - start;
        if n > Self::BYTES_MAX {
            return None;
        }
        let kept = &KEPT[n.min(WORDS_BYTES)];
        let words = |at: usize| {
            let words = u128::from_le_bytes(*window::<WORDS_BYTES>(padded, at)?);
            Some((words as u64 & kept.0, (words >> 64) as u64 & kept.1))
        };
        let head = words(start)?;
        let tail = words(start + n.max(WORDS_BYTES) - WORDS_BYTES)?;
        Some(Self { head, tail, n: n as u64 })
    }

    /// Returns a hash of so many bits.
    #[inline(always)]
    pub(crate) const fn hash(&self, bits: u32) -> usize {
        let head = self.head.0 ^ self.head.1.rotate_left(17);
        let mixed = spread(head, self.tail.0 ^ self.tail.1.rotate_left(23), self.n as usize);
        (mixed >> (u64::BITS - bits)) as usize
    }

    /// Returns whether both are of the same text.
    #[inline(always)]
    pub(crate) const fn same(&self, other: &Self) -> bool {
        let head = (self.head.0 ^ other.head.0) | (self.head.1 ^ other.head.1);
        let tail = (self.tail.0 ^ other.tail.0) | (self.tail.1 ^ other.tail.1);
        head | tail | (self.n ^ other.n) == 0
    }
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
