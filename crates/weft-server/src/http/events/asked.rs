//! What a request to store events asks for, beside the events: its query, its headers, the form of its body.

use std::borrow::Cow;

use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use uuid::Uuid;
use weft_event::event::Expect;
use weft_event::json::Json;
use weft_event::{Dialect, digest_parts};
use weft_log::admit::Strictness;
use weft_log::log::Durability;
use weft_log::spool::Entry;
use weft_log::{Position, TopicKey};

use crate::Core;
use crate::http::answer::Failure;
use crate::http::{cloud, query};

/// Bytes of an `Idempotency-Key`.
const KEY_BYTES_MAX: usize = 200;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The way in of export requests.
pub(crate) const OTLP: &str = "otlp";

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) form: Form,
    /// The way in, as records and refusals have it.
    pub(crate) via: &'static str,
    pub(crate) strictness: Strictness,
    pub(crate) durability: Durability,
    pub(crate) expect: Expect,
    pub(crate) topic: Option<TopicKey>,
    /// What the newest record of the topic's key has to be; inside, `None` says that there must be none.
    pub(crate) expected_last: Option<Option<Position>>,
    pub(crate) key: Option<String>,
}

/// The form of a body.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// What it is shows when it is read.
    Any,
    /// An event a line.
    Lines,
    /// CloudEvents.
    Cloud(cloud::Form),
}

impl Asked {
    pub(super) fn read(parts: &Parts, core: &Core) -> Result<Self, Failure> {
        let form = form_of(&parts.headers)?;
        let via = match form {
            Form::Any | Form::Lines => "http",
            Form::Cloud(_) => "cloudevents",
        };
        let mut asked = Self {
            form,
            via,
            strictness: Strictness::Lenient,
            durability: Durability::Synced,
            expect: Expect::Any,
            topic: None,
            expected_last: None,
            key: key_of(&parts.headers)?,
        };
        if let Some(found) = parts.uri.query() {
            asked.read_query(found, core.store_id())?;
        }
        Ok(asked)
    }

    /// Returns what an export request of OTLP asks for: it cannot say anything beside its records.
    pub(crate) fn otlp() -> Self {
        Self {
            form: Form::Any,
            via: OTLP,
            strictness: Strictness::Lenient,
            durability: Durability::Synced,
            expect: Expect::Any,
            topic: None,
            expected_last: None,
            key: None,
        }
    }

    fn read_query(&mut self, found: &str, store_id: &str) -> Result<(), Failure> {
        let mut key: Option<String> = None;
        let mut seen: Vec<String> = Vec::new();
        for pair in query::pairs(found) {
            let (name, value) =
                pair.map_err(|error| Failure::bad("bad_query", error.to_string()))?;
            if seen.contains(&name.clone().into_owned()) {
                let message = format!("the parameter `{name}` stands twice");
                return Err(Failure::bad("bad_parameter", message));
            }
            let bad = |right: &str| bad_parameter(&name, right);
            match &*name {
                "durability" => {
                    self.durability = match &*value {
                        "synced" => Durability::Synced,
                        "written" => Durability::Written,
                        _ => return Err(bad("synced or written")),
                    };
                }
                "strict" => {
                    self.strictness = match &*value {
                        "true" | "1" => Strictness::Strict,
                        "false" | "0" => Strictness::Lenient,
                        _ => return Err(bad("true or false")),
                    };
                }
                "dialect" => {
                    let dialect = Dialect::parse(&value).filter(|named| *named != Dialect::Weft);
                    let words = "idle, collector, pinchy, engine or needle";
                    self.expect = Expect::Dialect(dialect.ok_or_else(|| bad(words))?);
                }
                "topic" if value.is_empty() => return Err(bad("the name of a topic")),
                "topic" => {
                    self.topic = Some(TopicKey { topic: value.into_owned(), key: None });
                }
                "key" => key = Some(value.into_owned()),
                "expect_last" => {
                    let last = expected(&value, store_id);
                    self.expected_last =
                        Some(last.ok_or_else(|| bad("a position, such as 12, or none"))?);
                }
                _ => {
                    let message = format!("there is no parameter `{}`", shown(&name));
                    return Err(Failure::bad("unknown_parameter", message));
                }
            }
            seen.push(name.into_owned());
        }
        match (&mut self.topic, key) {
            (Some(topic), key) => topic.key = key,
            (None, Some(_)) => return Err(Failure::bad("no_topic", "a key needs a topic")),
            (None, None) => {}
        }
        Ok(())
    }

