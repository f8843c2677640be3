//! Malformed everything: each is answered with what is wrong or hung up on, never with a fault of ours, and never waited for.

use super::assert_well;
use crate::client::Client;
use crate::sandbox::{FINE, Sandbox};
use crate::served::Served;

/// How much more memory than at rest a server may take for all of it.
const GROWN_BYTES_MAX: u64 = 160 << 20;

/// What is told of what is wrong has a limit too.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Addresses with something wrong in them.
const TARGETS: &[&str] = &[
    "/v1/events?after=x",
    "/v1/events?after=-1",
    "/v1/events?after=99999999999999999999999",
    "/v1/events?after=other:1",
    "/v1/events?after=:",
    "/v1/events?before=1:2:3",
    "/v1/events?after=1&after=2",
    "/v1/events?limit=0",
    "/v1/events?limit=-5",
    "/v1/events?limit=1e9",
    "/v1/events?limit=18446744073709551616",
    "/v1/events?order=sideways",
    "/v1/events?format=xml",
    "/v1/events?nothing=1",
    "/v1/events?filter=%",
    "/v1/events?filter=%zz",
    "/v1/events?filter=%ff%fe",
    "/v1/events?filter=(",
    "/v1/events?filter=status=",
    "/v1/events?filter=a%20or",
    "/v1/events?filter=-",
    "/v1/events?filter=since:yesterday-ish",
    "/v1/events?filter=level%3E%3D",
    "/v1/events?filter=%22",
    "/v1/events?filter=/(((/",
    "/v1/events/0",
    "/v1/events/x",
    "/v1/events/-1",
    "/v1/events/99999999999999999999999",
    "/v1/events/%00",
    "/v1/events/..%2f..%2fetc%2fpasswd",
    "/v1/sessions/%ff",
    "/v1/traces/%ff",
    "/v1/stream?after=x",
    "/v1/stream?after=1&filter=(",
    "/v1/subscriptions/%ff",
    "/v1/subscriptions/a%2fb/events",
    "/v1/subscriptions/none/events?wait=x",
    "/v1/../v1/events",
    "//v1/events",
    "/%2e%2e/",
];

/// Bodies with something wrong in them.
const BODIES: &[&[u8]] = &[
    b"",
    b" ",
    b"\n\n\n",
    b"null",
    b"true",
    b"17",
    b"\"text\"",
    b"{",
    b"{}",
    b"[{}]",
    b"[[[]]]",
    b"{\"a\":1,\"a\":2}",
    b"{\"schema_version\":1,\"schema_version\":1}",
    b"{\"a\":\"\xff\xfe\"}",
    b"\xff\xfe{\0}\0",
    b"\xef\xbb\xbf",
    b"{\"a\":\"\\ud800\"}",
    b"{\"a\":\"\\x41\"}",
    b"{\"a\":01}",
    b"{\"a\":1e999999}",
    b"{\"a\":NaN}",
    b"{'a':1}",
    b"{\"a\":1,}",
    b"{\"a\":1}x",
    b"{\"weft_seal\":{}}",
    b"{\"weft\":1,\"type\":\"log.pruned\",\"id\":\"1\",\"at\":\"2026-01-01T00:00:00Z\",\"data\":{}}",
    b"{\"version\":\"1.0.0\",\"event_type\":\"lifecycle.started\",\"timestamp\":\"noon\",\"agent_id\":\"@a\"}",
    b"\0\0\0\0",
];

/// What a body is said to be.
const KINDS: &[&str] = &[
    "",
    "content-type: application/json\r\n",
    "content-type: application/x-ndjson\r\n",
    "content-type: application/cloudevents+json\r\n",
    "content-type: application/cloudevents-batch+json\r\n",
    "content-type: application/json\r\nce-specversion: 9\r\nce-id: \r\n",
    "content-type: image/png\r\n",
    "content-type: multipart/form-data; boundary=\"\r\n",
    "content-type: \r\ncontent-encoding: br\r\n",
    "content-encoding: gzip\r\n",
    "content-encoding: zstd\r\n",
    "idempotency-key: \r\n",
];

