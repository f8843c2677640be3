//! Bringing a store in order before it is read, and telling whether it is.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::{BeginError, Hold, Indexing, Log, Options};
use crate::disk::RealDisk;
use crate::index::{self, Follower};
use crate::lock::{LockError, Owner};
use crate::recover::{self, Finding};
use crate::segment::Form;
use crate::{Head, Store, redact, spool};

/// Brings a store in order before it is read: what a crash left, what waits in the spool, and what the index lacks. A store that
/// another process holds is that one's to bring in order, and one that cannot be written, or whose disk is full, is read as it is.
pub fn settle(store: &Store, owner: Owner) -> Result<Vec<Finding>, BeginError> {
    if is_settled(store) {
        return Ok(Vec::new());
    }
    let (patience, hold, indexing) = (Duration::ZERO, Hold::Briefly, Indexing::AtTheEnd);
    let options = Options { owner, patience, hold, indexing };
    let settled = Log::open(store.clone(), options, &mut |_| {}).and_then(|log| {
        let findings = log.take_findings();
        log.close()?;
        Ok(findings)
    });
    match settled {
        Ok(findings) => Ok(findings),
        Err(BeginError::Lock(LockError::Held { .. }) | BeginError::Behind { .. }) => Ok(Vec::new()),
        Err(BeginError::Lock(LockError::Io { source, .. }))
            if matches!(
                source.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Ok(Vec::new())
        }
        Err(error) if is_disk_full(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Returns whether an error comes from a disk that is full, or whose owner may not take more of it.
pub(super) fn is_disk_full(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>().map(io::Error::kind);
    let sqlite = error.downcast_ref().and_then(rusqlite::Error::sqlite_error_code);
    matches!(io, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
        || sqlite == Some(rusqlite::ErrorCode::DiskFull)
        || error.source().is_some_and(is_disk_full)
}

/// Returns whether a store needs nothing done before it is read.
pub fn is_settled(store: &Store) -> bool {
    let Some(head) = whole_head(store) else { return false };
    let indexed = index::Reader::open(&store.index())
        .and_then(|index| index.watermark(Follower::Core))
        .is_ok_and(|mark| mark.position == head.next.get() - 1);
    indexed && spool::is_empty(store.root())
}

/// Returns the head of a log that ends where it says; `None` after a crash until somebody has brought it in order, and for a moment
/// while somebody writes.
pub fn whole_head(store: &Store) -> Option<Head> {
    let head = recover::read_head(&RealDisk, store.root()).ok()??;
    let segments = recover::list_segments(&RealDisk, &store.log()).ok()?;
    let segment = store.log().join(head.segment.file(Form::Plain));
    let is_last = segments.last().is_some_and(|(last, _)| *last == head.segment);
    let is_whole = is_last && segment.metadata().is_ok_and(|segment| segment.len() == head.end);
    (is_whole && !redact::is_interrupted(store)).then_some(head)
}
