//! Snapshots of what was folded from the log, by position: files in the store's folder `views`, whose content this module does not
//! know.
//!
//! They are derived. One that is torn, damaged, of another store, of another version, of a log that was pruned since, or of text that
//! was redacted since counts for nothing and goes with the next that is left. Nothing is synced, and a store that takes none works
//! as well, only slower.

mod file;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use crate::disk::{Disk as _, RealDisk};
use crate::reader::{self, ReadError};
use crate::{Position, Store};

use file::Header;

/// The folder in the store.
pub const FOLDER: &str = "views";

/// At which positions snapshots are left and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// Every how many positions one is left.
    pub every: u64,
    /// Every how many positions one is kept for good.
    pub every_old: u64,
    /// How many of the newest records have one at each multiple of `every`.
    pub dense_records: u64,
}

impl Spacing {
    /// Returns the last position up to one at which a snapshot is left; 0 if there is none.
    pub fn last_due(&self, upto: u64) -> u64 {
        upto - upto % self.every
    }

    /// Returns whether one is kept while the newest is at another position.
    fn is_kept(&self, position: Position, newest: Position) -> bool {
        let is_new = newest.get() - position.get() <= self.dense_records;
        position.get().is_multiple_of(if is_new { self.every } else { self.every_old })
    }
}

/// The spacing of every store.
pub const SPACING: Spacing =
    Spacing { every: 50_000, every_old: 500_000, dense_records: 2_000_000 };

/// The file that tells what was saved before the last redaction from what was saved since.
const ERA_FILE: &str = "era";

/// How many bytes it has at most.
const ERA_BYTES_MAX: usize = 64;

/// How the name of a snapshot ends, behind its position.
const SUFFIX: &str = ".snapshot";

/// How the name of a file ends that is being written.
const NEW: &str = ".new";

/// How long that can take; what is older was left by somebody who was killed.
const NEW_AGE_MAX: Duration = Duration::from_secs(600);

/// How hard zstd tries: a snapshot is written once and seldom read.
const LEVEL: i32 = 1;

/// The snapshots of one version in a store, as the store was when they were opened.
#[derive(Clone, Debug)]
pub struct Snapshots {
    folder: PathBuf,
    /// What a snapshot has to say of itself to count, but for its position.
    expected: Header,
    spacing: Spacing,
}

