//! The index of the log: a SQLite file that says where each record stands and what it is about. It holds no event.
//!
//! All of it can be thrown away: [`Index`] follows the log, [`Rebuild`] makes the file again, [`Reader`] answers. Two followers
//! write to it, each with its [`Watermark`] in the transaction of its rows: `core` (facts, identity, topics) and `text` (search).
//! It does not read segments; whoever does hands it the records.

mod blocks;
mod compare;
mod finder;
mod follow;
mod identity;
mod keeper;
mod keys;
mod meta;
mod names;
mod probe;
mod read;
mod rebuild;
mod regexp;
mod route;
mod row;
mod run;
mod schema;
mod sql;
mod text;
mod topics;
mod worker;

use std::path::{Path, PathBuf};
use std::{fmt, io};

pub use crate::reader::Place;
use crate::{Hash, Meta, Position};

pub use compare::{Difference, compare};
pub use follow::Index;
pub(crate) use follow::{Adding, PARSED_TOGETHER};
pub use identity::{Keys, delivery_key};
pub use meta::Row;
pub use read::{Found, Order, Reader, Select, Stats, TypeCount};
pub use rebuild::Rebuild;
pub use rusqlite::types::Value as SqlValue;
pub use schema::VERSION;
pub use sql::SqlError;

/// One record to be indexed.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What the log knows of it.
    pub meta: &'a Meta,
    /// Where it stands.
    pub place: Place,
    /// The event, without the line's end.
    pub line: &'a [u8],
}

/// Positions whose records are damaged or gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The first of them.
    pub first: Position,
    /// The last of them.
    pub last: Position,
    /// What became of them.
    pub reason: String,
}

/// One file of the log, as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number in the store, from 1.
    pub number: u64,
    /// Its file name.
    pub name: String,
    /// The position of its first record.
    pub first: Position,
}

/// How far a follower is: everything up to here is in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermark {
    /// The last position; 0 if there is nothing yet.
    pub position: u64,
    /// The segment of the last group.
    pub segment: u64,
    /// The end of the last group in its segment, in uncompressed bytes.
    pub offset: u64,
    /// The hash of the last group's seal.
    pub hash: Hash,
}

impl Watermark {
    /// The mark of a follower that has seen nothing.
    pub const NONE: Self = Self { position: 0, segment: 0, offset: 0, hash: Hash::ZERO };
}

/// Who writes to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follower {
    /// Facts, identity and topics: close behind the log.
    Core,
    /// Text search, which may lag.
    Text,
}

impl Follower {
    /// Returns its name in the index.
    pub fn as_str(self) -> &'static str {
        match self {
            Follower::Core => "core",
            Follower::Text => "text",
        }
    }
}

/// Why an index file must be made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// It has the tables of another version of Weft.
    Version {
        /// That version.
        found: i64,
    },
    /// It is the index of another store.
    Store {
        /// That store's id.
        found: String,
    },
    /// It is no database.
    NotADatabase,
    /// Its pages contradict each other.
    Damaged,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stale::Version { found } => {
                write!(f, "it has version {found}, not {}", schema::VERSION)
            }
            Stale::Store { found } => write!(f, "it belongs to the store {found}"),
            Stale::NotADatabase => f.write_str("it is no database"),
            Stale::Damaged => f.write_str("it is damaged"),
        }
    }
}

/// Why the index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file is of no use: delete it and rebuild.
    #[error("index {path} must be rebuilt: {reason}")]
    Stale {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: Stale,
    },
    /// There is no index.
    #[error("there is no index {path}")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// SQLite could not do it: a full disk, missing rights, a lock held too long.
    #[error("cannot use index {path}")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file could not be put in its place.
    #[error("cannot write index {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The thread that holds the connection is gone.
    #[error("the writer of index {path} has ended")]
    Ended {
        /// The file.
        path: PathBuf,
    },
}

impl IndexError {
    fn stale(path: &Path, reason: Stale) -> Self {
        Self::Stale { path: path.to_owned(), reason }
    }

    fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// Tells a file that must be made again from what may pass.
    fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::stale(path, Stale::NotADatabase),
            Some(ErrorCode::DatabaseCorrupt) => Self::stale(path, Stale::Damaged),
            _ => Self::Sqlite { path: path.to_owned(), source },
        }
    }
}

/// Returns the number as SQLite holds it. Positions, offsets and counts of a real log stay far below 2^63.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
