//! Topics as a model uses them: a message is posted, and what was posted is read.

use std::borrow::Cow;

use weft_event::Dialect;
use weft_event::idle::{Body, Sender, TopicKind};
use weft_event::json::{Json, Tape, Value};
use weft_log::log::Outcome;
use weft_log::query::{QueryError, Records};
use weft_runtime::git::Git;
use weft_runtime::topics::{self, Chosen, Draft, Known, Posted, WhichError};

use super::argument::get;
use super::look::{ANSWER_BYTES_MAX, LISTED_BYTES_MAX};
use super::report::{Around, who};
use super::shelf::{Kept, Put, Shelf};
use super::shorten::shorten;
use super::tool::LIMIT_DEFAULT;
use super::{Told, aside};

const NS_PER_MS: i64 = 1_000_000;

/// A message that a model posts.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    topic: Option<String>,
    reply_to: Option<String>,
    key: Option<String>,
    body: String,
    sender: Sender<'static>,
    session: Option<String>,
}

/// What a model asks of a topic.
#[derive(Clone, Debug)]
pub(super) struct Question {
    topic: String,
    key: Option<String>,
    limit: usize,
}

impl Letter {
    /// Reads arguments that are checked.
    pub(super) fn read(given: Value<'_>, around: &Around) -> Result<Self, Told> {
        let text = |name: &str| get(given, name).and_then(Value::as_text).map(Cow::into_owned);
        let (topic, reply_to) = (text("topic"), text("reply_to"));
        if topic.is_some() == reply_to.is_some() {
            return Err(Told("give either `topic` or `reply_to`".to_owned()));
        }
        let (agent, session) = who(given, around);
        let sender = Sender {
            name: agent.clone().into(),
            id: agent.into(),
            model: Some(text("model").map(Into::into)),
            role: Some(text("role").map(Into::into)),
            extra: Vec::new(),
        };
        let body = text("message").unwrap_or_default();
        Ok(Self { topic, reply_to, key: text("key"), body, sender, session })
    }
}

impl Question {
    /// Reads arguments that are checked.
    pub(super) fn read(given: Value<'_>) -> Self {
        let text = |name: &str| get(given, name).and_then(Value::as_text).map(Cow::into_owned);
        let limit = get(given, "limit").and_then(Value::as_u64);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT_DEFAULT);
        Self { topic: text("topic").unwrap_or_default(), key: text("key"), limit }
    }
}

/// A topic, or what is near to its name.
enum Named {
    Known(Box<Known>),
    Unknown(Vec<String>),
}

impl Default for Named {
    fn default() -> Self {
        Named::Unknown(Vec::new())
    }
}

impl Named {
    fn find(records: &mut Records, name: &str) -> Result<Self, QueryError> {
        if let Some(known) = topics::find(records, name)? {
            return Ok(Named::Known(Box::new(known)));
        }
        let listed = topics::list(records)?;
        let names = listed.iter().map(|(known, _)| known.name.as_str());
        let near = topics::near(name, names).into_iter().map(str::to_owned).collect();
        let there = listed.into_iter().find(|(known, _)| known.name == name);
        Ok(there.map_or(Named::Unknown(near), |(known, _)| Named::Known(Box::new(known))))
    }

    fn known(self, name: &str) -> Result<Known, Told> {
        match self {
            Named::Known(known) => Ok(*known),
            Named::Unknown(near) => {
                let shown: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
                let mut text = format!("There is no topic `{shown}`.");
                if !near.is_empty() {
                    text += &format!(" Near to it: {}.", near.join(", "));
                }
                text += &format!(
                    " Topics named issue:ID, project:NAME and agent:NAME are always there; another is made with `weft topic new \
                     {shown}`."
                );
                Err(Told(text))
            }
        }
    }
}

/// Posts a message.
pub(super) async fn post<S: Shelf>(
    shelf: &S,
    letter: Letter,
    around: &Around,
) -> Result<Json<'static>, Told> {
    let (topic, parent) = place(shelf, &letter).await?;
    if letter.key.is_some() && topic.kind == TopicKind::AppendOnly {
        let name = &topic.name;
        return Err(Told(format!("`{name}` keeps every message: leave `key` out")));
    }
    let git = match around.folder.clone() {
        Some(folder) => aside(move || topics::context(&Git::at(&folder))).await,
        None => None,
    };
    let (now_ms, id) = (around.now_ns / NS_PER_MS, around.message);
    let of_parent = parent.as_ref().and_then(|parent| parent.key.as_deref());
    let draft = Draft {
        topic: &topic,
        key: letter.key.as_deref().or(of_parent).unwrap_or_default(),
        parent: parent.as_ref().and_then(|parent| Some(parent.message.as_ref()?.id.as_str())),
        body: Body::Text(Cow::Borrowed(&letter.body)),
        sender: Some(letter.sender),
        git,
        session: letter.session.as_deref(),
    };
    let mark = Some(draft.mark());
    let put = Put { line: draft.line(id, now_ms), dialect: Dialect::Idle, topic: mark };
    let kept = shelf.put(vec![put]).await?.pop().expect("every event has an outcome");
    let (word, position) = match kept {
        Kept::Logged(Outcome::Stored { position, .. } | Outcome::Repeat { position }) => {
            ("stored", Some(position))
        }
        Kept::Spooled => ("spooled", None),
    };
    Ok(Json::object(|object| {
        object.text("id", &id.to_string());
        object.text("topic", &topic.name);
        let position = position.map_or(Json::null(), |position| Json::integer(position.get()));
        object.json("position", &position);
        object.text("outcome", word);
    }))
}

