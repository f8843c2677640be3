//! The answer to a request that failed: a status, and `{"error":{"code":…,"message":…}}` with what else helps the client.

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use weft_event::json::{Json, Object};
use weft_log::log::AppendError;

use crate::room::NoRoom;
use crate::writer::WriteFailure;

/// Seconds after which a request may be sent again that came while too much was waiting.
const BUSY_RETRY_S: u32 = 1;
/// Seconds after which a request may be sent again that found no store to write to.
const UNWRITABLE_RETRY_S: u32 = 5;

/// Bytes of a message. What a client sent may be part of one, and is not sent back whole.
const MESSAGE_BYTES_MAX: usize = 2048;

/// A request that failed. Codes are part of the interface: programs match on them.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    code: &'static str,
    message: String,
    more: Vec<(&'static str, Json<'static>)>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Failure {
    /// Returns a failure with what a program and what a person is told.
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MESSAGE_BYTES_MAX {
            message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
            message.push('…');
        }
        Self { status, code, message, more: Vec::new(), headers: Vec::new() }
    }

    /// Returns a failure of what the client sent.
    pub(crate) fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// Says that the log cannot be read now.
    pub(crate) fn store(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!("cannot read the log: {error}");
        let message = format!("the log cannot be read: {error}");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unreadable", message).retry_after(1)
    }

    /// Adds a member to the error.
    pub(crate) fn with(mut self, name: &'static str, value: Json<'static>) -> Self {
        self.more.push((name, value));
        self
    }

    /// Adds a header.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Says when to ask again.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.with_header(RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// Ends the connection after the answer: what is left of the request is not read.
    pub(crate) fn closing(self) -> Self {
        self.with_header(CONNECTION, HeaderValue::from_static("close"))
    }

    /// Returns it with another status.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Returns what a person is told.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the headers that go with the answer.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    /// Returns after how many seconds to ask again, if it says so.
    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        let (_, seconds) = self.headers.iter().find(|(name, _)| name == RETRY_AFTER)?;
        seconds.to_str().ok()?.parse().ok()
    }

    /// Returns the status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self { status, code, message, more, headers } = self;
        let mut text = String::with_capacity(64 + message.len());
        let mut outer = Object::begin(&mut text);
        let mut error = Object::begin(outer.key("error"));
        error.text("code", code);
        error.text("message", &message);
        more.iter().for_each(|(name, value)| error.json(name, value));
        error.end();
        outer.end();
        let mut response = json(status, text);
        headers.into_iter().for_each(|(name, value)| {
            response.headers_mut().insert(name, value);
        });
        response
    }
}

impl From<NoRoom> for Failure {
    fn from(error: NoRoom) -> Self {
        let status = StatusCode::TOO_MANY_REQUESTS;
        Self::new(status, "busy", error.to_string()).retry_after(BUSY_RETRY_S)
    }
}

impl From<WriteFailure> for Failure {
    fn from(failure: WriteFailure) -> Self {
        let unavailable = |code, message: &str| {
            let failure = Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message);
            failure.retry_after(UNWRITABLE_RETRY_S)
        };
        match failure {
            WriteFailure::Busy => {
                let status = StatusCode::TOO_MANY_REQUESTS;
                Self::new(status, "busy", failure.to_string()).retry_after(BUSY_RETRY_S)
            }
            WriteFailure::Opening { .. } => {
                unavailable("opening", "the store is being brought in order: try again later")
            }
            WriteFailure::Closed => {
                unavailable("shutting_down", "the server is shutting down").closing()
            }
            WriteFailure::Append(AppendError::Condition { ref topic, actual }) => {
                let key = topic.key.as_deref().unwrap_or_default();
                let last = actual.map_or(Json::null(), |actual| Json::integer(actual.get()));
                Self::new(StatusCode::CONFLICT, "unexpected_last", failure.to_string())
                    .with("topic", Json::text(&topic.topic))
                    .with("key", Json::text(key))
                    .with("last", last)
            }
            WriteFailure::Append(
                AppendError::Write(_)
                | AppendError::Begin(_)
                | AppendError::Identity(_)
                | AppendError::Left,
            ) => unavailable("store_unwritable", "the store cannot be written now"),
        }
    }
}

/// Returns an answer of JSON text.
pub(crate) fn json(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests;
