//! Taking the entries out of the spool: each at least once, damage confined to the entry it hit, nothing deleted before its time.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::entry::Entry;
use super::window::{READ_BYTES, Window};
use super::{FILE, FOLDER, SpoolError, durable};

/// What the name of a file begins with that is on its way into the log.
pub(super) const TAKING: &str = "taking-";
const ASIDE: &str = "aside";

/// The entries of a spool, in the order they were left, on their way into the log.
///
/// Dropped without [`Taken::finish`] it leaves everything for the next one who takes.
#[derive(Debug)]
pub struct Taken {
    store: PathBuf,
    files: Vec<TakenFile>,
    /// The file that is read now.
    file_idx: usize,
}

/// One file that was renamed away from the writers.
#[derive(Debug)]
struct TakenFile {
    path: PathBuf,
    /// Holds a shared lock, so that a second one who takes waits.
    file: File,
    window: Window,
    damage: Vec<Range<u64>>,
}

/// Takes what is in the spool of a store; `None` if there is nothing.
///
/// Also takes what an earlier one took and did not finish. Waits for writers that are at it, and for another [`Taken`] of the same
/// store until it is dropped.
pub fn take(store: &Path) -> Result<Option<Taken>, SpoolError> {
    let folder = store.join(FOLDER);
    let unreadable = |source| SpoolError::Read { path: folder.clone(), source };
    let names = match fs::read_dir(&folder) {
        Ok(entries) => entries
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<Vec<_>>>()
            .map_err(unreadable)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut paths: Vec<PathBuf> = names
        .iter()
        .filter(|name| name.as_encoded_bytes().starts_with(TAKING.as_bytes()))
        .map(|name| folder.join(name))
        .collect();
    paths.sort();
    if names.iter().any(|name| name == FILE) {
        let to = folder.join(format!("{TAKING}{}.jsonl", Uuid::now_v7()));
        match fs::rename(folder.join(FILE), &to) {
            Ok(()) => paths.push(to),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(SpoolError::Write { path: folder.join(FILE), source }),
        }
    }
    let mut files = Vec::new();
    for path in paths {
        match open(&path) {
            Ok(file) => files.extend(file),
            Err(source) => return Err(SpoolError::Read { path, source }),
        }
    }
    let taken = Taken { store: store.to_owned(), files, file_idx: 0 };
    Ok((!taken.files.is_empty()).then_some(taken))
}

/// Opens a file that writers may still be at; `None` if somebody else has finished it.
fn open(path: &Path) -> io::Result<Option<TakenFile>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // The exclusive lock comes when no writer is left. Then a shared one does: a writer that opened the file before it was
    // renamed, and asks for its lock only now, must not wait for us to find that it has to open the new one.
    file.lock()?;
    file.unlock()?;
    file.lock_shared()?;
    let is_gone = file.metadata()?.nlink() == 0;
    let window = Window::new(file.try_clone()?);
    let path = path.to_owned();
    Ok((!is_gone).then_some(TakenFile { path, file, window, damage: Vec::new() }))
}

impl Taken {
    /// Returns the next entry that is whole; `None` at the end.
    pub fn read(&mut self) -> Result<Option<Entry<'_>>, SpoolError> {
        while let Some(file) = self.files.get_mut(self.file_idx) {
            let found = file.window.find(&mut file.damage);
            let found =
                found.map_err(|source| SpoolError::Read { path: file.path.clone(), source });
            match found? {
                Some(whole) => return Ok(Some(self.files[self.file_idx].window.give(whole))),
                None => self.file_idx += 1,
            }
        }
        Ok(None)
    }

    /// Returns how many stretches of what was read so far are no whole entry.
    pub fn n_damaged(&self) -> usize {
        self.files.iter().map(|file| file.damage.len()).sum()
    }

    /// Copies what is no whole entry to the store's `aside` folder and returns the files made, one for each file that is damaged.
    ///
    /// The same bytes go to the same name, so that it can be done again.
    pub fn aside(&self) -> Result<Vec<PathBuf>, SpoolError> {
        let damaged = self.files.iter().filter(|file| !file.damage.is_empty());
        damaged.map(|file| set_aside(&self.store, file)).collect()
    }

    /// Removes what was read to its end: its entries must be in the log by now. What is damaged is set aside first.
    pub fn finish(self) -> Result<(), SpoolError> {
        self.aside()?;
        for file in &self.files[..self.file_idx] {
            match fs::remove_file(&file.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SpoolError::Write { path: file.path.clone(), source: error });
                }
                Ok(()) | Err(_) => {}
            }
        }
        // Not synced: entries that a power cut brings back are in the log by their ids, and taken for repeats.
        Ok(())
    }
}

fn set_aside(store: &Path, taken: &TakenFile) -> Result<PathBuf, SpoolError> {
    let failed = |source| SpoolError::Write { path: store.join(ASIDE), source };
    let mut hasher = blake3::Hasher::new();
    copy_damage(taken, &mut hasher).map_err(failed)?;
    let folder = store.join(ASIDE);
    let path = folder.join(format!("spool-{}.bytes", &hasher.finalize().to_hex()[..16]));
    if path.exists() {
        return Ok(path);
    }
    super::make_folder(&folder).map_err(failed)?;
    durable::sync_folder(store).map_err(failed)?;
    durable::replace(&path, |out| copy_damage(taken, out)).map_err(failed)?;
    Ok(path)
}

fn copy_damage(taken: &TakenFile, out: &mut impl io::Write) -> io::Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    for range in &taken.damage {
        let mut at = range.start;
        while at < range.end {
            let n = READ_BYTES.min(usize::try_from(range.end - at).unwrap_or(READ_BYTES));
            taken.file.read_exact_at(&mut buffer[..n], at)?;
            out.write_all(&buffer[..n])?;
            at += n as u64;
        }
    }
    Ok(())
}
