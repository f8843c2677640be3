//! What every request has to pass: is it for this host, does it come from a page of ours, may its sender do this.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, HOST, ORIGIN, VARY,
    WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use weft_event::json::Json;

use super::answer::Failure;
use super::{body, query, web};
use crate::access::tokens::Scope;
use crate::access::{Access, Demand, Pass, Verdict};
use crate::otlp::{self, Speech};

/// Names that tokens are sent under in addresses, where logs and histories keep them.
const TOKEN_NAMES: [&str; 2] = ["token", "access_token"];

/// Where MCP is spoken.
const MCP: &str = "/mcp";

/// Where a browser says whether the page that asks is one of the server's.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where it says what the answer is for.
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Lets a request through to what comes next, or answers it.
pub(super) async fn guarded(
    access: &Access,
    mut request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    let origin = match passes(access, &request) {
        Ok(Passed { foreign, pass }) => {
            if let Some(pass) = pass {
                request.extensions_mut().insert(pass);
            }
            foreign
        }
        Err(failure) => {
            let (parts, body) = request.into_parts();
            body::discard(&parts.headers, body).await;
            return match Speech::of(&parts) {
                Some(speech) => speech.failed(&failure),
                None => failure.into_response(),
            };
        }
    };
    let Some(origin) = origin else { return next(request).await };
    let mut response = if is_preflight(&request) { preflight() } else { next(request).await };
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    response.headers_mut().append(VARY, HeaderValue::from_static("Origin"));
    response
}

/// A request that may go on.
struct Passed {
    /// The origin that has to be told so, if it is another than ours.
    foreign: Option<HeaderValue>,
    /// The token that it has, if it has one.
    pass: Option<Pass>,
}

/// Returns whether a request may go on.
fn passes(access: &Access, request: &Request) -> Result<Passed, Failure> {
    let headers = request.headers();
    let host = host_of(request)?;
    if !access.knows_host(without_port(host)) {
        let message = format!("this server is not {}", shorten(host));
        return Err(Failure::new(StatusCode::FORBIDDEN, "wrong_host", message));
    }
    let foreign = foreign_origin(access, headers, host)?;
    if !headers.contains_key(ORIGIN) {
        refuse_other_sites(request)?;
    }
    if let Some(found) = request.uri().query() {
        refuse_token_in_url(found)?;
    }
    // A browser asks without a token whether it may send one.
    let asks_before = foreign.is_some() && is_preflight(request);
    let pass = match needed(request.method(), request.uri().path()) {
        // What a call needs shows in its body: who may do anything of it is let in, and each tool asks again.
        Some(Scope::Read) if !asks_before && request.uri().path() == MCP => {
            check_token(access, headers, Scope::Read)
                .or_else(|_| check_token(access, headers, Scope::Write))?
        }
        Some(scope) if !asks_before => check_token(access, headers, scope)?,
        Some(_) | None => None,
    };
    Ok(Passed { foreign, pass })
}

/// Returns the one host that a request names.
fn host_of(request: &Request) -> Result<&str, Failure> {
    let bad = |message| Failure::bad("bad_host", message);
    let mut hosts = request.headers().get_all(HOST).iter();
    let named = hosts.next();
    if hosts.next().is_some() {
        return Err(bad("the request names more than one host"));
    }
    let named = named.map(|host| host.to_str()).transpose();
    let named = named.map_err(|_not_text| bad("the host is not readable"))?;
    // An address with a host in it goes before the header.
    let host = request.uri().authority().map(|authority| authority.as_str()).or(named);
    host.ok_or_else(|| bad("the request names no host"))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() =>
        {
            name
        }
        Some(_) | None => host,
    }
}

/// Returns the origin of a request if it is known and not the server's own.
fn foreign_origin(
    access: &Access,
    headers: &HeaderMap,
    host: &str,
) -> Result<Option<HeaderValue>, Failure> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return Ok(None) };
    let text = origin.to_str().unwrap_or_default();
    let is_own = is_same_origin(text, host);
    if origins.next().is_some() || !(is_own || access.knows_origin(text)) {
        let message = format!("pages of {} may not ask here", shorten(text));
        return Err(Failure::new(StatusCode::FORBIDDEN, "wrong_origin", message));
    }
    Ok((!is_own).then(|| origin.clone()))
}

/// Refuses what a page of another site asks for without naming its origin, as browsers do for images and scripts: what is read may
/// change something too. Whoever follows a link to a page of the dashboard may see it.
fn refuse_other_sites(request: &Request) -> Result<(), Failure> {
    let headers = request.headers();
    let says = |name, word: &str| headers.get_all(name).iter().any(|value| value == word);
    let is_other = says(FETCH_SITE, "cross-site") || says(FETCH_SITE, "same-site");
    let (method, path) = (request.method(), request.uri().path());
    let is_visit =
        method == Method::GET && says(FETCH_MODE, "navigate") && web::is_dashboard(method, path);
    if is_other && !is_visit {
        let message = "pages of other sites may not ask here";
        return Err(Failure::new(StatusCode::FORBIDDEN, "wrong_origin", message));
    }
    Ok(())
}