    /// Returns what tells this delivery of the event at an index from others, if the client said so. That of a single event is what
    /// `weft emit --id` makes of the same text.
    pub(crate) fn delivery(&self, index: usize) -> Option<String> {
        self.request_id_at(index).map(Entry::delivery)
    }

    /// Returns the id that the client's key gives to the request.
    pub(crate) fn request_id(&self) -> Option<Uuid> {
        self.request_id_at(0)
    }

    fn request_id_at(&self, index: usize) -> Option<Uuid> {
        let key = self.key.as_deref()?;
        Some(match index {
            0 => Uuid::try_parse(key).unwrap_or_else(|_not_one| {
                Uuid::from_bytes(digest_parts(&[b"client id", key.as_bytes()]))
            }),
            index => {
                let index = (index as u64).to_le_bytes();
                Uuid::from_bytes(digest_parts(&[b"request key", key.as_bytes(), &index]))
            }
        })
    }
}

fn bad_parameter(name: &str, right: &str) -> Failure {
    let failure = Failure::bad("bad_parameter", format!("`{name}` is {right}"));
    failure.with("parameter", Json::text(name))
}

fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Reads a position, bare or with the store's id before it; `Some(None)` for none.
fn expected(text: &str, store_id: &str) -> Option<Option<Position>> {
    if text == "none" {
        return Some(None);
    }
    let number = text.strip_prefix(store_id).and_then(|rest| rest.strip_prefix(':'));
    Position::new(number.unwrap_or(text).parse().ok()?).map(Some)
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let mut found = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(first) = found.next() else { return Ok(None) };
    let bad = |message: &str| Failure::bad("bad_idempotency_key", message);
    if found.next().is_some() {
        return Err(bad("the request has more than one Idempotency-Key"));
    }
    let key = first.to_str().map_err(|_not_text| bad("the Idempotency-Key is not plain text"))?;
    // The header is defined as a quoted text, and mostly sent without the quotes.
    let bare = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
    match bare.len() {
        0 => Err(bad("the Idempotency-Key is empty")),
        1..=KEY_BYTES_MAX => Ok(Some(bare.to_owned())),
        _ => Err(bad("the Idempotency-Key is longer than 200 bytes")),
    }
}

/// Returns the form that the headers announce.
fn form_of(headers: &HeaderMap) -> Result<Form, Failure> {
    let unknown = |found: &str| {
        let message = format!(
            "the content type `{}` is not known: send application/json, application/x-ndjson or application/cloudevents+json",
            shown(found)
        );
        Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unknown_content_type", message)
    };
    let mut found = headers.get_all(CONTENT_TYPE).iter();
    let (first, more) = (found.next(), found.next());
    if more.is_some() {
        return Err(unknown("more than one"));
    }
    let kind = first.map_or(Ok(""), |kind| kind.to_str()).map_err(|_not_text| unknown(""))?;
    let kind = ContentType::parse(kind);
    if let Some(form) = cloud::Form::of(&kind, headers)? {
        return Ok(Form::Cloud(form));
    }
    match &*kind.name {
        _ if !kind.is_utf8 => Err(unknown(&kind.text)),
        "" | "application/json" | "text/plain" | "text/json" => Ok(Form::Any),
        "application/x-ndjson"
        | "application/ndjson"
        | "application/jsonl"
        | "application/x-jsonl"
        | "application/jsonlines"
        | "application/x-jsonlines" => Ok(Form::Lines),
        _ => Err(unknown(&kind.text)),
    }
}

/// A content type, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct ContentType<'h> {
    /// As it came.
    pub(crate) text: Cow<'h, str>,
    /// In small letters, without parameters; empty if there is none.
    pub(crate) name: Cow<'h, str>,
    /// Whether it says nothing of another charset than UTF-8.
    pub(crate) is_utf8: bool,
}

impl<'h> ContentType<'h> {
    pub(crate) fn parse(text: &'h str) -> Self {
        let mut parts = text.split(';');
        let name = parts.next().unwrap_or_default().trim();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
        });
        let is_utf8 = charset.is_none_or(|charset| {
            ["utf-8", "utf8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known))
        });
        let is_small = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        let name = if is_small { Cow::Borrowed(name) } else { name.to_ascii_lowercase().into() };
        Self { text: Cow::Borrowed(text), name, is_utf8 }
    }

    /// Returns whether what it names is JSON.
    pub(crate) fn is_json(&self) -> bool {
        matches!(&*self.name, "application/json" | "text/json") || self.name.ends_with("+json")
    }
}
