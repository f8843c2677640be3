//! The one writer of a store: groups of records, each written with one call and closed by its seal, then synced.
//!
//! At most one group is written and not synced. A write or sync that fails is never tried again on the same file: the group is
//! written once more at the same positions into a new segment, and of two such groups the later counts.

use std::io;
use std::path::PathBuf;

use bytes::Bytes;

use crate::disk::{Disk, DiskFile};
use crate::recover::{self, Finding, Recovered};
use crate::seal::{self, Says};
use crate::segment::{DAY_US, Form};
use crate::{Hash, Head, Mark, Position};

/// Bytes of a segment from which on the next group begins a new one.
pub const SEGMENT_BYTES: u64 = 64 << 20;

/// Most bytes of the lines and names of one group.
pub const GROUP_BYTES_MAX: usize = 4 << 20;

/// Most records of one group.
pub const GROUP_RECORDS_MAX: usize = 4096;

/// More bytes than any seal of a group has.
pub const SEAL_BYTES_MAX: usize = GROUP_BYTES_MAX;

/// Bytes that space is set aside for at a time. A file that grows without makes each sync wait for the search: a twelfth of it.
const RESERVE_BYTES: u64 = 16 << 20;

/// Bytes that a writer has written before space is set aside: who writes a few events has no use for it.
const RESERVE_FROM_BYTES: u64 = 64 << 10;

/// An event on its way into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event, on one line, without the line's end.
    pub line: Bytes,
    /// What Weft adds; its checksum is that of the line.
    pub mark: Mark,
}

impl AsRef<Mark> for Entry {
    fn as_ref(&self) -> &Mark {
        &self.mark
    }
}

