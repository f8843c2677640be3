//! Opening a log: what is durable, what a crash left half done, and what is damaged.
//!
//! A store that was left whole costs one read of `head` and one of the seal it points at. Otherwise everything beyond `head` is
//! walked. A good group there is written again in place and synced, because it may stand in the system's memory alone. Bytes after
//! the last good group are torn: they are kept aside and cut. Anything bad that a good group follows is damage: it stays as it is,
//! and writing goes on in a new segment. Doing all this twice gives the same as doing it once, wherever the first time ended.

mod walk;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use weft_event::json::Tape;

use crate::disk::{Access, Disk, DiskFile};
use crate::head::HEAD_BYTES;
use crate::scan::Fault;
use crate::seal::{self, Opening, Seal};
use crate::segment::{Form, SegmentName};
use crate::writer::SEAL_BYTES_MAX;
use crate::{Hash, Head, Position};

/// The folder of the segments.
pub const LOG_FOLDER: &str = "log";
/// The file that says what is durable.
pub const HEAD_FILE: &str = "head";
/// The folder of what recoveries cut off.
pub const ASIDE_FOLDER: &str = "aside";

/// Bytes of the beginning of a segment that hold its first line.
pub(crate) const OPENING_BYTES: usize = 4096;

/// Why a log cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("cannot open {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It was written by a newer version.
    #[error("{path} has format {format}; this version reads up to {max}: use a newer one", max = seal::FORMAT)]
    Newer {
        /// The segment.
        path: PathBuf,
        /// Its format.
        format: u64,
    },
}

/// What was found on opening, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Good groups that `head` did not know of were made durable again.
    Revived {
        /// The first record of them.
        first: Position,
        /// The last record of them.
        last: Position,
    },
    /// Bytes that no good group follows were cut off and kept.
    Torn {
        /// The segment.
        segment: SegmentName,
        /// Where they stood.
        offset: u64,
        /// How many.
        bytes: u64,
        /// The file that has them.
        aside: PathBuf,
    },
    /// Something durable is damaged. It stays as it is.
    Damaged {
        /// The segment.
        segment: SegmentName,
        /// Where.
        offset: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// What `head` names is gone or damaged; records up to there may be missing.
    Missing {
        /// The segment that `head` names.
        segment: SegmentName,
        /// Where its durable bytes should end.
        end: u64,
    },
    /// The clock is behind the last record. What is written has the time of that one until the clock has caught up.
    ClockBehind {
        /// How far, in microseconds.
        by_us: i64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Revived { first, last } => {
                write!(
                    f,
                    "records {first} to {last} were written when the last writer ended, and are durable now"
                )
            }
            Finding::Torn { segment, offset, bytes, aside } => {
                let aside = aside.display();
                write!(
                    f,
                    "{bytes} bytes of an unfinished write were cut from {segment} at byte {offset} and kept in {aside}"
                )
            }
            Finding::Damaged { segment, offset, fault } => {
                write!(
                    f,
                    "{segment} is damaged at byte {offset}: {fault}; `weft verify` tells more"
                )
            }
            Finding::Missing { segment, end } => {
                write!(
                    f,
                    "{segment} should be {end} bytes long, and is not whole; `weft verify` tells more"
                )
            }
            Finding::ClockBehind { by_us } => {
                let by_s = by_us / 1_000_000;
                write!(
                    f,
                    "the clock is {by_s} s behind the last record: until it has caught up, new records have the time of that one"
                )
            }
        }
    }
}

/// A log that is ready to be written.
#[derive(Debug)]
pub(crate) struct Recovered<F> {
    pub(crate) head: Head,
    pub(crate) head_file: F,
    /// The last segment.
    pub(crate) file: F,
    pub(crate) findings: Vec<Finding>,
}

