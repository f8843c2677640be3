//! What the doctor finds, and what it says to do.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::Value;
use uuid::Uuid;
use weft_log::lock::{Lock, Owner};
use weft_log::{Store, spool};

use crate::sandbox::{FINE, Sandbox};
use crate::served::Served;
use crate::stored::{Stored, needle};

/// Returns what is said of one thing: its level, and the words with their advice.
fn said(sandbox: &Sandbox, name: &str) -> (String, String) {
    let ran = sandbox.run(&["doctor", "--json"]);
    let page: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.show()));
    let checks = page["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["check"] == name).expect(&ran.stdout);
    let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
    let root = sandbox.store().canonicalize().unwrap();
    let words = format!("{}: {}", text("message"), text("advice"));
    assert_eq!(page["fine"], ran.code == 0);
    (text("level"), words.replace(root.to_str().unwrap(), "STORE"))
}

fn wrong(words: &str) -> (String, String) {
    ("wrong".to_owned(), words.to_owned())
}

#[test]
fn a_store_that_is_well_needs_nothing() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = sandbox.run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let names: Vec<_> =
        ran.stdout.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    let all = ["store", "clock", "index", "damage", "aside", "spool", "rejected", "lock"];
    let rest = ["server", "config", "access", "crowd", "rights", "room", "sync"];
    assert_eq!(names, [&all[..], &rest].concat());
}

#[test]
fn no_store_is_told_with_the_way_to_one() {
    let ran = Sandbox::with(&[]).run(&["doctor", "--store", "none"]);
    insta::assert_snapshot!(ran.show(), @"
    wrong store    there is no store at none: make one with `weft init`
    --- stderr
    --- exit 1
    ");
}

#[test]
fn what_waits_and_what_was_refused_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    assert_eq!(sandbox.pipe(&["emit"], br#"{"schema_version":1,"event_type":"x.y"}"#).code, 1);
    let (at_us, via, id, line) = (0, "hook".into(), Uuid::nil(), FINE.as_bytes());
    let entry = spool::Entry { at_us, via, id, dialect: None, topic: None, line };
    spool::put(&Store::at(&sandbox.store()), &entry).unwrap();
    assert_eq!(
        said(&sandbox, "spool"),
        wrong(
            "1 event waiting, 0 damaged: `weft log` or any other command moves them into the log"
        )
    );
    assert_eq!(
        said(&sandbox, "rejected"),
        wrong("1 event refused: `weft rejects` says why, `weft rejects retry` tries again")
    );
}

#[test]
fn rights_and_settings_are_looked_at() {
    let sandbox = Sandbox::with_store(&[]);
    std::fs::write(sandbox.store().join("config.toml"), "lisen = 1\n").unwrap();
    std::fs::set_permissions(sandbox.store(), PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(
        said(&sandbox, "rights"),
        wrong("other users may look into the store (mode 755): chmod 700 STORE")
    );
    let (level, words) = said(&sandbox, "config");
    assert_eq!(level, "wrong");
    assert!(
        words.contains("config.toml:1:1: there is no setting `lisen`; is `listen` meant?"),
        "{words}"
    );
    std::fs::set_permissions(sandbox.store(), PermissionsExt::from_mode(0o700)).unwrap();
    let config = sandbox.store().join("config.toml");
    std::fs::set_permissions(config, PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(
        said(&sandbox, "rights"),
        wrong("other users may read STORE/config.toml: chmod 600 STORE/config.toml")
    );
}

#[test]
fn an_index_that_is_missing_or_far_behind_is_told() {
    let lines: Vec<String> = (0..10_001).map(|n| needle(0, "w", "s", n)).collect();
    let stored = Stored::in_groups(1000, &lines);
    let expected = "it is missing, so that searching is slow: `weft index rebuild` makes it again";
    assert_eq!(said(&stored.sandbox, "index"), wrong(expected));
    assert_eq!(stored.run(&["index", "rebuild"]).code, 0);
    assert_eq!(said(&stored.sandbox, "index").0, "ok");
}

#[test]
fn who_holds_the_store_and_whether_the_server_answers_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let owner = Owner { pid: 77, what: "weft ingest".to_owned() };
    let lock = Lock::take(&sandbox.store(), &owner, Duration::ZERO).unwrap();
    let fine = |words: &str| ("ok".to_owned(), words.to_owned());
    assert_eq!(said(&sandbox, "lock"), fine("held by process 77 (weft ingest): "));
    drop(lock);
    assert_eq!(said(&sandbox, "lock"), fine("nobody holds the store: "));
    assert_eq!(said(&sandbox, "server"), fine("none runs: "));
    let served = Served::start(&sandbox);
    let (level, words) = said(&sandbox, "server");
    assert_eq!((level.as_str(), words.contains(&served.http)), ("ok", true), "{words}");
    served.signal("-KILL");
    drop(served);
    assert_eq!(said(&sandbox, "server").0, "note");
}

#[test]
fn damage_is_told_with_its_place() {
    let lines: Vec<String> = (0..3).map(|n| needle(0, "w", "s", n)).collect();
    let stored = Stored::with(&lines);
    let mut bytes = std::fs::read(stored.segment()).unwrap();
    let at = bytes.windows(4).position(|four| four == b"b-1\"").unwrap();
    bytes[at] = b'x';
    std::fs::write(stored.segment(), bytes).unwrap();
    assert_eq!(stored.run(&["index", "rebuild"]).code, 0);
    assert_eq!(
        said(&stored.sandbox, "damage"),
        wrong(
            "1 record damaged, from position 2 on: `weft gaps` lists them, `weft verify` says what happened"
        )
    );
}
