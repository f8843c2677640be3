//! The body of a request, whole and decompressed, in bounded memory and time.

use std::io::{self, Read};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, EXPECT};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};
use weft_event::json::Json;

use super::answer::Failure;
use crate::Core;
use crate::room::Room;
use crate::writer::WriteFailure;

/// The largest window of a compressed body, as a power of two: what the content coding `zstd` allows.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// How long the rest of a body that nobody wants is read and thrown away, so that its sender gets to see the answer.
const DRAIN: Duration = Duration::from_secs(2);

/// Bytes of a body that are thrown away after a request was refused for another reason; beyond it the connection ends.
const DISCARD_BYTES_MAX: usize = 1 << 20;

/// A body, and the room that it takes.
#[derive(Debug)]
pub(crate) struct Held {
    /// The bytes, decompressed.
    pub(crate) bytes: Bytes,
    room: Room,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Identity,
    Gzip,
    Zstd,
}

/// Reads the body of a request.
pub(crate) async fn collect(core: &Core, headers: &HeaderMap, body: Body) -> Result<Held, Failure> {
    let bytes_max = core.limits().body_bytes_max;
    let encoding = match Encoding::of(headers) {
        Ok(encoding) => encoding,
        Err(failure) => {
            discard(headers, body).await;
            return Err(failure);
        }
    };
    let held = receive(core, headers, body).await?;
    if encoding == Encoding::Identity {
        return Ok(held);
    }
    let Held { bytes, mut room } = held;
    room.add(core.intake().room(bytes_max + (1 << ZSTD_WINDOW_LOG_MAX)).await?);
    let decoded = core.intake().aside(move || decode(encoding, &bytes, bytes_max)).await;
    let bytes = match decoded {
        Ok(bytes) => Bytes::from(bytes),
        Err(Undecodable::TooLarge) => return Err(too_large(bytes_max)),
        Err(Undecodable::Damaged) => {
            let name = encoding.name();
            return Err(Failure::bad("bad_encoding", format!("the body is not whole {name}")));
        }
    };
    room.shrink(bytes.len());
    Ok(Held { bytes, room })
}

/// Reads the body as it comes.
async fn receive(core: &Core, headers: &HeaderMap, body: Body) -> Result<Held, Failure> {
    let limits = core.limits();
    let bytes_max = limits.body_bytes_max;
    let deadline = Instant::now() + limits.request_patience;
    let said = body.size_hint().exact().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut chunks = body.into_data_stream();
    let is_too_large = said.is_some_and(|length| length > bytes_max);
    // A client that waits to be told to go on is better told not to.
    if is_too_large && headers.contains_key(EXPECT) {
        return Err(too_large(bytes_max));
    }
    if is_too_large {
        drain(&mut chunks, bytes_max).await;
        return Err(too_large(bytes_max));
    }
    let mut room = core.intake().room(said.unwrap_or(0)).await?;
    let mut first: Option<Bytes> = None;
    let mut all: Vec<u8> = Vec::new();
    let over = core.ended_for_long();
    tokio::pin!(over);
    loop {
        let next = tokio::select! {
            biased;
            next = timeout_at(deadline, chunks.next()) => next,
            () = &mut over => return Err(WriteFailure::Closed.into()),
        };
        let chunk = match next {
            Ok(Some(Ok(chunk))) => chunk,
            Ok(Some(Err(_broken))) => {
                return Err(Failure::bad("bad_body", "the body ends early, or is not well formed")
                    .closing());
            }
            Ok(None) => break,
            Err(_elapsed) => return Err(too_slow(limits.request_patience)),
        };
        let whole = first.as_ref().map_or(all.len(), Bytes::len) + chunk.len();
        if whole > bytes_max {
            drain(&mut chunks, bytes_max).await;
            return Err(too_large(bytes_max));
        }
        if whole > room.bytes() {
            room.add(core.intake().room(whole.max(2 * room.bytes()) - room.bytes()).await?);
        }
        // A body that comes in one piece is not copied.
        match first.take() {
            None if all.is_empty() => first = Some(chunk),
            None => all.extend_from_slice(&chunk),
            Some(before) => {
                all.reserve(said.unwrap_or(whole));
                all.extend_from_slice(&before);
                all.extend_from_slice(&chunk);
            }
        }
    }
    Ok(Held { bytes: first.unwrap_or_else(|| Bytes::from(all)), room })
}

