//! The simulated disk: turmoil's file system, and above it the failures that turmoil does not know.
//!
//! What turmoil 0.7.2 models, by its source:
//! - Writes and changes of length wait until the file is synced. A power cut drops those that wait, except that of each write a
//!   prefix of whole blocks (`block_size`) may stay; where that leaves a hole the file has zeros.
//! - A change of length that waits is always dropped by a power cut. `sync_probability` is the write-back of the system: after any
//!   write or change of length, everything that waits for that file may become durable by itself.
//! - The name of a new file, a rename and a removal wait until a folder is synced, never become durable by themselves, and are
//!   dropped by a power cut, even where the file was synced.
//! - Bytes that wait survive the end of the process, which is [`SimDisk::revive`] without a power cut.
//!
//! What it does not model, and this module adds:
//! - A sync that fails ([`FailedSync`]), above all the one after which the system takes the pages for clean: they can be read, a
//!   later sync says that all is well, and they are not on the disk.
//! - Pages written back in any order: a write is handed down page by page, so that each survives or not for itself.
//! - Names that become durable without a sync.
//! - Writes that fail after some bytes, and any other call that fails; a disk that is full for a while (turmoil's capacity cannot be
//!   lifted again); the end of the process or the power at any call, in the middle of a write too.
//! - The name of a new folder waits for a sync of the folder *above* it (turmoil takes one of the folder itself).
//!
//! Not modelled by either: bytes that decay, reads that are wrong, writes that land elsewhere. The damage sweep has those.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turmoil::fs::shim::std::fs as sim;
use weft_log::disk::{Access, Disk, DiskFile};
use weft_log::scan::Bytes;

use crate::cache::{Cached, FailedSync};
use crate::rng::Rng;

/// Pages that a write is handed down in, about: turmoil takes long to look through many.
const PAGES_MAX: usize = 6;

/// Whether the disk does what it says. All but the first prove that the suite notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Honesty {
    Honest,
    /// A sync of a file does nothing.
    NoSync,
    /// A sync of a folder does nothing.
    NoFolderSync,
    /// A file is synced only after the next write to `head`.
    HeadFirst,
}

/// What is to go wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// How many of 100 calls fail; reads fail less.
    pub(crate) percent: u64,
    /// Calls that fail besides.
    pub(crate) failing: Option<Failing>,
    /// Calls until the process or the power ends.
    pub(crate) ends_after: Option<u64>,
    /// Bytes left on the disk.
    pub(crate) free_bytes: Option<u64>,
}

/// Calls in a row that fail, of those that change something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failing {
    /// How many pass before.
    pub(crate) after: u64,
    pub(crate) n: u64,
    /// How a sync among them fails.
    pub(crate) how: FailedSync,
}

/// How often each kind of failure was met.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Met {
    pub(crate) failed_calls: u64,
    pub(crate) failed_syncs: u64,
    pub(crate) failed_writes: u64,
    pub(crate) full: u64,
}

pub(crate) struct Shared {
    rng: Rng,
    honesty: Honesty,
    /// Bytes that are written back together.
    page_bytes: usize,
    /// How many of 100 new names become durable by themselves.
    writeback_percent: u64,
    pub(crate) faults: Faults,
    pub(crate) met: Met,
    /// Whether the process has ended: no call does anything any more.
    pub(crate) is_ended: bool,
    files: BTreeMap<PathBuf, Cached>,
    /// Names that files were renamed from since the last power cut.
    renamed: BTreeSet<PathBuf>,
    /// Lengths as turmoil has them, because it takes long to say so.
    lens: BTreeMap<PathBuf, u64>,
    /// Folders whose names wait for a sync of the folder above.
    new_folders: BTreeSet<PathBuf>,
    /// Files whose sync is still to be done by a disk that is not honest.
    owed: BTreeSet<PathBuf>,
}

/// What a call meets.
enum Meets {
    Nothing,
    /// It fails; what it was to do may be done in part.
    Failure,
    /// The process ends within it.
    End,
}

#[derive(Clone)]
pub(crate) struct SimDisk(Arc<Mutex<Shared>>);

