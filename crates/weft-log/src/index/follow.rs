//! The index as it follows the log: the one connection that writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::keys::Settle;
use super::row::Parser;
use super::schema::{self, Content};
use super::worker::Worker;
use super::{Entry, Follower, Gap, IndexError, Segment, Watermark, integer, keeper, text};
use crate::Position;
use crate::priority::step_back;

/// How many records are parsed before SQLite's thread is given their rows.
pub(crate) const PARSED_TOGETHER: usize = 256;

/// Page cache of the writing connection, in KiB.
const CACHE_KIB: i64 = 8 * 1024;
/// Pages in the write-ahead file before they are moved to their places: 128 MiB. Moving them takes three syncs of some ten
/// milliseconds each, and the log's own syncs wait behind those, so it has to be rare. It is not larger still because whoever opens a
/// store whose server was killed reads the whole file first.
const WAL_PAGES: i64 = 32 * 1024;
/// A write-ahead file of more bytes is emptied when the connection closes: whoever opens next has to read all of it. A smaller
/// one is left alone, because emptying it costs two syncs, which a single event does not have time for.
const WAL_LEFT_BYTES_MAX: u64 = 512 * 1024;
/// How long to wait for another process's lock.
const BUSY: Duration = Duration::from_secs(10);

/// The one writer of an index.
pub struct Index {
    path: PathBuf,
    store: String,
    /// None until it is written to, where a reader has found what it has.
    worker: Option<Worker>,
    parser: Parser,
    core: Watermark,
    text: Watermark,
}

impl Index {
    /// Opens the index of a store, or makes an empty one where there is none.
    pub fn open(path: &Path, store: &str) -> Result<Self, IndexError> {
        Self::open_leaving(path, store, WAL_LEFT_BYTES_MAX)
    }

    /// Does the same, and leaves so many bytes in the write-ahead file.
    fn open_leaving(path: &Path, store: &str, wal_bytes_max: u64) -> Result<Self, IndexError> {
        let sqlite = |error| IndexError::sqlite(path, error);
        let connection = Connection::open(path).map_err(sqlite)?;
        prepare(&connection).map_err(sqlite)?;
        match schema::inspect(&connection, Some(store)).map_err(sqlite)? {
            Content::Current => {}
            Content::Stale(reason) => return Err(IndexError::stale(path, reason)),
            Content::Empty => {
                let transaction = connection.unchecked_transaction().map_err(sqlite)?;
                schema::create_tables(&transaction, store).map_err(sqlite)?;
                schema::finish(&transaction).map_err(sqlite)?;
                transaction.commit().map_err(sqlite)?;
            }
        }
        let core = keeper::watermark(&connection, Follower::Core).map_err(sqlite)?;
        let text = keeper::watermark(&connection, Follower::Text).map_err(sqlite)?;
        let wal = beside(path, "-wal");
        let worker = Worker::start(path, connection, move |connection| {
            close(connection, &wal, wal_bytes_max);
        })?;
        Ok(Self { worker: Some(worker), ..Self::later(path, store, core, text) })
    }

    /// Returns the index of a store that is as far as a reader has found it. It is opened when it is first written to.
    pub(crate) fn later(path: &Path, store: &str, core: Watermark, text: Watermark) -> Self {
        let (path, store, parser) = (path.to_owned(), store.to_owned(), Parser::default());
        Self { path, store, worker: None, parser, core, text }
    }

    /// Returns who writes.
    fn worker(&mut self) -> Result<&Worker, IndexError> {
        if self.worker.is_none() {
            // Many events come together here, and those who leave theirs read the whole write-ahead file each time.
            self.worker = Self::open_leaving(&self.path, &self.store, 0)?.worker;
        }
        Ok(self.worker.as_ref().expect("it was just opened"))
    }

    /// Deletes whatever stands at the path and makes an empty index there.
    pub fn recreate(path: &Path, store: &str) -> Result<Self, IndexError> {
        remove(path)?;
        Self::open(path, store)
    }

    /// Returns how far a follower is.
    pub fn watermark(&self, follower: Follower) -> Watermark {
        match follower {
            Follower::Core => self.core,
            Follower::Text => self.text,
        }
    }

    /// Adds records, in the order of their positions, in one transaction with the watermark. Positions that are there already
    /// are replaced.
    pub fn add(
        &mut self,
        entries: &[Entry<'_>],
        gaps: &[Gap],
        upto: Watermark,
    ) -> Result<(), IndexError> {
        let mut adding = self.begin()?;
        adding.push(entries)?;
        adding.commit(gaps, upto)
    }

    /// Begins to add records, in one transaction with the watermark.
    pub(crate) fn begin(&mut self) -> Result<Adding<'_>, IndexError> {
        self.worker()?.step(|keeper| keeper.begin())?;
        Ok(Adding { index: self, is_over: false })
    }

