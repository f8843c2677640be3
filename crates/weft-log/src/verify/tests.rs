//! What is found wrong with a store, and where.

use std::fs;
use std::os::unix::fs::FileExt as _;

use rusqlite::Connection;

use super::{Against, Ask, Depth, Report, Told, damaged_archives, rebuild_index, repair, verify};
use crate::blobs::Blobs;
use crate::log::{Batch, Durability};
use crate::prune::{self, Mode, Reach};
use crate::rejected::{Reason, Refusal, Rejected, With};
use crate::testing::{Scene, admit, event, line, options};
use crate::{Hash, Position, Store};

fn three_days() -> Scene {
    Scene::of_days(&[vec![event(1), event(2)], vec![event(3), event(4)], vec![event(5)]])
}

fn check(store: &Store, against: Option<Hash>) -> (Report, Vec<String>) {
    let mut told = Vec::new();
    let ask = Ask { against, depth: Depth::Usual };
    let report = verify(store, &ask, &mut |what| match what {
        Told::Progress { bytes, total } => assert!(bytes <= total, "{bytes} of {total}"),
        Told::Note(note) => told.push(format!("note: {note}")),
        Told::Fault(fault) => {
            let place = fault.place().map(|(segment, offset)| format!("{segment}@{offset} "));
            told.push(format!("{}{}: {fault}", place.unwrap_or_default(), fault.part()));
        }
    });
    (report.unwrap(), told)
}

fn faults(store: &Store) -> Vec<String> {
    check(store, None).1
}

fn flip(scene: &Scene, file: &str, offset: u64) {
    let path = scene.store.root().join(file);
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).unwrap();
    file.write_all_at(&[byte[0] ^ 1], offset).unwrap();
}

fn sql(scene: &Scene, sql: &str) {
    Connection::open(scene.store.index()).unwrap().execute_batch(sql).unwrap();
}

/// Returns where in a segment a text stands.
fn find(scene: &Scene, file: &str, text: &str) -> u64 {
    let bytes = fs::read(scene.store.root().join(file)).unwrap();
    memchr::memmem::find(&bytes, text.as_bytes()).unwrap() as u64
}

const FIRST: &str = "log/events-2026-01-01.0000.jsonl";
const SECOND: &str = "log/events-2026-01-02.0000.jsonl";

#[test]
fn a_sound_store_is_counted_and_has_a_head() {
    let scene = three_days();
    let (report, told) = check(&scene.store, None);
    assert_eq!(told, [""; 0]);
    assert_eq!((report.n_segments, report.n_seals, report.n_records), (3, 8, 5));
    assert_eq!((report.n_rows, report.n_faults), (5, 0));
    assert_eq!(report.range.map(|(first, last)| (first.get(), last.get())), Some((1, 5)));
}

#[test]
fn a_hash_that_was_written_down_is_found_as_long_as_the_log_is_the_same() {
    let scene = three_days();
    let head = check(&scene.store, None).0.head.unwrap();
    let opening = fs::read_to_string(scene.store.root().join(SECOND)).unwrap();
    let after_hash = opening.split("\"prev\":\"").nth(2).unwrap();
    let early = Hash::parse(after_hash.split('"').next().unwrap()).unwrap();
    assert!(matches!(check(&scene.store, Some(early)).0.against, Some(Against::Found { .. })));
    let log = scene.log();
    let (events, conditions) = (vec![event(6)], Vec::new());
    log.append(Batch { events, conditions, durability: Durability::Synced }).unwrap();
    log.close().unwrap();
    let (report, told) = check(&scene.store, Some(head));
    assert_eq!((report.against, told), (Some(Against::Found { upto: 5 }), Vec::new()));
    let other = Hash::of(b"another");
    let (report, told) = check(&scene.store, Some(other));
    assert_eq!(report.against, Some(Against::Unknown));
    assert_eq!(told, [format!("log: no seal has the hash {other}")]);
    // The chain says where it was pruned, so that a hash from before is still known.
    let ask = prune::Ask { reach: Reach::KeepBytes(0), mode: Mode::Delete, holds: &[] };
    prune::run(&scene.store, &ask, &options(), &mut |_| {}).unwrap();
    let (report, told) = check(&scene.store, Some(head));
    assert_eq!((report.against, told), (Some(Against::Found { upto: 5 }), Vec::new()));
    assert_eq!(report.range.unwrap().0, Position::new(6).unwrap());
    // Only the last seal of what was pruned is known.
    let (report, told) = check(&scene.store, Some(early));
    let [first, last] = [1, 5].map(|number| Position::new(number).unwrap());
    assert_eq!(report.against, Some(Against::Pruned { first, last }));
    assert_eq!(
        told,
        [format!(
            "log: no seal that is there has the hash {early}; whether one had it cannot be told, because seals of records 1 to 5 were pruned"
        )]
    );
}

