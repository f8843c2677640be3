//! The commands of the views: tables for people, rows for programs, the past, and what changes.

use std::process::{Command, Stdio};

use insta::assert_snapshot;
use jiff::Timestamp;
use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::served::{PATIENCE, lines};
use crate::stored::{Stored, collector};

const BLOCKED: &str = "coordination.blocked";

fn told(second: u32, event_type: &str, message: &str) -> String {
    let id = format!("00000000-0000-4000-8000-0000000000{second:02}");
    let more = format!(r#""session_id":"s1","event_id":"{id}","message":"{message}""#);
    collector(second, event_type, &more)
}

/// Returns a store in which an agent starts, is blocked, and goes on.
fn stored() -> Stored {
    Stored::with(&[
        told(10, "lifecycle.started", "Building"),
        told(11, BLOCKED, "No key for the registry"),
        told(12, "activity.progress", "Got it"),
        told(13, "lifecycle.completed", "Built"),
    ])
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_table_shows_who_does_what_at_a_position() {
    let stored = stored();
    assert_snapshot!(stored.run(&["fleet", "--at", "2", "--utc"]).show(), @"
    ACTOR  STATUS   SINCE  PRESENCE         SEEN  PARENT  SESSION  HOST  CHILDREN  ON  LAST WORDS
    @a     blocked  now    alive_by_events  now           s1                           No key for the registry
    --- stderr
    --- exit 0
    ");
    let at = |position: &str| {
        let ran = stored.run(&["fleet", "--at", position, "--json"]);
        rows(&ran.stdout).iter().map(|row| row["status"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(at("1"), ["started"]);
    assert_eq!(at("2"), ["blocked"]);
    assert_eq!(at("4"), ["completed"]);
    // Records are received ten seconds after the first, and a second after each other.
    assert_eq!(at("2020-01-01T00:00:11Z"), ["blocked"]);
    assert_eq!(at("2020-01-01"), [""; 0]);
}

#[test]
fn the_inbox_says_by_its_exit_code_whether_something_needs_a_person() {
    let stored = stored();
    let asked = stored.run(&["inbox", "--at", "2", "--json"]);
    assert_eq!(asked.code, 1, "{}", asked.show());
    let [need] = &rows(&asked.stdout)[..] else { panic!("{}", asked.show()) };
    assert_eq!((&need["kind"], &need["actor"]), (&"blocked".into(), &"@a".into()));
    assert_eq!(need["positions"], Value::from(vec![2]));
    let resolved = stored.run(&["inbox", "--at", "3"]);
    assert_eq!((resolved.code, resolved.stdout.as_str()), (0, ""), "{}", resolved.show());
    assert_eq!(resolved.stderr, "note: nothing needs a person\n");
}

#[test]
fn usage_without_what_it_is_grouped_by_has_a_name() {
    let used = |second, usage: &str| {
        told(second, "activity.usage", "used").replacen(
            '{',
            &format!(r#"{{"metadata":{{"usage":{usage}}},"#),
            1,
        )
    };
    let stored = Stored::with(&[
        used(10, r#"{"input_tokens":900}"#),
        used(11, r#"{"input_tokens":9,"model":"my-own"}"#),
    ]);
    let names = |by: &str| {
        let shown = stored.run(&["usage", "--by", by]).stdout;
        let names = shown.lines().skip(1).map(|line| line.split("  ").next().unwrap().to_owned());
        names.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(names("model"), "no model, my-own");
    assert_eq!(names("task"), "no task");
    assert_eq!(names("actor"), "@a");
}

#[test]
fn a_moment_that_is_none_is_wrong_use() {
    let stored = stored();
    assert_snapshot!(stored.run(&["fleet", "--at", "5"]).show(), @"
    --- stderr
    error: cannot show fleet: there is no position 5 yet: the log ends at 4
    --- exit 2
    ");
    assert_snapshot!(stored.run(&["fleet", "--at", "noon"]).show(), @"
    --- stderr
    error: `noon` is no moment: write a position, or a time as 2h, 2026-11-15 or 2026-11-15T09:30
    --- exit 2
    ");
    assert_eq!(stored.run(&["fleet", "--at", "1", "--watch"]).code, 2);
}

#[test]
fn rows_beyond_the_limit_are_told() {
    let lines: Vec<String> = (10..15)
        .map(|n| told(n, "lifecycle.started", "Building").replace("@a", &format!("@a{n}")))
        .collect();
    let ran = Stored::with(&lines).run(&["fleet", "--limit", "2", "--json"]);
    assert_eq!(rows(&ran.stdout).len(), 2);
    let all = Stored::with(&lines).run(&["fleet", "--limit", "2"]);
    assert_eq!(all.stderr, "note: there are 3 more rows: --limit all\n");
}

#[test]
fn whoever_watches_is_told_of_what_is_new_and_of_what_is_gone() {
    let sandbox = Sandbox::with_store(&[]);
    let emit = |second: u32, event_type: &str| {
        let line = told(second, event_type, "No key");
        let now = Timestamp::now().to_string();
        let line = line.replace(&format!("2020-01-01T00:00:{second:02}Z"), &now);
        let ran = sandbox.pipe(&["emit"], line.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.show());
    };
    let mut command = sandbox.command(&["inbox", "--watch", "--json"]);
    let mut watch = command.stdout(Stdio::piped()).spawn().unwrap();
    let come = lines(watch.stdout.take().unwrap());
    emit(1, BLOCKED);
    let need: Value = serde_json::from_str(&come.recv_timeout(PATIENCE).unwrap()).unwrap();
    assert_eq!(need["kind"], "blocked");
    emit(2, "activity.progress");
    let gone: Value = serde_json::from_str(&come.recv_timeout(PATIENCE).unwrap()).unwrap();
    assert_eq!(gone["gone"], need["id"]);
    let pid = watch.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    assert!(come.recv().is_err(), "nothing else was told");
}

/// Returns what a watching command says before and after a message comes while it watches. It has to end in order.
fn watched(args: &[&str]) -> (Vec<String>, Vec<String>) {
    let event = |second: u32, message: &str| {
        let trace = r#""correlation":{"trace_id":"t-1","span_id":"SPAN"}"#;
        let line = told(second, "activity.message", message);
        line.replacen('{', &format!("{{{},", trace.replace("SPAN", message)), 1)
    };
    let sandbox = Sandbox::with_store(&[]);
    let emit = |line: String| {
        let ran = sandbox.pipe(&["emit"], line.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.show());
    };
    emit(event(1, "first"));
    let mut watch = sandbox.command(args).stdout(Stdio::piped()).spawn().unwrap();
    let come = lines(watch.stdout.take().unwrap());
    let until = |word: &str| {
        let mut seen = Vec::new();
        while !seen.iter().any(|line: &String| line.contains(word)) {
            seen.push(come.recv_timeout(PATIENCE).unwrap());
        }
        seen
    };
    let before = until("first");
    emit(event(2, "second"));
    let after = until("second");
    let pid = watch.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    (before, after)
}

#[test]
fn a_session_is_watched_record_by_record_or_as_a_conversation() {
    let (before, after) = watched(&["session", "s1", "--watch", "--format", "jsonl"]);
    assert_eq!((before.len(), after.len()), (1, 1));
    let (before, after) = watched(&["session", "s1", "--watch", "--format", "table", "--utc"]);
    assert_snapshot!([before, after].concat().join("\n"), @"
    POSITION  TIME                 ACTOR  TYPE              STATUS    WHAT
    1         2020-01-01 00:00:01  @a     activity.message  thinking  first
    2         2020-01-01 00:00:02  @a     activity.message  thinking  second
    ");
    let (before, after) = watched(&["session", "s1", "--watch", "--talk", "--utc"]);
    assert_snapshot!([before, after].concat().join("\n"), @"
    session s1

    00:00:01 agent      first

    0 turns, 0 calls, 0 errors in 0ms
    00:00:02 agent      second
    ");
}

#[test]
fn a_trace_is_watched_while_it_grows() {
    let (before, after) = watched(&["trace", "t-1", "--watch", "--json"]);
    assert_eq!((before.len(), after.len()), (1, 1));
    let row: Value = serde_json::from_str(&after[0]).unwrap();
    assert_eq!(row["span"], "second");
    assert_eq!(stored().run(&["trace", "t", "--at", "1", "--watch"]).code, 2);
}
