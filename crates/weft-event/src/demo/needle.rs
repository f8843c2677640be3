//! The crew of NEEDLE workers: five that work on beads, and one that keeps the house and notices who is stuck.

mod bead;
mod file;
mod scene;
mod trouble;
mod upkeep;

use std::collections::VecDeque;

use super::Cast;
use super::dice::Deck;
use super::pen;
use super::prose::Task;
use super::stage::{Pause, REPOSITORY, Stage, ms_between};
use crate::Dialect;
use crate::dice::Dice;
use crate::json::Object;
use crate::time::{MILLI_NS, format_rfc3339};

use scene::{ROUNDS, SCENES, Scene, opening};

const NAMES: [&str; 6] =
    ["dock-alpha", "dock-bravo", "dock-cedar", "dock-delta", "dock-ember", "dock-flint"];

/// The one who works on no bead of its own: dock-flint.
const KEEPER: usize = 5;

/// What a worker may spend before a person has to allow more, in millionths of a dollar; dock-delta gets by with little.
const LIMITS_MICROS: [u64; 6] = [9_000_000, 9_000_000, 7_500_000, 440_000, 12_000_000, 5_000_000];

/// How a worker words its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wording {
    /// As the document has it.
    Document,
    /// As later producers do, with traces.
    Later,
}

#[derive(Clone, Debug)]
struct Bead {
    id: String,
    task: &'static Task,
    /// From when on it waits for a worker.
    since_ns: i64,
}

/// A file that a worker holds, or has held lately.
#[derive(Debug)]
struct Hold {
    worker: usize,
    path: &'static str,
    until_ns: i64,
}

#[derive(Debug)]
struct Worker {
    name: &'static str,
    wording: Wording,
    session: String,
    trace: String,
    sequence: u64,
    at_ns: i64,
    bead: Option<Bead>,
    claimed_ns: i64,
    used_micros: u64,
    limit_micros: u64,
    is_warned: bool,
    is_booted: bool,
    silence: Silence,
    planned: Vec<Scene>,
}

/// Whether a worker seems stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    None,
    /// It has said nothing since, and will wake up by itself at the time of its clock.
    Since(i64),
    /// The keeper has seen it.
    Seen,
    /// It works again since then, and the keeper does not know yet.
    Over(i64),
}

/// The six workers and the beads that wait for them.
#[derive(Debug)]
pub(super) struct Crew {
    workers: [Worker; 6],
    backlog: VecDeque<Bead>,
    /// Beads whose worker could not give them back.
    orphans: VecDeque<Bead>,
    holds: Vec<Hold>,
    /// Files that a worker did not let go of when its agent died, and when that was.
    abandoned: VecDeque<(usize, &'static str, i64)>,
    deck: Deck<Scene>,
    rounds: Deck<Scene>,
}

impl Crew {
    pub(super) fn new(stage: &mut Stage) -> Self {
        let workers = std::array::from_fn(|idx| Worker {
            name: NAMES[idx],
            wording: if idx % 2 == 0 { Wording::Later } else { Wording::Document },
            session: String::new(),
            trace: String::new(),
            sequence: 0,
            at_ns: stage.later(stage.start_ns, (100, 3_000)),
            bead: None,
            claimed_ns: 0,
            used_micros: 0,
            limit_micros: LIMITS_MICROS[idx],
            is_warned: false,
            is_booted: false,
            silence: Silence::None,
            planned: opening(idx),
        });
        let mut crew = Self {
            workers,
            backlog: VecDeque::new(),
            orphans: VecDeque::new(),
            holds: Vec::new(),
            abandoned: VecDeque::new(),
            deck: Deck::new(SCENES),
            rounds: Deck::new(ROUNDS),
        };
        let mut play = Play { crew: &mut crew, stage };
        (0..NAMES.len()).for_each(|w| play.boot(w));
        crew
    }
}

impl Cast for Crew {
    fn free_ns(&self) -> i64 {
        self.workers.iter().map(|worker| worker.at_ns).min().unwrap_or(i64::MAX)
    }

    fn play(&mut self, stage: &mut Stage) {
        let free = (0..NAMES.len()).min_by_key(|&w| self.workers[w].at_ns).unwrap_or(KEEPER);
        stage.hurry = true;
        let mut play = Play { crew: self, stage };
        if !play.crew.workers[free].is_booted {
            return play.boot(free);
        }
        if play.crew.workers[free].silence != Silence::None {
            return play.wake_up(free);
        }
        if free == KEEPER && play.look_around() {
            return;
        }
        let deck = if free == KEEPER { &mut play.crew.rounds } else { &mut play.crew.deck };
        let planned = play.crew.workers[free].planned.pop();
        play.stage.hurry = planned.is_some();
        let scene = planned.unwrap_or_else(|| deck.deal(&mut play.stage.dice));
        play.scene(free, scene);
        if free == KEEPER {
            play.wait(KEEPER, (1_000, 9_000));
        } else if planned.is_some() && play.crew.workers[free].planned.is_empty() {
            // Whoever has shown all it had leaves the stage to the others.
            play.stage.hurry = false;
            play.wait(free, (9_000, 18_000));
        }
    }
}

/// One scene of the crew.
struct Play<'p> {
    crew: &'p mut Crew,
    stage: &'p mut Stage,
}

impl Play<'_> {
    fn worker(&mut self, w: usize) -> &mut Worker {
        &mut self.crew.workers[w]
    }

    fn wait(&mut self, w: usize, pause: Pause) {
        let worker = &mut self.crew.workers[w];
        worker.at_ns = self.stage.later(worker.at_ns, pause);
    }

    /// Returns the milliseconds since a time by the worker's clock.
    fn ms_since(&self, w: usize, since_ns: i64) -> i64 {
        ms_between(since_ns, self.crew.workers[w].at_ns)
    }

    /// Says one event after a pause. What the worker holds is named; `fill` adds what belongs to the type.
    fn say(
        &mut self,
        w: usize,
        pause: Pause,
        event_type: &'static str,
        fill: impl FnOnce(&mut Object<'_>, &mut Dice),
    ) {
        self.wait(w, pause);
        let worker = &mut self.crew.workers[w];
        let mut line = String::with_capacity(448);
        let mut object = Object::begin(&mut line);
        if worker.wording == Wording::Document {
            pen::plain(&mut object, "schema_version", 1);
        }
        object.text("timestamp", &format_rfc3339(worker.at_ns));
        object.text("event_type", event_type);
        object.text("worker_id", worker.name);
        object.text("session_id", &worker.session);
        pen::plain(&mut object, "sequence", worker.sequence);
        if let Some(bead) = &worker.bead {
            object.text("bead_id", &bead.id);
        }
        pen::nest(&mut object, "data", |data| {
            if let Some(bead) = &worker.bead {
                data.text("bead_id", &bead.id);
            }
            fill(data, &mut self.stage.dice);
        });
        if worker.wording == Wording::Later {
            object.text("workspace", REPOSITORY);
            object.text("trace_id", &worker.trace);
            object.text("span_id", &self.stage.dice.hex(16));
        }
        object.end();
        worker.sequence += 1;
        self.stage.put(worker.at_ns, Dialect::Needle, "file:needle", line);
        // No two events of a worker happen at the same time.
        worker.at_ns = worker.at_ns.saturating_add(MILLI_NS);
    }

    /// Returns a bead that waits from when a worker knows of it.
    fn new_bead(&mut self, w: usize) -> Bead {
        let id = format!("bd-{}", self.stage.dice.hex(8));
        Bead { id, task: self.stage.task(), since_ns: self.crew.workers[w].at_ns }
    }
}