#[test]
fn damage_is_told_with_its_segment_byte_and_positions() {
    let scene = three_days();
    let offset = find(&scene, SECOND, "\"sequence\":3");
    flip(&scene, SECOND, offset + 2);
    let start = find(&scene, SECOND, "{\"schema_version\"");
    assert_eq!(
        faults(&scene.store),
        [format!("events-2026-01-02.0000@{start} log: record 3 is lost")]
    );
}

#[test]
fn a_segment_that_is_gone_without_a_word_is_told() {
    let scene = three_days();
    fs::remove_file(scene.store.root().join(SECOND)).unwrap();
    let told = faults(&scene.store);
    assert_eq!(
        told,
        ["log: the segments of records 3 to 4 are gone, and no record says that they were pruned"]
    );
    fs::remove_file(scene.store.root().join(FIRST)).unwrap();
    let told = faults(&scene.store);
    assert!(told[0].contains("the index has rows 1 to 4"), "{told:?}");
    assert!(told[1].contains("the log begins at position 5 after"), "{told:?}");
}

#[test]
fn the_index_is_held_to_the_log_row_by_row() {
    let scene = three_days();
    sql(&scene, "DELETE FROM records WHERE position IN (2, 3)");
    sql(&scene, "UPDATE records SET offset = offset + 1 WHERE position = 5");
    assert_eq!(
        faults(&scene.store),
        [
            "index: the index lacks records 2 to 3",
            "index: the index is wrong about records 5 to 5",
            "index: the index counts 5 records and has 3 rows",
        ]
    );
    rebuild_index(&scene.store, &options().owner, options().patience, &mut |_, _| {}).unwrap();
    assert_eq!(faults(&scene.store), [""; 0]);
    fs::remove_file(scene.store.index()).unwrap();
    assert_eq!(faults(&scene.store), ["index: there is no index"]);
}

#[test]
fn a_deep_look_finds_what_places_and_checksums_do_not_tell() {
    let scene = three_days();
    sql(&scene, "UPDATE records SET actor = NULL WHERE position = 4");
    assert_eq!(faults(&scene.store), [""; 0]);
    let scratch = tempfile::tempdir().unwrap();
    let ask = Ask { against: None, depth: Depth::Deep { scratch: scratch.path() } };
    let mut told = Vec::new();
    verify(&scene.store, &ask, &mut |what| {
        if let Told::Fault(fault) = what {
            told.push(fault.to_string());
        }
    })
    .unwrap();
    assert_eq!(told, ["the index has 1 records that an index made anew has not, and lacks 1"]);
}

#[test]
fn a_damaged_frame_of_an_archive_is_told_with_what_it_held() {
    let scene = three_days();
    let ask = prune::Ask { reach: Reach::KeepBytes(0), mode: Mode::Archive, holds: &[] };
    prune::run(&scene.store, &ask, &options(), &mut |_| {}).unwrap();
    assert_eq!(faults(&scene.store), [""; 0]);
    flip(&scene, "log/events-2026-01-01.0000.jsonl.zst", 100);
    let told = faults(&scene.store);
    assert!(told.iter().any(|told| told.contains("log: records 1 to 2 are lost")), "{told:?}");
    assert!(told.iter().any(|told| told.contains("frame 0 of the archive is damaged")), "{told:?}");
}

