//! The dashboard: its page at every address that is none of the interface's, and its files. They are given without a token and hold no
//! data where one is needed; where none is, a page comes with what it shows first.

mod assets;
mod first;

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use bytes::Bytes;
use futures_util::stream;

use super::unknown_path;
use crate::Core;
use crate::access::{Access, Demand};
use crate::otlp::{self, Speech};
use assets::{Asset, HTML, INDEX};

/// The beginnings of the interface's addresses. No page of the dashboard is at or under one of them.
const INTERFACE: &[&str] = &["/v1", "/mcp", "/healthz", "/readyz", "/metrics", "/openapi.json"];

/// What a page may load and send: what this server has, and nothing else. `data:` is for images that the style sheet holds.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What goes with everything here.
const SAFETY: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// How long a file stays good whose name changes whenever it does.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// Returns the routes, and what is given everywhere else.
pub(super) fn routes(access: &Access) -> Router<Core> {
    let demand = access.rules().demand;
    Router::new().route("/", get(give)).fallback(give).layer(Extension(demand))
}

/// Returns whether an address is the dashboard's: a page or a file, there or not.
pub(super) fn is_dashboard(method: &Method, path: &str) -> bool {
    let is_read = method == Method::GET || method == Method::HEAD;
    let is_under = |folder: &&str| {
        path.strip_prefix(*folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // A name in small letters, then whatever a page keeps behind it: `//v1/events` and `*` are slips, not pages.
    let page = path.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default());
    let is_page = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_named = |name: &str| (is_page(name) && !name.is_empty()) || assets::is_file(path);
    is_read
        && page.is_some_and(|name| path == "/" || is_named(name))
        && !INTERFACE.iter().any(is_under)
        && !otlp::is_export(path)
}

/// Gives the page, or a file.
async fn give(
    State(core): State<Core>,
    Extension(demand): Extension<Demand>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    if !is_dashboard(&parts.method, path) || Speech::of(&parts).is_some() {
        return unknown_path(Request::from_parts(parts, body)).await;
    }
    let assets = assets::current();
    let at = if assets::is_file(path) { path } else { INDEX };
    // Who needs no token for the rows needs none for the page with them. A log without a record has none.
    let is_with_rows = at == INDEX && demand == Demand::Nothing && core.last() > 0;
    if is_with_rows
        && let Some(question) = first::question(&parts.uri)
        && let Some(page) = first::with_answer(&assets, core, question)
    {
        return of_now(page, &parts.method);
    }
    match assets.find(at) {
        Some(asset) => written(asset, &parts.method, &parts.headers),
        None => unknown_path(Request::from_parts(parts, body)).await,
    }
}

/// Returns a file as whoever asks takes it, or the word that they have it.
fn written(asset: &Asset, method: &Method, asked: &HeaderMap) -> Response {
    let gzip = if takes_gzip(asked) { asset.gzip() } else { None };
    let is_gzip = gzip.is_some();
    let (bytes, tag) = gzip.unwrap_or_else(|| asset.plain());
    let mut response = match knows(asked, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false if method == Method::HEAD => Body::empty().into_response(),
        false => Body::from(bytes.clone()).into_response(),
    };
    let is_known = response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    if !is_known {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind()));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        if is_gzip {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    headers.insert(ETAG, HeaderValue::try_from(tag).expect("a tag is plain text"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    let lasts = if asset.is_immutable() { FOR_EVER } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(lasts));
    safe(response)
}

/// Returns a page that holds how things are now, which nobody keeps.
fn of_now(page: Body, method: &Method) -> Response {
    // How long it would be is not known, and not said: an empty body would say so.
    let nothing = || Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
    let page = if method == Method::HEAD { nothing() } else { page };
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, "no-store")];
    safe((headers, page).into_response())
}

/// Adds what goes with everything here.
fn safe(mut response: Response) -> Response {
    for (name, value) in SAFETY {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the parts of a header that lists things.
fn listed(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let all = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).map(str::trim)
}

/// Returns whether whoever asks takes what is compressed.
fn takes_gzip(headers: &HeaderMap) -> bool {
    listed(headers, ACCEPT_ENCODING).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").unwrap_or("1").parse::<f32>();
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

/// Returns whether whoever asks has what is known by this tag.
fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let mut tags = listed(headers, IF_NONE_MATCH);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests;
