//! What hooks and single commands leave when they cannot write the log, until whoever opens the store next moves it in.
//!
//! The spool is one file, `spool/events.jsonl` in the store's folder. An entry is two lines, written with one call: a header of
//! ours, then the event. Many processes append at once, each under a shared lock. Whoever moves the entries into the log renames
//! the file first, so that later entries go to a new one, and waits for the writers that still have the old one.

pub(crate) mod durable;
mod entry;
mod known;
mod look;
mod take;
mod window;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use weft_event::json::LINE_BYTES_MAX;

use crate::Store;

pub use entry::{Entry, HEADER_BYTES_MAX};
pub(crate) use known::KnownEmpty;
pub use look::{Looked, Writing, look};
pub use take::{Taken, take};

/// The largest spool; an entry beyond it is refused, so that a store nobody opens does not fill the disk.
pub const SPOOL_BYTES_MAX: u64 = 1 << 30;
/// How often the file is opened again because somebody moved it away in between.
const OPEN_TRIES_MAX: u32 = 64;

const FOLDER: &str = "spool";
const FILE: &str = "events.jsonl";

/// Why an entry could not be left in the spool, or not be taken from it.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// The event is not one line.
    #[error("the event has a line break")]
    LineBreak,
    /// The event is longer than any that is read.
    #[error("the event is {bytes} bytes long, the limit is {LINE_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Origin, topic and key are too long for a header.
    #[error("origin, topic and key take {bytes} bytes, the limit is {HEADER_BYTES_MAX}")]
    HeaderTooLong {
        /// The header's length.
        bytes: usize,
    },
    /// Nobody moved the entries into the log for too long.
    #[error("spool {path} is full, the limit is {SPOOL_BYTES_MAX} bytes")]
    Full {
        /// The spool's file.
        path: PathBuf,
    },
    /// The file was moved away each time it was opened.
    #[error("spool {path} was moved away {OPEN_TRIES_MAX} times in a row")]
    Restless {
        /// The spool's file.
        path: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Leaves an entry in the spool of a store, without its secrets. When it returns, the entry is durable.
///
/// After an error the entry may be there nevertheless: try again with the same id.
pub fn put(store: &Store, entry: &Entry<'_>) -> Result<(), SpoolError> {
    put_all(store, std::slice::from_ref(entry))
}

/// Does the same with several, which follow each other there: one write and one sync. After an error or a power cut the first of them
/// may be there alone.
pub fn put_all(store: &Store, entries: &[Entry<'_>]) -> Result<(), SpoolError> {
    let mut bytes = Vec::new();
    for entry in entries {
        let line = store.redaction().redact(&entry.via, entry.line);
        bytes.extend(Entry { line: &line, ..entry.clone() }.encode()?);
    }
    let store = store.root();
    let folder = store.join(FOLDER);
    let path = folder.join(FILE);
    let (mut file, size) = open_locked(store, &folder, &path)?;
    let written = |source| SpoolError::Write { path: path.clone(), source };
    if size + bytes.len() as u64 > SPOOL_BYTES_MAX {
        return Err(SpoolError::Full { path });
    }
    if size == 0 {
        // Before the first byte, so that whoever finds bytes in the file knows that its name is durable.
        durable::sync_folder(&folder).map_err(written)?;
        durable::sync_folder(store).map_err(written)?;
    }
    let n = loop {
        match file.write(&bytes) {
            Ok(n) => break n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(written(error)),
        }
    };
    if n < bytes.len() {
        return Err(written(io::ErrorKind::StorageFull.into()));
    }
    file.sync_data().map_err(written)
}

/// Returns the file that entries are left in.
pub(crate) fn path(store: &Path) -> PathBuf {
    store.join(FOLDER).join(FILE)
}

/// Returns whether a store's spool holds nothing; a spool that cannot be looked at may hold something.
pub fn is_empty(store: &Path) -> bool {
    match fs::read_dir(store.join(FOLDER)) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Opens the file and takes a shared lock on it; returns it with its size.
fn open_locked(store: &Path, folder: &Path, path: &Path) -> Result<(File, u64), SpoolError> {
    let failed = |source| SpoolError::Write { path: path.to_owned(), source };
    for _ in 0..OPEN_TRIES_MAX {
        let file = match open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && store.is_dir() => {
                make_folder(folder).map_err(failed)?;
                open(path).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        file.lock_shared().map_err(failed)?;
        let opened = file.metadata().map_err(failed)?;
        match fs::metadata(path) {
            Ok(named) if (named.dev(), named.ino()) == (opened.dev(), opened.ino()) => {
                return Ok((file, opened.len()));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(SpoolError::Restless { path: path.to_owned() })
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