#[test]
fn an_archive_that_is_cut_within_its_first_frame_costs_its_own_records_alone() {
    for (file, first, last) in [("2026-01-01", 1, 2), ("2026-01-02", 3, 4)] {
        for bytes in [0, 100] {
            let scene = three_days();
            let ask = prune::Ask { reach: Reach::KeepBytes(0), mode: Mode::Archive, holds: &[] };
            prune::run(&scene.store, &ask, &options(), &mut |_| {}).unwrap();
            let before = scene.lines();
            let archive = format!("log/events-{file}.0000.jsonl.zst");
            let archive = scene.store.root().join(archive);
            fs::OpenOptions::new().write(true).open(&archive).unwrap().set_len(bytes).unwrap();

            let left: Vec<_> =
                before.iter().filter(|(at, _)| !(first..=last).contains(at)).cloned().collect();
            assert_eq!(scene.lines(), left);
            let told = faults(&scene.store);
            let named = format!("events-{file}.0000@0 log: nothing of the archive can be read");
            assert_eq!(told[0], named);
            assert!(told[1].ends_with(&format!("records {first} to {last} are lost")), "{told:?}");
            // Of the first one nothing says where the log begins, either.
            let n_faults = if first == 1 { 3 } else { 2 };
            assert_eq!(told.len(), n_faults, "{told:?}");
            let names: Vec<_> =
                damaged_archives(&scene.store).unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(names, [format!("events-{file}.0000")]);
            // Whoever writes and whoever makes an index goes on.
            rebuild_index(&scene.store, &options().owner, options().patience, &mut |_, _| {})
                .unwrap();
            assert_eq!(faults(&scene.store).len(), n_faults);
        }
    }
}

#[test]
fn blobs_spool_and_refusals_are_looked_at() {
    let scene = Scene::empty();
    let note = format!(r#""b","note":"{}""#, "x".repeat(2 << 20));
    let large = line(1, "b").replace(r#""b""#, &note);
    let log = scene.log();
    let events = vec![admit(scene.store.root(), &large, None)];
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced }).unwrap();
    log.close().unwrap();
    let blobs = Blobs::new(scene.store.blobs());
    blobs.put("y".repeat(2000).as_bytes()).unwrap();
    let (report, told) = check(&scene.store, None);
    assert_eq!(told, [""; 0]);
    assert_eq!((report.n_blobs, report.blob_bytes, report.n_unreferenced), (1, 2 << 20, 1));

    let path = blobs.path_of(&Hash::of("x".repeat(2 << 20).as_bytes()));
    fs::write(&path, "x").unwrap();
    fs::create_dir(scene.store.root().join("spool")).unwrap();
    fs::write(scene.store.root().join("spool/events.jsonl"), "{\"half").unwrap();
    let reason = Reason { code: "json".into(), path: String::new(), message: "no".into() };
    let (via, origin, bytes) = ("test".into(), "here".into(), b"{".to_vec());
    let (with, reasons) = (With::default(), vec![reason]);
    let refusal = Refusal { at_us: 0, via, origin, with, reasons, bytes };
    Rejected::new(&scene.store).put(&[refusal]).unwrap();
    let rejected = scene.store.root().join("rejected/rejected-1970-01-01.jsonl");
    let kept = fs::read_to_string(&rejected).unwrap();
    fs::write(&rejected, format!("{kept}{{\"cut\n")).unwrap();
    let (report, told) = check(&scene.store, None);
    assert_eq!(report.n_rejected, 1);
    assert_eq!(
        told,
        [
            format!(
                "blobs: record 1: blob {} is damaged: its content does not have the hash in its name",
                path.display()
            ),
            "spool: the spool has 1 stretches that are no entry".to_owned(),
            format!("rejected: line 2 of {} cannot be read", rejected.display()),
        ]
    );
}