/// Returns the topic that a message goes to, and the message that it answers.
async fn place<S: Shelf>(shelf: &S, letter: &Letter) -> Result<(Known, Option<Posted>), Told> {
    let Some(id) = letter.reply_to.clone() else {
        let name = letter.topic.clone().unwrap_or_default();
        topics::check(&name).map_err(|error| Told(error.to_string()))?;
        let wanted = name.clone();
        let found = shelf.look(move |records| Named::find(records, &wanted)).await?;
        return Ok((found.known(&name)?, None));
    };
    let wanted = id.clone();
    let found = shelf.look(move |records| match topics::message(records, &wanted) {
        Ok(posted) => Ok(Some(Ok((Named::find(records, &posted.topic)?, posted)))),
        Err(WhichError::Query(error)) => Err(error),
        Err(error @ (WhichError::None { .. } | WhichError::Several { .. })) => {
            Ok(Some(Err(error.listing())))
        }
    });
    let none = || Told(format!("no message has an id that begins with `{id}`"));
    let (topic, parent) = found.await?.ok_or_else(none)?.map_err(Told)?;
    let topic = topic.known(&parent.topic)?;
    Ok((topic, Some(parent)))
}

/// Reads what was posted to a topic.
pub(super) async fn read<S: Shelf>(shelf: &S, asked: Question) -> Result<Json<'static>, Told> {
    let (name, limit) = (asked.topic.clone(), asked.limit);
    let seen = shelf.look(move |records| {
        let Question { topic, key, limit } = asked;
        let named = Named::find(records, &topic)?;
        let Named::Known(known) = &named else { return Ok((named, Vec::new())) };
        let (chosen, limit) = match (&key, known.kind) {
            (Some(key), TopicKind::LastValue) => (Chosen::Key(key), 1),
            (Some(key), TopicKind::AppendOnly) => (Chosen::Key(key), limit + 1),
            (None, TopicKind::LastValue) => (Chosen::Values, limit + 1),
            (None, TopicKind::AppendOnly) => (Chosen::All, limit + 1),
        };
        let found = match chosen {
            Chosen::All => topics::read_all(records, known, limit)?,
            Chosen::Values | Chosen::Key(_) => topics::read(records, &known.name, chosen, limit)?,
        };
        Ok((named, found.iter().filter_map(Posted::of).collect::<Vec<_>>()))
    });
    let (named, posted) = seen.await?;
    let topic = named.known(&name)?;
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
    let mut has_more = posted.len() > limit;
    let (mut messages, mut shortened, mut bytes) = (Vec::new(), Vec::new(), 0);
    for posted in posted.iter().take(limit) {
        let whole = Json::object(|object| posted.write(object, None, now_ns));
        let short = shorten(whole.as_str().as_bytes(), LISTED_BYTES_MAX);
        let shown = short.as_deref().unwrap_or(whole.as_str());
        bytes += shown.len();
        if bytes > ANSWER_BYTES_MAX {
            has_more = true;
            break;
        }
        if short.is_some() {
            shortened.push(Json::integer(posted.position.get()));
        }
        let mut tape = Tape::new();
        let shown = tape.parse(shown).expect("what we write is JSON");
        messages.push(Json::of(shown).into_owned());
    }
    Ok(Json::object(|object| {
        object.text("topic", &topic.name);
        object.text("kind", topic.kind.as_str());
        object.json("messages", &Json::array(messages));
        object.json("has_more", &Json::bool(has_more));
        if !shortened.is_empty() {
            object.json("shortened", &Json::array(shortened));
        }
    }))
}

pub(super) const POSTED: &str = r#"{"type":"object","required":["id","topic","position","outcome"],"properties":{
"id":{"type":"string","description":"Names the message in later calls."},
"topic":{"type":"string"},
"position":{"type":["integer","null"],"description":"Its place in the log; null while it is spooled."},
"outcome":{"type":"string","enum":["stored","spooled"],"description":"stored: it is in the log. spooled: it is kept, and moves into the log by itself."}}}"#;

pub(super) const READ: &str = r#"{"type":"object","required":["topic","kind","messages","has_more"],"properties":{
"topic":{"type":"string"},
"kind":{"type":"string","enum":["last-value","append-only"]},
"messages":{"type":"array","description":"The newest first.","items":{"type":"object","required":["id","topic","body","created_at","position"],"properties":{
"id":{"type":["string","null"],"description":"Null where an event was posted that is no message."},
"topic":{"type":"string"},
"topic_id":{"type":["string","null"]},
"parent_id":{"type":["string","null"],"description":"The message that it answers."},
"body":{"type":"string"},
"created_at":{"type":"integer","description":"Milliseconds since 1970."},
"sender":{"type":["object","null"]},
"git":{"type":["object","null"],"description":"Where the repository stood."},
"position":{"type":"integer"},
"key":{"type":"string","description":"What it is the value of, in a last-value topic."},
"expires_at":{"type":"integer","description":"Until when it counts, in milliseconds since 1970."},
"stale":{"type":"boolean","description":"Whether it counts no more."}}}},
"has_more":{"type":"boolean","description":"Whether there are older ones."},
"shortened":{"type":"array","items":{"type":"integer"},"description":"Positions of messages whose long texts are cut here; get_event shows more."}}}"#;
