//! A store that is kept for long: proven, pruned, indexed again, exported, and filled from elsewhere.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use weft_event::event::Expect;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::disk::RealDisk;
use weft_log::lock::Owner;
use weft_log::log::{Hold, Indexing, Log, Options};
use weft_log::writer::Writer;
use weft_log::{Network, Store};

use crate::sandbox::{Ran, Sandbox};

/// 2026-01-01, in microseconds since 1970.
const DAY_ONE_US: i64 = 1_767_225_600_000_000;
const DAY_US: i64 = 86_400_000_000;

/// A sandbox whose store has two events on each of three days.
struct Kept {
    sandbox: Sandbox,
}

impl Kept {
    fn new() -> Self {
        let sandbox = Sandbox::with(&[]);
        let root = sandbox.path().join(".weft");
        let store = Store::make(&root, Network::Refuse).unwrap();
        let mut gate = Gate::new(&store, Which::Largest, Strictness::Lenient);
        let (mut writer, _) = Writer::open(RealDisk, root, DAY_ONE_US).unwrap();
        for n in 0..6 {
            let line = event(n);
            let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
            let arrival = Arrival { line, expect, via, delivery: None, topic: None };
            let entry = gate.admit(&arrival).unwrap().entry;
            writer.append(&[entry], DAY_ONE_US + i64::from(n / 2) * DAY_US).unwrap();
        }
        drop(writer);
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (patience, indexing) = (Duration::from_secs(60), Indexing::Meanwhile);
        let options = Options { owner, patience, hold: Hold::Long, indexing };
        Log::open(store, options, &mut |_| {}).unwrap().close().unwrap();
        Self { sandbox }
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.sandbox.run(args)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.sandbox.path().join(".weft").join(name)
    }
}

fn event(n: i32) -> String {
    let kind = ["lifecycle.started", "decision.made"][usize::from(n % 2 == 1)];
    let day = n / 2 + 1;
    format!(
        r#"{{"version":"1.0.0","event_type":"{kind}","timestamp":"2026-01-0{day}T10:00:00Z","agent_id":"@a{n}","event_id":"00000000-0000-4000-8000-00000000000{n}"}}"#
    )
}

/// Returns a line of the output, without its name.
fn value(ran: &Ran, name: &str) -> String {
    let line = ran.stdout.lines().find(|line| line.starts_with(name));
    line.unwrap_or_else(|| panic!("{}", ran.show()))[name.len()..].trim().to_owned()
}