/// Opens a log, makes it if there is none, and brings it in order.
pub(crate) fn recover<D: Disk>(
    disk: &D,
    root: &Path,
    now_us: i64,
) -> Result<Recovered<D::File>, Error> {
    let folder = root.join(LOG_FOLDER);
    let segments = list_segments(disk, &folder)?;
    let head = read_head(disk, root)?;
    let Some((last, form)) = segments.last().copied() else {
        let start =
            head.map_or_else(|| Start::fresh(disk, now_us), |head| Start::after_loss(&head));
        return create(disk, root, now_us, start);
    };
    if let Some(head) = &head
        && head.segment == last
        && form == Form::Plain
    {
        let path = folder.join(last.file(form));
        let file = at(&path, disk.open(&path, Access::Write))?;
        // Before anything is written: a newer version may mean something else by what this one would write.
        read_opening(&file, &path)?;
        if at(&path, file.len())? == head.end && at(&path, is_sealed(&file, head))? {
            let head_file = open_head(disk, root)?;
            return Ok(Recovered { head: head.clone(), head_file, file, findings: Vec::new() });
        }
    }
    walk::walk(disk, root, now_us, &segments, head)
}

fn open_head<D: Disk>(disk: &D, root: &Path) -> Result<D::File, Error> {
    let path = root.join(HEAD_FILE);
    at(&path, disk.open(&path, Access::Create))
}

/// Returns the segments of a folder in the order of the log. Where a segment is there in both forms, the plain one counts.
pub(crate) fn list_segments<D: Disk>(
    disk: &D,
    folder: &Path,
) -> Result<Vec<(SegmentName, Form)>, Error> {
    let names = at(folder, disk.list(folder))?;
    let mut segments: Vec<_> = names.iter().filter_map(|name| SegmentName::parse(name)).collect();
    segments.sort_by_key(|(name, form)| (*name, *form == Form::Archive));
    segments.dedup_by_key(|(name, _)| *name);
    Ok(segments)
}

/// Reads `head`; `None` if it is missing or not whole.
pub(crate) fn read_head<D: Disk>(disk: &D, root: &Path) -> Result<Option<Head>, Error> {
    let path = root.join(HEAD_FILE);
    let file = match disk.open(&path, Access::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Io { path, source }),
    };
    let mut buffer = [0; HEAD_BYTES + 1];
    let n = at(&path, file.read_at(&mut buffer, 0))?;
    Ok(Head::decode(&buffer[..n]))
}

/// Returns the format of the segment that `head` names; `None` if its opening is damaged.
pub fn read_format<D: Disk>(disk: &D, root: &Path, head: &Head) -> Result<Option<u64>, Error> {
    let path = root.join(LOG_FOLDER).join(head.segment.file(Form::Plain));
    let file = at(&path, disk.open(&path, Access::Read))?;
    let opening = read_opening(&file, &path)?.and_then(|(seal, _, _)| seal.opening);
    Ok(opening.map(|opening| opening.format))
}

/// Reads the seal that opens a segment; `None` if it is damaged.
pub(crate) fn read_opening(
    file: &impl DiskFile,
    path: &Path,
) -> Result<Option<(Seal, Hash, u64)>, Error> {
    let mut buffer = [0; OPENING_BYTES];
    let n = at(path, file.read_at(&mut buffer, 0))?;
    opening_of(&buffer[..n], path)
}

/// Decodes the seal at the beginning of a segment, and returns it with its hash and its end.
pub(crate) fn opening_of(bytes: &[u8], path: &Path) -> Result<Option<(Seal, Hash, u64)>, Error> {
    let Some(end) = memchr::memchr(b'\n', bytes) else { return Ok(None) };
    let Ok((seal, hash)) = Seal::decode(&bytes[..end], &mut Tape::new()) else { return Ok(None) };
    match &seal.opening {
        Some(Opening { format, .. }) if *format > seal::FORMAT => {
            Err(Error::Newer { path: path.to_owned(), format: *format })
        }
        Some(_) => Ok(Some((seal, hash, end as u64 + 1))),
        None => Ok(None),
    }
}

