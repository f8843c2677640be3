//! Events for subscribers that ask: lent for a time, and back in their place if nothing is heard.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::definition::Blobs;
use super::letter::Post;
use super::outcome::BROKEN_DOWN;
use super::restored::{self, Given};
use super::schedule::{Failure, Flight, Schedule, Ticket};
use crate::Core;
use crate::room::Room;

/// Bytes of events that are lent at once, and one event more; with their values back, where they are put back.
const LENT_BYTES_MAX: usize = 4 << 20;

/// What a subscriber asks for.
pub(crate) enum Request {
    /// Events.
    Take {
        /// How many at most.
        limit: usize,
        /// How long to wait for the first.
        until: Instant,
        /// Where they go.
        answer: oneshot::Sender<Lent>,
    },
    /// To be told that events were dealt with.
    Settle {
        /// Under which they were lent.
        lease: String,
        /// Which.
        report: Report,
        /// How that went.
        answer: oneshot::Sender<Result<Settled, UnknownLease>>,
    },
}

/// Events that are lent.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    /// What they are reported by; `None` if there are none.
    pub(crate) lease: Option<String>,
    /// The events, and their lines.
    pub(crate) events: Vec<(Flight<Arc<Post>>, Given)>,
    /// The room that they take, if values were put back.
    pub(crate) room: Option<Room>,
}

/// What became of lent events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// Every event up to here was dealt with, but for those that failed.
    pub(crate) upto: Option<u64>,
    /// These were.
    pub(crate) positions: Vec<u64>,
    /// These failed, and why.
    pub(crate) failed: Vec<(u64, String)>,
}

/// What was made of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) n_acknowledged: usize,
    pub(crate) n_failed: usize,
    /// Events of the lease that nothing was said about.
    pub(crate) n_left: usize,
}

/// The lease ran out, or never was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownLease;

/// How one event of a lease turned out.
pub(super) type Returned = (Ticket, Option<(Failure, String)>);

/// Events whose values are back, by the task that did it.
pub(super) type Restored = Result<(Id, (Vec<Given>, Room)), JoinError>;

/// Everything that is lent, and everybody who waits.
pub(super) struct Counter {
    core: Core,
    blobs: Blobs,
    waiting: VecDeque<(usize, Instant, oneshot::Sender<Lent>)>,
    /// Events that are lent once their values are back. Until then their time does not run.
    restoring: JoinSet<(Vec<Given>, Room)>,
    by_task: HashMap<Id, Order>,
    leases: HashMap<String, Lease>,
}

/// Events that somebody asked for and is not given yet.
struct Order {
    flights: Vec<Flight<Arc<Post>>>,
    answer: oneshot::Sender<Lent>,
}

struct Lease {
    until: Instant,
    /// Positions and tickets.
    events: Vec<(u64, Ticket)>,
}

/// The clocks of a loan.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// The time.
    pub(super) now: Instant,
    /// The same, as the schedule counts it.
    pub(super) elapsed: std::time::Duration,
    /// How long events are lent.
    pub(super) lent_for: std::time::Duration,
}

impl Counter {
    /// Returns a counter that nothing was lent at.
    pub(super) fn new(core: &Core, blobs: Blobs) -> Self {
        Self {
            core: core.clone(),
            blobs,
            waiting: VecDeque::new(),
            restoring: JoinSet::new(),
            by_task: HashMap::new(),
            leases: HashMap::new(),
        }
    }

    /// Returns whether another may wait.
    pub(super) fn has_room(&self, waiting_max: usize) -> bool {
        self.waiting.len() + self.by_task.len() < waiting_max
    }

