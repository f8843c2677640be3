//! Exports as SDKs send them, over HTTP: what is answered to each rule of the wire, and what is in the log then.

mod grpc;
mod message;
mod metrics;
mod spans;

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use insta::assert_snapshot;
use serde_json::{Value, json};
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_server::access::tokens::Scope;

use crate::client::Answer;
use crate::server::Server;
use message::encode;

const PROTOBUF: &str = "application/x-protobuf";
const JSON: &str = "application/json";

/// Returns an attribute.
fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

/// Returns a request with log records of a service.
fn logs(records: Vec<Value>) -> Value {
    json!({"resourceLogs": [{
        "resource": {"attributes": [text("service.name", "claude-code")]},
        "scopeLogs": [{"scope": {"name": "com.anthropic.claude_code.events"}, "logRecords": records}],
    }]})
}

/// Returns the record that Claude Code sends of a tool call.
fn tool_result(sequence: u64) -> Value {
    json!({
        "timeUnixNano": "1794736800000000000",
        "observedTimeUnixNano": "1794736800000000000",
        "body": {"stringValue": "claude_code.tool_result"},
        "attributes": [
            text("event.name", "tool_result"),
            {"key": "event.sequence", "value": {"intValue": sequence.to_string()}},
            text("session.id", "4f0c"),
            text("prompt.id", "b7a9"),
            text("tool_name", "Bash"),
            text("tool_use_id", &format!("toolu_{sequence}")),
            text("success", "true"),
            text("duration_ms", "812"),
            text("tool_parameters", r#"{"file_path":"/src/lib.rs"}"#),
        ],
    })
}

/// Posts a request in a form.
fn post(server: &Server, path: &str, kind: &str, body: &[u8]) -> Answer {
    server.client().request("POST", path).header("content-type", kind).send(body)
}

/// Posts a request as Protocol Buffers and as JSON to a server each; returns the two.
fn in_both_forms(path: &str, request: &Value) -> [(Server, Answer); 2] {
    let forms = [(PROTOBUF, encode(request)), (JSON, request.to_string().into_bytes())];
    forms.map(|(kind, body)| {
        let server = Server::start();
        let answer = post(&server, path, kind, &body);
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        assert_eq!(answer.header("content-type"), Some(kind));
        (server, answer)
    })
}

/// Returns the facts of every event in the log; each has to be valid without a warning.
fn facts(server: &Server) -> String {
    let stored = server.stored();
    let facts = stored.iter().map(|stored| {
        let (via, line) = stored.split_once(": ").expect("a way and an event");
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        assert_eq!(problems.list(), [], "{line}");
        let rows = event.expect("an event").facts().rows();
        let rows = rows.into_iter().map(|(name, fact)| format!("{name}: {fact}"));
        format!("{via}\n{}\n", rows.collect::<Vec<_>>().join("\n"))
    });
    facts.collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).expect("it is written to memory");
    gzip.finish().expect("finished")
}

