//! A snapshot as the message that is appended.

use weft_event::idle::{Body, Git, Message, MessageWord, Sender};
use weft_log::TopicKey;

use super::Issue;

/// What the topics of issues begin with.
pub const TOPIC_PREFIX: &str = "issue:";

/// The key that marks snapshots. Nothing in the topic is overwritten: the key only says which snapshot is the newest.
pub const KEY: &str = "snapshot";

/// What a message says beside its body.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// Its id.
    pub id: &'a str,
    /// Who sends it.
    pub sender: Option<Sender<'a>>,
    /// Where the repository stands.
    pub git: Option<Git<'a>>,
}

/// Returns the topic and key of an issue's snapshots.
pub fn topic_key(id: &str) -> TopicKey {
    TopicKey { topic: format!("{TOPIC_PREFIX}{id}"), key: Some(KEY.to_owned()) }
}

/// Returns the message of a snapshot, on one line.
pub fn message(issue: &Issue, context: &Context<'_>) -> String {
    let body = issue.json();
    let message = Message {
        kind: MessageWord,
        id: context.id.into(),
        topic_id: topic_key(&issue.id).topic.into(),
        parent_id: Some(None),
        body: Body::Text(body.as_str().into()),
        created_at: issue.updated_at_ms,
        sender: Some(context.sender.clone()),
        git: Some(context.git.clone()),
        ..Message::default()
    };
    message.to_line()
}
