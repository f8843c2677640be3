//! Views over HTTP: what was just stored is in them, the past can be asked for, and whoever follows one has what a page says.

use std::collections::BTreeMap;

use serde_json::Value;
use weft_event::demo::World;

use crate::post::claimed;
use crate::read::{post_claims, with_claims};
use crate::server::{Server, Setup};
use crate::source::{Source, Told};

/// 2026-11-15 08:00 UTC.
const START_NS: i64 = 1_794_729_600_000_000_000;

fn post_demo(server: &Server, lines: &[String]) {
    let answer = server.client().post_as("application/x-ndjson", lines.join("\n"));
    assert_eq!(answer.json()["accepted"], lines.len(), "{}", answer.shown());
}

fn demo(n: usize) -> Vec<String> {
    World::new(5, START_NS).take(n).map(|moment| moment.line).collect()
}

fn view(server: &Server, target: &str) -> Value {
    let answer = server.client().get(&format!("/v1/views/{target}"));
    assert_eq!(answer.status, 200, "{}", answer.shown());
    answer.json()
}

fn failure(server: &Server, target: &str) -> (u16, String) {
    server.client().get(&format!("/v1/views/{target}")).failure()
}

/// Takes away what goes on while nothing happens.
fn without_durations(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !name.ends_with("_ms"));
            members.values_mut().for_each(without_durations);
        }
        Value::Array(items) => items.iter_mut().for_each(without_durations),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn what_was_just_stored_is_in_every_view() {
    let server = Server::start();
    let mut n_stored = 0;
    for lines in demo(400).chunks(50) {
        post_demo(&server, lines);
        n_stored += lines.len() as u64;
        let fleet = view(&server, "fleet?limit=1000");
        assert_eq!(fleet["position"], n_stored);
        assert_eq!(fleet["behind"], Value::Null);
        assert!(!fleet["rows"].as_array().expect("rows").is_empty());
    }
    let some = view(&server, "fleet?limit=2");
    assert_eq!(some["rows"].as_array().expect("rows").len(), 2);
    assert!(some["n_more"].as_u64().expect("a number") > 0);
    let by_day = view(&server, "usage?by=day");
    assert_eq!(by_day["rows"][0]["name"], "2026-11-15");
}

#[test]
fn the_past_is_as_it_was() {
    let server = Server::start();
    let lines = demo(200);
    post_demo(&server, &lines[..120]);
    let mut before = view(&server, "work?limit=1000");
    post_demo(&server, &lines[120..]);
    let mut then = view(&server, "work?limit=1000&at=120");
    assert_eq!(then["position"], 120);
    for page in [&mut before, &mut then] {
        without_durations(page);
    }
    assert_eq!(then["rows"], before["rows"]);
    assert_ne!(view(&server, "work?limit=1000")["rows"], then["rows"]);
    let now = view(&server, "fleet?at=0s");
    assert_eq!(now["position"], 200);
    let long_ago = view(&server, "fleet?at=2020-01-01");
    assert_eq!(
        (&long_ago["position"], &long_ago["rows"]),
        (&Value::from(0), &Value::from(Vec::<u8>::new()))
    );
}

#[test]
fn a_wrong_question_is_told() {
    let server = with_claims(3);
    assert_eq!(failure(&server, "nothing"), (404, "not_found".to_owned()));
    assert_eq!(failure(&server, "fleet?at=4"), (410, "beyond_end".to_owned()));
    assert_eq!(failure(&server, "fleet?at=noon"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&server, "fleet?by=model"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&server, "usage?by=colour"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&server, "fleet?limit=0"), (400, "bad_parameter".to_owned()));
    assert_eq!(failure(&server, "fleet/stream?at=1"), (400, "unknown_parameter".to_owned()));
}

/// What a page that follows a view has.
#[derive(Default)]
struct Followed {
    rows: BTreeMap<String, Value>,
    order: Vec<String>,
    /// How many rows there are beyond these.
    n_more: Option<u64>,
}

