//! Streams over server-sent events: everything once and in order, from any place on, whatever happens on the way.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::Value;

use crate::post::{DECISION, DONE, claimed};
use crate::read::{large, post_claims, pruned, store_id, with_claims};
use crate::server::{Server, Setup};
use crate::source::{Source, Told};

/// Returns a server whose streams soon fall back to the log, and take it in small portions.
pub(crate) fn with_little_memory() -> Server {
    Server::limited(|limits| {
        limits.recent_bytes_max = 4000;
        limits.stream_bytes_max = 1500;
    })
}

fn position(told: &Told) -> u64 {
    let json: Value = serde_json::from_str(&told.data).expect("data is JSON");
    json["position"].as_u64().expect("a position")
}

fn positions(told: &[Told]) -> Vec<u64> {
    told.iter().map(position).collect()
}

/// Returns the event in a record, to the byte.
pub(crate) fn event_of(record: &str) -> &str {
    let (_, event) = record.split_once(",\"event\":").expect("an event");
    event.strip_suffix('}').expect("it ends the record")
}

fn lines(server: &Server) -> Vec<String> {
    let stored = server.stored();
    stored.iter().map(|line| line.split_once(": ").expect("via and dialect").1.to_owned()).collect()
}

#[test]
fn history_and_what_comes_are_one_stream_for_every_reader() {
    const N_SENDERS: u64 = 3;
    const N_EVENTS: usize = 360;
    let server = with_little_memory();
    post_claims(&server, 1, 60);
    let read = |after: usize| {
        let mut source = Source::open(&server, &format!("/v1/stream?after={after}"));
        let told = source.take(N_EVENTS - after);
        let expected: Vec<u64> = (after as u64 + 1..=N_EVENTS as u64).collect();
        assert_eq!(positions(&told), expected);
        let store = store_id(&server);
        assert!(told.iter().all(|told| told.event.is_empty()));
        assert!(told.iter().all(|told| told.id == format!("{store}:{}", position(told))));
        let events = told.iter().map(|told| event_of(&told.data).to_owned());
        events.collect::<Vec<String>>()
    };
    let read: Vec<Vec<String>> = std::thread::scope(|scope| {
        let readers = [0, 1, 30, 59, 60].map(|after| scope.spawn(move || read(after)));
        for sender in 0..N_SENDERS {
            let server = &server;
            scope.spawn(move || {
                let mut client = server.client();
                for n in 0..100 {
                    let sequence = 1000 * (sender + 1) + n;
                    assert_eq!(client.post("/v1/events", claimed(sequence)).status, 202);
                }
            });
        }
        readers.into_iter().map(|reader| reader.join().expect("as expected")).collect()
    });
    let all = lines(&server);
    for events in read {
        assert_eq!(events, all[all.len() - events.len()..]);
    }
}

#[test]
fn a_new_stream_begins_with_what_comes_next() {
    let server = with_claims(5);
    let mut source = Source::open(&server, "/v1/stream");
    post_claims(&server, 6, 7);
    assert_eq!(positions(&source.take(2)), [6, 7]);
}

#[test]
fn who_is_cut_off_goes_on_where_it_was() {
    let server = with_little_memory();
    post_claims(&server, 1, 100);
    let mut seen = Vec::new();
    let mut last_id = String::new();
    let mut n_posted = 100;
    // The end of one portion, the middle of another, and again and again.
    for n in (1..).map(|round| 1 + round * 7 % 23) {
        let mut source = match last_id.as_str() {
            "" => Source::open(&server, "/v1/stream?after=0"),
            // An id goes before the address, which stays the one that the page gave.
            last_id => Source::resume(&server, "/v1/stream?after=0", last_id),
        };
        seen.extend(positions(&source.take(n)));
        last_id = source.last_id;
        if seen.len() >= 180 {
            break;
        }
        if n_posted < 220 {
            post_claims(&server, n_posted + 1, n_posted + 20);
            n_posted += 20;
        }
    }
    assert_eq!(seen, (1..=seen.len() as u64).collect::<Vec<u64>>());
}

