//! Sending events: what is stored, what is refused, and what is told of each.

use std::io::Write as _;

use insta::assert_snapshot;
use serde_json::Value;

use crate::server::Server;

/// An event that ends a loop: nothing in it tells it from another.
pub(crate) const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

/// An event with an id of its own.
pub(crate) const DECISION: &str = r#"{"version":"1.0.0","event_type":"decision.made","timestamp":"2026-03-10T09:01:00Z","agent_id":"@planner","event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","message":"Keep it"}"#;

/// Returns an event with a number of its own.
pub(crate) fn claimed(sequence: u64) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{sequence},"data":{{"bead_id":"b{sequence}"}}}}"#
    )
}

fn lines(server: &Server) -> Vec<String> {
    let stored = server.stored();
    stored.iter().map(|line| line.split_once(": ").expect("via and dialect").1.to_owned()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("it is written to memory");
    encoder.finish().expect("it is written to memory")
}

#[test]
fn one_event_gets_one_answer() {
    let server = Server::start();
    let mut client = server.client();
    assert_snapshot!(client.post("/v1/events", DECISION).shown(), @r#"202 {"accepted":true,"event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","position":1}"#);
    assert_snapshot!(client.post("/v1/events", claimed(1)).shown(), @r#"202 {"accepted":true,"event_id":null,"position":2}"#);
    assert_eq!(
        server.stored(),
        [format!("http collector: {DECISION}"), format!("http needle: {}", claimed(1)),]
    );
}

#[test]
fn a_repeat_is_told_the_position_of_the_first_and_a_conflict_too() {
    let server = Server::start();
    let mut client = server.client();
    client.post("/v1/events", claimed(1));
    assert_eq!(client.post("/v1/events", DECISION).status, 202);
    assert_snapshot!(client.post("/v1/events", DECISION).shown(), @r#"202 {"accepted":true,"event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","position":2,"repeat":true}"#);
    let other = DECISION.replace("Keep it", "Drop it");
    assert_snapshot!(client.post("/v1/events", other).shown(), @r#"202 {"accepted":true,"conflict":2,"event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","position":3}"#);
    let both = format!("[{DECISION},{DECISION}]");
    assert_snapshot!(client.post("/v1/events", both).shown(), @r#"202 {"accepted":2,"refused":0,"results":[{"accepted":true,"event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","index":0,"position":2,"repeat":true},{"accepted":true,"event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","index":1,"position":2,"repeat":true}]}"#);
    assert_eq!(server.stored().len(), 3);
}

#[test]
fn an_event_that_is_not_valid_is_refused_with_its_violations_and_kept() {
    let server = Server::start();
    let mut client = server.client();
    let answer = client.post(
        "/v1/events",
        r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"yesterday"}"#,
    );
    assert_snapshot!(answer.shown(), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"format","message":"`yesterday` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z","pointer":"/timestamp"},{"code":"missing","message":"`agent_id` is missing","pointer":"/agent_id"}]}"#);
    let rejected = answer.json()["rejected"].as_str().expect("an id").to_owned();
    let kept = server.rejected();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].id.to_string(), rejected);
    assert_eq!(kept[0].via, "http");
    assert!(kept[0].origin.starts_with("http:") && kept[0].origin.ends_with("#0"), "{kept:?}");
    assert!(server.stored().is_empty());
}

#[test]
fn of_many_events_each_is_told() {
    let server = Server::start();
    let body = format!("{}\n{{\"no\":1}}\n\n{DONE}\n[1]\nnot json\n", claimed(1));
    let answer = server.client().post_as("application/x-ndjson", body);
    assert_snapshot!(answer.shown(), @r#"202 {"accepted":2,"refused":3,"results":[{"accepted":true,"event_id":null,"index":0,"position":1},{"accepted":false,"index":1,"rejected":"…","violations":[{"code":"unknown_dialect","message":"no dialect has such a shape (it has `no`); name one with --dialect, or see --explain","pointer":""}]},{"accepted":true,"event_id":null,"index":2,"position":2},{"accepted":false,"index":3,"rejected":"…","violations":[{"code":"not_an_object","message":"an event is an object, not array","pointer":""}]},{"accepted":false,"index":4,"rejected":"…","violations":[{"code":"json","message":"not JSON: unexpected character at column 1, near `not json`","pointer":""}]}]}"#);
    assert_eq!(lines(&server), [claimed(1), DONE.to_owned()]);
    let kept = server.rejected();
    let origins: Vec<&str> =
        kept.iter().map(|kept| kept.origin.rsplit_once('#').expect("an index").1).collect();
    assert_eq!(origins, ["1", "3", "4"]);
    let requests: std::collections::BTreeSet<&str> =
        kept.iter().map(|kept| kept.origin.rsplit_once('#').expect("an index").0).collect();
    assert_eq!(requests.len(), 1, "{requests:?}");
}

#[test]
fn if_none_is_accepted_the_status_says_so() {
    let server = Server::start();
    let mut client = server.client();
    assert_snapshot!(client.post("/v1/events", r#"[{},7]"#).shown(), @r#"422 {"accepted":0,"error":{"code":"refused","message":"no event was accepted: see the violations"},"refused":2,"results":[{"accepted":false,"index":0,"rejected":"…","violations":[{"code":"unknown_dialect","message":"no dialect has such a shape (it is empty); name one with --dialect, or see --explain","pointer":""}]},{"accepted":false,"index":1,"rejected":"…","violations":[{"code":"not_an_object","message":"an event is an object, not number","pointer":""}]}]}"#);
    assert_snapshot!(client.post("/v1/events", "[]").shown(), @r#"202 {"accepted":0,"refused":0,"results":[]}"#);
    for body in ["", "  \n \n", "\u{feff}"] {
        assert_eq!(client.post("/v1/events", body).failure(), (400, "empty_body".to_owned()));
        let answer = client.post_as("application/jsonl", body);
        assert_eq!(answer.failure(), (400, "empty_body".to_owned()));
    }
}

#[test]
fn every_content_type_that_holds_events_is_taken() {
    let server = Server::start();
    let mut client = server.client();
    let mut sequence = 0;
    let mut next = || {
        sequence += 1;
        claimed(sequence)
    };
    for kind in ["application/json", "APPLICATION/JSON; charset=UTF-8", "text/plain"] {
        assert_eq!(client.post_as(kind, next()).json()["accepted"], true, "{kind}");
        let array = format!("[{},{}]", next(), next());
        assert_eq!(client.post_as(kind, array).json()["accepted"], 2, "{kind}");
        let lines = format!("{}\n{}\n", next(), next());
        assert_eq!(client.post_as(kind, lines).json()["accepted"], 2, "{kind}");
    }
    for kind in ["application/x-ndjson", "application/jsonl", "application/ndjson"] {
        assert_eq!(client.post_as(kind, next()).json()["accepted"], 1, "{kind}");
        let lines = format!("{}\r\n{}", next(), next());
        assert_eq!(client.post_as(kind, lines).json()["accepted"], 2, "{kind}");
    }
    let all: Vec<String> = (1..=sequence).map(claimed).collect();
    assert_eq!(lines(&server), all);
    for kind in [
        "text/html",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/plain; charset=utf-16",
        "application/cloudevents+xml",
    ] {
        let failure = client.post_as(kind, claimed(1)).failure();
        assert_eq!(failure, (415, "unknown_content_type".to_owned()), "{kind}");
    }
}

#[test]
fn an_event_is_stored_as_it_came_but_for_line_breaks() {
    let server = Server::start();
    let mut client = server.client();
    let pretty = "{\n  \"schema\": 0,\r\n\t\"event\" : \"DONE\",\n  \"reason\": \"COMPLETE\", \"stack\": [],\"x\":1.50e0,\"y\":\"\\u00e9\\n\"\n}";
    let flat = "{   \"schema\": 0, \t\"event\" : \"DONE\",   \"reason\": \"COMPLETE\", \"stack\": [],\"x\":1.50e0,\"y\":\"\\u00e9\\n\" }";
    assert_eq!(client.post("/v1/events", pretty).json()["accepted"], true);
    let array = format!("\u{feff}[\n{pretty},\n  {DONE}  ]\n");
    assert_eq!(client.post("/v1/events", array).json()["accepted"], 2);
    let many = format!("{pretty}\n{pretty}\n");
    assert_eq!(client.post_as("application/x-ndjson", many).json()["accepted"], 2);
    assert_eq!(lines(&server), [flat, flat, DONE, flat, flat]);
    let broken = DONE.replace("COMPLETE", "COM\nPLETE");
    assert_eq!(client.post("/v1/events", broken).status, 400);
    assert_eq!(server.rejected().len(), 1);
}

#[test]
fn compressed_bodies_are_taken() {
    let server = Server::start();
    let mut client = server.client();
    let body: String = (1..=500).map(|n| claimed(n) + "\n").collect();
    for (coding, bytes) in [
        ("gzip", gzip(body.as_bytes())),
        ("GZIP", gzip(body.as_bytes())),
        ("zstd", zstd::encode_all(body.as_bytes(), 3).expect("compressed")),
        ("identity", body.clone().into_bytes()),
    ] {
        let request = client.request("POST", "/v1/events").header("content-encoding", coding);
        assert_eq!(request.send(&bytes).json()["accepted"], 500, "{coding}");
    }
    assert_eq!(server.stored().len(), 500);
    for coding in ["br", "deflate", "gzip, zstd", "gzip gzip"] {
        let request = client.request("POST", "/v1/events").header("content-encoding", coding);
        let answer = request.send(body.as_bytes());
        assert_eq!(answer.failure(), (415, "unknown_encoding".to_owned()), "{coding}");
        assert_eq!(answer.header("accept-encoding"), Some("gzip, zstd"));
    }
    for (coding, bytes) in [
        ("gzip", b"no".to_vec()),
        ("zstd", zstd::encode_all(&b"xxxxxx"[..], 3).expect("compressed")[..9].to_vec()),
    ] {
        let request = client.request("POST", "/v1/events").header("content-encoding", coding);
        assert_eq!(request.send(&bytes).failure(), (400, "bad_encoding".to_owned()), "{coding}");
    }
}

#[test]
fn bodies_in_pieces_are_taken() {
    let server = Server::start();
    let mut client = server.client();
    let body: String = (1..=2000).map(|n| claimed(n) + "\n").collect();
    let pieces: Vec<&[u8]> = body.as_bytes().chunks(7919).collect();
    let answer = client.request("POST", "/v1/events").send_chunked(&pieces);
    assert_eq!(answer.json()["accepted"], 2000);
    let answer = client
        .request("POST", "/v1/events")
        .send_chunked(&[b"{\"schema\":0,\"event\"", &DONE.as_bytes()[19..]]);
    assert_snapshot!(answer.shown(), @r#"202 {"accepted":true,"event_id":null,"position":2001}"#);
}

#[test]
fn an_idempotency_key_makes_repeats_of_what_has_no_identity() {
    let server = Server::start();
    let mut client = server.client();
    let mut send = |key: &str, body: &str| {
        let request = client.request("POST", "/v1/events").header("idempotency-key", key);
        request.send(body.as_bytes()).shown()
    };
    assert_snapshot!(send("k1", DONE), @r#"202 {"accepted":true,"event_id":null,"position":1}"#);
    assert_snapshot!(send("k1", DONE), @r#"202 {"accepted":true,"event_id":null,"position":1,"repeat":true}"#);
    assert_snapshot!(send("\"k1\"", DONE), @r#"202 {"accepted":true,"event_id":null,"position":1,"repeat":true}"#);
    assert_snapshot!(send("k2", DONE), @r#"202 {"accepted":true,"event_id":null,"position":2}"#);
    let two = format!("[{DONE},{DONE}]");
    assert_snapshot!(send("k3", &two), @r#"202 {"accepted":2,"refused":0,"results":[{"accepted":true,"event_id":null,"index":0,"position":3},{"accepted":true,"event_id":null,"index":1,"position":4}]}"#);
    assert_snapshot!(send("k3", &two), @r#"202 {"accepted":2,"refused":0,"results":[{"accepted":true,"event_id":null,"index":0,"position":3,"repeat":true},{"accepted":true,"event_id":null,"index":1,"position":4,"repeat":true}]}"#);
    // A key is for one request: what else comes with it is kept, and marked.
    let other = DONE.replace("COMPLETE", "MAX_ITERATIONS");
    assert_snapshot!(send("k1", &other), @r#"202 {"accepted":true,"conflict":1,"event_id":null,"position":5}"#);
    assert_snapshot!(send("k1", &other), @r#"202 {"accepted":true,"event_id":null,"position":5,"repeat":true}"#);
    assert_eq!(server.stored().len(), 5);
    let mut client = server.client();
    client.post("/v1/events", DONE);
    client.post("/v1/events", DONE);
    assert_eq!(server.stored().len(), 7, "without a key nothing says that they are repeats");
    for key in ["", "\"\"", &"x".repeat(201), "é"] {
        let request = client.request("POST", "/v1/events").header("idempotency-key", key);
        let failure = request.send(DONE.as_bytes()).failure();
        assert_eq!(failure, (400, "bad_idempotency_key".to_owned()), "{key}");
    }
}

#[test]
fn a_key_is_the_same_delivery_as_an_id_given_to_emit() {
    let server = Server::start();
    let id = "019cd700-0000-7000-8000-000000000003";
    let mut client = server.client();
    client.request("POST", "/v1/events").header("idempotency-key", id).send(DONE.as_bytes());
    let deliveries = crate::server::records(server.store().root(), |record| {
        record.meta.mark.as_ref().expect("nothing is damaged").delivery.clone()
    });
    assert_eq!(deliveries, [Some(format!("id:{id}"))]);
}

#[test]
fn parameters_say_how_events_are_taken() {
    let server = Server::start();
    let mut client = server.client();
    let odd = r#"{"schema":1,"event":"DONE","reason":"COMPLETE","stack":[]}"#;
    assert_snapshot!(client.post("/v1/events", odd).shown(), @r#"202 {"accepted":true,"event_id":null,"position":1,"warnings":[{"code":"schema_one","message":"the document says 0, producers write 1","pointer":"/schema"}]}"#);
    assert_snapshot!(client.post("/v1/events?strict=true", odd).shown(), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"schema_one","message":"the document says 0, producers write 1","pointer":"/schema"}]}"#);
    assert_snapshot!(client.post("/v1/events?durability=written", DONE).shown(), @r#"202 {"accepted":true,"durability":"written","event_id":null,"position":2}"#);
    assert_snapshot!(client.post("/v1/events?dialect=needle", DONE).status.to_string(), @"400");
    for (target, code) in [
        ("/v1/events?durability=never", "bad_parameter"),
        ("/v1/events?strict=maybe", "bad_parameter"),
        ("/v1/events?dialect=weft", "bad_parameter"),
        ("/v1/events?topic=", "bad_parameter"),
        ("/v1/events?expect_last=0", "bad_parameter"),
        ("/v1/events?expect_last=other:3", "bad_parameter"),
        ("/v1/events?strict=true&strict=true", "bad_parameter"),
        ("/v1/events?colour=red", "unknown_parameter"),
        ("/v1/events?key=k", "no_topic"),
        ("/v1/events?topic=%zz", "bad_query"),
        ("/v1/events?topic=t&expect_last=none", "no_topic"),
    ] {
        assert_eq!(client.post(target, DONE).failure(), (400, code.to_owned()), "{target}");
    }
    // This one is posted to no topic, neither by its sender nor by itself.
    let answer = client.post("/v1/events?expect_last=none", claimed(1));
    assert_eq!(answer.failure(), (400, "no_topic".to_owned()));
}

#[test]
fn what_was_only_written_is_synced_when_there_is_nothing_else_to_do() {
    let server = Server::start();
    server.client().post("/v1/events?durability=written", claimed(1));
    let mut cursor = server.core().feed().cursor(weft_log::Position::FIRST);
    assert!(server.block_on(cursor.ready()));
    assert_eq!(server.stored(), [format!("http needle: {}", claimed(1))]);
}

#[test]
fn a_value_is_replaced_only_if_it_is_the_expected_one() {
    let server = Server::start();
    let mut client = server.client();
    let target = "/v1/events?topic=board&key=a%20b&expect_last=";
    assert_eq!(client.post(&format!("{target}none"), DONE).json()["position"], 1);
    let answer = client.post(&format!("{target}none"), DONE);
    assert_snapshot!(answer.shown(), @r#"409 {"error":{"code":"unexpected_last","key":"a b","last":1,"message":"the newest record of `a b` in topic `board` is 1","topic":"board"}}"#);
    assert_eq!(client.post(&format!("{target}1"), DONE).json()["position"], 2);
    let cursor = format!("{target}{}:2", server.core().store_id());
    assert_eq!(client.post(&cursor, DONE).json()["position"], 3);
    assert_eq!(client.post(&format!("{target}2"), DONE).json()["error"]["last"], 3);
    let topics = crate::server::records(server.store().root(), |record| {
        let topic = record.meta.mark.as_ref().expect("nothing is damaged").topic.clone();
        topic.map(|topic| (topic.topic, topic.key))
    });
    assert_eq!(topics, vec![Some(("board".to_owned(), Some("a b".to_owned()))); 3]);
}

#[test]
fn what_weft_writes_of_itself_is_not_taken_from_others() {
    let server = Server::start();
    let own = r#"{"weft":1,"type":"subscription.acknowledged","id":"x","at":"2026-11-15T12:00:00Z","data":{"name":"s","position":9}}"#;
    let answer = server.client().post("/v1/events", own);
    assert_snapshot!(answer.shown(), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"reserved_dialect","message":"events of the dialect weft are written by Weft alone; those of another store are its own bookkeeping","pointer":""}]}"#);
    let seal = r#"{"weft_seal":{"pos":1}}"#;
    assert_eq!(
        server.client().post("/v1/events", seal).json()["violations"][0]["code"],
        "reserved_key"
    );
    assert!(server.stored().is_empty());
}

#[test]
fn the_events_of_all_dialects_are_stored_verbatim() {
    let server = Server::start();
    let samples: Vec<String> = weft_event::sample::events(7)
        .filter(|line| !line.starts_with("{\"weft\":"))
        .take(3000)
        .collect();
    let mut client = server.client();
    for (n, some) in samples.chunks(1000).enumerate() {
        let body = match n {
            0 => format!("[{}]", some.join(",")),
            _ => some.join("\n"),
        };
        let answer = client.post("/v1/events?strict=true", body);
        assert_eq!(answer.json()["accepted"], 1000, "{}", answer.text());
    }
    assert_eq!(lines(&server), samples);
}

#[test]
fn many_clients_at_once_get_each_its_own_positions() {
    let server = Server::start();
    let mut positions: Vec<u64> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..16)
            .map(|n| {
                let server = &server;
                scope.spawn(move || {
                    let mut client = server.client();
                    let send = |idx: u64| {
                        let answer = client.post("/v1/events", claimed(n * 1000 + idx));
                        answer.json()["position"].as_u64().expect("a position")
                    };
                    (0..25).map(send).collect::<Vec<u64>>()
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("it ends well")).collect()
    });
    positions.sort_unstable();
    assert_eq!(positions, (1..=400).collect::<Vec<u64>>());
}

#[test]
fn unknown_paths_and_methods_are_told_as_json() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(client.get("/v1/nowhere").failure(), (404, "unknown_path".to_owned()));
    let answer = client.request("DELETE", "/healthz").send(b"");
    assert_eq!(answer.failure(), (405, "wrong_method".to_owned()));
    let json: Value = answer.json();
    assert!(json["error"]["message"].as_str().is_some_and(|text| text.contains("DELETE")));
}
