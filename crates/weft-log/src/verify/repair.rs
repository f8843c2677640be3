//! What can be done about a store without losing anything.

use std::time::Duration;

use super::blobs_of;
use crate::Store;
use crate::blobs::BlobError;
use crate::disk::RealDisk;
use crate::follow::{self, Follow, FollowError, Progress};
use crate::index::{Follower, Index, IndexError};
use crate::lock::{Lock, LockError, Owner};
use crate::log::{BeginError, Log, Options, now_us};
use crate::recover::{self, Finding};
use crate::writer::Writer;

/// What was done.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// What was found when the log was opened, and done about it.
    pub findings: Vec<Finding>,
    /// Blobs that were made durable again.
    pub n_blobs: u64,
}

/// Why it could not be done.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The store cannot be opened for writing.
    #[error(transparent)]
    Begin(#[from] BeginError),
    /// The blobs cannot be synced.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// Another process writes.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The log cannot be opened.
    #[error(transparent)]
    Recover(#[from] recover::Error),
    /// The index cannot be made.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The index cannot be opened.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Brings the end of the log in order, moves what the spool holds into it, brings the index up to date, and syncs the blobs.
pub fn repair(
    store: &Store,
    options: Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Repaired, RepairError> {
    let log = Log::open(store.clone(), options, progress)?;
    let findings = log.take_findings();
    log.close()?;
    Ok(Repaired { findings, n_blobs: blobs_of(store).sync()? })
}

/// Makes the index again from the log, then the text search of it. Nobody else writes meanwhile.
pub fn rebuild_index(
    store: &Store,
    owner: &Owner,
    patience: Duration,
    progress: &mut dyn FnMut(Follower, Progress),
) -> Result<(), RepairError> {
    let lock = Lock::take(store.root(), owner, patience)?;
    let (writer, _) = Writer::open(RealDisk, store.root().to_owned(), now_us())?;
    follow::rebuild(store, &mut |done| progress(Follower::Core, done))?;
    let index = Index::open(&store.index(), &writer.head().store)?;
    Follow::new(store.clone(), index)
        .catch_up(Follower::Text, &mut |done| progress(Follower::Text, done))?;
    drop(lock);
    Ok(())
}
