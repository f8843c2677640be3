//! How files of segments go: `head` is made durable first, and their names go for good before anything else is done.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Access, Disk, DiskFile as _};
use crate::recover::{HEAD_FILE, LOG_FOLDER};
use crate::segment::{Form, SegmentName};

/// Why files of segments are not gone for good.
#[derive(Debug, thiserror::Error)]
#[error("cannot remove segments: {path}")]
pub struct RemoveError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
}

/// Removes files of segments that the log has ended; those that are gone already are passed over.
///
/// `head` is not synced as the log grows. What the disk has of it may name a segment that goes here, and after a power cut its
/// records would be taken for lost.
pub fn remove<D: Disk>(
    disk: &D,
    root: &Path,
    files: &[(SegmentName, Form)],
) -> Result<(), RemoveError> {
    let at = |path: &Path, result: io::Result<()>| {
        result.map_err(|source| RemoveError { path: path.to_owned(), source })
    };
    let (head, folder) = (root.join(HEAD_FILE), root.join(LOG_FOLDER));
    at(&head, disk.open(&head, Access::Write).and_then(|file| file.sync()))?;
    for (name, form) in files {
        let path = folder.join(name.file(*form));
        match disk.remove(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => at(&path, removed)?,
        }
    }
    at(&folder, disk.sync_folder(&folder))
}
