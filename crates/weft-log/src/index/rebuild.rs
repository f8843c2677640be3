//! The index made again from the whole log: into a new file, without indexes until all rows are in, then put in place at once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::follow::{beside, remove};
use super::keys::Settle;
use super::row::Parser;
use super::worker::Worker;
use super::{Entry, Gap, IndexError, Segment, Watermark, schema};

/// How many records are parsed before SQLite's thread is given their rows.
const PARSED_TOGETHER: usize = 256;
/// Page cache while building, in KiB: also what sorting an index may use.
const CACHE_KIB: i64 = 64 * 1024;

/// A new index on its way. Until [`Rebuild::finish`] it stands beside the old one, which stays in use; a file left by a crash is
/// never taken for an index.
pub struct Rebuild {
    worker: Worker,
    parser: Parser,
    path: PathBuf,
}

impl Rebuild {
    /// Begins a new index for the one at the path.
    pub fn begin(path: &Path, store: &str) -> Result<Self, IndexError> {
        let new = beside(path, ".new");
        remove(&new)?;
        let sqlite = |error| IndexError::sqlite(&new, error);
        let connection = Connection::open(&new).map_err(sqlite)?;
        // Nothing has to survive a crash here, and nobody else looks.
        let set = format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
             PRAGMA cache_size = -{CACHE_KIB}; PRAGMA threads = 1; BEGIN"
        );
        connection.execute_batch(&set).map_err(sqlite)?;
        schema::create_tables(&connection, store).map_err(sqlite)?;
        let worker = Worker::start(&new, connection, drop)?;
        Ok(Self { worker, parser: Parser::default(), path: path.to_owned() })
    }

    /// Adds records. They come in the order of their positions, each once. Does not wait for them: what goes wrong with them is told
    /// by [`Rebuild::finish`].
    pub fn add(
        &mut self,
        entries: &[Entry<'_>],
        gaps: &[Gap],
        upto: Watermark,
    ) -> Result<(), IndexError> {
        for some in entries.chunks(PARSED_TOGETHER) {
            self.worker.rows(self.parser.batch(some))?;
        }
        let gaps = gaps.to_vec();
        self.worker.step(move |keeper| keeper.finish_rows(&gaps, upto, Settle::Largest))
    }

    /// Notes a segment.
    pub fn add_segment(&mut self, segment: Segment) -> Result<(), IndexError> {
        self.worker.run(move |keeper| keeper.add_segment(&segment))
    }

    /// Makes the indexes and puts the file in the place of the old one. Whoever has the old one open goes on reading that.
    pub fn finish(self) -> Result<(), IndexError> {
        let Self { worker, path, .. } = self;
        worker.end(|keeper| keeper.finish_file())?;
        let new = worker.path().to_owned();
        drop(worker);
        let io = |error| IndexError::io(&new, error);
        File::open(&new).and_then(|file| file.sync_all()).map_err(io)?;
        // The old file's write-ahead file must not be taken for the new one's.
        remove(&path)?;
        fs::rename(&new, &path).map_err(io)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))
            .and_then(|folder| folder.sync_all())
            .map_err(io)
    }
}
