//! What was refused, kept with the reason, the origin and the bytes, so that it can be looked at and tried again after a fix.
//!
//! One file a day in the store's `rejected` folder, one JSON object a line, and one for each that could not wait for the others; bytes
//! too large for a line stand in a file of their own. The same bytes from the same origin are kept once, however often they are refused. It judges nothing itself.

mod base64;
mod line;
mod listing;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use weft_event::input::{Item, Lines};

use crate::redact::Redaction;
use crate::spool::durable;
use crate::{Hash, Store};

pub(crate) use line::mask_base64;
pub use line::{INLINE_BYTES_MAX, Kept, KeptBytes, Reason, Refusal, RefusalId, With};
pub use listing::{Found, Listing, Span};

/// The largest file of one day; what is refused beyond it cannot be kept, and whoever sent it is told.
pub const DAY_BYTES_MAX: u64 = 1 << 30;

pub(crate) const FOLDER: &str = "rejected";
pub(crate) const BYTES_FOLDER: &str = "bytes";
const LOCK: &str = "lock";

/// Why something refused could not be kept, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum RejectedError {
    /// The day's file is as large as it may be.
    #[error("{path} is full, the limit is {DAY_BYTES_MAX} bytes")]
    Full {
        /// The day's file.
        path: PathBuf,
    },
    /// Nothing kept has an id that begins so.
    #[error("nothing refused has the id {prefix}")]
    NotFound {
        /// What was asked for.
        prefix: String,
    },
    /// More than one id begins so.
    #[error("{n} ids begin with {prefix}")]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// How many.
        n: usize,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What a store has refused.
#[derive(Debug)]
pub struct Rejected {
    store: PathBuf,
    redaction: Arc<Redaction>,
    folder: PathBuf,
    known: Known,
}

/// The ids that are kept already, as far as they were read.
#[derive(Debug, Default)]
struct Known {
    /// Changes with every removal, by whatever process.
    n_removals: u64,
    /// How far each day's file was read.
    scanned: HashMap<OsString, u64>,
    ids: HashSet<RefusalId>,
}

impl Rejected {
    /// Returns what a store has refused. Nothing is opened or made before it is needed.
    pub fn new(store: &Store) -> Self {
        let (root, redaction) = (store.root().to_owned(), Arc::clone(store.redaction()));
        Self { folder: root.join(FOLDER), store: root, redaction, known: Known::default() }
    }

    /// Keeps what was refused, all of it with one write and one sync for each day, and returns the ids.
    ///
    /// Secrets are taken out first. What is kept already is not written again.
    pub fn put(&mut self, refusals: &[Refusal]) -> Result<Vec<RefusalId>, RejectedError> {
        self.put_with(refusals, Patience::AsLongAsItTakes)
    }

    /// Does the same for whoever cannot wait for others that keep or remove something: then each has a file of its own, which is read
    /// like that of its day.
    pub fn put_soon(
        &mut self,
        refusals: &[Refusal],
        patience: Duration,
    ) -> Result<Vec<RefusalId>, RejectedError> {
        self.put_with(refusals, Patience::Until(patience))
    }

    fn put_with(
        &mut self,
        refusals: &[Refusal],
        patience: Patience,
    ) -> Result<Vec<RefusalId>, RejectedError> {
        let refusals: Vec<Cow<'_, Refusal>> =
            refusals.iter().map(|refusal| refusal.redacted(&self.redaction)).collect();
        let ids: Vec<RefusalId> = refusals.iter().map(|refusal| refusal.id()).collect();
        if ids.iter().all(|id| self.known.ids.contains(id)) && self.is_current() {
            return Ok(ids);
        }
        let lock = match patience {
            Patience::AsLongAsItTakes => Some(self.lock()?),
            Patience::Until(patience) => self.lock_soon(patience)?,
        };
        self.learn()?;
        let mut days: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut new = HashSet::new();
        for (refusal, id) in refusals.iter().zip(&ids) {
            if self.known.ids.contains(id) || !new.insert(*id) {
                continue;
            }
            if refusal.bytes.len() > INLINE_BYTES_MAX {
                self.put_bytes(&refusal.bytes)?;
            }
            let name = match lock {
                Some(_) => listing::file_name(refusal.at_us),
                None => listing::file_name_apart(refusal.at_us, *id),
            };
            refusal.write(days.entry(self.folder.join(name)).or_default());
        }
        for (path, lines) in days {
            append(&self.folder, &path, &lines)?;
        }
        self.known.ids.extend(new);
        Ok(ids)
    }

    /// Lists what is kept of a span of time, oldest day first.
    pub fn list(&self, span: Span) -> Result<Listing, RejectedError> {
        Listing::new(&self.folder, span)
    }

