//! Holds: filters whose records keep their segments from being deleted, one a line in the store's file `holds`.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::{LOCK_FILE, journal, open_lock};
use crate::Store;
use crate::filter::{Filter, FilterError};
use crate::spool::durable;

const FILE: &str = "holds";

/// Most holds of a store.
const HOLDS_MAX: usize = 1024;

/// Why holds cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// The file cannot be read or written.
    #[error("cannot access {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line is no filter.
    #[error("{path} has a hold that is no filter: {text}")]
    Filter {
        /// The file.
        path: PathBuf,
        /// The line.
        text: String,
        /// What is wrong with it.
        source: Box<FilterError>,
    },
    /// There is no such hold.
    #[error("there is no hold {text}")]
    Unknown {
        /// What was asked for.
        text: String,
    },
    /// A deletion was begun before: what it is about to remove would not be held.
    #[error(
        "a deletion was interrupted, and what is left of it cannot be held any more: complete it with `weft prune --before 1 --delete`, then add the hold again"
    )]
    Interrupted,
    /// There are too many.
    #[error("a store has at most {HOLDS_MAX} holds")]
    TooMany,
}

/// The holds of a store.
#[derive(Clone, Debug)]
pub struct Holds {
    path: PathBuf,
    filters: Vec<Filter>,
}

impl Holds {
    /// Reads the holds of a store.
    pub fn read(store: &Store) -> Result<Self, HoldError> {
        let path = store.root().join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(HoldError::Io { path, source }),
        };
        let filter = |text: &str| {
            // They are kept in normal form, in which no time is relative.
            Filter::parse(text, 0).map_err(|source| HoldError::Filter {
                path: path.clone(),
                text: text.to_owned(),
                source: Box::new(source),
            })
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let filters = lines.map(filter).collect::<Result<_, _>>()?;
        Ok(Self { path, filters })
    }

    /// Returns the filters.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// Adds a hold; one that is there already stays alone. Whoever prunes is waited for, which is told to `waiting` first: once this
    /// returns, nothing that the hold is on goes.
    pub fn add(store: &Store, filter: Filter, waiting: &mut dyn FnMut()) -> Result<(), HoldError> {
        let _lock = lock(store, waiting)?;
        if journal::exists(store) {
            return Err(HoldError::Interrupted);
        }
        let mut holds = Self::read(store)?;
        if holds.filters.contains(&filter) {
            return Ok(());
        }
        if holds.filters.len() >= HOLDS_MAX {
            return Err(HoldError::TooMany);
        }
        holds.filters.push(filter);
        holds.write()
    }

    /// Removes a hold. Whoever prunes is waited for, which is told to `waiting` first.
    pub fn remove(
        store: &Store,
        filter: &Filter,
        waiting: &mut dyn FnMut(),
    ) -> Result<(), HoldError> {
        let _lock = lock(store, waiting)?;
        let mut holds = Self::read(store)?;
        let n_before = holds.filters.len();
        holds.filters.retain(|hold| hold != filter);
        if holds.filters.len() == n_before {
            return Err(HoldError::Unknown { text: filter.to_string() });
        }
        holds.write()
    }

    fn write(&self) -> Result<(), HoldError> {
        let write = durable::replace(&self.path, |out| {
            self.filters.iter().try_for_each(|filter| writeln!(out, "{filter}"))
        });
        write.map_err(|source| HoldError::Io { path: self.path.clone(), source })
    }
}

/// Keeps others from pruning and from changing the holds until the file is dropped.
fn lock(store: &Store, waiting: &mut dyn FnMut()) -> Result<File, HoldError> {
    let path = store.root().join(LOCK_FILE);
    let locked = open_lock(&path).and_then(|file| {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting();
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(file)
    });
    locked.map_err(|source| HoldError::Io { path, source })
}
