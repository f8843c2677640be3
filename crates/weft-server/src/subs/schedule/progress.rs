//! How far a subscription is: up to where everything is settled, and what is settled beyond.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// How far a subscription is. A position that does not match is settled as soon as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Everything up to here was read.
    read: u64,
    /// What was read and is not settled.
    open: BTreeSet<u64>,
    /// What was settled before the log was read from here, by position.
    before: Vec<RangeInclusive<u64>>,
}

impl Progress {
    /// Returns the progress of a subscription that has settled everything up to a position, and these ranges beyond it.
    pub fn new(acknowledged: u64, mut settled: Vec<RangeInclusive<u64>>) -> Self {
        settled.retain(|range| !range.is_empty() && *range.end() > acknowledged);
        settled.sort_by_key(|range| *range.start());
        Self { read: acknowledged, open: BTreeSet::new(), before: settled }
    }

    /// Returns the position up to which everything is settled.
    pub fn acknowledged(&self) -> u64 {
        self.open.first().map_or(self.read, |first| first - 1)
    }

    /// Returns how far the log was read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Returns the ranges that are settled beyond [`Self::acknowledged`], by position, as many as asked for.
    pub fn settled(&self, ranges_max: usize) -> Vec<RangeInclusive<u64>> {
        let ends = self.open.iter().skip(1).copied().chain([self.read + 1]);
        let between = self.open.iter().zip(ends).map(|(first, end)| first + 1..=end - 1);
        let later = self.before.iter().filter(|range| *range.end() > self.read);
        let later = later.map(|range| *range.start().max(&(self.read + 1))..=*range.end());
        between.chain(later).filter(|range| !range.is_empty()).take(ranges_max).collect()
    }

    /// Reads a position that matches; returns whether it is to be delivered.
    pub(super) fn take(&mut self, position: u64) -> bool {
        if position <= self.read {
            return false;
        }
        self.read = position;
        let idx = self.before.partition_point(|range| *range.end() < position);
        let is_new = self.before.get(idx).is_none_or(|range| !range.contains(&position));
        if is_new {
            self.open.insert(position);
        }
        is_new
    }

    pub(super) fn pass(&mut self, upto: u64) {
        self.read = self.read.max(upto);
    }

    pub(super) fn settle(&mut self, position: u64) {
        self.open.remove(&position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(progress: &Progress) -> String {
        format!("{} {:?}", progress.acknowledged(), progress.settled(usize::MAX))
    }

    #[test]
    fn the_acknowledged_position_waits_for_the_first_that_is_open() {
        let mut progress = Progress::new(10, Vec::new());
        assert!([12, 13, 17].into_iter().all(|position| progress.take(position)));
        progress.pass(20);
        assert_eq!(show(&progress), "11 [14..=16, 18..=20]");
        progress.settle(13);
        assert_eq!(show(&progress), "11 [13..=16, 18..=20]");
        assert_eq!(progress.settled(1), [13..=16]);
        progress.settle(12);
        assert_eq!(show(&progress), "16 [18..=20]");
        progress.settle(17);
        assert_eq!(show(&progress), "20 []");
    }

    #[test]
    fn what_was_settled_is_left_out_when_the_log_is_read_again() {
        let mut progress = Progress::new(11, vec![18..=20, 13..=16, 3..=4]);
        assert_eq!(show(&progress), "11 [13..=16, 18..=20]");
        let taken: Vec<_> = (1..=21).filter(|position| progress.take(*position)).collect();
        assert_eq!(taken, [12, 17, 21]);
        assert_eq!(show(&progress), "11 [13..=16, 18..=20]");
    }
}
