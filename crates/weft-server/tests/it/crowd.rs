//! Many readers at once, and what they cost. Each of these tests runs in a process of its own, because it measures all of its memory.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use weft_server::serve::{ALLOCATOR, FEW_HEAPS};

use crate::server::Server;

/// Is set in a process that has one test to itself.
const ALONE: &str = "WEFT_TEST_ALONE";

/// Streams that are to be open at once.
const N_STREAMS: usize = 5000;

/// Descriptors that everything else needs.
const DESCRIPTORS_BESIDE: u64 = 200;

/// Bytes that one idle stream may cost, both ends of it.
const IDLE_BYTES_MAX: usize = 40 << 10;

/// Bytes that reading the log may take for all readers together, however many they are.
const READING_BYTES_MAX: usize = 48 << 20;

/// Runs a test again, in a process where it is the only one, with the memory of a server.
fn alone(name: &str, test: fn()) {
    if std::env::var_os(ALONE).is_some() {
        return test();
    }
    let binary = std::env::current_exe().expect("the system tells");
    let mut again = Command::new(binary);
    again.args([name, "--exact", "--nocapture"]).env(ALONE, "1").env(ALLOCATOR, FEW_HEAPS);
    let ran = again.output().expect("it starts");
    let told = String::from_utf8_lossy(&ran.stdout);
    eprintln!("{told}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && told.contains("1 passed"), "it failed on its own");
}

/// An open stream, without anything in memory that does not have to be.
struct Stream(TcpStream);

impl Stream {
    fn open(server: &Server, target: &str) -> Self {
        let mut stream = TcpStream::connect(server.address()).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("an option");
        let request = format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it is sent");
        Self(stream)
    }

    /// Reads until a text has come.
    fn expect(&mut self, text: &str) {
        let mut all = Vec::new();
        let mut bytes = [0; 4096];
        while !all.windows(text.len()).any(|part| part == text.as_bytes()) {
            let n = self.0.read(&mut bytes).expect("it comes in time");
            assert!(n > 0, "the stream ended: {}", String::from_utf8_lossy(&all));
            all.extend_from_slice(&bytes[..n]);
        }
    }
}

/// Returns as many streams as the system lets the process have, up to what is wanted.
fn n_streams() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    let wanted = (2 * N_STREAMS as u64 + DESCRIPTORS_BESIDE).min(most);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        setrlimit(Resource::Nofile, raised).expect("it is within what is allowed");
    }
    // Both ends of each stream are here.
    let n = wanted.saturating_sub(DESCRIPTORS_BESIDE) / 2;
    usize::try_from(n).expect("it is a small number")
}

/// Returns the bytes of memory that the process has now.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("the system tells");
    let pages: usize = statm.split(' ').nth(1).expect("a number").parse().expect("a number");
    pages * rustix::param::page_size()
}

/// Returns the most memory that the process ever had.
fn peak_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system tells");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is there");
    peak.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}

fn claimed(sequence: usize, padding: usize) -> String {
    let padding = "x".repeat(padding);
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{sequence},"data":{{"bead_id":"b{sequence}","note":"{padding}"}}}}"#
    )
}

#[test]
fn thousands_of_idle_streams_cost_little_and_one_event_reaches_them_all() {
    let name = "crowd::thousands_of_idle_streams_cost_little_and_one_event_reaches_them_all";
    alone(name, measure_idle_streams);
}

fn measure_idle_streams() {
    let n = n_streams();
    eprintln!("{n} streams of {N_STREAMS} are allowed here");
    let server = Server::start();
    let before = resident_bytes();
    let mut streams: Vec<Stream> = Vec::with_capacity(n);
    for idx in 0..n {
        let filter = if idx % 2 == 0 { "" } else { "?filter=session%3Ds" };
        let mut stream = Stream::open(&server, &format!("/v1/stream{filter}"));
        stream.expect("retry: 1000\n\n");
        streams.push(stream);
    }
    assert_eq!(server.core().n_streams(), n);
    let idle = resident_bytes().saturating_sub(before);
    eprintln!("{} bytes for each stream that is idle", idle / n);
    assert!(idle < n * IDLE_BYTES_MAX, "{idle} bytes for {n} streams");
    let event = claimed(1, 0);
    assert_eq!(server.client().post("/v1/events", &event).status, 202);
    streams.iter_mut().for_each(|stream| stream.expect(&format!("\"event\":{event}}}\n\n")));
    let told = resident_bytes().saturating_sub(before);
    eprintln!("{} bytes for each stream after an event", told / n);
    assert!(told < n * IDLE_BYTES_MAX, "{told} bytes for {n} streams");
    drop(streams);
    server.end();
}

#[test]
fn readers_that_take_nothing_hold_little_memory_until_they_are_broken_off() {
    let name = "crowd::readers_that_take_nothing_hold_little_memory_until_they_are_broken_off";
    alone(name, measure_readers_that_take_nothing);
}

fn measure_readers_that_take_nothing() {
    const N_READERS: usize = 32;
    let server = Server::limited(|limits| {
        limits.reader_patience = Duration::from_secs(2);
        // What is sent is read from the log, in groups that are larger than a portion.
        limits.recent_bytes_max = 0;
    });
    let mut client = server.client();
    for first in (0..24_000).step_by(1000) {
        let lines: Vec<String> = (first..first + 1000).map(|n| claimed(n + 1, 800)).collect();
        assert_eq!(client.post("/v1/events", lines.join("\n")).json()["accepted"], 1000);
    }
    let before = peak_bytes();
    let open = |_| {
        let mut stream = Stream::open(&server, "/v1/stream?after=0");
        stream.expect("retry: 1000\n\n");
        stream
    };
    let streams: Vec<Stream> = (0..N_READERS).map(open).collect();
    server.block_on(server.core().streams_ended());
    let grown = peak_bytes() - before;
    eprintln!("{grown} bytes for {N_READERS} readers that take nothing");
    assert!(grown < READING_BYTES_MAX + (N_READERS << 20), "{grown} bytes for {N_READERS} readers");
    drop(streams);
    server.end();
}
