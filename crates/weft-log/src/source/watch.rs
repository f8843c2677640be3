//! Hints from the system that something has changed. They only save time: what they miss is found by looking.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// The most hints that wait to be read.
const HINTS_MAX: usize = 4096;
/// The most folders that are watched; more are looked at only. Many systems allow a user no more than 8192 in all.
const WATCHES_MAX: usize = 4096;

/// Watches folders.
pub(super) struct Watch {
    /// `None` where the system has no watches left.
    watcher: Option<RecommendedWatcher>,
    n_watches: usize,
    hints: Receiver<PathBuf>,
    /// Keeps the channel open without a watcher.
    sender: SyncSender<PathBuf>,
    has_missed: Arc<AtomicBool>,
}

/// What was heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Paths where something changed.
    pub(super) paths: Vec<PathBuf>,
    /// Whether there was more than could be kept.
    pub(super) has_missed: bool,
}

impl Watch {
    pub(super) fn new() -> Self {
        let (sender, hints) = sync_channel(HINTS_MAX);
        let has_missed = Arc::new(AtomicBool::new(false));
        let (to, missed) = (sender.clone(), Arc::clone(&has_missed));
        let handler = move |event: notify::Result<notify::Event>| match event {
            Ok(event) if event.need_rescan() => missed.store(true, Ordering::Relaxed),
            Ok(event) if is_change(event.kind) => {
                for path in event.paths {
                    if to.try_send(path).is_err() {
                        missed.store(true, Ordering::Relaxed);
                    }
                }
            }
            Ok(_) => {}
            Err(_) => missed.store(true, Ordering::Relaxed),
        };
        let watcher = notify::recommended_watcher(handler).ok();
        Self { watcher, n_watches: 0, hints, sender, has_missed }
    }

    /// Returns one that hears nothing.
    #[cfg(test)]
    pub(super) fn deaf() -> Self {
        let mut watch = Self::new();
        watch.watcher = None;
        watch
    }

    /// Returns what ends waiting: any path.
    pub(super) fn waker(&self) -> SyncSender<PathBuf> {
        self.sender.clone()
    }

    /// Watches a folder, but not those below it. A system that refuses gives no hints.
    pub(super) fn add(&mut self, folder: &Path) {
        if self.n_watches < WATCHES_MAX
            && let Some(watcher) = &mut self.watcher
            && watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
        {
            self.n_watches += 1;
        }
    }

    /// Waits for hints, for so long at most.
    pub(super) fn wait(&mut self, limit: Duration) -> Heard {
        let mut paths = Vec::new();
        match self.hints.recv_timeout(limit) {
            Ok(path) => paths.push(path),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        paths.extend(self.hints.try_iter().take(HINTS_MAX));
        paths.sort();
        paths.dedup();
        Heard { paths, has_missed: self.has_missed.swap(false, Ordering::Relaxed) }
    }
}

/// Returns whether an event tells of a change, and not of our own reading.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}