impl Entry {
    /// Returns the bytes that count towards [`GROUP_BYTES_MAX`]: at least as many as the entry takes in the group and its seal.
    pub fn group_bytes(&self) -> usize {
        let Mark { via, delivery, topic, .. } = &self.mark;
        let names = topic
            .as_ref()
            .map_or(0, |topic| topic.topic.len() + topic.key.as_ref().map_or(0, String::len));
        // A character of a name takes six bytes at most where it is escaped; the rest is a checksum and numbers.
        let marked = 6 * (via.len() + delivery.as_ref().map_or(0, String::len) + names) + 128;
        self.line.len() + 1 + marked
    }
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No segment could be begun. Nothing of the group can ever appear in the log.
    #[error("cannot begin a new segment")]
    NoSegment(#[source] recover::Error),
    /// The group was written, and whether it is durable is not known. Asking again is safe: a repeat is recognised.
    #[error("cannot sync {path}: whether its last group is durable is not known")]
    Indeterminate {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The log could not be opened again after an earlier failure.
    #[error("cannot open the log again after a failed write")]
    Reopen(#[source] recover::Error),
}

/// The writer. Whoever has it has the store's lock.
#[derive(Debug)]
pub struct Writer<D: Disk> {
    disk: D,
    root: PathBuf,
    head_file: D::File,
    file: D::File,
    /// What is durable.
    head: Head,
    unsynced: Option<Unsynced>,
    group: WrittenGroup,
    state: State,
    buffer: Vec<u8>,
    segment_bytes: u64,
    /// A day since 1970 that the segment may still take groups of; days are compared as text only when one begins.
    day: Option<i64>,
    reserve: Reserve,
}

/// The space that is set aside in the segment.
#[derive(Clone, Copy, Debug, Default)]
struct Reserve {
    /// Bytes that were written since the log was opened.
    n_written: u64,
    /// Up to which offset there is space; beyond all where none can be had.
    upto: u64,
}

/// Where the group written last stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenGroup {
    /// Position of its first record.
    pub first: Position,
    /// Number of its segment.
    pub segment: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// When it was written, in microseconds since 1970.
    pub at_us: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Sound,
    /// A write or sync failed and could not be made good: the log is opened anew before anything else.
    Failed,
}

/// A group that is written and not synced.
#[derive(Debug)]
struct Unsynced {
    first: Position,
    /// Its lines and their seal, as they were written.
    bytes: Vec<u8>,
    /// Bytes of the lines.
    n_lines: usize,
    /// Bytes up to where the seal names the one before it.
    n_same: usize,
    /// What is durable once it is synced.
    head: Head,
}

impl<D: Disk> Writer<D> {
    /// Opens the log of a store for writing; makes it if there is none. Returns what was found wrong and what was done about it.
    pub fn open(
        disk: D,
        root: PathBuf,
        now_us: i64,
    ) -> Result<(Self, Vec<Finding>), recover::Error> {
        let Recovered { head, head_file, file, findings } = recover::recover(&disk, &root, now_us)?;
        let (unsynced, state, buffer) = (None, State::Sound, Vec::new());
        let (segment, offset, at_us) = (head.number, head.end, head.at_us);
        let group = WrittenGroup { first: head.next, segment, offset, at_us };
        let segment_bytes = SEGMENT_BYTES;
        let writer = Self {
            disk,
            root,
            head_file,
            file,
            head,
            unsynced,
            group,
            state,
            buffer,
            segment_bytes,
            day: None,
            reserve: Reserve::default(),
        };
        Ok((writer, findings))
    }

    /// Sets the bytes of a segment from which on the next group begins a new one, in place of [`SEGMENT_BYTES`].
    #[must_use]
    pub fn with_segment_bytes(mut self, segment_bytes: u64) -> Self {
        self.segment_bytes = segment_bytes;
        self
    }

    /// Returns what is durable.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the position that the next record will have.
    pub fn next(&self) -> Position {
        self.unsynced.as_ref().map_or(self.head.next, |unsynced| unsynced.head.next)
    }

    /// Returns where the group written last stands; the end of the log if none was.
    pub fn group(&self) -> WrittenGroup {
        self.group
    }

    /// Writes a group and makes it durable. Returns the position of its first record.
    pub fn append(&mut self, entries: &[Entry], now_us: i64) -> Result<Position, WriteError> {
        let first = self.write(entries, now_us)?;
        self.sync()?;
        Ok(first)
    }

    /// Writes a group. Once this returns it survives the end of the process; [`Writer::sync`] makes it durable.
    pub fn write(&mut self, entries: &[Entry], now_us: i64) -> Result<Position, WriteError> {
        assert!(!entries.is_empty() && entries.len() <= GROUP_RECORDS_MAX, "a group has records");
        self.reopen_if_failed(now_us)?;
        self.sync()?;
        let at_us = now_us.max(self.head.at_us);
        if self.head.end >= self.segment_bytes || self.is_past_day(at_us) {
            self.end_segment();
            self.begin_segment(at_us)?;
        }
        let mut lines = std::mem::take(&mut self.buffer);
        lines.clear();
        for entry in entries {
            debug_assert_eq!(
                entry.mark.crc,
                crc32c::crc32c(&entry.line),
                "the mark is of this line"
            );
            lines.extend_from_slice(&entry.line);
            lines.push(b'\n');
        }
        let n_lines = lines.len();
        let (first, body) = (self.head.next, Hash::of(&lines));
        let (bytes, marks, opening) = (n_lines as u64, entries, None);
        Says { first, bytes, at_us, marks, opening, body }.begin(&mut lines);
        self.put(lines, n_lines, first.plus(entries.len() as u64), at_us)?;
        Ok(first)
    }

    /// Returns whether a time is on a later day than the segment.
    fn is_past_day(&mut self, at_us: i64) -> bool {
        let day = at_us.div_euclid(DAY_US);
        if self.day == Some(day) {
            return false;
        }
        let is_past = self.head.segment.is_before_day_of(at_us);
        if !is_past {
            self.day = Some(day);
        }
        is_past
    }

    /// Makes durable what is written. After a failure it fails until the log is opened again, by the next write or by the caller: what
    /// was written before is not known durable, and a repeat of it must not be answered.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        let Some(unsynced) = self.unsynced.take() else {
            return match self.state {
                State::Sound => Ok(()),
                State::Failed => {
                    let source = io::Error::other("an earlier write or sync failed");
                    Err(WriteError::Indeterminate { path: self.segment_path(), source })
                }
            };
        };
        if let Err(source) = self.file.sync() {
            return self.repeat(unsynced, source);
        }
        self.set_head(unsynced.head)?;
        self.buffer = unsynced.bytes;
        Ok(())
    }

    /// Begins a new segment, so that what stands in the last one changes no more.
    pub(crate) fn roll(&mut self, now_us: i64) -> Result<(), WriteError> {
        self.sync()?;
        self.end_segment();
        self.begin_segment(now_us.max(self.head.at_us))
    }

    /// Gives back what the segment does not need, which may be what a process that was killed had set aside.
    fn end_segment(&self) {
        // It is space alone, and goes when the segment is archived or deleted.
        drop(self.file.give_back());
    }