#[test]
fn a_stream_shows_what_its_filter_chooses() {
    let server = Server::start();
    let mut client = server.client();
    let mut source =
        Source::open(&server, "/v1/stream?after=0&filter=dialect%3Dcollector+or+order=2");
    for event in [claimed(1), claimed(2), DECISION.to_owned(), DONE.to_owned(), claimed(3)] {
        client.post("/v1/events", event);
    }
    assert_eq!(positions(&source.take(2)), [2, 3]);
}

#[test]
fn a_quiet_stream_says_that_it_is_alive_and_how_far_it_has_looked() {
    let server = Server::limited(|limits| limits.heartbeat = Duration::from_millis(20));
    let mut source = Source::open(&server, "/v1/stream?after=0&filter=dialect=collector");
    assert_eq!(source.heartbeat(), "", "there is nothing yet");
    post_claims(&server, 1, 8);
    let seen = format!("{}:8", store_id(&server));
    let looked = (0..1000).any(|_| source.heartbeat() == seen);
    assert!(looked, "what was looked at is told: {}", source.last_id);
    assert_eq!(source.comments.last().map(String::as_str), Some("alive"));
    drop(source);
    server.client().post("/v1/events", DECISION);
    let mut source = Source::resume(&server, "/v1/stream?filter=dialect=collector", &seen);
    assert_eq!(positions(&source.take(1)), [9]);
}

