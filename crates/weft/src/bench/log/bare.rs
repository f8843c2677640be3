//! What the disk can do: lines appended to a growing file and synced, with nothing else done to them.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

/// Appends events, so many with one write and one sync.
pub(super) fn append(folder: &Path, events: &[String], together: usize) -> anyhow::Result<()> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut buffer = Vec::new();
    for some in events.chunks(together) {
        buffer.clear();
        for event in some {
            buffer.extend_from_slice(event.as_bytes());
            buffer.push(b'\n');
        }
        file.write_all(&buffer)?;
        file.sync_data()?;
    }
    Ok(())
}

/// Appends events from several threads, each of which waits for its own to be synced; those that wait are written together.
pub(super) fn group_commit(
    folder: &Path,
    events: &[String],
    n_threads: usize,
) -> anyhow::Result<()> {
    let commit = Commit {
        state: Mutex::new(State { waiting: Vec::new(), n_queued: 0, n_synced: 0, is_led: false }),
        changed: Condvar::new(),
        file: Mutex::new(tempfile::tempfile_in(folder)?),
    };
    std::thread::scope(|scope| {
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

/// A bare group commit: the first who comes writes for all who wait.
struct Commit {
    state: Mutex<State>,
    changed: Condvar,
    file: Mutex<File>,
}

struct State {
    waiting: Vec<u8>,
    n_queued: u64,
    n_synced: u64,
    is_led: bool,
}

impl Commit {
    fn append(&self, event: &str) -> std::io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.extend_from_slice(event.as_bytes());
        state.waiting.push(b'\n');
        state.n_queued += 1;
        let ticket = state.n_queued;
        while state.n_synced < ticket {
            if state.is_led {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.is_led = true;
            let bytes = std::mem::take(&mut state.waiting);
            let upto = state.n_queued;
            drop(state);
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(&bytes)?;
            file.sync_data()?;
            drop(file);
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.n_synced = upto;
            state.is_led = false;
            self.changed.notify_all();
        }
        Ok(())
    }
}