impl SimDisk {
    pub(crate) fn new(mut rng: Rng, honesty: Honesty, page_bytes: usize) -> Self {
        let writeback_percent = rng.pick(&[0, 10, 50]);
        Self(Arc::new(Mutex::new(Shared {
            rng,
            honesty,
            page_bytes,
            writeback_percent,
            faults: Faults::default(),
            met: Met::default(),
            is_ended: false,
            files: BTreeMap::new(),
            renamed: BTreeSet::new(),
            lens: BTreeMap::new(),
            new_folders: BTreeSet::new(),
            owed: BTreeSet::new(),
        })))
    }

    pub(crate) fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next process after the last one ended. What the system has in memory stays; some of it may be written back.
    pub(crate) fn revive(&self) {
        let mut shared = self.shared();
        (shared.is_ended, shared.faults.ends_after) = (false, None);
        let Shared { files, rng, .. } = &mut *shared;
        for cached in files.values_mut() {
            cached.evict(rng);
        }
    }

    /// Finishes a power cut, after turmoil's part of it.
    pub(crate) fn restore_power(&self) {
        let mut shared = self.shared();
        (shared.is_ended, shared.faults.ends_after) = (false, None);
        shared.files.clear();
        shared.renamed.clear();
        shared.lens.clear();
        shared.owed.clear();
        let new = std::mem::take(&mut shared.new_folders);
        for folder in &new {
            let is_above_there = sim::exists(folder.parent().expect("/ is never new"));
            if is_above_there && (!sim::exists(folder) || shared.rng.percent(50)) {
                // turmoil may have kept a folder and lost the one that it is in.
                for within in new.iter().filter(|within| within.starts_with(folder)) {
                    sim::create_dir_all(within).expect("turmoil is told of no errors");
                }
                vanish(folder);
            }
        }
    }

    /// Returns every file in some folders with its bytes.
    pub(crate) fn contents(&self, folders: &[PathBuf]) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut shared = self.shared();
        let mut found = BTreeMap::new();
        for entry in folders.iter().filter_map(|folder| sim::read_dir(folder).ok()).flatten() {
            let path = entry.expect("turmoil lists without errors").path();
            if folders.contains(&path) {
                continue;
            }
            let len = usize::try_from(shared.len(&path)).expect("files are small");
            let file = sim::File::open(&path).expect("it was just listed");
            let mut bytes = vec![0; len];
            shared.read(&file, &path, &mut bytes, 0);
            found.insert(path, bytes);
        }
        found
    }
}

/// Removes a folder whose name was never durable, with all that is in it.
fn vanish(folder: &Path) {
    let above = folder.parent().expect("only / has none");
    sim::sync_dir(above).expect("it is there");
    for entry in sim::read_dir(folder).expect("it is there") {
        let path = entry.expect("turmoil lists without errors").path();
        if sim::metadata(&path).expect("it was just listed").is_dir() {
            vanish(&path);
        } else {
            sim::remove_file(&path).expect("it was just listed");
        }
    }
    sim::sync_dir(folder).expect("it is there");
    sim::remove_dir(folder).expect("it is empty");
    sim::sync_dir(above).expect("it is there");
}

impl Shared {
    /// Decides what a call meets; only a call that changes something can fail often.
    fn meets(&mut self, is_change: bool) -> io::Result<Meets> {
        if self.is_ended {
            return Err(io::Error::other("the process has ended"));
        }
        if let Some(n_left) = &mut self.faults.ends_after {
            if *n_left == 0 {
                self.is_ended = true;
                return Ok(Meets::End);
            }
            *n_left -= 1;
        }
        if let Some(failing) = self.faults.failing.as_mut().filter(|_| is_change) {
            if failing.after > 0 {
                failing.after -= 1;
            } else if failing.n > 0 {
                failing.n -= 1;
                self.met.failed_calls += 1;
                return Ok(Meets::Failure);
            }
        }
        let percent = if is_change { self.faults.percent } else { self.faults.percent / 16 };
        if self.rng.percent(percent) {
            self.met.failed_calls += 1;
            return Ok(Meets::Failure);
        }
        Ok(Meets::Nothing)
    }

    /// Lets a call fail as a whole, before it has done anything.
    fn pass(&mut self, is_change: bool) -> io::Result<()> {
        match self.meets(is_change)? {
            Meets::Nothing => Ok(()),
            Meets::Failure | Meets::End => Err(eio()),
        }
    }

    fn len(&mut self, path: &Path) -> u64 {
        let below = self.len_below(path);
        below.max(self.files.get(path).map_or(0, Cached::end))
    }

