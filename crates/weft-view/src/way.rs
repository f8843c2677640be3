//! In which way an event came: the same thing may be told in several, and whoever counts takes one of them.
//!
//! A session may be told by the file that the agent keeps, by its hooks, by log records, spans and meters. Nothing in these says
//! which of them are of the same answer or prompt, so that each way is counted for itself.

use serde::{Deserialize, Serialize};
use weft_event::report::Part;
use weft_event::{Facts, Key};

use crate::Entry;

/// The way that something came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Way {
    /// In events that the producer numbers: workers, runs, log records.
    Numbered,
    /// In the file in which the agent records its session.
    Recorded,
    /// In a hook.
    Hooked,
    /// At the end of a turn, for all of it.
    Summed,
    /// By a meter that runs beside the agent.
    Metered,
    /// In any other event.
    Told,
}

impl Way {
    /// Every way.
    pub(crate) const ALL: [Way; 6] =
        [Way::Numbered, Way::Recorded, Way::Hooked, Way::Summed, Way::Metered, Way::Told];

    /// Returns the way that an event came.
    pub(crate) fn of(entry: &Entry<'_, '_>) -> Self {
        let Facts { identity, order, .. } = entry.facts;
        match (&identity.retry, &identity.own, &entry.report.part) {
            (Some(Key::Recorded(_)), _, _) => Way::Recorded,
            (_, Some(Key::Hook { .. } | Key::HookPayload { .. }), _) => Way::Hooked,
            (_, _, Part::Turn(_)) => Way::Summed,
            (_, _, Part::Heartbeat) => Way::Metered,
            (_, _, _) if order.is_some() => Way::Numbered,
            (_, _, _) => Way::Told,
        }
    }
}
