//! The task that brings judged lines into the log and among what was refused, however long that takes.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use weft_log::log::{self, Durability, Outcome};
use weft_log::rejected::Refusal;
use weft_log::source;

use super::judge::{Judged, Rules, judge};
use crate::Core;
use crate::metrics::Tally;
use crate::writer::{WriteFailure, chain};

/// How long it waits where something cannot be stored.
const PAUSE: Duration = Duration::from_millis(200);

/// Stores batches in their order until none comes any more or the server ends, and gives those back that are durable.
pub(super) async fn store(
    core: Core,
    rules: Rules,
    mut jobs: mpsc::Receiver<Judged>,
    settled: SyncSender<source::Batch>,
) {
    while let Some(judged) = jobs.recv().await {
        let Some(batch) = keep(&core, rules, judged).await else { return };
        // There is room for all that can be on their way; if nobody notes them any more, they are read again one day.
        if settled.try_send(batch).is_err() {
            return;
        }
    }
}

/// Makes a batch durable; `None` if the server ends before.
async fn keep(core: &Core, rules: Rules, mut judged: Judged) -> Option<source::Batch> {
    let mut has_told = false;
    let answer = loop {
        let why = match append(core, &mut judged).await {
            Ok(answer) => break answer,
            Err(WriteFailure::Closed) => return None,
            Err(
                error @ (WriteFailure::Busy
                | WriteFailure::Opening { .. }
                | WriteFailure::Append(_)),
            ) => chain(&error),
        };
        if !std::mem::replace(&mut has_told, true) {
            tracing::debug!("what was read from files waits to be stored: {why}");
        }
        pause(core).await?;
        // Events that were handed over are gone: they are made once more from their lines.
        let (number, batch, store) = (judged.number, judged.batch, core.store().clone());
        let again = move || judge(&mut rules.gate(&store), rules, number, batch);
        judged = core.intake().aside(again).await;
    };
    refuse(core, &judged).await?;
    count(core, &judged, &answer.outcomes);
    Some(judged.batch)
}

/// Appends the events of a batch.
async fn append(core: &Core, judged: &mut Judged) -> Result<log::Answer, WriteFailure> {
    let durability = Durability::Synced;
    if let Some(error) = judged.trouble.take() {
        tracing::warn!(error = %chain(&error), "a large value cannot be stored");
        return Err(WriteFailure::Busy);
    }
    let events = std::mem::take(&mut judged.events);
    if events.is_empty() {
        return Ok(log::Answer { outcomes: Vec::new(), durability });
    }
    let began = Instant::now();
    let batch = log::Batch { events, conditions: Vec::new(), durability };
    let answer = core.appender().append(batch).await;
    match &answer {
        Ok(_) => core.counters().appended(began.elapsed()),
        Err(WriteFailure::Append(_)) => core.counters().append_failed(),
        Err(WriteFailure::Busy | WriteFailure::Opening { .. } | WriteFailure::Closed) => {}
    }
    answer
}

/// Keeps what was refused; `None` if the server ends before.
async fn refuse(core: &Core, judged: &Judged) -> Option<()> {
    let mut refused: Vec<Refusal> =
        judged.refused.iter().map(|(_, refusal)| refusal.clone()).collect();
    while !refused.is_empty() {
        let (back, kept) = core.intake().keep_refused(refused).await;
        match kept {
            Ok(_) => break,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "cannot keep what was refused");
                refused = back;
                pause(core).await?;
            }
        }
    }
    Some(())
}

/// Waits a while; `None` if the server ends meanwhile.
async fn pause(core: &Core) -> Option<()> {
    tokio::select! {
        () = core.ended() => None,
        () = tokio::time::sleep(PAUSE) => Some(()),
    }
}

fn count(core: &Core, judged: &Judged, outcomes: &[Outcome]) {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let (mut n_stored, mut n_repeats) = (0, 0);
    for ((outcome, dialect), via) in outcomes.iter().zip(&judged.dialects).zip(&judged.vias) {
        let tally = tallies.entry(via).or_default();
        match outcome {
            Outcome::Stored { .. } => {
                n_stored += 1;
                tally.accept(*dialect);
            }
            Outcome::Repeat { .. } => {
                n_repeats += 1;
                tally.repeat(*dialect);
            }
        }
    }
    for (_, refusal) in &judged.refused {
        tallies.entry(&refusal.via).or_default().refuse(None);
    }
    tallies.iter().for_each(|(via, tally)| core.counters().count(via, tally));
    core.tail().count(n_stored, n_repeats, judged.refused.len() as u64);
}
