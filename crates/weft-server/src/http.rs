//! The HTTP interface: one front for the parts of the server. Each part has its own file and its own routes.

pub(crate) mod answer;
pub(crate) mod body;
mod cloud;
mod connection;
pub(crate) mod events;
mod filter;
mod front;
mod guard;
mod health;
mod loops;
mod mcp;
mod openapi;
pub(crate) mod params;
pub(crate) mod query;
mod read;
mod sending;
mod spans;
mod store;
mod stream;
mod subs;
mod talk;
mod timeline;
mod views;
mod web;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};

use crate::access::Access;
use crate::otlp::Speech;
use crate::{Core, otlp};
use answer::Failure;

pub use connection::{serve, serve_connection, serve_tls};
pub use front::Front;

/// Returns everything that is served over HTTP, behind the checks of who may ask.
pub fn front(core: &Core, access: Access) -> Front {
    let router = Router::new()
        .merge(events::routes())
        .merge(filter::routes())
        .merge(health::routes())
        .merge(loops::routes())
        .merge(mcp::routes(core))
        .merge(openapi::routes())
        .merge(otlp::routes())
        .merge(read::routes())
        .merge(spans::routes())
        .merge(store::routes(&access))
        .merge(stream::routes())
        .merge(subs::routes())
        .merge(talk::routes())
        .merge(timeline::routes())
        .merge(views::routes())
        .merge(web::routes(&access))
        .method_not_allowed_fallback(wrong_method)
        .with_state(core.clone());
    Front::new(router, access, core.clone())
}

async fn unknown_path(request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let path: String = parts.uri.path().chars().take(200).collect();
    let message = format!("there is nothing at {path}");
    let failure = Failure::new(StatusCode::NOT_FOUND, "unknown_path", message);
    match Speech::of(&parts) {
        Some(speech) => speech.failed(&failure),
        None => failure.into_response(),
    }
}

async fn wrong_method(method: Method, uri: Uri) -> Failure {
    let path: String = uri.path().chars().take(200).collect();
    let message = format!("{path} does not take {method}");
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", message)
}
