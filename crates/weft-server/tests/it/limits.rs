//! What happens at each limit: the client is told which one it was, and the server goes on.

use std::io::Write as _;
use std::time::Duration;

use insta::assert_snapshot;

use crate::post::{DONE, claimed};
use crate::server::Server;

fn failure(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let server = Server::limited(|limits| limits.body_bytes_max = 100_000);
    let answer = server.client().post("/v1/events", " ".repeat(100_001));
    assert_snapshot!(answer.shown(), @r#"413 {"error":{"code":"body_too_large","limit":"body_bytes_max","max":100000,"message":"the body is larger than 100000 bytes (body_bytes_max)"}}"#);
    assert_eq!(answer.header("connection"), Some("close"));
    let mut client = server.client();
    let mut request = client
        .request("POST", "/v1/events")
        .header("expect", "100-continue")
        .header("content-length", "100001");
    request.send_head();
    let answer = request.client().answer().expect("an answer without the body");
    assert_eq!(answer.failure(), failure(413, "body_too_large"));
    let padded = format!("{DONE}{}", " ".repeat(100_000 - DONE.len()));
    assert_eq!(server.client().post("/v1/events", padded).status, 202);
}

#[test]
fn a_body_in_pieces_is_cut_off_at_the_limit() {
    let server = Server::limited(|limits| limits.body_bytes_max = 100_000);
    let piece = vec![b' '; 9_000];
    let mut client = server.client();
    let answer = client.request("POST", "/v1/events").send_chunked(&[&piece[..]; 12]);
    assert_eq!(answer.failure(), failure(413, "body_too_large"));
    assert_eq!(server.client().post("/v1/events", DONE).status, 202);
}

#[test]
fn a_bomb_is_stopped_at_the_limit() {
    let server = Server::start();
    let zeros = vec![0; 1 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 19).expect("an encoder");
    // A quarter of a gigabyte.
    for _ in 0..256 {
        gzip.write_all(&zeros).expect("it is written to memory");
        zstd.write_all(&zeros).expect("it is written to memory");
    }
    let bombs =
        [("gzip", gzip.finish().expect("finished")), ("zstd", zstd.finish().expect("finished"))];
    let before = peak_bytes();
    for (coding, bomb) in bombs {
        assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
        let mut client = server.client();
        let request = client.request("POST", "/v1/events").header("content-encoding", coding);
        assert_eq!(request.send(&bomb).failure(), failure(413, "body_too_large"), "{coding}");
    }
    let grown = peak_bytes() - before;
    assert!(grown < 128 << 20, "the server took {grown} bytes");
    assert_eq!(server.client().post("/v1/events", DONE).status, 202);
}

/// Returns the most memory that the process has ever had.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system tells");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is there");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    kib << 10
}

#[test]
fn too_many_events_are_refused_together() {
    let server = Server::limited(|limits| limits.request_events_max = 3);
    let mut client = server.client();
    let events: Vec<String> = (1..=4).map(claimed).collect();
    for body in
        [format!("[{}]", events.join(",")), events.join("\n"), format!("{}\nx\nx\nx", events[0])]
    {
        let answer = client.post("/v1/events", body);
        assert_eq!(answer.failure(), failure(413, "too_many_events"));
        assert_eq!(answer.json()["error"]["limit"], "request_events_max");
    }
    let cloud = r#"{"specversion":"1.0","id":"1","source":"a","type":"t"}"#;
    let batch = format!("[{cloud},{cloud},{cloud},{cloud}]");
    let answer = client.post_as("application/cloudevents-batch+json", batch);
    assert_eq!(answer.failure(), failure(413, "too_many_events"));
    assert!(server.stored().is_empty() && server.rejected().is_empty());
    assert_eq!(client.post("/v1/events", events[..3].join("\n")).json()["accepted"], 3);
}

