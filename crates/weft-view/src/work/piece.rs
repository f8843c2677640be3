//! One piece of work: what happened to it, and what state that makes.

use serde::{Deserialize, Serialize};

use super::is_blocked;
use crate::{Entry, Latest, Stamp, Trail, snug};

/// Steps of one producer that are kept, the newest.
const STEPS_MAX: usize = 16;
/// Producers that are kept of one piece of work.
const PRODUCERS_MAX: usize = 16;

/// What state a piece of work is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkState {
    /// Whoever has it cannot go on.
    Blocked,
    /// The work on it failed.
    Failed,
    /// Nobody will try again to get it.
    Exhausted,
    /// It is worked on.
    Working,
    /// Somebody has it.
    Claimed,
    /// It is back in the queue.
    Released,
    /// It is there, and nobody has it.
    Open,
    /// It was split into smaller pieces.
    Split,
    /// Whoever was at it has turned to something else or is gone, and nobody says what became of it.
    Left,
    /// It is done.
    Done,
}

impl WorkState {
    /// Returns whether nothing more happens to it unless somebody begins anew.
    pub fn is_over(self) -> bool {
        match self {
            WorkState::Done | WorkState::Failed | WorkState::Exhausted | WorkState::Left => true,
            WorkState::Blocked
            | WorkState::Working
            | WorkState::Claimed
            | WorkState::Released
            | WorkState::Open
            | WorkState::Split => false,
        }
    }
}

/// How a piece of work came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It is a part of another.
    Child,
    /// It is another way to do another.
    Alternative,
    /// A gap in the documentation made it.
    Weave,
    /// A health problem made it.
    Pulse,
}

/// What happens to a piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Move {
    Created,
    Exhausted,
    Claimed,
    Worked,
    Completed,
    Failed,
    Released,
    Split,
    HandedOver { to: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    at_ns: i64,
    what: Move,
}

/// What one producer says of a piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Producer {
    actor: String,
    session: Option<String>,
    steps: Trail<Step, STEPS_MAX>,
    /// Whether it could go on when it last mentioned the piece with a status of its own, and when.
    mention: Option<Latest<(bool, i64)>>,
    first_ns: i64,
    last_ns: i64,
}

/// How an actor ended, if it did, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ending {
    pub(super) last: Option<Latest<(Option<WorkState>, i64)>>,
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) n_tries: u64,
    pub(super) n_retries: u64,
    pub(super) n_claims: u64,
    pub(super) n_failures: u64,
    /// The highest number of a try that was told.
    pub(super) attempt: u64,
}

/// Something that was said first or last, by time and position.
type Dated<T> = Option<((i64, u64), T)>;

/// A piece of work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// What it was called last.
    pub(super) title: Dated<String>,
    /// What it came of, by who said so first.
    pub(super) origin: Dated<(Option<String>, Origin)>,
    pub(super) counts: Counts,
    /// By actor and session.
    producers: Vec<Producer>,
    pub(super) last_ns: i64,
    pub(super) last_position: u64,
}

/// Somebody who was on a piece of work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand<'p> {
    pub(super) actor: &'p str,
    pub(super) session: Option<&'p str>,
    pub(super) last_ns: i64,
}

/// How things are with a piece of work.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Now<'p> {
    pub(super) state: WorkState,
    pub(super) holder: Option<&'p str>,
    pub(super) since_ns: Option<i64>,
}

/// A piece of work that nobody will try again to get.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GivenUp<'p> {
    /// Who gave up last.
    pub(crate) actor: &'p str,
    pub(crate) session: Option<&'p str>,
    pub(crate) since_ns: i64,
    /// The records that say so, in the order of the log.
    pub(crate) positions: Vec<u64>,
}

impl Piece {
    /// Notes that an event is about it.
    pub(super) fn seen(&mut self, entry: &Entry<'_, '_>) {
        let last = (self.last_ns, self.last_position).max((entry.time_ns(), entry.position));
        (self.last_ns, self.last_position) = last;
    }

