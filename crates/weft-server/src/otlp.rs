//! OTLP, as agents and their SDKs export it: logs, spans and metrics, over HTTP and over gRPC, on the server's one port.
//!
//! Whatever way a request comes, it is read, judged and stored in one place, `take`; the ways differ in how it is wrapped and how it is
//! answered. Nothing is answered as taken before it is durable.

mod grpc;
mod http;
mod protobuf;
mod report;
mod take;
pub mod wire;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use weft_event::translate::otlp::Signal;

use crate::Core;
use crate::http::answer::Failure;

/// Returns the routes.
pub(crate) fn routes() -> Router<Core> {
    http::routes().merge(grpc::routes())
}

/// How an exporter speaks, and is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speech {
    /// Over HTTP, in this form.
    Http(Form),
    /// Over gRPC.
    Grpc,
}

/// The form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Protocol Buffers.
    Protobuf,
    /// OTLP/JSON.
    Json,
}

impl Speech {
    /// Returns how whoever sent a request speaks; `None` if it is no exporter.
    pub(crate) fn of(parts: &Parts) -> Option<Self> {
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with(grpc::CONTENT)) {
            return Some(Speech::Grpc);
        }
        let is_known = Signal::ALL.iter().any(|signal| http::path(*signal) == parts.uri.path());
        is_known.then(|| Speech::Http(http::form_of(&parts.headers).unwrap_or(Form::Json)))
    }

    /// Returns the answer to a request that failed.
    pub(crate) fn failed(self, failure: &Failure) -> Response {
        match self {
            Speech::Http(form) => http::failed(form, failure),
            Speech::Grpc => grpc::failed(failure),
        }
    }
}

/// Returns whether requests to a path are exports: who sends them has to be allowed to write.
pub(crate) fn is_export(path: &str) -> bool {
    Signal::ALL.iter().any(|signal| http::path(*signal) == path || grpc::path(*signal) == path)
}

#[cfg(test)]
mod tests;