#[test]
fn a_sound_store_is_proven_and_its_head_can_be_proven_later() {
    let kept = Kept::new();
    let ran = kept.run(&["verify", "--deep"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let log = value(&ran, "log");
    assert!(log.starts_with("3 segments (0 archives), 9 seals, 6 records from 1 to 6, "), "{log}");
    let head = value(&ran, "head");
    let ran = kept.run(&["verify", "--against", &head]);
    assert_eq!((ran.code, &*value(&ran, "against")), (0, "the head once, of records up to 6"));
    let other = "0".repeat(63) + "1";
    let ran = kept.run(&["verify", "--json", "--against", &other]);
    assert_eq!(ran.code, 1, "{}", ran.show());
    assert!(ran.stdout.contains(r#""message":"no seal has the hash 00"#), "{}", ran.stdout);
    assert!(ran.stdout.contains(r#""records":6,"first":1,"last":6,"#), "{}", ran.stdout);
}

#[test]
fn damage_is_found_told_and_never_touched() {
    let kept = Kept::new();
    let path = kept.file("log/events-2026-01-02.0000.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(4).position(|four| four == b"\"@a2").unwrap();
    bytes[at + 2] ^= 1;
    fs::write(&path, &bytes).unwrap();
    for args in [&["verify"][..], &["verify", "--repair"]] {
        let ran = kept.run(args);
        assert_eq!(ran.code, 1, "{}", ran.show());
        assert!(ran.stdout.contains(": record 3 is lost\n"), "{}", ran.stdout);
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_missing_index_is_made_again_by_a_repair() {
    let kept = Kept::new();
    fs::remove_file(kept.file("index.db")).unwrap();
    let ran = kept.run(&["verify"]);
    assert!(
        ran.code == 1 && ran.stdout.starts_with("index: there is no index\n"),
        "{}",
        ran.show()
    );
    assert_eq!(kept.run(&["index", "status"]).code, 1);
    assert_eq!(kept.run(&["verify", "--repair"]).code, 0);
    assert_eq!(kept.run(&["index", "status"]).code, 0);
}

#[test]
fn what_is_no_store_is_an_error() {
    let sandbox = Sandbox::with(&[]);
    for command in [&["verify"][..], &["index", "status"], &["prune", "--before", "1d"]] {
        let args = [command, &["--store", "nowhere"]].concat();
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, 2, "{}", ran.show());
        assert!(ran.stderr.contains("there is no store at nowhere"), "{}", ran.stderr);
    }
}

#[test]
fn the_index_is_shown_and_made_again() {
    let kept = Kept::new();
    assert_eq!(kept.run(&["index", "rebuild"]).code, 0);
    let ran = kept.run(&["index", "status"]);
    assert_eq!(value(&ran, "core"), "position 6, up to date");
    assert_eq!(value(&ran, "text"), "position 6, up to date");
    let json = kept.run(&["index", "status", "--json"]).stdout;
    assert!(json.starts_with(r#"{"last":6,"version":"#), "{json}");
}

#[test]
fn old_segments_are_archived_unless_they_are_to_be_deleted() {
    let kept = Kept::new();
    let before = kept.run(&["export", "--layout", "daily", "--out", "before"]);
    assert_eq!(before.code, 0, "{}", before.show());
    let ran = kept.run(&["prune", "--before", "2026-01-02", "--dry-run"]);
    assert!(
        ran.stdout.starts_with("would archive events-2026-01-01.0000: records 1 to 2, "),
        "{}",
        ran.show()
    );
    assert!(kept.file("log/events-2026-01-01.0000.jsonl").exists());
    let ran = kept.run(&["prune", "--before", "2026-01-02"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert!(ran.stdout.starts_with("archived events-2026-01-01.0000: records 1 to 2, "));
    assert!(!kept.file("log/events-2026-01-01.0000.jsonl").exists());
    assert!(kept.file("log/events-2026-01-01.0000.jsonl.zst").exists());
    assert_eq!(kept.run(&["verify", "--deep"]).code, 0);
    assert_eq!(kept.run(&["export", "--layout", "daily", "--out", "after"]).code, 0);
    for day in ["events-2026-01-01.jsonl", "events-2026-01-02.jsonl"] {
        let [a, b] = ["before", "after"]
            .map(|folder| fs::read(kept.sandbox.path().join(folder).join(day)).unwrap());
        assert_eq!(a, b);
    }
}

#[test]
fn a_deletion_leaves_a_proof_and_respects_holds() {
    let kept = Kept::new();
    let head = value(&kept.run(&["verify"]), "head");
    assert_eq!(kept.run(&["prune", "hold", "add", "actor:@a1"]).code, 0);
    assert_eq!(kept.run(&["prune", "hold", "list"]).stdout.lines().count(), 1);
    let ran = kept.run(&["prune", "--before", "5", "--delete"]);
    assert_eq!(ran.code, 1, "{}", ran.show());
    assert!(ran.stdout.contains("deleted events-2026-01-02.0000: records 3 to 4, "));
    assert!(ran.stdout.contains("kept events-2026-01-01.0000: record 2 is held by "));
    let ran = kept.run(&["verify", "--deep", "--against", &head]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let hold = kept.run(&["prune", "hold", "list"]).stdout;
    assert_eq!(kept.run(&["prune", "hold", "remove", hold.trim()]).code, 0);
    let ran = kept.run(&["prune", "--before", "5", "--delete", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert!(ran.stdout.starts_with(
        r#"{"mode":"delete","segments":[{"segment":"events-2026-01-01.0000","first":1,"last":2,"#
    ));
    let ran = kept.run(&["verify", "--deep", "--against", &head]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert!(value(&ran, "log").contains(" from 5 to "), "{}", ran.stdout);
    for place in [["--after", "3"], ["--before", "4"]] {
        let ran = kept.run(&[&["log"], &place[..]].concat());
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.show());
        assert!(ran.stderr.contains(" was pruned: the log begins at 5"), "{}", ran.show());
    }
    let positions = |args: &[&str]| kept.run(&[&["log", "--format", "json"], args].concat()).stdout;
    assert!(positions(&["--after", "4", "-n", "1"]).starts_with(r#"{"position":5,"#));
    assert_eq!(positions(&["--before", "5"]), "");
}

#[test]
fn wrong_use_of_prune_is_told() {
    let kept = Kept::new();
    for args in [
        &["prune"][..],
        &["prune", "--before", "yesterday"],
        &["prune", "--before", "0"],
        &["prune", "--keep-bytes", "1Q"],
        &["prune", "--before", "1d", "--hold", "actor:a"],
        &["prune", "--before", "1d", "--archive", "--delete"],
    ] {
        assert_eq!(kept.run(args).code, 2, "{args:?}");
    }
}

#[test]
fn an_export_has_the_files_of_its_layout() {
    let kept = Kept::new();
    let files = |folder: &str| {
        let entries = fs::read_dir(kept.sandbox.path().join(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let ran = kept.run(&["export", "--layout", "agent", "--out", "a", "--until", "2026-01-02"]);
    assert_eq!(ran.stderr, format!("2 events in 2 files, {} bytes\n", event(0).len() * 2 - 4 + 2));
    assert_eq!(files("a"), ["events-%40a0-2026-01-01.jsonl", "events-%40a1-2026-01-01.jsonl"]);
    kept.run(&["export", "--layout", "decisions", "--out", "d", "actor:@a3"]);
    assert_eq!(files("d"), ["decisions-2026-01-02.jsonl"]);
    let text = fs::read_to_string(kept.sandbox.path().join("d/decisions-2026-01-02.jsonl"));
    assert_eq!(text.unwrap(), format!("{}\n", event(3)));
}

#[test]
fn rows_of_an_old_table_become_events_once() {
    let kept = Kept::new();
    let database = rusqlite::Connection::open(kept.sandbox.path().join("old.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE updates(id INTEGER PRIMARY KEY, agent TEXT, status TEXT, message TEXT, created_at TEXT, session_id TEXT, project TEXT);
             INSERT INTO updates VALUES(1, '@a', 'started', 'Go', '2025-12-13 20:45:00', 's1', 'x');
             INSERT INTO updates VALUES(2, '@a', 'tool_use', NULL, '2025-12-13T20:46:00Z', NULL, NULL);
             INSERT INTO updates VALUES(3, '@a', 'asleep', NULL, 1765658760, NULL, NULL);",
        )
        .unwrap();
    let import: &[&str] = &[
        "import",
        "sqlite",
        "old.db",
        "--table",
        "updates",
        "--map",
        "agent=agent_id",
        "--map",
        "created_at=timestamp",
    ];
    let ran = kept.run(import);
    assert_eq!(ran.stderr, "3 rows: 2 stored, 0 known already, 1 refused\n");
    assert_eq!(ran.code, 1);
    database.execute_batch("UPDATE updates SET status = 'error' WHERE id = 3").unwrap();
    let ran = kept.run(import);
    assert_eq!(ran.stderr, "3 rows: 1 stored, 2 known already, 0 refused\n");
    assert_eq!(ran.code, 0);
    kept.run(&["export", "--layout", "agent", "--out", "out", "actor:@a"]);
    let lines =
        fs::read_to_string(kept.sandbox.path().join("out/events-%40a-2025-12-13.jsonl")).unwrap();
    insta::assert_snapshot!(lines.trim_end(), @r#"
    {"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2025-12-13T20:45:00Z","agent_id":"@a","event_id":"87905258-efdb-8cd6-b027-3f4ca7aca782","session_id":"s1","status":"started","message":"Go","correlation":{"trace_id":"e2b349268b872d0a8dfad45e118c8852"},"metadata":{"id":1,"project":"x"}}
    {"version":"1.0.0","event_type":"activity.tool_use","timestamp":"2025-12-13T20:46:00Z","agent_id":"@a","event_id":"cd5890b7-5f47-83fe-878a-61abec06677a","status":"tool_use","metadata":{"id":2}}
    {"version":"1.0.0","event_type":"lifecycle.error","timestamp":"2025-12-13T20:46:00Z","agent_id":"@a","event_id":"1b814380-ab64-8fff-a077-86e43a233adf","status":"error","metadata":{"id":3}}
    "#);
    let validated = kept.sandbox.pipe(&["validate", "--strict"], lines.as_bytes());
    assert_eq!(validated.code, 0, "{}", validated.show());
    let ran = kept.run(&["import", "sqlite", "old.db", "--table", "updates"]);
    assert!(ran.code == 2 && ran.stderr.contains("--map COLUMN=agent_id"), "{}", ran.show());
}