    /// Takes in what it is called.
    pub(super) fn call(&mut self, entry: &Entry<'_, '_>, title: Option<&str>) {
        let key = (entry.time_ns(), entry.position);
        if let Some(title) =
            title.filter(|_| self.title.as_ref().is_none_or(|(known, _)| *known <= key))
        {
            self.title = Some((key, title.to_owned()));
        }
    }

    /// Takes in what it came of.
    pub(super) fn came_of(&mut self, entry: &Entry<'_, '_>, parent: Option<&str>, origin: Origin) {
        let key = (entry.time_ns(), entry.position);
        if self.origin.as_ref().is_none_or(|(known, _)| key < *known) {
            self.origin = Some((key, (parent.map(str::to_owned), origin)));
        }
    }

    /// Takes in what a producer says happened to it.
    pub(super) fn step(&mut self, entry: &Entry<'_, '_>, what: Move) {
        self.seen(entry);
        let (stamp, at_ns) = (entry.stamp(), entry.time_ns());
        self.producer(entry).steps.put(stamp, Step { at_ns, what });
    }

    /// Takes in that an actor is on it, as an event about something else shows.
    pub(super) fn mention(&mut self, entry: &Entry<'_, '_>) {
        self.seen(entry);
        let at_ns = entry.time_ns();
        let status = entry.facts.status;
        let producer = self.producer(entry);
        if let Some(status) = status {
            Latest::put(&mut producer.mention, entry.stamp(), || (is_blocked(status), at_ns));
        }
    }

    fn producer(&mut self, entry: &Entry<'_, '_>) -> &mut Producer {
        let facts = entry.facts;
        let (actor, session) =
            (facts.actor.as_deref().unwrap_or_default(), facts.session.as_deref());
        let key = |known: &Producer| {
            (known.actor.as_str(), known.session.as_deref()).cmp(&(actor, session))
        };
        let at_ns = entry.time_ns();
        let idx = match self.producers.binary_search_by(key) {
            Ok(idx) => idx,
            Err(_) if self.producers.len() >= PRODUCERS_MAX => {
                let age = |idx: &usize| (self.producers[*idx].last_ns, *idx);
                let oldest = (0..self.producers.len()).min_by_key(age).expect("there are some");
                self.producers.remove(oldest);
                self.insert(actor, session, at_ns)
            }
            Err(_) => self.insert(actor, session, at_ns),
        };
        let producer = &mut self.producers[idx];
        producer.first_ns = producer.first_ns.min(at_ns);
        producer.last_ns = producer.last_ns.max(at_ns);
        producer
    }

    fn insert(&mut self, actor: &str, session: Option<&str>, at_ns: i64) -> usize {
        let idx = self.producers.partition_point(|known| {
            (known.actor.as_str(), known.session.as_deref()) < (actor, session)
        });
        let producer = Producer {
            actor: actor.to_owned(),
            session: session.map(str::to_owned),
            steps: Trail::default(),
            mention: None,
            first_ns: at_ns,
            last_ns: at_ns,
        };
        snug::insert(&mut self.producers, idx, producer);
        idx
    }

