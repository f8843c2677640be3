//! Values too large for an event, kept beside the log under the hash of their bytes: `blobs/ab/ab12…`, 64 digits.
//!
//! [`shrink`] moves the large strings of an event here and leaves references in their place, [`restore`] puts them back byte for
//! byte, [`references`] finds them. A blob is written and synced before the group that names it, and never changes.
//!
//! A blob is the text of a JSON string *as it stands between its quotes*, escapes included: `\u0041` and `A` are different blobs.
//! Only so does a restored line equal the original, which its producer may have escaped as it liked.

mod files;
mod line;
mod reference;
mod restore;
mod shrink;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weft_event::json::LINE_BYTES_MAX;

use crate::Hash;

pub use reference::{BlobRef, references};
pub use restore::{Restored, restore};
pub use shrink::{ShrinkError, ShrinkRules, Shrunk, Which, shrink};

/// Longest event that is stored; large enough for nearly all, and small enough for every backend.
pub const EVENT_BYTES_MAX: usize = (1 << 20) - (16 << 10);

/// From which length hooks move every value; they pay for each byte they hand on.
pub const HOOK_VALUE_BYTES_MIN: usize = 64 << 10;

/// Shortest string that is ever moved: longer than any reference, so that moving always gains.
pub const VALUE_BYTES_MIN: usize = 1 << 10;

/// Longest blob: a string and its quotes cannot be longer than the line they came in.
pub const BLOB_BYTES_MAX: usize = LINE_BYTES_MAX - 2;

/// Why a blob cannot be written or given back.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("blob {path} is missing")]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// Its bytes are not those that were stored.
    #[error("blob {path} is damaged: its content does not have the hash in its name")]
    Damaged {
        /// Where it is.
        path: PathBuf,
    },
    /// It has another length or beginning than the reference says, so that Weft did not write this reference.
    #[error("blob {path} is not what its reference describes")]
    NotAsReferred {
        /// Where it is.
        path: PathBuf,
    },
    /// It is not the inside of a JSON string, or too long to be one.
    #[error(
        "{path} cannot be a blob: not the inside of a JSON string of at most {BLOB_BYTES_MAX} bytes"
    )]
    NotText {
        /// Where it is or would be.
        path: PathBuf,
    },
    /// With it the line would be longer than any line can be.
    #[error("blob {path} does not fit: the line would be longer than {LINE_BYTES_MAX} bytes")]
    LineTooLong {
        /// Where it is.
        path: PathBuf,
    },
    /// The file or folder cannot be read or written.
    #[error("cannot access {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The blobs of one store. Any number of processes may use the folder at once.
#[derive(Clone, Debug)]
pub struct Blobs {
    folder: PathBuf,
}

/// One blob in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its name.
    pub hash: Hash,
    /// Its length.
    pub bytes: u64,
    /// When it was last put.
    pub modified: SystemTime,
}

/// What [`Blobs::list`] found.
#[derive(Debug, Default)]
pub struct Listing {
    /// The blobs, by hash.
    pub blobs: Vec<Blob>,
    /// Files that a [`Blobs::put`] left when it was interrupted, or is writing at this moment.
    pub unfinished: Vec<PathBuf>,
    /// What is none of ours.
    pub strays: Vec<PathBuf>,
}

/// What [`Blobs::verify`] found.
#[derive(Debug)]
pub struct Verified {
    /// Blobs read.
    pub n_blobs: usize,
    /// Their bytes.
    pub bytes: u64,
    /// What is wrong with which.
    pub faults: Vec<BlobError>,
}

