//! The records that the index has not reached yet: their identity keys and topics, exactly.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use crate::index::Keys;
use crate::{Position, TopicKey};

/// Keys and topics of the newest records, by position. It grows with what is added and shrinks with [`Tail::forget`]; whoever
/// owns it keeps the index close enough.
#[derive(Debug, Default)]
pub struct Tail {
    first: HashMap<i64, Position, BuildHasherDefault<KeyHasher>>,
    /// Where a key is there more than once: all positions but the one above.
    more: BTreeSet<(i64, Position)>,
    keys: VecDeque<(Position, i64)>,
    latest: HashMap<TopicKey, Position>,
    posts: VecDeque<(Position, TopicKey)>,
}

impl Tail {
    /// Adds a record, which comes after all others.
    pub fn add(&mut self, position: Position, keys: &Keys, topic: Option<&TopicKey>) {
        for key in keys.as_slice() {
            if *self.first.entry(*key).or_insert(position) != position {
                self.more.insert((*key, position));
            }
            self.keys.push_back((position, *key));
        }
        if let Some(topic) = topic.filter(|topic| topic.key.is_some()) {
            self.latest.insert(topic.clone(), position);
            self.posts.push_back((position, topic.clone()));
        }
    }

    /// Returns the records that have a key, oldest first.
    pub fn find(&self, key: i64) -> impl Iterator<Item = Position> {
        let first = self.first.get(&key).copied();
        let more = self.more.range((key, Position::FIRST)..).take_while(move |(of, _)| *of == key);
        first.into_iter().chain(more.map(|(_, position)| *position))
    }

    /// Returns the newest record of a key of a last-value topic.
    pub fn latest(&self, topic: &TopicKey) -> Option<Position> {
        self.latest.get(topic).copied()
    }

    /// Forgets every record up to a position: the index has them.
    pub fn forget(&mut self, upto: Position) {
        while let Some((position, key)) = self.keys.pop_front_if(|(position, _)| *position <= upto)
        {
            self.forget_key(position, key);
        }
        while let Some((position, topic)) =
            self.posts.pop_front_if(|(position, _)| *position <= upto)
        {
            if self.latest.get(&topic) == Some(&position) {
                self.latest.remove(&topic);
            }
        }
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

    /// Hands every key to `each`.
    pub fn each_key(&self, each: impl FnMut(i64)) {
        self.keys.iter().map(|(_, key)| *key).for_each(each);
    }

    /// Returns how many keys it holds.
    pub fn n_keys(&self) -> usize {
        self.keys.len()
    }
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
