//! Clients that break every rule: the server answers or hangs up, is never at fault, and goes on.

use crate::client::Client;
use crate::post::{DECISION, DONE, claimed};
use crate::server::Server;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.roll() % n as u64).expect("it is below a usize")
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.roll().to_le_bytes()[3]).collect()
    }
}

/// Sends what may be anything and hears what comes back, to the end.
fn exchange(server: &Server, bytes: &[u8]) -> Vec<u16> {
    let mut client = server.client();
    client.write(bytes);
    client.close_own_side();
    let answers = client.rest();
    statuses(&answers)
}

/// Returns the statuses of the answers in a stretch of bytes.
fn statuses(answers: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(answers);
    let lines = text.split("HTTP/1.1 ").skip(1);
    lines.filter_map(|line| line.get(..3)?.parse().ok()).collect()
}

fn assert_alive(server: &Server) {
    assert_eq!(server.client().get("/healthz").status, 200);
}

#[track_caller]
fn assert_not_at_fault(statuses: &[u16], sent: &[u8]) {
    let is_fault = statuses.iter().any(|status| *status >= 500);
    assert!(!is_fault, "{statuses:?} to {:?}", String::from_utf8_lossy(sent));
}

#[test]
fn random_bytes_instead_of_a_request() {
    let server = Server::start();
    let mut dice = Dice(0x5eed);
    for _ in 0..200 {
        let n = dice.below(600);
        let bytes = dice.bytes(n);
        assert_not_at_fault(&exchange(&server, &bytes), &bytes);
    }
    assert_alive(&server);
}

#[test]
fn random_bodies_of_every_content_type_and_coding() {
    let server = Server::start();
    let kinds = [
        "",
        "application/json",
        "application/x-ndjson",
        "text/plain",
        "application/cloudevents+json",
        "application/cloudevents-batch+json",
        "image/png",
        ";;;",
        "application/json; charset=\"",
    ];
    let codings = ["", "gzip", "zstd", "br", ",", "identity"];
    let mut dice = Dice(0xb0d7);
    for _ in 0..400 {
        let n = dice.below(3000);
        let body = dice.bytes(n);
        let mut client = server.client();
        let mut request = client.request("POST", "/v1/events");
        let (kind, coding) = (kinds[dice.below(kinds.len())], codings[dice.below(codings.len())]);
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        if !coding.is_empty() {
            request = request.header("content-encoding", coding);
        }
        if dice.below(4) == 0 {
            request = request.header("ce-id", "x");
        }
        let answer = request.send(&body);
        assert!((400..500).contains(&answer.status), "{} {kind} {coding} {body:?}", answer.status);
    }
    assert_alive(&server);
    assert!(server.stored().is_empty());
}

#[test]
fn good_requests_with_bytes_changed() {
    let server = Server::start();
    let cloud =
        format!(r#"{{"specversion":"1.0","id":"1","source":"a","type":"t","data":{DONE}}}"#);
    let good = [
        request("application/json", DECISION),
        request("application/json", &format!("[{},{DONE}]", claimed(1))),
        request("application/x-ndjson", &format!("{}\n{}\n{DONE}\n", claimed(2), claimed(3))),
        request("application/cloudevents+json", &cloud),
        request("application/cloudevents-batch+json", &format!("[{cloud},{cloud}]")),
        request(
            "application/json\r\nce-id: 1\r\nce-source: a\r\nce-type: t\r\nce-specversion: 1.0",
            DONE,
        ),
    ];
    let mut dice = Dice(0xc4a6);
    for round in 0..600 {
        let mut bytes = good[round % good.len()].clone();
        for _ in 0..=dice.below(4) {
            let at = dice.below(bytes.len());
            match dice.below(3) {
                0 => bytes[at] = dice.bytes(1)[0],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}[]\",:\n\r\0%\\"[dice.below(12)]),
            }
        }
        assert_not_at_fault(&exchange(&server, &bytes), &bytes);
    }
    assert_alive(&server);
}

