//! What is done to the file: rows, keys, topics, counts and watermarks, a transaction at a time.
//!
//! A [`Keeper`] borrows its connection and keeps its statements prepared; it lives on the stack of the thread that owns both.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, Statement, params};

use super::blocks::{self, BlockTables};
use super::keys::{self, Family, KeyTables, Settle};
use super::names::{News, Token};
use super::read::number;
use super::row::{ACTOR, Batch, DIALECT, N_NAMES, Row, TOPIC, TOPIC_KEY, TYPE, Text};
use super::{Follower, Gap, Segment, Watermark, integer, schema};
use crate::Hash;
use crate::priority::yield_turn;
use crate::reader::GONE;

const N_COLUMNS: usize = 16 + N_NAMES;

/// How many positions are deleted in one transaction when a range is pruned.
const PRUNED_TOGETHER: i64 = 20_000;

/// Free pages below which a file is left as it is.
const FREE_PAGES_MIN: i64 = 64;
/// The share of free pages below which a file is left as it is: one in so many.
const FREE_SHARE: i64 = 4;

/// A connection with its statements, and what the transaction in hand has gathered.
pub(super) struct Keeper<'c> {
    connection: &'c Connection,
    add_name: Statement<'c>,
    find_name: Statement<'c>,
    add_record: Statement<'c>,
    set_latest: Statement<'c>,
    add_count: Statement<'c>,
    set_watermark: Statement<'c>,
    keys: KeyTables<'c>,
    blocks: BlockTables<'c>,
    /// The ids of the names, by token.
    ids: Vec<i64>,
    latest: HashMap<(i64, i64), i64>,
    counts: HashMap<(i64, i64), i64>,
    core: Watermark,
}

