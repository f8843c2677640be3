//! CloudEvents 1.0 over HTTP, structured, batched and binary: the event inside is stored, in its own bytes.
//!
//! One whose data is no event of any dialect is made an event of the collector's dialect, as `weft convert` makes it. Source and id
//! tell a delivery from another.

mod attributes;

use std::borrow::Cow;

use axum::http::{HeaderMap, StatusCode};
use uuid::Uuid;
use weft_event::event::Expect;
use weft_event::json::{Json, Kind, Object, Tape, Value};
use weft_event::problem::{Code, Problem};
use weft_event::translate::{self, Fill, Opened, Untranslatable};
use weft_event::{Dialect, digest_parts};
use weft_log::admit::Refusal;
use weft_log::rejected::Reason;
use weft_log::spool::Entry;

use super::answer::Failure;
use super::events::{ContentType, Found, Shape, Sorter, on_one_line};
use crate::base64;

/// The extension that names the dialect of the event inside.
const DIALECT: &str = "weftdialect";

/// How CloudEvents come.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// The body is one.
    Structured,
    /// The body is an array of them.
    Batch,
    /// The headers are its attributes, the body is its data.
    Binary(Headers),
}

/// The attributes of a CloudEvent whose body is its data.
#[derive(Clone, Debug)]
pub(crate) struct Headers {
    attributes: Vec<(String, String)>,
    /// The type of the data; empty if it was not said.
    kind: String,
    data: DataKind,
    /// What is wrong with the headers.
    problems: Vec<Reason>,
}

/// What the data's content type promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataKind {
    Json,
    Other,
    Unsaid,
}

impl Form {
    /// Returns the form of a request's CloudEvents; `None` if it has none.
    pub(super) fn of(kind: &ContentType<'_>, headers: &HeaderMap) -> Result<Option<Self>, Failure> {
        match &*kind.name {
            "application/cloudevents-batch+json" if kind.is_utf8 => Ok(Some(Form::Batch)),
            "application/cloudevents+json" if kind.is_utf8 => Ok(Some(Form::Structured)),
            other if other.starts_with("application/cloudevents") => {
                let message = "CloudEvents are taken as JSON in UTF-8: application/cloudevents+json or application/cloudevents-batch+json";
                let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
                Err(Failure::new(status, "unknown_content_type", message))
            }
            _ => {
                let is_one = headers.keys().any(|name| name.as_str().starts_with("ce-"));
                Ok(is_one.then(|| Form::Binary(Headers::read(kind, headers))))
            }
        }
    }
}

impl Headers {
    fn read(kind: &ContentType<'_>, headers: &HeaderMap) -> Self {
        let (attributes, problems) = attributes::of_headers(headers);
        let data = match &*kind.name {
            "" => DataKind::Unsaid,
            _ if kind.is_json() => DataKind::Json,
            _ => DataKind::Other,
        };
        Self { attributes, kind: kind.text.clone().into_owned(), data, problems }
    }
}

/// Takes the CloudEvents of a body.
pub(super) fn take(sorter: &mut Sorter<'_>, form: &Form, body: &[u8]) -> Result<(), Failure> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii();
    match form {
        Form::Binary(headers) => binary(sorter, headers, body),
        Form::Structured | Form::Batch if body.is_empty() => {
            Err(Failure::bad("empty_body", "there is no CloudEvent in the body"))
        }
        Form::Structured => {
            let mut tape = Tape::new();
            match tape.parse_bytes(body) {
                Ok(value) => one(sorter, value),
                Err(_) => no_json(sorter, body),
            }
        }
        Form::Batch => {
            let mut tape = Tape::new();
            let Ok(value) = tape.parse_bytes(body) else { return no_json(sorter, body) };
            if value.kind() != Kind::Array {
                let message = format!("a batch is an array, not {}", value.kind().name());
                return sorter.refuse(body, vec![reason(Code::Type.as_str(), "", message)]);
            }
            sorter.answer_as(Shape::List);
            value.items().try_for_each(|item| one(sorter, item))
        }
    }
}

/// Refuses what is no JSON, as the gate does.
fn no_json(sorter: &mut Sorter<'_>, bytes: &[u8]) -> Result<(), Failure> {
    let delivery = sorter.asked().delivery(sorter.n_events());
    sorter.take(Found { line: bytes, expect: Expect::Any, delivery })
}

/// Takes a CloudEvent whose attributes are headers: as if it had come structured.
fn binary(sorter: &mut Sorter<'_>, headers: &Headers, body: &[u8]) -> Result<(), Failure> {
    if !headers.problems.is_empty() {
        return sorter.refuse(body, headers.problems.clone());
    }
    let mut tape = Tape::new();
    let data = tape.parse_bytes(body).ok();
    if data.is_none() && headers.data == DataKind::Json && !body.is_empty() {
        return no_json(sorter, body);
    }
    let data = data.filter(|_| headers.data != DataKind::Other);
    let envelope = Json::object(|envelope| {
        headers.attributes.iter().for_each(|(name, value)| envelope.text(name, value));
        if !headers.kind.is_empty() {
            envelope.text("datacontenttype", &headers.kind);
        }
        put_data(envelope, data, body);
    });
    match Tape::new().parse(envelope.as_str()) {
        Ok(value) => one(sorter, value),
        Err(_) => no_json(sorter, envelope.as_str().as_bytes()),
    }
}

