//! Where the state of a loop is, and how it is read from the log.

use std::ops::RangeInclusive;

use weft_event::idle::Topic;
use weft_log::query::{Ask, Found, Order, QueryError, Records};
use weft_log::{Filter, Position, TopicKey};

use super::events::Posting;
use super::state::Current;

/// The newest state of a session, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Newest {
    /// What it says.
    pub current: Current,
    /// Its position; none if there is no state yet.
    pub last: Option<Position>,
    /// The key that it is the newest of: the session, or nothing for a loop that waits for one.
    pub key: String,
}

impl Newest {
    /// Reads that of a session.
    pub fn of(records: &mut Records, session: &str) -> Result<Self, QueryError> {
        let found = records.latest(&current_of(session))?;
        Ok(Self::found(found.as_ref(), session))
    }

    /// Reads one that was found.
    pub fn found(found: Option<&Found>, session: &str) -> Self {
        let current = found.map_or(Current::None, |found| read(&found.line));
        let last = found.map(|found| found.meta.position);
        Self { current, last, key: session.to_owned() }
    }

    /// Reads one that waits in the spool, and has no position yet.
    pub fn waiting(line: &[u8], session: &str) -> Self {
        Self { current: read(line), last: None, key: session.to_owned() }
    }

    /// Reads that of the session that was told of last.
    pub fn told_last(records: &mut Records) -> Result<Self, QueryError> {
        let filter = Filter::parse("topic=loop:current", 0).expect("it is a filter");
        let (range, order) = (whole(records), Order::Descending);
        let page = records.page(&Ask { filter: &filter, range, order, limit: 1 })?;
        let mark = page.records.first().and_then(|found| found.meta.mark.as_ref());
        let key = mark.and_then(|mark| mark.topic.as_ref()).and_then(|topic| topic.key.clone());
        Self::of(records, &key.unwrap_or_default())
    }
}

/// Reads a record of `loop:current`: the event itself, or a message whose body it is.
fn read(line: &[u8]) -> Current {
    let text = String::from_utf8_lossy(line);
    let message: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    let is_message = |it: &serde_json::Value| it.get("type").is_some_and(|it| it == "message");
    match message.filter(is_message) {
        Some(message) => {
            let body = message.get("body").and_then(serde_json::Value::as_str);
            Current::read(body.unwrap_or_default())
        }
        None => Current::read(&text),
    }
}

/// Returns all positions that there are.
pub fn whole(records: &Records) -> RangeInclusive<Position> {
    Position::FIRST..=records.head().last().unwrap_or(Position::FIRST)
}

/// Returns where the state of a session's loop is.
pub fn current_of(session: &str) -> TopicKey {
    TopicKey { topic: Topic::LoopCurrent.to_string(), key: Some(session.to_owned()) }
}

/// Returns where something that a loop leaves belongs, by the session whose loop it is.
pub fn place_of(posting: &Posting, session: &str) -> TopicKey {
    match &posting.topic {
        Topic::LoopCurrent => current_of(session),
        other => TopicKey { topic: other.to_string(), key: posting.key.clone() },
    }
}
