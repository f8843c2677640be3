//! The part of a segment that is looked at: it grows at its end, and what is done with goes at its start. Nothing is moved for that
//! until more is read, because a group can be much smaller than what is read at a time.

use std::io;
use std::ops::Deref;

/// Bytes that follow each other in a segment.
#[derive(Debug, Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    /// Bytes at the start that are done with.
    n_done: usize,
}

impl Window {
    /// Gives up bytes at the start.
    pub(super) fn drop_first(&mut self, n: usize) {
        assert!(n <= self.len(), "what is given up is there");
        self.n_done += n;
    }

    /// Adds up to so many bytes at the end, as `read` fills them; returns how many it says it has.
    pub(super) fn read(
        &mut self,
        n_max: usize,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.bytes.drain(..std::mem::take(&mut self.n_done));
        let len = self.bytes.len();
        self.bytes.resize(len + n_max, 0);
        let n_read = read(&mut self.bytes[len..]);
        self.bytes.truncate(len + n_read.as_ref().map_or(0, |n_read| *n_read));
        n_read
    }
}

impl Deref for Window {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.n_done..]
    }
}