    /// Has space set aside for a group and what comes after it, once it shows that more does.
    fn reserve(&mut self, bytes: u64) {
        let (begin, end) = (self.head.end, self.head.end + bytes);
        self.reserve.n_written += bytes;
        if end <= self.reserve.upto || self.reserve.n_written < RESERVE_FROM_BYTES {
            return;
        }
        let upto = end.max(self.segment_bytes).min(end + RESERVE_BYTES);
        // Where there is too little, the write decides what becomes of it.
        let is_done = self.file.reserve(begin, upto - begin).is_ok();
        self.reserve.upto = if is_done { upto } else { u64::MAX };
    }

    fn reopen_if_failed(&mut self, now_us: i64) -> Result<(), WriteError> {
        match self.state {
            State::Sound => Ok(()),
            State::Failed => {
                let (writer, _) = Self::open(self.disk.clone(), self.root.clone(), now_us)
                    .map_err(WriteError::Reopen)?;
                *self = writer.with_segment_bytes(self.segment_bytes);
                Ok(())
            }
        }
    }

    /// Ends a group with its seal and writes it with one call; what cannot be written goes into a new segment.
    fn put(
        &mut self,
        mut bytes: Vec<u8>,
        n_lines: usize,
        next: Position,
        at_us: i64,
    ) -> Result<(), WriteError> {
        let n_same = bytes.len();
        let hash = seal::close(&mut bytes, n_lines, &self.head.hash);
        let (first, segment, offset) = (self.head.next, self.head.number, self.head.end);
        let head = Head {
            seal: offset + n_lines as u64,
            end: offset + bytes.len() as u64,
            next,
            at_us,
            hash,
            ..self.head.clone()
        };
        self.group = WrittenGroup { first, segment, offset, at_us };
        self.reserve(bytes.len() as u64);
        let written = self.file.write_at(&bytes, offset);
        let unsynced = Unsynced { first, bytes, n_lines, n_same, head };
        match written {
            Ok(()) => {
                self.unsynced = Some(unsynced);
                Ok(())
            }
            Err(source) => self.repeat(unsynced, source),
        }
    }

    /// Writes a group whose write or sync failed into a new segment, at the same positions, and syncs it there.
    fn repeat(&mut self, unsynced: Unsynced, cause: io::Error) -> Result<(), WriteError> {
        let Unsynced { first, mut bytes, n_lines, n_same, head: Head { next, at_us, .. } } =
            unsynced;
        let path = self.segment_path();
        if self.begin_segment(at_us).is_err() {
            return Err(WriteError::Indeterminate { path, source: cause });
        }
        bytes.truncate(n_same);
        let hash = seal::close(&mut bytes, n_lines, &self.head.hash);
        let (segment, offset) = (self.head.number, self.head.end);
        self.group = WrittenGroup { first, segment, offset, at_us };
        let end = offset + bytes.len() as u64;
        let written = self.file.write_at(&bytes, offset).and_then(|()| self.file.sync());
        if written.is_err() {
            self.state = State::Failed;
            return Err(WriteError::Indeterminate { path, source: cause });
        }
        let seal = offset + n_lines as u64;
        self.set_head(Head { seal, end, next, at_us, hash, ..self.head.clone() })
    }

    /// Begins a new segment after what is durable.
    fn begin_segment(&mut self, at_us: i64) -> Result<(), WriteError> {
        self.state = State::Failed;
        let folder = self.root.join(recover::LOG_FOLDER);
        let (file, head) = recover::begin_segment(&self.disk, &folder, &self.head, at_us)
            .map_err(WriteError::NoSegment)?;
        self.file = file;
        self.state = State::Sound;
        self.reserve.upto = 0;
        self.set_head(head)
    }

    fn set_head(&mut self, head: Head) -> Result<(), WriteError> {
        self.head = head;
        self.head_file.write_at(&self.head.encode(), 0).map_err(|source| {
            self.state = State::Failed;
            WriteError::Indeterminate { path: self.root.join(recover::HEAD_FILE), source }
        })
    }

    fn segment_path(&self) -> PathBuf {
        self.root.join(recover::LOG_FOLDER).join(self.head.segment.file(Form::Plain))
    }
}

impl<D: Disk> Drop for Writer<D> {
    fn drop(&mut self) {
        // Cutting a file to its length is safe as long as nobody else writes: whoever has written lets the lock go after this.
        if self.state == State::Sound && self.reserve.upto > 0 {
            self.end_segment();
        }
    }
}

#[cfg(test)]
mod tests;
