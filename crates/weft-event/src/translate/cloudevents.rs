//! CloudEvents 1.0 in structured JSON: an event inside one, and the event out of one.

use std::borrow::Cow;

use super::source::uuid;
use super::{
    Fill, Lack, Lacks, Opened, Origin, Source, Target, Untranslatable, on_one_line, trace,
};
use crate::collector::{Correlation, Event as CollectorEvent, VERSION};
use crate::event::{self, Expect};
use crate::facts::carried;
use crate::identity::digest_parts;
use crate::json::{Json, Kind, Object, Tape, Value};
use crate::problem::{Code, Problem, Problems};
use crate::shape::is_uuid;
use crate::{Dialect, time};

/// The extension that names the dialect of the event inside.
const DIALECT: &str = "weftdialect";

/// Writes the event as a CloudEvent. The event itself is its `data`, so nothing is lost.
pub(super) fn write(source: &Source<'_>) -> String {
    let facts = &source.facts;
    let dialect = facts.dialect.as_str();
    let value = source.event.value();
    let line = Json::object(|event| {
        event.text("specversion", "1.0");
        let id = source.id();
        event.text("id", if is_plain(&id) { id } else { source.made_uuid().into() }.as_ref());
        let actor = facts.actor.as_deref().filter(|actor| !actor.is_empty());
        let actor = actor.map_or(String::new(), |actor| format!(":{}", percent(actor)));
        event.text("source", &format!("urn:weft:{dialect}{actor}"));
        event.text("type", &format!("dev.weft.{dialect}.{}", percent(&facts.event_type)));
        let subject = [("task", &facts.task), ("session", &facts.session)];
        let subject = subject.iter().find_map(|(name, fact)| Some((name, fact.as_deref()?)));
        if let Some((name, fact)) = subject.filter(|(_, fact)| is_plain(fact)) {
            event.text("subject", &format!("{name}/{fact}"));
        }
        facts.time_ns.iter().for_each(|&ns| event.text("time", &time::format_rfc3339(ns)));
        let fits = fits_as_value(value);
        event.text("datacontenttype", if fits { "application/json" } else { "text/plain" });
        put_extensions(event, source);
        match fits {
            true => event.json("data", &Json::of(value)),
            false => event.text("data", value.raw()),
        }
    });
    line.as_str().to_owned()
}

/// Returns whether an event can be a value inside another: no key twice, and a level of nesting to spare.
fn fits_as_value(value: Value<'_>) -> bool {
    let nested = format!("[{}]", value.raw());
    value.repeated_keys().next().is_none() && Tape::new().parse(&nested).is_ok()
}

fn put_extensions(event: &mut Object<'_>, source: &Source<'_>) {
    let facts = &source.facts;
    // Sequences are compared as text, so they are all of one length.
    facts.order.iter().for_each(|order| event.text("sequence", &format!("{order:020}")));
    if let Some(id) = &facts.trace {
        let span = facts.span.as_deref().map_or_else(|| trace::span(&source.id()), trace::span);
        event.text("traceparent", &format!("00-{}-{}-01", trace::trace(id).hex, span.hex));
    }
    event.text(DIALECT, facts.dialect.as_str());
    facts.status.iter().for_each(|status| event.text("weftstatus", status.as_str()));
    for (name, fact) in [("weftsession", &facts.session), ("wefttenant", &facts.tenant)] {
        fact.iter().filter(|fact| is_plain(fact)).for_each(|fact| event.text(name, fact));
    }
}

/// Returns whether a text can be an attribute: not empty, and without control characters.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

/// Writes everything but letters, digits and `-._~` as its bytes in hex.
fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Takes the events out of a CloudEvent or a batch of them; `None` if the value is neither.
pub(super) fn open(value: Value<'_>, fill: &Fill) -> Option<Vec<Result<Opened, Untranslatable>>> {
    let (good, problems) = members(value)?;
    let opened = good.into_iter().map(|event| open_one(event, fill));
    Some(opened.chain(problems.into_iter().map(|p| Err(Untranslatable::Malformed(p)))).collect())
}

/// Takes a batch apart into its CloudEvents, as they are, and what is wrong with the rest; `None` if the value is no batch and
/// no CloudEvent.
pub(super) fn unpack(value: Value<'_>) -> Option<(Vec<String>, Vec<Problem>)> {
    let (good, problems) = members(value)?;
    Some((good.into_iter().map(|event| event.raw().to_owned()).collect(), problems))
}

/// Returns the CloudEvents of a value, and what is wrong with those that are none.
///
/// A list is a batch if it is empty or a member has a version. An event of a dialect may have a field of that name.
fn members(value: Value<'_>) -> Option<(Vec<Value<'_>>, Vec<Problem>)> {
    let has_version = |value: &Value<'_>| value.get("specversion").is_some();
    let is_one = has_version(&value) && (is_known_version(value) || known(value).is_none());
    let is_batch = value.kind() == Kind::Array
        && (value.items().next().is_none() || value.items().any(|item| has_version(&item)));
    let mut problems = Problems::new();
    let is_good = |value: &Value<'_>| {
        let n_before = problems.list().len();
        check(*value, &mut problems);
        problems.list().len() == n_before
    };
    let good = match (is_one, is_batch) {
        (true, _) => Some(value).into_iter().filter(is_good).collect(),
        (false, true) => value.items().filter(is_good).collect(),
        (false, false) => return None,
    };
    Some((good, problems.list().to_vec()))
}

