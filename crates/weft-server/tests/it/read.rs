//! Reading records: by filter in pages, by position, by session and by trace.

use insta::assert_snapshot;
use serde_json::Value;
use weft_log::prune::{self, Ask, Mode, Reach};

use crate::client::{Answer, Client};
use crate::post::{DECISION, DONE, claimed};
use crate::server::{Server, Setup, options, records};

/// Bytes of an event that is almost as large as one may be.
const LARGE: usize = 1_000_000;

/// Returns the store's id, as cursors have it.
pub(crate) fn store_id(server: &Server) -> String {
    server.core().store_id().to_owned()
}

/// Returns a server with so many numbered events.
pub(crate) fn with_claims(n: u64) -> Server {
    let server = Server::start();
    post_claims(&server, 1, n);
    server
}

/// Sends numbered events.
pub(crate) fn post_claims(server: &Server, first: u64, last: u64) {
    let lines: Vec<String> = (first..=last).map(claimed).collect();
    let answer = server.client().post_as("application/x-ndjson", lines.join("\n"));
    assert_eq!(answer.json()["accepted"], last - first + 1);
}

/// Returns an event of this many bytes and more, with a number of its own.
pub(crate) fn large(number: usize, bytes: usize) -> String {
    let padding = "y".repeat(bytes);
    format!(
        r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"n":{number},"x":"{padding}"}}"#
    )
}

fn positions(answer: &Answer) -> Vec<u64> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let json = answer.json();
    let records = json["records"].as_array().expect("records").iter();
    records.map(|record| record["position"].as_u64().expect("a position")).collect()
}

/// Follows the cursors from page to page until there is none.
fn all_pages(client: &mut Client, target: &str) -> Vec<Vec<u64>> {
    let mut pages = Vec::new();
    let mut next = String::new();
    for _ in 0..1000 {
        let answer = client.get(&format!("{target}{next}"));
        pages.push(positions(&answer));
        let json = answer.json();
        let Some(cursors) = json["next"].as_object() else { return pages };
        let (name, cursor) = cursors.iter().next().expect("one cursor");
        next = format!("&{name}={}", cursor.as_str().expect("text"));
    }
    panic!("there is no end to {target}");
}

