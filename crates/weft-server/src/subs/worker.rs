//! One running subscription: a task that owns its schedule, reads the log as far as there is room, and writes down how far it is.

mod delivery;
mod ledger;
mod outcomes;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use weft_log::{Filter, Position};

use super::books::{Acknowledged, Dead, Entry, Fate};
use super::definition::Definition;
use super::desk::Status;
use super::letter::{self, Post};
use super::matching::{self, Portion};
use super::otlp::Endpoint;
use super::outcome::{BROKEN_DOWN, Outcome};
use super::pull::{self, Counter};
use super::schedule::{Backoff, Flight, Progress, Rules, Schedule, Ticket};
use super::webhook::Webhook;
use crate::feed::Live;
use crate::{Core, place};
use delivery::Delivery;
use ledger::Ledger;

/// How events reach the subscriber.
pub(super) enum Way {
    /// It asks for them.
    Pull,
    /// They are brought to it.
    Push(Push),
}

/// How events are brought to the subscriber.
#[derive(Clone)]
pub(super) enum Push {
    Webhook(Arc<Webhook>),
    Otlp(Arc<Endpoint>),
    Command(Arc<[String]>),
}

/// What a worker is told from outside.
pub(super) struct Reins {
    /// Its end: when this is dropped.
    pub(super) stop: oneshot::Receiver<()>,
    /// That something about its dead letters changed.
    pub(super) ticks: watch::Receiver<u64>,
    /// Requests for its events.
    pub(super) pulls: mpsc::Receiver<pull::Request>,
    /// Where it says how it is doing.
    pub(super) status: watch::Sender<Status>,
}

/// A running subscription.
pub(super) struct Worker {
    core: Core,
    definition: Definition,
    way: Way,
    schedule: Schedule<Arc<Post>>,
    begun: Instant,
    /// What was read and does not fit yet.
    pending: Option<Portion>,
    flights: JoinSet<Outcome>,
    by_task: HashMap<Id, Flight<Arc<Post>>>,
    counter: Counter,
    /// Dead letters that are tried again.
    replays: HashMap<Ticket, Dead>,
    /// The same, by position and the time at which they were given up.
    replaying: HashSet<(u64, i64)>,
    /// Whether there may be more of them.
    is_ticked: bool,
    ledger: Ledger,
    error: Option<String>,
    /// Nothing more is started: the subscription is about to be paused.
    is_halted: bool,
}

impl Worker {
    /// Takes up a subscription where the log says that it is.
    pub(super) fn new(core: &Core, definition: Definition, entry: &Entry, way: Way) -> Self {
        let limits = &core.limits().subscriptions;
        let retry = definition.retry;
        let parallel_max = match way {
            Way::Pull => limits.held_max,
            Way::Push(_) => retry.parallel_max,
        };
        let rules = Rules {
            parallel_max,
            attempts_max: retry.attempts_max,
            backoff: Backoff { min: retry.backoff_min, max: retry.backoff_max },
            held_max: limits.held_max,
            held_bytes_max: limits.held_bytes_max,
        };
        let Acknowledged { position, settled, tried, .. } = entry.progress.clone();
        let mut schedule = Schedule::new(rules, Progress::new(position, settled));
        schedule.remember(&tried);
        let begun = Instant::now();
        Self {
            core: core.clone(),
            way,
            schedule,
            begun,
            pending: None,
            flights: JoinSet::new(),
            by_task: HashMap::new(),
            counter: Counter::new(core, definition.blobs),
            replays: HashMap::new(),
            replaying: HashSet::new(),
            ledger: Ledger::new(entry, begun),
            is_ticked: true,
            error: None,
            is_halted: false,
            definition,
        }
    }

