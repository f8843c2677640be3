//! Streams over a WebSocket: the same records as over server-sent events, a message each.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::Value;

use crate::client::{Answer, Client};
use crate::post::{DECISION, DONE, claimed};
use crate::read::{large, post_claims, store_id, with_claims};
use crate::server::Server;
use crate::stream::{event_of, with_little_memory};

/// The key of the example in RFC 6455, and what a server answers to it.
const KEY: (&str, &str) = ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A WebSocket, down to its frames.
struct Socket {
    client: Client,
}

impl Socket {
    fn open(server: &Server, target: &str) -> Self {
        Self::ask(server, target, KEY.0).unwrap_or_else(|answer| panic!("{}", answer.shown()))
    }

    /// Opens a WebSocket, or returns the answer that is none.
    fn ask(server: &Server, target: &str, key: &str) -> Result<Self, Answer> {
        let mut client = server.client();
        let mut request = client
            .request("GET", target)
            .header("connection", "keep-alive, Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", key);
        request.send_head();
        let answer = client.answer().expect("an answer");
        if answer.status != 101 {
            return Err(answer);
        }
        assert_eq!(answer.header("sec-websocket-accept"), Some(KEY.1));
        Ok(Self { client })
    }

    /// Returns the next frame; `None` if the server hung up.
    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let head = self.client.take(2)?;
        assert_eq!(head[0] & 0xf0, 0x80, "every message is one frame");
        assert_eq!(head[1] & 0x80, 0, "a server masks nothing");
        let length = match head[1] {
            126 => u64::from(u16::from_be_bytes(self.client.take(2)?.try_into().expect("two"))),
            127 => u64::from_be_bytes(self.client.take(8)?.try_into().expect("eight")),
            short => u64::from(short),
        };
        let length = usize::try_from(length).expect("it fits into memory");
        Some((head[0] & 0x0f, self.client.take(length)?))
    }

    /// Returns the next record.
    fn record(&mut self) -> Option<String> {
        loop {
            match self.frame()? {
                (TEXT, text) => return Some(String::from_utf8(text).expect("it is text")),
                (PING, payload) => self.send(PONG, &payload),
                (CLOSE, reason) => panic!("closed: {}", String::from_utf8_lossy(&reason)),
                (other, _) => panic!("a frame of kind {other}"),
            }
        }
    }

    fn records(&mut self, n: usize) -> Vec<String> {
        (0..n).map(|_| self.record().expect("the stream goes on")).collect()
    }

    /// Reads on to the end; returns code and reason.
    fn closed(&mut self) -> Option<(u16, String)> {
        loop {
            let (kind, payload) = self.frame()?;
            if kind == CLOSE {
                let code = u16::from_be_bytes([payload[0], payload[1]]);
                return Some((code, String::from_utf8_lossy(&payload[2..]).into_owned()));
            }
        }
    }

    fn send(&mut self, kind: u8, payload: &[u8]) {
        let mask = [7, 77, 3, 33];
        let mut frame = vec![0x80 | kind];
        match u16::try_from(payload.len()).expect("a short message") {
            short @ 0..126 => frame.push(0x80 | short as u8),
            long => {
                frame.push(0x80 | 126);
                frame.extend(long.to_be_bytes());
            }
        }
        frame.extend(mask);
        frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.client.write(&frame);
    }
}

fn position(record: &str) -> u64 {
    let json: Value = serde_json::from_str(record).expect("a record is JSON");
    json["position"].as_u64().expect("a position")
}

fn positions(records: &[String]) -> Vec<u64> {
    records.iter().map(|record| position(record)).collect()
}

#[test]
fn history_and_what_comes_are_one_stream() {
    const N_EVENTS: u64 = 200;
    let server = with_little_memory();
    post_claims(&server, 1, 60);
    std::thread::scope(|scope| {
        for after in [0, 1, 59, 60] {
            let server = &server;
            scope.spawn(move || {
                let mut socket = Socket::open(server, &format!("/v1/stream?after={after}"));
                for n in after + 1..=N_EVENTS {
                    let record = socket.record().expect("the stream goes on");
                    assert_eq!(position(&record), n);
                    assert_eq!(event_of(&record), claimed(n));
                }
            });
        }
        let mut client = server.client();
        (61..=N_EVENTS).for_each(|n| assert_eq!(client.post("/v1/events", claimed(n)).status, 202));
    });
}

#[test]
fn a_record_is_the_same_as_over_http() {
    let server = Server::start();
    let mut client = server.client();
    let event = DONE.replace(",\"reason\"", ",\r  \"reason\"");
    client.post("/v1/events?topic=t&key=k", event);
    client.post("/v1/events", large(1, 1_000_000));
    let records = Socket::open(&server, "/v1/stream?after=0").records(2);
    for (n, record) in (1..).zip(records) {
        assert_eq!(client.get(&format!("/v1/events/{n}")).text().trim_end(), record);
    }
}

#[test]
fn who_is_cut_off_goes_on_behind_the_last_cursor() {
    let server = with_little_memory();
    post_claims(&server, 1, 90);
    let mut seen = Vec::new();
    let mut after = "0".to_owned();
    while seen.len() < 90 {
        let n = (1 + seen.len() % 13).min(90 - seen.len());
        let records = Socket::open(&server, &format!("/v1/stream?after={after}")).records(n);
        let last: Value = serde_json::from_str(&records[n - 1]).expect("JSON");
        after = last["cursor"].as_str().expect("a cursor").to_owned();
        seen.extend(positions(&records));
    }
    assert_eq!(seen, (1..=90).collect::<Vec<u64>>());
}