/// Returns whether the seal that `head` points at is there and good.
fn is_sealed(file: &impl DiskFile, head: &Head) -> io::Result<bool> {
    let Some(len) = head.end.checked_sub(head.seal).and_then(|len| usize::try_from(len).ok())
    else {
        return Ok(false);
    };
    let mut line = vec![0; len.min(SEAL_BYTES_MAX)];
    if file.read_at(&mut line, head.seal)? != len || line.pop() != Some(b'\n') {
        return Ok(false);
    }
    // `head` says what it holds. A seal of many records takes longer to read than a store may take to open.
    Ok(Seal::check(&line).is_ok_and(|hash| hash == head.hash))
}

/// What a log begins with, or goes on from after its segments are gone.
struct Start {
    head: Head,
    findings: Vec<Finding>,
}

impl Start {
    fn fresh(disk: &impl Disk, now_us: i64) -> Self {
        let head = Head {
            store: disk.store_id(),
            segment: SegmentName::before_day(now_us),
            number: 0,
            seal: 0,
            end: 0,
            next: Position::FIRST,
            at_us: now_us,
            hash: Hash::ZERO,
        };
        Self { head, findings: Vec::new() }
    }

    fn after_loss(head: &Head) -> Self {
        let missing = Finding::Missing { segment: head.segment, end: head.end };
        Self { head: head.clone(), findings: vec![missing] }
    }
}

/// Makes the first segment and `head`.
fn create<D: Disk>(
    disk: &D,
    root: &Path,
    now_us: i64,
    start: Start,
) -> Result<Recovered<D::File>, Error> {
    let folder = root.join(LOG_FOLDER);
    at(&folder, disk.make_folder(&folder))?;
    let (file, head) = begin_segment(disk, &folder, &start.head, now_us)?;
    let head_file = open_head(disk, root)?;
    sync_root(disk, root)?;
    let path = root.join(HEAD_FILE);
    at(&path, head_file.write_at(&head.encode(), 0))?;
    at(&path, head_file.sync())?;
    Ok(Recovered { head, head_file, file, findings: start.findings })
}

/// Makes durable the names in the store's folder, and its own in the folder above: both may be as new as the log. Comes before the
/// first `head`, so that whoever finds a `head` need not ask.
fn sync_root<D: Disk>(disk: &D, root: &Path) -> Result<(), Error> {
    at(root, disk.sync_folder(root))?;
    let Some(above) = root.parent() else { return Ok(()) };
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    match disk.sync_folder(above) {
        // A folder that may not be read cannot be synced, and a store in it was made by somebody else.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => at(above, synced),
    }
}

/// Makes the segment after what is durable, with its opening seal, and returns what is durable with it.
pub(crate) fn begin_segment<D: Disk>(
    disk: &D,
    folder: &Path,
    head: &Head,
    now_us: i64,
) -> Result<(D::File, Head), Error> {
    let at_us = now_us.max(head.at_us);
    let mut segment = head.segment;
    let (file, path) = loop {
        let full = || io::Error::other("a day has no more than 10,000 segments");
        segment = at(folder, segment.next(at_us).ok_or_else(full))?;
        let path = folder.join(segment.file(Form::Plain));
        match disk.open(&path, Access::CreateNew) {
            Ok(file) => break (file, path),
            // What a failed try left behind; nothing good is in it, and the next recovery sets it aside.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(Error::Io { path, source }),
        }
    };
    let number = head.number + 1;
    let opening = Seal {
        first: head.next,
        bytes: 0,
        at_us,
        marks: Vec::new(),
        opening: Some(Opening { store: head.store.clone(), format: seal::FORMAT, segment: number }),
        body: Hash::of(b""),
        prev: head.hash,
    };
    let mut line = Vec::new();
    let hash = opening.encode(&mut line);
    at(&path, file.write_at(&line, 0))?;
    at(&path, file.sync())?;
    at(folder, disk.sync_folder(folder))?;
    let end = line.len() as u64;
    Ok((file, Head { segment, number, seal: 0, end, at_us, hash, ..head.clone() }))
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Error> {
    result.map_err(|source| Error::Io { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
