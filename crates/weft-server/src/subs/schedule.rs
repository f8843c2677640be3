//! What is delivered next: in order within a session, sessions side by side, a failing event holding its own session alone.
//!
//! It does no I/O and reads no clock: events and outcomes come in with the time and a random draw, what may start goes out.

mod backoff;
mod lane;
mod progress;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

pub use backoff::Backoff;
pub use lane::SessionKey;
pub use progress::Progress;

use lane::{Item, Lane, State};

/// What a schedule keeps to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Sessions that are delivered side by side.
    pub parallel_max: usize,
    /// Tries of an event before it is dead.
    pub attempts_max: u32,
    /// How long to wait between tries.
    pub backoff: Backoff,
    /// Events that are held in memory.
    pub held_max: usize,
    /// Bytes of them.
    pub held_bytes_max: usize,
}

/// Names one event in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(u64);

/// An event on its way to the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight<T> {
    /// What the outcome is reported by.
    pub ticket: Ticket,
    /// Its position in the log.
    pub position: u64,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// Whether it comes behind events that stood after it.
    pub is_replay: bool,
    /// The event.
    pub event: T,
}

/// What an event has behind it that was tried and did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Its position in the log.
    pub position: u64,
    /// How often it was tried.
    pub attempts: u32,
    /// How often that failed through its own fault.
    pub strikes: u32,
}

/// Why a delivery failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The receiver had the event and did not take it.
    Refused {
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The receiver is not there, or has too much to do: nothing is said about the event.
    Away {
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The receiver was given the event and did not answer in time: it is away, unless it took others meanwhile.
    Silent,
    /// The receiver took the event and was not heard of again.
    Expired,
    /// The receiver will never take the event: it is not tried again.
    Final,
}

/// What becomes of an event that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is tried again, and this try counts.
    Again,
    /// It is tried again, and this try is not held against it.
    Spared,
    /// It was tried often enough. It holds its session until [`Schedule::buried`] says that it is on the list of the dead.
    Dead {
        /// How often it was tried.
        attempts: u32,
    },
}

/// The receiver was not there.
#[derive(Clone, Copy, Debug)]
struct Down {
    until: Duration,
    streak: u32,
}

/// The events of one subscription that are not settled yet.
#[derive(Debug)]
pub struct Schedule<T> {
    rules: Rules,
    lanes: BTreeMap<u64, Lane<T>>,
    by_key: HashMap<SessionKey, u64>,
    by_ticket: HashMap<Ticket, u64>,
    /// Lanes that nothing is under way in: when they may go on, in which turn, which.
    waiting: BTreeSet<(Duration, u64, u64)>,
    /// Lanes that something is under way in.
    n_busy: usize,
    held_bytes: usize,
    progress: Progress,
    /// What was tried before the log was read from here, by position.
    tried_before: BTreeMap<u64, Tried>,
    down: Option<Down>,
    /// How often the receiver took an event.
    n_accepted: u64,
    next_number: u64,
}

impl<T: Clone> Schedule<T> {
    /// Returns a schedule without events, of a subscription that is this far.
    pub fn new(rules: Rules, progress: Progress) -> Self {
        Self {
            rules,
            lanes: BTreeMap::new(),
            by_key: HashMap::new(),
            by_ticket: HashMap::new(),
            waiting: BTreeSet::new(),
            n_busy: 0,
            held_bytes: 0,
            progress,
            tried_before: BTreeMap::new(),
            down: None,
            n_accepted: 0,
            next_number: 0,
        }
    }

    /// Counts on from what was tried before.
    pub fn remember(&mut self, tried: &[Tried]) {
        self.tried_before.extend(tried.iter().map(|tried| (tried.position, *tried)));
    }

    /// Returns the events that failed and are not settled, by position, as many as asked for. One out of its order is not told.
    pub fn tried(&self, max: usize) -> Vec<Tried> {
        let lanes = self.lanes.values().filter(|lane| !matches!(lane.key, SessionKey::Replay(_)));
        let items = lanes.flat_map(|lane| &lane.items).filter(|item| item.strikes > 0);
        let tried = items.map(|item| Tried {
            position: item.position,
            attempts: item.attempt,
            strikes: item.strikes,
        });
        let mut all: Vec<Tried> = tried.chain(self.tried_before.values().copied()).collect();
        all.sort_by_key(|tried| tried.position);
        all.truncate(max);
        all
    }

    /// Returns whether another event may be offered.
    pub fn has_room(&self) -> bool {
        self.by_ticket.len() < self.rules.held_max && self.held_bytes < self.rules.held_bytes_max
    }

    /// Returns how many events are held.
    pub fn n_held(&self) -> usize {
        self.by_ticket.len()
    }

    /// Returns in how many sessions something is under way.
    pub fn n_busy(&self) -> usize {
        self.n_busy
    }