#[test]
fn a_stream_shows_what_its_filter_chooses() {
    let server = with_claims(3);
    let mut socket = Socket::open(&server, "/v1/stream?filter=dialect%3Dcollector");
    post_claims(&server, 4, 5);
    server.client().post("/v1/events", DECISION);
    assert_eq!(positions(&socket.records(1)), [6]);
}

#[test]
fn a_quiet_stream_is_pinged_and_what_its_reader_says_changes_nothing() {
    let server = Server::limited(|limits| limits.heartbeat = Duration::from_millis(20));
    let mut socket = Socket::open(&server, "/v1/stream");
    assert_eq!(socket.frame(), Some((PING, Vec::new())));
    socket.send(PONG, b"");
    socket.send(PING, b"are you there");
    let answered = (0..1000).any(|_| socket.frame() == Some((PONG, b"are you there".to_vec())));
    assert!(answered);
    socket.send(TEXT, b"hello");
    post_claims(&server, 1, 1);
    assert_eq!(positions(&socket.records(1)), [1]);
}

#[test]
fn a_reader_that_says_too_much_is_gone() {
    let server = with_claims(1);
    let mut socket = Socket::open(&server, "/v1/stream");
    socket.send(TEXT, &[b'x'; 5000]);
    assert_eq!(socket.closed(), None);
    server.block_on(server.core().streams_ended());
}

#[test]
fn a_reader_that_closes_is_answered() {
    let server = with_claims(1);
    let mut socket = Socket::open(&server, "/v1/stream");
    socket.send(CLOSE, &[3, 232]);
    assert_eq!(socket.closed(), Some((1000, String::new())));
    assert_eq!(socket.frame(), None);
    server.block_on(server.core().streams_ended());
}

#[test]
fn a_server_that_ends_tells_where_to_go_on() {
    let server = with_claims(4);
    let store = store_id(&server);
    let mut reader = Socket::open(&server, "/v1/stream?after=1");
    assert_eq!(positions(&reader.records(3)), [2, 3, 4]);
    let mut idle = Socket::open(&server, "/v1/stream");
    server.end();
    for socket in [&mut reader, &mut idle] {
        let reason = format!(r#"{{"why":"shutdown","after":"{store}:4"}}"#);
        assert_eq!(socket.closed(), Some((1001, reason)));
    }
}

#[test]
fn who_takes_nothing_is_broken_off() {
    let server = Server::limited(|limits| {
        limits.reader_patience = Duration::from_millis(400);
        limits.stream_bytes_max = 64 << 10;
    });
    let mut client = server.client();
    for first in (0..40).step_by(10) {
        let lines: Vec<String> = (first..first + 10).map(|n| large(n, 1_000_000)).collect();
        assert_eq!(client.post("/v1/events", lines.join("\n")).json()["accepted"], 10);
    }
    let mut socket = Socket::open(&server, "/v1/stream?after=0");
    server.block_on(server.core().streams_ended());
    let mut seen = read_to_end(&mut socket, 0);
    assert!(seen < 40, "what nobody takes is not sent: {seen}");
    // On a busy machine it may happen again on the way.
    while seen < 40 {
        let mut socket = Socket::open(&server, &format!("/v1/stream?after={seen}"));
        seen = read_to_end(&mut socket, seen);
    }
}

/// Reads up to the fortieth record, or until the stream ends; returns the last position.
fn read_to_end(socket: &mut Socket, mut seen: u64) -> u64 {
    while seen < 40
        && let Some((kind, payload)) = socket.frame()
    {
        match kind {
            TEXT => {
                seen += 1;
                assert_eq!(position(str::from_utf8(&payload).expect("text")), seen);
            }
            CLOSE => {
                let reason = String::from_utf8_lossy(&payload[2..]);
                assert!(reason.starts_with(r#"{"why":"slow""#), "{reason}");
                assert!(reason.ends_with(&format!(r#":{seen}"}}"#)), "{reason}");
                break;
            }
            other => panic!("a frame of kind {other}"),
        }
    }
    seen
}

#[test]
fn what_is_wrong_is_told_before_the_stream() {
    let server = with_claims(2);
    let told = |target: &str| match Socket::ask(&server, target, KEY.0) {
        Ok(_) => panic!("{target} is a stream"),
        Err(answer) => answer.failure(),
    };
    assert_eq!(told("/v1/stream?after=3"), (410, "beyond_end".to_owned()));
    assert_eq!(told("/v1/stream?after=ffff:2"), (410, "other_store".to_owned()));
    assert_eq!(told("/v1/stream?filter=(("), (400, "bad_filter".to_owned()));
    let mut client = server.client();
    let answer = client
        .request("GET", "/v1/stream")
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "12")
        .header("sec-websocket-key", KEY.0)
        .send(b"");
    assert_snapshot!(answer.shown(), @r#"400 {"error":{"code":"bad_upgrade","message":"`Sec-WebSocket-Version` header did not include '13'"}}"#);
}
