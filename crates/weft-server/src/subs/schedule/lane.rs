//! The events of one session that are not settled, in their order.

use std::collections::VecDeque;
use std::time::Duration;

use weft_event::Facts;

use super::Ticket;

/// Within what events are delivered in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionKey {
    /// A session of a tenant.
    Session {
        /// The tenant, if there is one.
        tenant: Option<String>,
        /// The session.
        session: String,
    },
    /// What an actor does outside any session.
    Actor {
        /// The tenant, if there is one.
        tenant: Option<String>,
        /// The actor.
        actor: String,
    },
    /// Events that name neither.
    Nobody,
    /// One event out of its order.
    Replay(u64),
}

impl SessionKey {
    /// Returns the key of an event.
    pub fn of(facts: &Facts<'_>) -> Self {
        let tenant = facts.tenant.as_deref().map(str::to_owned);
        match (facts.session.as_deref(), facts.actor.as_deref()) {
            (Some(session), _) => Self::Session { tenant, session: session.to_owned() },
            (None, Some(actor)) => Self::Actor { tenant, actor: actor.to_owned() },
            (None, None) => Self::Nobody,
        }
    }
}

#[derive(Debug)]
pub(super) struct Lane<T> {
    pub(super) key: SessionKey,
    /// By position; an event leaves when it is settled.
    pub(super) items: VecDeque<Item<T>>,
    pub(super) n_flying: usize,
    /// Not before this time.
    pub(super) due: Duration,
    /// Among lanes that are due at the same time, the one that had its turn longest ago comes first.
    pub(super) turn: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    /// On its way to the receiver.
    Flying,
    /// On its way to the list of the dead.
    Dying,
}

#[derive(Debug)]
pub(super) struct Item<T> {
    pub(super) ticket: Ticket,
    pub(super) position: u64,
    pub(super) bytes: usize,
    pub(super) state: State,
    /// How often it was started.
    pub(super) attempt: u32,
    /// How often that failed through its own fault.
    pub(super) strikes: u32,
    /// How much the receiver had taken when this was last started.
    pub(super) accepted_at_start: u64,
    /// How much the receiver had taken when it was last away for this event.
    pub(super) accepted_by_then: Option<u64>,
    pub(super) event: T,
}

impl<T> Lane<T> {
    pub(super) fn new(key: SessionKey) -> Self {
        Self { key, items: VecDeque::new(), n_flying: 0, due: Duration::ZERO, turn: 0 }
    }
}

impl<T> Item<T> {
    pub(super) fn new(ticket: Ticket, position: u64, bytes: usize, event: T) -> Self {
        Self {
            ticket,
            position,
            bytes,
            state: State::Waiting,
            attempt: 0,
            strikes: 0,
            accepted_at_start: 0,
            accepted_by_then: None,
            event,
        }
    }
}
