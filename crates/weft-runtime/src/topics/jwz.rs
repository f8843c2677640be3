//! The file of a message store, line by line: which topic each line belongs to.

use std::borrow::Cow;
use std::collections::HashMap;

use weft_event::idle::TopicKind;
use weft_event::json::{SyntaxError, Tape, Value};
use weft_log::TopicKey;

use super::{Known, body, draft, of_record};

/// The file of a store, in its folder.
pub const FILE: &str = "messages.jsonl";

/// What stands in the folder of a store beside its file and must not be kept under version control.
pub const IGNORED: &str = "*.db\n*.db-wal\n*.db-shm\nlock\n";

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A topic.
    Topic(Known),
    /// A message.
    Message {
        /// What it says its topic is.
        topic_id: String,
        /// When it was posted, in milliseconds since 1970.
        created_ms: i64,
        /// The session that it was sent from.
        session: Option<String>,
    },
    /// Something else.
    Other,
}

/// Returns a line as JSON that can be parsed: one with raw control characters in its strings is made good.
pub fn mend(line: &str) -> Cow<'_, str> {
    match Tape::new().parse(line) {
        Ok(_) => Cow::Borrowed(line),
        Err(_) => body::escaped(line),
    }
}

/// Says what a line is.
pub fn line(text: &str) -> Result<Line, SyntaxError> {
    let mut tape = Tape::new();
    let value = tape.parse(text)?;
    if let Some(known) = of_record(value) {
        return Ok(Line::Topic(known));
    }
    let is_message = value.get("type").is_some_and(|word| word.is_text("message"));
    Ok(match value.text_at("topic_id").filter(|_| is_message) {
        Some(topic_id) => Line::Message {
            topic_id: topic_id.into_owned(),
            created_ms: value.get("created_at").and_then(Value::as_i64).unwrap_or(0),
            session: value.text_at("session_id").map(Cow::into_owned),
        },
        None => Line::Other,
    })
}

/// The topics of a store by id, and how new the value of each last-value key is.
#[derive(Debug, Default)]
pub struct Topics {
    known: HashMap<String, Known>,
    newest_ms: HashMap<TopicKey, i64>,
}

impl Topics {
    /// Takes note of a topic.
    pub fn add(&mut self, known: Known) {
        self.known.insert(known.topic_id().to_owned(), known);
    }

    /// Returns the topic of an id.
    pub fn get(&self, topic_id: &str) -> Option<&Known> {
        self.known.get(topic_id)
    }

    /// Returns where in the log the record of a topic belongs; `None` if the topic needs none.
    pub fn mark_of_topic(known: &Known) -> Option<TopicKey> {
        let needs_none =
            known.id.as_deref() == Some(&known.name) && Known::seed(&known.name).is_some();
        (!needs_none).then(|| draft::registered(&known.name))
    }

    /// Returns where in the log a message belongs. `newest_ms` says how new the value is that the log has already.
    ///
    /// A message that is older than the value of its key does not become the value: it has no key.
    pub fn mark<E>(
        &mut self,
        topic_id: &str,
        created_ms: i64,
        session: Option<&str>,
        newest_ms: impl FnOnce(&TopicKey) -> Result<Option<i64>, E>,
    ) -> Result<TopicKey, E> {
        let seed = || Known::seed(topic_id);
        let (topic, kind) = match self.known.get(topic_id).cloned().or_else(seed) {
            Some(known) => (known.name, known.kind),
            None => (topic_id.to_owned(), TopicKind::AppendOnly),
        };
        if kind == TopicKind::AppendOnly {
            return Ok(TopicKey { topic, key: None });
        }
        let mark = TopicKey { topic, key: Some(session.unwrap_or_default().to_owned()) };
        let newest_ms = match self.newest_ms.get(&mark) {
            Some(newest_ms) => *newest_ms,
            None => newest_ms(&mark)?.unwrap_or(i64::MIN),
        };
        self.newest_ms.insert(mark.clone(), newest_ms.max(created_ms));
        Ok(if created_ms >= newest_ms { mark } else { TopicKey { key: None, ..mark } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_message_never_becomes_the_value() {
        let mut topics = Topics::default();
        let mut key = |ms, in_log| {
            let mark = topics.mark("agent:a", ms, None, |_| Ok::<_, ()>(in_log));
            mark.expect("nothing fails").key
        };
        assert_eq!(key(10, Some(50)), None);
        assert_eq!(key(60, None), Some(String::new()));
        assert_eq!(key(55, None), None);
        assert_eq!(key(60, None), Some(String::new()));
    }

    #[test]
    fn a_line_with_raw_control_characters_is_made_good() {
        let torn = "{\"type\":\"message\",\"id\":\"1\",\"topic_id\":\"t\",\"body\":\"a\tb\",\"created_at\":5}";
        assert!(line(torn).is_err());
        let message = Line::Message { topic_id: "t".to_owned(), created_ms: 5, session: None };
        assert_eq!(line(&mend(torn)), Ok(message));
        assert!(line(&mend("{\"type\":\"mess")).is_err());
    }

    #[test]
    fn what_an_export_says_of_a_topic_of_the_document_is_not_taken_for_a_record() {
        let mark = |id: &str, name: &str| {
            let text = format!(
                r#"{{"type":"topic","id":"{id}","name":"{name}","description":"","created_at":1}}"#
            );
            match line(&text) {
                Ok(Line::Topic(known)) => Topics::mark_of_topic(&known),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(mark("loop:current", "loop:current"), None);
        assert!(mark("01A", "loop:current").is_some());
        assert!(mark("tasks", "tasks").is_some());
    }
}
