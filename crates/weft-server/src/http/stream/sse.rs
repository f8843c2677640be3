//! Server-sent events: what a browser's `EventSource` understands, a record each.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::time::Instant;

use super::{Stream, TOLD_AFTER};
use crate::feed::Chunk;
use crate::{Core, place, record};

/// What a stream begins with: how soon to come again after it broke off, in milliseconds.
const GREETING: &str = "retry: 1000\n\n";

/// Bytes that most records have beside their event.
const ADDED_BYTES: usize = 320;

/// Answers with a stream.
pub(super) fn answer(core: Core, live: Stream) -> Response {
    let first = Bytes::from_static(GREETING.as_bytes());
    let state = State { core, live, next: Next::Send(first), sent: None };
    let body = Body::from_stream(stream::unfold(state, step));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // A proxy that gathers what it is sent would hold events back.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}

struct State {
    core: Core,
    live: Stream,
    next: Next,
    /// When the last portion was handed over.
    sent: Option<Instant>,
}

enum Next {
    Send(Bytes),
    Wait,
    End,
}

async fn step(mut state: State) -> Option<(Result<Bytes, Infallible>, State)> {
    let patience = state.core.limits().reader_patience / TOLD_AFTER;
    if state.sent.is_some_and(|sent| sent.elapsed() > patience) {
        state.next = Next::End;
        let farewell = farewell(&state, "slow");
        state.sent = None;
        return Some((Ok(farewell), state));
    }
    let bytes = match std::mem::replace(&mut state.next, Next::Wait) {
        Next::End => return None,
        Next::Send(bytes) => bytes,
        Next::Wait if state.live.is_revoked() => {
            state.next = Next::End;
            farewell(&state, "revoked")
        }
        Next::Wait => {
            let ended = state.core.clone();
            let heartbeat = state.core.limits().heartbeat;
            tokio::select! {
                portion = state.live.next() => match portion {
                    Ok(Some(portion)) => write(state.core.store_id(), &portion),
                    Ok(None) => {
                        state.next = Next::End;
                        farewell(&state, "shutdown")
                    }
                    Err(error) => {
                        tracing::warn!("a stream ends: {error}");
                        state.next = Next::End;
                        farewell(&state, "unreadable")
                    }
                },
                () = tokio::time::sleep(heartbeat) => alive(&state),
                () = ended.ended() => {
                    state.next = Next::End;
                    farewell(&state, "shutdown")
                }
            }
        }
    };
    state.sent = Some(Instant::now());
    Some((Ok(bytes), state))
}

fn write(store_id: &str, portion: &Chunk) -> Bytes {
    let bytes: usize = portion.records.iter().map(|live| live.line.len() + ADDED_BYTES).sum();
    let mut out = Vec::with_capacity(bytes);
    let mut data = Vec::new();
    for (first, last) in &portion.lost {
        let lost = format!("event: lost\ndata: {{\"first\":{first},\"last\":{last}}}\n\n");
        out.extend_from_slice(lost.as_bytes());
    }
    for live in &portion.records {
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(place::write(store_id, live.meta.position.get()).as_bytes());
        out.extend_from_slice(b"\ndata: ");
        if live.line.contains(&b'\r') {
            data.clear();
            record::write(&mut data, store_id, &live.meta, &live.line);
            put_data(&mut out, &data);
        } else {
            record::write(&mut out, store_id, &live.meta, &live.line);
        }
        out.extend_from_slice(b"\n\n");
    }
    out.into()
}

/// Writes one line of data, or more: a carriage return, which may stand between the parts of an event, ends a line here. Whoever
/// reads the lines puts line feeds between them, which mean the same there.
fn put_data(out: &mut Vec<u8>, data: &[u8]) {
    for (idx, line) in data.split(|byte| *byte == b'\r').enumerate() {
        if idx > 0 {
            out.extend_from_slice(b"\ndata: ");
        }
        out.extend_from_slice(line);
    }
}

/// Says that the stream is alive, and how far it has looked: a reader that breaks off here need not look at all that again.
fn alive(state: &State) -> Bytes {
    match state.live.seen {
        0 => Bytes::from_static(b": alive\n\n"),
        seen => format!(": alive\nid: {}\n\n", place::write(state.core.store_id(), seen)).into(),
    }
}

/// Says why the stream ends, and where to resume.
fn farewell(state: &State, why: &str) -> Bytes {
    let cursor = place::write(state.core.store_id(), state.live.seen);
    format!("event: resume\ndata: {{\"why\":\"{why}\",\"after\":\"{cursor}\"}}\n\n").into()
}

#[cfg(test)]
mod tests;
