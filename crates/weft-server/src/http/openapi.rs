//! `GET /openapi.json`: what this server answers to, as an OpenAPI document. Each part of the interface has a file of its own, with
//! its paths and what they refer to; here they are put together.

use std::sync::LazyLock;

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use serde_json::Value;

use super::answer;
use crate::Core;

/// What belongs to no part: who this is, who may ask, how failures look.
const FRAME: &str = include_str!("openapi/frame.json");

/// The parts, each with `paths` and `components`. Two of them may share a path if they do not share a method of it.
const PARTS: [&str; 10] = [
    include_str!("openapi/taking.json"),
    include_str!("openapi/exporting.json"),
    include_str!("openapi/reading.json"),
    include_str!("openapi/running.json"),
    include_str!("openapi/pulling.json"),
    include_str!("openapi/subscriptions.json"),
    include_str!("openapi/speaking.json"),
    include_str!("openapi/steering.json"),
    include_str!("openapi/views.json"),
    include_str!("openapi/looking.json"),
];

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    let mut document = object(FRAME);
    document["info"]["version"] = Value::from(env!("CARGO_PKG_VERSION"));
    PARTS.iter().for_each(|part| merge(&mut document, object(part)));
    document.to_string()
});

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new().route("/openapi.json", get(document))
}

async fn document() -> Response {
    answer::json(StatusCode::OK, DOCUMENT.clone())
}

fn object(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).expect("a file of ours is JSON");
    assert!(value.is_object(), "a file of ours is an object");
    value
}

/// Adds the members of one object to another, inside each other.
fn merge(to: &mut Value, from: Value) {
    let (Value::Object(to), Value::Object(from)) = (to, from) else {
        panic!("two files say different things of the same");
    };
    for (name, value) in from {
        match to.get_mut(&name) {
            Some(known) => merge(known, value),
            None => {
                to.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    #[test]
    fn every_reference_leads_somewhere_and_nothing_is_left_over() {
        let document: Value = serde_json::from_str(&DOCUMENT).expect("it is JSON");
        let mut named = Vec::new();
        references(&document, &mut named);
        for name in &named {
            let place = name.strip_prefix('#').expect("in the same document");
            assert!(document.pointer(place).is_some(), "{name}");
        }
        let kinds = document["components"].as_object().expect("components");
        for (kind, parts) in kinds.iter().filter(|(kind, _)| *kind != "securitySchemes") {
            for name in parts.as_object().map_or_else(Map::new, Map::clone).keys() {
                let place = format!("#/components/{kind}/{name}");
                assert!(named.contains(&place), "nothing refers to {place}");
            }
        }
    }

    fn references(value: &Value, named: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member.as_str().filter(|_| name == "$ref") {
                        Some(target) => named.push(target.to_owned()),
                        None => references(member, named),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, named)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