#[test]
fn a_record_says_what_weft_adds_and_holds_the_event_as_it_was_sent() {
    let server = Server::start();
    let mut client = server.client();
    let odd = r#"{ "schema" : 0,"event":"DONE","reason":"COMPLETE","stack":[ ],"x":1.50e0,"y":"\u00e9\/é" }"#;
    client.post("/v1/events?topic=t&key=k", odd);
    client.post("/v1/events", DECISION);
    client.post("/v1/events", DECISION.replace("Keep it", "Drop it"));
    let store = store_id(&server);
    for (position, event) in [(1, odd), (2, DECISION)] {
        let answer = client.get(&format!("/v1/events/{position}"));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.text().ends_with(&format!(",\"event\":{event}}}\n")), "{}", answer.text());
        assert_eq!(client.get(&format!("/v1/events/{store}:{position}")).body, answer.body);
        let list = client.get("/v1/events?limit=10");
        assert!(list.text().contains(answer.text().trim_end()), "{}", list.text());
    }
    let shown = |position: u64| {
        let mut json = server.client().get(&format!("/v1/events/{position}")).json();
        let received = json["received"].take();
        weft_event::time::parse_rfc3339(received.as_str().expect("a time")).expect("a time");
        json["event"].take();
        json.to_string().replace(&store, "<store>")
    };
    assert_snapshot!(shown(1), @r#"{"cursor":"<store>:1","dialect":"idle","event":null,"key":"k","position":1,"received":null,"topic":"t","via":"http"}"#);
    assert_snapshot!(shown(3), @r#"{"conflict":2,"cursor":"<store>:3","dialect":"collector","event":null,"position":3,"received":null,"via":"http"}"#);
}

#[test]
fn pages_follow_each_other_both_ways_until_the_end() {
    let server = with_claims(25);
    let mut client = server.client();
    let newest = positions(&client.get("/v1/events?limit=3"));
    assert_eq!(newest, [25, 24, 23]);
    assert_eq!(positions(&client.get("/v1/events?after=3&limit=3")), [4, 5, 6]);
    assert_eq!(positions(&client.get("/v1/events?before=4&limit=2")), [3, 2]);
    assert_eq!(positions(&client.get("/v1/events?after=2&before=6")), [3, 4, 5]);
    assert_eq!(positions(&client.get("/v1/events?after=2&before=6&order=desc")), [5, 4, 3]);
    assert_eq!(positions(&client.get("/v1/events?after=25")), [0; 0]);
    assert_eq!(positions(&client.get("/v1/events?before=1")), [0; 0]);
    assert_eq!(positions(&client.get("/v1/events?before=0")), [0; 0]);
    let up: Vec<u64> = (1..=25).collect();
    let down: Vec<u64> = (1..=25).rev().collect();
    for limit in [1, 7, 24, 25, 26] {
        let pages = all_pages(&mut client, &format!("/v1/events?order=asc&limit={limit}"));
        assert_eq!(pages.concat(), up);
        assert_eq!(pages.len(), 25_usize.div_ceil(limit));
        let pages = all_pages(&mut client, &format!("/v1/events?limit={limit}"));
        assert_eq!(pages.concat(), down);
    }
}

#[test]
fn pages_leave_nothing_out_while_others_append() {
    let server = with_claims(20);
    let mut client = server.client();
    let mut seen = Vec::new();
    let mut next = String::from("after=0");
    let mut posted = 20;
    while seen.len() < 60 {
        let answer = client.get(&format!("/v1/events?{next}&limit=7&filter=type%3Dbead.claimed"));
        seen.extend(positions(&answer));
        if posted < 60 {
            post_claims(&server, posted + 1, posted + 4);
            posted += 4;
        }
        let last = *seen.last().expect("the log is not empty");
        next = match answer.json()["next"]["after"].as_str() {
            Some(cursor) => format!("after={cursor}"),
            None => format!("after={last}"),
        };
    }
    assert_eq!(seen, (1..=60).collect::<Vec<u64>>());
}

#[test]
fn a_filter_chooses_and_a_wrong_one_is_told_where() {
    let server = with_claims(9);
    let mut client = server.client();
    client.post("/v1/events", DECISION);
    client.post("/v1/events", DONE);
    let mut found = |filter: &str| positions(&client.get(&format!("/v1/events?filter={filter}")));
    assert_eq!(found(""), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(found("dialect%3Dcollector"), [10]);
    assert_eq!(found("actor=@planner+or+dialect=idle"), [11, 10]);
    assert_eq!(found(".data.bead_id%3Db7"), [7]);
    assert_eq!(found("type%3Dbead.claimed+order%3E6+-order=8"), [9, 7]);
    assert_eq!(found("session=nobody"), [0; 0]);
    assert_snapshot!(client.get("/v1/events?filter=sesion%3Da+type%3Db").shown(), @r#"400 {"error":{"code":"bad_filter","help":"is it `session`? A member of the event is written `.sesion`","length":6,"message":"the filter is wrong at byte 0: there is no field `sesion`","offset":0}}"#);
    assert_snapshot!(client.get("/v1/events?filter=(type%3Da").shown(), @r#"400 {"error":{"code":"bad_filter","help":"add a `)`","length":1,"message":"the filter is wrong at byte 0: this parenthesis is never closed","offset":0}}"#);
    assert_snapshot!(client.get("/v1/stream?filter=since:tomorrow").shown(), @r#"400 {"error":{"code":"bad_filter","help":"write `2h` (s, m, h, d, w) for that long ago, `2026-11-14`, or `2026-11-14T10:00Z`","length":8,"message":"the filter is wrong at byte 6: `tomorrow` is not a time","offset":6}}"#);
}

#[test]
fn what_is_not_known_or_cannot_be_is_refused() {
    let server = with_claims(2);
    let mut client = server.client();
    let mut told = |target: &str| client.get(target).shown();
    assert_snapshot!(told("/v1/events?limits=1"), @r#"400 {"error":{"code":"unknown_parameter","message":"there is no parameter `limits`; there are filter, after, before, order, limit, format"}}"#);
    assert_snapshot!(told("/v1/events/1?format=jsonl"), @r#"400 {"error":{"code":"unknown_parameter","message":"there is no parameter `format`; there are facts"}}"#);
    assert_snapshot!(told("/v1/events?limit=0"), @r#"400 {"error":{"code":"bad_parameter","message":"`limit` is `0`, and must be a number from 1 to 1000","parameter":"limit"}}"#);
    assert_snapshot!(told("/v1/events?limit=1001"), @r#"400 {"error":{"code":"bad_parameter","message":"`limit` is `1001`, and must be a number from 1 to 1000","parameter":"limit"}}"#);
    assert_snapshot!(told("/v1/events?order=up"), @r#"400 {"error":{"code":"bad_parameter","message":"`order` is `up`, and must be asc or desc","parameter":"order"}}"#);
    assert_snapshot!(told("/v1/events?format=xml"), @r#"400 {"error":{"code":"bad_parameter","message":"`format` is `xml`, and must be json or jsonl","parameter":"format"}}"#);
    assert_snapshot!(told("/v1/events?limit=1&limit=2"), @r#"400 {"error":{"code":"bad_parameter","message":"the parameter `limit` stands twice"}}"#);
    assert_snapshot!(told("/v1/events?filter=%ff"), @r#"400 {"error":{"code":"bad_query","message":"the query of the address has an escape that is none, or is not UTF-8"}}"#);
    assert_snapshot!(told("/v1/events?after=soon"), @r#"400 {"error":{"code":"bad_parameter","message":"`after` is `soon`, and must be a cursor such as <store id>:12, or a position","parameter":"after"}}"#);
    assert_snapshot!(told("/v1/events/-1"), @r#"400 {"error":{"code":"bad_parameter","message":"`position` is `-1`, and must be a cursor such as <store id>:12, or a position","parameter":"position"}}"#);
    assert_snapshot!(told("/v1/events/%ff"), @r#"400 {"error":{"code":"bad_path","message":"Invalid URL: Invalid UTF-8 in `position`"}}"#);
    assert_snapshot!(told("/v1/events/3"), @r#"404 {"error":{"code":"not_found","message":"there is no record at position 3"}}"#);
    assert_snapshot!(told("/v1/events/0"), @r#"404 {"error":{"code":"not_found","message":"there is no record at position 0"}}"#);
    assert_snapshot!(told("/v1/sessions/%ff"), @r#"400 {"error":{"code":"bad_path","message":"Invalid URL: Invalid UTF-8 in `id`"}}"#);
    assert_snapshot!(told("/v1/sessions/nobody"), @r#"404 {"error":{"code":"not_found","message":"there is no session `nobody`"}}"#);
    assert_snapshot!(told("/v1/traces/none?filter=x"), @r#"400 {"error":{"code":"unknown_parameter","message":"there is no parameter `filter`; there are after, before, order, limit, format"}}"#);
    assert_eq!(client.get("/v1/sessions/").failure(), (404, "unknown_path".to_owned()));
    assert_eq!(client.get(&format!("/v1/sessions/{}", "x".repeat(20_000))).status, 400);
}

#[test]
fn a_cursor_of_another_store_or_beyond_the_end_is_gone() {
    let server = with_claims(2);
    let mut client = server.client();
    let own = store_id(&server);
    for target in ["/v1/events?after=ffff:1", "/v1/events?before=ffff:1", "/v1/events/ffff:1"] {
        let answer = client.get(target);
        assert_eq!(answer.failure(), (410, "other_store".to_owned()), "{target}");
        assert_eq!(answer.json()["error"]["store"], own.as_str());
    }
    assert_snapshot!(client.get("/v1/events?after=3").shown(), @r#"410 {"error":{"code":"beyond_end","last":2,"message":"position 3 is beyond the end of the log, which is 2"}}"#);
    let answer = client.get(&format!("/v1/events?after={}", u64::MAX));
    assert_eq!(answer.failure(), (410, "beyond_end".to_owned()));
    assert_eq!(positions(&client.get(&format!("/v1/events?after={own}:2"))), [0; 0]);
}

#[test]
fn who_stored_an_event_may_ask_for_what_follows_at_once() {
    let server = Server::start();
    let mut client = server.client();
    for n in 1..=50 {
        let durability = if n % 2 == 0 { "synced" } else { "written" };
        let stored = client.post(&format!("/v1/events?durability={durability}"), claimed(n));
        let position = stored.json()["position"].as_u64().expect("a position");
        assert_eq!(positions(&client.get(&format!("/v1/events?after={position}"))), [0; 0]);
    }
}

#[test]
fn a_session_comes_in_its_producers_order_and_by_position_in_pages() {
    let server = Server::start();
    let mut client = server.client();
    for event in [claimed(3), claimed(1), DECISION.to_owned(), claimed(4), claimed(2)] {
        client.post("/v1/events", event);
    }
    assert_eq!(positions(&client.get("/v1/sessions/s")), [2, 5, 1, 4]);
    assert_eq!(positions(&client.get("/v1/sessions/s?order=asc")), [1, 2, 4, 5]);
    let pages = all_pages(&mut client, "/v1/sessions/s?limit=3");
    assert_eq!(pages, [vec![5, 4, 2], vec![1]]);
    let lines = client.get("/v1/sessions/s?format=jsonl");
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    let sent: Vec<String> = [1, 2, 3, 4].map(claimed).into();
    assert_eq!(lines.text(), sent.join("\n") + "\n");
}

#[test]
fn a_session_of_any_name_is_found_and_only_that() {
    let server = Server::start();
    let mut client = server.client();
    let names = [r#"a\"b"#, r"a\\b", "a*", "ab", r"a\u0001\n", "a/b", "a b)", "é"];
    let paths = ["a%22b", "a%5Cb", "a*", "ab", "a%01%0A", "a%2Fb", "a%20b%29", "%C3%A9"];
    for name in names {
        let event =
            claimed(1).replace("\"session_id\":\"s\"", &format!("\"session_id\":\"{name}\""));
        assert_eq!(client.post("/v1/events", event).status, 202, "{name}");
    }
    for (position, path) in (1..).zip(paths) {
        let answer = client.get(&format!("/v1/sessions/{path}"));
        assert_eq!(positions(&answer), [position], "{path}");
    }
}

#[test]
fn a_trace_comes_whole() {
    let server = Server::start();
    let mut client = server.client();
    let traced = |sequence: u64, trace: &str| {
        let data = format!(r#""trace_id":"{trace}","span_id":"00f067aa0ba902b7","data""#);
        claimed(sequence).replacen("\"data\"", &data, 1)
    };
    let (one, other) = ("4bf92f3577b34da6a3ce929d0e0e4736", "5bf92f3577b34da6a3ce929d0e0e4736");
    for event in [traced(2, one), traced(3, other), traced(1, one)] {
        assert_eq!(client.post("/v1/events", event).status, 202);
    }
    assert_eq!(positions(&client.get(&format!("/v1/traces/{one}"))), [3, 1]);
    assert_eq!(positions(&client.get(&format!("/v1/traces/{other}?limit=5"))), [2]);
}

#[test]
fn events_alone_come_a_line_each() {
    let server = with_claims(3);
    let answer = server.client().get("/v1/events?format=jsonl&after=1");
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(answer.text(), format!("{}\n{}\n", claimed(2), claimed(3)));
}

/// Returns a server on a store whose first segment was deleted, and the first position kept.
pub(crate) fn pruned() -> (Server, u64) {
    let server = Server::start();
    let mut client = server.client();
    for first in (0..70).step_by(10) {
        let lines: Vec<String> = (first..first + 10).map(|n| large(n, LARGE)).collect();
        let answer = client.post_as("application/x-ndjson", lines.join("\n"));
        assert_eq!(answer.json()["accepted"], 10);
    }
    post_claims(&server, 1, 3);
    drop(client);
    let store = server.store().clone();
    let folder = server.leave();
    let upto = weft_log::Position::new(72).expect("not 0");
    let ask = Ask { reach: Reach::BeforePosition(upto), mode: Mode::Delete, holds: &[] };
    let report = prune::run(&store, &ask, &options(), &mut |_| {}).expect("it is pruned");
    assert_eq!(report.plan.segments.len(), 1);
    let first = records(store.root(), |record| record.meta.position.get())[0];
    assert!(first > 60, "{first}");
    (Server::on(folder, Setup::default()), first)
}

#[test]
fn what_was_pruned_is_gone_and_the_first_that_is_kept_is_told() {
    let (server, first) = pruned();
    let mut client = server.client();
    for target in [
        "/v1/events/1".to_owned(),
        format!("/v1/events/{}", first - 1),
        "/v1/events?after=1".to_owned(),
        format!("/v1/events?after={}", first - 2),
        "/v1/events?before=2".to_owned(),
        "/v1/stream?after=5".to_owned(),
        format!("/v1/views/fleet?at={}", first - 1),
        "/v1/views/fleet?at=2000-01-01".to_owned(),
    ] {
        let answer = client.get(&target);
        assert_eq!(answer.failure(), (410, "pruned".to_owned()), "{target}");
        assert_eq!(answer.json()["error"]["first"], first, "{target}");
    }
    let kept: Vec<u64> = (first..=73).collect();
    assert_eq!(positions(&client.get(&format!("/v1/events?after={}", first - 1))), kept);
    assert_eq!(positions(&client.get("/v1/events?order=asc")), kept);
    assert_eq!(positions(&client.get("/v1/events?after=0")), kept, "from the beginning there is");
    assert_eq!(positions(&client.get(&format!("/v1/events?before={first}"))), [0; 0]);
    let pages = all_pages(&mut client, "/v1/events?limit=2");
    assert_eq!(pages.concat(), kept.iter().rev().copied().collect::<Vec<u64>>());
    // Weft's own record of what it deleted shows to who asks for it.
    let answer = client.get("/v1/events?filter=dialect=weft");
    assert_eq!(positions(&answer), [74]);
    assert_eq!(answer.json()["records"][0]["event"]["type"], "log.pruned");
    assert_eq!(client.get("/v1/events/74").json()["dialect"], "weft");
    std::fs::remove_file(server.store().index()).expect("it is there");
    assert_eq!(positions(&client.get("/v1/events?after=0")), kept, "without the index");
    assert_eq!(client.get("/v1/events/3").failure(), (410, "pruned".to_owned()));
}

#[test]
fn a_page_asks_for_nothing_that_costs_more_than_it_may() {
    let server = Server::limited(|limits| limits.page_records_max = 5);
    post_claims(&server, 1, 20);
    let mut client = server.client();
    assert_eq!(positions(&client.get("/v1/events")).len(), 5);
    assert_eq!(client.get("/v1/events?limit=6").failure(), (400, "bad_parameter".to_owned()));
    let json: Value = client.get("/v1/events?after=0").json();
    assert_eq!(json["next"]["after"], format!("{}:5", store_id(&server)));
}

#[test]
fn a_page_of_large_records_ends_early_and_leaves_nothing_out() {
    let server = Server::limited(|limits| limits.page_bytes_max = 1_000_000);
    let lines: Vec<String> = (0..200).map(|n| large(n, 50_000)).collect();
    for some in lines.chunks(100) {
        let answer = server.client().post("/v1/events", some.join("\n"));
        assert_eq!(answer.json()["accepted"], 100);
    }
    let mut client = server.client();
    let up: Vec<u64> = (1..=200).collect();
    let down: Vec<u64> = (1..=200).rev().collect();
    for (target, expected) in
        [("/v1/events?limit=1000&order=asc", up), ("/v1/events?limit=1000", down)]
    {
        let pages = all_pages(&mut client, target);
        assert_eq!(pages.concat(), expected);
        assert!(pages.iter().all(|page| page.len() <= 48), "{}", pages[0].len());
    }
    assert_eq!(positions(&client.get("/v1/events?limit=3")), [200, 199, 198]);
}

#[test]
fn a_head_has_no_body_and_a_wrong_method_is_told() {
    let server = with_claims(1);
    let mut client = server.client();
    let answer = client.request("HEAD", "/v1/events/1").send(b"");
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    for target in ["/v1/events/1", "/v1/stream", "/v1/sessions/s"] {
        let answer = client.request("DELETE", target).send(b"");
        assert_eq!(answer.failure(), (405, "wrong_method".to_owned()), "{target}");
    }
}