impl<'c> Keeper<'c> {
    /// Prepares the statements.
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let core = watermark(connection, Follower::Core)?;
        let slots: Vec<String> = (1..=N_COLUMNS).map(|n| format!("?{n}")).collect();
        let add_record = format!("INSERT INTO records VALUES({})", slots.join(","));
        Ok(Self {
            connection,
            add_name: connection.prepare("INSERT OR IGNORE INTO names(text) VALUES(?1)")?,
            find_name: connection.prepare("SELECT id FROM names WHERE text = ?1")?,
            add_record: connection.prepare(&add_record)?,
            set_latest: connection.prepare(
                "INSERT INTO latest VALUES(?1, ?2, ?3) ON CONFLICT(topic, key) \
                 DO UPDATE SET position = max(position, excluded.position)",
            )?,
            add_count: connection.prepare(
                "INSERT INTO counts VALUES(?1, ?2, ?3) ON CONFLICT(dialect, type) \
                 DO UPDATE SET n = n + excluded.n",
            )?,
            set_watermark: connection
                .prepare("INSERT OR REPLACE INTO followers VALUES(?1, ?2, ?3, ?4, ?5)")?,
            keys: KeyTables::new(connection, core.position)?,
            blocks: BlockTables::new(connection)?,
            ids: Vec::new(),
            latest: HashMap::new(),
            counts: HashMap::new(),
            core,
        })
    }

    /// Begins a transaction.
    pub(super) fn begin(&mut self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")
    }

    /// Takes everything back to the last commit. The names sent since then have to be sent again.
    pub(super) fn roll_back(&mut self) {
        // If the failure has ended the transaction already, there is nothing to take back and SQLite says so.
        drop(self.connection.execute_batch("ROLLBACK"));
        self.ids.clear();
        self.latest.clear();
        self.counts.clear();
        self.keys.forget(self.core.position);
        self.blocks.forget();
    }

    /// Makes way for records that may be there already.
    pub(super) fn replace(&mut self, positions: RangeInclusive<u64>) -> rusqlite::Result<()> {
        let last = (*positions.end()).min(self.core.position);
        let (first, last) = (integer(*positions.start()), integer(last));
        if first > last {
            return Ok(());
        }
        self.remove_rows(first, last)?;
        self.keys.take_out(first..=last)?;
        let inside = "DELETE FROM gaps WHERE first >= ?1 AND last <= ?2";
        self.connection.execute(inside, [first, last])?;
        Ok(())
    }

    /// Inserts rows.
    pub(super) fn add(&mut self, batch: &Batch) -> rusqlite::Result<()> {
        self.learn(&batch.news)?;
        batch.rows.iter().try_for_each(|row| self.add_row(row, &batch.texts))
    }

    fn learn(&mut self, news: &News) -> rusqlite::Result<()> {
        if news.reset {
            self.ids.clear();
        }
        for name in &news.fresh {
            let is_new = self.add_name.execute([name])? > 0;
            self.ids.push(if is_new {
                self.connection.last_insert_rowid()
            } else {
                self.find_name.query_row([name], |row| row.get(0))?
            });
        }
        Ok(())
    }

    fn add_row(&mut self, row: &Row, texts: &str) -> rusqlite::Result<()> {
        yield_turn();
        let names = row.names.map(|token: Token| token.id(&self.ids));
        let statement = &mut self.add_record;
        let text = |text: &Option<Text>| text.as_ref().map(|text| &texts[text.place.clone()]);
        statement.raw_bind_parameter(N_COLUMNS - 8, text(&row.trace))?;
        statement.raw_bind_parameter(N_COLUMNS - 7, text(&row.task))?;
        statement.raw_bind_parameter(N_COLUMNS - 1, row.cost_usd)?;
        let mut slot = 0;
        let mut bind = |value: Option<i64>| {
            slot += 1;
            statement.raw_bind_parameter(slot, value)
        };
        bind(Some(row.position))?;
        bind(Some(integer(row.place.segment)))?;
        bind(Some(integer(row.place.offset)))?;
        bind(Some(i64::from(row.place.bytes)))?;
        bind(row.crc.map(i64::from))?;
        bind(row.at_us)?;
        bind(row.time_ns)?;
        names.into_iter().try_for_each(&mut bind)?;
        let ended = Some(i64::from(row.ended));
        let numbers = [ended, row.ordinal, row.duration_ms, row.input_tokens, row.output_tokens];
        for (slot, number) in (N_COLUMNS - 6..).zip(numbers) {
            statement.raw_bind_parameter(slot, number)?;
        }
        statement.raw_bind_parameter(N_COLUMNS, row.flags)?;
        statement.raw_execute()?;
        for key in row.keys.as_slice() {
            self.keys.push(Family::Identity, *key, row.position);
        }
        for text in [&row.trace, &row.task].into_iter().flatten() {
            self.keys.push(Family::Lookup, text.key, row.position);
        }
        let received_ns = || row.at_us.map(|at_us| at_us.saturating_mul(1000));
        let time_ns = row.time_ns.or_else(received_ns);
        self.blocks.push(row.position, names[ACTOR], names[TYPE], time_ns);
        *self.counts.entry((names[DIALECT].unwrap_or(0), names[TYPE].unwrap_or(0))).or_default() +=
            1;
        if let (Some(topic), Some(key)) = (names[TOPIC], names[TOPIC_KEY]) {
            let newest = self.latest.entry((topic, key)).or_default();
            *newest = row.position.max(*newest);
        }
        Ok(())
    }

    /// Writes what the rows brought with them, and the watermark.
    pub(super) fn finish_rows(
        &mut self,
        gaps: &[Gap],
        upto: Watermark,
        settle: Settle,
    ) -> rusqlite::Result<()> {
        self.keys.settle(upto.position, settle)?;
        self.blocks.flush()?;
        for ((topic, key), position) in self.latest.drain() {
            self.set_latest.execute([topic, key, position])?;
        }
        for ((dialect, event_type), n) in self.counts.drain() {
            self.add_count.execute([dialect, event_type, n])?;
        }
        for gap in gaps {
            let insert = "INSERT OR REPLACE INTO gaps VALUES(?1, ?2, ?3)";
            let (first, last) = (integer(gap.first.get()), integer(gap.last.get()));
            self.connection.execute(insert, params![first, last, gap.reason])?;
        }
        self.mark(Follower::Core, upto)
    }

    /// Writes the keys that are still held back.
    pub(super) fn keep_recent_keys(&mut self) -> rusqlite::Result<()> {
        self.keys.keep_recent()
    }

    /// Writes a watermark.
    pub(super) fn mark(&mut self, follower: Follower, upto: Watermark) -> rusqlite::Result<()> {
        let [position, segment, offset] = [upto.position, upto.segment, upto.offset].map(integer);
        let row = params![follower.as_str(), position, segment, offset, upto.hash.to_string()];
        self.set_watermark.execute(row)?;
        Ok(())
    }

    /// Commits what [`Keeper::finish_rows`] has finished.
    pub(super) fn commit_rows(&mut self, upto: Watermark) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")?;
        self.core = upto;
        Ok(())
    }

    /// Makes the indexes of a file that is built in one transaction, and ends it.
    pub(super) fn finish_file(&mut self) -> rusqlite::Result<()> {
        let upto = watermark(self.connection, Follower::Core)?;
        self.keys.settle(upto.position, Settle::All)?;
        self.keys.keep_recent()?;
        schema::finish(self.connection)?;
        self.connection.execute_batch("COMMIT; PRAGMA locking_mode = NORMAL")?;
        self.connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))
    }

    /// Indexes the texts of records, in a transaction of its own.
    pub(super) fn add_text(
        &mut self,
        rows: &[(i64, String)],
        upto: Watermark,
    ) -> rusqlite::Result<()> {
        self.in_transaction(|keeper| {
            let done = integer(watermark(keeper.connection, Follower::Text)?.position);
            let connection = keeper.connection;
            let mut insert = connection.prepare("INSERT INTO text(rowid, body) VALUES(?1, ?2)")?;
            let mut delete = connection.prepare("DELETE FROM text WHERE rowid = ?1")?;
            for (position, body) in rows {
                yield_turn();
                if *position <= done {
                    delete.execute([position])?;
                }
                insert.execute(params![position, body])?;
            }
            keeper.mark(Follower::Text, upto)
        })
    }

    /// Notes a segment, or its new name. Whoever reads on in the middle of one does not know where it begins.
    pub(super) fn add_segment(&mut self, segment: &Segment) -> rusqlite::Result<()> {
        let insert = "INSERT INTO segments VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET \
                      name = excluded.name, first = min(first, excluded.first)";
        let (number, first) = (integer(segment.number), integer(segment.first.get()));
        self.connection.execute(insert, params![number, segment.name, first])?;
        Ok(())
    }

    /// Forgets a segment that is gone.
    pub(super) fn drop_segment(&mut self, number: u64) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM segments WHERE number = ?1", [integer(number)])?;
        Ok(())
    }

    /// Deletes the rows of positions, in transactions of bounded size, and then what is kept of whole ranges.
    pub(super) fn prune(&mut self, first: i64, last: i64) -> rusqlite::Result<()> {
        let oldest = "SELECT min(position) FROM records WHERE position >= ?1";
        let mut at = first;
        while at <= last {
            let found =
                self.connection.query_row(oldest, [at], |row| row.get::<_, Option<i64>>(0))?;
            let Some(found) = found.filter(|found| *found <= last) else { break };
            let end = last.min(found + PRUNED_TOGETHER - 1);
            self.in_transaction(|keeper| {
                keeper.remove_rows(found, end)?;
                let text = "DELETE FROM text WHERE rowid BETWEEN ?1 AND ?2";
                keeper.connection.execute(text, [found, end]).map(|_| ())
            })?;
            at = end + 1;
        }
        self.in_transaction(|keeper| {
            keys::drop_dead(keeper.connection, first, last)?;
            blocks::drop_dead(keeper.connection, first, last)
        })
    }

    /// Notes that the segments of positions are gone, and forgets the gaps before the first position kept.
    pub(super) fn note_gone(
        &mut self,
        first: i64,
        last: i64,
        first_kept: i64,
    ) -> rusqlite::Result<()> {
        self.in_transaction(|keeper| {
            let touching = "DELETE FROM gaps WHERE (first >= ?1 AND last <= ?2) \
                            OR (reason = ?3 AND (last = ?1 - 1 OR first = ?2 + 1)) RETURNING first, last";
            let mut touching = keeper.connection.prepare(touching)?;
            let joined = touching
                .query_map(params![first, last, GONE], |row| Ok((row.get(0)?, row.get(1)?)))?
                .try_fold((first, last), |(first, last), gap| {
                    let (gap_first, gap_last): (i64, i64) = gap?;
                    Ok::<_, rusqlite::Error>((first.min(gap_first), last.max(gap_last)))
                })?;
            let insert = "INSERT OR REPLACE INTO gaps VALUES(?1, ?2, ?3)";
            keeper.connection.execute(insert, params![joined.0, joined.1, GONE])?;
            keeper.connection.execute("DELETE FROM gaps WHERE last < ?1", [first_kept])?;
            Ok(())
        })
    }

    /// Gives free pages back to the file system, if they are worth the writing of all others.
    pub(super) fn compact(&mut self) -> rusqlite::Result<()> {
        let pages =
            "SELECT freelist_count, page_count FROM pragma_freelist_count(), pragma_page_count()";
        let (free, all): (i64, i64) =
            self.connection.query_row(pages, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if free < FREE_PAGES_MIN || free * FREE_SHARE < all {
            return Ok(());
        }
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    fn in_transaction(
        &mut self,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        self.begin()?;
        let done = work(self).and_then(|()| self.connection.execute_batch("COMMIT"));
        if done.is_err() {
            self.roll_back();
        }
        done
    }

    /// Deletes rows. Where one of them had a topic's newest value, the newest that is left counts.
    fn remove_rows(&mut self, first: i64, last: i64) -> rusqlite::Result<()> {
        let range = [first, last];
        let connection = self.connection;
        let mut hit = connection
            .prepare("DELETE FROM latest WHERE position BETWEEN ?1 AND ?2 RETURNING topic, key")?;
        let hit: Vec<(i64, i64)> = hit
            .query_map(range, |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        connection.execute(
            "INSERT INTO counts SELECT ifnull(dialect, 0), ifnull(type, 0), -count(*) FROM records \
             WHERE position BETWEEN ?1 AND ?2 GROUP BY 1, 2 \
             ON CONFLICT(dialect, type) DO UPDATE SET n = n + excluded.n",
            range,
        )?;
        connection.execute("DELETE FROM counts WHERE n = 0", [])?;
        connection.execute("DELETE FROM records WHERE position BETWEEN ?1 AND ?2", range)?;
        for (topic, key) in hit {
            connection.execute(
                "INSERT INTO latest SELECT topic, topic_key, max(position) FROM records \
                 WHERE topic = ?1 AND topic_key = ?2 GROUP BY 1, 2",
                [topic, key],
            )?;
        }
        Ok(())
    }
}

/// Reads a watermark.
pub(super) fn watermark(
    connection: &Connection,
    follower: Follower,
) -> rusqlite::Result<Watermark> {
    let select = "SELECT position, segment, offset, hash FROM followers WHERE name = ?1";
    let found = connection.prepare_cached(select)?.query_row([follower.as_str()], |row| {
        let hash: String = row.get(3)?;
        Ok(Watermark {
            position: number(row, 0)?,
            segment: number(row, 1)?,
            offset: number(row, 2)?,
            hash: Hash::parse(&hash).unwrap_or(Hash::ZERO),
        })
    });
    Ok(found.optional()?.unwrap_or(Watermark::NONE))
}
