//! What is left after pruning, and after pruning that was interrupted.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{
    Ask, HoldError, Holds, Kept, Mode, PruneError, Reach, Report, delete, journal, plan, run,
};
use crate::blobs::Blobs;
use crate::disk::RealDisk;
use crate::filter::Filter;
use crate::index::{self, Follower};
use crate::log::{Batch, Durability, Outcome};
use crate::query::{QueryError, Records};
use crate::reader::{ReadError, Reader};
use crate::tail::Tail;
use crate::testing::{DAY_ONE_US, DAY_US, Scene, admit, event, lease, line, options, value};
use crate::verify::{self, Depth};
use crate::{Carried, Position, Store};

fn position(number: u64) -> Position {
    Position::new(number).unwrap()
}

/// Four days: 1 and 2, 3 and 4, 5 and 6, 7. The last is live.
fn four_days() -> Scene {
    Scene::of_days(&[
        vec![value(1, "a"), value(2, "b")],
        vec![value(3, "a"), event(4)],
        vec![event(5), value(6, "c")],
        vec![event(7)],
    ])
}

fn prune(store: &Store, reach: Reach, mode: Mode, holds: &[&str]) -> Report {
    let holds: Vec<Filter> = holds.iter().map(|hold| Filter::parse(hold, 0).unwrap()).collect();
    let ask = Ask { reach, mode, holds: &holds };
    run(store, &ask, &options(), &mut |_| {}).unwrap()
}

/// Returns everything that a deep look finds wrong.
fn faults(store: &Store) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    let ask = verify::Ask { against: None, depth: Depth::Deep { scratch: scratch.path() } };
    let mut faults = Vec::new();
    verify::verify(store, &ask, &mut |told| match told {
        verify::Told::Fault(fault) => faults.push(fault.to_string()),
        verify::Told::Note(note) => faults.push(format!("note: {note}")),
        verify::Told::Progress { .. } => {}
    })
    .unwrap();
    faults
}

fn append(scene: &Scene, event: crate::admit::Admitted) -> Outcome {
    let log = scene.log();
    let batch =
        Batch { events: vec![event], conditions: Vec::new(), durability: Durability::Synced };
    let outcome = log.append(batch).unwrap().outcomes[0];
    log.close().unwrap();
    outcome
}

/// Returns the sequence numbers of the events, by position; a prune record is 0.
fn sequences(scene: &Scene) -> Vec<(u64, u64)> {
    let number = |line: &str| {
        let rest = line.split("\"sequence\":").nth(1)?;
        rest.split(',').next()?.parse().ok()
    };
    scene.lines().iter().map(|(at, line)| (*at, number(line).unwrap_or(0))).collect()
}

#[test]
fn what_says_what_went_is_said_again_before_it_goes_itself() {
    let scene = four_days();
    let roll = || {
        let log = scene.log();
        log.roll().unwrap();
        log.close().unwrap();
    };
    let all = |holds: &[&str]| prune(&scene.store, Reach::KeepBytes(0), Mode::Delete, holds);
    // A gap in the middle, and one before the first: in the next round the records that explain them go.
    for (holds, kept) in [(&[".sequence=1"][..], 1), (&[".sequence=9"][..], 9)] {
        append(&scene, event(9));
        for _ in 0..3 {
            roll();
            assert_ne!(all(holds).plan.segments, []);
            assert_eq!(faults(&scene.store), [""; 0], "{holds:?}");
        }
        assert!(sequences(&scene).iter().any(|(_, sequence)| *sequence == kept), "{holds:?}");
    }
    roll();
    assert_ne!(all(&[]).plan.segments, []);
    assert_eq!(faults(&scene.store), [""; 0]);
    assert!(scene.lines()[0].0 > 9);
}

#[test]
fn what_nobody_pruned_is_missing_also_after_the_next_deletion() {
    let scene = four_days();
    let holds = &[".sequence=1"];
    let roll = || {
        let log = scene.log();
        log.roll().unwrap();
        log.close().unwrap();
    };
    assert_eq!(
        prune(&scene.store, Reach::BeforePosition(position(7)), Mode::Delete, holds)
            .plan
            .segments
            .len(),
        2
    );
    roll();
    append(&scene, event(9));
    roll();
    // The live segment of the last day and what came after it, lost by other means.
    fs::remove_file(scene.store.log().join("events-2026-01-04.0000.jsonl")).unwrap();
    let lost = faults(&scene.store);
    assert!(
        lost.iter().any(|fault| fault.contains("no record says that they were pruned")),
        "{lost:?}"
    );
    assert_ne!(prune(&scene.store, Reach::KeepBytes(0), Mode::Delete, holds).plan.segments, []);
    let lost = faults(&scene.store);
    assert!(
        lost.iter().any(|fault| fault.contains("no record says that they were pruned")),
        "{lost:?}"
    );
}