#[test]
fn who_sends_too_slowly_is_told() {
    let server = Server::limited(|limits| limits.request_patience = Duration::from_millis(300));
    let mut slow_body = server.client();
    let mut request = slow_body.request("POST", "/v1/events").header("content-length", "1000");
    request.send_head();
    request.client().write(b"{\"schema\":");
    let answer = slow_body.answer().expect("an answer");
    assert_eq!(answer.failure(), failure(408, "too_slow"));
    assert!(slow_body.rest().is_empty());
    let mut slow_head = server.client();
    slow_head.write(b"POST /v1/events HTTP/1.1\r\nhost: localhost\r\nx: ");
    let answer = slow_head.answer().expect("an answer");
    assert_eq!(answer.failure(), failure(408, "too_slow"));
    let mut idle = server.client();
    assert!(idle.rest().is_empty(), "a connection that says nothing ends without a word");
    assert!(server.stored().is_empty());
}

#[test]
fn who_finds_the_queue_full_is_told_to_come_again() {
    let server = Server::limited(|limits| {
        limits.queue_patience = Duration::from_millis(50);
        limits.bodies_bytes_max = 64 << 10;
    });
    let mut slow = server.client();
    let mut request = slow.request("POST", "/v1/events").header("content-length", "65000");
    request = request.header("expect", "100-continue");
    request.send_head();
    // The body is asked for when there is room for it.
    assert_eq!(request.client().line().as_deref(), Some("HTTP/1.1 100 Continue"));
    assert_eq!(request.client().line().as_deref(), Some(""));
    request.client().write(DONE.as_bytes());
    let answer = server.client().post("/v1/events", claimed(1));
    assert_snapshot!(answer.shown(), @r#"429 {"error":{"code":"busy","message":"too many requests are in memory: try again later"}}"#);
    assert_eq!(answer.header("retry-after"), Some("1"));
    request.client().write(&vec![b' '; 65_000 - DONE.len()]);
    assert_eq!(slow.answer().expect("an answer").status, 202);
    assert_eq!(server.client().post("/v1/events", claimed(1)).status, 202);
    assert!(server.client().get("/metrics").text().contains("weft_requests_turned_away_total"));
}

#[test]
fn a_store_that_cannot_be_written_is_told_and_not_for_ever() {
    let server = Server::start();
    let mut client = server.client();
    assert_eq!(client.post("/v1/events", claimed(1)).status, 202);
    // Without the folder of its segments the log cannot begin a new one.
    let (log, aside) = (server.store().log(), server.store().root().join("elsewhere"));
    std::fs::rename(&log, &aside).expect("moved");
    std::fs::write(&log, b"in the way").expect("written");
    let big = format!(
        r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"x":"{}"}}"#,
        "y".repeat(900_000)
    );
    let answer = loop {
        let answer = client.post("/v1/events", &big);
        if answer.status != 202 {
            break answer;
        }
    };
    assert_snapshot!(answer.shown(), @r#"503 {"error":{"code":"store_unwritable","message":"the store cannot be written now"}}"#);
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert_eq!(client.get("/readyz").failure(), failure(503, "not_ready"));
    assert_eq!(client.get("/healthz").status, 200);
    std::fs::remove_file(&log).expect("removed");
    std::fs::rename(&aside, &log).expect("moved back");
    assert_eq!(client.post("/v1/events", claimed(2)).status, 202);
    assert_eq!(client.get("/readyz").status, 200);
}

#[test]
fn large_values_of_an_event_move_out_of_it() {
    let server = Server::start();
    let big = format!(
        r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"x":"{}"}}"#,
        "y".repeat(3 << 20)
    );
    assert_eq!(server.client().post("/v1/events", big).status, 202);
    let stored = server.stored();
    assert!(stored[0].contains("weft-blob:") && stored[0].len() < 4096);
}

#[test]
fn a_server_that_ends_finishes_what_it_is_at() {
    let server = Server::start();
    let mut idle = server.client();
    let mut client = server.client();
    assert_eq!(client.post("/v1/events", DONE).status, 202);
    let address = server.address();
    server.end();
    assert!(idle.rest().is_empty() && client.rest().is_empty());
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody listens any more");
}
