//! What the server says: who it is, then one answer for each request; a tail has one for each portion of records.

use weft_event::json::{Json, Object, Tape, Value};
use weft_log::log::{Durability, Outcome};
use weft_log::query::{Found, Page};
use weft_log::rejected::Reason;
use weft_log::{Position, TopicKey};
use weft_runtime::loops::Briefing;
use weft_runtime::loops::briefing::Since;

use super::frame::{self, Frame, FrameError};
use super::record;
use super::request::{durability_word, header_of, items, position, read_topic, write_topic};
use super::{BadMessage, PROTOCOL};

/// The first message of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The protocol it speaks.
    pub protocol: u32,
    /// Its own version.
    pub version: String,
    /// The id of its store.
    pub store_id: String,
    /// Its process.
    pub pid: u32,
}

/// What the server answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// What became of events.
    Appended(Appended),
    /// Records that were found, or that came.
    Records(Page),
    /// The one record; `None` if there is none.
    Record(Option<Found>),
    /// What the log says of a session's loop.
    Loop(Box<Briefing>),
    /// The store is in order.
    Settled,
    /// How the server is, as a JSON object.
    Status(String),
    /// The server ends.
    Stopping,
    /// It could not be done.
    Failed(Failure),
}

/// What became of events that were sent together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// One for each event.
    pub fates: Vec<Fate>,
    /// What is promised of those that were kept.
    pub durability: Durability,
}

/// What became of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is in the log.
    Kept {
        /// Where, and what it is to those before it.
        outcome: Outcome,
        /// What is odd about it.
        warnings: Vec<Reason>,
    },
    /// It was refused, and is kept among what was.
    Refused {
        /// Its id there.
        id: String,
        /// Why.
        reasons: Vec<Reason>,
    },
}

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A condition does not hold.
    #[error("the newest record is another one than was expected")]
    Condition {
        /// The topic and key.
        topic: TopicKey,
        /// The position of the newest record.
        actual: Option<Position>,
    },
    /// It may be done later.
    #[error("{message}")]
    Later {
        /// Why not now.
        message: String,
    },
    /// The store cannot be read or written.
    #[error("{message}")]
    Store {
        /// What is wrong.
        message: String,
    },
    /// The request is wrong.
    #[error("{message}")]
    Request {
        /// What is wrong with it.
        message: String,
    },
}

impl Hello {
    /// Returns what this version says for a store.
    pub fn ours(store_id: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (store_id, pid) = (store_id.to_owned(), std::process::id());
        Self { protocol: PROTOCOL, version, store_id, pid }
    }

    /// Appends its frame.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        let hello = Json::object(|hello| {
            hello.json("protocol", &Json::integer(self.protocol));
            hello.text("version", &self.version);
            hello.text("store", &self.store_id);
            hello.json("pid", &Json::integer(self.pid));
        });
        let header = Json::object(|header| header.json("hello", &hello));
        frame::encode(header.as_str(), b"", out)
    }

    /// Reads it off a frame.
    pub fn decode(frame: &Frame) -> Result<Self, BadMessage> {
        let mut tape = Tape::new();
        let header = header_of(&mut tape, frame)?;
        let hello = header.get("hello").ok_or_else(|| BadMessage::new("no hello"))?;
        let number = |name: &str| {
            let number = hello.get(name).and_then(Value::as_u64);
            let number = number.and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| BadMessage::new(format!("no {name}")))
        };
        Ok(Self {
            protocol: number("protocol")?,
            version: hello.text_at("version").unwrap_or_default().into_owned(),
            store_id: hello.text_at("store").unwrap_or_default().into_owned(),
            pid: number("pid")?,
        })
    }
}

