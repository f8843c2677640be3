//! What a snapshot is found by, and everything that makes one count for nothing.

use std::fs;

use proptest::prelude::*;

use super::{FOLDER, SPACING, SaveError, Snapshots, clear, file};
use crate::prune::{self, Reach};
use crate::testing::{DAY_ONE_US, DAY_US, Scene, event, options};
use crate::{Position, Store};

const EVERY: u64 = SPACING.every;

fn at(number: u64) -> Position {
    Position::new(number).expect("not 0")
}

fn scene() -> Scene {
    Scene::of_days(&[vec![event(1), event(2)], vec![event(3)]])
}

fn open(store: &Store) -> Snapshots {
    Snapshots::open(store, "fleet=1", SPACING).expect("it can be read")
}

fn nearest(snapshots: &Snapshots, upto: u64) -> Option<(u64, String)> {
    let (position, content) = snapshots.nearest(at(upto))?;
    Some((position.get(), String::from_utf8(content).expect("text")))
}

#[test]
fn the_newest_that_is_not_later_is_found() {
    let scene = scene();
    let snapshots = open(&scene.store);
    for n in 1..=3 {
        let saved = snapshots.save(at(n * EVERY), |out| write!(out, "state {n}"));
        saved.expect("it can be saved");
    }
    assert_eq!(nearest(&snapshots, EVERY - 1), None);
    assert_eq!(nearest(&snapshots, EVERY), Some((EVERY, "state 1".to_owned())));
    assert_eq!(
        nearest(&open(&scene.store), 3 * EVERY - 1),
        Some((2 * EVERY, "state 2".to_owned()))
    );
    assert_eq!(nearest(&snapshots, u64::MAX), Some((3 * EVERY, "state 3".to_owned())));
}

#[test]
fn one_of_another_version_or_store_counts_for_nothing() {
    let (scene, other) = (scene(), scene());
    open(&scene.store).save(at(EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    let newer = Snapshots::open(&scene.store, "fleet=2", SPACING).expect("it can be read");
    assert_eq!(nearest(&newer, EVERY), None);
    let folder = other.store.root().join(FOLDER);
    fs::create_dir(&folder).expect("it can be made");
    for entry in fs::read_dir(scene.store.root().join(FOLDER)).expect("it is there") {
        let entry = entry.expect("it can be listed");
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("it can be copied");
    }
    assert_eq!(nearest(&open(&other.store), EVERY), None);
    // The next that is left takes them away.
    newer.save(at(2 * EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    assert_eq!(newer.list(), [at(2 * EVERY)]);
}

#[test]
fn pruning_makes_them_worthless() {
    let scene = scene();
    let before = open(&scene.store);
    before.save(at(EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    let reach = Reach::BeforeTime(DAY_ONE_US + DAY_US);
    let ask = prune::Ask { reach, mode: prune::Mode::Delete, holds: &[] };
    prune::run(&scene.store, &ask, &options(), &mut |_| {}).expect("it can be pruned");
    assert!(!before.is_current(&scene.store).expect("it can be read"));
    assert_eq!(nearest(&open(&scene.store), EVERY), None);
}

#[test]
fn what_was_read_before_a_redaction_is_not_left_after_it() {
    let scene = scene();
    let before = open(&scene.store);
    before.save(at(EVERY), |out| out.write_all(b"a secret")).expect("it can be saved");
    assert!(before.is_current(&scene.store).expect("it can be read"));
    clear(&scene.store).expect("it can be cleared");
    assert!(!before.is_current(&scene.store).expect("it can be read"));
    assert_eq!(before.list(), []);
    let late = before.save(at(2 * EVERY), |out| out.write_all(b"a secret"));
    assert!(matches!(late, Err(SaveError::Redacted)), "{late:?}");
    let after = open(&scene.store);
    after.save(at(2 * EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    assert_eq!(nearest(&after, u64::MAX), Some((2 * EVERY, "state".to_owned())));
}

#[test]
fn nor_where_there_was_none_before() {
    let scene = scene();
    let before = open(&scene.store);
    clear(&scene.store).expect("it can be cleared");
    let late = before.save(at(EVERY), |out| out.write_all(b"a secret"));
    assert!(matches!(late, Err(SaveError::Redacted)), "{late:?}");
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let scene = scene();
    let snapshots = open(&scene.store);
    snapshots.save(at(EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    let path = snapshots.path(at(EVERY));
    let whole = fs::read(&path).expect("it is there");
    let expected = snapshots.expected_at(at(EVERY));
    assert_eq!(file::read(&whole, &expected).as_deref(), Some(&b"state"[..]));
    for bit in 0..8 * whole.len() {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(file::read(&damaged, &expected), None, "bit {bit}");
    }
    for len in 0..whole.len() {
        assert_eq!(file::read(&whole[..len], &expected), None, "{len} bytes");
    }
    fs::write(&path, &whole[..whole.len() - 1]).expect("it can be written");
    assert_eq!(nearest(&snapshots, EVERY), None);
}

#[test]
fn a_damaged_one_does_not_hide_an_older_one() {
    let scene = scene();
    let snapshots = open(&scene.store);
    snapshots.save(at(EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    fs::write(snapshots.path(at(2 * EVERY)), b"{\n").expect("it can be written");
    fs::write(scene.store.root().join(FOLDER).join("notes.txt"), b"x").expect("it can be written");
    assert_eq!(nearest(&snapshots, u64::MAX), Some((EVERY, "state".to_owned())));
}

#[test]
fn old_ones_are_kept_far_apart() {
    let newest = at(5_000_000);
    let kept: Vec<u64> = (1..=100)
        .map(|n| n * EVERY)
        .filter(|number| SPACING.is_kept(at(*number), newest))
        .collect();
    let dense = newest.get() - SPACING.dense_records;
    let expected: Vec<u64> = (1..=100)
        .map(|n| n * EVERY)
        .filter(|n| *n >= dense || n % SPACING.every_old == 0)
        .collect();
    assert_eq!(kept, expected);
    assert_eq!(kept.len(), 46);

    let scene = scene();
    let snapshots = open(&scene.store);
    for n in [1, 10, 11, 60] {
        snapshots.save(at(n * EVERY), |out| out.write_all(b"state")).expect("it can be saved");
    }
    assert_eq!(snapshots.list(), [10, 60].map(|n| at(n * EVERY)));
}

#[test]
fn a_store_that_takes_none_says_so_and_is_read_all_the_same() {
    let scene = scene();
    fs::write(scene.store.root().join(FOLDER), b"in the way").expect("it can be written");
    let snapshots = open(&scene.store);
    assert!(matches!(
        snapshots.save(at(EVERY), |out| out.write_all(b"state")),
        Err(SaveError::Io { .. })
    ));
    assert_eq!(nearest(&snapshots, EVERY), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, line in "\\{[\"a-z:0-9,_{}]*\\}\n") {
        let version = "fleet=1".to_owned();
        let (store, first, era) = (String::new(), Position::FIRST, String::new());
        let header = file::Header { store, first, version, era, position: Position::FIRST };
        prop_assert_eq!(file::read(&bytes, &header), None);
        prop_assert_eq!(file::read(&[line.as_bytes(), &bytes].concat(), &header), None);
    }
}