    /// Returns whether the receiver is taken to be away.
    pub fn is_down(&self) -> bool {
        self.down.is_some()
    }

    /// Returns how far the subscription is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Takes the next event of the log that matches. One that was settled before is left out.
    pub fn offer(&mut self, position: u64, key: SessionKey, bytes: usize, event: T) {
        if self.progress.take(position) {
            self.hold(position, key, bytes, event);
        }
    }

    /// Takes an event out of its order, which is settled already as far as the log goes.
    pub fn offer_replay(&mut self, position: u64, bytes: usize, event: T) -> Ticket {
        self.hold(position, SessionKey::Replay(position), bytes, event)
    }

    /// Says that the log was read up to a position: what was not offered does not match.
    pub fn pass(&mut self, upto: u64) {
        self.progress.pass(upto);
        // What was tried before and did not come again is pruned or settled.
        self.tried_before = self.tried_before.split_off(&(upto + 1));
    }

    fn hold(&mut self, position: u64, key: SessionKey, bytes: usize, event: T) -> Ticket {
        let ticket = Ticket(self.number());
        let fresh = self.number();
        let id = *self.by_key.entry(key.clone()).or_insert(fresh);
        let lane = self.lanes.entry(id).or_insert_with(|| Lane::new(key));
        if lane.items.is_empty() {
            self.waiting.insert((lane.due, lane.turn, id));
        }
        let mut item = Item::new(ticket, position, bytes, event);
        if !matches!(lane.key, SessionKey::Replay(_))
            && let Some(before) = self.tried_before.remove(&position)
        {
            (item.attempt, item.strikes) = (before.attempts, before.strikes);
        }
        lane.items.push_back(item);
        self.by_ticket.insert(ticket, id);
        self.held_bytes += bytes;
        ticket
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Starts up to `run_max` events of one session that may go now; empty if none may.
    pub fn start(&mut self, now: Duration, run_max: usize) -> Vec<Flight<T>> {
        self.start_while(now, run_max, |_| true)
    }

    /// Starts up to `run_max` events of one session that may go now, and ends before the first that does not fit. The first of all
    /// goes in any case.
    pub fn start_while(
        &mut self,
        now: Duration,
        run_max: usize,
        mut fits: impl FnMut(&T) -> bool,
    ) -> Vec<Flight<T>> {
        let busy_max = if self.down.is_some() { 1 } else { self.rules.parallel_max };
        let is_left_alone = self.down.is_some_and(|down| now < down.until);
        if self.n_busy >= busy_max || is_left_alone || run_max == 0 {
            return Vec::new();
        }
        let Some(first) = self.waiting.first().copied().filter(|(due, ..)| *due <= now) else {
            return Vec::new();
        };
        self.waiting.remove(&first);
        let lane = self.lanes.get_mut(&first.2).expect("a lane that waits is there");
        let is_replay = matches!(lane.key, SessionKey::Replay(_));
        let items = lane.items.iter_mut().take(run_max).enumerate();
        let items = items.take_while(|(idx, item)| fits(&item.event) || *idx == 0);
        let run = items.map(|(_, item)| {
            item.state = State::Flying;
            item.attempt += 1;
            item.accepted_at_start = self.n_accepted;
            let Item { ticket, position, attempt, ref event, .. } = *item;
            Flight { ticket, position, attempt, is_replay, event: event.clone() }
        });
        let run: Vec<_> = run.collect();
        lane.n_flying = run.len();
        self.n_busy += 1;
        run
    }

    /// Returns when something may start that may not yet; `None` if that depends on an outcome or on another event.
    pub fn next_due(&self) -> Option<Duration> {
        let (due, ..) = self.waiting.first()?;
        match self.down {
            Some(down) => (self.n_busy == 0).then(|| down.until.max(*due)),
            None => (self.n_busy < self.rules.parallel_max).then_some(*due),
        }
    }

    /// Says that the receiver took an event. Returns whether it was still open.
    pub fn done(&mut self, ticket: Ticket) -> bool {
        self.n_accepted += 1;
        self.down = None;
        self.settle(ticket)
    }

    /// Says that a dead event is on the list of the dead. Returns whether it was still open.
    pub fn buried(&mut self, ticket: Ticket) -> bool {
        self.settle(ticket)
    }

    /// Says that an event was never handed over: the try does not count.
    pub fn released(&mut self, ticket: Ticket, now: Duration) {
        self.land(ticket, now, |item| item.attempt -= 1);
    }

    /// Says that an event failed. `draw` is a random number for the time until the next try.
    pub fn failed(
        &mut self,
        ticket: Ticket,
        failure: Failure,
        now: Duration,
        draw: u64,
    ) -> Verdict {
        let (n_accepted, attempts_max) = (self.n_accepted, self.rules.attempts_max);
        let Some(item) = self.item(ticket) else { return Verdict::Again };
        let (strikes_before, retry_after) = (item.strikes, None);
        let meaning = match failure {
            Failure::Silent if item.accepted_at_start < n_accepted => {
                Failure::Refused { retry_after }
            }
            Failure::Silent => Failure::Away { retry_after },
            plain => plain,
        };
        match meaning {
            Failure::Refused { .. } | Failure::Silent | Failure::Expired => item.strikes += 1,
            Failure::Final => item.strikes = attempts_max,
            // While the receiver takes other events, it is this one that it does not take.
            Failure::Away { .. } => {
                item.strikes += u32::from(item.accepted_by_then.is_some_and(|n| n < n_accepted));
                item.accepted_by_then = Some(n_accepted);
            }
        }
        let (strikes, attempts) = (item.strikes, item.attempt);
        if strikes >= attempts_max {
            item.state = State::Dying;
            return Verdict::Dead { attempts };
        }
        let backoff = &self.rules.backoff;
        let due = match meaning {
            Failure::Silent | Failure::Expired | Failure::Final => now,
            Failure::Refused { retry_after } => now + backoff.delay(strikes, retry_after, draw),
            Failure::Away { retry_after } => {
                let streak = match self.down {
                    // The others that were under way when it went tell nothing new.
                    Some(down) if now < down.until => down.streak,
                    Some(down) => down.streak.saturating_add(1),
                    None => 1,
                };
                let until = now + backoff.delay(streak, retry_after, draw);
                let until = self.down.map_or(until, |down| down.until.max(until));
                self.down = Some(Down { until, streak });
                until
            }
        };
        if !matches!(failure, Failure::Away { .. } | Failure::Silent) {
            self.down = None;
        }
        self.land(ticket, due, |_| {});
        if strikes > strikes_before { Verdict::Again } else { Verdict::Spared }
    }

    /// Returns an event that is not settled.
    pub fn get(&self, ticket: Ticket) -> Option<Flight<T>> {
        let lane = self.lanes.get(self.by_ticket.get(&ticket)?)?;
        let item = lane.items.iter().find(|item| item.ticket == ticket)?;
        let Item { position, attempt, ref event, .. } = *item;
        let is_replay = matches!(lane.key, SessionKey::Replay(_));
        Some(Flight { ticket, position, attempt, is_replay, event: event.clone() })
    }

    fn item(&mut self, ticket: Ticket) -> Option<&mut Item<T>> {
        let lane = self.lanes.get_mut(self.by_ticket.get(&ticket)?)?;
        lane.items.iter_mut().find(|item| item.ticket == ticket)
    }

    /// Puts an event that was under way back to where it stood.
    fn land(&mut self, ticket: Ticket, due: Duration, change: impl FnOnce(&mut Item<T>)) {
        let Some(item) = self.item(ticket).filter(|item| item.state == State::Flying) else {
            return;
        };
        item.state = State::Waiting;
        change(item);
        let id = self.by_ticket[&ticket];
        let lane = self.lanes.get_mut(&id).expect("its lane is there");
        lane.due = lane.due.max(due);
        self.landed(id);
    }

    /// Takes an event out for good.
    fn settle(&mut self, ticket: Ticket) -> bool {
        let Some(id) = self.by_ticket.remove(&ticket) else { return false };
        let lane = self.lanes.get_mut(&id).expect("its lane is there");
        let place = lane.items.iter().position(|item| item.ticket == ticket);
        let item = place.and_then(|place| lane.items.remove(place)).expect("it is in its lane");
        self.held_bytes -= item.bytes;
        if !matches!(lane.key, SessionKey::Replay(_)) {
            self.progress.settle(item.position);
        }
        match item.state {
            State::Flying | State::Dying => self.landed(id),
            State::Waiting => self.drop_if_empty(id),
        }
        true
    }

    /// One event of a lane is no longer under way; the lane goes on when none is.
    fn landed(&mut self, id: u64) {
        let turn = self.number();
        let lane = self.lanes.get_mut(&id).expect("its lane is there");
        lane.n_flying -= 1;
        if lane.n_flying > 0 {
            return;
        }
        self.n_busy -= 1;
        lane.turn = turn;
        if !lane.items.is_empty() {
            self.waiting.insert((lane.due, lane.turn, id));
        }
        self.drop_if_empty(id);
    }

    fn drop_if_empty(&mut self, id: u64) {
        let Some(lane) = self.lanes.get(&id).filter(|lane| lane.items.is_empty()) else { return };
        self.waiting.remove(&(lane.due, lane.turn, id));
        if let Some(lane) = self.lanes.remove(&id) {
            self.by_key.remove(&lane.key);
        }
    }
}

#[cfg(test)]
mod tests;