impl Answer {
    /// Appends its frame.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        let (mut header, mut body) = (String::new(), Vec::new());
        let mut object = Object::begin(&mut header);
        match self {
            Answer::Appended(appended) => object.json("appended", &appended.json()),
            Answer::Records(page) => {
                let records = Json::object(|object| {
                    record::write(object, &page.records, &mut body);
                    record::write_lost(object, &page.lost);
                    if let Some(next) = page.next {
                        object.json("next", &Json::integer(next.get()));
                    }
                });
                object.json("page", &records);
            }
            Answer::Record(found) => {
                let one = Json::object(|object| {
                    record::write(object, found.as_slice(), &mut body);
                });
                object.json("record", &one);
            }
            Answer::Loop(briefing) => {
                let told = Json::object(|object| write_briefing(object, briefing, &mut body));
                object.json("loop", &told);
            }
            Answer::Settled => object.json("settled", &Json::empty_object()),
            Answer::Status(status) => object.key("status").push_str(status),
            Answer::Stopping => object.json("stopping", &Json::empty_object()),
            Answer::Failed(failure) => object.json("failed", &failure.json()),
        }
        object.end();
        frame::encode(&header, &body, out)
    }

    /// Reads it off a frame.
    pub fn decode(frame: &Frame) -> Result<Self, BadMessage> {
        let mut tape = Tape::new();
        let header = header_of(&mut tape, frame)?;
        let (name, value) = header
            .members()
            .next()
            .map(|(name, value)| (name.as_text().unwrap_or_default(), value))
            .ok_or_else(|| BadMessage::new("an empty header"))?;
        match &*name {
            "appended" => Ok(Answer::Appended(Appended::read(value)?)),
            "page" => Ok(Answer::Records(Page {
                records: record::read(value, frame.body())?,
                lost: record::read_lost(value)?,
                next: value.get("next").map(position).transpose()?,
            })),
            "record" => Ok(Answer::Record(record::read(value, frame.body())?.pop())),
            "loop" => Ok(Answer::Loop(Box::new(read_briefing(value, frame.body())?))),
            "settled" => Ok(Answer::Settled),
            "status" => Ok(Answer::Status(value.raw().to_owned())),
            "stopping" => Ok(Answer::Stopping),
            "failed" => Ok(Answer::Failed(Failure::read(value)?)),
            other => Err(BadMessage::new(format!("no answer is named `{other}`"))),
        }
    }
}

impl Appended {
    fn json(&self) -> Json<'static> {
        Json::object(|object| {
            object.text("durability", durability_word(self.durability));
            object.json("events", &Json::array(self.fates.iter().map(Fate::json)));
        })
    }

    fn read(value: Value<'_>) -> Result<Self, BadMessage> {
        let durability = match value.text_at("durability").as_deref() {
            Some("written") => Durability::Written,
            Some("synced") => Durability::Synced,
            Some(_) | None => return Err(BadMessage::new("no durability")),
        };
        let fates = items(value, "events").map(Fate::read).collect::<Result<_, _>>()?;
        Ok(Self { fates, durability })
    }
}

impl Fate {
    fn json(&self) -> Json<'static> {
        Json::object(|object| match self {
            Fate::Kept { outcome, warnings } => {
                object.json("position", &Json::integer(outcome.position().get()));
                match outcome {
                    Outcome::Stored { conflict: None, .. } => {}
                    Outcome::Stored { conflict: Some(first), .. } => {
                        object.json("conflict", &Json::integer(first.get()));
                    }
                    Outcome::Repeat { .. } => object.json("repeat", &Json::bool(true)),
                }
                if !warnings.is_empty() {
                    object.json("warnings", &Json::array(warnings.iter().map(reason_json)));
                }
            }
            Fate::Refused { id, reasons } => {
                object.text("rejected", id);
                object.json("problems", &Json::array(reasons.iter().map(reason_json)));
            }
        })
    }

    fn read(value: Value<'_>) -> Result<Self, BadMessage> {
        if let Some(id) = value.text_at("rejected") {
            let reasons = items(value, "problems").map(read_reason).collect();
            return Ok(Fate::Refused { id: id.into_owned(), reasons });
        }
        let place = value.get("position").ok_or_else(|| BadMessage::new("no position"))?;
        let place = position(place)?;
        let conflict = value.get("conflict").map(position).transpose()?;
        let outcome = match value.get("repeat").and_then(Value::as_bool) {
            Some(true) => Outcome::Repeat { position: place },
            Some(false) | None => Outcome::Stored { position: place, conflict },
        };
        Ok(Fate::Kept { outcome, warnings: items(value, "warnings").map(read_reason).collect() })
    }
}

