//! Several damages at once: whatever they are, nothing wrong is vouched for, and what they leave alone stays.

use std::path::PathBuf;

use proptest::prelude::*;
use weft_log::reader::ReadError;
use weft_log::writer::Writer;

use crate::judge::{LATER_US, Seen, read};
use crate::memory::{Files, MemoryDisk};
use crate::sample::{ROOT, Sample, entry, head_path, sample};

const CASES: u32 = 4_000;
const CASES_LONG: u32 = 400_000;

#[derive(Clone, Debug)]
enum Harm {
    Flip { bit: u8 },
    Remove { len: usize },
    Overwrite { with: Vec<u8> },
    Insert { with: Vec<u8> },
    Cut,
    Delete,
}

/// A byte of a damaged segment, and where it stood if it is as it was.
type Traced = (u8, Option<usize>);

fn harm() -> impl Strategy<Value = Harm> {
    let noise = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..40),
        prop::collection::vec(prop::sample::select(&b"\n{}\"\0 :,"[..]), 1..40),
    ];
    prop_oneof![
        8 => (0..8_u8).prop_map(|bit| Harm::Flip { bit }),
        4 => (1..300_usize).prop_map(|len| Harm::Remove { len }),
        4 => noise.clone().prop_map(|with| Harm::Overwrite { with }),
        2 => noise.prop_map(|with| Harm::Insert { with }),
        1 => Just(Harm::Cut),
        1 => Just(Harm::Delete),
    ]
}

impl Harm {
    fn apply(&self, bytes: &mut Vec<Traced>, at: prop::sample::Index) {
        let at = at.index(bytes.len() + 1);
        let changed = |with: &[u8]| with.iter().map(|byte| (*byte, None)).collect::<Vec<Traced>>();
        match self {
            Harm::Flip { bit } => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = (byte.0 ^ 1 << bit, None);
                }
            }
            Harm::Remove { len } => {
                bytes.drain(at..bytes.len().min(at + len));
            }
            Harm::Overwrite { with } => {
                let end = bytes.len().min(at + with.len());
                bytes.splice(at..end, changed(&with[..end - at]));
            }
            Harm::Insert { with } => {
                bytes.splice(at..at, changed(with));
            }
            Harm::Cut => bytes.truncate(at),
            Harm::Delete => bytes.clear(),
        }
    }
}

/// Returns whether bytes of a segment still stand together as they were.
fn is_untouched(bytes: &[Traced], from: std::ops::Range<usize>) -> bool {
    let Some(start) = bytes.iter().position(|(_, origin)| *origin == Some(from.start)) else {
        return false;
    };
    let origins = bytes[start..].iter().map(|(_, origin)| *origin);
    origins.take(from.len()).eq(from.map(Some))
}

/// Returns the positions of the groups that stand, with the seal before them and their own, as they were.
fn untouched(sample: &Sample, traced: &[Vec<Traced>]) -> Vec<u64> {
    let mut positions = Vec::new();
    for (segment, bytes) in sample.segments.iter().zip(traced) {
        let mut before = segment.opening.clone();
        for group in &segment.groups {
            if is_untouched(bytes, before.start..group.seal.end) {
                positions.extend(group.positions());
            }
            before = group.seal.clone();
        }
    }
    positions
}

/// Holds what a reader gives to the two promises: what is vouched for is right, and what was left alone is there.
fn check(sample: &Sample, seen: &Seen, kept: impl Iterator<Item = u64>) {
    for (position, record) in &seen.records {
        let Some(mark) = &record.mark else { continue };
        let (entry, at_us) = &sample.entries[usize::try_from(*position).expect("small") - 1];
        let at_us = mark.carried.map_or(*at_us, |carried| carried.at_us);
        assert_eq!((&record.line[..], mark), (&entry.line[..], &entry.mark), "position {position}");
        assert_eq!(record.at_us, Some(at_us));
    }
    for position in kept {
        let record = seen.records.get(&position);
        assert!(record.is_some_and(|record| record.mark.is_some()), "{position} is not there");
    }
}

fn run(sample: &Sample, harms: &[(usize, prop::sample::Index, Harm)], head: usize) {
    let traced = |idx: usize| sample.bytes(idx).iter().copied().zip((0..).map(Some)).collect();
    let mut segments: Vec<Vec<Traced>> = (0..sample.segments.len()).map(traced).collect();
    let mut deleted: Vec<PathBuf> = Vec::new();
    for (segment_idx, at, harm) in harms {
        harm.apply(&mut segments[*segment_idx], *at);
        if matches!(harm, Harm::Delete) {
            deleted.push(sample.segments[*segment_idx].path.clone());
        }
    }
    let mut files: Files = sample.files.clone();
    for (segment, bytes) in sample.segments.iter().zip(&segments) {
        files.insert(segment.path.clone(), bytes.iter().map(|(byte, _)| *byte).collect());
    }
    files.retain(|path, _| !deleted.contains(path));
    let known = sample.heads.get(head);
    match known {
        Some((bytes, _)) => files.insert(head_path(), bytes.clone()),
        None => files.remove(&head_path()),
    };

    let kept = untouched(sample, &segments);
    let disk = MemoryDisk::of(&files);
    match (known, read(&disk, 1, &files)) {
        (Some((_, next)), Ok(seen)) => {
            // Bytes put in push what is durable beyond the end that `head` names, until a recovery looks for it.
            let is_pushed = harms.iter().any(|(_, _, harm)| matches!(harm, Harm::Insert { .. }));
            let is_kept = |position: &u64| position < next && !is_pushed;
            check(sample, &seen, kept.iter().copied().filter(is_kept));
        }
        (None, Err(ReadError::Head { .. })) => {}
        (_, seen) => panic!("{seen:?}"),
    }
    let open = || Writer::open(disk.clone(), ROOT.into(), LATER_US).expect("it can be recovered");
    let (writer, _) = open();
    drop(writer);
    let recovered = disk.files();
    let seen = read(&disk, 1, &recovered).expect("it is recovered");
    check(sample, &seen, kept.iter().copied());
    let (mut writer, findings) = open();
    assert_eq!(findings, []);
    assert_eq!(disk.files(), recovered, "a second recovery changes something");
    let position = writer.append(&[entry(100)], LATER_US).expect("the disk is in memory").get();
    let mut grown = read(&disk, 1, &disk.files()).expect("it goes on");
    let last = grown.records.remove(&position).expect("what was just written");
    assert_eq!((&last.line[..], last.mark.is_some()), (&entry(100).line[..], true));
    assert_eq!((grown.records, grown.faults), (seen.records, seen.faults));
}

#[test]
fn many_damages_at_once_never_vouch_for_anything_wrong() {
    let is_long = std::env::var("WEFT_TEST_EFFORT").is_ok_and(|effort| effort == "long");
    let cases = if is_long { CASES_LONG } else { CASES };
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let sample = sample();
    let harms = prop::collection::vec((0..3_usize, any::<prop::sample::Index>(), harm()), 1..7);
    let heads = 0..=sample.heads.len();
    proptest!(config, |(harms in harms, head in heads)| run(&sample, &harms, head));
    println!("{cases} cases");
}
