//! `POST /mcp`: the Model Context Protocol over HTTP. The body is taken as everywhere, and what the protocol itself has no words for
//! is answered as everywhere.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use http_body_util::{BodyExt as _, Full, Limited};

use super::answer::Failure;
use super::body;
use crate::Core;
use crate::mcp::Service;

/// Bytes of a message that comes without a form of its own.
const MESSAGE_BYTES_MAX: usize = 4096;

/// Returns the routes.
pub(super) fn routes(core: &Core) -> Router<Core> {
    Router::new().route("/mcp", post(take)).layer(Extension(Service::new(core)))
}

async fn take(
    State(core): State<Core>,
    Extension(service): Extension<Service>,
    request: Request,
) -> Result<Response, Failure> {
    let (mut parts, body) = request.into_parts();
    let kind = parts.headers.get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    // The protocol has its clients say that they take both; who takes anything does.
    let accept = parts.headers.get(ACCEPT);
    if accept.is_none_or(|accept| accept.as_bytes() == b"*/*") {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(ACCEPT, both);
    }
    let held = body::collect(&core, &parts.headers, body).await?;
    parts.headers.remove(CONTENT_ENCODING);
    parts.headers.remove(CONTENT_LENGTH);
    let body = Full::new(held.bytes.clone());
    let response = service.answer(axum::http::Request::from_parts(parts, body)).await;
    drop(held);
    told(response, is_json).await
}

/// Gives an answer that is mere text the form that all failures have.
async fn told(response: Response<Body>, is_json: bool) -> Result<Response, Failure> {
    let status = match response.status() {
        // So a body is refused that is not what its type says.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => StatusCode::BAD_REQUEST,
        status => status,
    };
    let has_form = response.headers().contains_key(CONTENT_TYPE)
        && !response.headers()[CONTENT_TYPE].as_bytes().starts_with(b"text/plain");
    if has_form || status.is_success() {
        return Ok(response);
    }
    let text = Limited::new(response.into_body(), MESSAGE_BYTES_MAX).collect().await;
    let text = text.map(|text| text.to_bytes()).unwrap_or_default();
    let code = match status {
        StatusCode::NOT_ACCEPTABLE => "not_acceptable",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unknown_content_type",
        StatusCode::NOT_FOUND => "unknown_session",
        _ => "bad_message",
    };
    Err(Failure::new(status, code, String::from_utf8_lossy(&text)))
}
