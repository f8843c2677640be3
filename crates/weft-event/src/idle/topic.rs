//! Topics by name, and what a reader of one gets.

use std::fmt;

/// What a topic keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicKind {
    /// Only the newest message counts.
    LastValue,
    /// Every message counts.
    AppendOnly,
}

impl TopicKind {
    /// Returns the word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            TopicKind::LastValue => "last-value",
            TopicKind::AppendOnly => "append-only",
        }
    }
}

/// The name of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic<'a> {
    /// `loop:current`: the state of the running loop.
    LoopCurrent,
    /// `loop:anchor`: recovery snapshots.
    LoopAnchor,
    /// `loop:trace`: what the loop's hook did.
    LoopTrace,
    /// `loop:control`: requests to a loop, and its answers.
    LoopControl,
    /// `issue:<id>`: talk about one issue.
    Issue(&'a str),
    /// `project:<name>`: announcements of one project.
    Project(&'a str),
    /// `agent:<name>`: word to one agent.
    Agent(&'a str),
    /// Any other name.
    Other(&'a str),
}

impl<'a> Topic<'a> {
    /// Reads a name. Every text is one; a known prefix with nothing after it is just another name.
    pub fn parse(name: &'a str) -> Self {
        match name {
            "loop:current" => return Topic::LoopCurrent,
            "loop:anchor" => return Topic::LoopAnchor,
            "loop:trace" => return Topic::LoopTrace,
            "loop:control" => return Topic::LoopControl,
            _ => {}
        }
        match name.split_once(':') {
            Some((_, "")) | None => Topic::Other(name),
            Some(("issue", id)) => Topic::Issue(id),
            Some(("project", name)) => Topic::Project(name),
            Some(("agent", name)) => Topic::Agent(name),
            Some(_) => Topic::Other(name),
        }
    }

    /// Returns what the topic keeps. A topic that the document does not list keeps everything.
    pub fn kind(self) -> TopicKind {
        match self {
            Topic::LoopCurrent | Topic::Agent(_) => TopicKind::LastValue,
            Topic::LoopAnchor
            | Topic::LoopTrace
            | Topic::LoopControl
            | Topic::Issue(_)
            | Topic::Project(_)
            | Topic::Other(_) => TopicKind::AppendOnly,
        }
    }
}

impl fmt::Display for Topic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topic::LoopCurrent => f.write_str("loop:current"),
            Topic::LoopAnchor => f.write_str("loop:anchor"),
            Topic::LoopTrace => f.write_str("loop:trace"),
            Topic::LoopControl => f.write_str("loop:control"),
            Topic::Issue(id) => write!(f, "issue:{id}"),
            Topic::Project(name) => write!(f, "project:{name}"),
            Topic::Agent(name) => write!(f, "agent:{name}"),
            Topic::Other(name) => f.write_str(name),
        }
    }
}
