//! Where keys are kept: in sorted runs by range of positions, and the newest as rows.
//!
//! Keys come in no order, so one table of them all would have every insert dirty a page of its own. They are kept by *bucket*,
//! a range of 2 to [`LEVEL_BITS`] positions: once all positions of a bucket are indexed, its keys are written as sorted runs, a
//! few kilobytes each, and eight buckets of a level become one of the next. The keys behind the last whole bucket are rows of
//! `recent_keys`. Which bucket a position belongs to follows from the watermark alone, so that an index that followed equals
//! one that was built.
//!
//! Runs may name positions whose records are gone: a bucket is dropped when no record of it is left, and whoever finds a
//! position asks `records` for it.

use std::ops::RangeInclusive;

use rusqlite::{Connection, Statement, params};

use super::run::{self, Entry};
use crate::priority::yield_turn;

/// How many positions the buckets of each level have, as powers of two.
pub(super) const LEVEL_BITS: [u32; 4] = [11, 14, 17, 20];

/// A bucket's runs, as a power of two less than its positions: with one or two keys each, a run takes half a page or a whole.
const POSITIONS_PER_RUN_BITS: u32 = 7;
/// Room for the number of a run in its bucket.
const CHUNK_BITS: u32 = LEVEL_BITS[3] - POSITIONS_PER_RUN_BITS;
/// Where the level stands in the id of a run.
const LEVEL_SHIFT: u32 = 60;

/// From this level on buckets are put together slice by slice, so that the keys of a million records are never in memory at once.
const SLICED_LEVEL: usize = 2;
/// How many slices that are; no more than the smallest buckets have runs.
const SLICES: u64 = 16;
const _: () = assert!(SLICES <= 1 << (LEVEL_BITS[0] - POSITIONS_PER_RUN_BITS));

/// What keys are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Repeats are recognised by them.
    Identity,
    /// The records of a trace or a task are found by them.
    Lookup,
}

impl Family {
    pub(super) const ALL: [Self; 2] = [Self::Identity, Self::Lookup];

    pub(super) fn number(self) -> i64 {
        match self {
            Family::Identity => 0,
            Family::Lookup => 1,
        }
    }
}

/// A range of positions whose keys are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bucket {
    pub(super) level: usize,
    pub(super) number: i64,
}

impl Bucket {
    /// The first of the largest.
    pub(super) const FIRST_LARGEST: Self = Self { level: LEVEL_BITS.len() - 1, number: 0 };

    pub(super) fn of(level: usize, position: i64) -> Self {
        Self { level, number: (position - 1) >> LEVEL_BITS[level] }
    }

    /// Returns the bucket that a run belongs to.
    pub(super) fn of_run(id: i64) -> Self {
        let level = usize::try_from(id >> LEVEL_SHIFT).unwrap_or(0).min(LEVEL_BITS.len() - 1);
        Self { level, number: (id & ((1 << LEVEL_SHIFT) - 1)) >> (CHUNK_BITS + 1) }
    }

    /// Returns the position before its first.
    pub(super) fn start(self) -> i64 {
        self.number << LEVEL_BITS[self.level]
    }

    pub(super) fn positions(self) -> RangeInclusive<i64> {
        self.start() + 1..=self.start() + (1 << LEVEL_BITS[self.level])
    }

    /// Returns the id of the run that a key belongs to.
    pub(super) fn run(self, family: Family, key: i64) -> i64 {
        let chunk = key as u64 >> (u64::BITS - (LEVEL_BITS[self.level] - POSITIONS_PER_RUN_BITS));
        self.first_run()
            | family.number() << CHUNK_BITS
            | i64::try_from(chunk).expect("thirteen bits are left")
    }

    /// Returns the least id that a run of it can have.
    pub(super) fn first_run(self) -> i64 {
        (self.level as i64) << LEVEL_SHIFT | self.number << (CHUNK_BITS + 1)
    }

    /// Returns the ids that its runs can have.
    pub(super) fn runs(self) -> RangeInclusive<i64> {
        self.first_run()..=self.next().first_run() - 1
    }

    pub(super) fn next(self) -> Self {
        Self { number: self.number + 1, ..self }
    }
}

/// A range of keys, which whole runs of every bucket make up.
#[derive(Clone, Copy)]
struct Slice {
    first: i64,
    last: i64,
}

impl Slice {
    /// Returns so many slices of the same size, a power of two, that have all keys together.
    fn all(n_slices: u64) -> impl Iterator<Item = Self> {
        let last = u64::MAX / n_slices;
        (0..n_slices).map(move |n| {
            let first = n * (last + u64::from(n_slices > 1));
            Self { first: first.cast_signed(), last: (first + last).cast_signed() }
        })
    }

    fn has(self, key: i64) -> bool {
        (self.first.cast_unsigned()..=self.last.cast_unsigned()).contains(&key.cast_unsigned())
    }
}

/// How far the buckets of each level reach.
#[derive(Clone, Copy)]
struct Layout([i64; LEVEL_BITS.len()]);

