//! Topics that may be posted to: those that have a record, and those of the idle document, which need none.

use std::collections::BTreeMap;

use weft_event::Dialect;
use weft_event::idle::{Topic, TopicKind};
use weft_event::json::{Tape, Value};
use weft_log::filter::quoted;
use weft_log::query::{Ask, Found, Order, QueryError, Records};
use weft_log::{Filter, Position};

use super::read::{Chosen, read, read_all, topics};

/// The topic that the records of topics are posted to, each as the newest value of its name.
pub const REGISTRY: &str = "weft:topic";

/// A topic that may be posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// The id of its record, if it has one.
    pub id: Option<String>,
    /// What it keeps.
    pub kind: TopicKind,
    /// What it is for.
    pub description: String,
    /// When its record was made, in milliseconds since 1970.
    pub created_ms: Option<i64>,
}

impl Known {
    /// Returns a topic of the idle document; `None` if it is none of those.
    pub fn seed(name: &str) -> Option<Self> {
        let kind = match Topic::parse(name) {
            Topic::Other(_) => return None,
            topic @ (Topic::LoopCurrent
            | Topic::LoopAnchor
            | Topic::LoopTrace
            | Topic::LoopControl
            | Topic::Issue(_)
            | Topic::Project(_)
            | Topic::Agent(_)) => topic.kind(),
        };
        let (name, description) = (name.to_owned(), String::new());
        Some(Self { name, id: None, kind, description, created_ms: None })
    }

    /// Returns what a message says its topic is.
    pub fn topic_id(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }
}

/// Returns the topic of a name; `None` if nobody made it.
pub fn find(records: &mut Records, name: &str) -> Result<Option<Known>, QueryError> {
    let record = read(records, REGISTRY, Chosen::Key(name), 1)?.pop();
    match record.and_then(|found| of_found(&found)).or_else(|| Known::seed(name)) {
        Some(known) => Ok(Some(known)),
        None => plain(records, &format!(".name={}", quoted(name))),
    }
}

/// Returns a topic whose record came as it is, from a file of messages without an import.
fn plain(records: &mut Records, which: &str) -> Result<Option<Known>, QueryError> {
    let filter = format!("dialect=idle type=topic {which}");
    let filter = Filter::parse(&filter, 0).expect("quoted names can be compared with");
    let range = Position::FIRST..=Position::new(u64::MAX).expect("it is not 0");
    let ask = Ask { filter: &filter, range, order: Order::Descending, limit: 1 };
    Ok(records.page(&ask)?.records.first().and_then(of_found))
}

/// Returns every topic that has a record or that something was posted to, by name, with the newest that was.
pub fn list(records: &mut Records) -> Result<Vec<(Known, Option<Found>)>, QueryError> {
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    for found in read(records, REGISTRY, Chosen::Values, usize::MAX)? {
        known.extend(of_found(&found).map(|topic| (topic.name.clone(), topic)));
    }
    for name in topics(records)?.into_iter().filter(|name| !name.starts_with("weft:")) {
        if known.contains_key(&name) {
            continue;
        }
        let plain = match Known::seed(&name) {
            Some(seed) => Some(seed),
            None => plain(records, &format!("topic={}", quoted(&name)))?,
        };
        let topic = plain.unwrap_or_else(|| {
            let (id, kind, description) = (None, TopicKind::AppendOnly, String::new());
            Known { name, id, kind, description, created_ms: None }
        });
        known.entry(topic.name.clone()).or_insert(topic);
    }
    let newest = |topic: Known| {
        let newest = read_all(records, &topic, 1)?.pop();
        Ok((topic, newest))
    };
    known.into_values().map(newest).collect()
}

/// Reads the record of a topic; `None` if it is none.
pub fn of_record(value: Value<'_>) -> Option<Known> {
    if !value.get("type")?.is_text("topic") {
        return None;
    }
    let name = value.text_at("name")?.into_owned();
    let kind = match (Known::seed(&name), value.text_at("kind").as_deref()) {
        (Some(seed), _) => seed.kind,
        (None, Some(word)) if word == TopicKind::LastValue.as_str() => TopicKind::LastValue,
        (None, Some(_) | None) => TopicKind::AppendOnly,
    };
    Some(Known {
        id: Some(value.text_at("id")?.into_owned()),
        kind,
        description: value.text_at("description").unwrap_or_default().into_owned(),
        created_ms: value.get("created_at").and_then(Value::as_i64),
        name,
    })
}

fn of_found(found: &Found) -> Option<Known> {
    let mut tape = Tape::new();
    let event = found.read(&mut tape)?;
    (event.dialect() == Dialect::Idle).then(|| of_record(event.value())).flatten()
}

/// Returns the last position there is.
pub(super) fn last(records: &Records) -> Option<Position> {
    records.head().last()
}
