//! The ways in which a log is damaged, and exactly what each of them hits.
//!
//! A record is hit when a byte of its line is; the line's end is no part of it, and costs nothing. A seal is hit when a byte of its
//! line is: its records stay, and nothing vouches for them. An opening seal has no records. What a cut takes away is hit, and of
//! two groups that change places the earlier one, which then stands behind the later.

use std::collections::BTreeSet;
use std::ops::Range;

use weft_event::json::Tape;
use weft_log::Hash;
use weft_log::scan::Fault;
use weft_log::seal::Seal;

use crate::memory::Files;
use crate::sample::{Group, Part, Sample, Segment, TWINS};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    /// One bit of a byte is the other way round.
    Flip { segment_idx: usize, at: usize, bit: u8 },
    /// One byte is gone, and the rest moves up.
    Remove { segment_idx: usize, at: usize },
    /// The file ends here.
    Cut { segment_idx: usize, len: usize },
    /// One line is gone with its end.
    RemoveLine { segment_idx: usize, line_idx: usize },
    /// A group and the one after it have changed places.
    Swap { segment_idx: usize, group_idx: usize },
    /// The file is gone.
    Delete { segment_idx: usize },
}

/// What damage must cost, and what must be told of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) lost: BTreeSet<u64>,
    /// They are there, and nothing vouches for them.
    pub(crate) unmarked: BTreeSet<u64>,
    /// In the order of the log.
    pub(crate) faults: Vec<Fault>,
    /// The positions after the opening seals and groups that are whole, in the order of the log. What stands after the last of them
    /// is torn, unless `head` says that it was durable.
    pub(crate) whole_upto: Vec<u64>,
}

impl Damage {
    pub(crate) fn segment_idx(self) -> usize {
        match self {
            Damage::Flip { segment_idx, .. }
            | Damage::Remove { segment_idx, .. }
            | Damage::Cut { segment_idx, .. }
            | Damage::RemoveLine { segment_idx, .. }
            | Damage::Swap { segment_idx, .. }
            | Damage::Delete { segment_idx } => segment_idx,
        }
    }

    /// Returns the files of the log after the damage.
    pub(crate) fn apply(self, sample: &Sample) -> Files {
        let mut files = sample.files.clone();
        let segment = &sample.segments[self.segment_idx()];
        let bytes = files.get_mut(&segment.path).expect("the segment is there");
        match self {
            Damage::Flip { at, bit, .. } => bytes[at] ^= 1 << bit,
            Damage::Remove { at, .. } => {
                bytes.remove(at);
            }
            Damage::Cut { len, .. } => bytes.truncate(len),
            Damage::RemoveLine { line_idx, .. } => {
                let (_, line) = segment.parts().nth(line_idx).expect("the line is there");
                bytes.drain(line);
            }
            Damage::Swap { group_idx, .. } => {
                let [one, two] = [0, 1].map(|idx| segment.groups[group_idx + idx].bytes());
                bytes[one.start..two.end].rotate_left(one.len());
            }
            Damage::Delete { .. } => {
                files.remove(&segment.path);
            }
        }
        files
    }

    pub(crate) fn cost(self, sample: &Sample) -> Cost {
        let segment = &sample.segments[self.segment_idx()];
        let mut cost = Cost::default();
        match self {
            Damage::Flip { at, .. } => cost.hit_byte(segment, at, 0),
            Damage::Remove { at, .. } => cost.hit_byte(segment, at, 1),
            Damage::Cut { len, .. } => cost.hit_end(segment, len),
            Damage::RemoveLine { line_idx, .. } => {
                let (part, line) = segment.parts().nth(line_idx).expect("the line is there");
                match part {
                    // Of two equal lines, which one is gone cannot be told.
                    Part::Record(position) if TWINS.contains(&position) => cost.lose([TWINS[1]]),
                    Part::Opening => {
                        let bytes = &sample.bytes(self.segment_idx())[line];
                        cost.faults = vec![Fault::Unlinked { named: seal_hash(bytes) }];
                    }
                    Part::Record(_) | Part::Seal(_) => cost.hit_byte(segment, line.start, 1),
                }
            }
            Damage::Swap { group_idx, .. } => {
                let bytes = sample.bytes(self.segment_idx());
                let before = match group_idx {
                    0 => &segment.opening,
                    _ => &segment.groups[group_idx - 1].seal,
                };
                let one = &segment.groups[group_idx];
                cost.lose(one.positions());
                cost.faults.push(Fault::Unlinked { named: seal_hash(&bytes[one.seal.clone()]) });
                cost.faults.push(Fault::Unlinked { named: seal_hash(&bytes[before.clone()]) });
                cost.faults.push(Fault::Stray { bytes: one.bytes().len() as u64 });
            }
            // A log may begin with any segment: those before it can have been pruned.
            Damage::Delete { segment_idx: 0 } => {
                cost.lost.extend(segment.first..segment.next());
            }
            Damage::Delete { .. } => cost.lose(segment.first..segment.next()),
        }
        cost.whole_upto = self.whole_upto(sample);
        cost
    }

