//! Small JSON bodies, read member by member. One that is not known is refused, so that a slip does not go unseen.

use std::borrow::Cow;

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
    let body = if body.is_empty() { b"{}" } else { body };
    let value =
        tape.parse_bytes(body).map_err(|error| bad(format!("the body is not JSON: {error}")))?;
    check_object(value, "the body", known)?;
    Ok(value)
}

/// Refuses what is not an object with members of these names.
pub(super) fn check_object(value: Value<'_>, what: &str, known: &[&str]) -> Result<(), Failure> {
    if value.kind() != Kind::Object {
        return Err(bad(format!("{what} must be an object")));
    }
    let mut names = value.members().map(|(name, _)| name.as_text().unwrap_or_default());
    match names.find(|name| !known.contains(&&**name)) {
        Some(name) => {
            let known = known.join(", ");
            Err(bad(format!("there is no `{name}` in {what}; there are {known}")))
        }
        None => Ok(()),
    }
}

/// Returns a member that is there and not null.
pub(in crate::http) fn member<'a>(value: Value<'a>, name: &str) -> Option<Value<'a>> {
    value.get(name).filter(|value| value.kind() != Kind::Null)
}

/// Says that a member is missing.
pub(in crate::http) fn missing(name: &str) -> Failure {
    bad(format!("`{name}` is missing"))
}

fn bad(message: String) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, "bad_request", message)
}

/// Returns the text of a member, if it is there.
pub(super) fn text<'a>(value: Value<'a>, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
    let Some(member) = member(value, name) else { return Ok(None) };
    let text = member.as_text().ok_or_else(|| params::bad(name, member.raw(), "a text"))?;
    Ok(Some(text))
}

/// Returns the items of an array of such things.
pub(super) fn items<'a>(
    value: Value<'a>,
    name: &str,
    things: &str,
) -> Result<impl Iterator<Item = Value<'a>> + use<'a>, Failure> {
    if value.kind() != Kind::Array {
        return Err(params::bad(name, value.raw(), &format!("an array of {things}")));
    }
    Ok(value.items())
}

/// Reads a place of this store, a number or a cursor.
pub(super) fn place(core: &Core, name: &str, value: Value<'_>) -> Result<u64, Failure> {
    match (value.as_u64(), value.as_text()) {
        (Some(position), _) => Ok(position),
        (None, Some(text)) => params::place_of(name, &text, core),
        (None, None) => params::place_of(name, value.raw(), core),
    }
}

/// Reads places of this store.
pub(super) fn places(core: &Core, name: &str, value: Value<'_>) -> Result<Vec<u64>, Failure> {
    let places = items(value, name, "positions or cursors")?;
    places.map(|item| place(core, name, item)).collect()
}
