//! The state is the same with snapshots and without, now and in the past, whatever became of the snapshots.

use std::fs;
use std::time::Duration;

use weft_event::event::Expect;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::disk::RealDisk;
use weft_log::lock::Owner;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::reader::Reader;
use weft_log::snapshots::{FOLDER, SPACING, Snapshots, Spacing};
use weft_log::{Network, Position, Store};
use weft_view::Views;

use super::{Fold, FoldError, fold, fold_spaced, version};

const EVERY: u64 = 100;

/// As in a store that is five hundred times as large.
const CLOSE: Spacing = Spacing {
    every: EVERY,
    every_old: SPACING.every_old / 500,
    dense_records: SPACING.dense_records / 500,
};

/// A few more than two snapshots are left of.
const N_EVENTS: u64 = 2 * EVERY + 10;

/// How many events are written together.
const TOGETHER: usize = 7;

pub(in crate::views) struct Scene {
    folder: tempfile::TempDir,
    store: Store,
}

impl Scene {
    pub(in crate::views) fn of(n_events: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::make(folder.path(), Network::Refuse).expect("a store");
        let scene = Self { folder, store };
        scene.append(1..=n_events);
        scene
    }

    pub(in crate::views) fn store(&self) -> &Store {
        &self.store
    }

    pub(in crate::views) fn append(&self, numbers: impl Iterator<Item = u64>) {
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (patience, hold, indexing) = (Duration::ZERO, Hold::Long, Indexing::AtTheEnd);
        let options = Options { owner, patience, hold, indexing };
        let log = Log::open(self.store.clone(), options, &mut |_| {}).expect("a log");
        let mut gate = Gate::new(&self.store, Which::Largest, Strictness::Strict);
        let mut admit = |number: u64| {
            let line = line(number);
            let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
            gate.admit_own(&Arrival { line, expect, via, delivery: None, topic: None })
                .expect("valid")
        };
        let numbers: Vec<u64> = numbers.collect();
        for some in numbers.chunks(TOGETHER) {
            let events = some.iter().map(|number| admit(*number)).collect();
            let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
            log.append(batch).expect("it is written");
        }
        log.close().expect("it closes");
    }

    /// Returns the positions that have a snapshot.
    fn snapshots(&self) -> Vec<u64> {
        let snapshots = Snapshots::open(&self.store, &version(), CLOSE).expect("it can be read");
        snapshots.list().into_iter().map(Position::get).collect()
    }

    fn forget_snapshots(&self) {
        fs::remove_dir_all(self.folder.path().join(FOLDER)).expect("they are there");
    }

    /// Returns the state at a position that is folded from nothing.
    pub(in crate::views) fn folded_whole(&self, end: u64) -> Views {
        let mut fold = Fold::begin(&self.store, Position::FIRST, CLOSE).expect("it can be read");
        fold.read_upto(&self.store, at(end), || true).expect("it can be read");
        assert_eq!(fold.upto(), end);
        fold.views
    }
}

fn line(number: u64) -> String {
    let (worker, second) = (number % 7, number / 1000 % 60);
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:{second:02}.000Z","event_type":"bead.claimed","worker_id":"w{worker}","session_id":"s{worker}","sequence":{number},"data":{{"bead_id":"b{}"}}}}"#,
        number % 100
    )
}

pub(in crate::views) fn at(number: u64) -> Position {
    Position::new(number).expect("not 0")
}

fn folded(scene: &Scene, end: Option<u64>) -> Views {
    fold_spaced(&scene.store, end.map(at), CLOSE).expect("it can be folded").views
}

#[test]
fn a_snapshot_that_is_left_before_it_is_passed_is_that_of_its_position() {
    let scene = Scene::of(N_EVENTS);
    let mut fold = Fold::begin(&scene.store, Position::FIRST, CLOSE).expect("it can be read");
    fold.leave_snapshots(at(N_EVENTS));
    fold.read_upto(&scene.store, at(EVERY - 1), || true).expect("it can be read");
    assert_eq!(fold.owed(at(EVERY)), None);
    let mut reader = Reader::open(RealDisk, scene.store.root().to_owned(), at(EVERY));
    let reader = reader.as_mut().expect("it can be read");
    let batch = reader.read().expect("it can be read").expect("there is more");
    let (last, _) = batch.records().next().expect("there is one");
    fold.take(&last.meta, last.line);
    let due = fold.owed(at(EVERY + 1)).expect("it is due");
    fold.leave(due);
    assert_eq!((due, scene.snapshots()), (at(EVERY), vec![EVERY]));
    fold.settle(due);
    assert_eq!(fold.owed(at(EVERY + 1)), None);
    fold.pass(at(EVERY + 1));
    assert_eq!(fold.upto(), EVERY);
    assert_eq!(folded(&scene, Some(EVERY)), scene.folded_whole(EVERY));
}

