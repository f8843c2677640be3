//! One log record, span or data point with what surrounds it, read by name.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Signal;
use crate::facts::Level;
use crate::hook::{Caller, main_agent};
use crate::json::{Json, Kind, Object, Value};
use crate::translate::otlp::names::{AGENT, SESSION};
use crate::translate::trace;

/// Prefix that Claude Code gives the names of its records where they stand in the body.
const CLAUDE_CODE: &str = "claude_code.";

/// A log record, span or metric in the two objects whose lists it stands in, by resource and by scope.
pub(super) struct Record<'a> {
    pub(super) signal: Signal,
    pub(super) value: Value<'a>,
    pub(super) in_scope: Value<'a>,
    pub(super) in_resource: Value<'a>,
    pub(super) around: Around,
    attributes: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// Whether resource and scope are kept with an event made of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    Kept,
    Lost,
}

/// Where a record stands, and whether that is kept with it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) signal: Signal,
    pub(super) in_scope: Value<'a>,
    pub(super) in_resource: Value<'a>,
    pub(super) around: Around,
}

impl<'a> Record<'a> {
    /// Returns a record at a place, with the attributes of `of`: its own, or those of a point in it.
    pub(super) fn new(value: Value<'a>, of: Value<'a>, place: Place<'a>) -> Self {
        let Place { signal, in_scope, in_resource, around } = place;
        let items = of.get("attributes").into_iter().flat_map(Value::items);
        let attributes = items.filter_map(|item| Some((item.text_at("key")?, item.get("value")?)));
        let attributes = attributes.collect();
        Self { signal, value, in_scope, in_resource, around, attributes }
    }

    /// Returns the attributes by name, in their order.
    pub(super) fn attributes(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        &self.attributes
    }

    /// Returns the first attribute of these names as text; numbers as they are written.
    pub(super) fn text(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        names.iter().find_map(|name| {
            let (_, value) = self.attributes.iter().find(|(key, _)| key == name)?;
            any_text(*value)
        })
    }

    /// Returns the first attribute of these names as a count; numbers may be written as text.
    pub(super) fn count(&self, names: &[&str]) -> Option<u64> {
        self.text(names)?.parse().ok()
    }

    /// Returns the first attribute of these names as a number.
    pub(super) fn number(&self, names: &[&str]) -> Option<f64> {
        self.text(names)?.parse().ok().filter(|n: &f64| n.is_finite())
    }

