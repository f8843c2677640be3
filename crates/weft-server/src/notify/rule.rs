//! Rules: who is told of which needs, how, and when.

use std::time::Duration;

use weft_log::filter::Glob;
use weft_view::inbox::{Need, NeedKind};

use super::quiet::Quiet;
use crate::subs::definition::SecretRef;

/// Most rules.
pub const RULES_MAX: usize = 64;

/// How long a need has to stand before it is told, unless that is set: most of what fails goes on with the next event.
pub const AFTER: Duration = Duration::from_secs(10);

/// How long others are waited for once a need is to be told, unless that is set.
pub const GATHER: Duration = Duration::from_secs(2);

/// A rule by which a person is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The kinds of need that are told.
    pub when: Vec<NeedKind>,
    /// Whose.
    pub actor: Option<Pattern>,
    /// In which session.
    pub session: Option<Pattern>,
    /// How long a need has to stand before it is told.
    pub after: Duration,
    /// How long others are waited for, so that many become one message.
    pub gather: Duration,
    /// When only what is excepted is told.
    pub quiet: Vec<Quiet>,
    /// The kinds that are told also then.
    pub quiet_except: Vec<NeedKind>,
    /// How it is told.
    pub channel: Channel,
}

/// How a person is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// By a notification on the desktop of this machine.
    Desktop,
    /// By the bell of a terminal that shows the inbox. A server has none.
    Bell,
    /// By a message that is posted to an address.
    Webhook {
        /// The address.
        url: String,
        /// Where the secret is that messages are signed with.
        secret: SecretRef,
    },
    /// By a command that is run.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
    },
}

/// A name, or a glob that names match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(pub String);

impl Pattern {
    /// Returns whether a name is meant.
    pub fn matches(&self, name: &str) -> bool {
        Glob::parse(&self.0).map_or(self.0 == name, |glob| glob.matches(name))
    }
}

impl Rule {
    /// Returns whether a need is told by this rule.
    pub fn is_about(&self, need: &Need) -> bool {
        let is_session = |pattern: &Pattern| {
            need.session.as_deref().is_some_and(|session| pattern.matches(session))
        };
        self.when.contains(&need.kind)
            && self.actor.as_ref().is_none_or(|pattern| pattern.matches(&need.actor))
            && self.session.as_ref().is_none_or(is_session)
    }
}

impl Channel {
    /// Returns its name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Channel::Desktop => "desktop",
            Channel::Bell => "bell",
            Channel::Webhook { .. } => "webhook",
            Channel::Command { .. } => "command",
        }
    }
}
