//! Where the newest records stand: those that the index has not reached yet.

mod pieces;

use std::collections::VecDeque;

use pieces::Pieces;

use crate::Position;
use crate::reader::Place;

/// Places of the newest records, by position. There may be a million of them, so that what they have in common is kept once for
/// each group.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Oldest first, one behind the other. The first record is that of the first group.
    groups: VecDeque<Group>,
    records: Pieces<Record>,
}

/// Records that were written together.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u64,
    segment: u64,
    /// Where its first line begins.
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    /// Where its line ends, counted from the beginning of its group.
    end: u32,
    crc: u32,
}

impl Recent {
    /// Notes a group by where it begins, and by the bytes and checksums of its lines. What was noted before for the same positions
    /// is replaced.
    pub(super) fn set(
        &mut self,
        first: Position,
        (segment, offset): (u64, u64),
        lines: impl Iterator<Item = (usize, u32)>,
    ) {
        let first = first.get();
        if self.next() != Some(first) {
            self.keep_before(first);
        }
        self.groups.push_back(Group { first, segment, offset });
        let mut end = 0_u64;
        for (bytes, crc) in lines {
            let line_end = end + bytes as u64;
            end = line_end + 1;
            let line_end = u32::try_from(line_end).expect("a group has few MiB");
            self.records.push(Record { end: line_end, crc });
        }
    }

    /// Moves the group noted last to where it was written again.
    pub(super) fn move_group(&mut self, first: Position, segment: u64, offset: u64) {
        if let Some(group) = self.groups.back_mut().filter(|group| group.first == first.get()) {
            (group.segment, group.offset) = (segment, offset);
        }
    }

    /// Forgets the groups that have no record beyond a position.
    pub(super) fn forget(&mut self, upto: u64) {
        while let Some(group) = self.groups.front().copied() {
            let next = self.groups.get(1).map(|next| next.first).or(self.next());
            let Some(next) = next.filter(|next| *next <= upto.saturating_add(1)) else { return };
            self.groups.pop_front();
            let n = usize::try_from(next - group.first).expect("it fits in memory");
            self.records.remove_first(n);
        }
    }

    /// Returns where a record stands, and its checksum.
    pub(super) fn get(&self, position: Position) -> Option<(Place, u32)> {
        let position = position.get();
        let idx = usize::try_from(position.checked_sub(self.groups.front()?.first)?).ok()?;
        let Record { end, crc } = self.records.get(idx)?;
        let group_idx = self.groups.partition_point(|group| group.first <= position);
        let Group { first, segment, offset } = self.groups[group_idx - 1];
        let start = if position == first { 0 } else { self.records.get(idx - 1)?.end + 1 };
        Some((Place { segment, offset: offset + u64::from(start), bytes: end - start }, crc))
    }

    /// Returns the position behind the last record.
    fn next(&self) -> Option<u64> {
        Some(self.groups.front()?.first + self.records.len() as u64)
    }

    /// Forgets the records from a position on; all, if it is not among them or right behind them.
    fn keep_before(&mut self, first: u64) {
        let kept = self.groups.front().and_then(|group| first.checked_sub(group.first));
        let kept = kept.and_then(|n| usize::try_from(n).ok());
        match kept.filter(|n| *n <= self.records.len()) {
            Some(n) => {
                self.records.truncate(n);
                while self.groups.pop_back_if(|group| group.first >= first).is_some() {}
            }
            None => {
                self.records.clear();
                self.groups.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Position {
        Position::new(n).unwrap()
    }

    fn lines(bytes: &[usize]) -> impl Iterator<Item = (usize, u32)> {
        bytes.iter().map(|bytes| (*bytes, *bytes as u32 * 10))
    }

    /// Returns what is known of the first twelve positions, as `segment:offset+bytes`.
    fn show(recent: &Recent) -> String {
        let one = |n| match recent.get(at(n)) {
            Some((Place { segment, offset, bytes }, crc)) => {
                assert_eq!(crc, bytes * 10);
                format!("{segment}:{offset}+{bytes}")
            }
            None => "-".to_owned(),
        };
        (1..=12).map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn records_are_found_where_their_group_was_written() {
        let mut recent = Recent::default();
        recent.set(at(3), (1, 100), lines(&[5, 0, 7]));
        recent.set(at(6), (2, 40), lines(&[9, 8]));
        assert_eq!(show(&recent), "- - 1:100+5 1:106+0 1:107+7 2:40+9 2:50+8 - - - - -");
        recent.move_group(at(6), 3, 0);
        assert_eq!(show(&recent), "- - 1:100+5 1:106+0 1:107+7 3:0+9 3:10+8 - - - - -");
        recent.move_group(at(3), 9, 9);
        assert_eq!(show(&recent), "- - 1:100+5 1:106+0 1:107+7 3:0+9 3:10+8 - - - - -");
    }

    #[test]
    fn a_group_is_forgotten_with_its_last_record() {
        let mut recent = Recent::default();
        recent.set(at(1), (1, 0), lines(&[1, 1]));
        recent.set(at(3), (1, 4), lines(&[1]));
        recent.forget(0);
        recent.forget(1);
        assert_eq!(show(&recent), "1:0+1 1:2+1 1:4+1 - - - - - - - - -");
        recent.forget(2);
        assert_eq!(show(&recent), "- - 1:4+1 - - - - - - - - -");
        recent.forget(u64::MAX);
        assert_eq!(show(&recent), "- - - - - - - - - - - -");
        recent.set(at(4), (1, 6), lines(&[2]));
        assert_eq!(show(&recent), "- - - 1:6+2 - - - - - - - -");
    }

    #[test]
    fn a_group_that_is_noted_again_takes_the_place_of_the_first() {
        let mut recent = Recent::default();
        recent.set(at(1), (1, 0), lines(&[1]));
        recent.set(at(2), (1, 2), lines(&[2, 2]));
        recent.set(at(2), (2, 0), lines(&[3]));
        assert_eq!(show(&recent), "1:0+1 2:0+3 - - - - - - - - - -");
        // Records in between are missing: nothing before them is of use.
        recent.set(at(9), (2, 4), lines(&[4]));
        assert_eq!(show(&recent), "- - - - - - - - 2:4+4 - - -");
        recent.set(at(2), (3, 0), lines(&[5]));
        assert_eq!(show(&recent), "- 3:0+5 - - - - - - - - - -");
    }
}
