//! Keys: 64 bits of a digest, by which records are found whose identity, trace or task is known.

use weft_event::{Facts, KeyDigests, digest_parts};

/// How many keys an event has at most: its own, its place or one retry key or two, that of its delivery, and its own without its secrets.
const KEYS_MAX: usize = 5;

/// The identity keys of one event as the index keeps them: the first 64 bits of each digest. An equal key makes a candidate;
/// whoever asks reads the record and compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    list: [i64; KEYS_MAX],
    n: usize,
}

impl Keys {
    /// No key at all.
    pub const NONE: Self = Self { list: [0; KEYS_MAX], n: 0 };

    /// Returns the keys that the event itself has.
    pub fn of(facts: &Facts<'_>) -> Self {
        Self::of_digests(&KeyDigests::of(facts))
    }

    /// Returns the keys that these digests are.
    pub fn of_digests(digests: &KeyDigests) -> Self {
        let KeyDigests { own, place, retry } = *digests;
        let mut keys = Self::NONE;
        let all = [own, place].into_iter().chain(retry).flatten();
        all.for_each(|digest| keys.push(short(digest)));
        keys
    }

    /// Returns these keys and that of the delivery.
    pub fn with_delivery(mut self, delivery: Option<&str>) -> Self {
        delivery.into_iter().for_each(|id| self.push(delivery_key(id)));
        self
    }

    /// Returns these keys and the one that the event has without its secrets.
    pub(crate) fn with_redacted(mut self, own: [u8; 16]) -> Self {
        self.push(short(own));
        self
    }

    /// Returns the keys.
    pub fn as_slice(&self) -> &[i64] {
        &self.list[..self.n]
    }

    fn push(&mut self, key: i64) {
        self.list[self.n] = key;
        self.n += 1;
    }
}

/// Returns the key of a delivery id.
pub fn delivery_key(id: &str) -> i64 {
    short(digest_parts(&[b"delivery", id.as_bytes()]))
}

/// Returns the key under which the records of a trace are found.
pub(super) fn trace_key(id: &str) -> i64 {
    short(digest_parts(&[b"trace", id.as_bytes()]))
}

/// Returns the key under which the records of a task are found.
pub(super) fn task_key(id: &str) -> i64 {
    short(digest_parts(&[b"task", id.as_bytes()]))
}

fn short(digest: [u8; 16]) -> i64 {
    let first = digest.first_chunk().expect("sixteen bytes have a first eight");
    i64::from_le_bytes(*first)
}