    /// Makes the texts of records searchable, in one transaction with the watermark.
    pub fn add_text(&mut self, entries: &[Entry<'_>], upto: Watermark) -> Result<(), IndexError> {
        let rows = text::rows(entries);
        self.worker()?.run(move |keeper| keeper.add_text(&rows, upto))?;
        self.text = upto;
        Ok(())
    }

    /// Lets threads that somebody waits for go before the one that writes the index.
    pub(crate) fn step_back(&self) {
        // A thread that has ended stands in nobody's way, and the next call says that it has.
        if let Some(worker) = &self.worker {
            drop(worker.run(|_| {
                step_back();
                Ok(())
            }));
        }
    }

    /// Notes a segment. Its name may change later; its records stay where they are.
    pub fn add_segment(&mut self, segment: Segment) -> Result<(), IndexError> {
        self.worker()?.run(move |keeper| keeper.add_segment(&segment))
    }

    /// Forgets a segment that is gone.
    pub fn drop_segment(&mut self, number: u64) -> Result<(), IndexError> {
        self.worker()?.run(move |keeper| keeper.drop_segment(number))
    }

    /// Deletes the rows of positions.
    pub fn prune(&mut self, first: Position, last: Position) -> Result<(), IndexError> {
        let (first, last) = (integer(first.get()), integer(last.get()));
        self.worker()?.run(move |keeper| keeper.prune(first, last))
    }

    /// Notes that the segments of positions are gone; the gaps before the first position kept are forgotten.
    pub fn note_gone(
        &mut self,
        first: Position,
        last: Position,
        first_kept: Position,
    ) -> Result<(), IndexError> {
        let [first, last, first_kept] =
            [first, last, first_kept].map(|position| integer(position.get()));
        self.worker()?.run(move |keeper| keeper.note_gone(first, last, first_kept))
    }

    /// Gives the space of deleted rows back to the file system, if it is a good part of the file.
    pub fn compact(&mut self) -> Result<(), IndexError> {
        self.worker()?.run(|keeper| keeper.compact())
    }
}

/// Records on their way into the index. Those that are not committed are taken back.
pub(crate) struct Adding<'i> {
    index: &'i mut Index,
    is_over: bool,
}

impl Adding<'_> {
    /// Adds records behind those added before. Positions that the index has already are replaced.
    pub(crate) fn push(&mut self, entries: &[Entry<'_>]) -> Result<(), IndexError> {
        let is_next = |a: &Entry<'_>, b: &Entry<'_>| a.meta.position.plus(1) == b.meta.position;
        for run in entries.chunk_by(is_next) {
            let (first, last) =
                (run[0].meta.position.get(), run[run.len() - 1].meta.position.get());
            if first <= self.index.core.position {
                self.worker().step(move |keeper| keeper.replace(first..=last))?;
            }
        }
        for some in entries.chunks(PARSED_TOGETHER) {
            let rows = self.index.parser.batch(some);
            self.worker().rows(rows)?;
        }
        Ok(())
    }

    /// Notes a segment. Its name may change later; its records stay where they are.
    pub(crate) fn add_segment(&mut self, segment: Segment) -> Result<(), IndexError> {
        self.worker().step(move |keeper| keeper.add_segment(&segment))
    }

    /// Puts all of it into the index, together.
    pub(crate) fn commit(mut self, gaps: &[Gap], upto: Watermark) -> Result<(), IndexError> {
        let gaps = gaps.to_vec();
        self.worker().end(move |keeper| {
            keeper.finish_rows(&gaps, upto, Settle::All)?;
            keeper.keep_recent_keys()?;
            keeper.commit_rows(upto)
        })?;
        self.is_over = true;
        self.index.core = upto;
        Ok(())
    }

    fn worker(&self) -> &Worker {
        self.index.worker.as_ref().expect("it was opened at the beginning")
    }
}

impl Drop for Adding<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // A thread that has ended has taken everything back, and the next call says that it has.
            drop(self.worker().abandon());
            self.index.parser.names.forget();
        }
    }
}

#[cfg(test)]
impl Index {
    /// Does what a crash does: rows go in, and no end of the transaction follows.
    pub(super) fn begin_and_break_off(&mut self, entries: &[Entry<'_>]) {
        self.worker().expect("it opens");
        let worker = self.worker.as_ref().expect("it was just opened");
        worker.step(|keeper| keeper.begin()).expect("the thread is there");
        worker.rows(self.parser.batch(entries)).expect("the thread is there");
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -{CACHE_KIB}; \
         PRAGMA wal_autocheckpoint = {WAL_PAGES}",
    ))
}

fn close(connection: Connection, wal: &Path, wal_bytes_max: u64) {
    if fs::metadata(wal).is_ok_and(|wal| wal.len() > wal_bytes_max) {
        // What cannot be moved now, because someone still reads it, is moved by the next writer.
        drop(connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)"));
    }
    drop(connection);
}

/// Deletes an index and the files that SQLite keeps beside it.
pub(super) fn remove(path: &Path) -> Result<(), IndexError> {
    for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(IndexError::io(&file, error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Returns the path of a file that stands beside another.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
