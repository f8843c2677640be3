//! The events of a subscription of the pull kind: lent in batches, and reported back.

use std::time::Duration;

use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use weft_event::json::{Json, Object, Tape, Value};

use super::super::answer::Failure;
use super::super::params::{self, Name, Params};
use super::super::read::{JSON, Written};
use super::body::Sent;
use super::{body, catch_up_one, json, refused};
use crate::subs::change::ChangeError;
use crate::subs::pull::{Lent, Report, Request, UnknownLease};
use crate::{Core, record};

/// Events of a batch where nothing is said.
const LIMIT_DEFAULT: usize = 100;

/// Most bytes of the reason that a subscriber gives for a failure.
const REASON_BYTES_MAX: usize = 4096;

/// Lends events.
pub(super) async fn take(
    State(core): State<Core>,
    Name(name): Name,
    method: Method,
    uri: Uri,
) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["limit", "wait"])?;
    let limits = &core.limits().subscriptions;
    let limit = params.limit(LIMIT_DEFAULT, limits.pull_events_max)?;
    let wait_max = limits.pull_patience_max.as_secs();
    let wait = match params.get("wait") {
        None => 0,
        Some(text) => {
            let wait = text.parse().ok().filter(|wait| *wait <= wait_max);
            let wanted = format!("a number of seconds from 0 to {wait_max}");
            wait.ok_or_else(|| params::bad("wait", text, &wanted))?
        }
    };
    let worker = find(&core, &name).await?;
    if method == Method::HEAD {
        // Whoever asks for the head alone would not see what it was lent.
        return Ok(write(&core, &name, Lent::default()));
    }
    let (answer, answered) = oneshot::channel();
    let until = Instant::now() + Duration::from_secs(wait);
    ask(&worker, Request::Take { limit, until, answer })?;
    let lent = answered.await.map_err(|_gone| stopped(&name))?;
    Ok(write(&core, &name, lent))
}

