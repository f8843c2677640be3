//! Single lines of the log by their places, for whoever looks up one record and not all of them.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use weft_event::json::Tape;

use crate::disk::{Disk as _, RealDisk};
use crate::index::{self, IndexError};
use crate::reader::{Place, Source};
use crate::scan::Bytes as _;
use crate::seal::{self, Seal};
use crate::segment::{Form, SegmentName};
use crate::{Mark, Position, Store};

/// Most segments that are open at once.
const OPEN_MAX: usize = 32;

/// Bytes read at a time on the way to a seal.
const SEAL_STEP_BYTES: usize = 64 << 10;

/// Why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// Its segment is not there.
    #[error("segment {number} of the log is not there")]
    Segment {
        /// The segment's number.
        number: u64,
    },
    /// The segment cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// The segment.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The line is not what was written.
    #[error("{path} is damaged at byte {offset}")]
    Damaged {
        /// The segment.
        path: PathBuf,
        /// Where the line begins.
        offset: u64,
    },
}

/// The segments of a store, opened as they are needed.
pub struct Lines {
    store: Store,
    names: HashMap<u64, SegmentName>,
    open: HashMap<u64, (PathBuf, Source<File>)>,
}

impl Lines {
    /// Returns the lines of a store whose segments an index knows; of none yet without one.
    pub fn new(store: Store, index: Option<&index::Reader>) -> Result<Self, IndexError> {
        let segments = index.map(index::Reader::segments).transpose()?.unwrap_or_default();
        let name =
            |segment: &index::Segment| Some((segment.number, SegmentName::parse(&segment.name)?.0));
        let names = segments.iter().filter_map(name).collect();
        Ok(Self { store, names, open: HashMap::new() })
    }

    /// Notes the name of a segment.
    pub fn note(&mut self, number: u64, name: SegmentName) {
        self.names.insert(number, name);
    }

    /// Reads the line at a place. With its checksum it is proven to be the one that was written.
    pub fn read(&mut self, place: Place, crc: Option<u32>) -> Result<Vec<u8>, LineError> {
        let (path, source) = self.source(place.segment)?;
        let mut line = vec![0; place.bytes as usize];
        let n = source
            .read_at(&mut line, place.offset)
            .map_err(|source| LineError::Io { path: path.clone(), source })?;
        if n < line.len() || crc.is_some_and(|crc| crc32c::crc32c(&line) != crc) {
            return Err(LineError::Damaged { path: path.clone(), offset: place.offset });
        }
        Ok(line)
    }

    /// Reads what its seal says of the record at a place, and when its group was received; `None` if the seal is damaged.
    pub fn read_mark(
        &mut self,
        place: Place,
        position: Position,
    ) -> Result<Option<(Mark, i64)>, LineError> {
        let (path, source) = self.source(place.segment)?;
        let io = |source| LineError::Io { path: path.clone(), source };
        let mut bytes = Vec::new();
        let start = place.offset + u64::from(place.bytes) + 1;
        let mut line_start = 0;
        loop {
            while let Some(newline) = memchr::memchr(b'\n', &bytes[line_start..]) {
                let line = &bytes[line_start..line_start + newline];
                line_start += newline + 1;
                if line.starts_with(seal::PREFIX) {
                    let Ok((seal, _)) = Seal::decode(line, &mut Tape::new()) else {
                        return Ok(None);
                    };
                    let idx = position.get().checked_sub(seal.first.get());
                    let mark = idx.and_then(|idx| seal.marks.get(usize::try_from(idx).ok()?));
                    return Ok(mark.map(|mark| (mark.clone(), seal.at_us)));
                }
            }
            let len = bytes.len();
            bytes.resize(len + SEAL_STEP_BYTES, 0);
            let n = source.read_at(&mut bytes[len..], start + len as u64).map_err(io)?;
            bytes.truncate(len + n);
            if n == 0 {
                return Ok(None);
            }
        }
    }

    fn source(&mut self, number: u64) -> Result<(&PathBuf, &mut Source<File>), LineError> {
        if !self.open.contains_key(&number) {
            let name = *self.names.get(&number).ok_or(LineError::Segment { number })?;
            if self.open.len() >= OPEN_MAX {
                self.open.clear();
            }
            let opened = self.open_segment(number, name)?;
            self.open.insert(number, opened);
        }
        let (path, source) = self.open.get_mut(&number).expect("it was just opened");
        Ok((path, source))
    }

    fn open_segment(
        &self,
        number: u64,
        name: SegmentName,
    ) -> Result<(PathBuf, Source<File>), LineError> {
        let path = self.store.log().join(name.file(Form::Plain));
        match File::open(&path) {
            Ok(file) => Ok((path, Source::Plain(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let path = self.store.log().join(name.file(Form::Archive));
                match RealDisk.open_archive(&path) {
                    Ok(archive) => Ok((path, Source::Archive(archive))),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        Err(LineError::Segment { number })
                    }
                    Err(source) => Err(LineError::Io { path, source }),
                }
            }
            Err(source) => Err(LineError::Io { path, source }),
        }
    }
}