#[test]
fn an_archive_is_read_queried_and_verified_like_the_segment_it_was() {
    let scene = four_days();
    let before = scene.lines();
    let reach = Reach::BeforeTime(DAY_ONE_US + 2 * DAY_US);
    let report = prune(&scene.store, reach, Mode::Archive, &[]);
    assert_eq!(report.plan.segments.len(), 2);
    assert_eq!(
        scene.segments()[..4],
        [
            "events-2026-01-01.0000.jsonl.zst",
            "events-2026-01-02.0000.jsonl.zst",
            "events-2026-01-03.0000.jsonl",
            "events-2026-01-04.0000.jsonl",
        ]
    );
    assert_eq!(scene.lines()[..7], before);
    let record = &scene.lines()[7].1;
    assert!(record.contains(r#""first":1,"last":4,"#), "{record}");
    assert!(record.contains(r#""segments":2,"#) && record.contains(r#""mode":"archive""#));
    let mut records = Records::open(scene.store.clone()).unwrap();
    let found = records.get(position(3)).unwrap().unwrap();
    assert_eq!(found.line, before[2].1.as_bytes());
    assert_eq!(found.meta.mark.unwrap().topic, Some(lease("a")));
    assert_eq!(faults(&scene.store), [""; 0]);
    assert_eq!(append(&scene, event(4)), Outcome::Repeat { position: position(4) });
    assert!(prune(&scene.store, reach, Mode::Archive, &[]).plan.segments.is_empty());
}

#[test]
fn a_deletion_carries_the_newest_value_of_each_key_and_says_what_went() {
    let scene = four_days();
    let reach = Reach::BeforePosition(position(6));
    let report = prune(&scene.store, reach, Mode::Delete, &[]);
    assert_eq!(report.carried.n_carried, 2);
    assert_eq!(report.plan.segments.len(), 2);
    // b is carried from 2, a from 3; 5, 6 and 7 stay where they are.
    assert_eq!(sequences(&scene), [(5, 5), (6, 6), (7, 7), (8, 2), (9, 3), (10, 0)]);
    let record = &scene.lines()[5].1;
    assert!(record.contains(r#""first":1,"last":4,"#) && record.contains(r#""mode":"delete""#));
    assert_eq!(faults(&scene.store), [""; 0]);

    let mut records = Records::open(scene.store.clone()).unwrap();
    let carried = records.get(position(9)).unwrap().unwrap().meta;
    assert_eq!(carried.at_us, Some(DAY_ONE_US + DAY_US));
    let first = Carried { position: position(3), at_us: DAY_ONE_US + DAY_US };
    assert_eq!(carried.mark.unwrap().carried, Some(first));
    let log = scene.log();
    assert_eq!(log.latest(&lease("a")).unwrap(), Some(position(9)));
    assert_eq!(log.latest(&lease("c")).unwrap(), Some(position(6)));
    log.close().unwrap();

    // What was carried is a repeat of the carried one; what went is new again.
    assert_eq!(append(&scene, value(3, "a")), Outcome::Repeat { position: position(9) });
    let stored = Outcome::Stored { position: position(11), conflict: None };
    assert_eq!(append(&scene, event(4)), stored);
}

#[test]
fn what_is_carried_again_keeps_its_first_position_and_time() {
    let scene = four_days();
    prune(&scene.store, Reach::BeforePosition(position(8)), Mode::Delete, &[]);
    // The carried ones stand in today's segment, which a later day closes.
    let after = 100 * 365 * DAY_US + DAY_ONE_US;
    let (mut writer, _) =
        crate::writer::Writer::open(RealDisk, scene.store.root().to_owned(), after).unwrap();
    writer.append(&[event(8).entry], after).unwrap();
    drop(writer);
    prune(&scene.store, Reach::BeforeTime(after), Mode::Delete, &[]);
    let mut reader =
        Reader::open(RealDisk, scene.store.root().to_owned(), Position::FIRST).unwrap();
    let mut carried = Vec::new();
    while let Some(batch) = reader.read().unwrap() {
        carried.extend(batch.records().filter_map(|(record, _)| record.meta.mark?.carried));
    }
    let first =
        |number, day| Carried { position: position(number), at_us: DAY_ONE_US + day * DAY_US };
    assert_eq!(carried, [first(2, 0), first(3, 1), first(6, 2)]);
    assert_eq!(faults(&scene.store), [""; 0]);
}

#[test]
fn a_hold_keeps_the_whole_segment_and_the_gap_around_it_is_explained() {
    let scene = four_days();
    let reach = Reach::BeforePosition(position(7));
    let report = prune(&scene.store, reach, Mode::Delete, &[".sequence = 4"]);
    let [(name, Kept::Held { position: held, .. })] = &report.plan.kept[..] else {
        panic!("{:?}", report.plan.kept)
    };
    assert_eq!((name.to_string().as_str(), held.get()), ("events-2026-01-02.0000", 4));
    assert_eq!(sequences(&scene), [(3, 3), (4, 4), (7, 7), (8, 2), (9, 0), (10, 6), (11, 0)]);
    assert_eq!(faults(&scene.store), [""; 0]);
    let gaps = index::Reader::open(&scene.store.index()).unwrap().gaps().unwrap();
    assert_eq!(gaps.len(), 1);
    assert_eq!((gaps[0].first.get(), gaps[0].last.get(), &*gaps[0].reason), (5, 6, "gone"));

    // Without the hold the rest goes too, and no gap is left.
    prune(&scene.store, reach, Mode::Delete, &[]);
    assert_eq!(sequences(&scene)[0], (7, 7));
    assert_eq!(faults(&scene.store), [""; 0]);
    assert_eq!(index::Reader::open(&scene.store.index()).unwrap().gaps().unwrap(), []);
}

#[test]
fn holds_that_are_added_at_once_are_all_kept_and_pruning_reads_them_itself() {
    let scene = four_days();
    let add = |text: &str| {
        Holds::add(&scene.store, Filter::parse(text, 0).unwrap(), &mut || {}).unwrap();
    };
    std::thread::scope(|scope| {
        for n in 100..108 {
            scope.spawn(move || add(&format!(".sequence = {n}")));
        }
    });
    assert_eq!(Holds::read(&scene.store).unwrap().filters().len(), 8);
    add(".sequence = 4");
    let report = prune(&scene.store, Reach::BeforePosition(position(7)), Mode::Delete, &[]);
    assert!(matches!(report.plan.kept[..], [(_, Kept::Held { .. })]), "{:?}", report.plan.kept);
    assert_eq!(sequences(&scene)[..2], [(3, 3), (4, 4)]);
}

#[test]
fn a_hold_on_what_an_interrupted_deletion_removes_is_refused() {
    let scene = four_days();
    let ask = Ask { reach: Reach::BeforePosition(position(6)), mode: Mode::Delete, holds: &[] };
    let planned = plan(&scene.store, &ask, &mut |_| {}).unwrap();
    journal::write(&scene.store, &planned).unwrap();
    let hold = || Filter::parse(".sequence = 3", 0).unwrap();
    let add = || Holds::add(&scene.store, hold(), &mut || {});
    assert!(matches!(add(), Err(HoldError::Interrupted)));
    assert!(Holds::read(&scene.store).unwrap().filters().is_empty());
    prune(&scene.store, Reach::BeforePosition(Position::FIRST), Mode::Delete, &[]);
    assert_eq!(sequences(&scene)[0], (5, 5));
    add().unwrap();
    assert_eq!(Holds::read(&scene.store).unwrap().filters(), [hold()]);
}

#[test]
fn whoever_prunes_is_waited_for_with_a_hold() {
    let scene = four_days();
    let (store, lock) = (&scene.store, super::lock(&scene.store).unwrap());
    std::thread::scope(|scope| {
        let (waits, is_waiting) = std::sync::mpsc::channel();
        let hold = Filter::parse(".sequence = 4", 0).unwrap();
        let added = scope.spawn(move || Holds::add(store, hold, &mut || waits.send(()).unwrap()));
        is_waiting.recv().unwrap();
        assert!(Holds::read(store).unwrap().filters().is_empty());
        drop(lock);
        added.join().unwrap().unwrap();
    });
    assert_eq!(Holds::read(store).unwrap().filters().len(), 1);
}

#[test]
fn the_live_segment_stays_whatever_is_asked() {
    let scene = four_days();
    for reach in [Reach::KeepBytes(0), Reach::BeforeTime(i64::MAX)] {
        let ask = Ask { reach, mode: Mode::Delete, holds: &[] };
        let planned = plan(&scene.store, &ask, &mut |_| {}).unwrap();
        let names: Vec<String> =
            planned.segments.iter().map(|segment| segment.name.day().to_owned()).collect();
        assert_eq!(names, ["2026-01-01", "2026-01-02", "2026-01-03"]);
    }
    assert_eq!(scene.segments().len(), 4, "a plan changes nothing");
}

#[test]
fn as_many_of_the_newest_segments_stay_as_fit() {
    let scene = four_days();
    let size = |name: &str| fs::metadata(scene.store.log().join(name)).unwrap().len();
    let two = size("events-2026-01-04.0000.jsonl") + size("events-2026-01-03.0000.jsonl");
    for (bytes, n) in [(two, 2), (two - 1, 3), (u64::MAX, 0)] {
        let ask = Ask { reach: Reach::KeepBytes(bytes), mode: Mode::Delete, holds: &[] };
        assert_eq!(plan(&scene.store, &ask, &mut |_| {}).unwrap().segments.len(), n);
    }
}

#[test]
fn a_deletion_that_was_interrupted_anywhere_is_completed_by_the_next_opening() {
    for n_steps in 0..=5 {
        let scene = four_days();
        let ask = Ask { reach: Reach::BeforePosition(position(6)), mode: Mode::Delete, holds: &[] };
        let planned = plan(&scene.store, &ask, &mut |_| {}).unwrap();
        let log = scene.log();
        journal::write(&scene.store, &planned).unwrap();
        let left = journal::read(&scene.store).unwrap().unwrap();
        let first = &left.runs[0];
        if n_steps >= 1 {
            log.carry(&planned.segments[0].range()).unwrap();
        }
        if n_steps >= 2 {
            log.carry(&planned.segments[1].range()).unwrap();
            super::append_record(&log, &scene.store, &first.record).unwrap();
        }
        if n_steps >= 3 {
            fs::remove_file(scene.store.log().join(&scene.segments()[0])).unwrap();
        }
        if n_steps >= 4 {
            fs::remove_file(scene.store.log().join(&scene.segments()[0])).unwrap();
        }
        if n_steps >= 5 {
            let segments = vec![(1, planned.segments[0].range())];
            let removed = crate::log::Removed { segments, first_kept: position(5) };
            log.forget_removed(&removed).unwrap();
        }
        drop(log);
        scene.log().close().unwrap();
        assert!(!journal::exists(&scene.store), "after {n_steps} steps");
        let expected = [(5, 5), (6, 6), (7, 7), (8, 2), (9, 3), (10, 0)];
        assert_eq!(sequences(&scene), expected, "after {n_steps} steps");
        assert_eq!(faults(&scene.store), [""; 0], "after {n_steps} steps");
        assert_eq!(append(&scene, value(2, "b")), Outcome::Repeat { position: position(8) });
    }
}

#[test]
fn an_archive_that_was_interrupted_leaves_the_lines_and_is_done_again() {
    let scene = four_days();
    let plain = scene.store.log().join("events-2026-01-01.0000.jsonl");
    let original = fs::read(&plain).unwrap();
    let before = scene.lines();
    prune(&scene.store, Reach::BeforePosition(position(3)), Mode::Archive, &[]);
    // As if the lines had not been removed yet, and a later try had ended while it wrote.
    fs::write(&plain, &original).unwrap();
    fs::write(scene.store.log().join("events-2026-01-01.0000.jsonl.zst.new"), b"half").unwrap();
    assert_eq!(
        faults(&scene.store),
        [
            "note: events-2026-01-01.0000 is there as lines and as an archive; `weft prune` completes it"
        ]
    );
    prune(&scene.store, Reach::BeforePosition(position(3)), Mode::Archive, &[]);
    assert_eq!(scene.segments()[0], "events-2026-01-01.0000.jsonl.zst");
    assert_eq!(scene.segments()[1], "events-2026-01-02.0000.jsonl");
    assert_eq!(scene.lines()[..7], before);
    assert_eq!(faults(&scene.store), [""; 0]);
}

#[test]
fn reading_what_was_pruned_is_an_error_that_says_where_the_log_begins() {
    let scene = four_days();
    prune(&scene.store, Reach::BeforePosition(position(6)), Mode::Delete, &[]);
    let mut records = Records::open(scene.store.clone()).unwrap();
    let Err(QueryError::Read(error)) = records.get(position(2)) else { panic!("it is gone") };
    assert_eq!(error.to_string(), "position 2 was pruned: the log begins at 5");
    let tailed = Tail::open(&scene.store, position(2), Filter::all());
    assert!(matches!(tailed, Err(ReadError::Pruned { .. })));
    assert!(Tail::open(&scene.store, Position::FIRST, Filter::all()).is_ok());
}

#[test]
fn blobs_go_with_the_last_record_that_refers_to_them() {
    let scene = Scene::empty();
    let blobs = scene.store.blobs();
    let large = |sequence: u64, letter: &str| {
        let note = format!(r#""b","note":"{}""#, letter.repeat(2 << 20));
        admit(scene.store.root(), &line(sequence, "b").replace(r#""b""#, &note), None)
    };
    let days = [vec![large(1, "x"), large(2, "y")], vec![large(3, "y")]];
    let (mut writer, _) =
        crate::writer::Writer::open(RealDisk, scene.store.root().to_owned(), DAY_ONE_US).unwrap();
    for (day, events) in days.iter().enumerate() {
        for event in events {
            let at_us = DAY_ONE_US + i64::try_from(day).unwrap() * DAY_US;
            writer.append(std::slice::from_ref(&event.entry), at_us).unwrap();
        }
    }
    drop(writer);
    let store = Blobs::new(blobs);
    let put = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
    for blob in store.list().unwrap().blobs {
        fs::File::open(store.path_of(&blob.hash)).unwrap().set_modified(put).unwrap();
    }
    assert_eq!(store.list().unwrap().blobs.len(), 2);
    let report = prune(&scene.store, Reach::BeforePosition(position(3)), Mode::Delete, &[]);
    assert_eq!((report.swept.n_files, report.swept.bytes), (1, 2 << 20));
    assert_eq!(store.list().unwrap().blobs.len(), 1);
    assert_eq!(faults(&scene.store), [""; 0]);
}

#[test]
fn the_index_gives_its_space_back() {
    let scene = Scene::of_days(&[(1..4000).map(event).collect(), vec![event(4000)]]);
    let size = || fs::metadata(scene.store.index()).unwrap().len();
    index::Index::open(
        &scene.store.index(),
        &Records::open(scene.store.clone()).unwrap().head().store,
    )
    .unwrap();
    let before = size();
    prune(&scene.store, Reach::BeforePosition(position(4000)), Mode::Delete, &[]);
    assert!(size() * 2 < before, "{} after {before}", size());
    assert_eq!(faults(&scene.store), [""; 0]);
}

#[test]
fn search_goes_on_where_the_records_it_had_not_read_are_gone() {
    let scene = four_days();
    let head = Records::open(scene.store.clone()).unwrap().head().clone();
    prune(&scene.store, Reach::BeforePosition(position(6)), Mode::Delete, &[]);
    let index = index::Index::open(&scene.store.index(), &head.store).unwrap();
    let mut follow = crate::follow::Follow::new(scene.store, index);
    follow.catch_up(Follower::Text, &mut |_| {}).unwrap();
    assert_eq!(follow.watermark(Follower::Text).position, 10);
}

#[test]
fn two_cannot_prune_at_once() {
    let scene = four_days();
    let _lock = super::lock(&scene.store).unwrap().unwrap();
    let ask = Ask { reach: Reach::KeepBytes(0), mode: Mode::Delete, holds: &[] };
    let refused = run(&scene.store, &ask, &options(), &mut |_| {});
    assert!(matches!(refused, Err(PruneError::Busy)));
    // Whoever opens the store meanwhile leaves a deletion that is under way alone.
    let planned = plan(&scene.store, &ask, &mut |_| {}).unwrap();
    journal::write(&scene.store, &planned).unwrap();
    delete::resume(&scene.log(), &scene.store).unwrap();
    assert_eq!(scene.segments().len(), 4);
}