fn write(core: &Core, name: &str, lent: Lent) -> Response {
    let bytes: usize = lent.events.iter().map(|(_, given)| given.line.len() + 512).sum();
    let mut out = Vec::with_capacity(bytes + 128);
    let replayed_upto = core.desk().look(|books| {
        let definition = books.get(name).and_then(|entry| entry.definition.as_ref().ok());
        definition.map_or(0, |definition| definition.replayed_upto)
    });
    out.extend_from_slice(b"{\"lease\":");
    let lease = lent.lease.as_ref().map_or(Json::null(), |lease| Json::text(lease));
    out.extend_from_slice(lease.as_str().as_bytes());
    out.extend_from_slice(b",\"events\":[");
    for (idx, (flight, given)) in lent.events.into_iter().enumerate() {
        if idx > 0 {
            out.push(b',');
        }
        let mut marks = String::new();
        let mut object = Object::begin(&mut marks);
        object.text("event_id", &flight.event.event_id);
        object.text("idempotency_key", &flight.event.idempotency_key);
        object.json("attempt", &Json::integer(flight.attempt));
        if flight.is_replay || flight.position <= replayed_upto {
            object.json("replay", &Json::bool(true));
        }
        if flight.is_replay {
            object.json("out_of_order", &Json::bool(true));
        }
        if given.n_left > 0 {
            object.json("blobs_left", &Json::integer(given.n_left as u64));
        }
        object.end();
        // The object is closed behind the record instead.
        marks.pop();
        out.extend_from_slice(marks.as_bytes());
        out.extend_from_slice(b",\"record\":");
        record::write(&mut out, core.store_id(), &flight.event.live.meta, &given.line);
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
    let written = Written { kind: JSON, out };
    match lent.room {
        Some(room) => written.hold(room),
        None => written.into_response(),
    }
}

/// Takes a report on lent events.
pub(super) async fn settle(
    State(core): State<Core>,
    Name(name): Name,
    Sent(held): Sent,
) -> Result<Response, Failure> {
    let (lease, report) = read_report(&core, &held.bytes)?;
    let worker = find(&core, &name).await?;
    let (answer, answered) = oneshot::channel();
    ask(&worker, Request::Settle { lease, report, answer })?;
    match answered.await.map_err(|_gone| stopped(&name))? {
        Ok(settled) => Ok(json(StatusCode::OK, |object| {
            object.json("acknowledged", &Json::integer(settled.n_acknowledged as u64));
            object.json("failed", &Json::integer(settled.n_failed as u64));
            object.json("left", &Json::integer(settled.n_left as u64));
        })),
        Err(UnknownLease) => {
            let message = "the lease ran out or is settled: what was not acknowledged comes again";
            Err(Failure::new(StatusCode::CONFLICT, "unknown_lease", message.to_owned()))
        }
    }
}

fn read_report(core: &Core, bytes: &[u8]) -> Result<(String, Report), Failure> {
    let mut tape = Tape::new();
    let value = body::object(&mut tape, bytes, &["lease", "positions", "upto", "failed"])?;
    let lease = body::text(value, "lease")?.ok_or_else(|| body::missing("lease"))?.into_owned();
    let mut report = Report::default();
    if let Some(positions) = body::member(value, "positions") {
        report.positions = body::places(core, "positions", positions)?;
    }
    if let Some(upto) = body::member(value, "upto") {
        report.upto = Some(body::place(core, "upto", upto)?);
    }
    if let Some(failed) = body::member(value, "failed") {
        let failures = body::items(failed, "failed", "objects, each with a position")?;
        report.failed =
            failures.map(|failure| read_failure(core, failure)).collect::<Result<_, _>>()?;
    }
    Ok((lease, report))
}

/// Reads which event failed, and why.
fn read_failure(core: &Core, failure: Value<'_>) -> Result<(u64, String), Failure> {
    body::check_object(failure, "each of `failed`", &["position", "reason"])?;
    let position = body::member(failure, "position");
    let position = position.ok_or_else(|| body::missing("failed/position"))?;
    let position = body::place(core, "failed/position", position)?;
    let reason = body::text(failure, "reason")?;
    let reason = reason.unwrap_or_else(|| "the subscriber failed".into());
    if reason.len() > REASON_BYTES_MAX {
        let wanted = format!("at most {REASON_BYTES_MAX} bytes");
        return Err(params::bad("failed/reason", "…", &wanted));
    }
    Ok((position, reason.into_owned()))
}

/// Returns whom to ask for the events of a subscription.
async fn find(core: &Core, name: &str) -> Result<mpsc::Sender<Request>, Failure> {
    catch_up_one(core, name).await?;
    if let Some(pull) = core.desk().running(name).and_then(|running| running.pull) {
        return Ok(pull);
    }
    let entry = core.desk().look(|books| books.get(name).cloned());
    let Some(entry) = entry else {
        return Err(refused(ChangeError::Missing { name: name.to_owned() }));
    };
    let state = entry.definition.as_ref().map_or("unreadable", |now| now.state.as_str());
    let message = match entry.definition.as_ref().map(|now| now.kind.as_str()) {
        Ok("pull") | Err(_) => format!("the subscription `{name}` is {state}"),
        Ok(kind) => format!("the subscription `{name}` is of the kind {kind}"),
    };
    Err(Failure::new(StatusCode::CONFLICT, "not_lending", message))
}

fn ask(worker: &mpsc::Sender<Request>, request: Request) -> Result<(), Failure> {
    worker.try_send(request).map_err(|_full| {
        let message = "too many wait for the events of this subscription".to_owned();
        Failure::new(StatusCode::TOO_MANY_REQUESTS, "too_many_pulls", message).retry_after(1)
    })
}

fn stopped(name: &str) -> Failure {
    let message = format!("the subscription `{name}` was changed, or too many wait: ask again");
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", message).retry_after(1)
}
