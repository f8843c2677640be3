//! The folder of a store: where its parts are, and whether a log can live there at all.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk as _, RealDisk};
use crate::recover::{HEAD_FILE, LOG_FOLDER};
use crate::redact::Redaction;
use crate::{rejected, spool};

/// The folder of the prompts of loops, each in a folder of its own.
pub const PROMPTS_FOLDER: &str = "prompts";

/// The file that says that a network file system was forced.
const FORCED_FILE: &str = "network-forced";

/// A store: its folder, and how secrets are kept out of it.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
    redaction: Arc<Redaction>,
}

/// Why a folder is no store, or cannot be made one.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is none.
    #[error("there is no store at {path}: make one with `weft init`")]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// Locks and syncs cannot be trusted there.
    #[error(
        "{path} is on a network file system ({kind}), where locks and syncs cannot be trusted: keep the store on a local disk, or force it"
    )]
    Network {
        /// The folder.
        path: PathBuf,
        /// The kind of file system.
        kind: &'static str,
    },
    /// The folder cannot be made or looked at.
    #[error("cannot use {path} as a store")]
    Io {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// What to do about a network file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Refuse it.
    Refuse,
    /// Use it all the same, now and whenever the store is opened later.
    Force,
}

impl Store {
    /// Returns the store of a folder, whether or not there is one yet. All built-in rules keep secrets out of it.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned(), redaction: Redaction::built_in() }
    }

    /// Returns the same store with another redaction.
    pub fn with_redaction(self, redaction: Arc<Redaction>) -> Self {
        Self { redaction, ..self }
    }

    /// Returns how secrets are kept out of it.
    pub fn redaction(&self) -> &Arc<Redaction> {
        &self.redaction
    }

    /// Returns the store in a folder; an error if there is none.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let store = Self::at(root);
        if store.is_there() {
            return Ok(store);
        }
        Err(StoreError::Missing { path: root.to_owned() })
    }

    /// Makes the folder of a store, readable by its owner alone. A store that is there already stays as it is.
    pub fn make(root: &Path, network: Network) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: root.to_owned(), source };
        RealDisk.make_folder(root).map_err(io)?;
        let root = root.canonicalize().map_err(io)?;
        let forced = root.join(FORCED_FILE);
        if let Some(kind) = network_kind(&root).map_err(io)?
            && !forced.exists()
        {
            match network {
                Network::Refuse => return Err(StoreError::Network { path: root, kind }),
                Network::Force => drop(File::create(&forced).map_err(io)?),
            }
        }
        let store = Self::at(&root);
        if !store.has_log() {
            // A store without this folder was copied without it; `verify` tells by that what its log refers to.
            RealDisk.make_folder(&store.blobs()).map_err(io)?;
        }
        Ok(store)
    }

    /// Returns whether a log was begun here, or something waits for one.
    pub fn is_there(&self) -> bool {
        self.has_log() || !spool::is_empty(&self.root) || self.root.join(rejected::FOLDER).exists()
    }

    /// Returns whether a log was begun here.
    pub fn has_log(&self) -> bool {
        [HEAD_FILE, LOG_FOLDER].iter().any(|name| self.root.join(name).exists())
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder of the segments.
    pub fn log(&self) -> PathBuf {
        self.root.join(LOG_FOLDER)
    }

    /// Returns the folder of large values.
    pub fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    /// Returns the index.
    pub fn index(&self) -> PathBuf {
        self.root.join("index.db")
    }
}

/// Returns the name of the network file system that a folder is on; `None` if it is on another kind.
fn network_kind(folder: &Path) -> io::Result<Option<&'static str>> {
    // The numbers by which Linux tells its file systems apart.
    const KINDS: [(u32, &str); 8] = [
        (0x6969, "nfs"),
        (0x517b, "smb"),
        (0xff53_4d42, "cifs"),
        (0xfe53_4d42, "smb2"),
        (0x0102_1997, "9p"),
        (0x00c3_6400, "ceph"),
        (0x5346_414f, "afs"),
        (0x6b41_4653, "kafs"),
    ];
    let kind = rustix::fs::statfs(folder)?.f_type as u32;
    Ok(KINDS.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name))
}
