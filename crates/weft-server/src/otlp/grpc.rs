//! Exports over gRPC: the three services of OTLP, one message each way, on the same port as everything else.
//!
//! It is what gRPC asks of one call and no more, so that bodies are read within the same limits and the same memory as all others.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use bytes::{BufMut as _, Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use weft_event::translate::otlp::Signal;

use super::take::take;
use super::{Form, protobuf};
use crate::http::answer::Failure;
use crate::http::body::{self, Encoding, Held};
use crate::{Core, base64};

/// What the content types of gRPC begin with.
pub(super) const CONTENT: &str = "application/grpc";

/// Bytes before a message: whether it is compressed, and how long it is.
const FRAME_BYTES: usize = 5;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");
const ACCEPTED: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// The codes of gRPC that are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    InvalidArgument = 3,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    Unimplemented = 12,
    Unavailable = 14,
    Unauthenticated = 16,
}

impl Code {
    /// Returns the code of a failure. `Unavailable` is what an exporter sends again; `ResourceExhausted` only if it is told when.
    pub(super) fn of(failure: &Failure) -> Self {
        match failure.status() {
            StatusCode::UNAUTHORIZED => Code::Unauthenticated,
            StatusCode::FORBIDDEN => Code::PermissionDenied,
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => {
                Code::ResourceExhausted
            }
            StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::Unimplemented,
            StatusCode::REQUEST_TIMEOUT => Code::Unavailable,
            status if status.is_server_error() => Code::Unavailable,
            _ => Code::InvalidArgument,
        }
    }

    pub(super) fn number(self) -> u64 {
        self as u64
    }
}

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Signal::ALL.into_iter().fold(Router::new(), |router, signal| {
        let export = move |core, request| export(core, request, signal);
        router.route(path(signal), post(export))
    })
}

/// Returns where a signal is exported to.
pub(super) fn path(signal: Signal) -> &'static str {
    match signal {
        Signal::Logs => "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
        Signal::Traces => "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        Signal::Metrics => "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
    }
}

async fn export(State(core): State<Core>, request: Request, signal: Signal) -> Response {
    let (parts, body) = request.into_parts();
    let taken = match message(&core, &parts, body).await {
        Ok(held) => take(&core, signal, Form::Protobuf, held).await,
        Err(failure) => Err(failure),
    };
    match taken {
        Ok(report) => succeeded(&report.to_protobuf(signal)),
        Err(failure) => {
            if failure.status() == StatusCode::TOO_MANY_REQUESTS {
                core.counters().turned_away();
            }
            failed(&failure)
        }
    }
}

/// Reads the one message of a call.
async fn message(core: &Core, parts: &Parts, body: Body) -> Result<Held, Failure> {
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    if !matches!(kind, "application/grpc" | "application/grpc+proto") {
        body::discard(&parts.headers, body).await;
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let message = "this path speaks gRPC: application/grpc or application/grpc+proto";
        return Err(Failure::new(status, "unknown_content_type", message));
    }
    let mut held = body::receive(core, &parts.headers, body).await?;
    let broken = |message| Failure::bad("bad_frame", message);
    let Some((frame, message)) = held.bytes.split_first_chunk::<FRAME_BYTES>() else {
        return Err(broken("there is no message in the call"));
    };
    let [flag, length @ ..] = *frame;
    if u32::from_be_bytes(length) as usize != message.len() {
        return Err(broken("the call has to have one message, and that whole"));
    }
    let encoding = match flag {
        0 => Encoding::Identity,
        1 => encoding_of(&parts.headers)?,
        _ => return Err(broken("the message's flags are not known")),
    };
    held.bytes = held.bytes.slice(FRAME_BYTES..);
    body::expand(core, held, encoding).await
}

fn encoding_of(headers: &HeaderMap) -> Result<Encoding, Failure> {
    match headers.get(ENCODING).map(HeaderValue::as_bytes) {
        Some(b"gzip") => Ok(Encoding::Gzip),
        Some(b"identity") => Ok(Encoding::Identity),
        Some(_) => {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let message = "the message's encoding is not known: gzip is";
            Err(Failure::new(status, "unknown_encoding", message))
        }
        None => {
            let message =
                "the message is compressed, and nothing says how: grpc-encoding is missing";
            Err(Failure::bad("unknown_encoding", message))
        }
    }
}

/// Returns the answer to a call that was taken: the message, and behind it that all is well.
fn succeeded(message: &[u8]) -> Response {
    let mut frame = BytesMut::with_capacity(FRAME_BYTES + message.len());
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).expect("a report is a few hundred bytes"));
    frame.put_slice(message);
    let mut trailers = HeaderMap::new();
    trailers.insert(STATUS, HeaderValue::from(0));
    let body = Full::<Bytes>::new(frame.freeze()).with_trailers(async { Some(Ok(trailers)) });
    let mut response = Response::new(Body::new(body));
    put_kind(&mut response);
    response
}

/// Returns the answer to a call that failed: the status, and no message.
pub(super) fn failed(failure: &Failure) -> Response {
    let code = Code::of(failure);
    let mut response = StatusCode::OK.into_response();
    put_kind(&mut response);
    let headers = response.headers_mut();
    headers.insert(STATUS, HeaderValue::from(code.number()));
    let message = HeaderValue::try_from(percent_encoded(failure.message()));
    headers.insert(MESSAGE, message.expect("what is percent-encoded is plain text"));
    if let Some(seconds) = failure.retry_after_s() {
        let details = base64::encode(&with_retry(code, failure.message(), seconds));
        let details = HeaderValue::try_from(details.trim_end_matches('='));
        headers.insert(DETAILS, details.expect("base64 is plain text"));
    }
    response
}

fn put_kind(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(CONTENT));
    headers.insert(ACCEPTED, HeaderValue::from_static("identity,gzip"));
}

/// Returns a `google.rpc.Status` that says when to send the same again.
fn with_retry(code: Code, message: &str, seconds: u64) -> Vec<u8> {
    let mut retry = Vec::new();
    protobuf::bytes(&mut retry, 1, &protobuf::numbered(seconds, ""));
    let mut detail = Vec::new();
    protobuf::bytes(&mut detail, 1, b"type.googleapis.com/google.rpc.RetryInfo");
    protobuf::bytes(&mut detail, 2, &retry);
    let mut status = protobuf::numbered(code.number(), message);
    protobuf::bytes(&mut status, 3, &detail);
    status
}

/// Writes what is not plain text as percent signs and hex digits.
fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'%';
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match is_plain(byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
