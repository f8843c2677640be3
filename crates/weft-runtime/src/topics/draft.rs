//! What is posted, as the line that goes into the log.

use std::borrow::Cow;

use weft_event::idle::{
    Body, Git, Message, MessageWord, Sender, TopicKind, TopicRecord, TopicWord,
};
use weft_event::json::Json;
use weft_log::TopicKey;

use super::{Known, REGISTRY, Ulid};

/// A message that is not posted yet.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Where it is posted to.
    pub topic: &'a Known,
    /// In a last-value topic, what it is the newest value of; empty where nothing is said.
    pub key: &'a str,
    /// Id of the message that it answers.
    pub parent: Option<&'a str>,
    /// What it says.
    pub body: Body<'a>,
    /// Who sends it.
    pub sender: Option<Sender<'a>>,
    /// Where the repository stands.
    pub git: Option<Git<'a>>,
    /// The session that it is sent from.
    pub session: Option<&'a str>,
}

impl Draft<'_> {
    /// Returns where in the log it belongs.
    pub fn mark(&self) -> TopicKey {
        let key = match self.topic.kind {
            TopicKind::LastValue => Some(self.key.to_owned()),
            TopicKind::AppendOnly => None,
        };
        TopicKey { topic: self.topic.name.clone(), key }
    }

    /// Returns the event, on one line.
    pub fn line(self, id: Ulid, now_ms: i64) -> String {
        let session = self.session.map(|session| ("session_id".into(), Json::text(session)));
        let message = Message {
            kind: MessageWord,
            id: Cow::Owned(id.to_string()),
            topic_id: self.topic.topic_id().into(),
            parent_id: Some(self.parent.map(Cow::Borrowed)),
            body: self.body,
            created_at: now_ms,
            sender: Some(self.sender),
            git: Some(self.git),
            extra: session.into_iter().collect(),
        };
        message.to_line()
    }
}

/// Returns the event that makes a topic, and where in the log it belongs.
pub fn new_topic(
    id: Ulid,
    name: &str,
    description: &str,
    kind: TopicKind,
    now_ms: i64,
) -> (String, TopicKey) {
    let record = TopicRecord {
        kind: TopicWord,
        id: Cow::Owned(id.to_string()),
        name: name.into(),
        description: description.into(),
        created_at: now_ms,
        extra: vec![("kind".into(), Json::text(kind.as_str()))],
    };
    (record.to_line(), registered(name))
}

/// Returns where the record of a topic belongs: it is the newest value of its name.
pub(super) fn registered(name: &str) -> TopicKey {
    TopicKey { topic: REGISTRY.to_owned(), key: Some(name.to_owned()) }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use weft_event::Dialect;
    use weft_event::event::{self, Expect};
    use weft_event::json::Tape;
    use weft_event::problem::Problems;

    use super::*;
    use crate::topics::Ulids;

    fn id() -> Ulid {
        Ulids::default().next(1_794_866_400_000, [7; 16])
    }

    /// Returns a line if it is valid without so much as a warning.
    fn strict(line: String) -> String {
        let mut problems = Problems::new();
        let expect = Expect::Dialect(Dialect::Idle);
        assert!(event::read(&mut Tape::new(), line.as_bytes(), expect, &mut problems).is_some());
        assert_eq!(problems.list(), [], "{line}");
        line
    }

    #[test]
    fn a_message_is_written_in_the_shape_of_the_message_store() {
        let topic = Known::seed("agent:builder").expect("a topic of the document");
        let sender = Sender {
            id: "a".into(),
            name: "A".into(),
            model: Some(None),
            role: Some(Some("reviewer".into())),
            extra: Vec::new(),
        };
        let git = Git {
            oid: "0f".into(),
            head: "main".into(),
            dirty: true,
            prefix: "src".into(),
            extra: Vec::new(),
        };
        let draft = Draft {
            topic: &topic,
            key: "",
            parent: Some("01A"),
            body: Body::Text("two\nlines".into()),
            sender: Some(sender),
            git: Some(git),
            session: Some("s-1"),
        };
        assert_eq!(
            draft.mark(),
            TopicKey { topic: "agent:builder".to_owned(), key: Some(String::new()) }
        );
        assert_snapshot!(strict(draft.line(id(), 1_794_866_400_000)), @r#"{"type":"message","id":"01M7K5ZJR00W3GE1R70W3GE1R7","topic_id":"agent:builder","parent_id":"01A","body":"two\nlines","created_at":1794866400000,"sender":{"id":"a","name":"A","model":null,"role":"reviewer"},"git":{"oid":"0f","head":"main","dirty":true,"prefix":"src"},"session_id":"s-1"}"#);
    }

    #[test]
    fn what_is_not_known_is_null_and_a_topic_says_what_it_keeps() {
        let topic = Known::seed("issue:a-1").expect("a topic of the document");
        let draft = Draft {
            topic: &topic,
            key: "",
            parent: None,
            body: Body::Text("x".into()),
            sender: None,
            git: None,
            session: None,
        };
        assert_eq!(draft.mark(), TopicKey { topic: "issue:a-1".to_owned(), key: None });
        assert_snapshot!(strict(draft.line(id(), 5)), @r#"{"type":"message","id":"01M7K5ZJR00W3GE1R70W3GE1R7","topic_id":"issue:a-1","parent_id":null,"body":"x","created_at":5,"sender":null,"git":null}"#);
        let (line, mark) = new_topic(id(), "tasks", "What to do", TopicKind::LastValue, 5);
        assert_eq!(
            mark,
            TopicKey { topic: "weft:topic".to_owned(), key: Some("tasks".to_owned()) }
        );
        assert_snapshot!(strict(line), @r#"{"type":"topic","id":"01M7K5ZJR00W3GE1R70W3GE1R7","name":"tasks","description":"What to do","created_at":5,"kind":"last-value"}"#);
    }
}
