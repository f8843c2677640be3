//! Reading the index: where records stand, how far the followers are, and what there is.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params_from_iter};

use super::keys::Family;
use super::route::{self, Route};
use super::schema::{self, Content};
use super::{
    Follower, Gap, IndexError, Place, Segment, SqlValue, Watermark, finder, integer, keeper, probe,
    regexp,
};
use crate::Position;
use crate::filter::Demands;

/// How long to wait for another process's lock. Readers of a write-ahead file rarely have to.
const BUSY: Duration = Duration::from_secs(10);

/// Page cache of a reading connection, in KiB, at most.
const CACHE_KIB: i64 = 16 * 1024;

/// The same where the index is written all the while: what is kept is of no use after the next transaction.
const CACHE_BESIDE_WRITER_KIB: i64 = 2 * 1024;

/// What [`found`] reads, in its order.
pub(super) const PLACE_COLUMNS: &str = "position, segment, offset, bytes, crc";

/// What [`Reader::latest_by_prefix`] asks. Left to itself the planner may begin with every key of every topic.
pub(super) const LATEST_BY_PREFIX: &str = "SELECT t.text, l.position FROM names t CROSS JOIN latest l \
     ON l.topic = t.id AND l.key = (SELECT id FROM names WHERE text = ?3) \
     WHERE t.text >= ?1 AND t.text < ?2 ORDER BY t.text";

/// A connection that only reads.
pub struct Reader {
    path: PathBuf,
    pub(super) connection: Connection,
}

/// Which records are asked for.
#[derive(Clone, Debug)]
pub struct Select<'a> {
    /// A condition on the columns of `records`, with parameters from `?1` on; `true` for all.
    pub condition: &'a str,
    /// The parameters.
    pub params: &'a [SqlValue],
    /// The positions to look at.
    pub range: RangeInclusive<Position>,
}

/// From which end of the range records are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Oldest first.
    Ascending,
    /// Newest first.
    Descending,
}

impl Order {
    pub(super) fn direction(self) -> &'static str {
        match self {
            Order::Ascending => "ASC",
            Order::Descending => "DESC",
        }
    }
}

/// A record that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its position.
    pub position: Position,
    /// Where its line stands.
    pub place: Place,
    /// The checksum of its line, if the seal was good.
    pub crc: Option<u32>,
}

/// How much is in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Records.
    pub n_records: u64,
    /// The oldest and the newest of them.
    pub range: Option<(Position, Position)>,
    /// Bytes of the index file.
    pub bytes: u64,
    /// Records of each type.
    pub types: Vec<TypeCount>,
}

/// How many records there are of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeCount {
    /// The dialect; empty where a line could not be read.
    pub dialect: String,
    /// The type; empty where a line could not be read.
    pub event_type: String,
    /// The number of records.
    pub n: u64,
}