impl Followed {
    /// Does what an event says; returns the position it is of.
    fn take(&mut self, told: &Told) -> u64 {
        assert_eq!(told.event, "rows");
        let data: Value = serde_json::from_str(&told.data).expect("it is JSON");
        let texts = |name: &str| {
            let items = data[name].as_array()?;
            Some(
                items
                    .iter()
                    .map(|item| item.as_str().expect("text").to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        let rows = data["rows"].as_array().expect("rows");
        let ids = rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned());
        if data["is_whole"] == true {
            self.rows.clear();
            self.order = ids.clone().collect();
        }
        for id in texts("gone").expect("it is there") {
            assert!(self.rows.remove(&id).is_some(), "{id} was there");
        }
        self.rows.extend(ids.zip(rows.iter().map(|row| row["row"].clone())));
        self.order.retain(|id| self.rows.contains_key(id));
        let moved = data["moved"].as_array().cloned().unwrap_or_default();
        let moved: Vec<(usize, &str)> = moved
            .iter()
            .map(|moved| (moved["nth"].as_u64(), moved["id"].as_str()))
            .map(|(nth, id)| (nth.expect("a number") as usize, id.expect("an id")))
            .collect();
        self.order.retain(|id| !moved.iter().any(|(_, moved)| moved == id));
        moved.into_iter().for_each(|(nth, id)| self.order.insert(nth, id.to_owned()));
        self.n_more = data["n_more"].as_u64();
        data["position"].as_u64().expect("a position")
    }

    fn page(&self) -> Value {
        assert_eq!(self.order.len(), self.rows.len());
        Value::from_iter(self.order.iter().map(|id| self.rows[id].clone()))
    }
}

#[test]
fn whoever_follows_a_view_has_what_the_page_says() {
    let server = Server::start();
    let lines = demo(300);
    post_demo(&server, &lines[..100]);
    let names = ["work", "files", "usage"];
    let mut followers = names.map(|name| {
        let mut source = Source::open(&server, &format!("/v1/views/{name}/stream?limit=1000"));
        let mut followed = Followed::default();
        followed.take(&source.next().expect("it goes on"));
        (name, source, followed)
    });
    lines[100..].chunks(40).for_each(|some| post_demo(&server, some));
    for (name, source, followed) in &mut followers {
        let mut expected = view(&server, &format!("{name}?limit=1000"))["rows"].take();
        without_durations(&mut expected);
        loop {
            let mut got = followed.page();
            without_durations(&mut got);
            if got == expected {
                break;
            }
            followed.take(&source.next().expect("it goes on"));
        }
    }
}

#[test]
fn whoever_follows_some_rows_is_told_how_many_more_there_are() {
    let server = with_claims(3);
    let mut source = Source::open(&server, "/v1/views/work/stream?limit=2");
    let mut followed = Followed::default();
    followed.take(&source.next().expect("it goes on"));
    assert_eq!((followed.rows.len(), followed.n_more), (2, Some(1)));
    server.client().post("/v1/events", claimed(4));
    while followed.n_more != Some(2) {
        followed.take(&source.next().expect("it goes on"));
    }
    assert_eq!(followed.rows.len(), 2);
}

#[test]
fn whoever_follows_many_rows_is_shown_all_of_them_first() {
    let server = with_claims(600);
    let mut source = Source::open(&server, "/v1/views/work/stream?limit=10000");
    let mut followed = Followed::default();
    // A part of them would be taken for the whole: that is what `is_whole` says.
    followed.take(&source.next().expect("it goes on"));
    assert_eq!((followed.rows.len(), followed.n_more), (600, Some(0)));
    let mut expected = view(&server, "work?limit=10000")["rows"].take();
    let mut got = followed.page();
    without_durations(&mut expected);
    without_durations(&mut got);
    assert_eq!(got, expected);
}

#[test]
fn whoever_follows_is_told_when_nothing_is_missing_any_more() {
    let server = Server::with(Setup { is_folding: false, ..Setup::default() });
    post_claims(&server, 1, 3);
    // None of this shows in the rows: what is told is how the view stands.
    let mut source = Source::open(&server, "/v1/views/gateway/stream");
    let standing = |told: Told| {
        let data: Value = serde_json::from_str(&told.data).expect("it is JSON");
        assert_eq!(data["rows"].as_array().map(Vec::len), Some(0));
        (data["position"].as_u64(), data["behind"].as_u64())
    };
    assert_eq!(standing(source.next().expect("it goes on")), (Some(0), Some(3)));
    server.fold();
    while standing(source.next().expect("it goes on")) != (Some(3), None) {}
}

#[test]
fn whoever_comes_again_is_shown_what_time_alone_has_changed() {
    let server = with_claims(3);
    let mut source = Source::open(&server, "/v1/views/work/stream");
    let first = source.next().expect("it goes on");
    let mut before = Followed::default();
    assert_eq!(before.take(&first), 3);
    drop(source);
    let mut source = Source::resume(&server, "/v1/views/work/stream", &first.id);
    let mut again = Followed::default();
    assert_eq!(again.take(&source.next().expect("it goes on")), 3);
    assert_eq!(again.order, before.order);
    let of_another = Source::ask(&server, "/v1/views/work/stream", Some("ffff:1"));
    assert_eq!(
        of_another.map(drop).map_err(|answer| answer.failure()),
        Err((410, "other_store".to_owned()))
    );
}

#[test]
fn a_stream_ends_with_the_server_and_says_so() {
    let server = with_claims(1);
    let mut source = Source::open(&server, "/v1/views/fleet/stream");
    source.next().expect("it goes on");
    server.end();
    let last = source.next().expect("a last word");
    assert_eq!(last.event, "resume");
    assert!(last.data.starts_with("{\"why\":\"shutdown\""), "{}", last.data);
    assert_eq!(source.next(), None);
}
