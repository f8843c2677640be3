//! What a worker has to write into the log: how far it is, now and then; events that are given up, before their session goes on.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use weft_log::log::{AppendError, Batch, Durability};

use super::super::books::{Acknowledged, Dead, Entry, Note, SETTLED_RANGES_MAX, TRIED_MAX};
use super::super::change;
use super::super::definition::{Definition, State};
use super::super::letter::Post;
use super::super::schedule::{Progress, Schedule, Ticket};
use crate::Core;
use crate::limits::SubscriptionLimits;
use crate::writer::WriteFailure;

/// How long to wait before the log is written to again when it could not be.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// Dead letters that are written together.
const TOGETHER_MAX: usize = 256;

/// What has to be written.
pub(super) struct Ledger {
    /// What was counted so far.
    pub(super) counts: Acknowledged,
    /// What was written last.
    pub(super) written: Acknowledged,
    /// Whether something was settled since.
    pub(super) is_moved: bool,
    written_at: Instant,
    outbox: Vec<(Option<Ticket>, Dead)>,
    pause: Option<String>,
    retry_at: Option<Instant>,
}

impl Ledger {
    pub(super) fn new(entry: &Entry, now: Instant) -> Self {
        Self {
            counts: entry.progress.clone(),
            written: entry.progress.clone(),
            is_moved: false,
            written_at: now,
            outbox: Vec::new(),
            pause: None,
            retry_at: None,
        }
    }

    /// Puts an event on the list of the dead, or takes it off. One that waits for it is settled when that is written.
    pub(super) fn bury(&mut self, ticket: Option<Ticket>, dead: Dead) {
        self.outbox.push((ticket, dead));
    }

    /// Pauses the subscription.
    pub(super) fn pause(&mut self, why: String) {
        self.pause = Some(why);
    }

    /// Returns how many dead letters are not written yet.
    pub(super) fn n_unwritten(&self) -> usize {
        self.outbox.len()
    }

    /// Returns when what could not be written is tried again.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Returns when the position is to be written.
    pub(super) fn due(&self, progress: &Progress, limits: &SubscriptionLimits) -> Option<Instant> {
        let skipped = progress.acknowledged().saturating_sub(self.written.position);
        let is_due = self.is_moved
            || self.counts.n_lost > self.written.n_lost
            || skipped > limits.skipped_max;
        is_due.then(|| self.written_at + limits.acknowledge_every)
    }

    /// Writes what cannot wait.
    pub(super) async fn flush(
        &mut self,
        core: &Core,
        definition: &Definition,
        schedule: &mut Schedule<Arc<Post>>,
    ) {
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        self.retry_at = None;
        while !self.outbox.is_empty() {
            let now_ns = now_ns();
            let n = self.outbox.len().min(TOGETHER_MAX);
            let notes = self.outbox[..n]
                .iter()
                .map(|(_, dead)| Note::dead(definition, &Dead { at_ns: now_ns, ..dead.clone() }));
            let notes: Vec<_> = notes.collect();
            if let Err(error) = append(core, &notes, now_ns).await {
                tracing::warn!("cannot write the dead letters of {}: {error}", definition.name);
                self.retry_at = Some(Instant::now() + TRY_AGAIN);
                return;
            }
            for (ticket, _) in self.outbox.drain(..n) {
                self.is_moved |= ticket.is_some_and(|ticket| schedule.buried(ticket));
            }
        }
        if let Some(why) = self.pause.take() {
            self.write_pause(core, definition, why).await;
        }
    }

    async fn write_pause(&mut self, core: &Core, definition: &Definition, why: String) {
        let state = State::Paused { why: Some(why.clone()) };
        let change = core.desk().look(|books| change::set_state(books, &definition.name, state));
        // One that is gone or paused meanwhile needs no pause.
        let Ok(Some(change)) = change else { return };
        let now_ns = now_ns();
        let Ok(batch) = change.batch(core.store(), now_ns) else { return };
        match core.appender().append(batch).await {
            // Whoever was first has the word.
            Ok(_) | Err(WriteFailure::Append(AppendError::Condition { .. })) => {}
            Err(error) => {
                tracing::warn!("cannot pause the subscription {}: {error}", definition.name);
                self.pause = Some(why);
                self.retry_at = Some(Instant::now() + TRY_AGAIN);
            }
        }
    }

    /// Writes how far the subscription is.
    pub(super) async fn acknowledge(
        &mut self,
        core: &Core,
        definition: &Definition,
        schedule: &Schedule<Arc<Post>>,
    ) {
        let progress = schedule.progress();
        let acknowledged = Acknowledged {
            position: progress.acknowledged(),
            settled: progress.settled(SETTLED_RANGES_MAX),
            tried: schedule.tried(TRIED_MAX),
            ..self.counts.clone()
        };
        self.written_at = Instant::now();
        let note = Note::acknowledged(definition, &acknowledged);
        match append(core, &[note], now_ns()).await {
            Ok(()) => {
                self.is_moved = false;
                self.written = acknowledged;
            }
            // It is written a moment later, or the events come again.
            Err(error) => {
                tracing::warn!("cannot write how far {} is: {error}", definition.name);
            }
        }
    }
}

/// Why something could not be written.
#[derive(Debug, thiserror::Error)]
enum NoteError {
    #[error(transparent)]
    Refused(#[from] weft_log::admit::Refusal),
    #[error(transparent)]
    Write(#[from] WriteFailure),
}

async fn append(core: &Core, notes: &[Note], now_ns: i64) -> Result<(), NoteError> {
    let events =
        notes.iter().map(|note| note.admit(core.store(), now_ns)).collect::<Result<_, _>>()?;
    let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
    core.appender().append(batch).await?;
    Ok(())
}

fn now_ns() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}
