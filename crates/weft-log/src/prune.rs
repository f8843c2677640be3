//! Retention: closed segments are archived, or deleted once what has to outlive them is safe. The live one is never touched.
//!
//! [`plan`] says what would be done, [`run`] does it. A deletion is written down before its first step and every step can be done
//! twice, so that one that was interrupted is completed by the next [`run`], or by whoever opens the store for long work.

mod archive;
mod delete;
mod holds;
mod journal;
mod remove;
mod segments;
mod unreferenced;

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use weft_event::event::Expect;
use weft_event::json::{Json, Object, Tape};
use weft_event::problem::Problems;
use weft_event::{Dialect, time};

use crate::admit::{Arrival, Gate, Strictness};
use crate::blobs::{self, BlobError, Swept, Which};
use crate::disk::RealDisk;
use crate::filter::Filter;
use crate::log::{AppendError, Batch, BeginError, CarriedCount, Durability, Log, Options, now_us};
use crate::query::is_match;
use crate::reader::{ReadError, Reader, read_head};
use crate::segment::{Form, SegmentName};
use crate::spool::SpoolError;
use crate::verify::{self, Pruned};
use crate::{Position, Store, redact};

pub(crate) use delete::resume;
pub use holds::{HoldError, Holds};
pub use remove::{RemoveError, remove};
pub use segments::Segment;
use segments::{Gap, Listed};

/// The file that keeps a second one from pruning at the same time.
const LOCK_FILE: &str = "prune.lock";

/// What becomes of the segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are compressed, and stay part of the log.
    Archive,
    /// They go.
    Delete,
}

impl Mode {
    /// Returns its name in prune records.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Archive => "archive",
            Mode::Delete => "delete",
        }
    }
}

/// How far pruning reaches: to the last segment of which all is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Received before a time, in microseconds since 1970.
    BeforeTime(i64),
    /// Before a position.
    BeforePosition(Position),
    /// Older than the newest segments that fit into so many bytes on disk. Archived ones count only for deletion.
    KeepBytes(u64),
}

/// What is to be pruned.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// How far.
    pub reach: Reach,
    /// What becomes of it.
    pub mode: Mode,
    /// A segment with a record that matches one of these, or one of the store's own holds, is not deleted.
    pub holds: &'a [Filter],
}

/// What pruning does or would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What becomes of the segments.
    pub mode: Mode,
    /// The segments, oldest first.
    pub segments: Vec<Segment>,
    /// The segments that are reached and stay, and why.
    pub kept: Vec<(SegmentName, Kept)>,
    /// Whether a record that goes refers to a blob.
    has_blobs: bool,
    /// What records that go say of earlier deletions, and has to be said again.
    said_again: Vec<Pruned>,
}

/// Why a segment stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A record matches a hold.
    Held {
        /// The record.
        position: Position,
        /// The hold.
        filter: String,
    },
    /// It is damaged: where it ends, or whether a hold is on it, cannot be told.
    Damaged,
    /// It has no records, and there is nothing to gain.
    Empty,
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub bytes: u64,
    /// Bytes there are.
    pub total: u64,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Report {
    /// The segments, and those that stayed.
    pub plan: Plan,
    /// What was carried forward.
    pub carried: CarriedCount,
    /// Blobs that nothing refers to any more.
    pub swept: Swept,
    /// Bytes that the segments took before.
    pub bytes_before: u64,
    /// Bytes that they take now.
    pub bytes_after: u64,
}

