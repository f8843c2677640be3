//! A reader of the stream that resumes where it was whenever the stream breaks off, and counts what it was given.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::super::ingest::stream::Stream;
use super::super::server::{PATIENCE, Reach};
use super::producers::digest;

/// How long the reader waits before it tries a server again that is not there.
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// What the reader was given.
#[derive(Default)]
pub(super) struct Seen {
    /// Digests by position; `None` where nothing came.
    pub(super) events: Vec<Option<u64>>,
    pub(super) n_received: u64,
    /// Events that came again.
    pub(super) n_repeats: u64,
    /// Events that came after one with a later position.
    pub(super) n_out_of_order: u64,
    /// How often the stream broke off.
    pub(super) n_resumed: u64,
    /// Events that could not be understood.
    pub(super) n_broken: u64,
}

/// Reads until the event at `last` has come; that is 0 until it is known.
pub(super) fn follow(reach: &Reach, after: &str, last: &AtomicU64) -> anyhow::Result<Seen> {
    let mut seen = Seen::default();
    let mut cursor = after.to_owned();
    let mut came_at = Instant::now();
    loop {
        match Stream::open(reach, Some(&cursor)) {
            Ok(mut stream) => {
                // What breaks off here is taken up again below.
                while let Ok(true) = stream.read(|id, data| {
                    came_at = Instant::now();
                    id.clone_into(&mut cursor);
                    seen.n_broken += u64::from(seen.take(id, data).is_err());
                    Ok(())
                }) {
                    let last = last.load(Ordering::Acquire);
                    let is_there = seen.events.len() as u64 > last;
                    if last > 0 && (is_there || came_at.elapsed() > PATIENCE) {
                        return Ok(seen);
                    }
                }
                seen.n_resumed += 1;
            }
            Err(error) if came_at.elapsed() > PATIENCE => return Err(error),
            Err(_) => {}
        }
        std::thread::park_timeout(TRY_AGAIN);
    }
}

impl Seen {
    fn take(&mut self, id: &str, data: &str) -> anyhow::Result<()> {
        let position = id.rsplit(':').next().and_then(|position| position.parse().ok());
        let idx: usize = position.context("an id has no position")?;
        let digest = digest(event_of(data)?.as_bytes());
        self.n_received += 1;
        if idx < self.events.len() {
            if self.events[idx].replace(digest).is_some() {
                self.n_repeats += 1;
            } else {
                self.n_out_of_order += 1;
            }
            return Ok(());
        }
        self.events.resize(idx, None);
        self.events.push(Some(digest));
        Ok(())
    }
}

/// Returns the event in a record, byte for byte. It is the last member, and a text before it cannot hold its name unescaped.
pub(super) fn event_of(record: &str) -> anyhow::Result<&str> {
    match record.split_once(",\"event\":") {
        Some((_, rest)) => rest.strip_suffix('}').context("a record does not end"),
        None => bail!("a record has no event: {record}"),
    }
}
