//! Ends of loops that do not say which loop they end: that of their session.

use serde::{Deserialize, Serialize};
use weft_event::Status;
use weft_event::report::{Loop, LoopPhase, Part};

use crate::bounded::Bounded;
use crate::fleet::cut;
use crate::word::Word;
use crate::{Entry, Trail};

/// Most sessions whose ends are kept.
const SESSIONS_MAX: usize = 1_000;
/// How many ends of a session are kept.
const ENDS_KEPT: usize = 8;
/// What the ends go by that name no session.
pub(super) const NO_SESSION: &str = "";

/// The ends of loops that name no loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ends {
    by_session: Bounded<Trail<End, ENDS_KEPT>, SESSIONS_MAX>,
}

/// The end of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) at_ns: i64,
    pub(crate) position: u64,
    /// Whether it was stopped before it was done.
    pub(crate) is_abort: bool,
    pub(crate) status: Option<Word<Status>>,
    pub(crate) reason: Option<String>,
}

impl Ends {
    /// Takes in an event that names no actor.
    pub(crate) fn apply(&mut self, at_ns: i64, entry: &Entry<'_, '_>) {
        let Part::Loop(told) = &entry.report.part else {
            return;
        };
        let Some(end) = End::read(told, at_ns, entry) else {
            return;
        };
        let session = entry.facts.session.as_deref().unwrap_or(NO_SESSION);
        if let Some(ends) = self.by_session.touch(session, at_ns) {
            ends.put(entry.stamp(), end);
        }
    }

    /// Returns what ended the loop of a session whose newest state is of this time.
    pub(crate) fn after(&self, session: Option<&str>, state_ns: i64) -> Option<&End> {
        let ends = self.by_session.get(session.unwrap_or(NO_SESSION))?;
        ends.iter().map(|(_, end)| end).find(|end| end.at_ns >= state_ns)
    }

    /// Returns the ends that name no session either, from the first to the last.
    pub(crate) fn without_session(&self) -> impl Iterator<Item = &End> {
        let ends = self.by_session.get(NO_SESSION);
        ends.into_iter().flat_map(|ends| ends.iter().map(|(_, end)| end))
    }
}

impl End {
    /// Returns the end that an event of a loop is; `None` if it is none.
    pub(crate) fn read(told: &Loop<'_>, at_ns: i64, entry: &Entry<'_, '_>) -> Option<Self> {
        let is_abort = match told.phase {
            LoopPhase::Done => false,
            LoopPhase::Abort => true,
            LoopPhase::State | LoopPhase::Anchor | LoopPhase::Trace | LoopPhase::Control => {
                return None;
            }
        };
        Some(Self {
            at_ns,
            position: entry.position,
            is_abort,
            status: entry.facts.status.map(Word),
            reason: told.reason.as_deref().map(cut),
        })
    }
}
