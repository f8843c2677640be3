//! Reading an archive by offsets in the segment that it was made of.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};

use super::frames::{Frame, Packed};

/// How many decoded frames a reader keeps, each at most [`super::FRAME_BYTES_MAX`].
const CACHED_FRAMES_MAX: usize = 2;

/// What is known of an archive as a whole. A frame can be damaged in any state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The seek table is sound.
    Whole,
    /// The seek table is damaged, but every frame was found without it.
    TableDamaged,
    /// The seek table is damaged or missing, and frames may be missing after the last that was found.
    Cut,
}

/// Why an archive cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot read the archive")]
    Io(#[from] io::Error),
    /// The file has no seek table, and does not start with a frame that can be decoded.
    #[error("not an archive, or nothing of one is left: no seek table, and no frame at the start")]
    NotAnArchive,
}

/// A frame that cannot be decoded, and the bytes of the segment that are lost with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "frame {frame} of the archive is damaged: {bytes} bytes of the segment from byte {offset} are lost"
)]
pub struct Damaged {
    /// Its number, from 0.
    pub frame: usize,
    /// Offset in the segment of the first byte lost.
    pub offset: u64,
    /// How many are lost.
    pub bytes: u64,
}

/// Why bytes of an archive cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read the archive")]
    Io(#[from] io::Error),
    /// The frame that holds them is damaged.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// What follows this offset may be lost: the archive ends there, without its seek table.
    #[error("the archive is cut off: what followed byte {offset} of the segment is lost")]
    Cut {
        /// Offset in the segment.
        offset: u64,
    },
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            damage @ (ReadError::Damaged(_) | ReadError::Cut { .. }) => {
                io::Error::new(io::ErrorKind::InvalidData, damage)
            }
        }
    }
}

/// An open archive.
pub struct Reader {
    packed: Packed,
    pub(super) frames: Vec<Frame>,
    state: State,
    /// The frames decoded last, by number, newest first.
    cache: VecDeque<(usize, Vec<u8>)>,
}

impl Reader {
    /// Opens an archive. Reads its seek table, or all of it if that is damaged.
    pub fn open(file: File) -> Result<Self, OpenError> {
        let mut packed = Packed::new(file)?;
        let (frames, state) = packed.find_frames()?;
        if state == State::Cut && frames.is_empty() {
            return Err(OpenError::NotAnArchive);
        }
        Ok(Self { packed, frames, state, cache: VecDeque::with_capacity(CACHED_FRAMES_MAX) })
    }

    /// Returns what is known of the archive as a whole.
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns the length of the segment, as far as its frames are known; see [`Reader::state`].
    #[expect(
        clippy::len_without_is_empty,
        reason = "a length in bytes of a file, as in its metadata"
    )]
    pub fn len(&self) -> u64 {
        self.frames.last().map_or(0, |last| last.end())
    }

    /// Reads bytes of the segment from `offset`, at most to the end of the frame that holds it; 0 at the end of the segment.
    pub fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
        let frame_idx = self.frames.partition_point(|frame| frame.end() <= offset);
        let Some(frame) = self.frames.get(frame_idx).copied() else {
            return match self.state {
                State::Whole | State::TableDamaged => Ok(0),
                State::Cut => Err(ReadError::Cut { offset: self.len() }),
            };
        };
        let plain = self.decoded(frame_idx, frame)?;
        let rest = &plain[(offset - frame.at) as usize..];
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    /// Decodes every frame and returns those that are damaged.
    pub fn find_damage(&mut self) -> io::Result<Vec<Damaged>> {
        let mut damage = Vec::new();
        for (frame_idx, frame) in self.frames.clone().into_iter().enumerate() {
            match self.decoded(frame_idx, frame) {
                Ok(_) => {}
                Err(ReadError::Damaged(damaged)) => damage.push(damaged),
                Err(error @ (ReadError::Io(_) | ReadError::Cut { .. })) => return Err(error.into()),
            }
        }
        Ok(damage)
    }

    fn decoded(&mut self, frame_idx: usize, frame: Frame) -> Result<&[u8], ReadError> {
        match self.cache.iter().position(|(idx, _)| *idx == frame_idx) {
            Some(place) => self.cache.swap(0, place),
            None => {
                let lost =
                    Damaged { frame: frame_idx, offset: frame.at, bytes: frame.bytes as u64 };
                let plain = self.packed.decode(frame)?.ok_or(lost)?;
                self.cache.truncate(CACHED_FRAMES_MAX - 1);
                self.cache.push_front((frame_idx, plain));
            }
        }
        Ok(&self.cache[0].1)
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (state, n_frames, bytes) = (self.state, self.frames.len(), self.len());
        write!(f, "Reader({state:?}, {n_frames} frames, {bytes} bytes)")
    }
}

/// Why an archive must not replace its original.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The archive cannot be read, or is damaged.
    #[error("cannot read back the archive")]
    Archive(#[from] ReadError),
    /// The original cannot be read.
    #[error("cannot read the original")]
    Original(#[source] io::Error),
    /// The archive's seek table is damaged or missing.
    #[error("the archive's seek table is damaged")]
    Table,
    /// The archive does not hold what the original does.
    #[error("the archive differs from the original at byte {offset}")]
    Differs {
        /// Where they first differ; the end of the shorter if one goes on.
        offset: u64,
    },
}

/// Reads an archive back whole and compares it with its original, byte for byte.
pub fn verify_against(reader: &mut Reader, original: &mut impl Read) -> Result<(), VerifyError> {
    if reader.state != State::Whole {
        return Err(VerifyError::Table);
    }
    let mut expected = Vec::new();
    for (frame_idx, frame) in reader.frames.clone().into_iter().enumerate() {
        expected.clear();
        let part = original.by_ref().take(frame.bytes as u64).read_to_end(&mut expected);
        part.map_err(VerifyError::Original)?;
        let plain = reader.decoded(frame_idx, frame)?;
        if plain != expected {
            let n_equal = plain.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            return Err(VerifyError::Differs { offset: frame.at + n_equal as u64 });
        }
    }
    expected.clear();
    original.take(1).read_to_end(&mut expected).map_err(VerifyError::Original)?;
    if expected.is_empty() { Ok(()) } else { Err(VerifyError::Differs { offset: reader.len() }) }
}
