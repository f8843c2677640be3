//! A collector event made from flags.

use std::borrow::Cow;

use anyhow::Context as _;
use weft_event::collector::{self, VERSION};
use weft_event::json::{Json, Tape};
use weft_event::shape::{Check, Shape};
use weft_event::time;

/// What has a flag of its own.
pub(super) struct Said {
    pub(super) event_type: String,
    pub(super) agent: String,
    pub(super) session: Option<String>,
    pub(super) message: Option<String>,
    pub(super) event_id: Option<String>,
}

/// The fields that are set by flags of their own, or by nobody.
const TAKEN: [&str; 7] =
    ["version", "event_type", "timestamp", "agent_id", "event_id", "session_id", "message"];

/// A field given by its path, or an object of such fields.
enum Node {
    Value(Json<'static>),
    Object(Vec<(String, Node)>),
}

/// Returns the event as a line, at the present time.
pub(super) fn event(said: Said, fields: &[String]) -> anyhow::Result<Vec<u8>> {
    let mut members = Vec::new();
    for field in fields {
        let (path, value) = field
            .split_once('=')
            .with_context(|| format!("--field {field}: a path, = and a value are needed"))?;
        let names: Vec<&str> = path.split('.').collect();
        if TAKEN.contains(&names[0]) {
            anyhow::bail!("--field {path}: it has a flag of its own, or is set by weft");
        }
        let value = value_of(&collector::EVENT, &names, value);
        insert(&mut members, &names, value).with_context(|| format!("--field {path}"))?;
    }
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond())
        .context("the clock is beyond the times that an event can have")?;
    let event = collector::Event {
        version: VERSION.into(),
        event_type: said.event_type.into(),
        timestamp: time::format_rfc3339(now_ns).into(),
        agent_id: said.agent.into(),
        event_id: said.event_id.map(Cow::Owned),
        session_id: said.session.map(Cow::Owned),
        message: said.message.map(Cow::Owned),
        extra: members.iter().map(|(name, node)| (name.into(), write(node))).collect(),
        ..collector::Event::default()
    };
    Ok(event.to_line().into_bytes())
}

/// Returns a value as JSON: as it stands where it is JSON and the field takes more than text, else as text.
fn value_of(shape: &Shape, names: &[&str], value: &str) -> Json<'static> {
    let field = shape.fields.iter().find(|field| field.name == names[0]);
    match (field.map(|field| &field.check), names) {
        (Some(Check::Text(_)), [_]) => return Json::text(value),
        (Some(Check::Shape(shape)), [_, rest @ ..]) if !rest.is_empty() => {
            return value_of(shape, rest, value);
        }
        (_, _) => {}
    }
    match Tape::new().parse(value) {
        Ok(parsed) => Json::of(parsed).into_owned(),
        Err(_) => Json::text(value),
    }
}

fn insert(
    members: &mut Vec<(String, Node)>,
    names: &[&str],
    value: Json<'static>,
) -> anyhow::Result<()> {
    let [name, rest @ ..] = names else { unreachable!("a path has a name") };
    anyhow::ensure!(!name.is_empty(), "a name in it is empty");
    let found = members.iter().position(|(known, _)| known == name);
    match (found, rest) {
        (None, []) => members.push(((*name).to_owned(), Node::Value(value))),
        (None, rest) => {
            let mut inner = Vec::new();
            insert(&mut inner, rest, value)?;
            members.push(((*name).to_owned(), Node::Object(inner)));
        }
        (Some(_), []) => anyhow::bail!("it is given twice"),
        (Some(idx), rest) => match &mut members[idx].1 {
            Node::Object(inner) => insert(inner, rest, value)?,
            Node::Value(_) => anyhow::bail!("`{name}` is given as a whole too"),
        },
    }
    Ok(())
}

fn write(node: &Node) -> Json<'static> {
    match node {
        Node::Value(value) => value.clone(),
        Node::Object(members) => Json::object(|object| {
            members.iter().for_each(|(name, node)| object.json(name, &write(node)));
        }),
    }
}