impl Layout {
    /// Returns the layout of an index that reaches to a position.
    fn of(upto: u64) -> Self {
        let upto = super::integer(upto);
        Self(LEVEL_BITS.map(|bits| upto >> bits << bits))
    }

    /// Returns the same without the smaller levels.
    fn largest_only(self) -> Self {
        Self([self.0[LEVEL_BITS.len() - 1]; LEVEL_BITS.len()])
    }

    fn settled(self) -> i64 {
        self.0[0]
    }

    /// Returns the bucket of a position that is settled.
    fn bucket(self, position: i64) -> Bucket {
        let level = (0..LEVEL_BITS.len()).rev().find(|level| position <= self.0[*level]);
        Bucket::of(level.unwrap_or(0), position)
    }
}

/// Which buckets are written now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settle {
    /// Every whole one.
    All,
    /// Those of the largest level: what is left comes with the end.
    Largest,
}

/// Keys on their way into the tables.
pub(super) struct KeyTables<'c> {
    connection: &'c Connection,
    add_run: Statement<'c>,
    add_recent: Statement<'c>,
    pending: [Vec<Entry>; Family::ALL.len()],
    /// The last position whose keys are, or belong, in runs.
    settled: i64,
}

impl<'c> KeyTables<'c> {
    /// Prepares for a file that is indexed up to a position.
    pub(super) fn new(connection: &'c Connection, indexed: u64) -> rusqlite::Result<Self> {
        Ok(Self {
            connection,
            add_run: connection.prepare("INSERT INTO keys VALUES(?1, ?2)")?,
            add_recent: connection
                .prepare("INSERT OR IGNORE INTO recent_keys VALUES(?1, ?2, ?3)")?,
            pending: Default::default(),
            settled: Layout::of(indexed).settled(),
        })
    }

    /// Notes a key of a record.
    pub(super) fn push(&mut self, family: Family, key: i64, position: i64) {
        self.pending[family as usize].push(Entry::new(key, position));
    }

    /// Forgets what was noted since the last commit, after a rollback to what was indexed then.
    pub(super) fn forget(&mut self, indexed: u64) {
        self.pending.iter_mut().for_each(Vec::clear);
        self.settled = Layout::of(indexed).settled();
    }

    /// Takes the keys of positions out, before others are noted. The buckets hit are written again by the next settling.
    pub(super) fn take_out(&mut self, positions: RangeInclusive<i64>) -> rusqlite::Result<()> {
        let (first, last) = (*positions.start(), *positions.end());
        // What an earlier call took along from a bucket that both hit.
        for pending in &mut self.pending {
            pending.retain(|entry| !positions.contains(&entry.position()));
        }
        let recent = "DELETE FROM recent_keys WHERE position BETWEEN ?1 AND ?2";
        self.connection.execute(recent, [first, last])?;
        for level in 0..LEVEL_BITS.len() {
            let hit = Bucket::of(level, first).first_run()..=*Bucket::of(level, last).runs().end();
            self.take_runs(hit, |position| !positions.contains(&position))?;
        }
        Ok(())
    }

    /// Writes the noted keys that are due in runs now that the index reaches to `upto`; the rest stays noted.
    pub(super) fn settle(&mut self, upto: u64, settle: Settle) -> rusqlite::Result<()> {
        let layout = match settle {
            Settle::All => Layout::of(upto),
            Settle::Largest => Layout::of(upto).largest_only(),
        };
        let before = Layout::of(self.settled.cast_unsigned());
        let grows = layout.settled() > self.settled;
        if grows {
            self.take_recent()?;
            self.settled = layout.settled();
        }
        let is_large = grows && layout.0[SLICED_LEVEL..] != before.0[SLICED_LEVEL..];
        let n_slices = if is_large { SLICES } else { 1 };
        for family in Family::ALL {
            for slice in Slice::all(n_slices) {
                if grows {
                    self.take_smaller(layout, family, slice)?;
                }
                self.write_due(layout, family, slice)?;
            }
        }
        Ok(())
    }

    /// Takes the keys of every bucket that has become part of a larger one.
    fn take_smaller(
        &mut self,
        layout: Layout,
        family: Family,
        slice: Slice,
    ) -> rusqlite::Result<()> {
        for level in 0..LEVEL_BITS.len() - 1 {
            let end = Bucket::of(level, layout.0[level + 1] + 1);
            let mut at = Bucket { level, number: 0 };
            while let Some(bucket) = next_bucket(self.connection, at)?.filter(|next| *next < end) {
                let ids = bucket.run(family, slice.first)..=bucket.run(family, slice.last);
                self.take_runs(ids, |_| true)?;
                at = bucket.next();
            }
        }
        Ok(())
    }