/// Why pruning stopped. What was done until then is whole.
#[derive(Debug, thiserror::Error)]
pub enum PruneError {
    /// Another process prunes this store.
    #[error("another process prunes this store")]
    Busy,
    /// The store's holds cannot be read.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The store cannot be made ready for writing, or its index not be changed.
    #[error(transparent)]
    Begin(#[from] BeginError),
    /// What has to outlive the segments cannot be appended.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A segment cannot be compressed.
    #[error("cannot archive {path}")]
    Archive {
        /// The segment.
        path: PathBuf,
        /// The cause.
        source: crate::archive::WriteError,
    },
    /// An archive does not hold what its segment does. The segment stays.
    #[error("the archive of {path} is not what it should be")]
    NotProven {
        /// The segment.
        path: PathBuf,
        /// The cause.
        source: crate::archive::VerifyError,
    },
    /// Blobs cannot be listed or removed.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The spool cannot be read for the blobs it refers to.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// What an interrupted deletion left to do cannot be read.
    #[error("{path} is damaged: what an interrupted deletion left to do is not known")]
    Journal {
        /// The file.
        path: PathBuf,
    },
    /// There is no room for what has to be written before anything goes.
    #[error(
        "cannot write {path}: before a segment goes, what becomes of it is written, and the disk is full: make a little room on it, then prune again"
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file cannot be read, written or removed.
    #[error("cannot prune {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Returns what pruning would do; nothing is changed.
pub fn plan(
    store: &Store,
    ask: &Ask<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Plan, PruneError> {
    let mut holds = Holds::read(store)?.filters().to_vec();
    holds.extend_from_slice(ask.holds);
    let head = read_head(&RealDisk, store.root())?;
    let Listed { closed, damaged, gaps } = segments::list(store, &head)?;
    let mut plan = Plan {
        mode: ask.mode,
        segments: Vec::new(),
        kept: Vec::new(),
        has_blobs: false,
        said_again: Vec::new(),
    };
    let reached: Vec<Segment> = segments::reached(closed, ask, head.end);
    let last = reached.last().map(|segment| segment.name);
    plan.kept.extend(
        damaged.into_iter().filter(|name| Some(*name) < last).map(|name| (name, Kept::Damaged)),
    );
    let total = reached.iter().map(|segment| segment.bytes).sum();
    let mut bytes = 0;
    for segment in reached {
        let kept = match ask.mode {
            Mode::Archive => None,
            Mode::Delete if segment.first == segment.next => Some(Kept::Empty),
            Mode::Delete => {
                let looked = look(store, &segment, &holds)?;
                plan.has_blobs |= looked.has_blobs && looked.kept.is_none();
                if looked.kept.is_none() {
                    plan.said_again.extend(looked.pruned);
                }
                looked.kept
            }
        };
        bytes += segment.bytes;
        match kept {
            Some(kept) => plan.kept.push((segment.name, kept)),
            None => plan.segments.push(segment),
        }
        progress(Progress { bytes, total });
    }
    let goes = |gap: &Gap| plan.segments.iter().any(|segment| segment.name == gap.segment);
    // The log's beginning is explained by what ends right before it, a gap by all that went of it.
    plan.said_again.retain(|record| {
        gaps.iter().any(|gap| {
            let (first, last) = gap.range;
            match gap.is_first {
                true => record.last == last && !goes(gap),
                false => first <= record.first && record.last <= last,
            }
        })
    });
    Ok(plan)
}

/// Prunes. One process at a time does; a deletion that was interrupted before is completed first. Meanwhile no hold is added, so that
/// the plan knows all of them.
pub fn run(
    store: &Store,
    ask: &Ask<'_>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, PruneError> {
    let lock = lock(store)?.ok_or(PruneError::Busy)?;
    let open = || Log::open(store.clone(), options.clone(), &mut |_| {});
    if journal::exists(store) {
        delete::finish(&open()?, store)?;
    }
    at(&store.log(), redact::remove_unfinished(&store.log()))?;
    let plan = plan(store, ask, progress)?;
    let bytes_before = plan.segments.iter().map(|segment| segment.bytes).sum();
    let (carried, swept) = (CarriedCount::default(), Swept::default());
    let mut report = Report { plan, carried, swept, bytes_before, bytes_after: 0 };
    if report.plan.segments.is_empty() {
        return Ok(report);
    }
    match ask.mode {
        Mode::Archive => {
            for segment in &report.plan.segments {
                report.bytes_after += archive::archive(store, segment)?;
                progress(Progress { bytes: report.bytes_after, total: bytes_before });
            }
            let log = open()?;
            for run in runs(&report.plan.segments) {
                append_record(&log, store, &record_of(run, ask.mode))?;
            }
            log.close()?;
        }
        Mode::Delete => {
            let log = open()?;
            journal::write(store, &report.plan)?;
            (report.carried, report.swept) = delete::finish(&log, store)?;
        }
    }
    drop(lock);
    Ok(report)
}

/// Takes the right to prune; `None` if another process has it.
pub(crate) fn lock(store: &Store) -> Result<Option<File>, PruneError> {
    let path = store.root().join(LOCK_FILE);
    let locked = open_lock(&path).and_then(|file| match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    });
    locked.map_err(|source| PruneError::Io { path, source })
}

fn open_lock(path: &std::path::Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// What a look at the records of a segment tells.
struct Looked {
    kept: Option<Kept>,
    has_blobs: bool,
    /// What it says of earlier deletions.
    pruned: Vec<Pruned>,
}

/// Reads a segment for records that a hold is on, for references to blobs, and for what was said of earlier prunings.
fn look(store: &Store, segment: &Segment, holds: &[Filter]) -> Result<Looked, PruneError> {
    let mut looked = Looked { kept: None, has_blobs: false, pruned: Vec::new() };
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let mut reader = Reader::open(RealDisk, store.root().to_owned(), segment.first)?;
    while let Some(batch) = reader.read()? {
        if batch.number > segment.number {
            break;
        }
        if !holds.is_empty() && !batch.stretch.is_whole {
            looked.kept = Some(Kept::Damaged);
            return Ok(looked);
        }
        for (record, _) in batch.records() {
            let line = record.line;
            looked.has_blobs |= blobs::references(line).is_ok_and(|found| !found.is_empty());
            if line.starts_with(RECORD_BEGIN) {
                looked.pruned.extend(verify::pruned(line));
            }
            let held = holds
                .iter()
                .find(|hold| is_match(hold, &record.meta, line, &mut tape, &mut problems));
            if let Some(hold) = held {
                let position = record.meta.position;
                looked.kept = Some(Kept::Held { position, filter: hold.to_string() });
                return Ok(looked);
            }
        }
    }
    Ok(looked)
}

/// Returns the runs of segments that follow each other with nothing between them.
fn runs(segments: &[Segment]) -> impl Iterator<Item = &[Segment]> {
    segments.chunk_by(|a, b| a.number + 1 == b.number && a.next == b.first)
}

/// Returns the positions of a run; empty if it has no records.
fn range_of(run: &[Segment]) -> RangeInclusive<Position> {
    let (first, last) = (&run[0], &run[run.len() - 1]);
    segments::range(first.first, last.next)
}

/// Returns the record that says what became of a run.
fn record_of(run: &[Segment], mode: Mode) -> String {
    let range = range_of(run);
    let end = &run[run.len() - 1];
    record(mode, |data| {
        data.json("first", &Json::integer(range.start().get()));
        data.json("last", &Json::integer(end.next.get() - 1));
        data.text("hash", &end.hash.to_string());
        data.json("segments", &Json::integer(run.len() as u64));
        data.json("bytes", &Json::integer(run.iter().map(|segment| segment.bytes).sum::<u64>()));
    })
}

/// Returns the record that says once more what an earlier one says, which goes.
fn record_again(pruned: &Pruned) -> String {
    record(Mode::Delete, |data| {
        data.json("first", &Json::integer(pruned.first.get()));
        data.json("last", &Json::integer(pruned.last.get()));
        data.text("hash", &pruned.hash.to_string());
    })
}

fn record(mode: Mode, say: impl FnOnce(&mut Object<'_>)) -> String {
    let data = Json::object(|data| {
        say(data);
        data.text("mode", mode.as_str());
    });
    let record = Json::object(|record| {
        record.json("weft", &Json::integer(1));
        record.text("type", PRUNED);
        record.text("id", &uuid::Uuid::now_v7().to_string());
        record.text("at", &time::format_rfc3339(now_us().saturating_mul(1000)));
        record.json("data", &data);
    });
    record.as_str().to_owned()
}

/// How such a record begins.
const RECORD_BEGIN: &[u8] = b"{\"weft\":1,\"type\":\"log.pruned\",";

/// The type of the record that says what was pruned.
pub const PRUNED: &str = "log.pruned";

/// Appends a prune record, durably; one that is there already stays alone.
fn append_record(log: &Log, store: &Store, line: &str) -> Result<(), PruneError> {
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let arrival = Arrival {
        line: line.as_bytes(),
        expect: Expect::Dialect(Dialect::Weft),
        via: "prune",
        delivery: None,
        topic: None,
    };
    let event = gate.admit_own(&arrival).expect("a record of our own is valid");
    let (events, conditions) = (vec![event], Vec::new());
    log.append(Batch { events, conditions, durability: Durability::Synced })?;
    Ok(())
}

/// Returns the path of a segment.
fn path_of(store: &Store, name: SegmentName, form: Form) -> PathBuf {
    store.log().join(name.file(form))
}

/// Removes files of segments for good.
fn remove_files(store: &Store, files: &[(SegmentName, Form)]) -> Result<(), PruneError> {
    let removed = remove(&RealDisk, store.root(), files);
    removed.or_else(|RemoveError { path, source }| at(&path, Err(source)))
}

/// Says which file an error is about.
fn at<T>(path: &std::path::Path, result: io::Result<T>) -> Result<T, PruneError> {
    result.map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                PruneError::Full { path, source }
            }
            _ => PruneError::Io { path, source },
        }
    })
}

#[cfg(test)]
mod tests;