    /// Returns who is on it, and when each was last.
    pub(super) fn hands(&self) -> impl Iterator<Item = Hand<'_>> {
        self.producers.iter().map(|producer| Hand {
            actor: &producer.actor,
            session: producer.session.as_deref(),
            last_ns: producer.last_ns,
        })
    }

    /// Returns whether nobody says what happened to it, only that somebody is on it.
    pub(super) fn is_mentioned_only(&self) -> bool {
        self.producers.iter().all(|producer| producer.steps.is_empty())
    }

    /// Returns whether no producer says more than that it is on it, each in a run whose plan has such a step.
    pub(super) fn is_step_of(&self, is_step: impl Fn(&str) -> bool) -> bool {
        let mut producers = self.producers.iter();
        !self.producers.is_empty()
            && producers.all(|producer| producer.steps.is_empty() && is_step(&producer.actor))
    }

    /// Returns who gave up to get it, if nobody else has got it since.
    pub(super) fn given_up(&self) -> Option<GivenUp<'_>> {
        let is_given_up = |step: &Step| step.what == Move::Exhausted;
        let mut tries: Vec<_> = Vec::new();
        for producer in &self.producers {
            let steps = producer.steps.iter().filter(|(_, step)| is_given_up(step));
            tries.extend(steps.map(|(stamp, step)| (step.at_ns, stamp.position(), producer)));
        }
        tries.sort_by_key(|(at_ns, position, _)| (*at_ns, *position));
        let (_, _, last) = tries.last()?;
        let Now { state: WorkState::Exhausted, since_ns: Some(since_ns), .. } = self.now() else {
            return None;
        };
        let tries = tries.iter().filter(|(at_ns, _, _)| *at_ns >= since_ns);
        let mut positions: Vec<u64> = tries.map(|(_, position, _)| *position).collect();
        positions.sort_unstable();
        Some(GivenUp { actor: &last.actor, session: last.session.as_deref(), since_ns, positions })
    }

    /// Returns the state it is in.
    pub(super) fn now(&self) -> Now<'_> {
        let mut now = Now { state: WorkState::Open, holder: None, since_ns: None };
        let mut n_steps = 0;
        for (actor, step) in self.steps() {
            now.take(actor, step);
            n_steps += 1;
        }
        if n_steps == 0 {
            // Nobody says what became of it, only that somebody is on it.
            if let Some(last) = self.producers.iter().max_by_key(|it| (it.last_ns, &it.actor)) {
                let holder = Some(last.actor.as_str()).filter(|actor| !actor.is_empty());
                now = Now { state: WorkState::Working, holder, since_ns: Some(last.first_ns) };
            }
        }
        let is_held = matches!(now.state, WorkState::Claimed | WorkState::Working);
        let said =
            self.producers.iter().filter(|it| is_held && Some(it.actor.as_str()) == now.holder);
        let said = said.filter_map(|it| it.mention.as_ref().map(Latest::value));
        if let Some((true, at_ns)) = said.max_by_key(|(_, at_ns)| *at_ns) {
            now.state = WorkState::Blocked;
            now.since_ns = Some(*at_ns);
        }
        now
    }

    /// Returns what happened, each producer's steps in its order, and those of several by their times.
    fn steps(&self) -> impl Iterator<Item = (&str, &Step)> {
        let mut trails: Vec<_> = self
            .producers
            .iter()
            .filter(|it| !it.steps.is_empty())
            .map(|it| (it.actor.as_str(), it.steps.iter().peekable()))
            .collect();
        std::iter::from_fn(move || {
            let head = |(stamp, step): (&Stamp, &Step)| (step.at_ns, stamp.position());
            let heads = trails.iter_mut().enumerate();
            let heads = heads.filter_map(|(idx, (_, trail))| Some((head(*trail.peek()?), idx)));
            let (_, idx) = heads.min()?;
            let (actor, trail) = &mut trails[idx];
            trail.next().map(|(_, step)| (*actor, step))
        })
    }
}

impl<'p> Now<'p> {
    fn take(&mut self, actor: &'p str, step: &'p Step) {
        let (state, holder) = match &step.what {
            Move::Created if self.since_ns.is_none() => (WorkState::Open, None),
            // What is there already is not made again, and what is done stays done when it is let go.
            Move::Created => return,
            Move::Released if self.state == WorkState::Done => return,
            Move::Exhausted if self.holder.is_some() || self.state == WorkState::Done => return,
            Move::Exhausted => (WorkState::Exhausted, None),
            Move::Claimed => (WorkState::Claimed, Some(actor)),
            Move::Worked => (WorkState::Working, Some(actor)),
            Move::Completed => (WorkState::Done, Some(actor)),
            Move::Failed => (WorkState::Failed, Some(actor)),
            Move::Released => (WorkState::Released, None),
            Move::Split => (WorkState::Split, None),
            Move::HandedOver { to } => (WorkState::Claimed, to.as_deref()),
        };
        let holder = holder.filter(|holder| !holder.is_empty());
        if (self.state, self.holder) != (state, holder) || self.since_ns.is_none() {
            self.since_ns = Some(step.at_ns);
        }
        (self.state, self.holder) = (state, holder);
    }
}
