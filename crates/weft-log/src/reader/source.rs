//! A segment's bytes by their offsets, whether it is archived or not.

use std::io;

use crate::disk::DiskFile;
use crate::scan::Bytes;

/// The bytes of a segment, in whichever form its file is.
pub(crate) enum Source<F> {
    Plain(F),
    Archive(Box<dyn Bytes + Send>),
}

impl<F> std::fmt::Debug for Source<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Source::Plain(_) => "Plain",
            Source::Archive(_) => "Archive",
        })
    }
}

impl<F: DiskFile> Bytes for Source<F> {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Source::Plain(file) => DiskFile::read_at(file, buffer, offset),
            Source::Archive(archive) => archive.read_at(buffer, offset),
        }
    }
}
