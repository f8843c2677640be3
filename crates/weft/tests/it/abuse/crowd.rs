//! Thousands of streams that only wait.

use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::assert_well;
use crate::client::Client;
use crate::sandbox::{FINE, Sandbox};
use crate::served::Served;

/// Streams that are open at once.
const STREAMS: usize = 5_000;

/// Bytes of the server's memory that an idle stream may take.
const STREAM_BYTES_MAX: u64 = 24 << 10;

/// Descriptors that the test needs beside those of its streams.
const DESCRIPTORS_BESIDE: u64 = 200;

/// Lets this process open as many files as the streams need; returns how many streams there can be.
fn make_room() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let wanted = STREAMS as u64 + DESCRIPTORS_BESIDE;
    let given = wanted.min(limit.maximum.unwrap_or(u64::MAX));
    if limit.current.is_some_and(|current| current < given) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(given), ..limit }).unwrap();
    }
    usize::try_from(given - DESCRIPTORS_BESIDE).unwrap()
}

/// Returns `weft up` as a shell starts it whose soft limit of descriptors is the usual one.
fn under_the_usual_limit(sandbox: &Sandbox) -> Command {
    let up = sandbox.command(&["up", "--listen", "127.0.0.1:0"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -Sn 1024; exec "$0" "$@""#]);
    shell.arg(up.get_program()).args(up.get_args()).current_dir(sandbox.path());
    shell.env_remove("WEFT_STORE");
    shell
}

#[test]
fn five_thousand_idle_streams_take_little_memory_and_hear_of_the_next_event() {
    let n_streams = make_room();
    println!("{n_streams} streams of {STREAMS} can be had here");
    assert!(n_streams >= 1_000, "the system allows too few files to tell anything");
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start_with(under_the_usual_limit(&sandbox));
    let before = served.resident_bytes();
    let open = |n: usize| {
        let filter = if n.is_multiple_of(2) { "" } else { "?filter=level%3E%3Dinfo" };
        let mut client = Client::connect(&served.http);
        let request = client.request(&format!("GET /v1/stream{filter}"), "", b"");
        client.write(&request);
        assert_eq!(client.answer().expect("an answer").status, 200, "stream {n}");
        client
    };
    let mut streams: Vec<Client> = (0..n_streams).map(open).collect();
    let each = served.resident_bytes().saturating_sub(before) / n_streams as u64;
    println!("{each} bytes of memory for each of {n_streams} idle streams");
    assert!(each < STREAM_BYTES_MAX, "{each} bytes for each stream");
    assert_eq!(Client::connect(&served.http).post(FINE.as_bytes()).status, 202);
    streams.iter_mut().for_each(|stream| stream.expect(FINE));
    let each = served.peak_bytes().saturating_sub(before) / n_streams as u64;
    println!("{each} bytes at most while all of them were told of an event");
    assert!(each < 2 * STREAM_BYTES_MAX, "{each} bytes for each stream");
    drop(streams);
    assert_well(served);
}

#[test]
fn a_server_with_few_descriptors_keeps_enough_of_them_for_its_store() {
    let sandbox = Sandbox::with_store(&[]);
    let up = sandbox.command(&["up", "--listen", "127.0.0.1:0"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -n 900; exec "$0" "$@""#]);
    shell.arg(up.get_program()).args(up.get_args()).current_dir(sandbox.path());
    let served = Served::start_with(shell);
    // More than are accepted: the rest waits at the door, where the system lets a hundred wait.
    let idle: Vec<Client> = (0..240).map(|_| Client::connect(&served.http)).collect();
    for n in 0..20 {
        let emitted = sandbox.pipe(&["emit", "--id", &n.to_string()], FINE.as_bytes());
        assert_eq!(emitted.stdout, format!("stored at position {}\n", n + 1), "{}", emitted.show());
    }
    drop(idle);
    assert_well(served);
}
