//! Small JSON bodies, read member by member. One that is not known is refused, so that a slip does not go unseen.

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use weft_event::json::{Kind, Tape, Value};

use super::super::answer::Failure;
use super::super::body::{self, Held};
use super::super::params;
use crate::Core;

/// A body, within the limits of any other.
pub(in crate::http) struct Sent(pub(in crate::http) Held);

impl FromRequest<Core> for Sent {
    type Rejection = Failure;

    async fn from_request(request: Request, core: &Core) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        Ok(Self(body::collect(core, &parts.headers, body).await?))
    }
}

/// Reads a body that is an object with members of these names; an empty body is an empty object.
pub(in crate::http) fn object<'a>(
    tape: &'a mut Tape,
    body: &'a [u8],
    known: &[&str],
) -> Result<Value<'a>, Failure> {
    let bad = |message: String| Failure::new(StatusCode::BAD_REQUEST, "bad_request", message);
    let body = if body.is_empty() { b"{}" } else { body };
    let value =
        tape.parse_bytes(body).map_err(|error| bad(format!("the body is not JSON: {error}")))?;
    if value.kind() != Kind::Object {
        return Err(bad("the body must be an object".to_owned()));
    }
    for (name, _) in value.members() {
        let name = name.as_text().unwrap_or_default();
        if !known.contains(&&*name) {
            return Err(bad(format!("there is no `{name}` here; there are {}", known.join(", "))));
        }
    }
    Ok(value)
}

/// Returns a member that is there and not null.
pub(in crate::http) fn member<'a>(value: Value<'a>, name: &str) -> Option<Value<'a>> {
    value.get(name).filter(|value| value.kind() != Kind::Null)
}

/// Says that a member is missing.
pub(in crate::http) fn missing(name: &str) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, "bad_request", format!("`{name}` is missing"))
}

/// Reads a place of this store, a number or a cursor.
pub(in crate::http) fn place(core: &Core, name: &str, value: Value<'_>) -> Result<u64, Failure> {
    match value.as_u64() {
        Some(position) => Ok(position),
        None => params::place_of(name, &value.as_text().unwrap_or_default(), core),
    }
}

/// Reads places of this store.
pub(in crate::http) fn places(
    core: &Core,
    name: &str,
    value: Value<'_>,
) -> Result<Vec<u64>, Failure> {
    if value.kind() != Kind::Array {
        return Err(params::bad(name, value.raw(), "an array of positions or cursors"));
    }
    value.items().map(|item| place(core, name, item)).collect()
}