#[test]
fn a_record_becomes_the_same_event_in_either_form() {
    let request = logs(vec![tool_result(17)]);
    let [(protobuf, answer), (json, told)] = in_both_forms("/v1/logs", &request);
    assert_eq!((answer.body.as_slice(), told.text()), (&b""[..], "{}"));
    assert_snapshot!(facts(&protobuf), @"
    otlp collector
    type: hook.post_tool_use
    time: 2026-11-15T10:00:00Z
    actor: session-4f0c
    session: 4f0c
    identity: id 6ce07d79-5fe5-8166-a70a-69daa124cc74
    status: progress
    level: info
    tool: Bash
    path: /src/lib.rs
    duration: 812 ms
    message: claude_code.tool_result
    span: toolu_17
    parent span: b7a9
    ");
    assert_eq!(facts(&json), facts(&protobuf));
}

#[test]
fn the_server_makes_the_events_that_convert_makes() {
    let odd = json!({
        "observedTimeUnixNano": "1794736801000000000",
        "severityNumber": 17,
        "eventName": "build.failed",
        "body": {"kvlistValue": {"values": [text("k", "v\n\"é"), {"key": "n", "value": {"intValue": "-5"}}]}},
        "attributes": [
            {"key": "list", "value": {"arrayValue": {"values": [{"boolValue": true}, {"doubleValue": 0.5}, {}]}}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "1100"}},
            {"key": "gen_ai.usage.cache_read.input_tokens", "value": {"intValue": "1000"}},
        ],
        "traceId": "0af7651916cd43dd8448eb211c80319c",
        "spanId": "b7ad6b7169203331",
    });
    let request = logs(vec![tool_result(1), odd]);
    let mut tape = Tape::new();
    let text = request.to_string();
    let value = tape.parse(&text).expect("JSON");
    let fill = weft_event::translate::Fill::default();
    let converted = weft_event::translate::open(value, &fill).expect("a request");
    let converted = converted.into_iter().map(|opened| opened.expect("an event").line);
    let converted: Vec<String> = converted.map(|line| format!("otlp collector: {line}")).collect();
    let [(protobuf, _), (json, _)] = in_both_forms("/v1/logs", &request);
    assert_eq!(json.stored(), converted);
    // Protocol Buffers have an order of members of their own; what the events say is the same.
    let parsed = |lines: &[String]| -> Vec<Value> {
        let lines = lines.iter().map(|line| line.trim_start_matches("otlp collector: "));
        lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    assert_eq!(parsed(&protobuf.stored()), parsed(&converted));
}

/// The log has a line for each event, however the request was laid out.
#[test]
fn a_request_on_many_lines_gives_events_on_one() {
    let server = Server::start();
    let mut record = tool_result(1);
    record["attributes"][8] = text("tool_parameters", "{\n  \"file_path\": \"/src/lib.rs\"\n}");
    let request = logs(vec![record, tool_result(2)]);
    let pretty = serde_json::to_string_pretty(&request).expect("JSON");
    assert_eq!(post(&server, "/v1/logs", JSON, pretty.as_bytes()).status, 200);
    assert_eq!(post(&server, "/v1/logs", PROTOBUF, &encode(&request)).status, 200);
    let stored = server.stored();
    assert_eq!(stored.iter().filter(|line| line.contains('\n')).count(), 0);
    assert!(stored[0].contains(r#""file_path": "/src/lib.rs""#), "{}", stored[0]);
    assert_eq!(facts(&server).matches("path: /src/lib.rs").count(), stored.len());
}

#[test]
fn a_retried_batch_counts_once() {
    let server = Server::start();
    let plain = |n: u64| json!({"timeUnixNano": n.to_string(), "body": {"stringValue": "hello"}});
    // Two equal records of one batch are two; without a number of their own only the request tells them from their repeats.
    let request = logs(vec![tool_result(1), plain(1_000), plain(1_000)]);
    for kind in [PROTOBUF, JSON] {
        for _ in 0..2 {
            let body = if kind == PROTOBUF { encode(&request) } else { request.to_string().into() };
            assert_eq!(post(&server, "/v1/logs", kind, &body).status, 200);
        }
    }
    // The record with a number is the same whatever form it comes in; the others came in two requests.
    assert_eq!(server.stored().len(), 1 + 2 * 2);
    let timeless = logs(vec![json!({"body": {"stringValue": "hello"}})]);
    for _ in 0..2 {
        assert_eq!(post(&server, "/v1/logs", PROTOBUF, &encode(&timeless)).status, 200);
    }
    assert_eq!(server.stored().len(), 5 + 2, "two equal records without a time are two");
}

#[test]
fn needle_counts_once_by_file_and_by_otlp() {
    let server = Server::start();
    let own = r#"{"schema_version":1,"timestamp":"2026-11-15T10:00:00Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":3,"bead_id":"bd-1","data":{"duration_ms":90}}"#;
    assert_eq!(server.client().post("/v1/events", own).status, 202);
    let record = json!({
        "timeUnixNano": "1794736800000000000",
        "severityNumber": 9,
        "eventName": "bead.claimed",
        "attributes": [
            text("needle.worker.id", "w"),
            text("needle.session.id", "s"),
            {"key": "needle.sequence", "value": {"intValue": "3"}},
            text("needle.bead.id", "bd-1"),
            {"key": "duration_ms", "value": {"intValue": "90"}},
        ],
    });
    let request = logs(vec![record]);
    for (kind, body) in [(PROTOBUF, encode(&request)), (JSON, request.to_string().into_bytes())] {
        let answer = post(&server, "/v1/logs", kind, &body);
        assert_eq!((answer.status, server.stored()), (200, vec![format!("http needle: {own}")]));
    }
}

#[test]
fn gzip_is_taken_and_a_bomb_is_not() {
    let server = Server::limited(|limits| limits.body_bytes_max = 1 << 20);
    let request = logs(vec![tool_result(1)]);
    for (kind, body) in [(PROTOBUF, encode(&request)), (JSON, request.to_string().into_bytes())] {
        let send = |body: &[u8], coding: &str| {
            let mut client = server.client();
            let request = client.request("POST", "/v1/logs").header("content-type", kind);
            request.header("content-encoding", coding).send(body)
        };
        assert_eq!(send(&gzip(&body), "gzip").status, 200);
        assert_eq!(send(&body, "gzip").status, 400);
        let answer = send(&gzip(&vec![0; 20 << 20]), "gzip");
        assert_eq!((answer.status, answer.header("content-type")), (413, Some(kind)));
        let answer = send(&body, "br");
        assert_eq!((answer.status, answer.header("accept-encoding")), (415, Some("gzip, zstd")));
    }
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn failures_are_a_status_in_the_form_of_the_request() {
    let server = Server::limited(|limits| limits.request_events_max = 2);
    let shown = |kind: &str, body: &[u8]| {
        let answer = post(&server, "/v1/logs", kind, body);
        format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body))
    };
    assert_snapshot!(shown(JSON, b"{"), @r#"400 {"code":3,"message":"the body is not JSON: the line ends inside a value at byte 1"}"#);
    assert_snapshot!(shown(JSON, b"[]"), @r#"400 {"code":3,"message":"an export request is an object, not array"}"#);
    assert_snapshot!(shown(JSON, br#"{"resourceLogs":5}"#), @r#"400 {"code":3,"message":"/resourceLogs: expected array, found number"}"#);
    assert_snapshot!(shown(PROTOBUF, b"\x0a\x05x").escape_debug(), @r"400 \u{8}\u{3}\u{12};the body is no export request: the body ends inside a field");
    assert_snapshot!(shown("text/plain", b"x"), @r#"415 {"code":12,"message":"export requests are application/x-protobuf or application/json"}"#);
    let many = logs((1..=3).map(tool_result).collect());
    assert_snapshot!(shown(JSON, many.to_string().as_bytes()), @r#"413 {"code":8,"message":"there are more than 2 events (request_events_max)"}"#);
    assert_eq!(server.client().get("/v1/logs").status, 405);
    assert_eq!(server.stored(), Vec::<String>::new());
}

#[test]
fn refused_records_are_counted_and_kept_and_the_rest_is_stored() {
    let server = Server::start();
    let bad = json!({"timeUnixNano": "1", "attributes": [text("weft.dialect", "needle"), text("weft.event", "{}")]});
    let request = logs(vec![bad, tool_result(1)]);
    let answer = post(&server, "/v1/logs", JSON, request.to_string().as_bytes());
    assert_eq!(answer.status, 200);
    let partial = &answer.json()["partialSuccess"];
    assert_eq!(partial["rejectedLogRecords"], "1");
    let message = partial["errorMessage"].as_str().expect("a message");
    assert!(message.starts_with("1 of 2 log records refused, the first because: "), "{message}");
    let malformed = logs(vec![json!({"attributes": 5}), tool_result(2)]);
    let answer = post(&server, "/v1/logs", JSON, malformed.to_string().as_bytes());
    assert_snapshot!(answer.text(), @r#"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"1 of 2 log records refused, the first because: /resourceLogs/0/scopeLogs/0/logRecords/0/attributes: expected array, found number"}}"#);
    assert_eq!((server.stored().len(), server.rejected().len()), (2, 2));
    assert!(server.rejected().iter().all(|kept| kept.via == "otlp"));
}

#[test]
fn a_request_without_records_is_warned_about() {
    let server = Server::start();
    let shown = |kind: &str, body: &[u8]| {
        let answer = post(&server, "/v1/logs", kind, body);
        format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body))
    };
    assert_snapshot!(shown(JSON, b"{}"), @r#"200 {"partialSuccess":{"errorMessage":"there is nothing in the request"}}"#);
    assert_snapshot!(shown(PROTOBUF, b"").escape_debug(), @r"200 \n!\u{12}\u{1f}there is nothing in the request");
    let snake = logs(vec![tool_result(1)]).to_string().replace("resourceLogs", "resource_logs");
    assert_snapshot!(shown(JSON, snake.as_bytes()), @r#"200 {"partialSuccess":{"errorMessage":"nothing was read: in OTLP/JSON names are in lowerCamelCase, such as resourceLogs and not resource_logs"}}"#);
}

#[test]
fn who_may_not_write_is_told_so_in_the_exporters_form() {
    let server = Server::wide();
    let reader = server.token(Scope::Read);
    let writer = server.token(Scope::Write);
    let body = encode(&logs(vec![tool_result(1)]));
    let send = |token: Option<&str>| {
        let mut client = server.client();
        let request = client.request("POST", "/v1/logs").header("content-type", PROTOBUF);
        match token {
            Some(token) => request.bearer(token).send(&body),
            None => request.send(&body),
        }
    };
    let answer = send(None);
    assert_eq!((answer.status, answer.header("content-type")), (401, Some(PROTOBUF)));
    assert_eq!(answer.body[..2], [8, 16], "UNAUTHENTICATED");
    let answer = send(Some(&reader));
    assert_eq!((answer.status, &answer.body[..2]), (403, &[8, 7][..]));
    assert_eq!(send(Some(&writer)).status, 200);
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn secrets_in_records_do_not_reach_the_log() {
    let server = Server::start();
    let mut record = tool_result(1);
    let key = format!("ghp_{}", "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d");
    record["attributes"].as_array_mut().expect("a list").push(text("output", &key));
    assert_eq!(post(&server, "/v1/logs", PROTOBUF, &encode(&logs(vec![record]))).status, 200);
    let stored = server.stored();
    assert!(!stored[0].contains(&key) && stored[0].contains("redacted"), "{}", stored[0]);
}

/// Makes the store of a server one that cannot be written; returns what makes it whole again.
fn unwritable(server: &Server) -> impl FnOnce() + use<> {
    // Without the folder of its segments the log cannot begin a new one.
    let (log, aside) = (server.store().log(), server.store().root().join("elsewhere"));
    std::fs::rename(&log, &aside).expect("moved");
    std::fs::write(&log, b"in the way").expect("written");
    let big = format!(
        r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"x":"{}"}}"#,
        "y".repeat(900_000)
    );
    let mut client = server.client();
    while client.post("/v1/events", &big).status != 503 {}
    move || {
        std::fs::remove_file(&log).expect("removed");
        std::fs::rename(&aside, &log).expect("moved back");
    }
}

#[test]
fn a_store_that_cannot_be_written_is_worth_another_try() {
    let server = Server::start();
    let repair = unwritable(&server);
    let body = encode(&logs(vec![tool_result(1)]));
    let answer = post(&server, "/v1/logs", PROTOBUF, &body);
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")));
    assert_eq!(answer.body[..2], [8, 14], "UNAVAILABLE");
    let shown = grpc::export(&server, grpc::LOGS, &grpc::frame(0, &body), &[]);
    assert_eq!((shown.status.as_str(), shown.has_retry_info), ("14", true));
    repair();
    assert_eq!(post(&server, "/v1/logs", PROTOBUF, &body).status, 200);
    assert_eq!(server.stored().iter().filter(|line| line.starts_with("otlp ")).count(), 1);
}