#[test]
fn a_missing_blob_is_a_fault_and_what_only_looks_like_one_is_a_note() {
    let scene = Scene::empty();
    let value = "x".repeat(2 << 20);
    let hash = Hash::of(value.as_bytes());
    let other = Hash::of(b"another");
    let append = |line: &str| {
        let log = scene.log();
        let events = vec![admit(scene.store.root(), line, None)];
        log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced })
            .unwrap();
        log.close().unwrap();
    };
    // Too short for a value that is moved, and of a store that is not this one.
    append(&line(1, &format!("weft-blob:{hash}:5:hello")));
    append(&line(2, &format!(r#"b","note":"{value}"#)));
    append(&line(3, &format!("weft-blob:{other}:{}:hello", value.len())));
    let notes: Vec<_> = [(1, hash), (3, other)]
        .map(|(position, hash)| {
            format!("note: record {position} has what looks like a reference to blob {hash},")
        })
        .into();
    let starts = |told: Vec<String>| -> Vec<String> {
        told.iter().map(|told| format!("{},", told.split(',').next().unwrap())).collect()
    };
    let (report, told) = check(&scene.store, None);
    assert_eq!((report.n_faults, report.n_blobs), (0, 1));
    assert_eq!(starts(told), notes);

    let path = Blobs::new(scene.store.blobs()).path_of(&hash);
    fs::remove_file(&path).unwrap();
    let (report, told) = check(&scene.store, None);
    assert_eq!(report.n_faults, 1);
    assert_eq!(told[0], format!("blobs: record 2: blob {} is missing", path.display()));
    assert_eq!(starts(told[1..].to_vec()), notes);
}

#[test]
fn a_store_that_was_copied_without_its_blobs_is_not_whole_and_says_so_once() {
    let scene = Scene::empty();
    let append = |lines: &[String]| {
        let log = scene.log();
        let events = lines.iter().map(|line| admit(scene.store.root(), line, None)).collect();
        log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced })
            .unwrap();
        log.close().unwrap();
    };
    let reference =
        |n: u64| format!("weft-blob:{}:2000000:hello", Hash::of(format!("other {n}").as_bytes()));
    // In a store that never had a blob, of another store; and too short for a value that is moved.
    append(&(1..=5).map(|n| line(n, &reference(n))).collect::<Vec<_>>());
    append(&[line(6, &reference(6).replace("2000000", "2000"))]);
    let (report, told) = check(&scene.store, None);
    assert_eq!((report.n_faults, told.len()), (0, 1), "{told:?}");
    let unknown = "note: records have what looks like references to 6 blobs (";
    assert!(told[0].starts_with(unknown), "{told:?}");

    let values = ["p", "q", "r", "s", "t"].map(|letter| letter.repeat(2 << 20));
    let large = |(n, value)| line(n, &format!(r#"b","note":"{value}"#));
    append(&(11..).zip(&values).map(large).collect::<Vec<_>>());
    let blobs = Blobs::new(scene.store.blobs());
    let hashes = values.map(|value| Hash::of(value.as_bytes()));
    for hash in &hashes {
        fs::remove_file(blobs.path_of(hash)).unwrap();
    }
    let folder = scene.store.blobs();
    let (report, told) = check(&scene.store, None);
    let [p, q, r, ..] = hashes;
    let lost = format!(
        "blobs: records refer to 5 blobs ({p} of record 7, {q} of record 8, {r} of record 9 and more) that are missing in {}: copy them from where this store came from, or from a backup",
        folder.display()
    );
    assert_eq!((report.n_faults, &told[0], told.len()), (1, &lost, 2));

    fs::remove_dir_all(&folder).unwrap();
    let (report, told) = check(&scene.store, None);
    assert_eq!((report.n_faults, told.len()), (1, 2), "{told:?}");
    assert!(told[0].starts_with("blobs: records refer to 10 blobs ("), "{told:?}");
    let way_out = format!(
        "there is no folder {}: copy it from where this store came from, or from a backup; if this store never had blobs, make the folder, empty",
        folder.display()
    );
    assert!(told[0].ends_with(&way_out), "{told:?}");
    assert!(told[1].starts_with("note: record 6 has what looks like"), "{told:?}");

    fs::create_dir(&folder).unwrap();
    let (report, told) = check(&scene.store, None);
    assert_eq!((report.n_faults, told.len()), (0, 1), "{told:?}");
}

#[test]
fn without_a_head_nothing_is_known_durable_until_it_is_repaired() {
    let scene = three_days();
    let before = scene.lines();
    fs::remove_file(scene.store.root().join("head")).unwrap();
    assert!(faults(&scene.store)[0].ends_with("head is missing or damaged"));
    repair(&scene.store, options(), &mut |_| {}).unwrap();
    assert_eq!(faults(&scene.store), [""; 0]);
    assert_eq!(scene.lines(), before);
}

#[test]
fn bytes_of_an_unfinished_write_are_no_fault_and_a_repair_sets_them_aside() {
    let scene = three_days();
    let live = scene.store.log().join("events-2026-01-03.0000.jsonl");
    let whole = fs::read(&live).unwrap();
    fs::write(&live, [&whole[..], b"{\"half"].concat()).unwrap();
    assert_eq!(
        faults(&scene.store),
        [
            "note: events-2026-01-03.0000 has 6 bytes beyond what is known durable; `weft verify --repair` brings them in order"
        ]
    );
    let repaired = repair(&scene.store, options(), &mut |_| {}).unwrap();
    assert_eq!(repaired.findings.len(), 1);
    assert_eq!(faults(&scene.store), [""; 0]);
    assert_eq!(fs::read(&live).unwrap(), whole);
}
