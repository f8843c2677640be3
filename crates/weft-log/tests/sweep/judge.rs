//! Reads a damaged log, recovers it and writes on, and holds every step to what the damage may cost.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use weft_log::reader::{ReadError, Reader};
use weft_log::recover::Finding;
use weft_log::scan::Fault;
use weft_log::writer::{Entry, Writer};
use weft_log::{Mark, Position};

use crate::damage::{Cost, Damage};
use crate::memory::{Files, MemoryDisk};
use crate::sample::{DAY_US, NOON_US, ROOT, Sample, entry, head_path};

/// When the damaged log is opened again: after everything in it.
pub(crate) const LATER_US: i64 = NOON_US + 2 * DAY_US + 3_600_000_000;

/// What `head` says when the damage is met.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeadState {
    /// The end of the log.
    Right,
    /// The end of an earlier group, by its index.
    Stale(usize),
    Missing,
}

/// A damaged log, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Case<'s> {
    pub(crate) sample: &'s Sample,
    pub(crate) damage: Damage,
    pub(crate) head: HeadState,
}

impl fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} with {:?} head", self.damage, self.head)
    }
}

/// What a reader gives.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) records: BTreeMap<u64, SeenRecord>,
    pub(crate) faults: Vec<Fault>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct SeenRecord {
    pub(crate) line: Vec<u8>,
    pub(crate) mark: Option<Mark>,
    pub(crate) at_us: Option<i64>,
}

/// Reads a log to its end. Positions only go up, and every line stands where its place says.
pub(crate) fn read(disk: &MemoryDisk, from: u64, files: &Files) -> Result<Seen, ReadError> {
    let from = Position::new(from).expect("not 0");
    let mut reader = Reader::open(disk.clone(), ROOT.into(), from)?;
    let mut seen = Seen::default();
    while let Some(batch) = reader.read()? {
        let path = Path::new(ROOT).join("log").join(format!("{}.jsonl", batch.segment));
        for (record, place) in batch.records() {
            let position = record.meta.position.get();
            let last = seen.records.last_key_value().map_or(0, |(last, _)| *last);
            assert!(position > last, "{position} comes after {last}");
            let start = usize::try_from(place.offset).expect("the file is small");
            assert_eq!(record.line.len(), place.bytes as usize);
            if let Some(bytes) = files.get(&path) {
                assert!(bytes[start..].starts_with(record.line), "{position} is elsewhere");
            }
            let meta = record.meta;
            let line = record.line.to_vec();
            let record = SeenRecord { line, mark: meta.mark, at_us: meta.at_us };
            seen.records.insert(position, record);
        }
        seen.faults.extend(batch.stretch.faults.into_iter().map(|fault| match fault {
            // A segment that is not there costs what one costs in which nothing is left.
            Fault::Gone { first, last, .. } => Fault::Lost { first, last },
            other => other,
        }));
    }
    Ok(seen)
}

