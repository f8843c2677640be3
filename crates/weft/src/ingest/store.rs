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
use crate::writing::{self, Writing};

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
            let is_waited_for = match (held(&error), self.mode) {
                (Some(_), Mode::Follow { .. }) => true,
                (Some(held), Mode::Once) => writing::is_rebuilt(held),
                (None, Mode::Once | Mode::Follow { .. }) => false,
            };
            if is_waited_for {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                if !std::mem::replace(&mut has_told, true) {
                    output::tell(format_args!("note: waiting for the store: {error:#}"));
                }
            } else if held(&error).is_some() || n_tries >= TRIES_MAX {
                return Err(error.context("cannot write to the store"));
            }
            let batch = std::mem::take(&mut judged.batch);
            *judged = judge(&mut self.gate, self.rules, judged.number, batch);
        }
    }
}

/// Returns the error if it is that another process has the store.
fn held(error: &anyhow::Error) -> Option<&LockError> {
    let Some(AppendError::Begin(error)) = error.downcast_ref() else { return None };
    let BeginError::Lock(error @ LockError::Held { .. }) = &**error else { return None };
    Some(error)
}
