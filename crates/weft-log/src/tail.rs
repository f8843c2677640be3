//! Following the log as it grows, in this process or from another: history first, then what comes, with no gap between and no repeat.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use crate::disk::RealDisk;
use crate::filter::Filter;
use crate::query::{Found, is_match};
use crate::reader::{ReadError, Reader};
use crate::recover::HEAD_FILE;
use crate::{Position, Store};

/// How long at most a change goes unnoticed where the system does not tell of it.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What a tail gives.
#[derive(Clone, Debug)]
pub enum Step {
    /// Matching records, and positions whose records are damaged or gone.
    Records {
        /// The records, in order.
        records: Vec<Found>,
        /// First and last of each run that is lost.
        lost: Vec<(Position, Position)>,
    },
    /// Nothing came in the time given.
    Quiet,
}

/// A reader that waits for more.
pub struct Tail {
    reader: Reader<RealDisk>,
    filter: Filter,
    changes: Changes,
    tape: Tape,
    problems: Problems,
}

/// Tells when `head` changes.
struct Changes {
    told: Receiver<()>,
    /// `None` where the system cannot tell; then it is looked at from time to time.
    _watcher: Option<RecommendedWatcher>,
}

impl Tail {
    /// Follows a store from a position on; from the first one from where the log begins. Another that was pruned is an error.
    pub fn open(store: &Store, from: Position, filter: Filter) -> Result<Self, ReadError> {
        // Watching begins before the first look, so that nothing comes unnoticed between the two.
        let changes = Changes::of(store);
        let reader = Reader::open(RealDisk, store.root().to_owned(), from)?;
        if let Some(first) = reader.first_kept()?
            && Position::FIRST < from
            && from < first
        {
            return Err(ReadError::Pruned { position: from, first });
        }
        Ok(Self { reader, filter, changes, tape: Tape::new(), problems: Problems::new() })
    }

    /// Returns what comes next, waiting for it no longer than `patience`.
    pub fn read(&mut self, patience: Duration) -> Result<Step, ReadError> {
        let until = Instant::now() + patience;
        loop {
            let (mut records, mut lost) = (Vec::new(), Vec::new());
            while let Some(batch) = self.reader.read()? {
                lost.extend(batch.lost());
                for (record, _) in batch.records() {
                    let (filter, tape) = (&self.filter, &mut self.tape);
                    if is_match(filter, &record.meta, record.line, tape, &mut self.problems) {
                        records.push(Found { meta: record.meta, line: record.line.to_vec() });
                    }
                }
                if !records.is_empty() || !lost.is_empty() {
                    return Ok(Step::Records { records, lost });
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Step::Quiet);
            }
            self.changes.wait(left.min(LOOK_EVERY));
        }
    }
}

impl Changes {
    fn of(store: &Store) -> Self {
        let (tell, told) = mpsc::sync_channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Whoever only reads the file changes nothing, and we are one of those.
            if !event.is_ok_and(|event| event.kind.is_access()) {
                // One message that waits says all that a second could.
                tell.try_send(()).unwrap_or_default();
            }
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(&store.root().join(HEAD_FILE), RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        Self { told, _watcher: watcher.ok() }
    }

    fn wait(&self, patience: Duration) {
        match self.told.recv_timeout(patience) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            // Without a watcher nobody holds the other end, and time passes here instead.
            Err(RecvTimeoutError::Disconnected) => std::thread::park_timeout(patience),
        }
    }
}
