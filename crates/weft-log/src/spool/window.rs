//! Finding whole entries in a file that may be damaged anywhere, in memory for one entry.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;

use memchr::{memchr, memmem};

use super::entry::{Entry, HEADER_BYTES_MAX, Header, MARKER};

/// How much is read at once.
pub(super) const READ_BYTES: usize = 64 << 10;

/// A stretch of a file in memory.
#[derive(Debug)]
pub(super) struct Window {
    file: File,
    buffer: Vec<u8>,
    /// Where the next entry begins in the buffer.
    start: usize,
    /// Where `start` stands in the file.
    offset: u64,
}

/// An entry that was found whole at the window's start.
#[derive(Debug)]
pub(super) struct Whole {
    header: Header,
    /// Where its line stands, from the entry's first byte.
    line: Range<usize>,
    len: usize,
}

impl Window {
    /// Returns a window at the start of a file.
    pub(super) fn new(file: File) -> Self {
        Self { file, buffer: Vec::new(), start: 0, offset: 0 }
    }

    /// Returns how far the file was read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes to the next whole entry, and notes what was skipped on the way; `None` at the end of the file.
    pub(super) fn find(&mut self, damage: &mut Vec<Range<u64>>) -> io::Result<Option<Whole>> {
        while self.has(1)? {
            if let Some(whole) = self.look()? {
                return Ok(Some(whole));
            }
            let from = self.offset;
            self.skip_to_marker()?;
            match damage.last_mut() {
                Some(last) if last.end == from => last.end = self.offset,
                Some(_) | None => damage.push(from..self.offset),
            }
        }
        Ok(None)
    }

    /// Hands out what [`Window::find`] found, and goes on behind it.
    pub(super) fn give(&mut self, whole: Whole) -> Entry<'_> {
        let line = self.start + whole.line.start..self.start + whole.line.end;
        self.skip(whole.len);
        whole.header.with_line(&self.buffer[line])
    }

    /// Looks whether a whole entry stands at the start.
    fn look(&mut self) -> io::Result<Option<Whole>> {
        self.has(HEADER_BYTES_MAX + 1)?;
        let rest = self.rest();
        let head = &rest[..rest.len().min(HEADER_BYTES_MAX + 1)];
        let Some(header_len) = memchr(b'\n', head).filter(|_| head.starts_with(MARKER)) else {
            return Ok(None);
        };
        let Some(header) = Header::read(&head[..header_len]) else { return Ok(None) };
        let line = header_len + 1..header_len + 1 + header.bytes;
        let has_break = self.has(line.end + 1)? && self.rest()[line.end] == b'\n';
        let is_whole = self.rest().get(line.clone()).is_some_and(|line| header.proves(line));
        let len = line.end + usize::from(has_break);
        Ok(is_whole.then_some(Whole { header, line, len }))
    }

    /// Goes to the next place after this one where a header may begin, or to the end of the file.
    ///
    /// An entry that was cut off has no line break, so the next header may stand in the middle of a line.
    fn skip_to_marker(&mut self) -> io::Result<()> {
        self.skip(1);
        while self.has(MARKER.len())? {
            match memmem::find(self.rest(), MARKER) {
                Some(at) => {
                    self.skip(at);
                    return Ok(());
                }
                None => self.skip(self.rest().len() + 1 - MARKER.len()),
            }
        }
        self.skip(self.rest().len());
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn skip(&mut self, n: usize) {
        self.start += n;
        self.offset += n as u64;
    }

    /// Reads until so many bytes are there from the start on; returns whether the file has as many.
    fn has(&mut self, n: usize) -> io::Result<bool> {
        if self.rest().len() >= n {
            return Ok(true);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let missing = (n - self.buffer.len()).max(READ_BYTES);
        // With room for it, it is read at once, and not in small steps that grow.
        self.buffer.reserve(missing);
        (&self.file).take(missing as u64).read_to_end(&mut self.buffer)?;
        Ok(self.buffer.len() >= n)
    }
}
