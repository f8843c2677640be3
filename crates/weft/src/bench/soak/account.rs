//! What was sent against what came: who got what, and what is missing, doubled or out of order.

use std::collections::HashSet;

use super::producers::{Sent, SentEvent};
use super::reader::Seen;
use super::receiver::Posted;

/// The counts of all.
pub(super) struct Account {
    pub(super) n_acknowledged: u64,
    pub(super) n_sessions: usize,
    /// How often an event was sent again because its answer did not come.
    pub(super) n_again: u64,
    /// Events whose place in the log is before that of an earlier one of their session.
    pub(super) n_out_of_order: u64,
    pub(super) stream: Received,
    pub(super) webhook: Received,
    /// How often the stream broke off and was resumed.
    pub(super) n_resumed: u64,
}

/// What one receiver got.
pub(super) struct Received {
    /// Events that were acknowledged and are for this receiver.
    pub(super) n_expected: u64,
    pub(super) n_received: u64,
    /// Those that came before, dropped by their id.
    pub(super) n_repeats: u64,
    /// Acknowledged and never came, or came with other bytes.
    pub(super) n_missing: u64,
    /// Came, and nobody was told that it is there: a second copy of an event.
    pub(super) n_doubled: u64,
    /// Came after a later one of its session.
    pub(super) n_out_of_order: u64,
}

impl Account {
    pub(super) fn of(sent: &Sent, seen: &Seen, posted: &Posted) -> Self {
        let streamed = |position: u64| {
            usize::try_from(position).ok().and_then(|idx| seen.events.get(idx).copied().flatten())
        };
        let stream_ends = seen.events.iter().flatten().count() as u64;
        let stream = Received {
            n_repeats: seen.n_repeats,
            n_out_of_order: seen.n_out_of_order,
            ..Received::of(&sent.events, seen.n_received, stream_ends, streamed)
        };
        let for_webhook: Vec<SentEvent> =
            sent.events.iter().copied().filter(|event| event.is_posted).collect();
        let at = |position: u64| posted.events.get(&position).copied();
        let webhook = Received {
            n_repeats: posted.n_repeats,
            n_out_of_order: posted.n_out_of_order,
            ..Received::of(&for_webhook, posted.n_received, posted.events.len() as u64, at)
        };
        Self {
            n_acknowledged: sent.events.len() as u64,
            n_sessions: sent.n_sessions,
            n_again: sent.n_again,
            n_out_of_order: sent.n_out_of_order,
            stream,
            webhook,
            n_resumed: seen.n_resumed,
        }
    }

    /// Returns whether everything arrived, once, and in order.
    pub(super) fn is_whole(&self) -> bool {
        self.n_out_of_order == 0 && [&self.stream, &self.webhook].iter().all(|to| to.is_whole())
    }
}

impl Received {
    /// Compares what was sent with what came to so many places; `at` says what came from a place.
    fn of(
        sent: &[SentEvent],
        n_received: u64,
        n_places: u64,
        at: impl Fn(u64) -> Option<u64>,
    ) -> Self {
        let places: HashSet<u64> = sent.iter().map(|event| event.position).collect();
        let is_there = |event: &&SentEvent| at(event.position) == Some(event.digest);
        let n_there = sent.iter().filter(is_there).count() as u64;
        Self {
            n_expected: sent.len() as u64,
            n_received,
            n_repeats: 0,
            n_missing: sent.len() as u64 - n_there,
            n_doubled: n_places.saturating_sub(places.len() as u64),
            n_out_of_order: 0,
        }
    }

    fn is_whole(&self) -> bool {
        self.n_missing == 0 && self.n_doubled == 0 && self.n_out_of_order == 0
    }
}