    /// Returns the record's name: its own field, else an attribute, else its body.
    pub(super) fn name(&self) -> Cow<'a, str> {
        let own = self.value.text_at("eventName").or_else(|| self.value.text_at("event_name"));
        let own = own.filter(|name| !name.is_empty());
        let name = own.or_else(|| self.text(&["event.name"])).or_else(|| self.body());
        match name.unwrap_or_default() {
            Cow::Borrowed(name) => Cow::Borrowed(name.strip_prefix(CLAUDE_CODE).unwrap_or(name)),
            Cow::Owned(name) => match name.strip_prefix(CLAUDE_CODE) {
                Some(rest) => Cow::Owned(rest.to_owned()),
                None => Cow::Owned(name),
            },
        }
    }

    /// Returns the body, if it is text.
    pub(super) fn body(&self) -> Option<Cow<'a, str>> {
        self.value.get("body")?.text_at("stringValue")
    }

    /// Returns the record's time, else when it was seen. Zero is no time.
    pub(super) fn time_ns(&self) -> Option<i64> {
        self.nanos("timeUnixNano").or_else(|| self.nanos("observedTimeUnixNano"))
    }

    /// Returns when it happened, by its own word alone.
    pub(super) fn own_time_ns(&self) -> Option<i64> {
        let nanos = self.value.get("timeUnixNano")?;
        nanos.as_text().unwrap_or(Cow::Borrowed(nanos.raw())).parse().ok()
    }

    fn nanos(&self, name: &str) -> Option<i64> {
        nanos(self.value, name)
    }

    /// Returns who it is about: the agent, else the main agent of a session of Claude Code, as hooks name it, else the service.
    pub(super) fn agent(&self) -> Option<Cow<'a, str>> {
        let agent = self.text(&AGENT).filter(|agent| !agent.is_empty());
        agent.or_else(|| self.main_agent()).or_else(|| self.service())
    }

    fn main_agent(&self) -> Option<Cow<'a, str>> {
        let session = self.session().filter(|session| !session.is_empty() && self.is_claude_code());
        session.map(|session| Cow::Owned(main_agent(&session)))
    }

    fn service(&self) -> Option<Cow<'a, str>> {
        let service = any_text(attribute(self.in_resource.get("resource")?, "service.name")?);
        service.filter(|service| !service.is_empty())
    }

    /// Returns whether Claude Code sent it, which tells of the same agents by its hooks.
    pub(super) fn is_claude_code(&self) -> bool {
        self.service().is_some_and(|service| service == Caller::ClaudeCode.as_str())
    }

    /// Returns its session.
    pub(super) fn session(&self) -> Option<Cow<'a, str>> {
        self.text(&SESSION)
    }

    /// Returns its trace; an id of the wrong form is no id.
    pub(super) fn trace_id(&self) -> Option<Cow<'a, str>> {
        id_at(self.value, "traceId", trace::trace)
    }

    /// Returns its span; an id of the wrong form is no id.
    pub(super) fn span_id(&self) -> Option<Cow<'a, str>> {
        id_at(self.value, "spanId", trace::span)
    }

    /// Returns the span above its own; an id of the wrong form is no id.
    pub(super) fn parent_span_id(&self) -> Option<Cow<'a, str>> {
        id_at(self.value, "parentSpanId", trace::span)
    }

    /// Returns how loud it is, if it says so.
    pub(super) fn level(&self) -> Option<Level> {
        match self.value.get("severityNumber")?.as_u64()? {
            1..=8 => Some(Level::Debug),
            9..=12 => Some(Level::Info),
            13..=16 => Some(Level::Warn),
            17..=24 => Some(Level::Error),
            _ => None,
        }
    }

    /// Returns whether it stands in a resource or scope that says anything.
    pub(super) fn has_surroundings(&self) -> bool {
        let says = |value: Value<'_>| match value.kind() {
            Kind::Array => value.items().next().is_some(),
            Kind::Object => value.members().next().is_some(),
            Kind::Text => value.raw_text() != Some(""),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => false,
        };
        let around = [self.in_resource.get("resource"), self.in_scope.get("scope")];
        let around = around.into_iter().flatten();
        let schemas = [self.in_resource, self.in_scope].map(|holder| holder.get("schemaUrl"));
        around.flat_map(Value::members).any(|(_, member)| says(member))
            || schemas.into_iter().flatten().any(says)
            || self.is_seen_later()
    }

    /// Returns whether it says when it was seen, and that is not when it happened.
    fn is_seen_later(&self) -> bool {
        let seen = self.nanos("observedTimeUnixNano");
        seen.is_some() && seen != self.time_ns()
    }

    /// Writes an export request with this record alone, and what is kept of its surroundings.
    pub(super) fn write_request(&self, out: &mut String) {
        self.write_request_with(out, &|out| out.push_str(self.value.raw()));
    }

    /// Writes such a request with something in the record's place.
    pub(super) fn write_request_with(&self, out: &mut String, record: &dyn Fn(&mut String)) {
        let [resources, scopes, records] = self.signal.lists();
        write_list(out, resources, &|out| match self.around {
            Around::Kept => write_with_one(out, self.in_resource, scopes, &|out| {
                write_with_one(out, self.in_scope, records, record);
            }),
            Around::Lost => write_list(out, scopes, &|out| write_list(out, records, record)),
        });
    }

    /// Returns such a request.
    pub(super) fn request(&self) -> String {
        let mut out = String::new();
        self.write_request(&mut out);
        out
    }
}