fn put_data(envelope: &mut Object<'_>, data: Option<Value<'_>>, body: &[u8]) {
    match (data, str::from_utf8(body)) {
        (Some(data), _) => envelope.json("data", &Json::of(data)),
        (None, Ok("")) => {}
        (None, Ok(text)) => envelope.text("data", text),
        (None, Err(_)) => envelope.text("data_base64", &base64::encode(body)),
    }
}

/// Takes one CloudEvent.
fn one(sorter: &mut Sorter<'_>, value: Value<'_>) -> Result<(), Failure> {
    let raw = on_one_line(value.raw().as_bytes());
    let problems = attributes::check(value);
    if !problems.is_empty() {
        return sorter.refuse(&raw, problems);
    }
    let delivery = Some(delivery_of(value));
    let expect = match (sorter.asked().expect, value.text_at(DIALECT)) {
        (Expect::Any, Some(word)) => Dialect::parse(&word).map_or(Expect::Any, Expect::Dialect),
        (expect, _) => expect,
    };
    let Some(inside) = inside(value, expect) else {
        return foreign(sorter, &raw, delivery);
    };
    let found = Found { line: &on_one_line(&inside), expect, delivery };
    match sorter.try_take(&found)? {
        Ok(()) => Ok(()),
        Err(refusal) if expect == Expect::Any && is_of_no_dialect(&refusal) => {
            foreign(sorter, &raw, found.delivery)
        }
        Err(refusal) => {
            sorter.keep(&found, &refusal);
            Ok(())
        }
    }
}

/// Returns what may be an event inside a CloudEvent: an object, or the text of one where the sender says that it is one.
fn inside<'v>(value: Value<'v>, expect: Expect) -> Option<Cow<'v, [u8]>> {
    if let Some(data) = value.get("data").filter(|data| data.kind() != Kind::Null) {
        return match (data.kind(), expect) {
            (Kind::Object, _) => Some(Cow::Borrowed(data.raw().as_bytes())),
            (Kind::Text, Expect::Dialect(_)) => {
                Some(Cow::Owned(data.as_text()?.into_owned().into_bytes()))
            }
            (Kind::Text, Expect::Any)
            | (Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Array | Kind::Key, _) => {
                None
            }
        };
    }
    let bytes = base64::decode(&value.text_at("data_base64")?)?;
    let is_object = Tape::new().parse_bytes(&bytes).is_ok_and(|data| data.kind() == Kind::Object);
    is_object.then_some(Cow::Owned(bytes))
}

/// Returns whether nothing speaks against an event but that no dialect has such a shape.
fn is_of_no_dialect(refusal: &Refusal) -> bool {
    let is_shape =
        |problem: &Problem| [Code::UnknownDialect, Code::AmbiguousDialect].contains(&problem.code);
    match refusal {
        Refusal::Invalid(problems) => !problems.is_empty() && problems.iter().all(is_shape),
        Refusal::Large(_) | Refusal::Name { .. } => false,
    }
}

/// Takes a CloudEvent that holds no event.
fn foreign(sorter: &mut Sorter<'_>, raw: &[u8], delivery: Option<String>) -> Result<(), Failure> {
    let mut tape = Tape::new();
    let Ok(value) = tape.parse_bytes(raw) else { return no_json(sorter, raw) };
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).ok();
    let opened = translate::open(value, &Fill { time_ns: now_ns, ..Fill::default() });
    let opened = opened.and_then(|opened| opened.into_iter().next());
    let not_one = |message: String| vec![reason("not_an_event", "", message)];
    let refused = match (sorter.asked().expect, opened) {
        (Expect::Any, Some(Ok(Opened { line, dialect, .. }))) => {
            let has_time = value.get("time").is_some_and(|time| time.kind() != Kind::Null);
            let line = if has_time { line } else { without_id(&line) };
            let line = on_one_line(line.as_bytes());
            return sorter.take(Found { line: &line, expect: Expect::Dialect(dialect), delivery });
        }
        (Expect::Any, Some(Err(Untranslatable::Malformed(problem)))) => vec![(&problem).into()],
        (Expect::Any, Some(Err(error))) => not_one(error.to_string()),
        (Expect::Any, None) => not_one("it is no CloudEvent of version 1.0".to_owned()),
        (Expect::Dialect(dialect), _) => {
            let dialect = dialect.as_str();
            not_one(format!("its data is no event of the dialect {dialect}"))
        }
    };
    sorter.refuse(raw, refused)
}

/// Returns an event without its id. One that has the time of its arrival differs from its own repeat; without an id of its own, the
/// delivery says that it is one.
fn without_id(line: &str) -> String {
    let mut tape = Tape::new();
    let Ok(event) = tape.parse(line) else { return line.to_owned() };
    let without = Json::object(|object| {
        let kept = event.members().filter(|(name, _)| !name.is_text("event_id"));
        kept.for_each(|(name, value)| {
            object.json(&name.as_text().unwrap_or_default(), &Json::of(value));
        });
    });
    without.as_str().to_owned()
}

fn delivery_of(value: Value<'_>) -> String {
    let text = |name| value.text_at(name).unwrap_or_default();
    let (source, id) = (text("source"), text("id"));
    let digest = digest_parts(&[b"cloudevent", source.as_bytes(), id.as_bytes()]);
    Entry::delivery(Uuid::from_bytes(digest))
}

fn reason(code: &str, path: &str, message: impl Into<String>) -> Reason {
    Reason { code: code.to_owned(), path: path.to_owned(), message: message.into() }
}