/// What [`Blobs::sweep`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Blobs and unfinished files.
    pub n_files: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Blobs {
    /// Returns the blobs in a folder, which the first [`Blobs::put`] makes.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Stores the inside of a JSON string as it stands between its quotes. It is durable when this returns.
    ///
    /// A blob that is already there is compared, not written again; a damaged one is replaced.
    pub fn put(&self, raw: &[u8]) -> Result<BlobRef, BlobError> {
        let Some(reference) = BlobRef::of_raw(raw) else {
            return Err(BlobError::NotText { path: self.path_of(&Hash::of(raw)) });
        };
        self.put_known([(&reference.hash, raw)])?;
        Ok(reference)
    }

    /// Returns a blob: the inside of a JSON string, with its escapes, whose hash, length and beginning are as referred.
    pub fn get(&self, reference: &BlobRef) -> Result<Vec<u8>, BlobError> {
        let path = self.path_of(&reference.hash);
        let raw = read_blob(&path, &reference.hash)?;
        match BlobRef::of_raw(&raw) {
            Some(actual) if actual == *reference => Ok(raw),
            Some(_) => Err(BlobError::NotAsReferred { path }),
            None => Err(BlobError::NotText { path }),
        }
    }

    /// Returns a blob as [`Blobs::get`] does, without reading one that is longer than its reference says.
    fn get_within(&self, reference: &BlobRef) -> Result<Vec<u8>, BlobError> {
        let path = self.path_of(&reference.hash);
        match fs::metadata(&path) {
            Ok(blob) if blob.len() > reference.bytes => Err(BlobError::NotAsReferred { path }),
            Ok(_) | Err(_) => self.get(reference),
        }
    }

    /// Returns the bytes of a blob, whatever refers to it.
    pub(crate) fn read(&self, hash: &Hash) -> Result<Vec<u8>, BlobError> {
        read_blob(&self.path_of(hash), hash)
    }

    /// Removes a blob, durably, if it is there.
    pub(crate) fn remove(&self, hash: &Hash) -> Result<(), BlobError> {
        let path = self.path_of(hash);
        let lock = files::open_lock(&self.folder)?;
        lock.lock().map_err(in_file(&self.folder))?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            removed => removed.map_err(in_file(&path))?,
        }
        let folder = path.parent().expect("a blob stands in a folder");
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(in_file(folder))
    }

    /// Returns where a blob is or would be.
    pub fn path_of(&self, hash: &Hash) -> PathBuf {
        let name = hash.to_string();
        self.folder.join(&name[..2]).join(name)
    }

    /// Returns whether a missing blob may have been here: whether its value is one that is moved out of an event of so many bytes, and
    /// either any blob was ever put on its shelf, which stays when the blobs on it go, or the whole folder is gone.
    pub(crate) fn may_have_had(&self, reference: &BlobRef, event_bytes: u64) -> bool {
        let is_moved = reference.bytes >= HOOK_VALUE_BYTES_MIN as u64
            || reference.bytes >= VALUE_BYTES_MIN as u64 && event_bytes > EVENT_BYTES_MAX as u64;
        let path = self.path_of(&reference.hash);
        is_moved && (path.parent().is_some_and(Path::is_dir) || !self.folder.is_dir())
    }

    /// Lists the folder; nothing if it does not exist.
    pub fn list(&self) -> Result<Listing, BlobError> {
        files::list(&self.folder)
    }

    /// Reads every blob and checks it against its name.
    pub fn verify(&self) -> Result<Verified, BlobError> {
        let mut verified = Verified { n_blobs: 0, bytes: 0, faults: Vec::new() };
        for blob in self.list()?.blobs {
            verified.n_blobs += 1;
            verified.bytes += blob.bytes;
            verified.faults.extend(read_blob(&self.path_of(&blob.hash), &blob.hash).err());
        }
        Ok(verified)
    }

    /// Makes every blob durable once more, and returns how many there are.
    pub fn sync(&self) -> Result<u64, BlobError> {
        let blobs = self.list()?.blobs;
        let mut folders = HashSet::new();
        for blob in &blobs {
            let path = self.path_of(&blob.hash);
            File::open(&path).and_then(|file| file.sync_all()).map_err(in_file(&path))?;
            folders.extend(path.parent().map(Path::to_owned));
        }
        if !blobs.is_empty() {
            folders.insert(self.folder.clone());
        }
        for folder in folders {
            File::open(&folder).and_then(|file| file.sync_all()).map_err(in_file(&folder))?;
        }
        Ok(blobs.len() as u64)
    }

    /// Removes the blobs that are not in `keep`, and unfinished files, if they were last put before `put_before`.
    ///
    /// The time is the grace of those who have put a blob and not yet appended the event that names it. `keep` covers the log
    /// and the spool; what is none of ours stays.
    pub fn sweep(&self, keep: &HashSet<Hash>, put_before: SystemTime) -> Result<Swept, BlobError> {
        if !self.folder.try_exists().map_err(in_file(&self.folder))? {
            return Ok(Swept::default());
        }
        // No blob can be put again between the look at its time and its removal.
        let lock = files::open_lock(&self.folder)?;
        lock.lock().map_err(in_file(&self.folder))?;
        let listing = self.list()?;
        let unkept = listing.blobs.iter().filter(|blob| !keep.contains(&blob.hash));
        let paths = unkept.map(|blob| self.path_of(&blob.hash)).chain(listing.unfinished);
        let mut swept = Swept::default();
        for path in paths {
            let metadata = fs::symlink_metadata(&path).map_err(in_file(&path))?;
            if metadata.modified().map_err(in_file(&path))? < put_before {
                fs::remove_file(&path).map_err(in_file(&path))?;
                swept.n_files += 1;
                swept.bytes += metadata.len();
            }
        }
        Ok(swept)
    }

    /// Stores bytes whose hashes are known; one sync of each folder serves them all.
    fn put_known<'b>(
        &self,
        blobs: impl IntoIterator<Item = (&'b Hash, &'b [u8])>,
    ) -> Result<(), BlobError> {
        let placed = blobs.into_iter().map(|(hash, raw)| (self.path_of(hash), raw));
        files::put(&self.folder, &placed.collect::<Vec<_>>())
    }
}

/// Reads a blob and checks it against its name.
fn read_blob(path: &Path, hash: &Hash) -> Result<Vec<u8>, BlobError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(BlobError::Missing { path: path.to_owned() });
        }
        Err(source) => return Err(in_file(path)(source)),
    };
    let mut raw = Vec::new();
    file.take(BLOB_BYTES_MAX as u64 + 1).read_to_end(&mut raw).map_err(in_file(path))?;
    if Hash::of(&raw) == *hash {
        Ok(raw)
    } else {
        Err(BlobError::Damaged { path: path.to_owned() })
    }
}

/// Says which file or folder an error is about.
fn in_file(path: &Path) -> impl Fn(io::Error) -> BlobError {
    move |source| BlobError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
