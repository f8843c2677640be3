//! The attributes of a CloudEvent: read off headers, and checked.

use std::collections::HashSet;

use axum::http::{HeaderMap, HeaderValue};
use weft_event::json::{Kind, Value};
use weft_event::problem::Code;
use weft_event::time;
use weft_log::rejected::Reason;

use super::{base64, reason};
use crate::http::query::percent_decoded;

/// What the name of every header of a CloudEvent begins with.
const PREFIX: &str = "ce-";

/// Attributes that every CloudEvent has.
const REQUIRED: [&str; 4] = ["specversion", "id", "source", "type"];

/// Attributes that are texts where they are there.
const OPTIONAL: [&str; 4] = ["subject", "time", "datacontenttype", "dataschema"];

/// Extensions of one CloudEvent.
const EXTENSIONS_MAX: usize = 256;

/// Returns the attributes that headers give, and what is wrong with the headers.
pub(super) fn of_headers(headers: &HeaderMap) -> (Vec<(String, String)>, Vec<Reason>) {
    let (mut attributes, mut problems): (Vec<(String, String)>, Vec<Reason>) = Default::default();
    for (header, value) in headers {
        let Some(name) = header.as_str().strip_prefix(PREFIX) else { continue };
        let problem = match decoded(value) {
            _ if name == "datacontenttype" || name == "data" || name == "data_base64" => Some((
                Code::UnknownField,
                "the content type is a header of its own, the data is the body",
            )),
            _ if attributes.iter().any(|(known, _)| known == name) => {
                Some((Code::DuplicateKey, "the header stands twice"))
            }
            None => Some((Code::Format, "the header is not percent-encoded UTF-8")),
            Some(value) => {
                attributes.push((name.to_owned(), value));
                None
            }
        };
        let told =
            problem.map(|(code, what)| reason(code.as_str(), "", format!("{header}: {what}")));
        problems.extend(told);
    }
    (attributes, problems)
}

/// Returns the text of a header: without its quotes, decoded once.
fn decoded(value: &HeaderValue) -> Option<String> {
    let bytes = value.as_bytes().trim_ascii();
    let quoted = bytes.strip_prefix(b"\"").and_then(|inside| inside.strip_suffix(b"\""));
    let bytes = match quoted {
        None => percent_decoded(bytes)?,
        Some(inside) => {
            let mut plain = Vec::with_capacity(inside.len());
            let mut rest = inside.iter();
            while let Some(byte) = rest.next() {
                plain.push(if *byte == b'\\' { *rest.next()? } else { *byte });
            }
            percent_decoded(&plain)?
        }
    };
    String::from_utf8(bytes).ok()
}

/// Returns what is wrong with a CloudEvent, its data apart.
pub(super) fn check(event: Value<'_>) -> Vec<Reason> {
    if event.kind() != Kind::Object {
        let message = format!("a CloudEvent is an object, not {}", event.kind().name());
        return vec![reason(Code::NotAnObject.as_str(), "", message)];
    }
    let mut problems = Vec::new();
    let mut tell = |code: Code, name: &str, message: &str| {
        problems.push(reason(code.as_str(), &format!("/{name}"), message));
    };
    for name in REQUIRED {
        match member(event, name) {
            None => tell(Code::Missing, name, &format!("`{name}` is missing")),
            Some(value) => check_text(value, name, &mut tell),
        }
    }
    if member(event, "specversion").is_some_and(|version| !version.is_text("1.0")) {
        tell(Code::Version, "specversion", "only version 1.0 of CloudEvents is read");
    }
    for name in OPTIONAL {
        if let Some(value) = member(event, name) {
            check_text(value, name, &mut tell);
        }
    }
    let is_time = |text: Value<'_>| text.as_text().and_then(|text| time::parse_rfc3339(&text));
    if member(event, "time").is_some_and(|time| is_time(time).is_none()) {
        tell(Code::Format, "time", "not an RFC 3339 time with an offset");
    }
    let has_scheme = |uri: Value<'_>| uri.as_text().is_some_and(|uri| uri.contains(':'));
    if member(event, "dataschema").is_some_and(|schema| !has_scheme(schema)) {
        tell(Code::Format, "dataschema", "not an absolute URI");
    }
    check_data(event, &mut tell);
    check_extensions(event, &mut tell);
    problems
}

/// Returns a member; one that is null is not there.
fn member<'v>(event: Value<'v>, name: &str) -> Option<Value<'v>> {
    event.get(name).filter(|value| value.kind() != Kind::Null)
}

fn check_text(value: Value<'_>, name: &str, tell: &mut impl FnMut(Code, &str, &str)) {
    match value.as_text().as_deref() {
        None => tell(Code::Type, name, &format!("expected string, found {}", value.kind().name())),
        Some("") => tell(Code::Length, name, "must not be empty"),
        Some(text) if text.chars().any(char::is_control) => {
            tell(Code::Format, name, "must not have control characters");
        }
        Some(_) => {}
    }
}

fn check_data(event: Value<'_>, tell: &mut impl FnMut(Code, &str, &str)) {
    let Some(binary) = member(event, "data_base64") else { return };
    if member(event, "data").is_some() {
        tell(Code::UnknownField, "data_base64", "`data` and `data_base64` exclude each other");
    }
    if binary.as_text().and_then(|text| base64::decode(&text)).is_none() {
        tell(Code::Format, "data_base64", "not base64");
    }
}

/// Checks names and kinds of the members that the specification does not name.
fn check_extensions(event: Value<'_>, tell: &mut impl FnMut(Code, &str, &str)) {
    let mut seen = HashSet::new();
    let mut n_extensions = 0;
    for (name, value) in event.members() {
        let name = name.as_text().unwrap_or_default();
        let is_repeated = !seen.insert(name.clone());
        let is_known = REQUIRED.contains(&&*name) || OPTIONAL.contains(&&*name);
        let is_extension = !is_known && name != "data" && name != "data_base64";
        n_extensions += usize::from(is_extension || is_repeated);
        if n_extensions > EXTENSIONS_MAX {
            let message = format!("a CloudEvent has at most {EXTENSIONS_MAX} extensions");
            return tell(Code::Length, &name, &message);
        }
        if is_repeated {
            tell(Code::DuplicateKey, &name, "the key stands twice");
        }
        if is_extension {
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            if name.is_empty() || !name.bytes().all(is_plain) {
                let message = "the name of an extension has small letters and digits alone";
                tell(Code::Format, &name, message);
            }
            let is_value = match value.kind() {
                Kind::Null | Kind::True | Kind::False | Kind::Text => true,
                Kind::Number => value.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
                Kind::Object | Kind::Array | Kind::Key => false,
            };
            if !is_value {
                let message = "an extension is a string, a boolean or a 32-bit integer";
                tell(Code::Type, &name, message);
            }
        }
    }
}

#[cfg(test)]
mod tests;
