//! Random lives of a subscription: outcomes, pauses and crashes as they fall.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::{any, prop, proptest};
use proptest::strategy::Strategy as _;

use super::super::{Backoff, Failure, Flight, Progress, Rules, Schedule, SessionKey, Verdict};

/// What happens next.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The log is read on, if there is room.
    Read,
    /// Whatever may start does, so many of a session at a time.
    Start { run_max: usize },
    /// One of those under way has an outcome.
    Outcome { which: usize, outcome: Outcome, draw: u64 },
    /// Time passes.
    Wait { ms: u64 },
    /// The progress is written to the log.
    Write,
    /// Everything but the log is lost.
    Crash,
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Done,
    /// The receiver took it, and we did not hear of it.
    DoneUnheard,
    Refused,
    Away,
    Silent,
    Expired,
}

/// The log, the receiver, and what was written.
struct World {
    /// The session of each event; `None` for one that does not match.
    log: Vec<Option<u8>>,
    /// Each event that the receiver was given, in order.
    given: Vec<u64>,
    /// Each event that the receiver took, in order.
    taken: Vec<u64>,
    dead: BTreeSet<u64>,
    written: (u64, Vec<std::ops::RangeInclusive<u64>>),
    ranges_max: usize,
    rules: Rules,
}

struct Life {
    schedule: Schedule<()>,
    under_way: Vec<Flight<()>>,
    settled: BTreeSet<u64>,
    read: u64,
    now: Duration,
}

impl Life {
    fn begin(world: &World) -> Self {
        let (acknowledged, settled) = world.written.clone();
        let progress = Progress::new(acknowledged, settled);
        let schedule = Schedule::new(world.rules.clone(), progress);
        let (under_way, read, now) = (Vec::new(), acknowledged, Duration::ZERO);
        Self { schedule, under_way, settled: BTreeSet::new(), read, now }
    }

    fn read(&mut self, world: &World) {
        while self.schedule.has_room() && (self.read as usize) < world.log.len() {
            self.read += 1;
            match world.log[self.read as usize - 1] {
                Some(session) => {
                    let key = SessionKey::Session { tenant: None, session: session.to_string() };
                    self.schedule.offer(self.read, key, 10, ());
                }
                None => self.schedule.pass(self.read),
            }
        }
        assert!(self.schedule.n_held() <= world.rules.held_max);
    }

    fn start(&mut self, world: &mut World, run_max: usize) {
        loop {
            let run = self.schedule.start(self.now, run_max);
            if run.is_empty() {
                break;
            }
            for flight in &run {
                world.check_turn(flight.position, &run);
            }
            world.given.extend(run.iter().map(|flight| flight.position));
            self.under_way.extend(run);
        }
        assert!(self.schedule.n_busy() <= world.rules.parallel_max);
    }

    fn outcome(&mut self, world: &mut World, which: usize, outcome: Outcome, draw: u64) {
        if self.under_way.is_empty() {
            return;
        }
        let flight = self.under_way.remove(which % self.under_way.len());
        let failure = match outcome {
            Outcome::Done => {
                world.taken.push(flight.position);
                assert!(self.schedule.done(flight.ticket));
                self.settled.insert(flight.position);
                return;
            }
            Outcome::DoneUnheard => {
                world.taken.push(flight.position);
                Failure::Refused { retry_after: None }
            }
            Outcome::Refused => Failure::Refused { retry_after: None },
            Outcome::Away => Failure::Away { retry_after: None },
            Outcome::Silent => Failure::Silent,
            Outcome::Expired => Failure::Expired,
        };
        match self.schedule.failed(flight.ticket, failure, self.now, draw) {
            Verdict::Again | Verdict::Spared => {}
            Verdict::Dead { .. } => {
                world.dead.insert(flight.position);
                assert!(self.schedule.buried(flight.ticket));
                self.settled.insert(flight.position);
            }
        }
    }

    fn write(&self, world: &mut World) {
        let progress = self.schedule.progress();
        world.written = (progress.acknowledged(), progress.settled(world.ranges_max));
    }
}

