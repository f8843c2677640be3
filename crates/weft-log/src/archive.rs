//! Closed segments, compressed: `NAME.jsonl` becomes `NAME.jsonl.zst`, which any zstd reads back byte for byte.
//!
//! An archive is a row of independent zstd frames, each of whole groups, and a seek table at the end. [`write()`] makes one,
//! [`Reader`] reads it by offsets in the segment, [`verify_against`] proves it before the segment goes. Names, renames and syncs
//! are the caller's. The layout is described in `docs/archive-format.md`.

mod frames;
mod reader;
mod table;

use std::io::{self, Read, Write};

use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, compress_bound};

pub use reader::{Damaged, OpenError, ReadError, Reader, State, VerifyError, verify_against};

use table::Entry;

/// A frame ends at the first seal at or past so many bytes of the segment.
pub const FRAME_BYTES: usize = 1 << 20;

/// Most bytes of the segment in one frame. Where no seal ends within them, as after damage, the frame ends inside a group.
pub const FRAME_BYTES_MAX: usize = 16 << 20;

/// Most frames in one archive.
pub const FRAMES_MAX: usize = 1 << 16;

/// What [`write()`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Frames, without the seek table.
    pub n_frames: usize,
    /// Frames that end inside a group, because no seal ended within [`FRAME_BYTES_MAX`].
    pub n_cut: usize,
    /// Bytes of the segment.
    pub bytes: u64,
    /// Bytes of the archive, seek table included.
    pub archive_bytes: u64,
}

/// Why [`write()`] stopped; what it wrote until then is of no use.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The segment cannot be read.
    #[error("cannot read the segment")]
    Read(#[source] io::Error),
    /// The archive cannot be written.
    #[error("cannot write the archive")]
    Write(#[source] io::Error),
    /// zstd refused, for want of memory or because it knows no such level.
    #[error("cannot compress")]
    Compress(#[source] io::Error),
    /// The segment ends before a seal does; it shrank since its seals were read.
    #[error("the segment ends at byte {bytes}, before the seal that ends at {seal_end}")]
    Short {
        /// Bytes read.
        bytes: u64,
        /// Where the seal should have ended.
        seal_end: u64,
    },
    /// The segment needs more than [`FRAMES_MAX`] frames.
    #[error("the segment needs more than {FRAMES_MAX} frames")]
    TooManyFrames,
}

/// Compresses a segment. `seal_ends` are the offsets after each seal's newline, ascending; bytes after the last are kept too.
pub fn write(
    source: &mut impl Read,
    seal_ends: impl Iterator<Item = u64>,
    out: &mut impl Write,
    level: i32,
) -> Result<Summary, WriteError> {
    let cuts = Cuts::new(seal_ends, FRAME_BYTES as u64, FRAME_BYTES_MAX as u64);
    write_frames(source, cuts, out, level)
}

fn write_frames(
    source: &mut impl Read,
    mut cuts: Cuts<impl Iterator<Item = u64>>,
    out: &mut impl Write,
    level: i32,
) -> Result<Summary, WriteError> {
    let mut compressor = Compressor::new(level).map_err(WriteError::Compress)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true)).map_err(WriteError::Compress)?;
    let mut entries = Vec::new();
    let mut plain = Vec::new();
    let mut packed = Vec::new();
    let mut summary = Summary { n_frames: 0, n_cut: 0, bytes: 0, archive_bytes: 0 };
    loop {
        let cut = cuts.next_after(summary.bytes);
        plain.clear();
        let want = cut.at() - summary.bytes;
        source.by_ref().take(want).read_to_end(&mut plain).map_err(WriteError::Read)?;
        summary.bytes += plain.len() as u64;
        match cut {
            Cut::Seal(seal_end) if summary.bytes < seal_end => {
                return Err(WriteError::Short { bytes: summary.bytes, seal_end });
            }
            Cut::Limit(limit) if summary.bytes == limit => summary.n_cut += 1,
            Cut::Seal(_) | Cut::Limit(_) => {}
        }
        if plain.is_empty() {
            break;
        }
        if entries.len() == FRAMES_MAX {
            return Err(WriteError::TooManyFrames);
        }
        packed.clear();
        packed.reserve(compress_bound(plain.len()));
        compressor.compress_to_buffer(&plain, &mut packed).map_err(WriteError::Compress)?;
        out.write_all(&packed).map_err(WriteError::Write)?;
        summary.archive_bytes += packed.len() as u64;
        entries.push(Entry::of(packed.len(), plain.len()));
    }
    let table = table::encode(&entries);
    out.write_all(&table).map_err(WriteError::Write)?;
    summary.n_frames = entries.len();
    summary.archive_bytes += table.len() as u64;
    Ok(summary)
}

/// Where a frame ends, in bytes of the segment.
#[derive(Clone, Copy)]
enum Cut {
    /// At the end of a seal.
    Seal(u64),
    /// At the limit, or at the end of the segment if that comes first.
    Limit(u64),
}

impl Cut {
    fn at(self) -> u64 {
        match self {
            Cut::Seal(at) | Cut::Limit(at) => at,
        }
    }
}

/// The choice of the seals that frames end at.
struct Cuts<Ends: Iterator<Item = u64>> {
    ends: std::iter::Peekable<Ends>,
    frame_bytes: u64,
    frame_bytes_max: u64,
}

impl<Ends: Iterator<Item = u64>> Cuts<Ends> {
    fn new(ends: Ends, frame_bytes: u64, frame_bytes_max: u64) -> Self {
        Self { ends: ends.peekable(), frame_bytes, frame_bytes_max }
    }

    /// Returns the end of the frame that starts at `start`: the first seal far enough, else the last one before the limit.
    fn next_after(&mut self, start: u64) -> Cut {
        let limit = start + self.frame_bytes_max;
        let mut cut = Cut::Limit(limit);
        while let Some(end) = self.ends.next_if(|&end| end <= limit) {
            if end > start {
                cut = Cut::Seal(end);
            }
            if end >= start + self.frame_bytes {
                break;
            }
        }
        cut
    }
}

#[cfg(test)]
mod tests;
