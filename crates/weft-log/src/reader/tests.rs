//! What a failed write left in one segment is not told as damage where the next segment goes on before it; and what was there at
//! a time.

use std::path::Path;

use weft_event::Dialect;

use super::{Reader, last_received};
use crate::disk::RealDisk;
use crate::seal::{Opening, Seal};
use crate::segment::{Form, SegmentName};
use crate::testing::{DAY_ONE_US, DAY_US, Scene, event};
use crate::{Hash, Head, Mark, Position};

const NOON_US: i64 = 1_794_744_000_000_000; // 2026-11-15T12:00:00Z

fn seal(first: u64, prev: Hash, lines: &[&str]) -> Seal {
    let mark = |line: &&str| Mark {
        dialect: Dialect::Idle,
        via: "test".into(),
        crc: crc32c::crc32c(line.as_bytes()),
        delivery: None,
        topic: None,
        carried: None,
        conflict: None,
    };
    let body: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    Seal {
        first: Position::new(first).unwrap(),
        bytes: body.len() as u64,
        at_us: NOON_US,
        marks: lines.iter().map(mark).collect(),
        opening: None,
        body: Hash::of(body.as_bytes()),
        prev,
    }
}

fn opening(first: u64, prev: Hash, segment: u64) -> Seal {
    let opening = Opening { store: "s".to_owned(), format: 1, segment };
    Seal { opening: Some(opening), ..seal(first, prev, &[]) }
}

/// Writes a store of two segments; the second repeats the second record, of which `left` stands at the end of the first.
fn store(root: &Path, left: impl Fn(&mut Vec<u8>, Hash)) {
    let name = SegmentName::first_of_day(NOON_US);
    let next_name = name.next(NOON_US).unwrap();
    let mut one = Vec::new();
    let hash = opening(1, Hash::ZERO, 1).encode(&mut one);
    one.extend_from_slice(b"{\"a\":1}\n");
    let hash = seal(1, hash, &["{\"a\":1}"]).encode(&mut one);
    left(&mut one, hash);
    let mut two = Vec::new();
    let hash = opening(2, hash, 2).encode(&mut two);
    two.extend_from_slice(b"{\"b\":2}\n");
    let offset = two.len() as u64;
    let hash = seal(2, hash, &["{\"b\":2}"]).encode(&mut two);
    let head = Head {
        store: "s".to_owned(),
        segment: next_name,
        number: 2,
        seal: offset,
        end: two.len() as u64,
        next: Position::new(3).unwrap(),
        at_us: NOON_US,
        hash,
    };
    std::fs::create_dir(root.join("log")).unwrap();
    std::fs::write(root.join("log").join(name.file(Form::Plain)), one).unwrap();
    std::fs::write(root.join("log").join(next_name.file(Form::Plain)), two).unwrap();
    std::fs::write(root.join("head"), head.encode()).unwrap();
}

#[test]
fn a_group_that_the_next_segment_repeats_is_given_once_and_no_damage() {
    let second = |body: &'static [u8], is_sealed: bool| {
        move |bytes: &mut Vec<u8>, hash| {
            bytes.extend_from_slice(body);
            if is_sealed {
                seal(2, hash, &["{\"b\":2}"]).encode(bytes);
            }
        }
    };
    let cases: [(&[u8], bool); 5] = [
        (b"", false),
        (b"{\"b\":", false),
        (b"{\"b\":2}\n", false),
        (b"{\"b\":2}\n", true),
        (b"\0\0\0\0\0\0\0\0", true),
    ];
    for (body, is_sealed) in cases {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path(), second(body, is_sealed));
        let mut reader = Reader::open(RealDisk, folder.path().to_owned(), Position::FIRST).unwrap();
        let mut seen = Vec::new();
        while let Some(batch) = reader.read().unwrap() {
            assert_eq!(batch.stretch.faults, [], "{body:?} {is_sealed}");
            let number = batch.number;
            seen.extend(batch.records().map(|(record, _)| (record.meta.position.get(), number)));
        }
        assert_eq!(seen, [(1, 1), (2, 2)], "{body:?} {is_sealed}");
    }
}

#[test]
fn the_last_record_received_by_a_time_is_found() {
    let scene = Scene::of_days(&[vec![event(1), event(2)], vec![event(3)], vec![event(4)]]);
    let last = |at_us| {
        let last = last_received(RealDisk, scene.store.root(), at_us).unwrap();
        last.map_or(0, Position::get)
    };
    let days = [-1, 0, DAY_US - 1, DAY_US, 2 * DAY_US, 9 * DAY_US];
    assert_eq!(days.map(|since_us| last(DAY_ONE_US + since_us)), [0, 2, 2, 3, 4, 4]);
    assert_eq!((last(i64::MIN), last(i64::MAX)), (0, 4));
}

/// First and last of positions that are not given, and why.
type Run = (u64, u64, &'static str);

/// Which days go, whether something was read before, and where it begins; then what is given and what is told.
type Case<'c> = (&'c [u32], bool, u64, &'c [u64], &'c [Run]);

/// Returns the positions that a reader gives, and what it tells of those that it does not.
fn rest(reader: &mut Reader<RealDisk>) -> (Vec<u64>, Vec<Run>) {
    let (mut seen, mut gaps) = (Vec::new(), Vec::new());
    while let Some(batch) = reader.read().unwrap() {
        seen.extend(batch.records().map(|(record, _)| record.meta.position.get()));
        gaps.extend(batch.gaps().map(|(first, last, why)| (first.get(), last.get(), why)));
    }
    (seen, gaps)
}

#[test]
fn segments_that_are_pruned_while_they_are_read_are_told_as_gone() {
    let days: Vec<_> = (0..5).map(|day| vec![event(2 * day + 1), event(2 * day + 2)]).collect();
    let position = |number| Position::new(number).unwrap();
    let remove = |scene: &Scene, days: &[u32]| {
        for day in days {
            let name = format!("events-2026-01-{day:02}.0000.jsonl");
            std::fs::remove_file(scene.store.log().join(name)).unwrap();
        }
    };
    let open = |scene: &Scene, from| {
        Reader::open(RealDisk, scene.store.root().to_owned(), position(from)).unwrap()
    };
    let cases: [Case<'_>; 5] = [
        (&[1, 2], true, 1, &[2, 5, 6, 7, 8, 9, 10], &[(3, 4, "gone")]),
        (&[1, 2, 3, 4], true, 1, &[2, 9, 10], &[(3, 8, "gone")]),
        (&[1, 2, 3], false, 4, &[7, 8, 9, 10], &[(4, 6, "gone")]),
        (&[1, 2, 3], false, 1, &[7, 8, 9, 10], &[]),
        (&[2], false, 1, &[1, 2, 5, 6, 7, 8, 9, 10], &[(3, 4, "gone")]),
    ];
    for (gone, is_begun, from, given, told) in cases {
        let scene = Scene::of_days(&days);
        let mut reader = open(&scene, from);
        if is_begun {
            reader.read().unwrap();
        }
        remove(&scene, gone);
        assert_eq!(rest(&mut reader), (given.to_vec(), told.to_vec()), "{gone:?} from {from}");
    }
    let scene = Scene::of_days(&days);
    let mut reader = open(&scene, 1);
    let mileage = reader.read().unwrap().unwrap().mileage;
    let reader = open(&scene, 1);
    remove(&scene, &[1, 2]);
    assert!(Reader::resume(RealDisk, scene.store.root().to_owned(), mileage).unwrap().is_none());
    assert_eq!(reader.first_kept().unwrap(), Some(position(5)));
}