    fn len_below(&mut self, path: &Path) -> u64 {
        if let Some(len) = self.lens.get(path) {
            return *len;
        }
        let len = sim::metadata(path).map_or(0, |metadata| metadata.len());
        self.lens.insert(path.to_owned(), len);
        len
    }

    fn read(&mut self, file: &sim::File, path: &Path, buffer: &mut [u8], offset: u64) -> usize {
        let room = self.len(path).saturating_sub(offset);
        let n = buffer.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..n];
        buffer.fill(0);
        if n > 0 {
            file.read_at(buffer, offset).expect("turmoil is told of no read errors");
        }
        if let Some(cached) = self.files.get(path) {
            cached.read(buffer, offset);
        }
        n
    }

    fn write(&mut self, file: &sim::File, path: &Path, bytes: &[u8], offset: u64) {
        let len = self.len_below(path);
        self.lens.insert(path.to_owned(), len.max(offset + bytes.len() as u64));
        let cached = self.files.entry(path.to_owned()).or_default();
        cached.note_write(file, bytes.len(), offset);
        let page_bytes = self.page_bytes.max(bytes.len() / PAGES_MAX);
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let within = usize::try_from(at % page_bytes as u64).expect("a page is small");
            let n = (page_bytes - within).min(bytes.len() - done);
            file.write_at(&bytes[done..done + n], at).expect("turmoil is told of no write errors");
            done += n;
        }
    }

    /// Returns how many of the bytes that a write adds to the file the disk has room for.
    fn room(&mut self, path: &Path, n_bytes: usize, offset: u64) -> usize {
        let Some(free) = self.faults.free_bytes else { return n_bytes };
        let len = self.len(path);
        let added = (offset + n_bytes as u64).saturating_sub(len);
        let taken = added.min(free);
        self.faults.free_bytes = Some(free - taken);
        n_bytes - usize::try_from(added - taken).expect("it is no more than is written")
    }

    fn sync(&mut self, file: &sim::File, path: &Path) {
        file.sync_data().expect("turmoil is told of no sync errors");
        if let Some(cached) = self.files.get_mut(path) {
            cached.note_sync();
        }
    }

    fn pay_owed(&mut self) -> io::Result<()> {
        for path in std::mem::take(&mut self.owed) {
            self.pass(false)?;
            let file = sim::OpenOptions::new().write(true).open(&path)?;
            self.sync(&file, &path);
        }
        Ok(())
    }
}

fn eio() -> io::Error {
    io::Error::other("input/output error")
}

impl Disk for SimDisk {
    type File = SimFile;

    fn open(&self, path: &Path, access: Access) -> io::Result<SimFile> {
        let mut shared = self.shared();
        shared.pass(access == Access::CreateNew)?;
        let mut options = sim::OpenOptions::new();
        options.read(true).write(access != Access::Read);
        match access {
            Access::Read | Access::Write => {}
            Access::Create => {
                options.create(true);
            }
            Access::CreateNew => {
                options.create_new(true);
            }
        }
        let is_new = matches!(access, Access::Create | Access::CreateNew) && !sim::exists(path);
        if is_new && shared.faults.free_bytes == Some(0) && shared.rng.percent(50) {
            shared.met.full += 1;
            return Err(io::ErrorKind::StorageFull.into());
        }
        let folder = path.parent().expect("a file is in a folder");
        if is_new && shared.renamed.remove(path) {
            // turmoil takes a new file for the one that had its name, until the rename is durable.
            sim::sync_dir(folder)?;
        }
        let file = options.open(path)?;
        let writeback_percent = shared.writeback_percent;
        if is_new && shared.rng.percent(writeback_percent) {
            sim::sync_dir(folder)?;
        }
        Ok(SimFile { disk: self.clone(), path: path.to_owned(), file })
    }

