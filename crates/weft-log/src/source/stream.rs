//! Reading standard input or a pipe: what is there comes at once, and waiting begins only when nothing is left to hand over.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use weft_event::input::Lines;

use super::batch::{Batch, Origin};

/// A stream that is being read.
pub(super) struct Stream {
    name: Arc<str>,
    lines: Lines<Bytes>,
    may_pause: Arc<AtomicBool>,
}

/// What a stream has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Streamed {
    /// There may be more.
    More,
    /// It has ended.
    End,
}

impl Stream {
    pub(super) fn new(name: String, source: Box<dyn Read + Send>, stop: Arc<AtomicBool>) -> Self {
        let may_pause = Arc::new(AtomicBool::new(false));
        let bytes = Bytes { source, may_pause: Arc::clone(&may_pause), ends_in_nul: false, stop };
        Self { name: name.into(), lines: Lines::new(bytes), may_pause }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Reads into a batch until it is full, or until reading on would mean to wait while the batch has something to hand over.
    pub(super) fn read(&mut self, batch: &mut Batch) -> io::Result<Streamed> {
        batch.begin(Origin::Stream { name: Arc::clone(&self.name) });
        while !batch.is_full() {
            self.may_pause.store(!batch.is_empty(), Ordering::Relaxed);
            match self.lines.read() {
                Ok(Some(item)) => batch.push(item),
                Ok(None) => return Ok(Streamed::End),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Streamed::More)
    }
}

/// The bytes of a stream, which can decline to wait.
struct Bytes {
    source: Box<dyn Read + Send>,
    /// Whether the next read is to be put off. Only the first one of a line is: the reader of lines has taken nothing by then
    /// but blanks and seals, so it can be asked again.
    may_pause: Arc<AtomicBool>,
    /// Whether NUL bytes came last, which the reader has counted but not told yet: it cannot be put off then.
    ends_in_nul: bool,
    stop: Arc<AtomicBool>,
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.may_pause.swap(false, Ordering::Relaxed) && !self.ends_in_nul {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        loop {
            match self.source.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    if self.stop.load(Ordering::Relaxed) {
                        return Ok(0);
                    }
                }
                Ok(n) => {
                    self.ends_in_nul = n > 0 && buffer[n - 1] == 0;
                    return Ok(n);
                }
                Err(error) => return Err(error),
            }
        }
    }
}
