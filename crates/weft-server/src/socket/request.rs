//! What a client says: who it is, then one request after the other.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::time::Duration;

use weft_event::Dialect;
use weft_event::json::{Json, Object, Tape, Value};
use weft_log::log::{Condition, Durability};
use weft_log::query::Order;
use weft_log::{Position, TopicKey};

use super::frame::{self, Frame, FrameError};
use super::{BadMessage, PROTOCOL};

/// The first message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The protocol it speaks.
    pub protocol: u32,
    /// Its own version, for messages to people.
    pub version: String,
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// Put events into the log.
    Append(Append<'a>),
    /// Find records.
    Page(PageAsk),
    /// Return one record.
    Get(Position),
    /// Return what the log says of a session's loop.
    Loop(LoopAsk),
    /// Return records as they come, until the connection is closed.
    Tail(TailAsk),
    /// Bring the store in order for whoever reads it next.
    Settle,
    /// Say how the server is.
    Status,
    /// End the server.
    Stop,
}

/// Events to append together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append<'a> {
    /// The way they came in.
    pub via: Cow<'a, str>,
    /// What the answer has to promise.
    pub durability: Durability,
    /// How long they may wait for room or for the store; the server's own limit if that is shorter.
    pub patience: Option<Duration>,
    /// What has to be so, or none is appended.
    pub conditions: Vec<Condition>,
    /// The events, in order.
    pub events: Vec<Sent<'a>>,
}

/// One event on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent<'a> {
    /// The event, as it came, on one line.
    pub line: &'a [u8],
    /// The way it came in, where that is another than the request's.
    pub via: Option<Cow<'a, str>>,
    /// Its dialect, where it is not to be told by its shape.
    pub dialect: Option<Dialect>,
    /// What tells this delivery from another.
    pub delivery: Option<Cow<'a, str>>,
    /// The topic it is posted to.
    pub topic: Option<Cow<'a, TopicKey>>,
}

/// Which records a page has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAsk {
    /// The filter, as it is written.
    pub filter: String,
    /// Whose records.
    pub scope: Scope,
    /// Between which positions, both included.
    pub range: RangeInclusive<Position>,
    /// From which end.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
}

/// Whose loop is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopAsk {
    /// The session.
    pub session_id: String,
    /// What time it is for whoever asks: what was asked of the loop counts for a while.
    pub now_ns: i64,
}

/// Which records a tail has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TailAsk {
    /// The filter, as it is written.
    pub filter: String,
    /// Whose records.
    pub scope: Scope,
    /// The first position.
    pub from: Position,
}

/// Whose records are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The producers'.
    Events,
    /// Those and Weft's own.
    Everything,
}

impl Hello {
    /// Returns what this version says.
    pub fn ours() -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Appends its frame.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        let hello = Json::object(|hello| {
            hello.json("protocol", &Json::integer(self.protocol));
            hello.text("version", &self.version);
        });
        let header = Json::object(|header| header.json("hello", &hello));
        frame::encode(header.as_str(), b"", out)
    }

    /// Reads it off a frame.
    pub fn decode(frame: &Frame) -> Result<Self, BadMessage> {
        let mut tape = Tape::new();
        let header = header_of(&mut tape, frame)?;
        let hello = header.get("hello").ok_or_else(|| BadMessage::new("no hello"))?;
        let protocol = hello.get("protocol").and_then(Value::as_u64);
        let protocol = protocol.and_then(|protocol| u32::try_from(protocol).ok());
        Ok(Self {
            protocol: protocol.ok_or_else(|| BadMessage::new("no protocol"))?,
            version: hello.text_at("version").unwrap_or_default().into_owned(),
        })
    }
}

impl<'a> Request<'a> {
    /// Appends its frame.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        let (mut header, mut body) = (String::new(), Vec::new());
        let mut object = Object::begin(&mut header);
        match self {
            Request::Append(append) => {
                object.json("append", &append.header());
                for event in &append.events {
                    body.extend_from_slice(event.line);
                    body.push(b'\n');
                }
            }
            Request::Page(page) => object.json("page", &page.json()),
            Request::Get(position) => object.json("get", &Json::integer(position.get())),
            Request::Loop(ask) => object.json("loop", &ask.json()),
            Request::Tail(tail) => object.json("tail", &tail.json()),
            Request::Settle => object.json("settle", &Json::empty_object()),
            Request::Status => object.json("status", &Json::empty_object()),
            Request::Stop => object.json("stop", &Json::empty_object()),
        }
        object.end();
        frame::encode(&header, &body, out)
    }

    /// Reads it off a frame. `tape` holds what the header is read into.
    pub fn decode(tape: &'a mut Tape, frame: &'a Frame) -> Result<Self, BadMessage> {
        let header = header_of(tape, frame)?;
        let (name, value) = header
            .members()
            .next()
            .map(|(name, value)| (name.as_text().unwrap_or_default(), value))
            .ok_or_else(|| BadMessage::new("an empty header"))?;
        match &*name {
            "append" => Ok(Request::Append(Append::read(value, frame.body())?)),
            "page" => Ok(Request::Page(PageAsk::read(value)?)),
            "get" => Ok(Request::Get(position(value)?)),
            "loop" => Ok(Request::Loop(LoopAsk::read(value)?)),
            "tail" => Ok(Request::Tail(TailAsk::read(value)?)),
            "settle" => Ok(Request::Settle),
            "status" => Ok(Request::Status),
            "stop" => Ok(Request::Stop),
            other => Err(BadMessage::new(format!("no request is named `{other}`"))),
        }
    }
}

