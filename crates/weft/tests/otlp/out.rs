//! What Weft sends by OTLP: the same events at another Weft, and no more than once; what becomes of it when the receiver is away,
//! rejects it, or refuses it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Output, Stdio};

use super::client;
use super::scene::{Home, Receiver, Record, Scene};

const EXAMPLES: [&str; 5] = ["collector", "engine", "idle", "needle", "pinchy"];

/// Makes a store with the examples of every dialect.
fn home() -> Home {
    let home = Home::new();
    for name in EXAMPLES {
        let file = format!("{}/../../examples/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        assert!(home.run(&["ingest", &file]).status.success(), "{name}");
    }
    home
}

/// Returns the lines of events, without Weft's own records.
fn lines(records: &[Record]) -> Vec<&str> {
    let is_own = |line: &str| line.starts_with(r#"{"weft""#);
    records.iter().map(|record| &*record.line).filter(|line| !is_own(line)).collect()
}

fn said(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

#[test]
fn an_export_gives_another_weft_the_same_events() {
    let (from, to) = (home(), Scene::start());
    let endpoint = format!("http://{}", to.http());
    let ran = from.run(&["export", "otlp", "--endpoint", &endpoint]);
    assert!(ran.status.success(), "{}", said(&ran));
    let again = from.run(&["export", "otlp", "--endpoint", &endpoint, "dialect=needle"]);
    assert!(again.status.success(), "{}", said(&again));
    let (sent, taken) = (from.records(), to.end());
    assert_eq!(lines(&taken), lines(&sent));
    assert!(lines(&taken).len() > 20);
    assert!(taken.iter().all(|record| record.via == "otlp"));
}

#[test]
fn a_subscription_gives_another_weft_the_same_events() {
    let (from, to) = (home(), Scene::start());
    let endpoint = format!("http://{}", to.http());
    let added = from.run(&["sub", "add", "backend", "--from", "start", "--otlp", &endpoint]);
    assert!(added.status.success(), "{}", said(&added));
    let shown = from.run(&["sub", "show", "backend"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("kind       otlp"));
    let records = from.records();
    let mut sent: Vec<_> = lines(&records);
    let mut tail = to.home.weft(&["tail", "--last", "all", "--format", "jsonl"]);
    let mut tail = tail.stdout(Stdio::piped()).spawn().unwrap();
    let from = from.up();
    let followed = BufReader::new(tail.stdout.take().unwrap()).lines();
    let mut taken: Vec<String> = followed.take(sent.len()).map(Result::unwrap).collect();
    tail.kill().unwrap();
    tail.wait().unwrap();
    drop(from);
    taken.sort();
    sent.sort();
    assert_eq!(taken, sent);
    assert_eq!(lines(&to.end()).len(), sent.len());
}

#[test]
fn a_receiver_that_is_away_is_asked_again() {
    let receiver = Receiver::start(&[(503, "Retry-After: 0\r\n", "busy"), (200, "", "{}")]);
    let ran = home().run(&["export", "otlp", "--endpoint", &receiver.url, "dialect=needle"]);
    assert!(ran.status.success(), "{}", said(&ran));
    let bodies: Vec<_> = receiver.bodies.try_iter().collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0], bodies[1]);
}

#[test]
fn what_is_rejected_is_told_and_not_sent_again() {
    let rejected = r#"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}"#;
    let receiver = Receiver::start(&[(200, "", rejected)]);
    let ran = home().run(&["export", "otlp", "--endpoint", &receiver.url, "dialect=needle"]);
    assert_eq!(ran.status.code(), Some(1));
    assert!(said(&ran).contains("1 record rejected: too old"), "{}", said(&ran));
    assert_eq!(receiver.bodies.try_iter().count(), 1);

    let receiver = Receiver::start(&[(400, "", "no")]);
    let ran = home().run(&["export", "otlp", "--endpoint", &receiver.url]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(said(&ran).contains("answered 400: no"), "{}", said(&ran));
    assert_eq!(receiver.bodies.try_iter().count(), 1);
}

#[test]
fn an_event_that_is_rejected_is_on_the_list_of_the_dead() {
    let rejected = r#"{"partialSuccess":{"rejectedLogRecords":1,"errorMessage":"too old"}}"#;
    let receiver = Receiver::start(&[(503, "", "busy"), (200, "", rejected), (200, "", "{}")]);
    let from = Home::new();
    let sub = ["sub", "add", "backend", "--otlp", &receiver.url, "--parallel", "1"];
    assert!(from.run(&sub).status.success());
    let mut from = from.up();
    for n in 0..3 {
        let mut emit = from.home.weft(&["emit"]).stdin(Stdio::piped()).spawn().unwrap();
        let line = format!(
            r#"{{"schema_version":1,"timestamp":"2026-04-21T11:20:19Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{n},"data":{{}}}}"#
        );
        emit.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        assert!(emit.wait().unwrap().success());
    }
    let bodies: Vec<_> = receiver.bodies.iter().take(4).collect();
    assert_eq!(bodies[0], bodies[1], "what was away is asked again");
    let sequences: Vec<_> = bodies
        .iter()
        .map(|body| (0..3).find(|n| body.contains(&format!(r#"\"sequence\":{n}"#))).unwrap())
        .collect();
    assert_eq!(sequences, [0, 0, 1, 2], "in order, and what was rejected only once");
    from.stop();
    let dead = from.home.run(&["sub", "dead", "backend", "--json"]);
    let dead = String::from_utf8_lossy(&dead.stdout).into_owned();
    assert_eq!(dead.lines().count(), 1, "{dead}");
    assert!(dead.contains("rejected: too old"), "{dead}");
}

#[test]
fn python_reads_what_is_sent() {
    let Some(mut parse) = client("python", "parse.py") else { return };
    let from = home();
    let ran = from.run(&["export", "otlp", "--out", "-"]);
    assert!(ran.status.success(), "{}", said(&ran));
    let mut parse = parse.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = parse.stdin.take().unwrap();
    let writing = std::thread::spawn(move || input.write_all(&ran.stdout).unwrap());
    let parsed = parse.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(parsed.status.success());
    let parsed = String::from_utf8(parsed.stdout).unwrap();
    assert_eq!(parsed.lines().collect::<Vec<_>>(), lines(&from.records()));
}
