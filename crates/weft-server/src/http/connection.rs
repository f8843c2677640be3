//! Connections: accepted up to a limit, given so long to send their headers, and ended with the server.
//!
//! Both versions of HTTP are spoken on one port, and the first bytes say which.

mod secure;
mod two;
mod version;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Front;
use crate::Core;
use crate::patience::Patient;
use crate::tls::Tls;
use version::{Begun, Version};

/// Bytes of a request's headers, first line included.
const HEADER_BYTES_MAX: usize = 64 << 10;

/// What half a request is told.
const TOO_SLOW: &str = r#""code":"too_slow","message":"the headers did not come in time (request_patience)","limit":"request_patience""#;

/// How long the listener rests after it failed to accept, such as for want of descriptors.
const REST: Duration = Duration::from_millis(100);

/// Serves connections until the server ends; then those that are open may finish what they are at.
pub async fn serve(listener: TcpListener, front: Front) {
    let core = front.core().clone();
    accept(listener, &core, move |stream| serve_connection(stream, front.clone())).await;
}

/// Serves encrypted connections in the same way.
pub async fn serve_tls(listener: TcpListener, tls: Tls, front: Front) {
    let core = front.core().clone();
    accept(listener, &core, move |stream| {
        let (tls, front) = (tls.acceptor(), front.clone());
        async move {
            if let Some(stream) = secure::shake_hands(stream, &tls, front.core()).await {
                serve_connection(stream, front).await;
            }
        }
    })
    .await;
}

async fn accept<F>(listener: TcpListener, core: &Core, serve: impl Fn(Patient<TcpStream>) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(core.limits().connections_max));
    let mut open = JoinSet::new();
    loop {
        let next = async {
            let place = Arc::clone(&room).acquire_owned().await.expect("nobody closes it");
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            Some(_ended) = open.join_next() => continue,
            () = core.ended() => break,
        };
        let (stream, _peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("a connection ended before it began: {error}");
            continue;
        }
        let served = serve(Patient::new(stream, core.limits().reader_patience));
        open.spawn(async move {
            served.await;
            drop(place);
        });
    }
    drop(listener);
    while open.join_next().await.is_some() {}
    // A WebSocket is no longer part of the connection that it began as.
    core.streams_ended().await;
}

/// Serves one connection, of whatever kind, until its client or the server ends it.
pub async fn serve_connection<I>(io: I, front: Front)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let core = front.core();
    let _open = Open::count(core);
    let mut io = Begun::new(io);
    let version = tokio::select! {
        version = timeout(core.limits().request_patience, io.version()) => version,
        () = core.ended() => return,
    };
    match version {
        Ok(Ok(Version::One)) => serve_one(io, &front).await,
        Ok(Ok(Version::Two)) => two::serve(io, &front).await,
        Ok(Err(error)) => tracing::debug!("a connection ended: {error}"),
        Err(_elapsed) if io.has_begun() => tell(io, "408 Request Timeout", TOO_SLOW).await,
        Err(_elapsed) => {}
    }
}

/// Serves one connection of HTTP/1.
async fn serve_one<I>(io: I, front: &Front)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let core = front.core();
    let mut http = http1::Builder::new();
    // A client that has sent all it has to say may close its side and still wait for the answer.
    http.half_close(true)
        .timer(TokioTimer::new())
        .header_read_timeout(core.limits().request_patience)
        .max_header_size(HEADER_BYTES_MAX);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let answer = front.clone().answer(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let mut connection = http.serve_connection(TokioIo::new(io), service).with_upgrades();
    let served = tokio::select! {
        served = &mut connection => served,
        () = core.ended() => {
            std::pin::Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let Err(error) = served else { return };
    let parts = connection.into_parts();
    match parts {
        // Half a request is told that it took too long; a connection that is only idle ends without a word.
        Some(parts) if error.is_timeout() && !parts.read_buf.is_empty() => {
            tell(parts.io.into_inner(), "408 Request Timeout", TOO_SLOW).await;
        }
        Some(_) | None => tracing::debug!("a connection ended: {error}"),
    }
}

/// Answers a connection that no request was read from with the members of an error, and ends it.
async fn tell(mut io: impl AsyncWrite + Unpin, status: &str, error: &str) {
    let text = format!(r#"{{"error":{{{error}}}}}"#);
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    );
    let told = async {
        io.write_all(answer.as_bytes()).await?;
        io.shutdown().await
    };
    // A client that is gone needs no answer, and one that does not read gets no more time.
    drop(tokio::time::timeout(REST, told).await);
}

/// One open connection, counted while it lasts.
struct Open<'c>(&'c AtomicU64);

impl<'c> Open<'c> {
    fn count(core: &'c Core) -> Self {
        let connections = &core.counters().connections;
        connections.fetch_add(1, Ordering::Relaxed);
        Self(connections)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
