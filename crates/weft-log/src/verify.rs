//! Proof that a store is what was written: every seal, checksum, link and position of the log, the index against it, and the
//! blobs that it refers to.
//!
//! [`verify`] only reads, and needs no lock. Memory does not grow with the log, but for 32 bytes of each blob referred to.
//! [`repair`] does what loses nothing; damaged bytes are never touched.

mod absent;
mod fault;
mod repair;
mod rows;
mod walk;

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::archive;
use crate::blobs::{BlobError, Blobs};
use crate::disk::RealDisk;
use crate::follow::{self, FollowError};
use crate::index::{self, Follower, IndexError};
use crate::reader::{ReadError, Reader};
use crate::rejected::{self, Rejected, RejectedError, Span};
use crate::segment::{Form, SegmentName};
use crate::spool::{self, SpoolError};
use crate::{Hash, Position, Store, recover};

pub use absent::Absent;
pub use fault::{Fault, IndexFault, Note};
pub use repair::{RepairError, Repaired, rebuild_index, repair};
use rows::Rows;
use walk::Walk;
pub(crate) use walk::{Pruned, pruned};

/// What is to be proven.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// A hash that was the head once.
    pub against: Option<Hash>,
    /// How far the index is looked into.
    pub depth: Depth<'a>,
}

/// How far the index is looked into.
#[derive(Clone, Copy, Debug)]
pub enum Depth<'a> {
    /// Every row's place and checksum.
    Usual,
    /// Everything, by an index that is made anew in this folder.
    Deep {
        /// The folder.
        scratch: &'a Path,
    },
}

/// What is told on the way.
#[derive(Debug)]
pub enum Told {
    /// How far it is.
    Progress {
        /// Bytes of segments read.
        bytes: u64,
        /// Bytes of segments there are.
        total: u64,
    },
    /// Something is wrong.
    Fault(Fault),
    /// Something is to be known, and nothing wrong.
    Note(Note),
}

/// What there is.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The store's id.
    pub store: String,
    /// Segments, archives included.
    pub n_segments: u64,
    /// Archives.
    pub n_archives: u64,
    /// Seals.
    pub n_seals: u64,
    /// Records.
    pub n_records: u64,
    /// Bytes of segments, uncompressed.
    pub bytes: u64,
    /// The first position kept, and the last.
    pub range: Option<(Position, Position)>,
    /// The hash of the last seal, which stands for everything before it.
    pub head: Option<Hash>,
    /// Rows of the index.
    pub n_rows: u64,
    /// Blobs that are referred to.
    pub n_blobs: u64,
    /// Their bytes.
    pub blob_bytes: u64,
    /// Blobs that nothing refers to.
    pub n_unreferenced: u64,
    /// Entries of the spool.
    pub n_spooled: u64,
    /// Refusals that are kept.
    pub n_rejected: u64,
    /// Records that secrets were taken out of.
    pub n_redacted: u64,
    /// Where the hash that was asked for stands.
    pub against: Option<Against>,
    /// Faults.
    pub n_faults: u64,
    /// Faults of the index alone.
    pub n_index_faults: u64,
}

/// Where a hash stands in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// It is the hash of the seal after this position, 0 for the seal that opens the log.
    Found {
        /// The last position that it vouches for.
        upto: u64,
    },
    /// No seal has it.
    Unknown,
    /// No seal that is there has it, and it cannot be told whether one had it that was pruned.
    Pruned {
        /// The first position that was pruned.
        first: Position,
        /// The last one. Records between them may be there.
        last: Position,
    },
}

/// Why it cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An index to compare with cannot be made.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// Blobs cannot be read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The spool cannot be read.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// What was refused cannot be read.
    #[error(transparent)]
    Rejected(#[from] RejectedError),
    /// A file cannot be looked at.
    #[error("cannot look at {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// Whoever is told, and how many faults that were.
struct Teller<'t> {
    tell: &'t mut dyn FnMut(Told),
    n_faults: u64,
    n_index_faults: u64,
}

impl Teller<'_> {
    fn fault(&mut self, fault: Fault) {
        self.n_faults += 1;
        self.n_index_faults += u64::from(matches!(fault, Fault::Index(_)));
        (self.tell)(Told::Fault(fault));
    }

    fn note(&mut self, note: Note) {
        (self.tell)(Told::Note(note));
    }
}

/// Checks a store, up to what is durable when it begins.
pub fn verify(
    store: &Store,
    ask: &Ask<'_>,
    tell: &mut dyn FnMut(Told),
) -> Result<Report, VerifyError> {
    let mut teller = Teller { tell, n_faults: 0, n_index_faults: 0 };
    let mut report = Report::default();
    match Reader::open(RealDisk, store.root().to_owned(), Position::FIRST) {
        Ok(reader) => verify_log(store, ask, reader, &mut teller, &mut report)?,
        Err(ReadError::Head { path }) => teller.fault(Fault::NoHead { path }),
        Err(error) => return Err(error.into()),
    }
    let rejected = Rejected::new(store).list(Span::default())?;
    for found in rejected {
        match found? {
            rejected::Found::Kept(_) => report.n_rejected += 1,
            rejected::Found::Unreadable { path, number } => {
                teller.fault(Fault::Rejected { path, number });
            }
        }
    }
    if let Some(hash) = ask.against {
        match *report.against.get_or_insert(Against::Unknown) {
            Against::Found { .. } => {}
            Against::Unknown => teller.fault(Fault::Against { hash, pruned: None }),
            Against::Pruned { first, last } => {
                teller.fault(Fault::Against { hash, pruned: Some((first, last)) });
            }
        }
    }
    (report.n_faults, report.n_index_faults) = (teller.n_faults, teller.n_index_faults);
    Ok(report)
}

