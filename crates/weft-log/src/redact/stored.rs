//! Secrets that are stored already: finding them, and taking them out of the log, its archives, blobs, `rejected/`, `aside/` and
//! `prompts/`. What waits in the spool is looked at too; it goes into the log before anything is taken out.
//!
//! A record of the log says first what a group will be; then its segment is replaced by a copy in which every secret is masked by
//! something as long. Whatever interrupts it, a reader finds each group as its seal or as a record says, and doing it again
//! completes it. The index is made again at the end, and snapshots go.

mod files;
mod moved;
mod segment;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::{FoundFile, Unit};
use moved::Moved;
use segment::Masked;

use super::{Notes, Redaction};
use crate::archive;
use crate::blobs::BlobError;
use crate::disk::{Disk as _, RealDisk};
use crate::log::{AppendError, Batch, BeginError, Durability, Log, Options};
use crate::prune::{self, PruneError};
use crate::reader::ReadError;
use crate::recover::{self, ASIDE_FOLDER};
use crate::rejected::{Rejected, RejectedError};
use crate::scan::Bytes as _;
use crate::segment::{Form, SegmentName};
use crate::snapshots;
use crate::spool::{self, SpoolError, durable};
use crate::store::PROMPTS_FOLDER;
use crate::verify::{self, RepairError};
use crate::writer::GROUP_RECORDS_MAX;
use crate::{Position, Store};

/// The file that says that segments are being replaced, and that the index has to be made again.
const MARKER: &str = "redacting";

/// How hard zstd tries where an archive is written again.
const LEVEL: i32 = 9;

/// Whether what is found is only told.
#[derive(Clone, Debug)]
pub enum Mode {
    /// Nothing is changed, and nobody is kept from writing.
    Look,
    /// What is found is taken out.
    Redact(Options),
}

/// A part of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A segment of the log, or an archive.
    Log,
    /// A blob.
    Blobs,
    /// What was refused.
    Rejected,
    /// What a recovery cut off.
    Aside,
    /// What loops were told to do.
    Prompts,
    /// What waits to be moved into the log.
    Spool,
}

impl Part {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Log => "log",
            Part::Blobs => "blobs",
            Part::Rejected => "rejected",
            Part::Aside => "aside",
            Part::Prompts => "prompts",
            Part::Spool => "spool",
        }
    }
}

/// Secrets in one record or file. The secrets themselves are never told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub part: Part,
    /// The file.
    pub path: PathBuf,
    /// The record, if it stands in one.
    pub position: Option<Position>,
    /// The rules that found them, one for each.
    pub rules: Vec<String>,
}

/// What is told on the way.
#[derive(Clone, Debug)]
pub enum Told {
    /// How far it is, in bytes of segments.
    Progress {
        /// Done.
        bytes: u64,
        /// There are.
        total: u64,
    },
    /// Something was found.
    Found(Found),
    /// A file was replaced.
    Replaced(PathBuf),
}

/// What there was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Secrets.
    pub n_secrets: u64,
    /// Records that have some.
    pub n_records: u64,
    /// Files that were replaced.
    pub n_replaced: u64,
}

