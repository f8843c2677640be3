//! The thread that reads files and judges their lines.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use weft_log::Store;
use weft_log::source::{Batch, Notice, Polled, SourceError, Sources};

use super::judge::{Judged, Rules, judge};
use super::state::TailState;
use crate::writer::chain;

/// How often it is noted how far the reading is, while there is something to read: that counts all files.
const NOTE_EVERY: Duration = Duration::from_millis(250);

/// Reads until it is told to stop, or until nobody stores what it gives; then notes how far that was.
pub(super) fn read(
    mut sources: Sources,
    (rules, store): (Rules, &Store),
    jobs: mpsc::Sender<Judged>,
    to_settle: &Receiver<Batch>,
    state: &TailState,
) {
    let mut gate = rules.gate(store);
    let mut number = 0;
    state.look(&sources);
    let mut noted = Instant::now();
    loop {
        for batch in to_settle.try_iter() {
            note(sources.settle(&batch));
            sources.reuse(batch);
        }
        match sources.poll() {
            Ok(Polled::Batch(batch)) => {
                batch.notices().iter().for_each(tell);
                if !batch.notices().is_empty() || noted.elapsed() >= NOTE_EVERY {
                    state.look(&sources);
                    noted = Instant::now();
                }
                if batch.is_empty() {
                    continue;
                }
                gate.expect_together(batch.n_bytes());
                let judged = judge(&mut gate, rules, number, batch);
                number += 1;
                if jobs.blocking_send(judged).is_err() {
                    break;
                }
            }
            Ok(Polled::Idle) => state.look(&sources),
            Ok(Polled::End) => break,
            Err(error) => note(Err(error)),
        }
    }
    // Whoever stores ends when nothing more can come.
    drop(jobs);
    to_settle.iter().for_each(|batch| note(sources.settle(&batch)));
    note(sources.finish());
}

/// Tells that progress cannot be noted. Without it more is read again after a restart, and recognised.
fn note(noted: Result<(), SourceError>) {
    if let Err(error) = noted {
        tracing::warn!(error = %chain(&error), "cannot note how far files were read");
    }
}

/// Tells what happened to a file or folder.
fn tell(notice: &Notice) {
    let text = chain(notice);
    match notice {
        Notice::Missing { .. } | Notice::Unreadable { .. } | Notice::TooMany { .. } => {
            tracing::warn!("{text}");
        }
        Notice::Truncated { .. } | Notice::Rewritten { .. } | Notice::Appeared { .. } => {
            tracing::info!("{text}");
        }
        Notice::NoFiles { .. } | Notice::Rotated { .. } | Notice::Gone { .. } => {
            tracing::debug!("{text}");
        }
    }
}
