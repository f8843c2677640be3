//! What the disk can do: lines appended to a growing file and synced, with nothing else done to them.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use weft_log::writer::SEGMENT_BYTES;

/// A file that grows as the log does: for as long as it is measured, and another one where the log would begin a segment. A file that
/// has just begun is synced faster, because the system finds all that it has to write down about it in one place.
pub(in crate::bench) struct GrowingFile {
    folder: PathBuf,
    file: File,
}

impl GrowingFile {
    pub(in crate::bench) fn begin(folder: &Path) -> anyhow::Result<Self> {
        Ok(Self { folder: folder.to_owned(), file: tempfile::tempfile_in(folder)? })
    }

    /// Appends events, so many with one write and one sync.
    pub(in crate::bench) fn append(
        &mut self,
        events: &[String],
        together: usize,
    ) -> anyhow::Result<()> {
        self.begin_another_if_large()?;
        let mut buffer = Vec::new();
        for some in events.chunks(together) {
            buffer.clear();
            for event in some {
                buffer.extend_from_slice(event.as_bytes());
                buffer.push(b'\n');
            }
            self.file.write_all(&buffer)?;
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// Appends events from several threads, each of which waits for its own to be synced; those that wait are written together.
    pub(super) fn group_commit(
        &mut self,
        events: &[String],
        n_threads: usize,
    ) -> anyhow::Result<()> {
        self.begin_another_if_large()?;
        let commit = Commit { state: Mutex::default(), file: &self.file };
        thread::scope(|scope| {
            let each = events.len().div_ceil(n_threads);
            let threads: Vec<_> = events
                .chunks(each)
                .map(|own| {
                    let commit = &commit;
                    scope.spawn(move || own.iter().try_for_each(|event| commit.append(event)))
                })
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
        })?;
        Ok(())
    }

    fn begin_another_if_large(&mut self) -> anyhow::Result<()> {
        if self.file.metadata()?.len() >= SEGMENT_BYTES {
            *self = Self::begin(&self.folder)?;
        }
        Ok(())
    }
}

/// A bare group commit: the first who comes writes for all who wait, hands on the lead, and tells them.
struct Commit<'f> {
    state: Mutex<State>,
    /// Written by whoever leads.
    file: &'f File,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    producers: Vec<Arc<Producer>>,
    is_led: bool,
}

struct Producer {
    turn: AtomicU8,
    thread: Thread,
}

const WAITS: u8 = 0;
const LEADS: u8 = 1;
const IS_DONE: u8 = 2;

impl Commit<'_> {
    fn append(&self, event: &str) -> std::io::Result<()> {
        let own = Arc::new(Producer { turn: AtomicU8::new(WAITS), thread: thread::current() });
        let mut state = lock(&self.state);
        state.waiting.extend_from_slice(event.as_bytes());
        state.waiting.push(b'\n');
        state.producers.push(Arc::clone(&own));
        let mut leads = !std::mem::replace(&mut state.is_led, true);
        drop(state);
        loop {
            if leads {
                self.lead()?;
            }
            match own.turn.swap(WAITS, Ordering::AcqRel) {
                IS_DONE => return Ok(()),
                turn => leads = turn == LEADS,
            }
            if !leads {
                thread::park();
            }
        }
    }

    fn lead(&self) -> std::io::Result<()> {
        let mut state = lock(&self.state);
        let bytes = std::mem::take(&mut state.waiting);
        let producers = std::mem::take(&mut state.producers);
        drop(state);
        let mut file = self.file;
        file.write_all(&bytes)?;
        file.sync_data()?;
        let mut state = lock(&self.state);
        match state.producers.first() {
            Some(next) => next.tell(LEADS),
            None => state.is_led = false,
        }
        drop(state);
        producers.iter().for_each(|producer| producer.tell(IS_DONE));
        Ok(())
    }
}

impl Producer {
    fn tell(&self, turn: u8) {
        self.turn.store(turn, Ordering::Release);
        self.thread.unpark();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