impl<'a> Append<'a> {
    fn header(&self) -> Json<'static> {
        Json::object(|object| {
            object.text("via", &self.via);
            object.text("durability", durability_word(self.durability));
            if let Some(patience) = self.patience {
                let ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
                object.json("patience_ms", &Json::integer(ms));
            }
            if !self.conditions.is_empty() {
                object.json("conditions", &Json::array(self.conditions.iter().map(condition_json)));
            }
            if self.events.iter().any(|event| !event.is_plain()) {
                object.json("events", &Json::array(self.events.iter().map(Sent::json)));
            }
        })
    }

    fn read(value: Value<'a>, body: &'a [u8]) -> Result<Self, BadMessage> {
        let durability = match value.text_at("durability").as_deref() {
            None | Some("synced") => Durability::Synced,
            Some("written") => Durability::Written,
            Some(other) => return Err(BadMessage::new(format!("no durability is `{other}`"))),
        };
        let conditions =
            items(value, "conditions").map(read_condition).collect::<Result<_, _>>()?;
        let lines = body.strip_suffix(b"\n").unwrap_or(body);
        let lines = lines.split(|byte| *byte == b'\n').filter(|_| !lines.is_empty());
        let mut described = value.get("events").map(|events| events.items());
        let mut events = Vec::new();
        for line in lines {
            let about = match &mut described {
                Some(about) => {
                    let about = about.next();
                    Some(about.ok_or_else(|| BadMessage::new("more lines than `events`"))?)
                }
                None => None,
            };
            events.push(Sent::read(line, about)?);
        }
        if described.is_some_and(|mut rest| rest.next().is_some()) {
            return Err(BadMessage::new("fewer lines than `events`"));
        }
        let patience = value.get("patience_ms").and_then(Value::as_u64).map(Duration::from_millis);
        let via = value.text_at("via").unwrap_or(Cow::Borrowed("socket"));
        Ok(Self { via, durability, patience, conditions, events })
    }
}

impl<'a> Sent<'a> {
    /// Returns an event of which nothing is said.
    pub fn plain(line: &'a [u8]) -> Self {
        Self { line, via: None, dialect: None, delivery: None, topic: None }
    }

    fn is_plain(&self) -> bool {
        *self == Self::plain(self.line)
    }

    fn json(&self) -> Json<'static> {
        Json::object(|object| {
            if let Some(via) = &self.via {
                object.text("via", via);
            }
            if let Some(dialect) = self.dialect {
                object.text("dialect", dialect.as_str());
            }
            if let Some(delivery) = &self.delivery {
                object.text("delivery", delivery);
            }
            if let Some(topic) = &self.topic {
                write_topic(object, topic);
            }
        })
    }

    fn read(line: &'a [u8], about: Option<Value<'a>>) -> Result<Self, BadMessage> {
        let Some(about) = about else { return Ok(Self::plain(line)) };
        let dialect = match about.text_at("dialect") {
            None => None,
            Some(word) => Some(
                Dialect::parse(&word)
                    .ok_or_else(|| BadMessage::new(format!("no dialect is `{word}`")))?,
            ),
        };
        Ok(Self {
            line,
            via: about.text_at("via"),
            dialect,
            delivery: about.text_at("delivery"),
            topic: read_topic(about).map(Cow::Owned),
        })
    }
}