/// Why it stopped. What was done until then is whole, and doing it again goes on.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// Segments are being archived or deleted, or redacted by another process.
    #[error("another process prunes or redacts this store")]
    Busy,
    /// The lock cannot be taken.
    #[error(transparent)]
    Prune(#[from] PruneError),
    /// The store cannot be made ready for writing.
    #[error(transparent)]
    Begin(#[from] BeginError),
    /// What is to be changed cannot be noted in the log.
    #[error("cannot note in the log what is redacted")]
    Append(#[from] AppendError),
    /// The segments cannot be listed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An archive cannot be written.
    #[error("cannot archive {path} again")]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The cause.
        source: archive::WriteError,
    },
    /// Blobs cannot be read or written.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// What was refused cannot be locked.
    #[error(transparent)]
    Rejected(#[from] RejectedError),
    /// The spool cannot be read.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The index cannot be made again.
    #[error(transparent)]
    Index(#[from] RepairError),
    /// A file cannot be read or written.
    #[error("cannot redact {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Looks for secrets in everything that a store holds, whichever way it came, and takes them out if asked for.
pub fn scan_store(
    store: &Store,
    mode: &Mode,
    tell: &mut dyn FnMut(Told),
) -> Result<Report, StoredError> {
    let redaction = Arc::new(store.redaction().of_all_sources());
    let (_lock, log) = match mode {
        Mode::Look => (None, None),
        Mode::Redact(options) => {
            let lock = prune::lock(store)?.ok_or(StoredError::Busy)?;
            // Which moves the spool into the log, too.
            (Some(lock), Some(Log::open(store.clone(), options.clone(), &mut |_| {})?))
        }
    };
    let report = Report::default();
    let mut work = Work { store, redaction, log, tell, report, is_marked: false };
    let moved = work.look_at_blobs()?;
    work.segments(&moved)?;
    if work.log.is_some() && !moved.list().is_empty() {
        moved.remove(store)?;
    }
    work.files()?;
    if work.log.is_none() {
        work.spool()?;
    }
    let Work { log, report, is_marked, .. } = work;
    if let (Some(log), Mode::Redact(options)) = (log, mode) {
        log.close()?;
        if is_marked || is_interrupted(store) {
            verify::rebuild_index(store, &options.owner, options.patience, &mut |_, _| {})?;
            at(store.root(), unmark(store))?;
        }
    }
    Ok(report)
}

/// Returns whether segments were replaced since the index was made.
pub(crate) fn is_interrupted(store: &Store) -> bool {
    store.root().join(MARKER).exists()
}

/// Says that the index fits the segments again. What was folded from them before goes, since it may hold what was taken out.
pub(crate) fn unmark(store: &Store) -> io::Result<()> {
    snapshots::clear(store)?;
    match fs::remove_file(store.root().join(MARKER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => durable::sync_folder(store.root()),
    }
}

struct Work<'w> {
    store: &'w Store,
    redaction: Arc<Redaction>,
    /// `None` where nothing is to be changed.
    log: Option<Log>,
    tell: &'w mut dyn FnMut(Told),
    report: Report,
    is_marked: bool,
}

impl Work<'_> {
    fn found(&mut self, part: Part, path: &Path, position: Option<Position>, rules: Vec<String>) {
        self.report.n_secrets += rules.len() as u64;
        self.report.n_records += u64::from(position.is_some());
        let path = path.to_owned();
        (self.tell)(Told::Found(Found { part, path, position, rules }));
    }

    fn replaced(&mut self, path: &Path) {
        self.report.n_replaced += 1;
        (self.tell)(Told::Replaced(path.to_owned()));
    }

    fn look_at_blobs(&mut self) -> Result<Moved, StoredError> {
        let moved = Moved::look(self.store, &self.redaction)?;
        for blob in moved.list() {
            let path = crate::blobs::Blobs::new(self.store.blobs()).path_of(&blob.hash);
            self.found(Part::Blobs, &path, None, blob.rules.clone());
        }
        if self.log.is_some() {
            moved.put(self.store)?;
        }
        Ok(moved)
    }

    fn segments(&mut self, moved: &Moved) -> Result<(), StoredError> {
        let folder = self.store.log();
        let listed = recover::list_segments(&RealDisk, &folder).map_err(ReadError::from)?;
        if self.log.is_some() {
            at(&folder, remove_unfinished(&folder))?;
        }
        let total = listed
            .iter()
            .filter_map(|(name, form)| Some(folder.join(name.file(*form)).metadata().ok()?.len()))
            .sum();
        let mut notes = Notes::default();
        if let Some((first, _)) = listed.first() {
            notes
                .look(&RealDisk, self.store.root(), *first)
                .map_err(|error| StoredError::Io { path: error.path, source: error.source })?;
        }
        let mut bytes = 0;
        for (name, form) in listed {
            let path = folder.join(name.file(form));
            self.segment(name, form, moved, &notes)?;
            bytes += at(&path, path.metadata())?.len();
            (self.tell)(Told::Progress { bytes, total });
        }
        Ok(())
    }

    fn segment(
        &mut self,
        name: SegmentName,
        form: Form,
        moved: &Moved,
        notes: &Notes,
    ) -> Result<(), StoredError> {
        let path = self.store.log().join(name.file(form));
        let mut bytes = at(&path, read(&path, form))?;
        let masked = segment::mask(&mut bytes, &self.redaction, moved, notes);
        if masked.is_empty() {
            return Ok(());
        }
        self.tell_segment(&path, &masked);
        let Some(log) = &self.log else { return Ok(()) };
        let is_live = crate::reader::read_head(&RealDisk, self.store.root())?.segment == name;
        if is_live {
            // Others have the live segment open, and would not see what is written to another file of that name.
            log.roll()?;
        }
        for some in masked.notes.chunks(GROUP_RECORDS_MAX) {
            let events = some.iter().map(|note| note.admit(self.store)).collect();
            log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced })?;
        }
        self.mark()?;
        self.put_segment(&path, form, &bytes)?;
        self.replaced(&path);
        Ok(())
    }

    fn tell_segment(&mut self, path: &Path, masked: &Masked) {
        for (position, rules) in &masked.found {
            self.found(Part::Log, path, Some(*position), rules.clone());
        }
        if !masked.elsewhere.is_empty() {
            self.found(Part::Log, path, None, masked.elsewhere.clone());
        }
    }

    /// Says that the index has to be made again, before the first segment changes.
    fn mark(&mut self) -> Result<(), StoredError> {
        if !self.is_marked {
            let path = self.store.root().join(MARKER);
            at(&path, durable::replace(&path, |_| Ok(())))?;
            self.is_marked = true;
        }
        Ok(())
    }

    fn put_segment(&self, path: &Path, form: Form, bytes: &[u8]) -> Result<(), StoredError> {
        match form {
            Form::Plain => at(path, durable::replace(path, |out| out.write_all(bytes))),
            Form::Archive => {
                let mut packed = Vec::new();
                archive::write(&mut &bytes[..], seal_ends(bytes).into_iter(), &mut packed, LEVEL)
                    .map_err(|source| StoredError::Archive { path: path.to_owned(), source })?;
                at(path, durable::replace(path, |out| out.write_all(&packed)))
            }
        }
    }

    fn files(&mut self) -> Result<(), StoredError> {
        let root = self.store.root();
        let (rejected, aside) = (root.join(crate::rejected::FOLDER), root.join(ASIDE_FOLDER));
        let redaction = Arc::clone(&self.redaction);
        let look = |folder: &Path, unit| at(folder, files::look(folder, unit, &redaction));
        let _lock = match self.log.is_some() && rejected.is_dir() {
            true => Some(Rejected::new(self.store).lock()?),
            false => None,
        };
        let mut places = vec![
            (Part::Rejected, look(&rejected, Unit::Line)?),
            (Part::Rejected, look(&rejected.join(crate::rejected::BYTES_FOLDER), Unit::Whole)?),
            (Part::Aside, look(&aside, Unit::Line)?),
        ];
        let prompts = root.join(PROMPTS_FOLDER);
        for folder in at(&prompts, files::folders(&prompts))? {
            places.push((Part::Prompts, look(&folder, Unit::Whole)?));
        }
        for (part, found) in places {
            for file in found {
                self.found(part, &file.path, None, file.rules.clone());
                self.replace_file(&file)?;
            }
        }
        Ok(())
    }

    /// Looks at what waits to be moved into the log.
    fn spool(&mut self) -> Result<(), StoredError> {
        let mut found = Vec::new();
        spool::look(self.store.root(), |entry| {
            let secrets = self.redaction.find(entry.line);
            let rules: Vec<_> = secrets.iter().map(|secret| secret.rule.to_owned()).collect();
            found.push(rules);
        })?;
        let path = spool::path(self.store.root());
        for rules in found.into_iter().filter(|rules| !rules.is_empty()) {
            self.found(Part::Spool, &path, None, rules);
        }
        Ok(())
    }

    fn replace_file(&mut self, file: &FoundFile) -> Result<(), StoredError> {
        if self.log.is_some() {
            at(&file.path, file.replace(&self.redaction))?;
            self.replaced(&file.path);
        }
        Ok(())
    }
}

/// Reads all of a segment.
fn read(path: &Path, form: Form) -> io::Result<Vec<u8>> {
    match form {
        Form::Plain => fs::read(path),
        Form::Archive => {
            let len = match archive::Reader::open(File::open(path)?) {
                Ok(archive) => archive.len(),
                Err(archive::OpenError::NotAnArchive) => 0,
                Err(archive::OpenError::Io(error)) => return Err(error),
            };
            let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
            let n = RealDisk.open_archive(path)?.read_at(&mut bytes, 0)?;
            bytes.truncate(n);
            Ok(bytes)
        }
    }
}

/// Returns the offsets after the seals of a segment.
fn seal_ends(bytes: &[u8]) -> Vec<u64> {
    let mut ends = Vec::new();
    let mut start = 0;
    for newline in memchr::memchr_iter(b'\n', bytes) {
        if bytes[start..].starts_with(crate::seal::PREFIX) {
            ends.push(newline as u64 + 1);
        }
        start = newline + 1;
    }
    ends
}

/// Removes the copies of segments that an interrupted redaction or archiving left. Only who holds the lock for pruning makes some.
pub(crate) fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for name in RealDisk.list(folder)? {
        if name.starts_with("events-") && name.ends_with(".new") {
            fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

/// Says which file an error is about.
fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, StoredError> {
    result.map_err(|source| StoredError::Io { path: path.to_owned(), source })
}