/// What is no HTTP, or hardly.
const NOISE: &[&[u8]] = &[
    b"\r\n\r\n\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET  HTTP/1.1\r\n\r\n",
    b"get /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"GET /healthz HTTP/3.0\r\nhost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\nhost localhost\n\n",
    b"GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: \0\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n : y\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: a\r\n folded\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999999999\r\n\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1, 2\r\n\r\nab",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1;x=\xff\r\n{\r\n0\r\n\r\n",
    b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    b"GET /v1/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 8\r\nsec-websocket-key: eA==\r\n\r\n",
    b"GET /v1/stream HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\r\n",
];

/// Sends bytes and nothing more; returns the statuses of the answers, to the end of the connection.
pub(super) fn exchange(http: &str, bytes: &[u8]) -> Vec<u16> {
    let mut client = Client::connect(http);
    client.write(bytes);
    client.close_own_side();
    let answers = client.rest();
    let text = String::from_utf8_lossy(&answers);
    text.split("HTTP/1.1 ").skip(1).filter_map(|answer| answer.get(..3)?.parse().ok()).collect()
}

#[test]
fn what_is_wrong_with_an_address_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let mut client = Client::connect(&served.http);
    assert_eq!(client.post(FINE.as_bytes()).status, 202);
    let before = served.peak_bytes();
    for target in TARGETS {
        let answer = client.get(target);
        assert!((400..500).contains(&answer.status), "{} to {target}", answer.status);
        let (_, code) = answer.failure();
        assert!(!code.is_empty(), "{target}");
    }
    let deep = format!("/v1/events?filter={}a{}", "(".repeat(20_000), ")".repeat(20_000));
    let wide = format!("/v1/events?filter={}a", "a+or+".repeat(10_000));
    let long = format!("/v1/events?filter=session:{}", "x".repeat(60_000));
    let path = format!("/v1/sessions/{}", "x".repeat(60_000));
    let huge = format!("/{}", "x".repeat(200_000));
    for target in [deep, wide, long, path, huge] {
        let statuses = exchange(&served.http, &client.request(&format!("GET {target}"), "", b""));
        assert!(statuses.iter().all(|status| *status < 500), "{statuses:?} to {}", &target[..40]);
        assert_eq!(statuses.len(), 1, "{statuses:?} to {}", &target[..40]);
    }
    let grown = served.peak_bytes() - before;
    assert!(grown < GROWN_BYTES_MAX, "{grown} bytes");
    assert_well(served);
}

#[test]
fn what_is_wrong_with_a_body_is_told_and_nothing_of_it_is_stored() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let before = served.peak_bytes();
    let deep = "[".repeat(1 << 20);
    let nested = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let keys: String = (0..60_000).map(|n| format!("\"k{n}\":1,")).collect();
    let wide = format!("{{{keys}\"k0\":1}}");
    let long = format!("{{\"{}\":1}}", "x".repeat(8 << 20));
    let repeated = format!("{{{}\"a\":1}}", "\"id\":1,".repeat(60_000));
    let lines = "{}\n".repeat(2_000);
    let large = [deep, nested, wide, long, repeated, lines];
    let large = large.iter().map(String::as_bytes);
    let targets = ["POST /v1/events", "POST /v1/subscriptions", "POST /v1/subscriptions/a/ack"];
    let small = BODIES.iter().flat_map(|body| KINDS.iter().map(move |kind| (*body, *kind)));
    // The kinds that are read, and not refused before.
    let large = large.flat_map(|body| KINDS[..4].iter().map(move |kind| (body, *kind)));
    for (body, kind) in small.chain(large) {
        for target in targets {
            let answer = Client::connect(&served.http).ask(target, kind, body);
            let answer = answer.expect("an answer");
            let (status, shown) = (answer.status, &body[..body.len().min(60)]);
            assert!((400..500).contains(&status), "{status} to {target} {kind} {shown:?}");
            assert!(answer.body.len() < ANSWER_BYTES_MAX, "{} bytes", answer.body.len());
            answer.json();
        }
    }
    assert!(sandbox.log().is_empty());
    let grown = served.peak_bytes() - before;
    println!("malformed bodies took {grown} bytes more than at rest");
    assert!(grown < GROWN_BYTES_MAX, "{grown} bytes");
    assert_well(served);
}

#[test]
fn what_is_no_http_is_answered_or_hung_up_on() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let header =
        format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let headers: String = (0..5_000).map(|n| format!("x-{n}: y\r\n")).collect();
    let headers = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
    let endless = "x".repeat(2 << 20);
    let large = [header, headers, endless];
    for noise in NOISE.iter().copied().chain(large.iter().map(String::as_bytes)) {
        let statuses = exchange(&served.http, noise);
        let shown = String::from_utf8_lossy(&noise[..noise.len().min(120)]);
        assert!(
            statuses.iter().all(|status| (400..500).contains(status)),
            "{statuses:?} to {shown}"
        );
    }
    assert!(sandbox.log().is_empty());
    assert_well(served);
}
