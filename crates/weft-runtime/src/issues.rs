//! Issues: what is to be done, who has it, and what stands in its way.
//!
//! An issue lives in the log, in the topic `issue:<id>`. Every change is a message whose body is the whole issue, marked with the
//! key `snapshot`, so that the newest is found at once and a change can name the one that it was made from. Other messages of
//! the topic are what was said about it. Nothing here reads a clock or writes: changes are made from an issue and a [`Moment`],
//! and whoever appends them says which snapshot they were made from.

mod board;
mod change;
mod difference;
mod filter;
mod id;
mod lease;
mod message;
mod read;
mod snapshot;
mod source;

use weft_event::json::Json;

pub use board::{Board, Entry, ResolveError, Standing, resolve};
pub use change::{
    Claimant, Draft, Edit, Refusal, Releaser, add_dep, claim, close, draft, edit, release,
    remove_dep,
};
pub use difference::difference;
pub use filter::{IssueFilter, IssueFilterError};
pub use id::{is_id, make_id, prefix_of};
pub use lease::{Boot, Claim, LEASE, Moment};
pub use message::{Context, KEY, TOPIC_PREFIX, message, topic_key};
pub use read::{HISTORY_MAX, History, Said, Word, board, history, newest_ms, one};
pub use snapshot::{ISSUE_BYTES_MAX, read_snapshot};
pub use source::{Comment, Sourced, parse as parse_source};

/// An issue, as one snapshot has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// What it is called everywhere.
    pub id: String,
    /// How many snapshots there are up to this one.
    pub rev: u64,
    /// What it is about, in a line.
    pub title: String,
    /// What it is about.
    pub body: String,
    /// How far it is.
    pub status: Status,
    /// How much it matters.
    pub priority: Priority,
    /// Words that it is found by.
    pub tags: Vec<String>,
    /// What it is to others.
    pub deps: Vec<Dep>,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// When this snapshot was made.
    pub updated_at_ms: i64,
    /// Who works on it, and until when that counts.
    pub claim: Option<Claim>,
    /// Why it is closed, if somebody said so.
    pub close_reason: Option<String>,
    /// Members of the snapshot that are not ours; they go along.
    pub others: Vec<(String, Json<'static>)>,
}

/// How far an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// To be done.
    Open,
    /// Somebody is at it.
    InProgress,
    /// Not now.
    Paused,
    /// Another one says the same.
    Duplicate,
    /// Done, or never to be.
    Closed,
}

impl Status {
    /// Every status, in the order in which they are listed.
    pub const ALL: [Status; 5] =
        [Status::Open, Status::InProgress, Status::Paused, Status::Duplicate, Status::Closed];

    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::InProgress => "in_progress",
            Status::Paused => "paused",
            Status::Duplicate => "duplicate",
            Status::Closed => "closed",
        }
    }

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns whether something is left to do, so that others may have to wait for it.
    pub fn is_active(self) -> bool {
        match self {
            Status::Open | Status::InProgress | Status::Paused => true,
            Status::Duplicate | Status::Closed => false,
        }
    }
}

/// How much an issue matters: from 1, the most, to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Priority(u8);

impl Priority {
    /// What an issue has if nothing is said.
    pub const DEFAULT: Self = Self(2);

    /// Returns the priority of a number from 1 to 5.
    pub fn new(number: u64) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| (1..=5).contains(number)).map(Self)
    }

    /// Returns its number.
    pub fn get(self) -> u8 {
        self.0
    }
}

/// What an issue is to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dep {
    /// In which way.
    pub kind: DepKind,
    /// The other.
    pub id: String,
}

/// In which way an issue has to do with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DepKind {
    /// The other waits until this one is done.
    Blocks,
    /// Whoever reads one should see the other.
    Relates,
    /// The other is a part of this one.
    Parent,
}

impl DepKind {
    /// Every kind.
    pub const ALL: [DepKind; 3] = [DepKind::Blocks, DepKind::Relates, DepKind::Parent];

    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            DepKind::Blocks => "blocks",
            DepKind::Relates => "relates",
            DepKind::Parent => "parent",
        }
    }

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

#[cfg(test)]
mod tests;
