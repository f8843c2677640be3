//! What a worker makes of outcomes and requests, and how it ends.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::super::books::{Acknowledged, Dead, Fate};
use super::super::definition::Definition;
use super::super::desk::Status;
use super::super::letter::Post;
use super::super::outcome::shorten;
use super::super::pull;
use super::super::schedule::{Failure, Flight, Ticket, Verdict};
use super::Worker;

impl Worker {
    /// The subscriber has an event.
    pub(super) fn taken(&mut self, ticket: Ticket) {
        if !self.schedule.done(ticket) {
            return;
        }
        self.error = None;
        self.ledger.counts.n_delivered += 1;
        self.ledger.is_moved = true;
        if let Some(dead) = self.replays.remove(&ticket) {
            self.ledger.bury(None, Dead { fate: Fate::Gone, ..dead });
        }
    }

    /// The subscriber does not have it.
    pub(super) fn failed(&mut self, ticket: Ticket, failure: Failure, error: String) {
        let Some(flight) = self.schedule.get(ticket) else { return };
        let draw = RandomState::new().build_hasher().finish();
        match self.schedule.failed(ticket, failure, self.elapsed(), draw) {
            // What is held against the event is written down, so that the next server counts on.
            Verdict::Again => self.ledger.is_moved = true,
            Verdict::Spared => {}
            Verdict::Dead { attempts } => self.dead(&flight, attempts, &error),
        }
        let name = &self.definition.name;
        tracing::debug!("subscription {name}: position {}: {error}", flight.position);
        self.error = Some(error);
    }

    fn dead(&mut self, flight: &Flight<Arc<Post>>, attempts: u32, error: &str) {
        let n_dead_max = self.core.limits().subscriptions.dead_max;
        let n_dead = self
            .core
            .desk()
            .look(|books| books.get(&self.definition.name).map_or(0, |entry| entry.dead.len()));
        self.replays.remove(&flight.ticket);
        if n_dead + self.ledger.n_unwritten() >= n_dead_max {
            self.halt(format!("{n_dead_max} events could not be delivered, the last one: {error}"));
            return;
        }
        let dead = Dead {
            position: flight.position,
            event_id: flight.event.event_id.clone(),
            attempts,
            error: shorten(error),
            at_ns: 0,
            fate: Fate::Kept,
        };
        self.ledger.bury(Some(flight.ticket), dead);
    }

    /// Stops delivering; the log will say so.
    pub(super) fn halt(&mut self, why: String) {
        if !self.is_halted {
            tracing::warn!("subscription {} is paused: {why}", self.definition.name);
            self.is_halted = true;
            self.ledger.pause(why);
        }
    }

    /// An event that was lent is back.
    pub(super) fn returned(&mut self, ticket: Ticket, failure: Option<(Failure, String)>) {
        match failure {
            None => self.taken(ticket),
            Some((failure, error)) => self.failed(ticket, failure, error),
        }
    }

    /// The values of events are back that somebody asked for.
    pub(super) fn lend(&mut self, restored: pull::Restored) {
        let clock = self.clock();
        for (ticket, failure) in self.counter.lend(restored, &mut self.schedule, clock) {
            self.returned(ticket, failure);
        }
    }

    /// A subscriber asks for events, or tells what became of them.
    pub(super) fn asked(&mut self, request: pull::Request) {
        match request {
            pull::Request::Take { limit, until, answer } => {
                // Dropping the answer tells whoever asks that there are too many.
                if self.counter.has_room(self.core.limits().subscriptions.pulls_max) {
                    self.counter.wait(limit, until, answer);
                }
            }
            pull::Request::Settle { lease, report, answer } => {
                let settled = self.counter.settle(&lease, report).map(|(settled, returned)| {
                    for (ticket, failure) in returned {
                        self.returned(ticket, failure);
                    }
                    settled
                });
                // Whoever has left learns it from the next events that it is given.
                answer.send(settled).unwrap_or_default();
            }
        }
    }

    /// Says how it is doing.
    pub(super) fn report(&self, status: &watch::Sender<Status>) {
        let now = Status {
            n_held: self.schedule.n_held(),
            n_busy: self.schedule.n_busy(),
            acknowledged: self.schedule.progress().acknowledged(),
            n_delivered: self.ledger.counts.n_delivered,
            is_away: self.schedule.is_down(),
            error: self.error.clone(),
        };
        status.send_if_modified(|before| {
            let is_new = *before != now;
            *before = now;
            is_new
        });
    }

    /// Writes down how far it is, and waits for what is under way, no longer than it may take. What lands meanwhile is written at
    /// once: whoever ends the server may have less patience.
    pub(super) async fn finish(mut self) -> (Definition, Acknowledged) {
        let core = self.core.clone();
        let until = Instant::now() + core.limits().subscriptions.end_patience;
        loop {
            self.ledger.flush(&core, &self.definition, &mut self.schedule).await;
            if self.ledger.is_moved {
                self.ledger.acknowledge(&core, &self.definition, &self.schedule).await;
            }
            let Ok(landed) = timeout_at(until, self.flights.join_next_with_id()).await else {
                self.flights.shutdown().await;
                break;
            };
            let Some(landed) = landed else { break };
            self.landed(landed);
            while let Some(landed) = self.flights.try_join_next_with_id() {
                self.landed(landed);
            }
        }
        (self.definition, self.ledger.written)
    }
}
