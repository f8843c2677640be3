//! Whether the server is alive, whether it is ready, and what it counts.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use weft_event::json::Json;
use weft_log::index::{self, Follower, IndexError};
use weft_log::log::{Batch, Durability};

use super::answer::{self, Failure};
use crate::Core;
use crate::metrics::Readings;
use crate::writer::WriteFailure;

/// How long the writer may take to say that it is there.
const WRITER_PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn routes() -> Router<Core> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

async fn alive() -> Response {
    answer::json(StatusCode::OK, r#"{"alive":true}"#.to_owned())
}

/// Answers whether events would be taken and found again.
async fn ready(State(core): State<Core>) -> Result<Response, Failure> {
    let store = store_state(&core).await;
    let index = index_state(&core).await;
    let checks = Json::object(|checks| {
        checks.text("store", store.unwrap_or("ok"));
        checks.text("index", index.unwrap_or("ok"));
    });
    if store.is_none() && index.is_none() {
        let text = format!(r#"{{"ready":true,"checks":{}}}"#, checks.as_str());
        return Ok(answer::json(StatusCode::OK, text));
    }
    let status = StatusCode::SERVICE_UNAVAILABLE;
    Err(Failure::new(status, "not_ready", "the server is not ready")
        .with("checks", checks)
        .retry_after(1))
}

/// Returns what is wrong with the store, if anything. The writer is asked to append nothing: it has to be there, and after a failed
/// write it opens the store again to do so.
async fn store_state(core: &Core) -> Option<&'static str> {
    if core.is_ended() {
        return Some("the server is shutting down");
    }
    let (events, conditions) = (Vec::new(), Vec::new());
    let nothing = Batch { events, conditions, durability: Durability::Written };
    match tokio::time::timeout(WRITER_PATIENCE, core.appender().append(nothing)).await {
        Ok(Ok(_)) if core.counters().is_failing() => Some("the last events could not be written"),
        Ok(Ok(_)) => None,
        Ok(Err(WriteFailure::Busy)) | Err(_) => Some("too many events wait to be written"),
        Ok(Err(WriteFailure::Opening { .. })) => Some("the store is being brought in order"),
        Ok(Err(WriteFailure::Closed)) => Some("the server is shutting down"),
        Ok(Err(WriteFailure::Append(_))) => Some("the store cannot be written"),
    }
}

async fn index_state(core: &Core) -> Option<&'static str> {
    match indexed(core).await {
        None => Some("the index cannot be read"),
        Some(indexed) => {
            let lag = core.feed().last().saturating_sub(indexed);
            (lag > core.limits().index_lag_max).then_some("the index is behind")
        }
    }
}

/// Returns the last position that the index has.
async fn indexed(core: &Core) -> Option<u64> {
    let path = core.store().index();
    let read = move || {
        let mark = index::Reader::open(&path)?.watermark(Follower::Core)?;
        Ok::<_, IndexError>(mark.position)
    };
    match core.intake().aside(read).await {
        Ok(position) => Some(position),
        Err(error) => {
            tracing::warn!("the index cannot be read: {error}");
            None
        }
    }
}

async fn metrics(State(core): State<Core>) -> Response {
    let readings = Readings {
        since: core.since(),
        position: core.last(),
        indexed: indexed(&core).await,
        queue_bytes: core.appender().waiting_bytes(),
        n_streams: core.n_streams(),
        redacted: core.store().redaction().counts(),
    };
    let text = core.counters().render(&readings);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
