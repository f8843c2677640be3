//! The records that the index has not reached yet: their identity keys and topics.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use crate::index::Keys;
use crate::{Position, TopicKey};

/// Keys that are put together into a chunk.
const CHUNK_KEYS: usize = 1 << 16;

/// How far the last record of a chunk is from its first at most.
const CHUNK_SPAN_MAX: u64 = u16::MAX as u64;

/// Keys and topics of the newest records, by position. It grows with what is added and shrinks with [`Tail::forget`]; whoever
/// owns it keeps the index close enough. There may be millions of keys: all but the newest take 6 bytes each, four of their own and
/// two for the position. A key that is found makes a candidate and no more, so that a false one among millions does no harm.
#[derive(Debug)]
pub struct Tail {
    chunk_keys: usize,
    /// Oldest first.
    chunks: VecDeque<Chunk>,
    newest: Newest,
    n_keys: usize,
    /// The index has every record up to this position, 0 for none.
    forgotten: u64,
    latest: HashMap<TopicKey, Position>,
    posts: VecDeque<(Position, TopicKey)>,
}

impl Default for Tail {
    fn default() -> Self {
        Self::with_chunks_of(CHUNK_KEYS)
    }
}

impl Tail {
    pub(super) fn with_chunks_of(chunk_keys: usize) -> Self {
        Self {
            chunk_keys,
            chunks: VecDeque::new(),
            newest: Newest::default(),
            n_keys: 0,
            forgotten: 0,
            latest: HashMap::new(),
            posts: VecDeque::new(),
        }
    }

    /// Adds a record, which comes after all others.
    pub fn add(&mut self, position: Position, keys: &Keys, topic: Option<&TopicKey>) {
        let keys = keys.as_slice();
        let first = self.newest.keys.front().map_or(position, |(first, _)| *first);
        if self.newest.keys.len() + keys.len() > self.chunk_keys
            || position.get() - first.get() > CHUNK_SPAN_MAX
        {
            self.chunks.extend(Chunk::of(&self.newest.keys));
            self.newest.clear();
        }
        keys.iter().for_each(|key| self.newest.add(position, *key));
        self.n_keys += keys.len();
        if let Some(topic) = topic.filter(|topic| topic.key.is_some()) {
            self.latest.insert(topic.clone(), position);
            self.posts.push_back((position, topic.clone()));
        }
    }

    /// Returns the records that have a key, oldest first; there may be others among them.
    pub fn find(&self, key: i64) -> impl Iterator<Item = Position> {
        let older = self.chunks.iter().flat_map(move |chunk| chunk.find(key));
        let all = older.chain(self.newest.find(key));
        all.filter(|position| position.get() > self.forgotten)
    }

    /// Returns the newest record of a key of a last-value topic.
    pub fn latest(&self, topic: &TopicKey) -> Option<Position> {
        self.latest.get(topic).copied()
    }

    /// Forgets every record up to a position: the index has them.
    pub fn forget(&mut self, upto: Position) {
        self.forgotten = self.forgotten.max(upto.get());
        while let Some(chunk) = self.chunks.pop_front_if(|chunk| chunk.last <= upto) {
            self.n_keys -= chunk.halves.len();
        }
        if self.chunks.is_empty() {
            self.n_keys -= self.newest.forget(upto);
        }
        while let Some((position, topic)) =
            self.posts.pop_front_if(|(position, _)| *position <= upto)
        {
            if self.latest.get(&topic) == Some(&position) {
                self.latest.remove(&topic);
            }
        }
    }

    /// Returns how many keys it holds; those of a chunk are held as long as one of them is needed.
    pub fn n_keys(&self) -> usize {
        self.n_keys
    }
}

/// The keys that were added last.
#[derive(Debug, Default)]
struct Newest {
    first: HashMap<i64, Position, BuildHasherDefault<KeyHasher>>,
    /// Where a key is there more than once: all positions but the one above.
    more: BTreeSet<(i64, Position)>,
    keys: VecDeque<(Position, i64)>,
}

impl Newest {
    fn add(&mut self, position: Position, key: i64) {
        if *self.first.entry(key).or_insert(position) != position {
            self.more.insert((key, position));
        }
        self.keys.push_back((position, key));
    }

    fn find(&self, key: i64) -> impl Iterator<Item = Position> {
        let first = self.first.get(&key).copied();
        let more = self.more.range((key, Position::FIRST)..).take_while(move |(of, _)| *of == key);
        first.into_iter().chain(more.map(|(_, position)| *position))
    }

    /// Forgets every record up to a position; returns how many keys that were.
    fn forget(&mut self, upto: Position) -> usize {
        let mut n = 0;
        while let Some((position, key)) = self.keys.pop_front_if(|(position, _)| *position <= upto)
        {
            self.forget_key(position, key);
            n += 1;
        }
        n
    }

    /// Keys are forgotten oldest first, so that the next one, if any, takes the place of the first.
    fn forget_key(&mut self, position: Position, key: i64) {
        if self.first.get(&key) != Some(&position) {
            return;
        }
        let next = self.find(key).nth(1);
        match next {
            None => {
                self.first.remove(&key);
            }
            Some(next) => {
                self.more.remove(&(key, next));
                self.first.insert(key, next);
            }
        }
    }

    fn clear(&mut self) {
        self.first.clear();
        self.more.clear();
        self.keys.clear();
    }
}

/// Keys that follow each other, put together.
#[derive(Debug)]
struct Chunk {
    /// The upper half of each, in their order; `offsets` has the position of each, counted from `first`.
    halves: Box<[u32]>,
    offsets: Box<[u16]>,
    first: Position,
    last: Position,
}

impl Chunk {
    /// Puts keys together; `None` if there are none.
    fn of(keys: &VecDeque<(Position, i64)>) -> Option<Self> {
        let (first, last) = (keys.front()?.0, keys.back()?.0);
        let offset = |position: &Position| {
            u16::try_from(position.get() - first.get()).expect("a chunk spans few records")
        };
        let mut sorted: Vec<(u32, u16)> =
            keys.iter().map(|(position, key)| (half_of(*key), offset(position))).collect();
        sorted.sort_unstable();
        Some(Self {
            halves: sorted.iter().map(|(half, _)| *half).collect(),
            offsets: sorted.iter().map(|(_, offset)| *offset).collect(),
            first,
            last,
        })
    }

    /// Returns the records that may have a key, oldest first.
    fn find(&self, key: i64) -> impl Iterator<Item = Position> {
        let half = half_of(key);
        let start = self.halves.partition_point(|known| *known < half);
        let same = self.halves[start..].iter().take_while(move |known| **known == half);
        same.zip(&self.offsets[start..]).map(|(_, offset)| self.first.plus(u64::from(*offset)))
    }
}

/// The half of a key that a chunk knows it by.
fn half_of(key: i64) -> u32 {
    (key.cast_unsigned() >> 32) as u32
}

/// Keys are digests: their own bits are as good as any hash of them.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write_i64(&mut self, key: i64) {
        self.0 = key.cast_unsigned();
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
