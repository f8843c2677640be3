//! Events from the socket into the log: judged here once more, whatever the client thinks of them.

use std::iter;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;
use weft_event::event::Expect;
use weft_event::json::Tape;
use weft_log::Store;
use weft_log::admit::{Arrival, Gate, Refusal, Strictness};
use weft_log::blobs::{ShrinkError, Which};
use weft_log::log::{self, AppendError, Batch};
use weft_log::rejected::{self, Reason, RefusalId, RejectedError};

use super::{SMALL_BYTES_MAX, Shared};
use crate::limits::Limits;
use crate::metrics::Marks;
use crate::socket::answer::{Answer, Appended, Failure, Fate};
use crate::socket::frame::Frame;
use crate::socket::read::blocking;
use crate::socket::request::{Append, Request};
use crate::writer::{WriteFailure, chain};

/// How long a reader waits for a store that is being opened; then it reads what is there.
const SETTLE_PATIENCE: Duration = Duration::from_millis(100);

/// What became of the events of a request at the gate.
pub(super) struct Judged {
    pub(super) batch: Batch,
    pub(super) patience: Option<Duration>,
    /// For each event what is odd about it, or the place of its refusal.
    pub(super) verdicts: Vec<Verdict>,
    pub(super) refusals: Vec<rejected::Refusal>,
}

pub(super) enum Verdict {
    Fits(Vec<Reason>),
    Refused,
}

/// Appends the events of a request that has been read, and may have been judged.
pub(super) async fn append(shared: &Arc<Shared>, frame: Frame, judged: Option<Judged>) -> Answer {
    match try_append(shared, frame, judged).await {
        Ok(appended) => Answer::Appended(appended),
        Err(failure) => Answer::Failed(failure),
    }
}

/// Returns what is answered where nothing was refused at the gate.
pub(super) fn answer(verdicts: Vec<Verdict>, answer: Result<log::Answer, WriteFailure>) -> Answer {
    match answer {
        Ok(answer) => Answer::Appended(fates(verdicts, answer, iter::empty())),
        Err(error) => Answer::Failed(failure(error)),
    }
}

/// Brings the store in order for whoever reads it next.
pub(super) async fn settle(shared: &Shared) -> Answer {
    match shared.core.appender().settle(SETTLE_PATIENCE).await {
        Ok(()) => Answer::Settled,
        Err(error) => Answer::Failed(failure(error)),
    }
}

async fn try_append(
    shared: &Arc<Shared>,
    frame: Frame,
    judged: Option<Judged>,
) -> Result<Appended, Failure> {
    let (store, limits) = (shared.core.store().clone(), shared.core.limits().clone());
    // A few events take less time than to hand them over.
    let is_small = frame.body().len() <= SMALL_BYTES_MAX;
    let judge = move || judge(&frame, &store, &limits);
    let judged = match judged {
        Some(judged) => judged,
        None if is_small => judge()?,
        None => blocking(judge).await?,
    };
    let Judged { batch, patience, verdicts, refusals } = judged;
    let (refusals, ids) = keep(shared, refusals).await?;
    let mut answer = log::Answer { outcomes: Vec::new(), durability: batch.durability };
    // Without any event, a request makes durable what was written before.
    if !batch.events.is_empty() || refusals.is_empty() {
        let patience = patience.unwrap_or(Duration::MAX);
        let (marks, began, counters) = (Marks::of(&batch), Instant::now(), shared.core.counters());
        let appended = shared.core.appender().append_within(batch, patience).await;
        counters.answered(began.elapsed(), &appended);
        answer = appended.map_err(failure)?;
        counters.stored(&marks, &answer.outcomes);
    }
    shared.core.counters().refused(&refusals);
    Ok(fates(verdicts, answer, refusals.into_iter().zip(ids)))
}