impl World {
    fn is_settled(&self, position: u64) -> bool {
        self.log[position as usize - 1].is_none()
            || self.taken.contains(&position)
            || self.dead.contains(&position)
    }

    /// An event goes out when all before it in its session are settled, or go out with it.
    fn check_turn(&self, position: u64, run: &[Flight<()>]) {
        let session = self.log[position as usize - 1];
        let before = (1..position).filter(|before| self.log[*before as usize - 1] == session);
        for before in before {
            let is_with_it = run.iter().any(|flight| flight.position == before);
            assert!(is_with_it || self.is_settled(before), "{position} goes before {before}");
        }
    }

    fn check_written(&self) {
        let (acknowledged, ranges) = &self.written;
        let claimed = (1..=*acknowledged).chain(ranges.iter().cloned().flatten());
        for position in claimed {
            assert!(self.is_settled(position), "{position} is acknowledged and not settled");
        }
    }

    /// Every event came, and in each session those that the receiver sees for the first time come in order.
    fn check_end(&self) {
        let mut last = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for position in self.given.iter().filter(|position| seen.insert(**position)) {
            let session = self.log[*position as usize - 1].expect("only what matches is given");
            let before = last.insert(session, *position).unwrap_or(0);
            assert!(before < *position, "{position} came first after {before}");
        }
        for (position, session) in (1..).zip(&self.log) {
            assert_eq!(seen.contains(&position), session.is_some(), "{position}");
            assert!(self.is_settled(position), "{position} was given up");
        }
        assert_eq!(self.written.0, self.log.len() as u64);
    }
}

fn run(world: &mut World, steps: &[Step]) {
    let mut life = Life::begin(world);
    for step in steps {
        match *step {
            Step::Read => life.read(world),
            Step::Start { run_max } => life.start(world, run_max),
            Step::Outcome { which, outcome, draw } => life.outcome(world, which, outcome, draw),
            Step::Wait { ms } => life.now += Duration::from_millis(ms),
            Step::Write => {
                life.write(world);
                world.check_written();
            }
            Step::Crash => life = Life::begin(world),
        }
    }
    // From here on all is well, and it has to come to its end.
    loop {
        life.read(world);
        if life.schedule.n_held() == 0 {
            break;
        }
        life.start(world, 1);
        if life.under_way.is_empty() {
            life.now = life.schedule.next_due().expect("something may go in time");
        }
        life.outcome(world, 0, Outcome::Done, 0);
    }
    life.write(world);
    world.check_written();
    world.check_end();
}

fn step() -> impl proptest::strategy::Strategy<Value = Step> {
    let outcome = prop::sample::select(vec![
        Outcome::Done,
        Outcome::Done,
        Outcome::DoneUnheard,
        Outcome::Refused,
        Outcome::Away,
        Outcome::Silent,
        Outcome::Expired,
    ]);
    let outcome = (any::<usize>(), outcome, any::<u64>())
        .prop_map(|(which, outcome, draw)| Step::Outcome { which, outcome, draw });
    proptest::prop_oneof![
        2 => proptest::strategy::Just(Step::Read),
        4 => (1..4usize).prop_map(|run_max| Step::Start { run_max }),
        8 => outcome,
        2 => (0..4000u64).prop_map(|ms| Step::Wait { ms }),
        2 => proptest::strategy::Just(Step::Write),
        1 => proptest::strategy::Just(Step::Crash),
    ]
}

proptest! {
    #[test]
    fn everything_comes_at_least_once_and_in_order_whatever_happens(
        log in prop::collection::vec(prop::option::weighted(0.8, 0..5u8), 0..60),
        steps in prop::collection::vec(step(), 0..300),
        (parallel_max, attempts_max, held_max, ranges_max) in (1..5usize, 1..4u32, 1..12usize, 0..4usize),
    ) {
        let backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) };
        let rules = Rules { parallel_max, attempts_max, backoff, held_max, held_bytes_max: 100 };
        let (given, taken, dead, written) = Default::default();
        run(&mut World { log, given, taken, dead, written, ranges_max, rules }, &steps);
    }
}
