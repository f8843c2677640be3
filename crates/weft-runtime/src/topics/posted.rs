//! One thing that was posted to a topic, as it is shown: a message, or an event that its producer posted as it is.

use weft_event::Dialect;
use weft_event::idle::Body;
use weft_event::json::{Json, Kind, Object, Tape, Value};
use weft_event::shape::Wire as _;
use weft_log::Position;
use weft_log::query::Found;

use super::{Expiry, expiry};

const NS_PER_MS: i64 = 1_000_000;

/// What was posted.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    /// Its place in the log.
    pub position: Position,
    /// The topic's name.
    pub topic: String,
    /// In a last-value topic, what it is a value of.
    pub key: Option<String>,
    /// What only a message has; `None` for an event that was posted as it is.
    pub message: Option<Message>,
    /// What it says: the message's body, or the event itself.
    pub body: String,
    /// When it was posted, in nanoseconds since 1970.
    pub posted_ns: i64,
    /// The session that it was sent from.
    pub session: Option<String>,
}

/// What a message has beside its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// What it says its topic is.
    pub topic_id: String,
    /// The message that it answers.
    pub parent: Option<String>,
    /// Who sent it.
    pub sender: Option<Json<'static>>,
    /// Where the repository stood.
    pub git: Option<Json<'static>>,
}

impl Posted {
    /// Reads a record; `None` if it is none that was posted.
    pub fn of(found: &Found) -> Option<Self> {
        let mark = found.meta.mark.as_ref()?;
        let mut tape = Tape::new();
        let event = found.read(&mut tape)?;
        let (facts, value) = (event.facts(), event.value());
        let is_message = event.dialect() == Dialect::Idle && facts.event_type == "message";
        let message = is_message.then(|| Message::of(value));
        let body = match &message {
            Some(_) => value.get("body").and_then(Body::read).unwrap_or_default().into_text(),
            None => String::from_utf8_lossy(&found.line),
        };
        let (topic, key) = match &mark.topic {
            Some(topic) => (topic.topic.clone(), topic.key.clone()),
            None => (facts.topic.as_deref().unwrap_or_default().to_owned(), None),
        };
        let received_ns = || found.meta.at_us.unwrap_or(0).saturating_mul(1000);
        Some(Self {
            position: found.meta.position,
            topic,
            key,
            message,
            body: body.into_owned(),
            posted_ns: facts.time_ns.unwrap_or_else(received_ns),
            session: facts.session.as_deref().map(str::to_owned),
        })
    }

    /// Returns what it is called: the message's id, else its position.
    pub fn name(&self) -> String {
        self.message.as_ref().map_or_else(|| self.position.to_string(), |it| it.id.clone())
    }

    /// Returns how long it counts; `None` if it has no end.
    pub fn expiry(&self) -> Option<Expiry> {
        expiry(&self.topic, &self.body, self.posted_ns)
    }

    /// Writes it as the message store does, with what Weft knows beside.
    pub fn write(&self, object: &mut Object<'_>, n_replies: Option<u64>, now_ns: i64) {
        let text = |text: Option<&String>| text.map_or(Json::null(), |text| Json::text(text));
        let message = self.message.as_ref();
        object.json("id", &text(message.map(|it| &it.id)));
        object.text("topic", &self.topic);
        object.json("topic_id", &text(message.map(|it| &it.topic_id)));
        object.json("parent_id", &text(message.and_then(|it| it.parent.as_ref())));
        object.text("body", &self.body);
        object.json("created_at", &Json::integer(self.posted_ns.div_euclid(NS_PER_MS)));
        if let Some(n_replies) = n_replies {
            object.json("reply_count", &Json::integer(n_replies));
        }
        let part = |part: Option<&Json<'static>>| part.cloned().unwrap_or_else(Json::null);
        object.json("sender", &part(message.and_then(|it| it.sender.as_ref())));
        object.json("git", &part(message.and_then(|it| it.git.as_ref())));
        object.json("position", &Json::integer(self.position.get()));
        self.key.iter().for_each(|key| object.text("key", key));
        self.session.iter().for_each(|session| object.text("session_id", session));
        if let Some(expiry) = self.expiry() {
            let ends_ms = expiry.ends_ns().div_euclid(NS_PER_MS);
            object.json("expires_at", &Json::integer(ends_ms));
            object.json("stale", &Json::bool(expiry.is_over(now_ns)));
        }
    }
}

impl Message {
    fn of(value: Value<'_>) -> Self {
        let text = |name: &str| value.text_at(name).map(std::borrow::Cow::into_owned);
        let part = |name: &str| {
            let part = value.get(name).filter(|part| part.kind() == Kind::Object);
            part.map(|part| Json::of(part).into_owned())
        };
        Self {
            id: text("id").unwrap_or_default(),
            topic_id: text("topic_id").unwrap_or_default(),
            parent: text("parent_id"),
            sender: part("sender"),
            git: part("git"),
        }
    }

    /// Returns who sent it and on which model, for a person.
    pub fn by(&self) -> Option<String> {
        let mut tape = Tape::new();
        let sender = tape.parse(self.sender.as_ref()?.as_str()).expect("it was written as JSON");
        let text = |name: &str| sender.text_at(name).filter(|text| !text.is_empty());
        let name = text("name").or_else(|| text("id"))?;
        let model = text("model").map(|model| format!(" [{model}]")).unwrap_or_default();
        let role = text("role").map(|role| format!(", {role}")).unwrap_or_default();
        Some(format!("{name}{model}{role}"))
    }

    /// Returns where the repository stood, for a person.
    pub fn at(&self) -> Option<String> {
        let mut tape = Tape::new();
        let git = tape.parse(self.git.as_ref()?.as_str()).expect("it was written as JSON");
        let oid: String = git.text_at("oid")?.chars().take(8).collect();
        let head = git.text_at("head")?;
        let dirty = git.get("dirty").and_then(Value::as_bool).unwrap_or(false);
        Some(format!("{head}@{oid}{}", if dirty { "+" } else { "" }))
    }
}
