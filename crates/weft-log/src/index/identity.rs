//! Identity keys: which records may be repeats of an event.
//!
//! A key is 64 bits of a digest, so keys come in no order, and one table of them all would have every insert dirty a page of
//! its own: at ten million records four kilobytes are written for each key of sixteen bytes. So keys are kept by *bucket*, a
//! range of positions. A bucket of [`RECENT_BITS`] fills up in `identity_recent`, small enough that a transaction's keys share
//! its pages; once [`SETTLED_BITS`] worth of positions are there, they are written to `identity` in one sorted run and the
//! recent ones are dropped as a whole. A look-up asks each bucket; it is needed only for what the filter of all known keys does
//! not settle.

use rusqlite::{Connection, Statement, params};
use weft_event::{Facts, KeyDigests, digest_parts};

use super::read::position;
use crate::Position;

/// A bucket of `identity` holds the keys of 2 to this many positions.
pub(super) const SETTLED_BITS: u32 = 20;
/// A bucket of `identity_recent` holds the keys of 2 to this many positions.
pub(super) const RECENT_BITS: u32 = 15;

/// How many keys an event has at most: own, place, retry and delivery.
const KEYS_MAX: usize = 4;

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
        [own, place, retry].into_iter().flatten().for_each(|digest| keys.push(short(digest)));
        keys
    }

    /// Returns these keys and that of the delivery.
    pub fn with_delivery(mut self, delivery: Option<&str>) -> Self {
        delivery.into_iter().for_each(|id| self.push(delivery_key(id)));
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

fn short(digest: [u8; 16]) -> i64 {
    let first = digest.first_chunk().expect("sixteen bytes have a first eight");
    i64::from_le_bytes(*first)
}

/// Returns the bucket of a position.
pub(super) fn bucket(position: i64, bits: u32) -> i64 {
    (position - 1) >> bits
}

/// Keys on their way into the two tables.
pub(super) struct IdentityTables<'c> {
    connection: &'c Connection,
    settle: Statement<'c>,
    keep_recent: Statement<'c>,
    pending: Vec<(i64, i64)>,
    /// The last position whose keys are, or belong, in `identity`.
    settled: i64,
}

impl<'c> IdentityTables<'c> {
    /// Prepares for a file that is indexed up to a position.
    pub(super) fn new(connection: &'c Connection, indexed: u64) -> rusqlite::Result<Self> {
        Ok(Self {
            connection,
            settle: connection.prepare("INSERT OR IGNORE INTO identity VALUES(?1, ?2, ?3)")?,
            keep_recent: connection
                .prepare("INSERT OR IGNORE INTO identity_recent VALUES(?1, ?2, ?3)")?,
            pending: Vec::new(),
            settled: whole_buckets(super::integer(indexed)),
        })
    }

    /// Notes the keys of a record.
    pub(super) fn push(&mut self, position: i64, keys: &Keys) {
        self.pending.extend(keys.as_slice().iter().map(|key| (*key, position)));
    }

    /// Forgets what was noted since the last commit, after a rollback to what was indexed then.
    pub(super) fn forget(&mut self, indexed: u64) {
        self.pending.clear();
        self.settled = whole_buckets(super::integer(indexed));
    }

    /// Writes the noted keys that are due in `identity` now that the index reaches to `upto`; the rest stays noted.
    pub(super) fn settle(&mut self, upto: u64) -> rusqlite::Result<()> {
        let due = whole_buckets(super::integer(upto)).max(self.settled);
        let mut rows: Vec<_> =
            self.pending.extract_if(.., |(_, position)| *position <= due).collect();
        if due > self.settled {
            let mut recent =
                self.connection.prepare("SELECT key, position FROM identity_recent")?;
            let mut found = recent.query([])?;
            while let Some(row) = found.next()? {
                rows.push((row.get(0)?, row.get(1)?));
            }
            self.connection.execute_batch("DELETE FROM identity_recent")?;
            self.settled = due;
        }
        insert_sorted(&mut self.settle, &mut rows, SETTLED_BITS)
    }

    /// Writes what is still noted to `identity_recent`.
    pub(super) fn keep_recent(&mut self) -> rusqlite::Result<()> {
        insert_sorted(&mut self.keep_recent, &mut self.pending, RECENT_BITS)?;
        self.pending.clear();
        Ok(())
    }
}

fn whole_buckets(upto: i64) -> i64 {
    upto >> SETTLED_BITS << SETTLED_BITS
}

fn insert_sorted(
    insert: &mut Statement<'_>,
    rows: &mut [(i64, i64)],
    bits: u32,
) -> rusqlite::Result<()> {
    rows.sort_unstable_by_key(|(key, position)| (bucket(*position, bits), *key, *position));
    for (key, position) in rows {
        insert.execute([bucket(*position, bits), *key, *position])?;
    }
    Ok(())
}

/// Deletes the keys of a range of positions.
pub(super) fn delete(connection: &Connection, first: i64, last: i64) -> rusqlite::Result<()> {
    for (table, bits) in [("identity", SETTLED_BITS), ("identity_recent", RECENT_BITS)] {
        let delete = format!(
            "DELETE FROM {table} WHERE bucket BETWEEN ?1 AND ?2 AND position BETWEEN ?3 AND ?4"
        );
        let range = params![bucket(first, bits), bucket(last, bits), first, last];
        connection.execute(&delete, range)?;
    }
    Ok(())
}

/// Returns every record that has one of the keys, by key and position.
pub(super) fn candidates(
    connection: &Connection,
    keys: &[i64],
) -> rusqlite::Result<Vec<(i64, Position)>> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.dedup();
    let mut found = Vec::new();
    for table in ["identity", "identity_recent"] {
        let mut next = connection
            .prepare_cached(&format!("SELECT min(bucket) FROM {table} WHERE bucket > ?1"))?;
        let mut probe = connection.prepare_cached(&format!(
            "SELECT position FROM {table} WHERE bucket = ?1 AND key = ?2"
        ))?;
        let mut bucket = i64::MIN;
        while let Some(at) = next.query_row([bucket], |row| row.get::<_, Option<i64>>(0))? {
            for key in &keys {
                let mut rows = probe.query([at, *key])?;
                while let Some(row) = rows.next()? {
                    found.push((*key, position(row, 0)?));
                }
            }
            bucket = at;
        }
    }
    found.sort_unstable();
    Ok(found)
}
