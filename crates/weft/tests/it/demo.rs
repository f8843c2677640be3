//! The made-up night as its users get it: clean, the same every time, and no longer than they read.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::sandbox::{Sandbox, weft};

#[test]
fn ten_thousand_events_are_valid_under_strict_rules() {
    let sandbox = Sandbox::with(&[]);
    let night = sandbox.run(&["demo", "--events", "10000", "--seed", "3"]);
    assert_eq!((night.code, night.stderr.as_str()), (0, ""));
    let ran = sandbox.pipe(&["validate", "--strict", "-"], night.stdout.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.show());
    assert!(ran.stderr.starts_with("10000 events: 10000 valid, 0 invalid, 0 warnings"));
}

#[test]
fn seed_and_start_alone_decide_what_is_printed() {
    let night = |seed: &str, start: &str| {
        weft(&["demo", "--events", "300", "--seed", seed, "--start", start]).stdout
    };
    let start = "2026-11-15T22:00:00Z";
    assert_eq!(night("1", start), night("1", start));
    assert_ne!(night("1", start), night("2", start));
    assert_eq!(night("1", start), night("1", "2026-11-15T23:00:00+01:00"));
    assert_eq!(night("1", start).lines().count(), 300);
    assert_eq!(weft(&["demo", "--events", "0"]).show(), "--- stderr\n--- exit 0");
}

#[test]
fn a_start_that_is_no_time_is_wrong_use() {
    insta::assert_snapshot!(weft(&["demo", "--start", "tonight"]).show(), @"
    --- stderr
    error: --start tonight: no time from 1970 on, such as 2026-03-02T20:00:00Z, 2026-11-15 or 40m
    --- exit 2
    ");
    insta::assert_snapshot!(weft(&["demo", "--start", "1960-01-01T00:00:00Z"]).show(), @"
    --- stderr
    error: --start 1960-01-01T00:00:00Z: no time from 1970 on, such as 2026-03-02T20:00:00Z, 2026-11-15 or 40m
    --- exit 2
    ");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let sandbox = Sandbox::with(&[]);
    let mut command = sandbox.command(&["demo", "--events", "1000000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with('{'));
    drop(lines);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_night_can_be_kept_and_is_told_back_without_a_repeat_or_a_gap() {
    let sandbox = Sandbox::with_store(&[]);
    let night = sandbox.run(&["demo", "--events", "2000"]);
    let ran = sandbox.pipe(&["ingest", "-"], night.stdout.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert_eq!(sandbox.log().len(), 2000);
    let gaps = sandbox.run(&["gaps"]);
    assert_eq!(gaps.code, 0, "{}", gaps.show());
}
