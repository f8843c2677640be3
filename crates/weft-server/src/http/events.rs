//! `POST /v1/events`: one event, a list, or a line each, checked here and appended together. What comes of each is told by index.

mod asked;
mod sort;
mod told;

use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::post;
use weft_log::log::{Answer, AppendError, Batch, Condition, Outcome};
use weft_log::rejected::RefusalId;

use super::answer::Failure;
use super::{body, cloud};
use crate::Core;
use crate::metrics::Tally;
use crate::writer::WriteFailure;

pub(crate) use asked::{Asked, ContentType, Form};
pub(crate) use sort::{Found, Sorted, Sorter};
pub(super) use sort::{Shape, on_one_line};

/// Bodies up to this size are read on the thread that serves the request: it takes no longer than a few milliseconds.
pub(crate) const INLINE_BYTES_MAX: usize = 128 << 10;

/// The way by the router, for the answers about it: who has events to store is let in before.
pub(super) fn routes() -> Router<Core> {
    let by_router = async |State(core): State<Core>, request| take(&core, request).await;
    Router::new().route("/v1/events", post(by_router))
}

/// Returns whether a request has events to store.
pub(super) fn is_for(request: &Request) -> bool {
    request.method() == Method::POST && request.uri().path() == "/v1/events"
}

/// Stores the events of a request.
pub(super) async fn take(core: &Core, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let asked = match Asked::read(&parts, core) {
        Ok(asked) => asked,
        Err(failure) => {
            body::discard(&parts.headers, body).await;
            return Err(failure);
        }
    };
    let held = body::collect(core, &parts.headers, body).await.inspect_err(|failure| {
        if failure.status() == StatusCode::TOO_MANY_REQUESTS {
            core.counters().turned_away();
        }
    })?;
    let bytes = held.bytes.clone();
    let (sorted, asked) = if bytes.len() <= INLINE_BYTES_MAX {
        (sort(core, &asked, &bytes)?, asked)
    } else {
        let judge = core.clone();
        let sorting = move || sort(&judge, &asked, &bytes).map(|sorted| (sorted, asked));
        core.intake().aside(sorting).await?
    };
    let answer = append_and_tell(core, &asked, sorted).await;
    drop(held);
    answer
}

/// Reads the events of a body, and tells those that may be stored from the others.
fn sort(core: &Core, asked: &Asked, bytes: &[u8]) -> Result<Sorted, Failure> {
    core.intake().with_gate(asked.strictness, bytes.len(), |gate| {
        let mut sorter = Sorter::new(gate, asked, core.limits().request_events_max);
        match &asked.form {
            Form::Any => sorter.any(bytes)?,
            Form::Lines => sorter.lines(bytes)?,
            Form::Cloud(form) => cloud::take(&mut sorter, form, bytes)?,
        }
        Ok(sorter.finish())
    })
}

async fn append_and_tell(
    core: &Core,
    asked: &Asked,
    mut sorted: Sorted,
) -> Result<Response, Failure> {
    let conditions = conditions(asked, &sorted)?;
    let Stored { outcomes, kept } = store(core, asked, &mut sorted, conditions).await?;
    Ok(told::answer(&sorted, &outcomes, kept.as_deref(), asked.durability))
}

/// What became of the events of a request.
pub(crate) struct Stored {
    /// One for each that was admitted, in order.
    outcomes: Vec<Outcome>,
    /// The ids of those that were refused; `None` if they could not be kept.
    kept: Option<Vec<RefusalId>>,
}

/// Appends what was admitted, keeps what was refused, and counts both.
pub(crate) async fn store(
    core: &Core,
    asked: &Asked,
    sorted: &mut Sorted,
    conditions: Vec<Condition>,
) -> Result<Stored, WriteFailure> {
    let events = std::mem::take(&mut sorted.events);
    let outcomes = if events.is_empty() {
        Vec::new()
    } else {
        let batch = Batch { events, conditions, durability: asked.durability };
        append(core, batch).await?.outcomes
    };
    let kept = keep_refused(core, sorted).await;
    core.counters().count(asked.via, &tally(sorted, &outcomes));
    Ok(Stored { outcomes, kept })
}

/// Appends events, and counts how long that took or why it failed.
pub(crate) async fn append(core: &Core, batch: Batch) -> Result<Answer, WriteFailure> {
    let began = Instant::now();
    let counters = core.counters();
    let appended = core.appender().append(batch).await;
    match &appended {
        Ok(_) => counters.appended(began.elapsed()),
        Err(WriteFailure::Busy) => counters.turned_away(),
        Err(WriteFailure::Closed | WriteFailure::Opening { .. }) => {}
        Err(WriteFailure::Append(AppendError::Condition { .. })) => {}
        Err(WriteFailure::Append(error)) => {
            counters.append_failed();
            tracing::error!("cannot append: {error}");
        }
    }
    appended
}

/// Returns what the newest record has to be for the events to be stored.
fn conditions(asked: &Asked, sorted: &Sorted) -> Result<Vec<Condition>, Failure> {
    let Some(last) = asked.expected_last else { return Ok(Vec::new()) };
    let own = match (&asked.topic, sorted.events.as_slice()) {
        (Some(topic), _) => Some(topic),
        (None, [only]) => only.entry.mark.topic.as_ref(),
        (None, []) => return Ok(Vec::new()),
        (None, _) => None,
    };
    match own.filter(|topic| topic.key.is_some()) {
        Some(topic) => Ok(vec![Condition { topic: topic.clone(), last }]),
        None => {
            let message = "expect_last needs a topic and a key to be about";
            Err(Failure::bad("no_topic", message))
        }
    }
}

/// Keeps what was refused; `None` if it could not be, which changes nothing for the client but that nobody can look at it later.
async fn keep_refused(core: &Core, sorted: &mut Sorted) -> Option<Vec<RefusalId>> {
    if sorted.refused.is_empty() {
        return Some(Vec::new());
    }
    match core.intake().keep_refused(std::mem::take(&mut sorted.refused)).await {
        (refused, Ok(ids)) => {
            sorted.refused = refused;
            Some(ids)
        }
        (refused, Err(error)) => {
            tracing::error!("cannot keep what was refused: {error}");
            sorted.refused = refused;
            None
        }
    }
}

fn tally(sorted: &Sorted, outcomes: &[Outcome]) -> Tally {
    let mut tally = Tally::default();
    for (dialect, outcome) in sorted.dialects.iter().zip(outcomes) {
        match outcome {
            Outcome::Stored { .. } => tally.accept(*dialect),
            Outcome::Repeat { .. } => tally.repeat(*dialect),
        }
    }
    sorted.refused_dialects.iter().for_each(|dialect| tally.refuse(*dialect));
    tally
}
