//! Producers at a steady rate: each session's events go over one connection, one after the other, and an event whose answer did not
//! come is sent again until it does.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hasher as _};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use rustix::event::{PollFd, PollFlags, poll};
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Dialect, Facts};

use super::super::ingest::crowd::{Came, timespec};
use super::super::ingest::wire::{Http, Wire};
use super::super::server::{PATIENCE, Reach};

/// Events that wait to be sent at most. Beyond it no more are made, and the rate is not kept.
const WAITING_MAX: usize = 10_000;

/// How long a producer waits before it tries a server again that is not there.
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// What the producers are to do.
pub(super) struct Plan {
    pub(super) reach: Reach,
    /// Events a second.
    pub(super) rate: f64,
    /// When no more are made.
    pub(super) until: Instant,
    /// The dialect whose events the webhook is given.
    pub(super) posted: Dialect,
}

/// What was sent.
#[derive(Default)]
pub(super) struct Sent {
    /// In the order in which they were made.
    pub(super) events: Vec<SentEvent>,
    /// How often an event was sent again.
    pub(super) n_again: u64,
    /// Events whose position is before that of an earlier one of their session.
    pub(super) n_out_of_order: u64,
    pub(super) n_sessions: usize,
}

impl Sent {
    /// Returns the last position of all.
    pub(super) fn last(&self) -> u64 {
        self.events.iter().map(|event| event.position).max().unwrap_or_default()
    }
}

/// An event that was sent.
#[derive(Clone, Copy)]
pub(super) struct SentEvent {
    pub(super) digest: u64,
    /// Where it was stored.
    pub(super) position: u64,
    /// Whether it goes to the webhook too.
    pub(super) is_posted: bool,
    session: usize,
}

/// Returns what an event is known by.
pub(super) fn digest(event: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(event);
    hasher.finish()
}

/// Returns what the events of one session have in common: tenant and session, or the actor where there is none.
pub(super) fn session_of(facts: &Facts<'_>) -> String {
    let tenant = facts.tenant.as_deref().unwrap_or_default();
    match (facts.session.as_deref(), facts.actor.as_deref()) {
        (Some(session), _) => format!("{tenant}\n{session}"),
        (None, Some(actor)) => format!("{tenant}\n\n{actor}"),
        (None, None) => String::new(),
    }
}

/// One connection and what goes over it.
struct Producer {
    wire: Option<Http>,
    came: Came,
    /// Numbers and requests of its events; the first is on its way where it says so.
    waiting: VecDeque<(usize, Vec<u8>)>,
    is_flying: bool,
    try_at: Instant,
}

/// Sends events until the plan's end, and waits until all of them are answered.
pub(super) fn produce(
    plan: &Plan,
    supply: &mut dyn Iterator<Item = String>,
) -> anyhow::Result<Sent> {
    let mut crew = Crew::default();
    let begun = Instant::now();
    let due = |nth: usize| begun + Duration::from_secs_f64(nth as f64 / plan.rate);
    let mut n_made = 0;
    let mut answered_at = begun;
    loop {
        let now = Instant::now();
        while now < plan.until && due(n_made) <= now && crew.n_waiting < WAITING_MAX {
            crew.make(supply.next().expect("the supply is endless"), plan.posted);
            n_made += 1;
        }
        if now >= plan.until && crew.n_waiting == 0 {
            crew.sent.n_sessions = crew.producers.len();
            return Ok(crew.sent);
        }
        ensure!(now < answered_at + PATIENCE, "the server has not answered for {PATIENCE:?}");
        crew.start(&plan.reach, now);
        if crew.wait(due(n_made).min(now + TRY_AGAIN))? > 0 {
            answered_at = Instant::now();
        }
    }
}

#[derive(Default)]
struct Crew {
    producers: Vec<Producer>,
    sessions: HashMap<String, usize>,
    /// The position of the last event of each session.
    last: Vec<u64>,
    n_waiting: usize,
    sent: Sent,
    tape: Tape,
    problems: Problems,
}