    fn open_archive(&self, _: &Path) -> io::Result<Box<dyn Bytes + Send>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.shared().pass(false)?;
        let entries = match sim::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let name = |entry: io::Result<sim::DirEntry>| {
            Ok(entry?.file_name().into_string().expect("the log's names are UTF-8"))
        };
        entries.map(name).collect()
    }

    fn store_id(&self) -> String {
        // Hashes follow from it, and whether a torn `head` is whole by chance follows from hashes: a seed must do the same each time.
        "01930000-0000-7000-8000-000000000000".to_owned()
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        let mut shared = self.shared();
        shared.pass(true)?;
        let new = folder.ancestors().take_while(|folder| !sim::exists(folder));
        shared.new_folders.extend(new.map(Path::to_owned));
        sim::create_dir_all(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut shared = self.shared();
        shared.pass(true)?;
        // turmoil loses the creation and the writes of a file that is renamed before they are durable: they become so first.
        sim::File::open(from)?.sync_data()?;
        sim::sync_dir(from.parent().expect("a file is in a folder"))?;
        sim::rename(from, to)?;
        shared.renamed.insert(from.to_owned());
        shared.lens.clear();
        if let Some(mut cached) = shared.files.remove(from) {
            cached.note_sync();
            shared.files.insert(to.to_owned(), cached);
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut shared = self.shared();
        shared.pass(true)?;
        sim::remove_file(path)?;
        shared.files.remove(path);
        shared.lens.remove(path);
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut shared = self.shared();
        let meets = shared.meets(true)?;
        let is_done = match meets {
            Meets::Nothing => true,
            Meets::Failure => shared.rng.percent(50),
            Meets::End => false,
        };
        if is_done && shared.honesty != Honesty::NoFolderSync {
            sim::sync_dir(folder)?;
            shared.new_folders.retain(|new| new.parent() != Some(folder));
        }
        match meets {
            Meets::Nothing => Ok(()),
            Meets::Failure => {
                shared.met.failed_syncs += 1;
                Err(eio())
            }
            Meets::End => Err(eio()),
        }
    }
}

pub(crate) struct SimFile {
    disk: SimDisk,
    path: PathBuf,
    file: sim::File,
}

impl DiskFile for SimFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut shared = self.disk.shared();
        shared.pass(false)?;
        Ok(shared.read(&self.file, &self.path, buffer, offset))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut shared = self.disk.shared();
        let meets = shared.meets(true)?;
        let n_tried = match meets {
            Meets::Nothing => bytes.len() as u64,
            Meets::Failure | Meets::End => shared.rng.below(bytes.len() as u64 + 1),
        };
        let n_tried = usize::try_from(n_tried).expect("it is no more than there are bytes");
        let n = shared.room(&self.path, n_tried, offset);
        shared.write(&self.file, &self.path, &bytes[..n], offset);
        match meets {
            Meets::Nothing if n < n_tried => {
                shared.met.full += 1;
                Err(io::ErrorKind::StorageFull.into())
            }
            Meets::Nothing if self.path.ends_with("head") => shared.pay_owed(),
            Meets::Nothing => Ok(()),
            Meets::Failure => {
                shared.met.failed_writes += 1;
                Err(eio())
            }
            Meets::End => Err(eio()),
        }
    }

    fn sync(&self) -> io::Result<()> {
        let mut shared = self.disk.shared();
        match (shared.meets(true)?, shared.honesty) {
            (Meets::Nothing, Honesty::Honest | Honesty::NoFolderSync) => {
                shared.sync(&self.file, &self.path);
                Ok(())
            }
            (Meets::Nothing, Honesty::NoSync) => Ok(()),
            (Meets::Nothing, Honesty::HeadFirst) => {
                shared.owed.insert(self.path.clone());
                Ok(())
            }
            (Meets::Failure, _) => {
                shared.met.failed_syncs += 1;
                let how = shared.faults.failing.map(|failing| failing.how);
                match how.unwrap_or_else(|| shared.rng.pick(&FailedSync::ALL)) {
                    FailedSync::Done => shared.sync(&self.file, &self.path),
                    failed => {
                        let Shared { files, rng, page_bytes, .. } = &mut *shared;
                        if let Some(cached) = files.get_mut(&self.path) {
                            cached.fail_sync(&self.file, failed, *page_bytes, rng);
                        }
                        shared.lens.remove(&self.path);
                    }
                }
                Err(eio())
            }
            (Meets::End, _) => Err(eio()),
        }
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        let mut shared = self.disk.shared();
        shared.pass(true)?;
        let cached = shared.files.entry(self.path.clone()).or_default();
        cached.note_cut(&self.file, len);
        shared.lens.insert(self.path.clone(), len);
        self.file.set_len(len)?;
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        let mut shared = self.disk.shared();
        shared.pass(false)?;
        Ok(shared.len(&self.path))
    }
}