#[test]
fn a_server_that_ends_tells_where_to_go_on() {
    let server = with_claims(4);
    let store = store_id(&server);
    let mut reader = Source::open(&server, "/v1/stream?after=0");
    assert_eq!(positions(&reader.take(4)), [1, 2, 3, 4]);
    let mut idle = Source::open(&server, "/v1/stream");
    server.end();
    for source in [&mut reader, &mut idle] {
        let told = source.next().expect("a last word");
        assert_eq!(told.event, "resume");
        assert_eq!(told.data, format!(r#"{{"why":"shutdown","after":"{store}:4"}}"#));
        assert_eq!(source.next(), None);
    }
}

#[test]
fn who_comes_too_late_or_from_elsewhere_is_told_before_the_stream() {
    let server = Server::limited(|limits| limits.streams_max = 2);
    post_claims(&server, 1, 2);
    let refused = |target: &str, last_id: Option<&str>| match Source::ask(&server, target, last_id)
    {
        Ok(_) => panic!("{target} is a stream"),
        Err(answer) => answer,
    };
    let told = |target: &str, last_id: Option<&str>| refused(target, last_id).failure();
    let failure = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(told("/v1/stream?after=3", None), failure(410, "beyond_end"));
    assert_eq!(told("/v1/stream?after=ffff:1", None), failure(410, "other_store"));
    assert_eq!(told("/v1/stream", Some("ffff:1")), failure(410, "other_store"));
    assert_eq!(told("/v1/stream", Some("x")), failure(400, "bad_parameter"));
    assert_eq!(told("/v1/stream?before=1", None), failure(400, "unknown_parameter"));
    let streams = [(); 2].map(|()| Source::open(&server, "/v1/stream"));
    let answer = refused("/v1/stream", None);
    assert_snapshot!(answer.shown(), @r#"429 {"error":{"code":"too_many_streams","message":"2 streams are open, and no more may be"}}"#);
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert!(server.client().get("/metrics").text().contains("weft_streams 2\n"));
    drop(streams);
}

#[test]
fn a_stream_of_what_is_kept_begins_where_the_log_does() {
    let (server, first) = pruned();
    let mut source = Source::open(&server, "/v1/stream?after=0");
    let kept: Vec<u64> = (first..=73).collect();
    assert_eq!(positions(&source.take(kept.len())), kept);
    // Weft's own record is not for everybody.
    post_claims(&server, 101, 101);
    assert_eq!(positions(&source.take(1)), [75]);
    let mut own = Source::open(&server, "/v1/stream?after=0&filter=dialect=weft");
    assert_eq!(positions(&own.take(1)), [74]);
}

#[test]
fn what_is_lost_is_told() {
    let server = Server::start();
    let mut client = server.client();
    (1..=5).for_each(|n| assert_eq!(client.post("/v1/events", claimed(n)).status, 202));
    drop(client);
    let log = server.store().log();
    let folder = server.leave();
    let segment = std::fs::read_dir(log).expect("segments").next().expect("one").expect("readable");
    let text = std::fs::read(segment.path()).expect("it is readable");
    let third = b"\"bead_id\":\"b3\"";
    let at = text.windows(third.len()).position(|part| part == third).expect("it is there");
    let mut text = text;
    text[at + 1..at + 6].copy_from_slice(b"\x00\x01\x02\x03\x04");
    std::fs::write(segment.path(), text).expect("written");
    let server = Server::on(folder, Setup::default());
    let mut source = Source::open(&server, "/v1/stream?after=0");
    let mut told = source.take(5);
    let lost = told.iter().position(|told| told.event == "lost").expect("it is told");
    let lost = told.remove(lost);
    assert_eq!(lost.data, r#"{"first":3,"last":3}"#);
    assert_eq!(positions(&told), [1, 2, 4, 5]);
    let page = server.client().get("/v1/events?after=0").json();
    assert_eq!(page["lost"].to_string(), "[[3,3]]");
    assert_eq!(server.client().get("/v1/events/3").failure(), (404, "not_found".to_owned()));
}

#[test]
fn a_carriage_return_in_an_event_does_not_break_it() {
    let server = Server::start();
    let event = DONE.replace(",\"reason\"", ",\r\"reason\"");
    assert_eq!(server.client().post("/v1/events", &event).status, 202);
    assert_eq!(lines(&server), std::slice::from_ref(&event));
    let told = Source::open(&server, "/v1/stream?after=0").take(1).remove(0);
    assert_eq!(event_of(&told.data), event.replace('\r', "\n"));
}

#[test]
fn who_takes_nothing_is_broken_off_and_goes_on_later() {
    let server = Server::limited(|limits| {
        limits.reader_patience = Duration::from_millis(400);
        limits.stream_bytes_max = 64 << 10;
    });
    let mut client = server.client();
    for first in (0..40).step_by(10) {
        let lines: Vec<String> = (first..first + 10).map(|n| large(n, 1_000_000)).collect();
        assert_eq!(client.post("/v1/events", lines.join("\n")).json()["accepted"], 10);
    }
    let mut source = Source::open(&server, "/v1/stream?after=0");
    server.block_on(server.core().streams_ended());
    let mut seen = Vec::new();
    read_to_end(&mut source, &mut seen);
    assert!(seen.len() < 40, "what nobody takes is not sent: {}", seen.len());
    // On a busy machine it may happen again on the way.
    while seen.len() < 40 {
        source = match source.last_id.as_str() {
            "" => Source::open(&server, "/v1/stream?after=0"),
            last_id => Source::resume(&server, "/v1/stream", last_id),
        };
        read_to_end(&mut source, &mut seen);
    }
    assert_eq!(seen, (1..=40).collect::<Vec<u64>>());
}

/// Reads up to the fortieth record, or until the stream ends.
fn read_to_end(source: &mut Source, seen: &mut Vec<u64>) {
    while let Some(told) = source.next() {
        match &*told.event {
            "resume" => {
                let why: Value = serde_json::from_str(&told.data).expect("JSON");
                assert_eq!(
                    (&why["why"], &why["after"]),
                    (&"slow".into(), &told.id.as_str().into())
                );
            }
            _ => seen.push(position(&told)),
        }
        if seen.len() == 40 {
            return;
        }
    }
}

#[test]
fn only_the_head_of_a_stream_is_no_stream() {
    let server = with_claims(1);
    let mut client = server.client();
    let answer = client.request("HEAD", "/v1/stream").send(b"");
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(client.get("/healthz").status, 200);
    server.block_on(server.core().streams_ended());
}

#[test]
fn another_protocol_that_is_offered_is_passed_over() {
    let server = with_claims(1);
    let mut client = server.client();
    let mut request = client
        .request("GET", "/v1/stream?after=0")
        .header("connection", "Upgrade, HTTP2-Settings")
        .header("upgrade", "h2c")
        .header("http2-settings", "AAMAAABkAARAAAAAAAIAAAAA");
    request.send_head();
    let answer = client.answer().expect("an answer");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
}
