//! The closed segments of a log: what their opening seals and their neighbours tell of them.

use std::fs;
use std::ops::RangeInclusive;

use weft_event::time::parse_rfc3339;

use super::{Ask, Mode, Reach, path_of};
use crate::disk::{Access, Disk as _, RealDisk};
use crate::reader::ReadError;
use crate::recover::{self, OPENING_BYTES};
use crate::scan::{Bytes, Link, Scan};
use crate::seal::Seal;
use crate::segment::{Form, SegmentName};
use crate::{Hash, Head, Position, Store};

const DAY_US: i64 = 86_400_000_000;

/// A closed segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its name.
    pub name: SegmentName,
    /// The form it has now.
    pub form: Form,
    /// Its number in the store.
    pub number: u64,
    /// The position of its first record.
    pub first: Position,
    /// The position after its last record.
    pub next: Position,
    /// No record of it was received at or after this time, in microseconds since 1970.
    pub until_us: i64,
    /// Bytes of its file.
    pub bytes: u64,
    /// The hash of its last seal.
    pub hash: Hash,
}

impl Segment {
    /// Returns its positions; none if it has no records.
    pub fn range(&self) -> RangeInclusive<Position> {
        range(self.first, self.next)
    }
}

/// Positions that are missing before a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) range: (Position, Position),
    /// The one behind it.
    pub(super) segment: SegmentName,
    /// Whether it is the first that is there.
    pub(super) is_first: bool,
}

/// The segments of a log, as far as pruning asks.
pub(super) struct Listed {
    /// Those that are closed.
    pub(super) closed: Vec<Segment>,
    /// Those of which it cannot be told what they are.
    pub(super) damaged: Vec<SegmentName>,
    /// What is missing between all of them, and before the first.
    pub(super) gaps: Vec<Gap>,
}

/// Returns the positions from one up to another, which is not of them.
pub(super) fn range(first: Position, next: Position) -> RangeInclusive<Position> {
    match Position::new(next.get() - 1) {
        Some(last) => first..=last,
        // Nothing stands before the first position of all.
        None => first.plus(1)..=first,
    }
}

/// Returns what segments there are.
pub(super) fn list(store: &Store, head: &Head) -> Result<Listed, ReadError> {
    let mut listed = recover::list_segments(&RealDisk, &store.log())?;
    listed.retain(|(name, _)| *name <= head.segment);
    let openings = listed
        .iter()
        .map(|(name, form)| opening(store, *name, *form))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut closed, mut damaged, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
    // Where the segment before ends, if that can be told.
    let mut upto = Some(Position::FIRST);
    for (idx, (name, form)) in listed.iter().copied().enumerate() {
        let before = upto.take();
        let opened = openings[idx].as_ref();
        if let (Some(first), Some(seal)) = (before, opened)
            && first < seal.first
        {
            let range = (first, *range(first, seal.first).end());
            gaps.push(Gap { range, segment: name, is_first: idx == 0 });
        }
        if name == head.segment {
            break;
        }
        let Some(seal) = opened else {
            damaged.push(name);
            continue;
        };
        let number = number_of(seal);
        let following = openings.get(idx + 1).and_then(Option::as_ref);
        let adjacent = following.filter(|seal| number_of(seal) == number + 1);
        let (next, hash) = match adjacent {
            Some(following) => (following.first, following.prev),
            None => match end(store, name, form, seal)? {
                Link { next, hash: Some(hash) } => (next, hash),
                Link { hash: None, .. } => {
                    damaged.push(name);
                    continue;
                }
            },
        };
        let day_end_us = parse_rfc3339(&format!("{}T00:00:00Z", name.day()))
            .map_or(i64::MAX, |start_ns| start_ns / 1000 + DAY_US);
        let until_us = adjacent.map_or(i64::MAX, |seal| seal.at_us).min(day_end_us);
        let path = path_of(store, name, form);
        let bytes = fs::metadata(&path).map_err(|source| ReadError::Io { path, source })?.len();
        let first = seal.first;
        closed.push(Segment { name, form, number, first, next, until_us, bytes, hash });
        upto = Some(next);
    }
    Ok(Listed { closed, damaged, gaps })
}

/// Returns the segments that pruning reaches.
pub(super) fn reached(closed: Vec<Segment>, ask: &Ask<'_>, live_bytes: u64) -> Vec<Segment> {
    let in_mode = |segment: &Segment| ask.mode == Mode::Delete || segment.form == Form::Plain;
    let mut left: Vec<Segment> = closed.into_iter().filter(in_mode).collect();
    match ask.reach {
        Reach::BeforeTime(at_us) => left.retain(|segment| segment.until_us <= at_us),
        Reach::BeforePosition(position) => left.retain(|segment| segment.next <= position),
        Reach::KeepBytes(bytes_max) => {
            let mut bytes = live_bytes;
            let n_kept = left
                .iter()
                .rev()
                .take_while(|segment| {
                    bytes = bytes.saturating_add(segment.bytes);
                    bytes <= bytes_max
                })
                .count();
            left.truncate(left.len() - n_kept);
        }
    }
    left
}

/// Opens a segment to be read by the offsets that it has or had as lines.
fn bytes_of(
    store: &Store,
    name: SegmentName,
    form: Form,
) -> Result<Box<dyn Bytes + Send>, ReadError> {
    let path = path_of(store, name, form);
    let opened = match form {
        Form::Plain => {
            RealDisk.open(&path, Access::Read).map(|file| Box::new(file) as Box<dyn Bytes + Send>)
        }
        Form::Archive => RealDisk.open_archive(&path),
    };
    opened.map_err(|source| ReadError::Io { path, source })
}

/// Reads the seal that opens a segment; `None` if it is damaged.
fn opening(store: &Store, name: SegmentName, form: Form) -> Result<Option<Seal>, ReadError> {
    let path = path_of(store, name, form);
    let mut buffer = [0; OPENING_BYTES];
    let n = bytes_of(store, name, form)?
        .read_at(&mut buffer, 0)
        .map_err(|source| ReadError::Io { path: path.clone(), source })?;
    Ok(recover::opening_of(&buffer[..n], &path)?.map(|(seal, _, _)| seal))
}

/// Reads a segment to its end; the hash is not known if its last seal is damaged.
fn end(store: &Store, name: SegmentName, form: Form, seal: &Seal) -> Result<Link, ReadError> {
    let path = path_of(store, name, form);
    let source = bytes_of(store, name, form)?;
    let start = Link { next: seal.first, hash: Some(seal.prev) };
    let mut scan = Scan::new(source, 0, u64::MAX, start);
    while scan.read().map_err(|source| ReadError::Io { path: path.clone(), source })?.is_some() {}
    Ok(scan.link())
}

fn number_of(opening: &Seal) -> u64 {
    opening.opening.as_ref().map_or(0, |opening| opening.segment)
}
