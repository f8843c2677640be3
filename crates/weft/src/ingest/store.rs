//! Bringing a judged batch into the log and among what was refused, before it counts as read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use weft_log::admit::Gate;
use weft_log::lock::LockError;
use weft_log::log::{self, AppendError, BeginError, Durability};
use weft_log::rejected::Rejected;
use weft_log::source::{Batch, Mode};
use weft_server::tail::judge::{Judged, Rules, judge};

use super::report::Report;
use crate::output;
use crate::writing::Writing;

/// How often a batch is appended anew after a write that failed: what is in the log by then is recognised.
const TRIES_MAX: usize = 2;

/// Puts batches where they belong.
pub(super) struct Keeper {
    writing: Writing,
    rejected: Rejected,
    /// For a batch that has to be judged once more.
    gate: Gate,
    rules: Rules,
    mode: Mode,
    stop: Arc<AtomicBool>,
    is_holding: bool,
}

/// What became of a batch.
pub(super) enum Stored {
    /// All of it is durable.
    Durable(Batch),
    /// Somebody asked to stop while it waited for the store.
    Stopped,
}

impl Keeper {
    pub(super) fn new(writing: Writing, rules: Rules, mode: Mode, stop: Arc<AtomicBool>) -> Self {
        let store = writing.store();
        let (rejected, gate) = (Rejected::new(store), rules.gate(store));
        Self { writing, rejected, gate, rules, mode, stop, is_holding: true }
    }

    /// Returns whether the store may be held.
    pub(super) fn is_holding(&self) -> bool {
        self.is_holding
    }

    /// Lets the store go until the next batch comes.
    pub(super) fn let_go(&mut self) {
        if !std::mem::replace(&mut self.is_holding, false) {
            return;
        }
        if let Err(error) = self.writing.close() {
            output::tell(format_args!(
                "note: the index could not be brought up to date: {error:#}"
            ));
        }
    }

    /// Makes a batch durable: its events in the log, the others among what was refused.
    pub(super) fn store(
        &mut self,
        mut judged: Judged,
        report: &mut Report<'_>,
    ) -> anyhow::Result<Stored> {
        if let Some(error) = judged.trouble.take() {
            return Err(anyhow::Error::new(error).context("cannot store an event"));
        }
        let answer = match self.append(&mut judged)? {
            Some(answer) => answer,
            None => return Ok(Stored::Stopped),
        };
        let refusals: Vec<_> = judged.refused.iter().map(|(_, refusal)| refusal.clone()).collect();
        if !refusals.is_empty() {
            self.rejected.put(&refusals).context("cannot keep what was refused")?;
        }
        report.batch(&judged, &answer)?;
        Ok(Stored::Durable(judged.batch))
    }

    /// Appends the events of a batch; `None` if somebody asked to stop before it could be.
    fn append(&mut self, judged: &mut Judged) -> anyhow::Result<Option<log::Answer>> {
        let durability = Durability::Synced;
        if judged.events.is_empty() {
            return Ok(Some(log::Answer { outcomes: Vec::new(), durability }));
        }
        let mut n_tries = 0;
        let mut has_told = false;
        loop {
            self.is_holding = true;
            let events = std::mem::take(&mut judged.events);
            let error = match self.writing.append(events, || judged.sent(self.rules)) {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) => error,
            };
            n_tries += 1;
            match (is_held(&error), self.mode) {
                (true, Mode::Follow { .. }) if self.stop.load(Ordering::Relaxed) => {
                    return Ok(None);
                }
                (true, Mode::Follow { .. }) => {
                    if !std::mem::replace(&mut has_told, true) {
                        output::tell(format_args!("note: waiting for the store: {error:#}"));
                    }
                }
                (true, Mode::Once) => return Err(error.context("cannot write to the store")),
                (false, Mode::Once | Mode::Follow { .. }) if n_tries < TRIES_MAX => {}
                (false, Mode::Once | Mode::Follow { .. }) => {
                    return Err(error.context("cannot write to the store"));
                }
            }
            let batch = std::mem::take(&mut judged.batch);
            *judged = judge(&mut self.gate, self.rules, judged.number, batch);
        }
    }
}

/// Returns whether another process has the store.
fn is_held(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<AppendError>() {
        Some(AppendError::Begin(error)) => {
            matches!(**error, BeginError::Lock(LockError::Held { .. }))
        }
        Some(
            AppendError::Condition { .. }
            | AppendError::Write(_)
            | AppendError::Identity(_)
            | AppendError::Left,
        )
        | None => false,
    }
}
