//! The folder of blobs on disk: writing one so that it is there whole or not at all, and listing what is there.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use uuid::Uuid;

use super::{Blob, BlobError, Listing, in_file};
use crate::Hash;

/// Name of the file whose lock keeps a sweep from those who put: they share it, the sweep has it alone.
const LOCK_NAME: &str = "lock";

/// How the names of unfinished files begin.
const UNFINISHED: &str = ".new-";

/// Writes blobs to their paths, each on a shelf in `folder`, unless they are there already. All are durable after this.
pub(super) fn put(folder: &Path, blobs: &[(PathBuf, &[u8])]) -> Result<(), BlobError> {
    create_folder(folder)?;
    let lock = open_lock(folder)?;
    lock.lock_shared().map_err(in_file(folder))?;
    let mut unsynced = BTreeSet::new();
    for (path, raw) in blobs {
        let shelf = path.parent().expect("a blob stands on a shelf");
        if unsynced.insert(shelf) {
            create_folder(shelf)?;
        }
        if !renew(path, raw).map_err(in_file(path))? {
            write_new(shelf, path, raw).map_err(in_file(path))?;
        }
    }
    // Whoever made a folder or a name, this process or another, need not have synced it yet.
    let store = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    for synced in unsynced.into_iter().chain([folder, store.unwrap_or(Path::new("."))]) {
        File::open(synced).and_then(|folder| folder.sync_all()).map_err(in_file(synced))?;
    }
    Ok(())
}

/// Opens the lock file of the folder.
pub(super) fn open_lock(folder: &Path) -> Result<File, BlobError> {
    let path = folder.join(LOCK_NAME);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    options.open(&path).map_err(in_file(&path))
}

/// Lists the folder; nothing if it does not exist.
pub(super) fn list(folder: &Path) -> Result<Listing, BlobError> {
    let mut listing = Listing::default();
    for shelf in read_folder(folder)? {
        let shelf = shelf.map_err(in_file(folder))?;
        let (path, name) = (shelf.path(), shelf.file_name());
        if shelf.file_type().map_err(in_file(&path))?.is_dir() {
            list_shelf(&path, &mut listing)?;
        } else if name != LOCK_NAME {
            listing.strays.push(path);
        }
    }
    listing.blobs.sort_by_key(|blob| blob.hash);
    listing.unfinished.sort();
    listing.strays.sort();
    Ok(listing)
}

fn list_shelf(shelf: &Path, listing: &mut Listing) -> Result<(), BlobError> {
    for entry in read_folder(shelf)? {
        let entry = entry.map_err(in_file(shelf))?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().unwrap_or_default();
        let metadata = match entry.metadata() {
            // An unfinished file got its name in this moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            metadata => metadata.map_err(in_file(&path))?,
        };
        let is_at_home =
            shelf.file_name().is_some_and(|shelf| name.get(..2).is_some_and(|two| shelf == two));
        match Hash::parse(name).filter(|_| metadata.is_file() && is_at_home) {
            Some(hash) => {
                let modified = metadata.modified().map_err(in_file(&path))?;
                listing.blobs.push(Blob { hash, bytes: metadata.len(), modified });
            }
            None if metadata.is_file() && name.starts_with(UNFINISHED) => {
                listing.unfinished.push(path)
            }
            None => listing.strays.push(path),
        }
    }
    Ok(())
}

/// Reads a folder, which may be missing.
fn read_folder(folder: &Path) -> Result<impl Iterator<Item = io::Result<fs::DirEntry>>, BlobError> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(source) => Err(in_file(folder)(source)),
    }
}

fn create_folder(folder: &Path) -> Result<(), BlobError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(in_file(folder))
}

/// Returns whether the file holds these bytes already; if so, syncs it and gives it the present time, as if written now.
fn renew(path: &Path, raw: &[u8]) -> io::Result<bool> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if file.metadata()?.len() != raw.len() as u64 {
        return Ok(false);
    }
    let mut there = Vec::with_capacity(raw.len());
    (&mut file).take(raw.len() as u64).read_to_end(&mut there)?;
    if there != raw {
        return Ok(false);
    }
    file.set_modified(SystemTime::now())?;
    file.sync_all()?;
    Ok(true)
}

/// Writes the file under another name, syncs it, and gives it its name.
fn write_new(shelf: &Path, path: &Path, raw: &[u8]) -> io::Result<()> {
    let unfinished = shelf.join(format!("{UNFINISHED}{}", Uuid::now_v7()));
    let write = || {
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        file.write_all(raw)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    };
    write().inspect_err(|_| {
        #[expect(unused_must_use, reason = "the first error counts; a sweep removes what is left")]
        fs::remove_file(&unfinished);
    })
}
