//! A disk in memory, so that a damaged log costs microseconds.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weft_log::disk::{Access, Disk, DiskFile};
use weft_log::scan::Bytes;

/// Every file of a store by its path.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A disk whose clones share their files.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryDisk(Arc<Mutex<BTreeMap<PathBuf, MemoryFile>>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryFile(Arc<Mutex<Vec<u8>>>);

impl MemoryDisk {
    pub(crate) fn of(files: &Files) -> Self {
        let file = |(path, bytes): (&PathBuf, &Vec<u8>)| {
            (path.clone(), MemoryFile(Arc::new(Mutex::new(bytes.clone()))))
        };
        Self(Arc::new(Mutex::new(files.iter().map(file).collect())))
    }

    pub(crate) fn files(&self) -> Files {
        let files = locked(&self.0);
        files.iter().map(|(path, file)| (path.clone(), locked(&file.0).clone())).collect()
    }
}

/// Returns what a mutex guards, also where a failed test left it locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disk for MemoryDisk {
    type File = MemoryFile;

    fn open(&self, path: &Path, access: Access) -> io::Result<MemoryFile> {
        let mut files = locked(&self.0);
        match (access, files.get(path)) {
            (Access::CreateNew, Some(_)) => Err(io::ErrorKind::AlreadyExists.into()),
            (Access::Read | Access::Write | Access::Create, Some(file)) => Ok(file.clone()),
            (Access::Read | Access::Write, None) => Err(io::ErrorKind::NotFound.into()),
            (Access::Create | Access::CreateNew, None) => {
                Ok(files.entry(path.to_owned()).or_default().clone())
            }
        }
    }

    fn open_archive(&self, _path: &Path) -> io::Result<Box<dyn Bytes + Send>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let files = locked(&self.0);
        let inside = files.keys().filter(|path| path.parent() == Some(folder));
        let names = inside.filter_map(|path| path.file_name()?.to_str());
        Ok(names.map(str::to_owned).collect())
    }

    fn make_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = locked(&self.0);
        let file = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        locked(&self.0).remove(path).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = locked(&self.0);
        let start = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
        let n = buffer.len().min(bytes.len() - start);
        buffer[..n].copy_from_slice(&bytes[start..start + n]);
        Ok(n)
    }

    fn write_at(&self, written: &[u8], offset: u64) -> io::Result<()> {
        let mut bytes = locked(&self.0);
        let start = usize::try_from(offset).expect("a test's file is small");
        let end = start + written.len();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(written);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).expect("a test's file is small");
        locked(&self.0).resize(len, 0);
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(locked(&self.0).len() as u64)
    }
}
