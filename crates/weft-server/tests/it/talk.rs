//! A session as it was talked, over HTTP: any part of it, as it grows, and as it was.

use std::collections::BTreeSet;

use serde_json::Value;
use weft_event::demo::World;

use crate::server::Server;

/// 2026-11-15 08:00 UTC.
const START_NS: i64 = 1_794_729_600_000_000_000;

fn post(server: &Server, lines: &[String]) {
    let answer = server.client().post_as("application/x-ndjson", lines.join("\n"));
    assert_eq!(answer.json()["accepted"], lines.len(), "{}", answer.shown());
}

fn demo(n: usize) -> Vec<String> {
    World::new(5, START_NS).take(n).map(|moment| moment.line).collect()
}

fn talk(server: &Server, session: &str, query: &str) -> Value {
    let answer = server.client().get(&format!("/v1/sessions/{session}/talk{query}"));
    assert_eq!(answer.status, 200, "{}", answer.shown());
    answer.json()
}

/// Returns the sessions that a server knows.
fn sessions(server: &Server) -> BTreeSet<String> {
    let rows = server.client().get("/v1/views/sessions?limit=1000").json();
    let rows = rows["rows"].as_array().expect("rows").iter();
    rows.map(|row| row["session"].as_str().expect("text").to_owned()).collect()
}

/// Returns the session of which most is told, and its talk.
fn longest(server: &Server) -> (String, Value) {
    let talks = sessions(server).into_iter().map(|session| {
        let whole = talk(server, &session, "?limit=1000");
        (session, whole)
    });
    talks.max_by_key(|(_, talk)| talk["n_items"].as_u64()).expect("there is one")
}

#[test]
fn parts_make_the_whole() {
    let server = Server::start();
    post(&server, &demo(800));
    let (session, whole) = longest(&server);
    let items = whole["items"].as_array().expect("items");
    let n_items = items.len();
    assert_eq!(whole["n_items"], n_items);
    assert!(n_items > 20, "{n_items}");
    let mut parts = Vec::new();
    while parts.len() < n_items {
        let part = talk(&server, &session, &format!("?limit=7&from={}", parts.len()));
        assert_eq!(part["from"], parts.len());
        assert_eq!(part["marks"], whole["marks"]);
        parts.extend(part["items"].as_array().expect("items").iter().cloned());
    }
    assert_eq!(&parts, items);
    for (nth, item) in items.iter().enumerate() {
        assert_eq!(item["nth"], nth);
    }
    let end = talk(&server, &session, "?limit=5&from=end");
    assert_eq!(end["from"], n_items - 5);
    assert_eq!(end["items"].as_array().expect("items"), &items[n_items - 5..]);
    let beyond = talk(&server, &session, "?from=99999");
    assert_eq!(
        (&beyond["from"], &beyond["items"]),
        (&Value::from(n_items), &Value::from(Vec::<u8>::new()))
    );
}

#[test]
fn what_came_since_is_in_it_and_the_past_stays_as_it_was() {
    let server = Server::start();
    let lines = demo(600);
    post(&server, &lines[..300]);
    let (session, then) = longest(&server);
    post(&server, &lines[300..]);
    let now = talk(&server, &session, "?limit=1000");
    let mut fresh = Server::start();
    post(&fresh, &lines);
    assert_eq!(talk(&fresh, &session, "?limit=1000"), now);
    assert!(now["n_items"].as_u64() > then["n_items"].as_u64(), "{now}");
    assert_eq!(talk(&server, &session, "?limit=1000&upto=300"), then);
    fresh = Server::start();
    post(&fresh, &lines[..200]);
    if sessions(&fresh).contains(&session) {
        let early = talk(&fresh, &session, "?limit=1000");
        assert_eq!(talk(&server, &session, "?limit=1000&upto=200"), early);
    }
}

#[test]
fn more_sessions_than_are_kept_are_read_again() {
    let server = Server::start();
    post(&server, &demo(1500));
    let all = sessions(&server);
    assert!(all.len() > 8, "{all:?}");
    let first: Vec<Value> = all.iter().map(|session| talk(&server, session, "")).collect();
    let again: Vec<Value> = all.iter().map(|session| talk(&server, session, "")).collect();
    assert_eq!(first, again);
}

#[test]
fn a_wrong_question_is_told() {
    let server = Server::start();
    post(&server, &demo(50));
    let session = sessions(&server).into_iter().next().expect("one");
    let failure = |session: &str, query: &str| {
        let target = format!("/v1/sessions/{session}/talk{query}");
        server.client().get(&target).failure()
    };
    assert_eq!(failure("nobody", ""), (404, "not_found".to_owned()));
    // No filter can hold such a name, and no record has it.
    assert_eq!(failure(&"long".repeat(4000), ""), (404, "not_found".to_owned()));
    assert_eq!(failure("two%0Alines%00", ""), (404, "not_found".to_owned()));
    assert_eq!(failure(&session, "?from=last"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&session, "?limit=0"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&session, "?upto=0"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&session, "?upto=51"), (410, "beyond_end".to_owned()));
}