/// Runs one case through everything.
pub(crate) fn judge(case: Case<'_>) {
    let Case { sample, damage, head } = case;
    let mut files = damage.apply(sample);
    let cost = damage.cost(sample);
    let known = match head {
        HeadState::Right => Some(sample.next()),
        HeadState::Stale(idx) => {
            let (bytes, next) = &sample.heads[idx];
            files.insert(head_path(), bytes.clone());
            Some(*next)
        }
        HeadState::Missing => {
            files.remove(&head_path());
            None
        }
    };
    let disk = MemoryDisk::of(&files);
    match (known, read(&disk, 1, &files)) {
        (None, Err(ReadError::Head { .. })) => {}
        (None, seen) => panic!("{case:?}: without head the end is not known: {seen:?}"),
        (Some(known), seen) => {
            let seen = seen.unwrap_or_else(|error| panic!("{case:?}: {error}"));
            check(case, &cost, &seen, known, known == sample.next());
        }
    }

    // What is beyond `head` and beyond the last whole group cannot be told from what a crash left.
    let whole = cost.whole_upto.iter().copied().max().unwrap_or(1);
    let next = known.unwrap_or(1).max(whole);
    let (writer, findings) = open(case, &disk);
    assert_eq!(writer.next().get(), next, "{case:?}: {findings:?}");
    drop(writer);
    let recovered = disk.files();
    check_kept(case, &files, &recovered);
    check_findings(case, &cost, &findings, next);
    let seen = read(&disk, 1, &recovered).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    check(case, &cost, &seen, next, true);

    let (mut writer, findings) = open(case, &disk);
    assert_eq!(findings, [], "{case:?}: a second recovery finds more");
    assert_eq!(disk.files(), recovered, "{case:?}: a second recovery changes something");
    let added = [entry(100)];
    let position = writer.append(&added, LATER_US).expect("the disk is in memory");
    assert_eq!(position.get(), next, "{case:?}");
    let mut grown =
        read(&disk, 1, &disk.files()).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    let last = grown.records.remove(&next).unwrap_or_else(|| panic!("{case:?}: nothing at {next}"));
    assert_eq!(last, whole_record(&added[0], LATER_US), "{case:?}");
    assert_eq!((grown.records, grown.faults), (seen.records, seen.faults), "{case:?}");
}

/// Opens a whole log with a damaged `head`, reads all of it and leaves a whole `head`.
pub(crate) fn judge_head(sample: &Sample, files: &Files) {
    let disk = MemoryDisk::of(files);
    let is_whole = |seen: &Seen| {
        let whole = sample.entries.iter().map(|(entry, at_us)| whole_record(entry, *at_us));
        seen.faults.is_empty() && seen.records.values().eq(whole.collect::<Vec<_>>().iter())
    };
    match read(&disk, 1, files) {
        Err(ReadError::Head { .. }) => {}
        seen => assert!(seen.is_ok_and(|seen| is_whole(&seen))),
    }
    for _ in 0..2 {
        let opened = Writer::open(disk.clone(), ROOT.into(), LATER_US);
        let (writer, _) = opened.expect("the log is whole");
        assert_eq!(writer.next().get(), sample.next());
    }
    let seen = read(&disk, 1, files).expect("the head is made again");
    assert!(is_whole(&seen), "{seen:?}");
    let recovered = disk.files();
    let is_same = |(path, bytes): (_, &Vec<u8>)| path == &head_path() || recovered[path] == *bytes;
    assert!(files.iter().all(is_same), "a whole segment was changed");
}

fn open(case: Case<'_>, disk: &MemoryDisk) -> (Writer<MemoryDisk>, Vec<Finding>) {
    Writer::open(disk.clone(), ROOT.into(), LATER_US)
        .unwrap_or_else(|error| panic!("{case:?}: {error}"))
}

fn whole_record(entry: &Entry, at_us: i64) -> SeenRecord {
    let at_us = entry.mark.carried.map_or(at_us, |carried| carried.at_us);
    SeenRecord { line: entry.line.to_vec(), mark: Some(entry.mark.clone()), at_us: Some(at_us) }
}