fn is_known_version(value: Value<'_>) -> bool {
    value.get("specversion").is_some_and(|version| version.is_text("1.0"))
}

/// Checks what every CloudEvent must have.
fn check(event: Value<'_>, problems: &mut Problems) {
    if event.kind() != Kind::Object {
        let message = format!("expected object, found {}", event.kind().name());
        return problems.at(event, Code::Type, message);
    }
    if let Some(version) = event.get("specversion").filter(|_| !is_known_version(event))
        && let Some(word) = version.as_text()
    {
        let message = format!("CloudEvents of version `{word}` are not read, only `1.0`");
        return problems.at(version, Code::ForeignVersion, message);
    }
    for name in ["specversion", "id", "source", "type"] {
        match event.get(name) {
            None => problems.missing(event, name, Code::Missing),
            Some(member) => match member.as_text().as_deref() {
                None => {
                    let message = format!("expected string, found {}", member.kind().name());
                    problems.at(member, Code::Type, message);
                }
                Some("") => problems.at(member, Code::Length, "must not be empty"),
                Some(_) => {}
            },
        }
    }
}

fn open_one(value: Value<'_>, fill: &Fill) -> Result<Opened, Untranslatable> {
    let data = value.get("data");
    let dialect = value.text_at(DIALECT).and_then(|word| Dialect::parse(&word));
    match (data, dialect) {
        (Some(data), Some(dialect)) if data.kind() == Kind::Text => {
            let line = on_one_line(data.as_text().expect("the kind is a string").into_owned());
            Ok(Opened { line, dialect, origin: Origin::Original, losses: Vec::new() })
        }
        (Some(data), Some(dialect)) if data.kind() == Kind::Object => Ok(Opened {
            line: data.raw().to_owned(),
            dialect,
            origin: Origin::Original,
            losses: Vec::new(),
        }),
        _ => match data.and_then(known) {
            Some(opened) => Ok(opened),
            None => make(value, fill),
        },
    }
}

/// Returns the data of a foreign CloudEvent if it is a valid event of some dialect.
fn known(data: Value<'_>) -> Option<Opened> {
    if data.kind() != Kind::Object {
        return None;
    }
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, data.raw().as_bytes(), Expect::Any, &mut problems)?;
    let dialect = event.dialect();
    let line = data.raw().to_owned();
    (!problems.has_errors()).then_some(Opened {
        line,
        dialect,
        origin: Origin::Original,
        losses: Vec::new(),
    })
}

/// Makes a collector event of a CloudEvent that holds no event: its source got somewhere.
fn make(value: Value<'_>, fill: &Fill) -> Result<Opened, Untranslatable> {
    let text = |name: &str| value.text_at(name).filter(|text| !text.is_empty());
    let time_ns = match value.get("time").filter(|time| time.kind() != Kind::Null) {
        Some(time) => time_of(time)?,
        None => fill.time_ns.ok_or_else(|| Untranslatable::Incomplete {
            what: Target::CloudEvents,
            lacks: Lacks(vec![Lack { field: "time", flag: "--time" }]),
        })?,
    };
    let (agent_id, kind) = (text("source").unwrap_or_default(), text("type").unwrap_or_default());
    let parent = text("traceparent");
    let span = parent.as_deref().and_then(trace::parse_traceparent);
    let order = text("sequence").and_then(|sequence| sequence.parse::<u64>().ok());
    let event_id = text("id").map(|id| match is_uuid(id.as_bytes()) {
        true => id,
        false => Cow::Owned(uuid(digest_parts(&[agent_id.as_bytes(), id.as_bytes()]))),
    });
    let added = Json::object(|added| {
        added.text("dialect", Target::CloudEvents.as_str());
        added.text("type", &kind);
        if let Some(order) = order {
            let facts = Json::object(|facts| facts.json("order", &Json::integer(order)));
            added.json("facts", &facts);
        }
        added.json("event", &Json::of(value));
    });
    let event = CollectorEvent {
        version: VERSION.into(),
        event_type: "activity.progress".into(),
        timestamp: time::format_rfc3339(time_ns).into(),
        agent_id,
        event_id,
        message: Some(match text("subject") {
            Some(subject) => format!("{kind} {subject}").into(),
            None => kind.clone(),
        }),
        correlation: span.map(|(trace, span)| Correlation {
            trace_id: Some(trace.into()),
            span_id: Some(span.into()),
            ..Correlation::default()
        }),
        metadata: Some(Json::object(|metadata| metadata.json(carried::KEY, &added))),
        ..CollectorEvent::default()
    };
    let dialect = Dialect::Collector;
    Ok(Opened { line: event.to_line(), dialect, origin: Origin::Made, losses: Vec::new() })
}

fn time_of(time: Value<'_>) -> Result<i64, Untranslatable> {
    time.as_text().and_then(|text| time::parse_rfc3339(&text)).ok_or_else(|| {
        let message = "not an RFC 3339 time with an offset".to_owned();
        let pointer = time.pointer();
        Untranslatable::Malformed(Problem { code: Code::Format, pointer, message })
    })
}
