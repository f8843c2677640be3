//! Exports over HTTP: `POST /v1/logs`, `/v1/traces` and `/v1/metrics`, answered in the form that they came in.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::post;
use weft_event::json::Json;
use weft_event::translate::otlp::Signal;

use super::grpc::Code;
use super::take::take;
use super::{Form, protobuf};
use crate::Core;
use crate::http::answer::Failure;
use crate::http::body;
use crate::http::events::ContentType;

/// Seconds after which a request may be sent again that did not come in time.
const SLOW_RETRY_S: u32 = 1;

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new()
        .route("/v1/logs", post(|core, request| export(core, request, Signal::Logs)))
        .route("/v1/traces", post(|core, request| export(core, request, Signal::Traces)))
        .route("/v1/metrics", post(|core, request| export(core, request, Signal::Metrics)))
}

/// Returns where a signal is exported to.
pub(super) fn path(signal: Signal) -> &'static str {
    match signal {
        Signal::Logs => "/v1/logs",
        Signal::Traces => "/v1/traces",
        Signal::Metrics => "/v1/metrics",
    }
}

async fn export(State(core): State<Core>, request: Request, signal: Signal) -> Response {
    let (parts, body) = request.into_parts();
    let Some(form) = form_of(&parts.headers) else {
        body::discard(&parts.headers, body).await;
        let message = "export requests are application/x-protobuf or application/json";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let failure = Failure::new(status, "unknown_content_type", message);
        return failed(Form::Json, &failure);
    };
    let held = body::collect(&core, &parts.headers, body).await.inspect_err(|failure| {
        if failure.status() == StatusCode::TOO_MANY_REQUESTS {
            core.counters().turned_away();
        }
    });
    let taken = match held {
        Ok(held) => take(&core, signal, form, held).await,
        Err(failure) => Err(failure),
    };
    match taken {
        Ok(report) => {
            let message = match form {
                Form::Protobuf => report.to_protobuf(signal),
                Form::Json => report.to_json(signal).into_bytes(),
            };
            answer(form, StatusCode::OK, message)
        }
        Err(failure) => failed(form, &failure),
    }
}

/// Returns the form that the headers announce; `None` if it is not known.
pub(super) fn form_of(headers: &HeaderMap) -> Option<Form> {
    let mut found = headers.get_all(CONTENT_TYPE).iter();
    let kind = found.next()?.to_str().ok().filter(|_| found.next().is_none())?;
    let kind = ContentType::parse(kind);
    match &*kind.name {
        "application/x-protobuf" => Some(Form::Protobuf),
        "application/json" if kind.is_utf8 => Some(Form::Json),
        _ => None,
    }
}

/// Returns the answer to a request that failed: a `google.rpc.Status` in the form that the request came in.
pub(super) fn failed(form: Form, failure: &Failure) -> Response {
    let code = Code::of(failure).number();
    let message = match form {
        Form::Protobuf => protobuf::numbered(code, failure.message()),
        Form::Json => {
            let status = Json::object(|status| {
                status.json("code", &Json::integer(code));
                status.text("message", failure.message());
            });
            status.as_str().as_bytes().to_vec()
        }
    };
    // Whoever was slow has still something to send, and 408 would be the last word.
    let is_slow = failure.status() == StatusCode::REQUEST_TIMEOUT;
    let status = if is_slow { StatusCode::SERVICE_UNAVAILABLE } else { failure.status() };
    let mut response = answer(form, status, message);
    if is_slow {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(SLOW_RETRY_S));
    }
    for (name, value) in failure.headers() {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

fn answer(form: Form, status: StatusCode, message: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(message));
    *response.status_mut() = status;
    let kind = match form {
        Form::Protobuf => "application/x-protobuf",
        Form::Json => "application/json",
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
