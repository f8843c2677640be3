//! Sessions: where, of whom, since when, what was asked for, how much was done, and how it stands; and one session as it was talked.
//!
//! Hooks, the agent's own file and its telemetry tell of the same session: what one of them says is joined by the session's id,
//! and what several of them count is counted once.

mod rows;
mod state;
mod talk;

use serde::{Deserialize, Serialize};

use crate::ordered::Ordered;
use crate::{Entry, View};

pub use rows::SessionRow;
pub use state::SessionState;
pub use talk::{
    AgentItem, CallItem, Conversation, Diff, End, Item, Marks, Said, TalkItem, TalkKind, TalkList,
    Turn,
};

use state::Session;

/// Sessions that are kept.
pub const SESSIONS_MAX: usize = 5_000;

/// The sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sessions {
    sessions: Ordered<Session, SESSIONS_MAX>,
}

impl View for Sessions {
    const NAME: &'static str = "sessions";
    const VERSION: u32 = 2;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let Some(id) = entry.facts.session.as_deref().filter(|id| !id.is_empty()) else { return };
        self.sessions.change(id, entry.time_ns(), |session| session.put(entry));
    }
}

#[cfg(test)]
mod tests;
