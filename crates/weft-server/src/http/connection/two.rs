//! One connection of HTTP/2: many requests at a time, each limit by name.
//!
//! A connection that nothing is asked on for too long is ended, and so is one with an answer on it that its client does not take.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::Instant;

use super::HEADER_BYTES_MAX;
use crate::http::Front;

/// Requests of one connection at a time.
const STREAMS_MAX: u32 = 100;
/// Requests that a client took back before they were looked at; beyond it the connection ends.
const RESETS_MAX: usize = 20;
/// Bytes that a client may send of one request before it is told that some were read.
const STREAM_WINDOW_BYTES: u32 = 256 << 10;
/// The same of all requests of a connection together.
const CONNECTION_WINDOW_BYTES: u32 = 1 << 20;
/// Bytes of one frame.
const FRAME_BYTES_MAX: u32 = 16 << 10;
/// Bytes of one answer that wait to be sent.
const SEND_BYTES_MAX: usize = 256 << 10;
/// How often a quiet client is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(20);

/// Serves a connection until its client or the server ends it.
pub(super) async fn serve<I>(io: I, front: &Front)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let core = front.core();
    let (patience, reader_patience) =
        (core.limits().request_patience, core.limits().reader_patience);
    let mut http = http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_pending_accept_reset_streams(RESETS_MAX)
        .max_local_error_reset_streams(RESETS_MAX)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(FRAME_BYTES_MAX)
        .max_send_buf_size(SEND_BYTES_MAX)
        .max_header_list_size(HEADER_BYTES_MAX as u32)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(reader_patience);
    let streams = Arc::new(Streams::default());
    let counted = Arc::clone(&streams);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (front, place) = (front.clone(), Streams::enter(&counted));
        async move {
            let response = front.answer(request.map(Body::new)).await;
            Ok::<_, Infallible>(response.map(|body| Paced { body, place }))
        }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(io), service));
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = streams.quiet(patience) => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(patience, connection.as_mut()).await {
                Ok(served) => served,
                Err(_elapsed) => return,
            }
        }
        () = streams.stalled(reader_patience) => {
            return tracing::debug!("a connection ended: an answer on it was not taken");
        }
        () = core.ended() => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
    };
    if let Err(error) = served {
        tracing::debug!("a connection ended: {error}");
    }
}

/// The requests of a connection that are not answered yet, or whose answers are being sent.
#[derive(Default)]
struct Streams {
    n_open: watch::Sender<usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// When the last piece of an answer was handed on that is being sent.
    handed: HashMap<u64, Instant>,
}

impl Streams {
    fn enter(streams: &Arc<Self>) -> Place {
        let mut state = streams.state();
        state.next += 1;
        let id = state.next;
        drop(state);
        streams.n_open.send_modify(|n| *n += 1);
        Place { streams: Arc::clone(streams), id }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing was asked for so long.
    async fn quiet(&self, patience: Duration) {
        let mut n_open = self.n_open.subscribe();
        loop {
            // The sender is ours, and does not go away.
            drop(n_open.wait_for(|n| *n == 0).await);
            let asked = n_open.wait_for(|n| *n > 0);
            if tokio::time::timeout(patience, asked).await.is_err() {
                return;
            }
        }
    }

    /// Waits until a piece of an answer was not taken for so long.
    async fn stalled(&self, patience: Duration) {
        loop {
            tokio::time::sleep(patience / 2).await;
            let is_late = |handed: &Instant| handed.elapsed() >= patience;
            if self.state().handed.values().any(is_late) {
                return;
            }
        }
    }
}

/// The place of one request among those of its connection, given back when it is dropped.
struct Place {
    streams: Arc<Streams>,
    id: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.streams.state().handed.remove(&self.id);
        self.streams.n_open.send_modify(|n| *n -= 1);
    }
}

/// The body of an answer. It is asked for the next piece when there is room to send it.
struct Paced {
    body: Body,
    place: Place,
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let mut state = self.place.streams.state();
        match &polled {
            Poll::Ready(Some(Ok(_))) => {
                state.handed.insert(self.place.id, Instant::now());
            }
            Poll::Ready(_) | Poll::Pending => {
                state.handed.remove(&self.place.id);
            }
        }
        drop(state);
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
