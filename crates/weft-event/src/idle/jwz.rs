//! The records of the message store behind the dialect, jwz: topics, and the messages posted to them.

use std::borrow::Cow;

use super::words::{MessageWord, TopicWord};
use crate::json::{Kind, Value};
use crate::shape::{Check, Rule, Wire, record};

const NULLABLE_TEXT: Check = Check::Either(&[Check::TEXT, Check::Null]);

record! {
    /// A topic comes into being.
    pub struct TopicRecord = TOPIC("Topic", Allowed) {
        /// The word `topic`.
        kind as "type": ! TopicWord = Check::Text(Rule::OneOf(TopicWord::WORDS));
        /// Id of the topic.
        id: ! Cow<'a, str> = Check::TEXT;
        /// Name of the topic.
        name: ! Cow<'a, str> = Check::TEXT;
        /// What it is for.
        description: ! Cow<'a, str> = Check::TEXT;
        /// When it was made, in milliseconds since 1970.
        created_at: ! i64 = Check::INTEGER;
    }
}

record! {
    /// Who sent a message.
    pub struct Sender = SENDER("Sender", Allowed) {
        /// Id of the sender.
        id: ! Cow<'a, str> = Check::TEXT;
        /// Name of the sender.
        name: ! Cow<'a, str> = Check::TEXT;
        /// The model it runs on.
        model: ? Option<Cow<'a, str>> = NULLABLE_TEXT;
        /// The part it plays.
        role: ? Option<Cow<'a, str>> = NULLABLE_TEXT;
    }
}

record! {
    /// Where the repository stood when a message was sent.
    pub struct Git = GIT("Git", Allowed) {
        /// The commit.
        oid: ! Cow<'a, str> = Check::TEXT;
        /// The branch.
        head: ! Cow<'a, str> = Check::TEXT;
        /// Whether anything was uncommitted.
        dirty: ! bool = Check::Bool;
        /// The folder within the repository.
        prefix: ! Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// A message is posted to a topic.
    pub struct Message = MESSAGE("Message", Allowed) {
        /// The word `message`.
        kind as "type": ! MessageWord = Check::Text(Rule::OneOf(MessageWord::WORDS));
        /// Id of the message.
        id: ! Cow<'a, str> = Check::TEXT;
        /// Id of its topic, whose record can come later.
        topic_id: ! Cow<'a, str> = Check::TEXT;
        /// Id of the message it answers.
        parent_id: ? Option<Cow<'a, str>> = NULLABLE_TEXT;
        /// What it says.
        body: ! Body<'a> = Check::Either(&[Check::TEXT, Check::List(&Check::Byte)]);
        /// When it was posted, in milliseconds since 1970.
        created_at: ! i64 = Check::INTEGER;
        /// Who sent it.
        sender: ? Option<Sender<'a>> = Check::Either(&[Check::Shape(&SENDER), Check::Null]);
        /// Where the repository stood.
        git: ? Option<Git<'a>> = Check::Either(&[Check::Shape(&GIT), Check::Null]);
    }
}

/// What a message says: text, or where that was not UTF-8, the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// An array of byte values.
    Bytes(Vec<u8>),
}

impl<'a> Body<'a> {
    /// Returns the body as text; bytes that are not UTF-8 become replacement characters.
    pub fn into_text(self) -> Cow<'a, str> {
        match self {
            Body::Text(text) => text,
            Body::Bytes(bytes) => Cow::Owned(match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }),
        }
    }
}

impl Default for Body<'_> {
    fn default() -> Self {
        Body::Text(Cow::Borrowed(""))
    }
}

impl<'a> Wire<'a> for Body<'a> {
    fn read(value: Value<'a>) -> Option<Self> {
        if value.kind() != Kind::Array {
            return value.as_text().map(Body::Text);
        }
        let bytes = value.items().map(|item| item.as_u64()?.try_into().ok());
        bytes.collect::<Option<_>>().map(Body::Bytes)
    }

    fn write(&self, out: &mut String) {
        match self {
            Body::Text(text) => text.write(out),
            Body::Bytes(bytes) => {
                let numbers: Vec<_> = bytes.iter().map(|&byte| u64::from(byte)).collect();
                numbers.write(out);
            }
        }
    }
}