/// Holds what a reader gives to the cost, up to but without `next`.
fn check(case: Case<'_>, cost: &Cost, seen: &Seen, next: u64, is_end: bool) {
    let is_swap = matches!(case.damage, Damage::Swap { .. });
    for (position, (entry, at_us)) in (1..).zip(&case.sample.entries) {
        let mut expected = whole_record(entry, *at_us);
        if cost.unmarked.contains(&position) {
            (expected.mark, expected.at_us) = (None, None);
        }
        let expected = Some(expected).filter(|_| !cost.lost.contains(&position));
        let given = seen.records.get(&position);
        if !is_end && given.is_some_and(|given| given.mark.is_none()) && is_swap {
            // An old `head` can end inside a group that has moved: what nothing vouches for may then be another record.
            continue;
        }
        if position < next || (!is_end && given.is_some()) {
            assert_eq!(given, expected.as_ref(), "{case:?}: position {position}");
        } else {
            assert_eq!(given, None, "{case:?}: position {position} is beyond {next}");
        }
    }
    if next == case.sample.next() {
        assert_eq!(seen.faults, cost.faults, "{case:?}");
    } else if is_end || !is_swap {
        let told = |faults: &[Fault]| -> Vec<(bool, u64, u64)> {
            let run = |fault: &Fault| match fault {
                Fault::Lost { first, last } => Some((true, first.get(), last.get())),
                Fault::Unsealed { first, last } => Some((false, first.get(), last.get())),
                Fault::Gone { .. }
                | Fault::Unlinked { .. }
                | Fault::LineEnd
                | Fault::Stray { .. }
                | Fault::Unknown => None,
            };
            let runs = faults.iter().filter_map(run).filter(|(_, first, _)| *first < next);
            runs.map(|(is_lost, first, last)| (is_lost, first, last.min(next - 1))).collect()
        };
        assert_eq!(told(&seen.faults), told(&cost.faults), "{case:?}");
    }
}

/// Nothing is ever thrown away: a segment stays as it is, or what it lost stands in `aside`.
fn check_kept(case: Case<'_>, before: &Files, after: &Files) {
    let aside: Vec<_> = after.iter().filter(|(path, _)| path.starts_with("store/aside")).collect();
    for segment in &case.sample.segments {
        let Some(was) = before.get(&segment.path) else { continue };
        let is = after.get(&segment.path).map_or(&[][..], |is| is);
        assert!(was.starts_with(is), "{case:?}: {} was changed", segment.path.display());
        let gone = &was[is.len()..];
        let name = segment.path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let is_aside = aside.iter().any(|(path, bytes)| {
            let path = path.file_name().and_then(|path| path.to_str()).expect("a name");
            path.starts_with(name) && **bytes == gone
        });
        assert!(gone.is_empty() || is_aside, "{case:?}: {} bytes are gone", gone.len());
    }
}

/// What recovery walked over, it tells of.
fn check_findings(case: Case<'_>, cost: &Cost, findings: &[Finding], next: u64) {
    let sample = case.sample;
    let last_idx = sample.segments.len() - 1;
    let last_seal = sample.segments[last_idx].groups.last().map(|group| group.seal.clone());
    let is_last = case.damage.segment_idx() == last_idx;
    let is_end_touched = is_last
        && match case.damage {
            Damage::Flip { at, .. } => last_seal.is_some_and(|seal| seal.contains(&at)),
            Damage::Swap { group_idx, .. } => {
                group_idx + 2 == sample.segments[last_idx].groups.len()
            }
            Damage::Remove { .. }
            | Damage::Cut { .. }
            | Damage::RemoveLine { .. }
            | Damage::Delete { .. } => true,
        };
    let walked_from = match case.head {
        HeadState::Right => {
            let is_missing =
                findings.iter().any(|finding| matches!(finding, Finding::Missing { .. }));
            assert_eq!(is_missing, is_end_touched, "{case:?}: {findings:?}");
            return;
        }
        HeadState::Stale(idx) => sample.heads[idx].1,
        HeadState::Missing => {
            cost.whole_upto.iter().copied().max().unwrap_or(1).min(sample.segments[last_idx].first)
        }
    };
    let is_told = |position: u64| {
        findings.iter().any(|finding| match finding {
            Finding::Damaged {
                fault: Fault::Lost { first, last } | Fault::Unsealed { first, last },
                ..
            } => (first.get()..=last.get()).contains(&position),
            Finding::Missing { .. } => true,
            Finding::Damaged { .. }
            | Finding::Revived { .. }
            | Finding::Torn { .. }
            | Finding::ClockBehind { .. } => false,
        })
    };
    for position in cost.lost.iter().chain(&cost.unmarked).copied() {
        let is_walked = (walked_from..next).contains(&position);
        assert!(!is_walked || is_told(position), "{case:?}: {position} is not in {findings:?}");
    }
}
