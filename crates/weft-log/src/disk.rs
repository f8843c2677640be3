//! The log's only way to a disk: the few calls that its writer and its recovery make, so that a simulated disk can take its place.

use std::fs;
use std::io;
use std::path::Path;

use crate::archive;
use crate::scan::Bytes;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To read what is there.
    Read,
    /// To read and overwrite what is there.
    Write,
    /// To read and write, made if missing.
    Create,
    /// To read and write a file that must not be there yet.
    CreateNew,
}

/// Where the log keeps its files.
pub trait Disk: Clone {
    /// An open file.
    type File: DiskFile + Send;

    /// Opens a file.
    fn open(&self, path: &Path, access: Access) -> io::Result<Self::File>;

    /// Opens a compressed segment to be read by uncompressed offsets.
    fn open_archive(&self, path: &Path) -> io::Result<Box<dyn Bytes + Send>>;

    /// Returns the names in a folder, in no order; none if there is no such folder.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Makes a folder and those above it, unless they are there.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;

    /// Renames a file within the disk.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes durable which names a folder holds.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Returns the id of a store that is made on this disk.
    fn store_id(&self) -> String {
        uuid::Uuid::now_v7().to_string()
    }
}

/// An open file, read and written by offset.
pub trait DiskFile {
    /// Reads at an offset; fewer bytes than asked for only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes at an offset, in one call where the system takes them so.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes the file's bytes and length durable.
    fn sync(&self) -> io::Result<()>;

    /// Cuts the file.
    fn cut(&self, len: u64) -> io::Result<()>;

    /// Has space set aside for bytes behind the file's end, so that a write there need not look for it. Nobody sees it: the length
    /// stays. A disk that knows nothing of this does nothing.
    fn reserve(&self, _offset: u64, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Gives back what is set aside behind the file's end.
    fn give_back(&self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the file's length.
    fn len(&self) -> io::Result<u64>;

    /// Returns whether the file holds nothing.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// The real disk.
#[derive(Clone, Copy, Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    type File = fs::File;

    fn open(&self, path: &Path, access: Access) -> io::Result<fs::File> {
        use std::os::unix::fs::OpenOptionsExt as _;

        let mut options = fs::OpenOptions::new();
        options.read(true).mode(0o600);
        match access {
            Access::Read => {}
            Access::Write => {
                options.write(true);
            }
            Access::Create => {
                options.write(true).create(true).truncate(false);
            }
            Access::CreateNew => {
                options.write(true).create_new(true);
            }
        }
        options.open(path)
    }

    fn open_archive(&self, path: &Path) -> io::Result<Box<dyn Bytes + Send>> {
        match archive::Reader::open(fs::File::open(path)?) {
            Ok(archive) => Ok(Box::new(Archive(archive))),
            Err(archive::OpenError::Io(error)) => Err(error),
            // Its own records are lost, as with a segment that was cut to nothing, and no others.
            Err(archive::OpenError::NotAnArchive) => Ok(Box::new(NothingLeft)),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        // A name that is not UTF-8 is none that the log wrote.
        entries
            .filter_map(|entry| entry.map(|entry| entry.file_name().into_string().ok()).transpose())
            .collect()
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt as _;

        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        fs::File::open(folder)?.sync_all()
    }
}

/// An archive as the segment that it was. Where a frame is damaged it reads as zeros, so that the damage stays where it is.
struct Archive(archive::Reader);

impl Bytes for Archive {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_full(buffer, |rest, done| {
            let at = offset + done;
            match self.0.read_at(at, rest) {
                Ok(n) => Ok(n),
                Err(archive::ReadError::Damaged(archive::Damaged { offset, bytes, .. })) => {
                    let lost =
                        usize::try_from(offset + bytes - at).unwrap_or(usize::MAX).min(rest.len());
                    rest[..lost].fill(0);
                    Ok(lost)
                }
                // What is cut off is missing at the end, as in a segment that was cut.
                Err(archive::ReadError::Cut { .. }) => Ok(0),
                Err(archive::ReadError::Io(error)) => Err(error),
            }
        })
    }
}

/// An archive that nothing can be read of.
struct NothingLeft;

impl Bytes for NothingLeft {
    fn read_at(&mut self, _buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok(0)
    }
}

impl DiskFile for fs::File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_full(buffer, |rest, done| {
            std::os::unix::fs::FileExt::read_at(self, rest, offset + done)
        })
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }

    #[cfg(target_os = "linux")]
    fn reserve(&self, offset: u64, bytes: u64) -> io::Result<()> {
        Ok(rustix::fs::fallocate(self, rustix::fs::FallocateFlags::KEEP_SIZE, offset, bytes)?)
    }

    #[cfg(target_os = "linux")]
    fn give_back(&self) -> io::Result<()> {
        // Cut to the length that it has, a file lets go of the blocks behind it.
        self.set_len(DiskFile::len(self)?)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

/// Calls `read` with the part of the buffer that is left and the bytes already there, until it is full or nothing comes.
pub fn read_full(
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match read(&mut buffer[done..], done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
