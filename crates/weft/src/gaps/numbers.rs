//! The numbers of one producer, in whatever order they arrive: which are missing, which came late, which came again.

use std::collections::BTreeMap;

use weft_event::Dialect;
use weft_event::order::{Step, Watch};
use weft_log::Position;

/// Holes that are kept apart for one producer; of older ones only the size is.
const HOLES_MAX: usize = 1000;
/// Steps back that are listed for one producer.
const BACKWARD_MAX: usize = 100;

/// Whether the log has what came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// It does.
    Known,
    /// What came first was pruned.
    Pruned,
}

/// A number that had been there, or was lower than it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backward {
    pub(super) number: u64,
    pub(super) after: u64,
    pub(super) position: Position,
}

/// What is known of a producer's numbers.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    dialect: Dialect,
    start: Start,
    /// The lowest and the highest seen.
    seen: Option<(u64, u64)>,
    /// First and last of each run that has not come.
    holes: BTreeMap<u64, u64>,
    /// The last number that is no longer looked at one by one.
    settled_upto: Option<u64>,
    pub(super) n_missing_unlisted: u64,
    pub(super) n_late: u64,
    pub(super) n_backward: u64,
    pub(super) backward: Vec<Backward>,
}

impl Numbers {
    pub(super) fn new(dialect: Dialect, start: Start) -> Self {
        Self {
            dialect,
            start,
            seen: None,
            holes: BTreeMap::new(),
            settled_upto: None,
            n_missing_unlisted: 0,
            n_late: 0,
            n_backward: 0,
            backward: Vec::new(),
        }
    }

    /// Takes the next number that arrived.
    pub(super) fn see(&mut self, number: u64, position: Position) {
        let Some((lowest, highest)) = self.seen else {
            let expected = match Watch::new(self.dialect).step(number) {
                Step::Gap { expected } if self.start == Start::Known => expected,
                Step::Gap { .. } | Step::Next | Step::Again | Step::Backward { .. } => number,
            };
            self.open(expected, number);
            self.seen = Some((expected, number));
            return;
        };
        self.seen = Some((lowest.min(number), highest.max(number)));
        if number > highest {
            self.open(highest + 1, number);
        } else if number < lowest {
            self.open(number + 1, lowest);
            self.n_late += 1;
        } else if self.fill(number) {
            self.n_late += 1;
        } else {
            self.n_backward += 1;
            if self.backward.len() < BACKWARD_MAX {
                self.backward.push(Backward { number, after: highest, position });
            }
        }
    }

    /// Returns the runs that are missing and still kept apart.
    pub(super) fn missing(&self) -> impl Iterator<Item = (u64, u64)> {
        self.holes.iter().map(|(first, last)| (*first, *last))
    }

    /// Returns how many are missing.
    pub(super) fn n_missing(&self) -> u64 {
        let listed = self.missing().map(|(first, last)| last - first + 1);
        listed.fold(self.n_missing_unlisted, u64::saturating_add)
    }

    /// Notes that the numbers from `first` up to the one before `upto` have not come.
    fn open(&mut self, first: u64, upto: u64) {
        if first >= upto {
            return;
        }
        self.holes.insert(first, upto - 1);
        if self.holes.len() > HOLES_MAX
            && let Some((first, last)) = self.holes.pop_first()
        {
            self.n_missing_unlisted = self.n_missing_unlisted.saturating_add(last - first + 1);
            self.settled_upto = Some(last);
        }
    }

    /// Takes a number out of the hole it stands in; returns whether there is one.
    fn fill(&mut self, number: u64) -> bool {
        if self.settled_upto.is_some_and(|upto| number <= upto) && self.n_missing_unlisted > 0 {
            self.n_missing_unlisted -= 1;
            return true;
        }
        let hole = self.holes.range(..=number).next_back();
        let Some((&first, &last)) = hole.filter(|(_, last)| **last >= number) else {
            return false;
        };
        self.holes.remove(&first);
        self.open(first, number);
        self.open(number + 1, last + 1);
        true
    }
}

#[cfg(test)]
mod tests;
