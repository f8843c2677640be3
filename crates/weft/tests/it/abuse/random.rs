//! Requests as dice make them: parts that fit together badly, and whole ones with bytes changed.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::assert_well;
use super::junk::exchange;
use crate::sandbox::{FINE, ODD, Sandbox};
use crate::served::Served;
use crate::stored::needle;

/// Requests in a normal run, and in a long one.
const REQUESTS: [usize; 2] = [3_000, 100_000];

const METHODS: &[&str] =
    &["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "X"];

const PATHS: &[&str] = &[
    "/v1/events",
    "/v1/events/1",
    "/v1/events/x",
    "/v1/sessions/s",
    "/v1/traces/t",
    "/v1/subscriptions",
    "/v1/subscriptions/a",
    "/v1/subscriptions/a/events",
    "/v1/subscriptions/a/ack",
    "/v1/subscriptions/a/replay",
    "/v1/subscriptions/a/dead/drop",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/",
    "*",
];

const PARAMETERS: &[&str] = &[
    "after=0",
    "after=1",
    "before=5",
    "limit=3",
    "limit=x",
    "order=asc",
    "order=x",
    "format=jsonl",
    "filter=session:s",
    "filter=(",
    "filter=%ff",
    "filter=level%3E%3Dwarn+or+-type:x.*",
    "wait=0",
    "wait=99",
    "strict=true",
    "dialect=needle",
    "dialect=x",
    "topic=t",
    "key=k",
    "expect_last=none",
    "durability=written",
    "token=x",
    "%",
    "=",
    "&&",
];

const HEADERS: &[&str] = &[
    "content-type: application/json",
    "content-type: application/x-ndjson",
    "content-type: x/y",
    "content-type: application/cloudevents+json",
    "content-encoding: gzip",
    "content-encoding: zstd",
    "ce-id: 1",
    "ce-specversion: 1.0",
    "ce-source: s",
    "ce-type: t",
    "idempotency-key: k",
    "authorization: Bearer weft_x",
    "authorization: x",
    "origin: http://evil.example",
    "host: evil",
    "expect: 100-continue",
    "expect: x",
    "accept: text/event-stream",
    "last-event-id: x:1",
    "range: bytes=0-1",
    "if-none-match: *",
    "connection: close",
    "connection: upgrade",
    "upgrade: websocket",
    "transfer-encoding: chunked",
    "te: trailers",
    "content-length: 5",
    "x:",
];

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

/// Puts a request together.
fn request(dice: &mut Dice) -> Vec<u8> {
    let mut body: Vec<u8> = match dice.below(6) {
        0 => Vec::new(),
        1 => (0..dice.below(400)).map(|_| dice.byte()).collect(),
        2 => format!("[{FINE},{ODD}]").into_bytes(),
        3 => format!("{FINE}\n{}\n", needle(0, "w", "s", 1)).into_bytes(),
        4 => br#"{"name":"a","kind":"pull","from":"start"}"#.to_vec(),
        _ => FINE.as_bytes().to_vec(),
    };
    change(dice, &mut body);
    let parameters: Vec<&str> = (0..dice.below(3)).map(|_| dice.one(PARAMETERS)).collect();
    let question = if parameters.is_empty() { "" } else { "?" };
    let (method, path, parameters) = (dice.one(METHODS), dice.one(PATHS), parameters.join("&"));
    let mut head = format!("{method} {path}{question}{parameters} HTTP/1.1\r\n");
    if dice.below(10) > 0 {
        head += "host: localhost\r\n";
    }
    for _ in 0..dice.below(4) {
        head += dice.one(HEADERS);
        head += "\r\n";
    }
    if dice.below(8) > 0 {
        head += &format!("content-length: {}\r\n", body.len());
    }
    let mut bytes = [head.as_bytes(), b"\r\n", &body].concat();
    if dice.below(4) == 0 {
        change(dice, &mut bytes);
    }
    bytes
}

/// Changes a few bytes.
fn change(dice: &mut Dice, bytes: &mut Vec<u8>) {
    for _ in 0..dice.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = dice.below(bytes.len());
        match dice.below(4) {
            0 => bytes[at] = dice.byte(),
            1 => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, dice.one(b"{}[]\",:\n\r\0%\\ \xff")),
        }
    }
}

#[test]
fn no_request_whatever_is_a_fault_of_the_server_or_waited_for() {
    let seed = std::env::var("WEFT_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed: u64 = seed.unwrap_or_else(now) | 1;
    println!("WEFT_TEST_SEED={seed}");
    let is_long = std::env::var("WEFT_TEST_EFFORT").is_ok_and(|effort| effort == "long");
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let (before, rest, began) = (served.peak_bytes(), served.n_sockets(), Instant::now());
    let mut dice = Dice(seed);
    let mut counts = [0_usize; 6];
    for _ in 0..REQUESTS[usize::from(is_long)] {
        let bytes = request(&mut dice);
        for status in exchange(&served.http, &bytes) {
            counts[usize::from(status / 100)] += 1;
            assert!(status < 500, "{status} to {:?}", String::from_utf8_lossy(&bytes));
        }
    }
    let grown = served.peak_bytes() - before;
    println!("statuses by hundreds {counts:?}, {grown} bytes, {:?}", began.elapsed());
    assert!(counts[2] > 0 && counts[4] > 0, "{counts:?}");
    assert!(grown < 128 << 20, "{grown} bytes");
    super::eventually("connections end", || served.n_sockets() <= rest);
    let verified = sandbox.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.show());
    assert_well(served);
}