    fn write_due(&mut self, layout: Layout, family: Family, slice: Slice) -> rusqlite::Result<()> {
        let settled = self.settled;
        let due = |entry: &mut Entry| entry.position() <= settled && slice.has(entry.key());
        let mut due: Vec<Entry> = self.pending[family as usize].extract_if(.., due).collect();
        let bucket = |entry: &Entry| layout.bucket(entry.position());
        // They come by position or all from one bucket, so there is next to nothing to sort.
        due.sort_by_key(bucket);
        for entries in due.chunk_by_mut(|a, b| bucket(a) == bucket(b)) {
            write_runs(&mut self.add_run, family, bucket(&entries[0]), entries)?;
        }
        Ok(())
    }

    /// Writes what is still noted to `recent_keys`.
    pub(super) fn keep_recent(&mut self) -> rusqlite::Result<()> {
        for family in Family::ALL {
            let pending = &mut self.pending[family as usize];
            pending.sort_unstable();
            for entry in pending.drain(..) {
                yield_turn();
                self.add_recent.execute([family.number(), entry.key(), entry.position()])?;
            }
        }
        Ok(())
    }

    fn take_runs(
        &mut self,
        ids: RangeInclusive<i64>,
        keep: impl Fn(i64) -> bool,
    ) -> rusqlite::Result<()> {
        let ids = [*ids.start(), *ids.end()];
        let pending = &mut self.pending;
        let mut hit = false;
        each_run(self.connection, ids, |bucket, family, run| {
            hit = true;
            let entries = run::entries(run, bucket.start());
            pending[family as usize].extend(entries.filter(|entry| keep(entry.position())));
        })?;
        if hit {
            self.connection.execute("DELETE FROM keys WHERE id BETWEEN ?1 AND ?2", ids)?;
        }
        Ok(())
    }

    fn take_recent(&mut self) -> rusqlite::Result<()> {
        let pending = &mut self.pending;
        each_recent(self.connection, |family, entry| pending[family as usize].push(entry))?;
        self.connection.execute_batch("DELETE FROM recent_keys")
    }
}

fn write_runs(
    add_run: &mut Statement<'_>,
    family: Family,
    bucket: Bucket,
    entries: &mut [Entry],
) -> rusqlite::Result<()> {
    entries.sort_unstable();
    let id = |entry: &Entry| bucket.run(family, entry.key());
    let mut bytes = Vec::new();
    for chunk in entries.chunk_by(|a, b| id(a) == id(b)) {
        yield_turn();
        run::encode(chunk, bucket.start(), &mut bytes);
        add_run.execute(params![id(&chunk[0]), bytes])?;
    }
    Ok(())
}

/// Hands every run in a range of ids to `each`.
pub(super) fn each_run(
    connection: &Connection,
    ids: [i64; 2],
    mut each: impl FnMut(Bucket, Family, &[u8]),
) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare_cached("SELECT id, run FROM keys WHERE id BETWEEN ?1 AND ?2")?;
    let mut rows = statement.query(ids)?;
    while let Some(row) = rows.next()? {
        yield_turn();
        let id: i64 = row.get(0)?;
        let family = Family::ALL[usize::from(id >> CHUNK_BITS & 1 == 1)];
        each(Bucket::of_run(id), family, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}

/// Hands every key that is not in a run to `each`.
pub(super) fn each_recent(
    connection: &Connection,
    mut each: impl FnMut(Family, Entry),
) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare_cached("SELECT family, key, position FROM recent_keys")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let family = Family::ALL[usize::from(row.get::<_, i64>(0)? == 1)];
        each(family, Entry::new(row.get(1)?, row.get(2)?));
    }
    Ok(())
}

/// Deletes the keys of a range of positions whose records are gone; those in a bucket that has other records stay.
pub(super) fn drop_dead(connection: &Connection, first: i64, last: i64) -> rusqlite::Result<()> {
    let recent = "DELETE FROM recent_keys WHERE position BETWEEN ?1 AND ?2";
    connection.execute(recent, [first, last])?;
    let mut is_alive = connection
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM records WHERE position BETWEEN ?1 AND ?2)")?;
    let mut drop_runs = connection.prepare_cached("DELETE FROM keys WHERE id BETWEEN ?1 AND ?2")?;
    for level in 0..LEVEL_BITS.len() {
        let end = Bucket::of(level, last).next();
        let mut at = Bucket::of(level, first);
        while let Some(bucket) = next_bucket(connection, at)?.filter(|bucket| *bucket < end) {
            let positions = bucket.positions();
            let alive: bool =
                is_alive.query_row([*positions.start(), *positions.end()], |row| row.get(0))?;
            if !alive {
                let runs = bucket.runs();
                drop_runs.execute([*runs.start(), *runs.end()])?;
            }
            at = bucket.next();
        }
    }
    Ok(())
}

/// Returns the first bucket that has runs, from one of the same level on.
pub(super) fn next_bucket(
    connection: &Connection,
    from: Bucket,
) -> rusqlite::Result<Option<Bucket>> {
    let mut next = connection.prepare_cached("SELECT min(id) FROM keys WHERE id >= ?1")?;
    let id: Option<i64> = next.query_row([from.first_run()], |row| row.get(0))?;
    Ok(id.map(Bucket::of_run).filter(|bucket| bucket.level == from.level))
}