impl Failure {
    fn json(&self) -> Json<'static> {
        Json::object(|object| match self {
            Failure::Condition { topic, actual } => {
                object.text("code", "condition");
                object.text("message", &self.to_string());
                write_topic(object, topic);
                let actual = actual.map_or(Json::null(), |actual| Json::integer(actual.get()));
                object.json("actual", &actual);
            }
            Failure::Later { message } => {
                object.text("code", "later");
                object.text("message", message);
            }
            Failure::Store { message } => {
                object.text("code", "store");
                object.text("message", message);
            }
            Failure::Request { message } => {
                object.text("code", "request");
                object.text("message", message);
            }
        })
    }

    fn read(value: Value<'_>) -> Result<Self, BadMessage> {
        let message = value.text_at("message").unwrap_or_default().into_owned();
        match value.text_at("code").as_deref() {
            Some("condition") => {
                let topic = read_topic(value).ok_or_else(|| BadMessage::new("no topic"))?;
                let actual = value.get("actual").filter(|actual| actual.raw() != "null");
                Ok(Failure::Condition { topic, actual: actual.map(position).transpose()? })
            }
            Some("later") => Ok(Failure::Later { message }),
            Some("request") => Ok(Failure::Request { message }),
            Some("store" | _) | None => Ok(Failure::Store { message }),
        }
    }
}

/// Writes how many records there are of each kind, and then all of them.
fn write_briefing(object: &mut Object<'_>, briefing: &Briefing, body: &mut Vec<u8>) {
    let Briefing { last, own, unclaimed, said, plan } = briefing;
    object.json("last", &Json::integer(*last));
    let n_records = |n: usize| Json::integer(n as u64);
    object.json("own", &n_records(own.iter().len()));
    object.json("unclaimed", &n_records(unclaimed.iter().len()));
    if let Some(said) = said {
        object.json("said", &n_records(said.len()));
    }
    if let Some(plan) = plan {
        object.json("plan", &n_records(plan.records.len()));
        object.json("plan_upto", &Json::integer(plan.upto));
    }
    let planned = plan.iter().flat_map(|plan| &plan.records);
    let all = own.iter().chain(unclaimed).chain(said.iter().flatten()).chain(planned);
    record::write(object, &all.cloned().collect::<Vec<_>>(), body);
}

fn read_briefing(value: Value<'_>, body: &[u8]) -> Result<Briefing, BadMessage> {
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    let last = number("last").ok_or_else(|| BadMessage::new("no `last`"))?;
    let mut records = record::read(value, body)?.into_iter();
    let mut some = |name: &str| -> Result<Vec<Found>, BadMessage> {
        let n = number(name).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let some: Vec<Found> = records.by_ref().take(n).collect();
        match some.len() == n {
            true => Ok(some),
            false => Err(BadMessage::new(format!("fewer records than `{name}`"))),
        }
    };
    let (own, unclaimed) = (some("own")?.pop(), some("unclaimed")?.pop());
    let (said, planned) = (some("said")?, some("plan")?);
    let said = number("said").map(|_| said);
    let plan = number("plan_upto").map(|upto| Since { upto, records: planned });
    Ok(Briefing { last, own, unclaimed, said, plan })
}

fn reason_json(reason: &Reason) -> Json<'static> {
    Json::object(|object| {
        object.text("code", &reason.code);
        object.text("pointer", &reason.path);
        object.text("message", &reason.message);
    })
}

fn read_reason(value: Value<'_>) -> Reason {
    let text = |name: &str| value.text_at(name).unwrap_or_default().into_owned();
    Reason { code: text("code"), path: text("pointer"), message: text("message") }
}

#[cfg(test)]
mod tests;