fn verify_log(
    store: &Store,
    ask: &Ask<'_>,
    mut reader: Reader<RealDisk>,
    teller: &mut Teller<'_>,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let head = reader.head().clone();
    report.store.clone_from(&head.store);
    report.head = Some(head.hash);
    let total = total_bytes(store, teller)?;
    let mut rows = Rows::open(store, &head, teller)?;
    let mut walk = Walk::new(store, &head, ask.against);
    let mut bytes_before = 0;
    while let Some(batch) = reader.walk()? {
        let (number, end) = (batch.number, batch.stretch.end);
        if (number, end) > (head.number, head.end) {
            break;
        }
        if walk.is_new_segment(&batch) {
            bytes_before += walk.end();
        }
        walk.take(&batch, &mut rows, teller)?;
        (teller.tell)(Told::Progress { bytes: bytes_before + end, total });
        if (number, end) == (head.number, head.end) {
            break;
        }
    }
    if let Some(rows) = rows {
        report.n_rows = rows.finish(teller)?;
    }
    let spooled = walk.spool(teller)?;
    report.n_spooled = spooled;
    walk.finish(teller, report)?;
    if let Depth::Deep { scratch } = ask.depth {
        compare_index(store, scratch, teller)?;
    }
    Ok(())
}

/// Compares the index with one that is made anew.
fn compare_index(
    store: &Store,
    scratch: &Path,
    teller: &mut Teller<'_>,
) -> Result<(), VerifyError> {
    let path = store.index();
    let Ok(reader) = index::Reader::open(&path) else {
        // That there is none of use was told before.
        return Ok(());
    };
    if let Some(message) = reader.check()? {
        teller.fault(Fault::Index(IndexFault::Pages { message }));
    }
    let built = scratch.join("index.db");
    follow::build(store, &built, &mut |progress| {
        (teller.tell)(Told::Progress { bytes: progress.position, total: progress.last });
    })?;
    let mark = reader.watermark(Follower::Core)?;
    let built_mark = index::Reader::open(&built)?.watermark(Follower::Core)?;
    if mark != built_mark {
        teller.note(Note::NotCompared);
        return Ok(());
    }
    for difference in index::compare(&path, &built)? {
        teller.fault(Fault::Index(IndexFault::Differs { difference }));
    }
    Ok(())
}

/// Returns the bytes of the segments, of archives those that they stand for. An archive of which nothing is left is told here, as
/// the walk finds nothing that begins in it; what else cannot be looked at is told on the way.
fn total_bytes(store: &Store, teller: &mut Teller<'_>) -> Result<u64, VerifyError> {
    let listed = recover::list_segments(&RealDisk, &store.log()).map_err(ReadError::from)?;
    let mut total = 0;
    for (segment, form) in listed {
        let Ok(file) = File::open(store.log().join(segment.file(form))) else { continue };
        total += match form {
            Form::Plain => file.metadata().map_or(0, |file| file.len()),
            Form::Archive => match archive::Reader::open(file) {
                Ok(archive) => archive.len(),
                Err(archive::OpenError::Io(_)) => 0,
                Err(archive::OpenError::NotAnArchive) => {
                    teller.fault(Fault::NoArchive { segment });
                    0
                }
            },
        };
    }
    Ok(total)
}

/// Returns the archives that are damaged by what their ends say: cut off, or without their seek tables. Hits in a frame alone are not
/// looked for.
pub fn damaged_archives(store: &Store) -> Result<Vec<SegmentName>, VerifyError> {
    let mut listed = recover::list_segments(&RealDisk, &store.log()).map_err(ReadError::from)?;
    listed.retain(|(_, form)| *form == Form::Archive);
    let mut damaged = Vec::new();
    for (segment, form) in listed {
        let path = store.log().join(segment.file(form));
        let opened = File::open(&path).map_err(archive::OpenError::Io);
        match opened.and_then(archive::Reader::open) {
            Ok(archive) if archive.state() == archive::State::Whole => {}
            Ok(_) | Err(archive::OpenError::NotAnArchive) => damaged.push(segment),
            Err(archive::OpenError::Io(source)) => return Err(VerifyError::Io { path, source }),
        }
    }
    Ok(damaged)
}

/// Returns what stands in the spool, and the blobs that it refers to.
fn look_at_spool(store: &Store, mut each: impl FnMut(&[u8])) -> Result<spool::Looked, SpoolError> {
    spool::look(store.root(), |entry| each(entry.line))
}

/// Returns the blobs of a store.
fn blobs_of(store: &Store) -> Blobs {
    Blobs::new(store.blobs())
}

#[cfg(test)]
mod tests;