#[test]
fn the_past_and_the_present_are_the_same_with_snapshots_and_without() {
    let scene = Scene::of(N_EVENTS);
    let now = folded(&scene, None);
    assert_eq!(now.position(), N_EVENTS);
    assert_eq!(scene.snapshots(), [EVERY, 2 * EVERY]);
    assert_eq!(folded(&scene, None), now);
    for past in [1, EVERY - 1, EVERY, EVERY + 1, 2 * EVERY + 5] {
        let then = folded(&scene, Some(past));
        assert_eq!(then.position(), past);
        assert_eq!(then, scene.folded_whole(past), "at {past}");
    }

    // One whose content is no state is passed over.
    let snapshots = Snapshots::open(&scene.store, &version(), CLOSE).expect("it can be read");
    snapshots.save(at(2 * EVERY), |out| out.write_all(b"[]")).expect("it can be saved");
    assert_eq!(folded(&scene, None), now);

    // Whoever folds little leaves none.
    scene.forget_snapshots();
    folded(&scene, Some(EVERY));
    assert!(scene.snapshots().is_empty());

    // Where none can be left the state is the same.
    fs::write(scene.folder.path().join(FOLDER), b"in the way").expect("it can be written");
    assert_eq!(folded(&scene, None), now);
}

/// Views count, and leave it to the fold that each position comes to them once.
#[test]
fn a_record_that_comes_again_changes_nothing() {
    let scene = Scene::of(N_EVENTS);
    let reader = Reader::open(RealDisk, scene.store.root().to_owned(), Position::FIRST);
    let mut reader = reader.expect("it can be read");
    let mut fold = Fold::begin(&scene.store, Position::FIRST, CLOSE).expect("it can be read");
    let mut seen = Vec::new();
    while let Some(batch) = reader.read().expect("it can be read") {
        for (record, _) in batch.records() {
            fold.take(&record.meta, record.line);
            seen.push((record.meta.clone(), record.line.to_vec()));
            // It again, and all from an earlier place on, as a reader sees it that begins before what it has.
            let from = seen.len().saturating_sub(record.meta.position.get() as usize % 5);
            seen[from..].iter().for_each(|(meta, line)| fold.take(meta, line));
            fold.take(&record.meta, record.line);
        }
    }
    seen.iter().for_each(|(meta, line)| fold.take(meta, line));
    assert_eq!(fold.upto(), N_EVENTS);
    assert_eq!(fold.views, scene.folded_whole(N_EVENTS));
}

#[test]
fn a_position_that_is_not_there_is_told() {
    let scene = Scene::of(3);
    assert_eq!(fold(&scene.store, Some(at(3))).expect("it can be folded").position(), 3);
    let beyond = fold(&scene.store, Some(at(4)));
    assert!(matches!(beyond, Err(FoldError::Beyond { last: 3, .. })), "{beyond:?}");
    assert_eq!(fold(&Scene::of(0).store, None).expect("it can be folded"), Views::default());
}

#[test]
fn a_damaged_record_is_passed_over() {
    let scene = Scene::of(3);
    let entry = fs::read_dir(scene.store.log()).expect("it is there").next().expect("a segment");
    let path = entry.expect("it can be listed").path();
    let mut bytes = fs::read(&path).expect("it can be read");
    let second = bytes.windows(12).position(|some| some == b"\"sequence\":2").expect("it is there");
    bytes[second + 11] = b'x';
    fs::write(&path, &bytes).expect("it can be written");
    let mut fold = Fold::begin(&scene.store, at(3), CLOSE).expect("it can be read");
    fold.read_upto(&scene.store, at(2), || true).expect("it can be read");
    assert_eq!((fold.upto(), fold.views().position()), (2, 1));
    fold.read_upto(&scene.store, at(3), || true).expect("it can be read");
    assert_eq!((fold.upto(), fold.views().position()), (3, 3));
}