impl Reader {
    /// Opens an index, whichever store it belongs to.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        if !path.exists() {
            return Err(IndexError::Missing { path: path.to_owned() });
        }
        // A reader may be the first to look after a crash, and then it has to write the file that readers share. In a folder
        // that cannot be written there is no such file, and none is needed.
        let flags = [OpenFlags::SQLITE_OPEN_READ_WRITE, OpenFlags::SQLITE_OPEN_READ_ONLY];
        let mut opened =
            flags.map(|flags| flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).into_iter().map(|flags| {
                let connection = Connection::open_with_flags(path, flags)?;
                prepare(&connection)?;
                finder::register(&connection, path)?;
                let content = schema::inspect(&connection, None)?;
                Ok::<_, rusqlite::Error>((connection, content))
            });
        let first = opened.next().expect("there are two ways to open");
        let (connection, content) = match first {
            Err(error) if cannot_write(&error) => {
                opened.next().expect("there are two ways to open")
            }
            first => first,
        }
        .map_err(|error| IndexError::sqlite(path, error))?;
        match content {
            Content::Current => Ok(Self { path: path.to_owned(), connection }),
            Content::Empty => Err(IndexError::Missing { path: path.to_owned() }),
            Content::Stale(reason) => Err(IndexError::stale(path, reason)),
        }
    }

    /// Returns the id of the store that it is the index of.
    pub(crate) fn store(&self) -> Result<String, IndexError> {
        let select = "SELECT value FROM meta WHERE key = 'store'";
        self.with(|connection| connection.query_row(select, [], |row| row.get(0)))
    }

    /// Returns how far a follower is.
    pub fn watermark(&self, follower: Follower) -> Result<Watermark, IndexError> {
        self.with(|connection| keeper::watermark(connection, follower))
    }

    /// Returns where a record stands.
    pub fn place(&self, position: Position) -> Result<Option<Found>, IndexError> {
        Ok(self.places(&[position])?.pop())
    }

    /// Returns where records stand, by position; those that have no row are left out. Much faster than one by one.
    pub fn places(&self, positions: &[Position]) -> Result<Vec<Found>, IndexError> {
        let positions: Vec<i64> =
            positions.iter().map(|position| integer(position.get())).collect();
        self.with(|connection| {
            fetch(connection, PLACE_COLUMNS, &positions, Order::Ascending, found)
        })
    }

    /// Returns the records that are asked for, by position, at most `limit`.
    pub fn positions(
        &self,
        select: &Select<'_>,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Found>, IndexError> {
        self.select(PLACE_COLUMNS, &Demands::NONE, select, order, limit, found)
    }

    /// Returns columns of the records that are asked for, by position, at most `limit`. All of them have what is demanded.
    pub(super) fn select<T>(
        &self,
        columns: &str,
        demands: &Demands,
        select: &Select<'_>,
        order: Order,
        limit: usize,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        if *demands == Demands::NONE {
            return self.with(|connection| scan(connection, columns, select, order, limit, row));
        }
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let positions = match route::route(&snapshot, demands)? {
                Route::Plain => return scan(&snapshot, columns, select, order, limit, row),
                Route::Positions(positions) => {
                    route::among_positions(&snapshot, positions, select, order, limit)?
                }
                Route::Blocks(passes) => {
                    route::among_blocks(&snapshot, &passes, select, order, limit)?
                }
            };
            fetch(&snapshot, columns, &positions, order, row)
        })
    }

    /// Returns how many records there are of those asked for.
    pub fn count(&self, select: &Select<'_>) -> Result<u64, IndexError> {
        let n = select.params.len();
        let sql = format!(
            "SELECT count(*) FROM records WHERE ({}) AND position BETWEEN ?{} AND ?{}",
            select.condition,
            n + 1,
            n + 2,
        );
        let params = select.params.iter().cloned().chain(bounds(&select.range));
        self.with(|connection| {
            connection.query_row(&sql, params_from_iter(params), |row| number(row, 0))
        })
    }

    /// Returns the newest record of a key of a last-value topic.
    pub fn latest(&self, topic: &str, key: &str) -> Result<Option<Position>, IndexError> {
        let sql = "SELECT position FROM latest WHERE topic = (SELECT id FROM names WHERE text = ?1) \
                   AND key = (SELECT id FROM names WHERE text = ?2)";
        let row = |row: &Row<'_>| position(row, 0);
        self.with(|connection| {
            connection.prepare_cached(sql)?.query_row([topic, key], row).optional()
        })
    }

    /// Returns the topics that begin so and have this key, by name, each with the newest record of it. Costs what it returns.
    pub fn latest_by_prefix(
        &self,
        prefix: &str,
        key: &str,
    ) -> Result<Vec<(String, Position)>, IndexError> {
        let end = format!("{prefix}{}", char::MAX);
        self.with(|connection| {
            let mut statement = connection.prepare_cached(LATEST_BY_PREFIX)?;
            let row = |row: &Row<'_>| Ok((row.get(0)?, position(row, 1)?));
            statement.query_map([prefix, &end, key], row)?.collect()
        })
    }

    /// Returns the records in a range that are the newest of some key of a last-value topic: what has to be carried forward
    /// before the range may go.
    pub fn latest_within(
        &self,
        range: &RangeInclusive<Position>,
    ) -> Result<Vec<Position>, IndexError> {
        let sql = "SELECT position FROM latest WHERE position BETWEEN ?1 AND ?2 ORDER BY position";
        self.with(|connection| {
            let mut statement = connection.prepare(sql)?;
            statement.query_map(params_from_iter(bounds(range)), |row| position(row, 0))?.collect()
        })
    }

    /// Returns the segments, by number.
    pub fn segments(&self) -> Result<Vec<Segment>, IndexError> {
        let row = |row: &Row<'_>| {
            Ok(Segment { number: number(row, 0)?, name: row.get(1)?, first: position(row, 2)? })
        };
        self.with(|connection| {
            let sql = "SELECT number, name, first FROM segments ORDER BY number";
            connection.prepare(sql)?.query_map([], row)?.collect()
        })
    }

    /// Returns the gaps, by position.
    pub fn gaps(&self) -> Result<Vec<Gap>, IndexError> {
        let row = |row: &Row<'_>| {
            Ok(Gap { first: position(row, 0)?, last: position(row, 1)?, reason: row.get(2)? })
        };
        self.with(|connection| {
            let sql = "SELECT first, last, reason FROM gaps ORDER BY first";
            connection.prepare_cached(sql)?.query_map([], row)?.collect()
        })
    }

    /// Returns every record that has one of these identity keys, by key and position. Ask for many keys at once: they share
    /// the pages they are looked up in.
    pub fn candidates(&self, keys: &[i64]) -> Result<Vec<(i64, Found)>, IndexError> {
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let found = probe::find(&snapshot, Family::Identity, keys)?;
            if found.is_empty() {
                return Ok(Vec::new());
            }
            // Positions whose records are gone have no row.
            let positions: Vec<i64> = found.iter().map(|(_, position)| *position).collect();
            let row = |row: &Row<'_>| Ok((row.get(0)?, self::found(row)?));
            let rows = fetch(&snapshot, PLACE_COLUMNS, &positions, Order::Ascending, row)?;
            let rows: HashMap<i64, Found> = rows.into_iter().collect();
            let alive = |(key, position): (i64, i64)| Some((key, *rows.get(&position)?));
            Ok(found.into_iter().filter_map(alive).collect())
        })
    }

    /// Returns this reader with little memory for pages, for somebody who asks while the index is written.
    pub(crate) fn beside_writer(self) -> Result<Self, IndexError> {
        self.with(|connection| {
            connection.execute_batch(&format!("PRAGMA cache_size = -{CACHE_BESIDE_WRITER_KIB}"))
        })?;
        Ok(self)
    }

    /// Hands every identity key to `each`; returns the watermark that they reach to. Keys of records that are gone may be among
    /// them. This is how a [`Known`](crate::known::Known) is filled: about 0.1 s a million.
    pub fn each_key(&self, each: impl FnMut(i64)) -> Result<Watermark, IndexError> {
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let upto = keeper::watermark(&snapshot, Follower::Core)?;
            probe::each_identity(&snapshot, each)?;
            Ok(upto)
        })
    }

    /// Returns how many records there are; costs a row per type.
    pub fn n_records(&self) -> Result<u64, IndexError> {
        self.with(n_records)
    }

    /// Returns how much is in the index; costs a row per type, not per record.
    pub fn stats(&self) -> Result<Stats, IndexError> {
        let types = "SELECT ifnull(d.text, ''), ifnull(t.text, ''), c.n FROM counts c \
                     LEFT JOIN names d ON d.id = c.dialect LEFT JOIN names t ON t.id = c.type ORDER BY 1, 2";
        let ends =
            "SELECT (SELECT min(position) FROM records), (SELECT max(position) FROM records)";
        self.with(|connection| {
            let (first, last) = connection.query_row(ends, [], |row| {
                Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?))
            })?;
            let bytes =
                "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
            let row = |row: &Row<'_>| {
                Ok(TypeCount { dialect: row.get(0)?, event_type: row.get(1)?, n: number(row, 2)? })
            };
            Ok(Stats {
                n_records: n_records(connection)?,
                range: first.and_then(to_position).zip(last.and_then(to_position)),
                bytes: connection.query_row(bytes, [], |row| number(row, 0))?,
                types: connection.prepare(types)?.query_map([], row)?.collect::<Result<_, _>>()?,
            })
        })
    }

    /// Reads every page and checks that they fit together; `None` if they do. Takes as long as reading the file.
    pub fn check(&self) -> Result<Option<String>, IndexError> {
        let first = |row: &Row<'_>| row.get::<_, String>(0);
        let found =
            self.with(|connection| connection.query_row("PRAGMA quick_check(1)", [], first));
        found.map(|found| (found != "ok").then_some(found))
    }

    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, IndexError> {
        read(&self.connection).map_err(|error| IndexError::sqlite(&self.path, error))
    }
}