impl Crew {
    /// Gives an event to the producer of its session.
    fn make(&mut self, event: String, posted: Dialect) {
        self.problems.clear();
        let read = event::read(&mut self.tape, event.as_bytes(), Expect::Any, &mut self.problems);
        let read = read.expect("the events are made to be valid");
        let (key, is_posted) = (session_of(&read.facts()), read.dialect() == posted);
        let n_sessions = self.sessions.len();
        let session = *self.sessions.entry(key).or_insert(n_sessions);
        if session == n_sessions {
            self.last.push(0);
            self.producers.push(Producer {
                wire: None,
                came: Came::default(),
                waiting: VecDeque::new(),
                is_flying: false,
                try_at: Instant::now(),
            });
        }
        let number = self.sent.events.len();
        let request = Http::keyed_request(&event, &format!("soak-{number}"));
        let digest = digest(event.as_bytes());
        self.sent.events.push(SentEvent { digest, position: 0, is_posted, session });
        self.producers[session].waiting.push_back((number, request));
        self.n_waiting += 1;
    }

    /// Sends the next event of each producer that waits for no answer.
    fn start(&mut self, reach: &Reach, now: Instant) {
        for producer in &mut self.producers {
            let Some((_, request)) = producer.waiting.front() else { continue };
            if producer.is_flying || producer.try_at > now {
                continue;
            }
            if producer.wire.is_none() {
                producer.wire = Http::connect(reach).ok();
            }
            let sent = producer.wire.as_ref().is_some_and(|wire| wire.write_all(request).is_ok());
            if sent {
                producer.is_flying = true;
            } else {
                producer.lose();
            }
        }
    }

    /// Waits for answers until a time; returns how many came.
    fn wait(&mut self, until: Instant) -> anyhow::Result<usize> {
        let flying = |producer: &Producer| producer.is_flying && producer.wire.is_some();
        let idxs: Vec<usize> =
            (0..self.producers.len()).filter(|idx| flying(&self.producers[*idx])).collect();
        let wires = idxs.iter().filter_map(|idx| self.producers[*idx].wire.as_ref());
        let mut ready: Vec<PollFd<'_>> =
            wires.map(|wire| PollFd::new(wire, PollFlags::IN)).collect();
        let timeout = timespec(until.saturating_duration_since(Instant::now()));
        match poll(&mut ready, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready: Vec<bool> = ready.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut n_answered = 0;
        for (idx, _) in idxs.into_iter().zip(is_ready).filter(|(_, is_ready)| *is_ready) {
            n_answered += usize::from(self.take(idx)?);
        }
        Ok(n_answered)
    }

    /// Takes what came over a connection; returns whether that was the answer to its event.
    fn take(&mut self, idx: usize) -> anyhow::Result<bool> {
        let producer = &mut self.producers[idx];
        let Some(wire) = &producer.wire else { return Ok(false) };
        let position = match producer.came.take(wire) {
            Ok(None) => return Ok(false),
            Ok(Some(answer)) if Http::is_good(answer) => Http::position(answer),
            // A server that ends says so, or that it cannot now.
            Ok(Some(answer)) if answer.starts_with(b"HTTP/1.1 503 ") => None,
            Ok(Some(answer)) => bail!("the server says {}", String::from_utf8_lossy(answer)),
            Err(_) => None,
        };
        let Some(position) = position else {
            producer.lose();
            self.sent.n_again += 1;
            return Ok(false);
        };
        producer.is_flying = false;
        let (number, _) = producer.waiting.pop_front().expect("it was just answered");
        self.n_waiting -= 1;
        let event = &mut self.sent.events[number];
        event.position = position;
        let last = &mut self.last[event.session];
        self.sent.n_out_of_order += u64::from(position <= *last);
        *last = position;
        Ok(true)
    }
}

impl Producer {
    /// Gives a connection up; what went over it and was not answered is sent again.
    fn lose(&mut self) {
        (self.wire, self.came, self.is_flying) = (None, Came::default(), false);
        self.try_at = Instant::now() + TRY_AGAIN;
    }
}
