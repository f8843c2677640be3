//! The numbers of one producer, in whatever order they arrive: which are missing, which came late, which came again.

use std::collections::BTreeMap;

use weft_event::Dialect;
use weft_event::order::{Step, Watch};
use weft_log::Position;

/// Holes that are kept apart for one producer; of older ones only the size is.
const HOLES_MAX: usize = 1000;
/// Steps back that are listed for one producer.
const BACKWARD_MAX: usize = 100;

/// A run that has not come: where it ends, and whether it may have been pruned.
#[derive(Clone, Copy, Debug)]
struct Hole {
    last: u64,
    is_pruned: bool,
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
    /// The lowest and the highest seen.
    seen: Option<(u64, u64)>,
    /// Where one was seen last.
    position: Option<Position>,
    /// The runs that have not come, by their first.
    holes: BTreeMap<u64, Hole>,
    /// The last number that is no longer looked at one by one.
    settled_upto: Option<u64>,
    pub(super) n_missing_unlisted: u64,
    pub(super) n_late: u64,
    pub(super) n_backward: u64,
    pub(super) backward: Vec<Backward>,
}

impl Numbers {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            seen: None,
            position: None,
            holes: BTreeMap::new(),
            settled_upto: None,
            n_missing_unlisted: 0,
            n_late: 0,
            n_backward: 0,
            backward: Vec::new(),
        }
    }

    /// Takes the next number that arrived. What came before `pruned_upto`, if anything was pruned up to there, may have had others.
    pub(super) fn see(&mut self, number: u64, position: Position, pruned_upto: Option<Position>) {
        let last_seen = self.position.replace(position);
        let is_pruned = pruned_upto.is_some_and(|upto| last_seen.is_none_or(|at| at < upto));
        let Some((lowest, highest)) = self.seen else {
            let expected = match Watch::new(self.dialect).step(number) {
                Step::Gap { expected } if !is_pruned => expected,
                Step::Gap { .. } | Step::Next | Step::Again | Step::Backward { .. } => number,
            };
            self.open(expected, number, is_pruned);
            self.seen = Some((expected, number));
            return;
        };
        self.seen = Some((lowest.min(number), highest.max(number)));
        if number > highest {
            self.open(highest + 1, number, is_pruned);
        } else if number < lowest {
            self.open(number + 1, lowest, is_pruned);
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
        let missing = self.holes.iter().filter(|(_, hole)| !hole.is_pruned);
        missing.map(|(first, hole)| (*first, hole.last))
    }

    /// Returns how many are missing.
    pub(super) fn n_missing(&self) -> u64 {
        let listed = self.missing().map(|(first, last)| last - first + 1);
        listed.fold(self.n_missing_unlisted, u64::saturating_add)
    }

    /// Notes that the numbers from `first` up to the one before `upto` have not come.
    fn open(&mut self, first: u64, upto: u64, is_pruned: bool) {
        if first >= upto {
            return;
        }
        self.holes.insert(first, Hole { last: upto - 1, is_pruned });
        if self.holes.len() > HOLES_MAX
            && let Some((first, Hole { last, is_pruned })) = self.holes.pop_first()
        {
            let n = if is_pruned { 0 } else { last - first + 1 };
            self.n_missing_unlisted = self.n_missing_unlisted.saturating_add(n);
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
        let Some((&first, &Hole { last, is_pruned })) =
            hole.filter(|(_, hole)| hole.last >= number)
        else {
            return false;
        };
        self.holes.remove(&first);
        self.open(first, number, is_pruned);
        self.open(number + 1, last + 1, is_pruned);
        true
    }
}

#[cfg(test)]
mod tests;