    /// Returns whether somebody waits for events.
    pub(super) fn is_asked(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Lets somebody wait for events.
    pub(super) fn wait(&mut self, limit: usize, until: Instant, answer: oneshot::Sender<Lent>) {
        self.waiting.push_back((limit, until, answer));
    }

    /// Hands out what there is to those who wait, and sends away those who waited long enough.
    pub(super) fn serve(&mut self, schedule: &mut Schedule<Arc<Post>>, clock: Clock) {
        self.waiting.retain(|(.., answer)| !answer.is_closed());
        while let Some((limit, until, answer)) = self.waiting.pop_front() {
            let (flights, bytes) = take(schedule, limit, self.blobs, clock);
            if flights.is_empty() && clock.now < until {
                self.waiting.push_front((limit, until, answer));
                break;
            }
            if bytes > 0 {
                let lives = flights.iter().map(|flight| Arc::clone(&flight.event.live)).collect();
                let core = self.core.clone();
                let restore = async move { restored::all(&core, lives, bytes).await };
                let task = self.restoring.spawn(restore);
                self.by_task.insert(task.id(), Order { flights, answer });
                continue;
            }
            let given = |flight: Flight<Arc<Post>>| {
                let given = Given::as_it_is(&flight.event.live);
                (flight, given)
            };
            let events = flights.into_iter().map(given).collect();
            self.hand_out(schedule, Lent { lease: None, events, room: None }, answer, clock);
        }
        // Whoever is behind the first may be out of time as well.
        let (late, waiting): (VecDeque<_>, VecDeque<_>) =
            self.waiting.drain(..).partition(|(_, until, _)| *until <= clock.now);
        self.waiting = waiting;
        // Somebody who has left needs no answer.
        late.into_iter().for_each(|(.., answer)| drop(answer.send(Lent::default())));
    }

    /// Waits for events whose values are back; `None` if there are none to wait for.
    pub(super) async fn restored(&mut self) -> Option<Restored> {
        self.restoring.join_next_with_id().await
    }

    /// Lends events whose values are back; returns those that nothing came of.
    pub(super) fn lend(
        &mut self,
        restored: Restored,
        schedule: &mut Schedule<Arc<Post>>,
        clock: Clock,
    ) -> Vec<Returned> {
        let id = restored.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let Some(Order { flights, answer }) = self.by_task.remove(&id) else { return Vec::new() };
        let Ok((_, (given, room))) = restored else {
            let failure = Failure::Refused { retry_after: None };
            let said = || Some((failure, BROKEN_DOWN.to_owned()));
            return flights.iter().map(|flight| (flight.ticket, said())).collect();
        };
        let events = flights.into_iter().zip(given).collect();
        self.hand_out(schedule, Lent { lease: None, events, room: Some(room) }, answer, clock);
        Vec::new()
    }

    fn hand_out(
        &mut self,
        schedule: &mut Schedule<Arc<Post>>,
        lent: Lent,
        answer: oneshot::Sender<Lent>,
        clock: Clock,
    ) {
        let events = lent.events.iter().map(|(flight, _)| (flight.position, flight.ticket));
        let events: Vec<_> = events.collect();
        let lease = (!events.is_empty()).then(|| uuid::Uuid::now_v7().to_string());
        if answer.send(Lent { lease: lease.clone(), ..lent }).is_err() {
            events.iter().for_each(|(_, ticket)| schedule.released(*ticket, clock.elapsed));
        } else if let Some(lease) = lease {
            let until = clock.now + clock.lent_for;
            self.leases.insert(lease, Lease { until, events });
        }
    }

    /// Takes a report; returns how each event that it is about turned out.
    pub(super) fn settle(
        &mut self,
        lease: &str,
        report: Report,
    ) -> Result<(Settled, Vec<Returned>), UnknownLease> {
        let events = &mut self.leases.get_mut(lease).ok_or(UnknownLease)?.events;
        let mut take = |is_meant: &dyn Fn(u64) -> bool| -> Vec<Ticket> {
            let meant = events.extract_if(.., |(position, _)| is_meant(*position));
            meant.map(|(_, ticket)| ticket).collect()
        };
        let mut returned = Vec::new();
        for (position, reason) in report.failed {
            let failure = Failure::Refused { retry_after: None };
            let tickets = take(&|meant| meant == position);
            returned.extend(
                tickets.into_iter().map(|ticket| (ticket, Some((failure, reason.clone())))),
            );
        }
        let n_failed = returned.len();
        let positions: HashSet<u64> = report.positions.into_iter().collect();
        let is_done = |position| {
            positions.contains(&position) || report.upto.is_some_and(|upto| position <= upto)
        };
        returned.extend(take(&is_done).into_iter().map(|ticket| (ticket, None)));
        let n_left = events.len();
        if n_left == 0 {
            self.leases.remove(lease);
        }
        let n_acknowledged = returned.len() - n_failed;
        Ok((Settled { n_acknowledged, n_failed, n_left }, returned))
    }

    /// Takes back what was lent for too long.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<Returned> {
        let over = self.leases.extract_if(|_, lease| lease.until <= now);
        let tickets = over.flat_map(|(_, lease)| lease.events);
        let said = || Some((Failure::Expired, "the lease ran out".to_owned()));
        tickets.map(|(_, ticket)| (ticket, said())).collect()
    }

    /// Returns when somebody's time is over.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let leases = self.leases.values().map(|lease| lease.until);
        leases.chain(self.waiting.iter().map(|(_, until, _)| *until)).min()
    }
}

/// Takes events to lend; returns them in the order of the log, and the bytes that they take if there are values to put back, else 0.
fn take(
    schedule: &mut Schedule<Arc<Post>>,
    limit: usize,
    blobs: Blobs,
    clock: Clock,
) -> (Vec<Flight<Arc<Post>>>, usize) {
    let mut flights: Vec<Flight<Arc<Post>>> = Vec::new();
    let (mut bytes, mut is_restored) = (0, false);
    while flights.len() < limit && bytes < LENT_BYTES_MAX {
        let run = schedule.start_while(clock.elapsed, limit - flights.len(), |post| {
            let fits = bytes < LENT_BYTES_MAX;
            if fits {
                let line = &post.live.line;
                let restored_bytes = restored::bytes_of(blobs, line);
                is_restored |= restored_bytes.is_some();
                bytes += restored_bytes.unwrap_or(line.len());
            }
            fits
        });
        if run.is_empty() {
            break;
        }
        flights.extend(run);
    }
    // The runs are of one session each; together they stand as in the log.
    flights.sort_by_key(|flight| flight.position);
    (flights, if is_restored { bytes } else { 0 })
}