/// Why a snapshot was not left.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// Something was redacted since the records were read.
    #[error("the store was redacted meanwhile")]
    Redacted,
    /// It could not be written.
    #[error("cannot leave a snapshot in {path}")]
    Io {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Snapshots {
    /// Opens the snapshots of a store that were saved under a version. To be called before the records are read that the next one
    /// is made of.
    pub fn open(store: &Store, version: &str, spacing: Spacing) -> Result<Self, ReadError> {
        let folder = store.root().join(FOLDER);
        let head = reader::read_head(&RealDisk, store.root())?;
        let first = reader::first_kept(RealDisk, store.root())?.unwrap_or(Position::FIRST);
        let era = read_era(&folder);
        let version = version.to_owned();
        let expected = Header { store: head.store, first, version, era, position: Position::FIRST };
        Ok(Self { folder, expected, spacing })
    }

    /// Returns the newest one that is not after a position, with its own.
    pub fn nearest(&self, upto: Position) -> Option<(Position, Vec<u8>)> {
        let mut positions = self.list();
        positions.retain(|position| *position <= upto);
        positions.iter().rev().find_map(|position| {
            let bytes = fs::read(self.path(*position)).ok()?;
            Some((*position, file::read(&bytes, &self.expected_at(*position))?))
        })
    }

    /// Leaves one, and removes those that are no longer needed or count for nothing.
    pub fn save(
        &self,
        position: Position,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SaveError> {
        let io = |source| SaveError::Io { path: self.folder.clone(), source };
        let content = file::pack(&self.expected_at(position), LEVEL, fill).map_err(io)?;
        RealDisk.make_folder(&self.folder).map_err(io)?;
        if read_era(&self.folder) != self.expected.era {
            return Err(SaveError::Redacted);
        }
        put(&self.path(position), |file| content.write(file)).map_err(io)?;
        self.thin(position);
        Ok(())
    }

    /// Returns whether one is to be left at a position while the log ends at another: it would be kept, and there is none.
    pub fn is_wanted(&self, position: Position, last: Position) -> bool {
        self.spacing.is_kept(position, last.max(position))
            && !self.counts(&self.path(position), position)
    }

    /// Returns whether a snapshot that is left now would count: nothing was pruned or redacted since they were opened.
    pub fn is_current(&self, store: &Store) -> Result<bool, ReadError> {
        let now = Self::open(store, &self.expected.version, self.spacing)?;
        Ok(Header { position: self.expected.position, ..now.expected } == self.expected)
    }

    /// Returns at which positions they are left.
    pub fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// Returns the positions that have a file, in order.
    pub fn list(&self) -> Vec<Position> {
        let names = RealDisk.list(&self.folder).unwrap_or_default();
        let mut positions: Vec<Position> =
            names.iter().filter_map(|name| position_of(name)).collect();
        positions.sort_unstable();
        positions
    }

    /// Removes what is not kept beside one at this position, and what does not count.
    fn thin(&self, newest: Position) {
        let positions = self.list();
        let newest = positions.last().copied().unwrap_or(newest).max(newest);
        for position in positions {
            let path = self.path(position);
            if !self.spacing.is_kept(position, newest) || !self.counts(&path, position) {
                remove(&path);
            }
        }
        let names = RealDisk.list(&self.folder).unwrap_or_default();
        for name in names.iter().filter(|name| name.ends_with(NEW)) {
            let path = self.folder.join(name);
            let age = path.metadata().and_then(|file| file.modified()).map(|at| at.elapsed());
            if age.is_ok_and(|age| age.is_ok_and(|age| age > NEW_AGE_MAX)) {
                remove(&path);
            }
        }
    }

    /// Returns whether a file says of itself what it has to.
    fn counts(&self, path: &Path, position: Position) -> bool {
        file::read_header(path).is_some_and(|header| header == self.expected_at(position))
    }

    fn expected_at(&self, position: Position) -> Header {
        Header { position, ..self.expected.clone() }
    }

    fn path(&self, position: Position) -> PathBuf {
        self.folder.join(format!("{:020}{SUFFIX}", position.get()))
    }
}

/// Removes every snapshot of a store, and makes those worthless that others are about to leave of what they read before.
pub fn clear(store: &Store) -> io::Result<()> {
    let folder = store.root().join(FOLDER);
    RealDisk.make_folder(&folder)?;
    let era = Uuid::now_v7().to_string();
    put(&folder.join(ERA_FILE), |mut file| file.write_all(era.as_bytes()))?;
    for name in RealDisk.list(&folder)?.iter().filter(|name| *name != ERA_FILE) {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Returns the position that the name of a snapshot says.
fn position_of(name: &str) -> Option<Position> {
    let digits = name.strip_suffix(SUFFIX)?;
    let is_plain = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| digits.parse().ok().and_then(Position::new))?
}

/// Returns what the era's file says; nothing if there is none.
fn read_era(folder: &Path) -> String {
    let mut era = fs::read(folder.join(ERA_FILE)).unwrap_or_default();
    era.truncate(ERA_BYTES_MAX);
    String::from_utf8_lossy(&era).into_owned()
}

/// Writes a file beside its place and puts it there.
fn put(path: &Path, fill: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let new = path.with_extension(format!("{}{NEW}", Uuid::now_v7()));
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&new);
    let written = file.and_then(|file| fill(&file));
    let put = written.and_then(|()| fs::rename(&new, path));
    if put.is_err() {
        remove(&new);
    }
    put
}

/// Removes a file that nobody needs; if it stays it does no harm.
fn remove(path: &Path) {
    fs::remove_file(path).unwrap_or_default();
}

#[cfg(test)]
mod tests;
