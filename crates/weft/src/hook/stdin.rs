//! Reading standard input whole, and waiting for it no longer than an agent would forgive.

use std::io;
use std::time::Duration;

use anyhow::Context as _;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use weft_event::json::LINE_BYTES_MAX;

/// How long nothing may come. An agent writes what it has to say at once, and closes the pipe.
const PATIENCE: Duration = Duration::from_secs(1);

/// Room for what comes at first; most payloads are smaller.
const ROOM_BYTES: usize = 16 << 10;

/// What came.
pub(super) enum Payload {
    /// All of it.
    Whole(Vec<u8>),
    /// The beginning of more than is ever taken.
    Cut(Vec<u8>),
    /// Nothing.
    None,
}

/// Reads standard input to its end.
pub(super) fn read() -> anyhow::Result<Payload> {
    let mut bytes = Vec::with_capacity(ROOM_BYTES);
    while bytes.len() <= LINE_BYTES_MAX {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(ROOM_BYTES);
        }
        if read_some(&mut bytes).context("cannot read standard input")? == 0 {
            return Ok(if bytes.is_empty() { Payload::None } else { Payload::Whole(bytes) });
        }
    }
    // An agent that is not listened to would fail to write the rest.
    let mut rest = Vec::with_capacity(ROOM_BYTES);
    while read_some(&mut rest).context("cannot read standard input")? > 0 {
        rest.clear();
    }
    bytes.truncate(LINE_BYTES_MAX);
    Ok(Payload::Cut(bytes))
}

/// Reads what is there into the room that is left; 0 at the end, or where nothing came for too long.
fn read_some(bytes: &mut Vec<u8>) -> io::Result<usize> {
    let stdin = io::stdin();
    let patience = Timespec::try_from(PATIENCE).map_err(io::Error::other)?;
    loop {
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&patience)) {
            Ok(0) => return Ok(0),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        match rustix::io::read(&stdin, spare_capacity(bytes)) {
            Ok(n) => return Ok(n),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