    /// Delivers until it is told to stop; returns how far it is, as written to the log.
    pub(super) async fn run(
        mut self,
        filter: Filter,
        mut reins: Reins,
    ) -> (Definition, Acknowledged) {
        let (send, mut portions) = mpsc::channel(1);
        let from = place::after(self.schedule.progress().read()).unwrap_or(Position::FIRST);
        let reader = tokio::spawn(matching::read_on(self.core.clone(), from, filter, send));
        let core = self.core.clone();
        loop {
            self.admit().await;
            for (ticket, failure) in self.counter.expire(Instant::now()) {
                self.returned(ticket, failure);
            }
            self.ledger.flush(&core, &self.definition, &mut self.schedule).await;
            self.start();
            let written_at =
                self.ledger.due(self.schedule.progress(), &core.limits().subscriptions);
            let due = self.next_due();
            self.report(&reins.status);
            tokio::select! {
                _ = &mut reins.stop => break,
                () = core.ended() => break,
                Some(landed) = self.flights.join_next_with_id() => self.landed(landed),
                Some(restored) = self.counter.restored() => self.lend(restored),
                Some(portion) = portions.recv(), if self.pending.is_none() => self.pending = Some(portion),
                Some(request) = reins.pulls.recv() => self.asked(request),
                Ok(()) = reins.ticks.changed() => self.is_ticked = true,
                () = at(due) => {}
                () = at(written_at) => {
                    self.ledger.acknowledge(&core, &self.definition, &self.schedule).await;
                }
            }
        }
        reader.abort();
        drop(reader.await);
        self.finish().await
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Takes what was read as far as there is room, and dead letters that are to be tried again.
    async fn admit(&mut self) {
        while self.schedule.has_room()
            && let Some(portion) = &mut self.pending
        {
            match portion.posts.pop_front() {
                Some((position, key, post)) => {
                    let bytes = post.live.line.len();
                    self.schedule.offer(position, key, bytes, post);
                }
                None => {
                    self.schedule.pass(portion.upto);
                    self.ledger.counts.n_lost += portion.n_lost;
                    self.pending = None;
                }
            }
        }
        let room = self.core.limits().subscriptions.held_max.saturating_sub(self.schedule.n_held());
        if self.is_ticked && room > 0 {
            let dead = self.wanted_again(room);
            self.is_ticked = dead.len() == room;
            for dead in dead {
                self.replay(dead).await;
            }
        }
    }

    /// Returns the dead letters that are to be tried again and are not yet.
    fn wanted_again(&mut self, max: usize) -> Vec<Dead> {
        let Self { replaying, definition, .. } = self;
        self.core.desk().look(|books| {
            let dead = books.get(&definition.name).map(|entry| &entry.dead);
            let key = |dead: &Dead| (dead.position, dead.at_ns);
            let wanted = dead.into_iter().flat_map(|dead| dead.values());
            let wanted: Vec<_> = wanted.filter(|dead| dead.fate == Fate::Replayed).collect();
            let keys: HashSet<_> = wanted.iter().map(|dead| key(dead)).collect();
            replaying.retain(|key| keys.contains(key));
            let is_new = |dead: &&&Dead| !replaying.contains(&key(dead));
            wanted.iter().filter(is_new).take(max).map(|dead| (*dead).clone()).collect()
        })
    }

    async fn replay(&mut self, dead: Dead) {
        self.replaying.insert((dead.position, dead.at_ns));
        let Some(position) = Position::new(dead.position) else { return };
        let live = match self.core.reads().get(position).await {
            Ok(found) => {
                found.map(|found| Arc::new(Live { meta: found.meta, line: found.line.into() }))
            }
            Err(error) => {
                tracing::warn!("a dead letter of {} cannot be read: {error}", self.definition.name);
                None
            }
        };
        match live.and_then(|live| matching::post_of(live, self.core.store_id())) {
            Some(post) => {
                let bytes = post.live.line.len();
                let ticket = self.schedule.offer_replay(dead.position, bytes, Arc::new(post));
                self.replays.insert(ticket, dead);
            }
            None => {
                let error = "the record is not in the log any more".to_owned();
                self.ledger.bury(None, Dead { error, fate: Fate::Kept, ..dead });
            }
        }
    }

    /// Starts what may start.
    fn start(&mut self) {
        if self.is_halted {
            return;
        }
        let push = match &self.way {
            Way::Push(push) => push,
            Way::Pull => {
                let clock = self.clock();
                self.counter.serve(&mut self.schedule, clock);
                return;
            }
        };
        while let Some(flight) = self.schedule.start(self.begun.elapsed(), 1).pop() {
            let task = self.flights.spawn(delivery::deliver(Delivery {
                core: self.core.clone(),
                push: push.clone(),
                post: Arc::clone(&flight.event),
                marks: letter::marks(&self.definition, self.core.store_id(), &flight),
                blobs: self.definition.blobs,
                timeout: self.definition.retry.timeout,
            }));
            self.by_task.insert(task.id(), flight);
        }
    }

    fn clock(&self) -> pull::Clock {
        let (now, elapsed) = (Instant::now(), self.elapsed());
        pull::Clock { now, elapsed, lent_for: self.definition.retry.timeout }
    }

    fn next_due(&self) -> Option<Instant> {
        if self.is_halted {
            return None;
        }
        let lent = self.counter.next_due();
        // What waits for a subscriber to ask is not waited for here.
        let is_wanted = !matches!(self.way, Way::Pull) || self.counter.is_asked();
        let due = self.schedule.next_due().filter(|_| is_wanted).map(|due| self.begun + due);
        [lent, due, self.ledger.retry_at()].into_iter().flatten().min()
    }

    fn landed(&mut self, landed: Result<(Id, Outcome), JoinError>) {
        let (id, outcome) =
            landed.unwrap_or_else(|error| (error.id(), Outcome::refused(BROKEN_DOWN)));
        let Some(flight) = self.by_task.remove(&id) else { return };
        match outcome {
            Outcome::Taken => self.taken(flight.ticket),
            Outcome::Failed(failure, error) => self.failed(flight.ticket, failure, error),
            Outcome::Gone(error) => {
                self.halt(format!("the subscriber wants no more: {error}"));
                self.schedule.released(flight.ticket, self.begun.elapsed());
            }
        }
    }
}

/// Waits until a time; for ever if there is none.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