    fn whole_upto(self, sample: &Sample) -> Vec<u64> {
        let mut whole = Vec::new();
        for (idx, segment) in sample.segments.iter().enumerate() {
            let is_whole = |bytes: &Range<usize>| {
                idx != self.segment_idx()
                    || match self {
                        Damage::Flip { at, .. } | Damage::Remove { at, .. } => !bytes.contains(&at),
                        Damage::Cut { len, .. } => bytes.end <= len,
                        Damage::RemoveLine { line_idx, .. } => {
                            let (_, line) = segment.parts().nth(line_idx).expect("it is there");
                            !bytes.contains(&line.start)
                        }
                        Damage::Swap { group_idx, .. } => {
                            *bytes != segment.groups[group_idx].bytes()
                        }
                        Damage::Delete { .. } => false,
                    }
            };
            whole.extend(is_whole(&segment.opening).then_some(segment.first));
            let groups = segment.groups.iter().filter(|group| is_whole(&group.bytes()));
            whole.extend(groups.map(Group::next));
        }
        whole
    }
}

impl Cost {
    /// One byte of a line is hit; the file may be `n_gone` bytes shorter.
    fn hit_byte(&mut self, segment: &Segment, at: usize, n_gone: usize) {
        let (part, line) =
            segment.parts().find(|(_, line)| line.contains(&at)).expect("every byte is a line's");
        match part {
            _ if at + 1 == line.end => self.faults.push(Fault::LineEnd),
            Part::Opening => {
                self.faults.push(Fault::Stray { bytes: (line.len() - n_gone) as u64 });
            }
            Part::Record(position) => self.lose([position]),
            Part::Seal(group) => self.unmark(group.positions()),
        }
    }

    /// The file ends early.
    fn hit_end(&mut self, segment: &Segment, len: usize) {
        let is_line_end =
            segment.parts().any(|(part, line)| !is_record(part) && line.end == len + 1);
        if is_line_end {
            self.faults.push(Fault::LineEnd);
        }
        let hit = segment.groups.iter().filter(|group| group.seal.end - 1 > len);
        let (mut kept, mut lost) = (Vec::new(), Vec::new());
        for group in hit {
            for (position, line) in (group.first..).zip(&group.lines) {
                if line.end - 1 <= len { &mut kept } else { &mut lost }.push(position);
            }
        }
        self.unmark(kept);
        self.lose(lost);
    }

    fn lose(&mut self, positions: impl IntoIterator<Item = u64>) {
        self.lost.extend(positions);
        let run = self.lost.first().zip(self.lost.last());
        self.faults.extend(run.map(|(first, last)| lost(*first, *last)));
    }

    fn unmark(&mut self, positions: impl IntoIterator<Item = u64>) {
        self.unmarked.extend(positions);
        let run = self.unmarked.first().zip(self.unmarked.last());
        self.faults.extend(run.map(|(first, last)| unsealed(*first, *last)));
    }
}

fn is_record(part: Part<'_>) -> bool {
    match part {
        Part::Record(_) => true,
        Part::Opening | Part::Seal(_) => false,
    }
}

pub(crate) fn lost(first: u64, last: u64) -> Fault {
    let [first, last] = [first, last].map(|at| weft_log::Position::new(at).expect("not 0"));
    Fault::Lost { first, last }
}

fn unsealed(first: u64, last: u64) -> Fault {
    let [first, last] = [first, last].map(|at| weft_log::Position::new(at).expect("not 0"));
    Fault::Unsealed { first, last }
}

fn seal_hash(line: &[u8]) -> Hash {
    let (_, hash) = Seal::decode(&line[..line.len() - 1], &mut Tape::new()).expect("a good seal");
    hash
}