/// Puts together what became of each event.
fn fates(
    verdicts: Vec<Verdict>,
    answer: log::Answer,
    mut refused: impl Iterator<Item = (rejected::Refusal, RefusalId)>,
) -> Appended {
    let (mut outcomes, durability) = (answer.outcomes.into_iter(), answer.durability);
    let fate = |verdict| match verdict {
        Verdict::Fits(warnings) => {
            let outcome = outcomes.next().expect("every event has an outcome");
            Fate::Kept { outcome, warnings }
        }
        Verdict::Refused => {
            let (refusal, id) = refused.next().expect("every refusal is kept");
            Fate::Refused { id: id.to_hex(), reasons: refusal.reasons }
        }
    };
    Appended { fates: verdicts.into_iter().map(fate).collect(), durability }
}

/// Reads a request once more, on whatever thread this is, and judges its events.
pub(super) fn judge(frame: &Frame, store: &Store, limits: &Limits) -> Result<Judged, Failure> {
    let wrong = |message| Failure::Request { message };
    let mut tape = Tape::new();
    let append = match Request::decode(&mut tape, frame) {
        Ok(Request::Append(append)) => append,
        Ok(_) => return Err(wrong("not an append".to_owned())),
        Err(bad) => return Err(wrong(bad.what)),
    };
    let (n_events, n_max) = (append.events.len(), limits.request_events_max);
    if n_events > n_max {
        return Err(wrong(format!("{n_events} events are too many at once, the limit is {n_max}")));
    }
    let Append { via, durability, patience, conditions, events } = append;
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let (request, at_us) = (Uuid::now_v7(), jiff::Timestamp::now().as_microsecond());
    let (mut admitted, mut verdicts) = (Vec::with_capacity(n_events), Vec::with_capacity(n_events));
    let mut refusals = Vec::new();
    for (idx, sent) in events.iter().enumerate() {
        let arrival = Arrival {
            line: sent.line,
            expect: sent.dialect.map_or(Expect::Any, Expect::Dialect),
            via: sent.via.as_ref().unwrap_or(&via),
            delivery: sent.delivery.as_deref(),
            topic: sent.topic.as_deref(),
        };
        match gate.admit(&arrival) {
            Ok(event) => {
                verdicts.push(Verdict::Fits(event.warnings.iter().map(Reason::from).collect()));
                admitted.push(event);
            }
            Err(Refusal::Large(ShrinkError::Blob(error))) => {
                return Err(Failure::Store { message: chain(&error) });
            }
            Err(refusal) => {
                let origin = match &sent.delivery {
                    Some(delivery) => format!("socket:{delivery}"),
                    None => format!("socket:{request}#{idx}"),
                };
                refusals.push(rejected::Refusal::of(&arrival, &refusal, origin, at_us));
                verdicts.push(Verdict::Refused);
            }
        }
    }
    let batch = Batch { events: admitted, conditions, durability };
    Ok(Judged { batch, patience, verdicts, refusals })
}

/// Keeps what was refused.
async fn keep(
    shared: &Arc<Shared>,
    refusals: Vec<rejected::Refusal>,
) -> Result<(Vec<rejected::Refusal>, Vec<RefusalId>), Failure> {
    if refusals.is_empty() {
        return Ok((refusals, Vec::new()));
    }
    let shared = Arc::clone(shared);
    let kept = blocking(move || {
        let mut rejected = shared.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = rejected.put(&refusals)?;
        Ok((refusals, ids))
    });
    kept.await.map_err(|error: RejectedError| Failure::Store { message: chain(&error) })
}

fn failure(failure: WriteFailure) -> Failure {
    match failure {
        WriteFailure::Busy | WriteFailure::Opening { .. } | WriteFailure::Closed => {
            Failure::Later { message: failure.to_string() }
        }
        WriteFailure::Append(AppendError::Condition { topic, actual }) => {
            Failure::Condition { topic, actual }
        }
        WriteFailure::Append(
            error @ (AppendError::Write(_)
            | AppendError::Begin(_)
            | AppendError::Identity(_)
            | AppendError::Left),
        ) => Failure::Store { message: chain(&error) },
    }
}
