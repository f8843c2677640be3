//! Where actors say their lines: in any order, each at its time; they are taken off in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Moment;
use super::prose::Task;
use crate::Dialect;
use crate::dice::Dice;
use crate::time::{MILLI_NS, SECOND_NS};

/// How long something takes: at least and at most, in milliseconds.
pub(super) type Pause = (u64, u64);

/// No time at all.
pub(super) const NOW: Pause = (0, 0);

/// How long the opening is, in which whoever looks for the first time shall see everything.
const OPENING_NS: i64 = 60 * SECOND_NS;

/// The longest pause of those who hurry in the opening.
const HURRY_PAUSE_NS_MAX: u64 = 3_000_000_000;

/// The home of the team's repository.
pub(super) const REPOSITORY: &str = "/home/ana/harbor";

/// What every cast shares.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) dice: Dice,
    pub(super) start_ns: i64,
    /// Whether whoever plays has something to show in the opening.
    pub(super) hurry: bool,
    pending: BinaryHeap<Reverse<Pending>>,
    n_said: u64,
    n_issues: u64,
}

/// A moment that is not yet known to be the next.
#[derive(Debug)]
struct Pending {
    moment: Moment,
    nth: u64,
}

impl Stage {
    pub(super) fn new(seed: u64, start_ns: i64) -> Self {
        let mut dice = Dice::new(seed);
        let n_issues = dice.between(100, 700);
        Self { dice, start_ns, hurry: false, pending: BinaryHeap::new(), n_said: 0, n_issues }
    }

    /// Takes a line that is said at a time.
    pub(super) fn put(
        &mut self,
        due_ns: i64,
        dialect: Dialect,
        source: &'static str,
        line: String,
    ) {
        self.n_said += 1;
        let moment = Moment { due_ns, line, dialect, source };
        self.pending.push(Reverse(Pending { moment, nth: self.n_said }));
    }

    /// Returns the next moment, if it is not after `until_ns`.
    pub(super) fn take_until(&mut self, until_ns: i64) -> Option<Moment> {
        let Reverse(first) = self.pending.peek()?;
        if first.moment.due_ns > until_ns {
            return None;
        }
        self.pending.pop().map(|Reverse(first)| first.moment)
    }

    /// Returns a time so much later; in the opening, what there is to show does not take long.
    pub(super) fn later(&mut self, at_ns: i64, pause: Pause) -> i64 {
        let ns = self.pause_ns(pause);
        let hurries = self.hurry && self.is_opening(at_ns);
        let ns = if hurries { ns.min(HURRY_PAUSE_NS_MAX) } else { ns };
        at_ns.saturating_add_unsigned(ns)
    }

    /// Returns a time so much later, also for those who hurry.
    pub(super) fn much_later(&mut self, at_ns: i64, pause: Pause) -> i64 {
        at_ns.saturating_add_unsigned(self.pause_ns(pause))
    }

    fn pause_ns(&mut self, (low_ms, high_ms): Pause) -> u64 {
        self.dice.between(low_ms * MILLI_NS as u64, high_ms * MILLI_NS as u64)
    }

    pub(super) fn is_opening(&self, at_ns: i64) -> bool {
        at_ns < self.start_ns.saturating_add(OPENING_NS)
    }

    /// Returns the id of an issue that nobody has seen before.
    pub(super) fn new_issue(&mut self) -> String {
        self.n_issues += 1;
        format!("har-{}", self.n_issues)
    }

    pub(super) fn task(&mut self) -> &'static Task {
        let idx = self.dice.below(super::prose::TASKS.len() as u64) as usize;
        &super::prose::TASKS[idx]
    }
}

/// Returns the milliseconds from one time to a later one.
pub(super) fn ms_between(since_ns: i64, at_ns: i64) -> i64 {
    at_ns.saturating_sub(since_ns) / MILLI_NS
}

impl Pending {
    fn key(&self) -> (i64, u64) {
        (self.moment.due_ns, self.nth)
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Pending {}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