fn is_same_origin(origin: &str, host: &str) -> bool {
    let with_port = |host: &str, port: &str| {
        let has_port = without_port(host).len() < host.len();
        if has_port {
            host.to_ascii_lowercase()
        } else {
            format!("{host}:{port}").to_ascii_lowercase()
        }
    };
    let same = |own: &str, port| with_port(own, port) == with_port(host, port);
    match origin.split_once("://") {
        Some(("http", own)) => same(own, "80"),
        Some(("https", own)) => same(own, "443"),
        Some(_) | None => false,
    }
}

fn refuse_token_in_url(found: &str) -> Result<(), Failure> {
    for pair in query::pairs(found) {
        let (name, _) = pair.map_err(|error| Failure::bad("bad_query", error.to_string()))?;
        if TOKEN_NAMES.iter().any(|token| name.eq_ignore_ascii_case(token)) {
            let message = "a token in an address is kept in logs and histories: send it in the header `Authorization: Bearer …`, and revoke this one";
            return Err(Failure::bad("token_in_url", message));
        }
    }
    Ok(())
}

/// Returns what a token has to be good for; `None` where none is needed.
fn needed(method: &Method, path: &str) -> Option<Scope> {
    let is_under = |folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_read = method == Method::GET || method == Method::HEAD;
    if is_read && (path == "/healthz" || path == "/readyz") || web::is_dashboard(method, path) {
        None
    } else if is_under("/v1/tokens") {
        Some(Scope::Admin)
    } else if is_read || path == MCP || (method == Method::POST && is_acknowledgement(path)) {
        Some(Scope::Read)
    } else if method == Method::POST
        && (path == "/v1/events" || otlp::is_export(path) || is_control(path))
    {
        Some(Scope::Write)
    } else {
        Some(Scope::Admin)
    }
}

/// Returns whether a path is where a subscriber says which events it has dealt with: who reads them has to.
fn is_acknowledgement(path: &str) -> bool {
    let name = path.strip_prefix("/v1/subscriptions/").and_then(|path| path.strip_suffix("/ack"));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

/// Returns whether a path is where a loop is asked for something: who may post the request may have it done.
fn is_control(path: &str) -> bool {
    let session = path.strip_prefix("/v1/loops/").and_then(|path| path.strip_suffix("/control"));
    // Without a session it is the one that none has taken up.
    path == "/v1/loops/control"
        || session.is_some_and(|session| !session.is_empty() && !session.contains('/'))
}

fn check_token(
    access: &Access,
    headers: &HeaderMap,
    needed: Scope,
) -> Result<Option<Pass>, Failure> {
    let unauthorized = |code, message| {
        let realm = HeaderValue::from_static("Bearer realm=\"weft\"");
        Failure::new(StatusCode::UNAUTHORIZED, code, message).with_header(WWW_AUTHENTICATE, realm)
    };
    let token = bearer(headers)?;
    let token = match (token, access.rules().demand) {
        (Some(token), Demand::Token | Demand::Nothing) => token,
        (None, Demand::Nothing) => return Ok(None),
        (None, Demand::Token) => {
            let message = "a token is needed: `weft token new` makes one, and it is sent as `Authorization: Bearer …`";
            return Err(unauthorized("no_token", message));
        }
    };
    match access.judge(token, needed, jiff::Timestamp::now().as_microsecond()) {
        Ok(Verdict::Granted) => Ok(Some(Pass::new(access, token, needed))),
        Ok(Verdict::Unknown) => Err(unauthorized("unknown_token", "the token is not known")),
        Ok(Verdict::Expired) => {
            let message = "the token's time is over: `weft token new` makes another";
            Err(unauthorized("expired_token", message))
        }
        Ok(Verdict::WrongScope) => {
            let scope = needed.as_str();
            let message = format!("the token is not good for this: it lacks the scope {scope}");
            let failure = Failure::new(StatusCode::FORBIDDEN, "wrong_scope", message);
            Err(failure.with("scope", Json::text(scope)))
        }
        Err(error) => {
            tracing::error!("tokens cannot be checked: {error}");
            let status = StatusCode::SERVICE_UNAVAILABLE;
            let failure = Failure::new(status, "tokens_unreadable", "tokens cannot be checked now");
            Err(failure.retry_after(5))
        }
    }
}

/// Returns the token of a request; `None` if it has none.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Failure> {
    let mut found = headers.get_all(AUTHORIZATION).iter();
    let Some(first) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(Failure::bad("bad_authorization", "the request has more than one token"));
    }
    let Ok(text) = first.to_str() else {
        return Err(Failure::bad("bad_authorization", "the token is not readable"));
    };
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        Some(_) | None => Ok(None),
    }
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers a browser that asks before it sends a request of a known origin.
fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, PUT, PATCH, DELETE"),
        (
            ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, content-encoding, idempotency-key, last-event-id, mcp-protocol-version, mcp-method, mcp-name",
        ),
        (ACCESS_CONTROL_MAX_AGE, "600"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns a name as it is shown in a message.
fn shorten(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(100).collect()
}

#[cfg(test)]
mod tests;