/// Returns a request as bytes.
fn request(kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

#[test]
fn a_client_that_closes_its_side_still_gets_its_answer() {
    let server = Server::start();
    let mut client = server.client();
    client.write(&request("application/json", DONE));
    client.close_own_side();
    assert_eq!(statuses(&client.rest()), [202]);
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn a_body_that_ends_early_stores_nothing() {
    let server = Server::start();
    for cut in [1, 20, DONE.len() - 1] {
        let mut bytes = request("application/json", DONE);
        bytes.truncate(bytes.len() - cut);
        assert_eq!(exchange(&server, &bytes), [400], "{cut}");
    }
    for body in ["zz\r\nabc", "5\r\nab", "-1\r\n", "fffffffffffffffff\r\n", "3\r\nabcd\r\n"] {
        let head =
            "POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
        let bytes = format!("{head}{body}");
        let statuses = exchange(&server, bytes.as_bytes());
        assert!(statuses.is_empty() || statuses == [400], "{statuses:?} to {body:?}");
    }
    assert!(server.stored().is_empty());
}

#[test]
fn a_client_that_vanishes_leaves_the_server_well() {
    let server = Server::start();
    for cut in (0..request("application/json", DONE).len()).step_by(7) {
        let bytes = request("application/json", DONE);
        let mut client = server.client();
        client.write(&bytes[..cut]);
        drop(client);
    }
    assert_alive(&server);
    assert!(server.stored().is_empty());
}

#[test]
fn requests_one_after_the_other_on_one_connection_are_all_answered() {
    let server = Server::start();
    let mut client = server.client();
    let many: Vec<u8> = (1..=50).flat_map(|n| request("application/json", &claimed(n))).collect();
    client.write(&many);
    let positions: Vec<u64> = (0..50)
        .map(|_| {
            let answer = client.answer().expect("an answer");
            answer.json()["position"].as_u64().expect("a position")
        })
        .collect();
    assert_eq!(positions, (1..=50).collect::<Vec<u64>>());
}

#[test]
fn malformed_requests_are_answered_or_hung_up_on() {
    let server = Server::start();
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(100_000));
    let headers: String = (0..500).map(|n| format!("x-{n}: y\r\n")).collect();
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
    let both = "POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    for text in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nhost\r\n\r\n",
        "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "POST /v1/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip\r\n\r\n",
        "CONNECT localhost:1 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET * HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
        &long,
        &many,
        both,
    ] {
        let statuses = exchange(&server, text.as_bytes());
        assert_not_at_fault(&statuses, text.as_bytes());
        assert!(statuses.iter().all(|status| *status >= 400), "{statuses:?} to {text:?}");
    }
    assert_alive(&server);
}

#[test]
fn thousands_of_idle_connections_do_no_harm() {
    let server = Server::start();
    let idle: Vec<Client> = (0..1000).map(|_| server.client()).collect();
    assert_eq!(server.client().post("/v1/events", DONE).status, 202);
    drop(idle);
    assert_alive(&server);
}

#[test]
fn deep_and_wide_json_is_refused_in_time() {
    let server = Server::start();
    let deep = "[".repeat(1 << 20);
    let nested = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let keys: String = (0..200_000).map(|n| format!("\"k{n}\":1,")).collect();
    let wide = format!("{{{keys}\"k0\":1}}");
    let numbers = format!("[{}1]", "1,".repeat(40_000));
    for body in [deep, nested, wide] {
        assert_eq!(server.client().post("/v1/events", body).status, 400);
    }
    assert_eq!(server.client().post("/v1/events", numbers).status, 422);
    assert_alive(&server);
}

#[test]
fn half_a_request_does_not_hold_up_the_answer_to_the_one_before_it() {
    let server = Server::start();
    let mut client = server.client();
    client.write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /readyz HTTP/1.1\r\nho");
    assert_eq!(client.answer().expect("an answer").text(), r#"{"alive":true}"#);
    client.write(b"st: localhost\r\n\r\n");
    assert_eq!(client.answer().expect("an answer").json()["ready"], true);
}