/// Reads a body that nobody wants, if it is small: a connection with a body left in it cannot be used again.
pub(crate) async fn discard(headers: &HeaderMap, body: Body) {
    let is_small = body.size_hint().lower() <= DISCARD_BYTES_MAX as u64;
    if is_small && !headers.contains_key(EXPECT) {
        drain(&mut body.into_data_stream(), DISCARD_BYTES_MAX).await;
    }
}

/// Reads on for a while without keeping anything.
async fn drain(chunks: &mut axum::body::BodyDataStream, bytes_max: usize) {
    let deadline = Instant::now() + DRAIN;
    let mut n_bytes = 0;
    while n_bytes <= bytes_max
        && let Ok(Some(Ok(chunk))) = timeout_at(deadline, chunks.next()).await
    {
        n_bytes += chunk.len();
    }
}

fn too_large(bytes_max: usize) -> Failure {
    let message = format!("the body is larger than {bytes_max} bytes (body_bytes_max)");
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
        .with("limit", Json::text("body_bytes_max"))
        .with("max", Json::integer(bytes_max as u64))
        .closing()
}

fn too_slow(patience: Duration) -> Failure {
    let patience = patience.as_secs_f64();
    let message = format!("the body did not come within {patience} seconds (request_patience)");
    Failure::new(StatusCode::REQUEST_TIMEOUT, "too_slow", message)
        .with("limit", Json::text("request_patience"))
        .closing()
}

impl Encoding {
    fn of(headers: &HeaderMap) -> Result<Self, Failure> {
        let mut found = headers.get_all(CONTENT_ENCODING).iter();
        let (first, more) = (found.next(), found.next());
        let Some(first) = first else { return Ok(Encoding::Identity) };
        let word = first.to_str().unwrap_or_default().trim().to_ascii_lowercase();
        match (word.as_str(), more) {
            ("identity" | "", None) => Ok(Encoding::Identity),
            ("gzip" | "x-gzip", None) => Ok(Encoding::Gzip),
            ("zstd", None) => Ok(Encoding::Zstd),
            _ => {
                let message = "the body's encoding is not known: gzip and zstd are, one at a time";
                let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
                let known = HeaderValue::from_static("gzip, zstd");
                Err(Failure::new(status, "unknown_encoding", message)
                    .with_header(ACCEPT_ENCODING, known))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Encoding::Identity => "identity",
            Encoding::Gzip => "gzip",
            Encoding::Zstd => "zstd",
        }
    }
}

/// Why a body could not be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Undecodable {
    TooLarge,
    Damaged,
}

fn decode(encoding: Encoding, bytes: &[u8], bytes_max: usize) -> Result<Vec<u8>, Undecodable> {
    let damaged = |_: io::Error| Undecodable::Damaged;
    match encoding {
        Encoding::Identity => Ok(bytes.to_vec()),
        Encoding::Gzip => read_up_to(MultiGzDecoder::new(bytes), bytes_max),
        Encoding::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(damaged)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG_MAX).map_err(damaged)?;
            read_up_to(decoder, bytes_max)
        }
    }
}

/// Reads everything, and stops one byte beyond the limit.
fn read_up_to(source: impl Read, bytes_max: usize) -> Result<Vec<u8>, Undecodable> {
    let mut bytes = Vec::new();
    let read = source.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
    match read {
        Ok(_) if bytes.len() > bytes_max => Err(Undecodable::TooLarge),
        Ok(_) => Ok(bytes),
        Err(_) => Err(Undecodable::Damaged),
    }
}

#[cfg(test)]
mod tests;
