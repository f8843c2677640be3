//! The socket, and what a program of the same user may do to it.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use weft_server::socket::request::Hello;
use weft_server::socket::server::CONNECTIONS_MAX;

use super::{assert_well, eventually};
use crate::sandbox::{FINE, Sandbox};
use crate::served::{PATIENCE, Served};

fn connect(served: &Served) -> UnixStream {
    let stream = UnixStream::connect(&served.socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn hello() -> Vec<u8> {
    let mut hello = Vec::new();
    Hello::ours().encode(&mut hello).unwrap();
    hello
}

fn frame(header: &[u8], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(header.len() + 1 + body.len()).unwrap();
    [&length.to_be_bytes()[..], header, b"\n", body].concat()
}

/// Sends bytes and nothing more; returns what comes back, to the end.
fn exchange(served: &Served, bytes: &[u8]) -> String {
    let mut stream = connect(served);
    // A server that hung up does not take the rest.
    drop(stream.write_all(bytes));
    drop(stream.shutdown(std::net::Shutdown::Write));
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn frames_that_are_none_are_told_or_hung_up_on() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let before = served.peak_bytes();
    let deep = format!("{{\"append\":{}", "[".repeat(100_000));
    for noise in [
        &b""[..],
        b"\0",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        &frame(b"", b""),
        &frame(b"{}", b""),
        &frame(b"\xff\xfe", b"\xff"),
        &frame(deep.as_bytes(), b""),
    ] {
        let told = exchange(&served, noise);
        assert!(!told.contains("appended"), "{told}");
        let told = exchange(&served, &[&hello(), noise].concat());
        assert!(told.contains("\"hello\""), "{told}");
        assert!(!told.contains("appended"), "{told}");
    }
    for (request, body) in [
        (&b"{\"append\":{\"events\":[{},{}]}}"[..], FINE.as_bytes()),
        (b"{\"append\":{\"durability\":\"hope\"}}", FINE.as_bytes()),
        (b"{\"page\":{\"filter\":\"(\",\"first\":1,\"last\":2,\"order\":\"ascending\",\"limit\":9}}", b""),
        (b"{\"page\":{\"filter\":\"\",\"first\":0,\"last\":-1,\"order\":\"x\",\"limit\":0}}", b""),
        (b"{\"get\":0}", b""),
        (b"{\"get\":\"x\"}", b""),
        (b"{\"tail\":{\"filter\":\"status=\",\"from\":1}}", b""),
        (b"{\"dance\":{}}", b""),
    ] {
        let told = exchange(&served, &[hello(), frame(request, body)].concat());
        let shown = String::from_utf8_lossy(request);
        assert!(told.contains(r#"{"failed":{"code":"request""#), "{shown}: {told}");
    }
    assert!(sandbox.log().is_empty());
    let grown = served.peak_bytes() - before;
    assert!(grown < 64 << 20, "{grown} bytes");
    assert_well(served);
}

#[test]
fn appends_are_answered_in_turn_however_they_come() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let ask = frame(br#"{"append":{}}"#, FINE.as_bytes());
    let n_told = |told: &[u8]| String::from_utf8_lossy(told).matches(r#"{"appended":"#).count();
    // Two at once behind the hello.
    let told = exchange(&served, &[&hello()[..], &ask, &ask].concat());
    assert_eq!(n_told(told.as_bytes()), 2, "{told}");
    // One after the other on one connection, the last in two pieces and the hello by itself.
    let end = &ask[ask.len() - 8..];
    let (first, last) = ask.split_at(ask.len() / 2);
    let alone = hello();
    for pieces in [
        [&alone[..], &ask, &ask, first, last],
        [&[hello(), ask.clone()].concat(), &ask, first, last, b""],
    ] {
        let mut stream = connect(&served);
        let mut answers = Vec::new();
        for piece in pieces {
            stream.write_all(piece).unwrap();
            if piece.ends_with(end) {
                let n_before = n_told(&answers);
                while n_told(&answers) == n_before {
                    let mut some = [0; 512];
                    let n = stream.read(&mut some).unwrap();
                    assert_ne!(n, 0, "hung up after {}", String::from_utf8_lossy(&answers));
                    answers.extend_from_slice(&some[..n]);
                }
            }
        }
        assert_eq!(n_told(&answers), 3);
    }
    // What is refused is told as such.
    let told = exchange(&served, &[hello(), frame(br#"{"append":{}}"#, b"{}")].concat());
    assert!(told.contains(r#""rejected":"#), "{told}");
    assert_eq!(sandbox.log(), [FINE; 8]);
    assert_well(served);
}

#[test]
fn connections_beyond_the_limit_are_told_and_slow_ones_end() {
    let sandbox = Sandbox::with_store(&[]);
    let patience = [("limits.request_patience", "1s")];
    let served = Served::start_set(&sandbox, &patience);
    let (before, rest) = (served.peak_bytes(), served.n_sockets());
    let large = frame(b"{\"append\":{}}", &vec![b' '; 16 << 20]);
    let open = |_| {
        let mut stream = connect(&served);
        stream.write_all(&hello()).unwrap();
        let mut answer = [0; 4];
        stream.read_exact(&mut answer).unwrap();
        // More than a small frame is announced and half of it sent.
        stream.set_write_timeout(Some(Duration::from_millis(1))).unwrap();
        drop(stream.write_all(&large[..100_000]));
        stream
    };
    let held: Vec<UnixStream> = (0..CONNECTIONS_MAX).map(open).collect();
    let mut request = hello();
    request.extend_from_slice(&frame(b"{\"status\":{}}", b""));
    let told = exchange(&served, &request);
    assert!(told.contains(r#""code":"later""#), "{told}");
    // Whoever comes by the command waits in the spool, and gets in when there is room again.
    let emitted = sandbox.pipe(&["emit", "--id", "x"], FINE.as_bytes());
    assert_eq!(emitted.code, 0, "{}", emitted.show());
    eventually("slow ones end", || served.n_sockets() <= rest);
    eventually("it is in the log", || sandbox.log() == [FINE]);
    let grown = served.peak_bytes() - before;
    println!("{CONNECTIONS_MAX} connections with half a frame took {grown} bytes");
    assert!(grown < 256 << 20, "{grown} bytes");
    drop(held);
    assert_well(served);
}