/// Asks for records by the condition alone: through an index of SQLite's where there is one, else by looking at each.
fn scan<T>(
    connection: &Connection,
    columns: &str,
    select: &Select<'_>,
    order: Order,
    limit: usize,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let n = select.params.len();
    let sql = format!(
        "SELECT {columns} FROM records WHERE ({}) AND position BETWEEN ?{} AND ?{} \
         ORDER BY position {} LIMIT ?{}",
        select.condition,
        n + 1,
        n + 2,
        order.direction(),
        n + 3,
    );
    let limit = SqlValue::Integer(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = connection.prepare_cached(&sql)?;
    let params = select.params.iter().cloned().chain(bounds(&select.range)).chain([limit]);
    statement.query_map(params_from_iter(params), row)?.collect()
}

/// Reads columns of the records at some positions.
fn fetch<T>(
    connection: &Connection,
    columns: &str,
    positions: &[i64],
    order: Order,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let sql = format!(
        "SELECT {columns} FROM records WHERE position IN (SELECT value FROM json_each(?1)) \
         ORDER BY position {}",
        order.direction(),
    );
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_map([json_array(positions.iter().copied())], row)?.collect()
}

/// Writes numbers as `json_each` reads them.
pub(super) fn json_array(numbers: impl Iterator<Item = i64>) -> String {
    let mut text = String::from("[");
    for number in numbers {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&number.to_string());
    }
    text.push(']');
    text
}

fn n_records(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT ifnull(sum(n), 0) FROM counts", [], |row| number(row, 0))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.execute_batch(&format!(
        "PRAGMA query_only = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -{CACHE_KIB}"
    ))?;
    regexp::register(connection)
}

fn cannot_write(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

pub(super) fn bounds(range: &RangeInclusive<Position>) -> impl Iterator<Item = SqlValue> {
    [range.start(), range.end()].map(|end| SqlValue::Integer(integer(end.get()))).into_iter()
}

pub(super) fn found(row: &Row<'_>) -> rusqlite::Result<Found> {
    let place = Place { segment: number(row, 1)?, offset: number(row, 2)?, bytes: row.get(3)? };
    Ok(Found { position: position(row, 0)?, place, crc: row.get(4)? })
}

pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number)
        .map_err(|_negative| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

pub(super) fn position(row: &Row<'_>, column: usize) -> rusqlite::Result<Position> {
    let number: i64 = row.get(column)?;
    to_position(number).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn to_position(number: i64) -> Option<Position> {
    Position::new(u64::try_from(number).ok()?)
}