/// Writes an object with nothing but a list of one item.
fn write_list(out: &mut String, list: &str, item: &dyn Fn(&mut String)) {
    let mut object = Object::begin(out);
    write_one(object.key(list), item);
    object.end();
}

fn write_one(out: &mut String, item: &dyn Fn(&mut String)) {
    out.push('[');
    item(out);
    out.push(']');
}

/// Writes an object as it is, with one item in one of its lists.
pub(super) fn write_with_one(
    out: &mut String,
    object: Value<'_>,
    list: &str,
    item: &dyn Fn(&mut String),
) {
    let mut is_left = true;
    let mut written = Object::begin(out);
    for (key, member) in object.members() {
        match key.as_text().expect("a key is a string") {
            name if name != list => written.key(&name).push_str(member.raw()),
            name if is_left => {
                write_one(written.key(&name), item);
                is_left = false;
            }
            _ => {}
        }
    }
    written.end();
}

/// Returns a time of an object; zero is none.
pub(super) fn nanos(of: Value<'_>, name: &str) -> Option<i64> {
    let nanos = of.get(name)?;
    let text = nanos.as_text().unwrap_or(Cow::Borrowed(nanos.raw()));
    text.parse::<i64>().ok().filter(|&ns| ns > 0)
}

/// Returns an id of an object, in small letters; one of another form is none.
fn id_at<'a>(of: Value<'a>, name: &str, read: fn(&str) -> trace::HexId) -> Option<Cow<'a, str>> {
    let id = of.text_at(name)?;
    let is_small = !id.bytes().any(|byte| byte.is_ascii_uppercase());
    let id = if is_small { id } else { Cow::Owned(id.to_ascii_lowercase()) };
    read(&id).is_own.then_some(id)
}

/// Returns the value of an attribute.
pub(super) fn attribute<'a>(of: Value<'a>, name: &str) -> Option<Value<'a>> {
    let mut attributes = of.get("attributes")?.items();
    attributes.find(|item| item.get("key").is_some_and(|key| key.is_text(name)))?.get("value")
}

pub(super) fn any_text(any: Value<'_>) -> Option<Cow<'_, str>> {
    let (_, value) = any.members().next()?;
    match value.kind() {
        Kind::Text => value.as_text(),
        Kind::Number | Kind::True | Kind::False => Some(Cow::Borrowed(value.raw())),
        Kind::Null | Kind::Object | Kind::Array | Kind::Key => None,
    }
}

/// Writes a list of keys and values as an object.
fn key_values(list: Option<Value<'_>>) -> Json<'static> {
    Json::object(|object| put_key_values(object, list, |_| true))
}

/// Writes those of a list of keys and values that are to be kept; of a key that stands twice the first counts.
pub(super) fn put_key_values(
    object: &mut Object<'_>,
    list: Option<Value<'_>>,
    keep: impl Fn(&str) -> bool,
) {
    let mut seen = HashSet::new();
    for item in list.into_iter().flat_map(Value::items) {
        let Some(key) = item.text_at("key").filter(|key| keep(key)) else { continue };
        if seen.insert(key.clone()) {
            object.json(&key, &any_json(item.get("value")));
        }
    }
}

/// Writes OTLP's tagged value as plain JSON; bytes stay the base64 text that they are.
fn any_json(any: Option<Value<'_>>) -> Json<'static> {
    let Some((key, value)) = any.and_then(|any| any.members().next()) else { return Json::null() };
    match key.raw_text() {
        Some("intValue") => {
            let n = value.as_text().and_then(|text| text.parse::<i64>().ok()).or(value.as_i64());
            n.map_or(Json::null(), Json::integer)
        }
        Some("arrayValue") => {
            let items = value.get("values").into_iter().flat_map(Value::items);
            Json::array(items.map(|item| any_json(Some(item))))
        }
        Some("kvlistValue") => key_values(value.get("values")),
        _ => Json::of(value).into_owned(),
    }
}
