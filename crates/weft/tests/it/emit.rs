//! One event into the log.

use std::time::Duration;

use serde_json::Value;
use weft_log::lock::{Lock, Owner};

use crate::sandbox::{FINE, Ran, Sandbox};

const NEEDLE: &str = r#"{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":7,"data":{"bead_id":"b"}}"#;
const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

fn answer(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.show()))
}

fn hold(sandbox: &Sandbox) -> Lock {
    let owner = Owner { pid: 77, what: "weft up".to_owned() };
    Lock::take(&sandbox.store(), &owner, Duration::from_secs(60)).unwrap()
}

#[test]
fn flags_make_an_event_that_is_right_in_every_respect() {
    let sandbox = Sandbox::with_store(&[]);
    let fields = ["--field", "progress=0.5", "--field", "metadata.branch=main"];
    let more = ["--field", "metadata.n=3", "--field", "correlation.trace_id=12"];
    let said = ["--agent", "builder", "--session", "s1", "--message", "Half \"done\""];
    let args = [&["emit", "--type", "activity.progress"][..], &said, &fields, &more].concat();
    insta::assert_snapshot!(sandbox.run(&args).show(), @"
    stored at position 1
    --- stderr
    --- exit 0
    ");
    let log = sandbox.log();
    let event: Value = serde_json::from_str(&log[0]).unwrap();
    assert_eq!(event["message"], "Half \"done\"");
    assert_eq!(event["progress"], 0.5);
    assert_eq!(event["metadata"], serde_json::json!({"branch": "main", "n": 3}));
    // A field that takes text gets text, whatever it looks like.
    assert_eq!(event["correlation"]["trace_id"], "12");
    assert_eq!(event["event_id"].as_str().unwrap().len(), 36);
    let checked =
        sandbox.pipe(&["validate", "--strict", "--dialect", "collector"], log[0].as_bytes());
    assert_eq!(checked.code, 0, "{}", checked.show());
}

#[test]
fn an_event_of_any_dialect_is_taken_as_it_comes() {
    let sandbox = Sandbox::with_store(&[]);
    let events = [FINE, NEEDLE, DONE];
    for (position, event) in (1..).zip(events) {
        let ran = sandbox.pipe(&["emit", "-"], event.as_bytes());
        assert_eq!(ran.show(), format!("stored at position {position}\n--- stderr\n--- exit 0"));
    }
    assert_eq!(sandbox.log(), events);
    let pretty = FINE.replace('{', "{\n  ").replace('}', "\n}\n").replace("@a", "@b");
    assert_eq!(sandbox.pipe(&["emit"], pretty.as_bytes()).code, 0);
    assert!(!sandbox.log()[3].contains('\n'));
}

#[test]
fn a_repeat_and_a_conflict_are_told_from_a_first() {
    let sandbox = Sandbox::with_store(&[]);
    let emit = |event: &str| sandbox.pipe(&["emit", "--json"], event.as_bytes()).show();
    let other = NEEDLE.replace("\"b\"", "\"c\"");
    insta::assert_snapshot!([emit(NEEDLE), emit(NEEDLE), emit(&other), emit(&other)].join("\n"), @r#"
    {"position":1,"outcome":"stored","durability":"synced"}
    --- stderr
    --- exit 0
    {"position":1,"outcome":"repeat","durability":"synced"}
    --- stderr
    --- exit 0
    {"position":2,"outcome":"conflict","durability":"synced","conflicts_with":1}
    --- stderr
    --- exit 0
    {"position":2,"outcome":"repeat","durability":"synced"}
    --- stderr
    --- exit 0
    "#);
    assert_eq!(sandbox.pipe(&["emit"], NEEDLE.as_bytes()).stdout, "a repeat of position 1\n");
}

#[test]
fn a_second_try_with_the_same_id_is_recognised() {
    let sandbox = Sandbox::with_store(&[]);
    let by_flags = ["emit", "--type", "lifecycle.started", "--agent", "a", "--id", "try-1"];
    assert_eq!(sandbox.run(&by_flags).stdout, "stored at position 1\n");
    assert_eq!(sandbox.run(&by_flags).stdout, "a repeat of position 1\n");
    let done = |id: &str| sandbox.pipe(&["emit", "--id", id], DONE.as_bytes()).stdout;
    assert_eq!(done("x"), "stored at position 2\n");
    assert_eq!(done("y"), "stored at position 3\n");
    assert_eq!(done("x"), "a repeat of position 2\n");
}

#[test]
fn what_is_refused_is_told_and_kept() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = sandbox.pipe(&["emit"], br#"{"schema_version":1,"event_type":"x.y"}"#);
    let first = ran.stdout.lines().next().unwrap().to_owned();
    let id = first.strip_prefix("refused, and kept: weft rejects show ").unwrap();
    insta::assert_snapshot!(ran.show().replace(id, "ID"), @"
    refused, and kept: weft rejects show ID
    /timestamp: `timestamp` is missing [missing]
    /worker_id: `worker_id` is missing [missing]
    /session_id: `session_id` is missing [missing]
    /sequence: `sequence` is missing [missing]
    /data: `data` is missing [missing]
    --- stderr
    --- exit 1
    ");
    let shown = sandbox.run(&["rejects", "show", id]);
    assert!(
        shown.stdout.ends_with("{\"schema_version\":1,\"event_type\":\"x.y\"}\n"),
        "{}",
        shown.show()
    );
    assert!(sandbox.log().is_empty());
}

#[test]
fn what_is_not_one_event_is_wrong_use() {
    let sandbox = Sandbox::with_store(&[]);
    insta::assert_snapshot!(sandbox.pipe(&["emit"], format!("{FINE}\n{DONE}\n").as_bytes()).show(), @"
    --- stderr
    error: more than one event: weft ingest takes many
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox.pipe(&["emit"], b"\n").show(), @"
    --- stderr
    error: there is no event on standard input
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox.run(&["emit", "--type", "x.y", "--agent", "a", "--dialect", "needle"]).show(), @"
    --- stderr
    error: flags make collector events: pipe one of needle in instead
    --- exit 2
    ");
    let twice = ["emit", "--type", "x.y", "--agent", "a", "--field", "a=1", "--field", "a.b=2"];
    insta::assert_snapshot!(sandbox.run(&twice).show(), @"
    --- stderr
    error: --field a.b: `a` is given as a whole too
    --- exit 2
    ");
    assert!(sandbox.log().is_empty());
}

#[test]
fn a_condition_on_the_newest_record_holds_or_is_refused() {
    let sandbox = Sandbox::with_store(&[]);
    let emit = |expected: &str, id: &str| {
        let args = ["emit", "--topic", "plan", "--key", "main", "--expect-last", expected];
        sandbox.pipe(&[&args[..], &["--id", id, "--json"]].concat(), DONE.as_bytes()).show()
    };
    let all = [emit("none", "a"), emit("none", "b"), emit("1", "c"), emit("1", "d")];
    insta::assert_snapshot!(all.join("\n"), @r#"
    {"position":1,"outcome":"stored","durability":"synced"}
    --- stderr
    --- exit 0
    {"position":null,"outcome":"unexpected","last":1}
    --- stderr
    --- exit 1
    {"position":2,"outcome":"stored","durability":"synced"}
    --- stderr
    --- exit 0
    {"position":null,"outcome":"unexpected","last":2}
    --- stderr
    --- exit 1
    "#);
    assert_eq!(sandbox.log().len(), 2);
    let ran = sandbox.pipe(&["emit", "--expect-last", "none"], NEEDLE.as_bytes());
    insta::assert_snapshot!(ran.show(), @"
    --- stderr
    error: --expect-last needs a --topic and a --key
    --- exit 2
    ");
}

#[test]
fn while_another_process_holds_the_store_the_spool_takes_it() {
    let sandbox = Sandbox::with_store(&[]);
    let lock = hold(&sandbox);
    let spooled = sandbox.pipe(&["emit", "--json", "--id", "x"], DONE.as_bytes());
    assert_eq!(spooled.code, 0, "{}", spooled.show());
    let told = answer(&spooled);
    assert_eq!((&told["position"], &told["outcome"]), (&Value::Null, &"spooled".into()));
    assert!(told["why"].as_str().unwrap().contains("held by process 77 (weft up)"), "{told}");
    let condition = ["emit", "--topic", "t", "--key", "k", "--expect-last", "none"];
    assert_eq!(sandbox.pipe(&condition, DONE.as_bytes()).code, 2);
    drop(lock);
    assert!(sandbox.log().is_empty());
    assert_eq!(sandbox.pipe(&["emit"], NEEDLE.as_bytes()).stdout, "stored at position 2\n");
    // The same delivery, by whatever way it went the first time.
    let again = sandbox.pipe(&["emit", "--id", "x"], DONE.as_bytes());
    assert_eq!(again.stdout, "a repeat of position 1\n");
    assert_eq!(sandbox.log(), [DONE, NEEDLE]);
}

#[test]
fn the_spool_keeps_what_was_said_about_the_event() {
    let sandbox = Sandbox::with_store(&[]);
    let lock = hold(&sandbox);
    // By its shape alone nobody could tell what this is.
    let vague = br#"{"version":"1.0.0","event_type":"bead.claimed","timestamp":"2026-01-01T00:00:00Z","agent_id":"a","status":"started"}"#;
    let args = ["emit", "--dialect", "idle", "--topic", "plan", "--key", "main"];
    let refused = sandbox.pipe(&args, vague);
    assert_eq!(refused.code, 1, "{}", refused.show());
    let spooled = sandbox.pipe(&args, DONE.as_bytes());
    assert!(spooled.stdout.starts_with("kept in the spool: "), "{}", spooled.show());
    drop(lock);
    let args = ["emit", "--topic", "plan", "--key", "main", "--expect-last", "1", "--id", "n"];
    assert_eq!(sandbox.pipe(&args, DONE.as_bytes()).stdout, "stored at position 2\n");
}

#[test]
fn while_the_index_is_far_behind_the_spool_takes_it() {
    let line = |n: u64| NEEDLE.replace("\"sequence\":7", &format!("\"sequence\":{n}")) + "\n";
    let many: String = (1..=10_001).map(line).collect();
    let sandbox = Sandbox::with_store(&[("many.jsonl", many.as_bytes())]);
    assert_eq!(sandbox.run(&["ingest", "many.jsonl"]).code, 0);
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        if sandbox.store().join(name).exists() {
            std::fs::remove_file(sandbox.store().join(name)).unwrap();
        }
    }
    let ran = sandbox.pipe(&["emit", "--id", "x"], DONE.as_bytes());
    insta::assert_snapshot!(ran.show(), @"
    kept in the spool: the index lacks 10001 records: `weft index rebuild` brings it up to date
    --- stderr
    --- exit 0
    ");
    // Long work brings the index up to date, and what waited in the spool into the log.
    assert_eq!(sandbox.pipe(&["ingest"], FINE.as_bytes()).code, 0);
    assert_eq!(
        sandbox.pipe(&["emit", "--id", "x"], DONE.as_bytes()).stdout,
        "a repeat of position 10002\n"
    );
}

#[test]
fn the_answer_says_what_is_promised() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = sandbox.pipe(&["emit", "--durability", "written", "--json"], FINE.as_bytes());
    insta::assert_snapshot!(ran.show(), @r#"
    {"position":1,"outcome":"stored","durability":"written"}
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    use weft_log::seal::{FORMAT, Opening, Seal};
    let opening = Opening { store: "s".to_owned(), format: FORMAT + 1, segment: 1 };
    let seal = Seal {
        first: weft_log::Position::FIRST,
        bytes: 0,
        at_us: 0,
        marks: Vec::new(),
        opening: Some(opening),
        body: weft_log::Hash::of(b""),
        prev: weft_log::Hash::ZERO,
    };
    let mut line = Vec::new();
    seal.encode(&mut line);
    let sandbox = Sandbox::with(&[(".weft/log/events-2026-01-01.0000.jsonl", &line)]);
    let root = sandbox.path().canonicalize().unwrap();
    let show = |ran: Ran| ran.show().replace(root.to_str().unwrap(), "HERE");
    insta::assert_snapshot!(show(sandbox.pipe(&["emit"], FINE.as_bytes())), @"
    --- stderr
    error: cannot write to the store HERE/.weft: HERE/.weft/log/events-2026-01-01.0000.jsonl has format 2; this version reads up to 1: use a newer one
    --- exit 2
    ");
    insta::assert_snapshot!(show(sandbox.pipe(&["ingest"], FINE.as_bytes())), @"
    --- stderr
    error: cannot write to the store HERE/.weft: HERE/.weft/log/events-2026-01-01.0000.jsonl has format 2; this version reads up to 1: use a newer one
    --- exit 2
    ");
    assert_eq!(
        std::fs::read(sandbox.store().join("log/events-2026-01-01.0000.jsonl")).unwrap(),
        line
    );
}
