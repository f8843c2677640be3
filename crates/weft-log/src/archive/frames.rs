//! Finding the frames of an archive, and decoding one.
//!
//! A table with a good checksum says where they are. Without one they are walked from the start, and the first that cannot be
//! decoded ends the walk: where the ones after it belong would be a guess.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use zstd::bulk::Decompressor;
use zstd::zstd_safe::{compress_bound, find_frame_compressed_size, get_frame_content_size};

use super::reader::State;
use super::table::{self, Entry};
use super::{FRAME_BYTES_MAX, FRAMES_MAX};

/// First bytes of a frame: 0xFD2FB528.
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// Longest header of a frame.
const HEADER_BYTES_MAX: usize = 18;

/// Where a frame stands in the archive, and what it holds of the segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) packed_at: u64,
    pub(super) packed_bytes: usize,
    pub(super) at: u64,
    pub(super) bytes: usize,
}

impl Frame {
    pub(super) fn end(self) -> u64 {
        self.at + self.bytes as u64
    }

    fn packed_end(self) -> u64 {
        self.packed_at + self.packed_bytes as u64
    }
}

/// An archive's file, with what decoding needs.
pub(super) struct Packed {
    file: File,
    file_bytes: u64,
    decompressor: Decompressor<'static>,
    /// The bytes last read.
    buffer: Vec<u8>,
}

impl Packed {
    pub(super) fn new(mut file: File) -> io::Result<Self> {
        let file_bytes = file.seek(SeekFrom::End(0))?;
        Ok(Self { file, file_bytes, decompressor: Decompressor::new()?, buffer: Vec::new() })
    }

    /// Returns the frames in order. Those that a sound table lists may still turn out to be damaged.
    pub(super) fn find_frames(&mut self) -> io::Result<(Vec<Frame>, State)> {
        match self.read_table()? {
            Some(entries) => Ok((frames_of(&entries), State::Whole)),
            None => self.walk(),
        }
    }

    /// Decodes a frame; `None` if its bytes do not give what they should.
    pub(super) fn decode(&mut self, frame: Frame) -> io::Result<Option<Vec<u8>>> {
        self.read(frame.packed_at, frame.packed_bytes)?;
        Ok(self.decode_buffer(self.buffer.len(), frame.bytes))
    }

    fn read_table(&mut self) -> io::Result<Option<Vec<Entry>>> {
        let footer_at = self.file_bytes.saturating_sub(table::FOOTER_BYTES as u64);
        self.read(footer_at, table::FOOTER_BYTES)?;
        let Some(table_bytes) = table::bytes_by_footer(&self.buffer) else { return Ok(None) };
        let Some(frames_bytes) = self.file_bytes.checked_sub(table_bytes as u64) else {
            return Ok(None);
        };
        self.read(frames_bytes, table_bytes)?;
        Ok(table::decode(&self.buffer, frames_bytes))
    }

    /// Finds the frames without the table, by decoding one after the other.
    fn walk(&mut self) -> io::Result<(Vec<Frame>, State)> {
        let mut frames: Vec<Frame> = Vec::new();
        while frames.len() < FRAMES_MAX {
            let (packed_at, at) =
                frames.last().map_or((0, 0), |last| (last.packed_end(), last.end()));
            let Some(bytes) = self.read_content_bytes(packed_at)? else { break };
            self.read(packed_at, compress_bound(bytes))?;
            let Ok(packed_bytes) = find_frame_compressed_size(&self.buffer) else { break };
            if self.decode_buffer(packed_bytes, bytes).is_none() {
                break;
            }
            frames.push(Frame { packed_at, packed_bytes, at, bytes });
        }
        let end = frames.last().map_or(0, |last| last.packed_end());
        self.read(end, table::START_BYTES)?;
        let is_all = table::is_start(&self.buffer);
        Ok((frames, if is_all { State::TableDamaged } else { State::Cut }))
    }

    /// Returns how much of the segment the frame at `packed_at` holds, by its own header; `None` if there is no such frame.
    fn read_content_bytes(&mut self, packed_at: u64) -> io::Result<Option<usize>> {
        self.read(packed_at, HEADER_BYTES_MAX)?;
        if !self.buffer.starts_with(&MAGIC) {
            return Ok(None);
        }
        let bytes = get_frame_content_size(&self.buffer).ok().flatten();
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        Ok(bytes.filter(|bytes| (1..=FRAME_BYTES_MAX).contains(bytes)))
    }

    fn decode_buffer(&mut self, packed_bytes: usize, bytes: usize) -> Option<Vec<u8>> {
        let mut plain = Vec::with_capacity(bytes);
        let packed = self.buffer.get(..packed_bytes)?;
        self.decompressor.decompress_to_buffer(packed, &mut plain).ok()?;
        (plain.len() == bytes).then_some(plain)
    }

    /// Fills the buffer with so many bytes, fewer where the file ends.
    fn read(&mut self, at: u64, bytes: usize) -> io::Result<()> {
        self.buffer.clear();
        self.file.seek(SeekFrom::Start(at))?;
        (&self.file).take(bytes as u64).read_to_end(&mut self.buffer)?;
        Ok(())
    }
}

/// Places the frames that a table lists one after the other.
fn frames_of(entries: &[Entry]) -> Vec<Frame> {
    let mut frames = Vec::with_capacity(entries.len());
    let (mut packed_at, mut at) = (0, 0);
    for entry in entries {
        let (packed_bytes, bytes) = (entry.packed_bytes as usize, entry.bytes as usize);
        let frame = Frame { packed_at, packed_bytes, at, bytes };
        (packed_at, at) = (frame.packed_end(), frame.end());
        frames.push(frame);
    }
    frames
}
