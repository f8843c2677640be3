//! One segment becomes an archive: written beside it, read back, put in place, and only then the segment goes.

use std::fs::{self, File};
use std::io::BufWriter;

use super::{PruneError, Segment, at, path_of, remove_files};
use crate::Store;
use crate::archive::{self, Reader};
use crate::disk::{Access, Disk as _, RealDisk};
use crate::scan::{Link, Scan};
use crate::segment::Form;
use crate::spool::durable;

/// How hard zstd tries. The time goes once, the space is taken for as long as the archive is kept.
const LEVEL: i32 = 9;

/// Archives a segment, and returns the bytes that it takes now. Wherever it ends, one whole form of the segment is there.
pub(super) fn archive(store: &Store, segment: &Segment) -> Result<u64, PruneError> {
    let path = path_of(store, segment.name, Form::Plain);
    let to = path_of(store, segment.name, Form::Archive);
    let new = to.with_extension("zst.new");
    let mut original = at(&path, RealDisk.open(&path, Access::Read))?;

    at(&new, remove_if_there(&new))?;
    let file = at(&new, RealDisk.open(&new, Access::CreateNew))?;
    let mut out = BufWriter::new(file);
    let ends = seal_ends(store, segment)?;
    let summary = archive::write(&mut original, ends.into_iter(), &mut out, LEVEL)
        .map_err(|source| PruneError::Archive { path: path.clone(), source })?;
    let file = at(&new, out.into_inner().map_err(|error| error.into_error()))?;
    at(&new, file.sync_all())?;

    let not_proven = |source| PruneError::NotProven { path: path.clone(), source };
    let opened = Reader::open(at(&new, File::open(&new))?);
    let mut reader = opened.map_err(|error| match error {
        archive::OpenError::Io(source) => PruneError::Io { path: new.clone(), source },
        archive::OpenError::NotAnArchive => not_proven(archive::VerifyError::Table),
    })?;
    let mut original = at(&path, File::open(&path))?;
    archive::verify_against(&mut reader, &mut original).map_err(not_proven)?;

    let folder = store.log();
    at(&to, fs::rename(&new, &to))?;
    at(&folder, durable::sync_folder(&folder))?;
    remove_files(store, &[(segment.name, Form::Plain)])?;
    Ok(summary.archive_bytes)
}

/// Returns the offsets after the seals of a segment.
fn seal_ends(store: &Store, segment: &Segment) -> Result<Vec<u64>, PruneError> {
    let path = path_of(store, segment.name, Form::Plain);
    let file = at(&path, RealDisk.open(&path, Access::Read))?;
    let mut scan = Scan::new(file, 0, u64::MAX, Link { next: segment.first, hash: None });
    let mut ends = Vec::new();
    while let Some(stretch) = at(&path, scan.read())? {
        if stretch.seal.is_some() {
            ends.push(stretch.end);
        }
    }
    Ok(ends)
}

/// Removes a file, if there is one.
fn remove_if_there(path: &std::path::Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
