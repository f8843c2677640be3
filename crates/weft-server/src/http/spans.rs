//! `GET /v1/traces/{id}/spans`: the spans of a trace as a tree, from top to bottom.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;
use weft_event::Status;
use weft_log::Position;
use weft_view::At;
use weft_view::traces::{Span, Spans, branches};

use super::answer::Failure;
use super::params::{self, Name, Params};
use super::read::{JSON, PRODUCER_BYTES_MAX, Written, whole};
use crate::Core;
use crate::views::Reading;

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new().route("/v1/traces/{id}/spans", get(spans))
}

/// A trace.
#[derive(Serialize)]
struct Trace<'t> {
    trace: &'t str,
    position: u64,
    spans: Vec<Row<'t>>,
}

/// One span, or a record of the trace that names none.
#[derive(Serialize)]
struct Row<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'s str>,
    depth: usize,
    name: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<At>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<At>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    positions: &'s [u64],
}

async fn spans(State(core): State<Core>, Name(id): Name, uri: Uri) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["upto"])?;
    let upto = params.upto("upto", &core).await?;
    let filter = params::is_exactly("trace", &id)?;
    let room = core.reads().room(PRODUCER_BYTES_MAX).await?;
    let end = upto.or_else(|| Position::new(core.last())).unwrap_or(Position::FIRST);
    let page = whole(&core, filter, end).await?;
    if page.records.is_empty() {
        let message = format!("there is no trace `{id}`");
        return Err(Failure::new(StatusCode::NOT_FOUND, "not_found", message));
    }
    let text = core.reads().aside(move |_| {
        let (mut reading, mut gathered) = (Reading::default(), Spans::default());
        for found in &page.records {
            reading.entry(&found.meta, &found.line, |entry| gathered.add(entry));
        }
        written(&id, end.get(), &gathered.finish())
    });
    Ok(Written { kind: JSON, out: text.await.into_bytes() }.hold(room))
}

fn written(trace: &str, position: u64, spans: &[Span]) -> String {
    let rows = branches(spans).into_iter().map(|branch| {
        let span = &spans[branch.span_idx];
        Row {
            id: span.id.as_deref(),
            parent: span.parent.as_deref(),
            depth: branch.depth,
            name: &span.label,
            actor: span.actor.as_deref(),
            status: span.status.map(Status::as_str),
            is_error: (span.status == Some(Status::Error)).then_some(true),
            from: span.start_ns.map(At),
            to: span.end_ns.filter(|end_ns| span.start_ns != Some(*end_ns)).map(At),
            duration_ms: span.took_ms(),
            positions: &span.positions,
        }
    });
    let trace = Trace { trace, position, spans: rows.collect() };
    serde_json::to_string(&trace).expect("it can be written as JSON") + "\n"
}