impl PageAsk {
    fn json(&self) -> Json<'static> {
        Json::object(|object| {
            object.text("filter", &self.filter);
            object.json("bookkeeping", &Json::bool(self.scope == Scope::Everything));
            object.json("first", &Json::integer(self.range.start().get()));
            object.json("last", &Json::integer(self.range.end().get()));
            object.text(
                "order",
                match self.order {
                    Order::Ascending => "ascending",
                    Order::Descending => "descending",
                },
            );
            object.json("limit", &Json::integer(self.limit as u64));
        })
    }

    fn read(value: Value<'_>) -> Result<Self, BadMessage> {
        let at = |name: &str, default: u64| match value.get(name) {
            Some(given) => position(given),
            None => Ok(Position::new(default).expect("it is not 0")),
        };
        let order = match value.text_at("order").as_deref() {
            None | Some("ascending") => Order::Ascending,
            Some("descending") => Order::Descending,
            Some(other) => return Err(BadMessage::new(format!("no order is `{other}`"))),
        };
        let limit = value.get("limit").and_then(Value::as_u64);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        Ok(Self {
            filter: value.text_at("filter").unwrap_or_default().into_owned(),
            scope: scope(value),
            range: at("first", 1)?..=at("last", u64::MAX)?,
            order,
            limit: limit.ok_or_else(|| BadMessage::new("no `limit`"))?,
        })
    }
}

impl LoopAsk {
    fn json(&self) -> Json<'static> {
        Json::object(|object| {
            object.text("session", &self.session_id);
            object.json("now_ns", &Json::integer(self.now_ns));
        })
    }

    fn read(value: Value<'_>) -> Result<Self, BadMessage> {
        let session = value.text_at("session");
        let session = session.ok_or_else(|| BadMessage::new("no `session`"))?;
        let now_ns = value.get("now_ns").and_then(Value::as_i64);
        let now_ns = now_ns.ok_or_else(|| BadMessage::new("no `now_ns`"))?;
        Ok(Self { session_id: session.into_owned(), now_ns })
    }
}

impl TailAsk {
    fn json(&self) -> Json<'static> {
        Json::object(|object| {
            object.text("filter", &self.filter);
            object.json("bookkeeping", &Json::bool(self.scope == Scope::Everything));
            object.json("from", &Json::integer(self.from.get()));
        })
    }

    fn read(value: Value<'_>) -> Result<Self, BadMessage> {
        let from = value.get("from").ok_or_else(|| BadMessage::new("no `from`"))?;
        Ok(Self {
            filter: value.text_at("filter").unwrap_or_default().into_owned(),
            scope: scope(value),
            from: position(from)?,
        })
    }
}

/// Reads the header of a frame, which is an object.
pub(super) fn header_of<'a>(tape: &'a mut Tape, frame: &'a Frame) -> Result<Value<'a>, BadMessage> {
    // Most headers are short, and a client that has just begun finds out nothing about its processor for them.
    let header = match std::str::from_utf8(frame.header()) {
        Ok(text) => tape.parse(text),
        Err(_) => tape.parse_bytes(frame.header()),
    };
    let header = header.map_err(|error| BadMessage::new(format!("the header: {error}")))?;
    if header.repeated_keys().next().is_some() {
        return Err(BadMessage::new("the header has a key twice"));
    }
    Ok(header)
}

pub(super) fn items<'a>(value: Value<'a>, name: &str) -> impl Iterator<Item = Value<'a>> {
    value.get(name).into_iter().flat_map(Value::items)
}

pub(super) fn position(value: Value<'_>) -> Result<Position, BadMessage> {
    let position = value.as_u64().and_then(Position::new);
    position.ok_or_else(|| BadMessage::new(format!("{} is no position", value.raw())))
}

pub(super) fn durability_word(durability: Durability) -> &'static str {
    match durability {
        Durability::Written => "written",
        Durability::Synced => "synced",
    }
}

pub(super) fn write_topic(object: &mut Object<'_>, topic: &TopicKey) {
    object.text("topic", &topic.topic);
    if let Some(key) = &topic.key {
        object.text("key", key);
    }
}

pub(super) fn read_topic(value: Value<'_>) -> Option<TopicKey> {
    let topic = value.text_at("topic")?.into_owned();
    Some(TopicKey { topic, key: value.text_at("key").map(Cow::into_owned) })
}

fn scope(value: Value<'_>) -> Scope {
    match value.get("bookkeeping").and_then(Value::as_bool) {
        Some(true) => Scope::Everything,
        Some(false) | None => Scope::Events,
    }
}

fn condition_json(condition: &Condition) -> Json<'static> {
    Json::object(|object| {
        write_topic(object, &condition.topic);
        let last = condition.last.map_or(Json::null(), |last| Json::integer(last.get()));
        object.json("last", &last);
    })
}

fn read_condition(value: Value<'_>) -> Result<Condition, BadMessage> {
    let topic = read_topic(value).ok_or_else(|| BadMessage::new("a condition has no topic"))?;
    let last = value.get("last").ok_or_else(|| BadMessage::new("a condition has no `last`"))?;
    let last = if last.raw() == "null" { None } else { Some(position(last)?) };
    Ok(Condition { topic, last })
}

#[cfg(test)]
mod tests;
