//! What the log knows of one event beside the event itself.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use weft_event::Dialect;

use crate::Position;

/// What the seal says of one record of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The dialect it was read in.
    pub dialect: Dialect,
    /// The way it came in: `hook`, `http`, `emit`, `ingest`, `spool` …
    pub via: Via,
    /// CRC-32C of its line, without the line's end.
    pub crc: u32,
    /// What tells this delivery from another, where the event itself does not say.
    pub delivery: Option<String>,
    /// The topic it was posted to.
    pub topic: Option<TopicKey>,
    /// Where it stood before, if it was appended again so that its segment could go.
    pub carried: Option<Carried>,
    /// An earlier record with the same identity and other content.
    pub conflict: Option<Position>,
}

/// A way in by its name. Those that are known take no memory of their own, of which every record would have a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Via(Cow<'static, str>);

impl Via {
    /// The names that most records have. Any other is as good.
    const KNOWN: [&str; 16] = [
        "folder",
        "http",
        "hook",
        "otlp",
        "transcript",
        "mcp",
        "emit",
        "ingest",
        "spool",
        "subscription",
        "loop",
        "topic",
        "issue",
        "import",
        "rejects",
        "demo",
    ];
}

impl From<&str> for Via {
    fn from(name: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|known| *known == name);
        Self(known.map_or_else(|| Cow::Owned(name.to_owned()), Cow::Borrowed))
    }
}

impl Deref for Via {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq<str> for Via {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Via {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl AsRef<Mark> for Mark {
    fn as_ref(&self) -> &Mark {
        self
    }
}

/// A topic, and within a last-value topic the key whose newest value counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicKey {
    /// The topic's name.
    pub topic: String,
    /// The key; `None` in an append-only topic.
    pub key: Option<String>,
}

/// Where a carried record stood first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Its first position.
    pub position: Position,
    /// When it was first received, in microseconds since 1970.
    pub at_us: i64,
}

/// What Weft adds to an event: everything of a record but its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Its place in the log.
    pub position: Position,
    /// When it was received, in microseconds since 1970; `None` if the seal that said so is damaged.
    pub at_us: Option<i64>,
    /// What its seal says of it; `None` if the seal is damaged, and then nothing vouches for the line either.
    pub mark: Option<Mark>,
}

/// One event in the log.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// What Weft adds.
    pub meta: Meta,
    /// The event, as it came, without the line's end.
    pub line: &'a [u8],
}