    /// Returns the one refusal whose id begins so.
    pub fn read(&self, prefix: &str) -> Result<Kept, RejectedError> {
        let mut found: Vec<Kept> = Vec::new();
        for kept in self.list(Span::default())?.kept() {
            let kept = kept?;
            let is_other = found.iter().all(|other| other.id != kept.id);
            if is_other && !prefix.is_empty() && kept.id.to_hex().starts_with(prefix) {
                found.push(kept);
            }
        }
        let prefix = prefix.to_owned();
        match (found.len(), found.pop()) {
            (1, Some(kept)) => Ok(kept),
            (0, _) | (_, None) => Err(RejectedError::NotFound { prefix }),
            (n, Some(_)) => Err(RejectedError::Ambiguous { prefix, n }),
        }
    }

    /// Returns the bytes that were refused.
    pub fn bytes(&self, kept: &Kept) -> Result<Vec<u8>, RejectedError> {
        match &kept.bytes {
            KeptBytes::Here(bytes) => Ok(bytes.clone()),
            KeptBytes::File { hash, .. } => {
                let path = self.bytes_path(*hash);
                fs::read(&path).map_err(|source| RejectedError::Read { path, source })
            }
        }
    }

    /// Returns how many of a span of time were refused for each code; one with several codes counts for each of them.
    pub fn counts(&self, span: Span) -> Result<BTreeMap<String, u64>, RejectedError> {
        let mut counts = BTreeMap::new();
        for kept in self.list(span)?.kept() {
            let codes: HashSet<String> =
                kept?.reasons.into_iter().map(|reason| reason.code).collect();
            for code in codes {
                *counts.entry(code).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// Removes what has been dealt with, and returns how many there were. Lines that cannot be read stay.
    pub fn remove(&mut self, ids: &[RefusalId]) -> Result<usize, RejectedError> {
        if ids.is_empty() || !self.folder.is_dir() {
            return Ok(0);
        }
        let mut lock = self.lock()?;
        // Before anything goes: whoever remembers ids has to read them again, also if we die half-way.
        let lock_path = self.folder.join(LOCK);
        lock.write_all(b".").map_err(|source| RejectedError::Write { path: lock_path, source })?;
        let ids: HashSet<RefusalId> = ids.iter().copied().collect();
        let (mut gone, mut referred) = (Vec::new(), HashSet::new());
        for path in listing::day_files(&self.folder, Span::default())? {
            let mut dropped = Vec::new();
            for_each_line(&path, |extent, line| match Kept::read(line) {
                Some(kept) if ids.contains(&kept.id) => {
                    dropped.push(extent);
                    gone.push(kept);
                }
                Some(Kept { bytes: KeptBytes::File { hash, .. }, .. }) => {
                    referred.insert(hash);
                }
                Some(_) | None => {}
            })
            .map_err(|source| RejectedError::Read { path: path.clone(), source })?;
            if !dropped.is_empty() {
                rewrite(&path, &dropped)
                    .map_err(|source| RejectedError::Write { path: path.clone(), source })?;
            }
        }
        for kept in &gone {
            if let KeptBytes::File { hash, .. } = kept.bytes
                && !referred.contains(&hash)
            {
                remove_if_there(&self.bytes_path(hash))?;
            }
        }
        Ok(gone.iter().map(|kept| kept.id).collect::<HashSet<_>>().len())
    }

    /// Returns whether nothing was removed by anybody since the known ids were read.
    fn is_current(&self) -> bool {
        fs::metadata(self.folder.join(LOCK)).is_ok_and(|lock| lock.len() == self.known.n_removals)
    }

    /// Keeps other processes from changing anything until the file is dropped.
    pub(crate) fn lock(&self) -> Result<File, RejectedError> {
        let locked = self.open_lock().and_then(|lock| lock.lock().map(|()| lock));
        locked.map_err(|source| RejectedError::Write { path: self.folder.join(LOCK), source })
    }

    /// Does the same; `None` if another process does for longer than that.
    fn lock_soon(&self, patience: Duration) -> Result<Option<File>, RejectedError> {
        let locked = self.open_lock().and_then(|lock| match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => wait(lock, patience),
            Err(TryLockError::Error(error)) => Err(error),
        });
        locked.map_err(|source| RejectedError::Write { path: self.folder.join(LOCK), source })
    }

    fn open_lock(&self) -> io::Result<File> {
        make_folder(&self.store, &self.folder)?;
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).open(self.folder.join(LOCK))
    }

    /// Reads the ids that other processes have added.
    fn learn(&mut self) -> Result<(), RejectedError> {
        let unreadable =
            |path: &Path, source| RejectedError::Read { path: path.to_owned(), source };
        let lock = self.folder.join(LOCK);
        let lock = fs::metadata(&lock).map_err(|source| unreadable(&lock, source))?;
        if lock.len() != self.known.n_removals {
            self.known = Known { n_removals: lock.len(), ..Known::default() };
        }
        for path in listing::day_files(&self.folder, Span::default())? {
            let name = path.file_name().expect("a day's file has a name").to_owned();
            let ids = &mut self.known.ids;
            let scanned = self.known.scanned.entry(name).or_default();
            let mut whole = *scanned;
            for_each_line_from(&path, *scanned, |extent, line| {
                whole = extent.end;
                ids.extend(RefusalId::of_line(line));
            })
            .map_err(|source| unreadable(&path, source))?;
            *scanned = whole;
        }
        Ok(())
    }

    fn put_bytes(&self, bytes: &[u8]) -> Result<(), RejectedError> {
        let path = self.bytes_path(Hash::of(bytes));
        if path.exists() {
            return Ok(());
        }
        make_folder(&self.folder, &self.folder.join(BYTES_FOLDER))
            .and_then(|()| durable::replace(&path, |out| out.write_all(bytes)))
            .map_err(|source| RejectedError::Write { path, source })
    }

    fn bytes_path(&self, hash: Hash) -> PathBuf {
        self.folder.join(BYTES_FOLDER).join(hash.to_string())
    }
}

/// How long others are waited for.
#[derive(Clone, Copy)]
enum Patience {
    AsLongAsItTakes,
    Until(Duration),
}

/// Waits for the lock on a thread of its own: the system has no such wait with a limit.
fn wait(lock: File, patience: Duration) -> io::Result<Option<File>> {
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::Builder::new().name("weft-rejected".to_owned()).spawn(move || {
        // Nobody waits any more once the time is over: the lock is let go as it is dropped here.
        let told = send.send(lock.lock().map(|()| lock));
        drop(told);
    })?;
    receive.recv_timeout(patience).ok().transpose()
}

/// Makes a folder that only the owner can read, durably.
fn make_folder(parent: &Path, folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => durable::sync_folder(parent),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Appends lines to a day's file; after an error none of them is there, unless the disk refuses that too.
fn append(folder: &Path, path: &Path, lines: &str) -> Result<(), RejectedError> {
    let failed = |source| RejectedError::Write { path: path.to_owned(), source };
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
        .map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size + lines.len() as u64 > DAY_BYTES_MAX {
        return Err(RejectedError::Full { path: path.to_owned() });
    }
    let mut last = [b'\n'];
    if size > 0 {
        file.read_exact_at(&mut last, size - 1).map_err(failed)?;
    } else {
        // Before the first byte, so that whoever finds bytes in the file knows that its name is durable.
        durable::sync_folder(folder).map_err(failed)?;
    }
    let lines = if last == [b'\n'] { lines.to_owned() } else { format!("\n{lines}") };
    let written = file.write_all(lines.as_bytes()).and_then(|()| file.sync_data());
    if let Err(error) = written {
        file.set_len(size).map_err(failed)?;
        return Err(failed(error));
    }
    Ok(())
}

/// Calls back for each line of a file, with where it stands, its line break included.
fn for_each_line(path: &Path, each: impl FnMut(Range<u64>, &[u8])) -> io::Result<()> {
    for_each_line_from(path, 0, each)
}

fn for_each_line_from(
    path: &Path,
    from: u64,
    mut each: impl FnMut(Range<u64>, &[u8]),
) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut lines = Lines::new(file);
    while let Some(item) = lines.read()? {
        if let Item::Line(line) = item {
            let start = from + line.offset;
            each(start..start + line.bytes.len() as u64 + 1, line.bytes);
        }
    }
    Ok(())
}

/// Writes a file again without some stretches of it; without any line left, it goes.
fn rewrite(path: &Path, dropped: &[Range<u64>]) -> io::Result<()> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut kept = Vec::new();
    let mut at = 0;
    for extent in dropped {
        kept.push(at..extent.start);
        at = extent.end.min(size);
    }
    kept.push(at..size);
    if kept.iter().all(|stretch| stretch.is_empty()) {
        drop(file);
        fs::remove_file(path)?;
        return durable::sync_folder(path.parent().expect("a day's file stands in a folder"));
    }
    durable::replace(path, |out| {
        for stretch in kept {
            file.seek(SeekFrom::Start(stretch.start))?;
            io::copy(&mut (&file).take(stretch.end - stretch.start), out)?;
        }
        Ok(())
    })
}

fn remove_if_there(path: &Path) -> Result<(), RejectedError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(RejectedError::Write { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests;
