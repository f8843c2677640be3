//! Stores of several days, of which some went: pruned, cut off, or written by a newer version.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use weft_event::event::Expect;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::disk::RealDisk;
use weft_log::lock::Owner;
use weft_log::log::{Hold, Indexing, Log, Options};
use weft_log::seal::{FORMAT, Opening, Seal};
use weft_log::writer::Writer;
use weft_log::{Hash, Head, Network, Store, reader};

use crate::sandbox::{FINE, Sandbox};
use crate::stored::needle;

const DAY_ONE_US: i64 = 1_767_225_600_000_000; // 2026-01-01
const DAY_US: i64 = 86_400_000_000;

/// Returns a store with two events on each of four days, by one producer with numbers.
fn four_days() -> Sandbox {
    let sandbox = Sandbox::with(&[]);
    let root = sandbox.path().join(".weft");
    let store = Store::make(&root, Network::Refuse).unwrap();
    let mut gate = Gate::new(&store, Which::Largest, Strictness::Lenient);
    let (mut writer, _) = Writer::open(RealDisk, root, DAY_ONE_US).unwrap();
    for n in 1..=8 {
        let line = needle(0, "alpha", "s", n);
        let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
        let arrival = Arrival { line, expect, via, delivery: None, topic: None };
        let entry = gate.admit(&arrival).unwrap().entry;
        writer.append(&[entry], DAY_ONE_US + (n as i64 - 1) / 2 * DAY_US).unwrap();
    }
    drop(writer);
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let (patience, indexing) = (Duration::from_secs(60), Indexing::Meanwhile);
    let options = Options { owner, patience, hold: Hold::Long, indexing };
    Log::open(store, options, &mut |_| {}).unwrap().close().unwrap();
    sandbox
}

fn archive(sandbox: &Sandbox) -> PathBuf {
    sandbox.store().join("log/events-2026-01-01.0000.jsonl.zst")
}

#[test]
fn what_a_hold_leaves_pruned_between_is_no_damage() {
    let sandbox = four_days();
    assert_eq!(sandbox.run(&["prune", "hold", "add", ".sequence=1"]).code, 0);
    // The held segment makes it 1.
    assert_eq!(sandbox.run(&["prune", "--before", "7", "--delete"]).code, 1);
    insta::assert_snapshot!(sandbox.run(&["gaps"]).show(), @"
    --- stderr
    note: position 3 to 6: pruned, unless `weft verify` says otherwise
    5 records, 1 numbered producer: 0 lost, 0 missing, 0 backward, 0 late
    --- exit 0
    ");
    let ran = sandbox.run(&["gaps", "--json"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1), "{}", ran.show());
    let ran = sandbox.run(&["export", "--layout", "daily", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    fs::remove_file(sandbox.store().join("index.db")).unwrap();
    let ran = sandbox.run(&["export", "--layout", "daily", "--out", "unindexed"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
}

#[test]
fn positions_that_were_pruned_are_told_to_whoever_names_them() {
    let sandbox = four_days();
    assert_eq!(sandbox.run(&["prune", "--before", "5", "--delete"]).code, 0);
    let told = |args: &[&str]| {
        let ran = sandbox.run(args);
        (ran.code, ran.stdout.lines().count(), ran.stderr)
    };
    let after = ["log", "--after", "1", "--limit", "all", "--format", "jsonl"];
    let error =
        "error: position 1 was pruned: the log begins at 5, and --after 4 reads from there\n";
    assert_eq!(told(&after), (2, 0, error.to_owned()));
    let all = ["log", "--limit", "all", "--format", "jsonl"];
    assert_eq!(told(&all), (0, 4, String::new()));
}

#[test]
fn a_cut_archive_leaves_the_rest_readable_and_is_named() {
    let sandbox = four_days();
    assert_eq!(sandbox.run(&["prune", "--before", "3"]).code, 0);
    fs::write(archive(&sandbox), "").unwrap();
    for args in [&["show", "3"][..], &["stats"], &["log"], &["index", "rebuild"]] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 0, "{}", ran.show());
    }
    let ran = sandbox.run(&["doctor"]);
    let line = ran.stdout.lines().find(|line| line.contains("archives")).unwrap();
    assert!(line.contains("1 archive cut off or without its seek table"), "{}", ran.show());
    let ran = sandbox.run(&["verify"]);
    let named = "events-2026-01-01.0000:0: nothing of the archive can be read";
    assert!(ran.code == 1 && ran.stdout.contains(named), "{}", ran.show());
}

#[test]
fn a_store_of_a_newer_format_is_left_alone() {
    let sandbox = Sandbox::with_store(&[]);
    let root = sandbox.store();
    assert_eq!(sandbox.pipe(&["emit"], FINE.as_bytes()).code, 0);
    let head = reader::read_head(&RealDisk, &root).unwrap();
    let seal = Seal {
        first: head.next,
        bytes: 0,
        at_us: head.at_us,
        marks: Vec::new(),
        opening: Some(Opening {
            store: head.store.clone(),
            format: FORMAT + 1,
            segment: head.number,
        }),
        body: Hash::of(b""),
        prev: Hash::ZERO,
    };
    let mut line = Vec::new();
    let hash = seal.encode(&mut line);
    let end = line.len() as u64;
    fs::write(root.join(format!("log/{}.jsonl", head.segment)), &line).unwrap();
    fs::write(root.join("head"), Head { seal: 0, end, hash, ..head }.encode()).unwrap();
    for is_indexed in [true, false] {
        if !is_indexed {
            fs::remove_file(root.join("index.db")).unwrap();
        }
        let ran = sandbox.pipe(&["emit"], FINE.as_bytes());
        assert_eq!(ran.code, 2, "{}", ran.show());
        assert!(ran.stderr.contains("this version reads up to 1"), "{}", ran.show());
        assert_eq!(root.join("index.db").exists(), is_indexed);
        assert!(!root.join("spool/events.jsonl").exists());
    }
    let ran = sandbox.run(&["doctor"]);
    let line = ran.stdout.lines().find(|line| line.contains(" store ")).unwrap();
    assert!(line.starts_with("wrong") && line.contains("has format 2"), "{}", ran.show());
}

#[test]
fn what_a_killed_archiving_left_goes_with_the_next_run() {
    let sandbox = four_days();
    let left = archive(&sandbox).with_extension("zst.new");
    fs::write(&left, "half of an archive").unwrap();
    assert_eq!(sandbox.run(&["prune", "--before", "1"]).code, 0);
    assert!(!left.exists());
    assert_eq!(sandbox.run(&["verify"]).code, 0);
}
