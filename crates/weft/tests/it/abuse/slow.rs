//! Clients that take their time: a byte now and then, in both directions.

use std::thread;
use std::time::{Duration, Instant};

use super::{assert_well, eventually};
use crate::client::Client;
use crate::sandbox::{FINE, Sandbox};
use crate::served::{PATIENCE, Served};
use crate::stored::collector;

/// How long a request may take here.
const REQUEST_PATIENCE: Duration = Duration::from_secs(1);

/// How long a slow client waits before it sends another byte.
const DRIP: Duration = Duration::from_millis(30);

fn start(sandbox: &Sandbox) -> Served {
    let patience = [("limits.request_patience", "1s"), ("limits.reader_patience", "1s")];
    Served::start_set(sandbox, &patience)
}

/// Sends what comes before at once, the rest a byte at a time for as long as the server wants it; returns the answer and how long it
/// took.
fn drip(http: &str, at_once: &[u8], slowly: &[u8]) -> (String, Duration) {
    let mut client = Client::connect(http);
    let began = Instant::now();
    client.write(at_once);
    for byte in slowly.iter().cycle() {
        thread::park_timeout(DRIP);
        if !client.write(&[*byte]) || began.elapsed() > PATIENCE {
            break;
        }
    }
    let took = began.elapsed();
    (String::from_utf8(client.rest()).unwrap(), took)
}

#[test]
fn who_sends_a_byte_at_a_time_is_told_which_limit_it_was() {
    let sandbox = Sandbox::with_store(&[]);
    let served = start(&sandbox);
    let head = format!("POST /v1/events HTTP/1.1\r\nhost: {}\r\n", served.http);
    let counted = format!("{head}content-length: 5000\r\n\r\n");
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n");
    let packed = format!("{head}content-encoding: gzip\r\ncontent-length: 5000\r\n\r\n");
    let subscription = counted.replace("/v1/events", "/v1/subscriptions");
    let unknown = counted.replace("/v1/events", "/nowhere");
    thread::scope(|scope| {
        let slow = |at_once: &str, slowly: &'static str| {
            let (http, at_once) = (served.http.clone(), at_once.to_owned());
            scope.spawn(move || drip(&http, at_once.as_bytes(), slowly.as_bytes()))
        };
        let too_slow = [
            slow("", "GET /healthz HTTP/1.1\r\nx-"),
            slow(&head, "x-long: y\r\n"),
            slow(&counted, " "),
            slow(&chunked, "1\r\n \r\n"),
            slow(&packed, " "),
            slow(&subscription, " "),
        ];
        let nowhere = slow(&unknown, " ");
        // Meanwhile others are served.
        let mut client = Client::connect(&served.http);
        assert_eq!(client.post(FINE.as_bytes()).status, 202);
        for slow in too_slow {
            let (answer, took) = slow.join().unwrap();
            assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
            assert!(answer.contains(r#""code":"too_slow""#), "{answer}");
            assert!(answer.contains(r#""limit":"request_patience""#), "{answer}");
            assert!(took >= REQUEST_PATIENCE && took < PATIENCE, "{took:?}");
        }
        assert!(nowhere.join().unwrap().0.starts_with("HTTP/1.1 404 "));
    });
    assert_well(served);
}

#[test]
fn hundreds_of_slow_senders_hold_nobody_up_and_little_memory() {
    const SLOW: usize = 400;
    let sandbox = Sandbox::with_store(&[]);
    let served = start(&sandbox);
    let (before, rest) = (served.peak_bytes(), served.n_sockets());
    let slow = || {
        let mut client = Client::connect(&served.http);
        let head = client.request("POST /v1/events", "content-length: 16000000\r\n", b"{");
        client.write(&head);
        client
    };
    let mut clients: Vec<Client> = (0..SLOW).map(|_| slow()).collect();
    assert_eq!(Client::connect(&served.http).get("/healthz").status, 200);
    let heard = |client: &mut Client| client.answer().expect("an answer").failure();
    for (status, code) in clients.iter_mut().map(heard) {
        // What is announced has to have room, and there is room for so many.
        assert!(matches!((status, &*code), (408, "too_slow") | (429, "busy")), "{status} {code}");
    }
    let grown = served.peak_bytes() - before;
    println!("{SLOW} slow senders of 16 MB took {grown} bytes");
    assert!(grown < 64 << 20, "{grown} bytes");
    drop(clients);
    eventually("connections end", || served.n_sockets() <= rest);
    assert_well(served);
}

#[test]
fn who_does_not_read_its_answer_holds_bounded_memory_and_is_broken_off() {
    const READERS: usize = 60;
    let sandbox = Sandbox::with_store(&[]);
    let limits = [
        ("limits.reader_patience", "1s"),
        ("limits.answers_bytes_max", "48M"),
        ("limits.queue_patience", "200ms"),
    ];
    let served = Served::start_set(&sandbox, &limits);
    let mut client = Client::connect(&served.http);
    for n in 0..12 {
        let big = format!(r#""session_id":"s","message":"{n}{}""#, "x".repeat(900_000));
        assert_eq!(client.post(collector(0, "activity.progress", &big).as_bytes()).status, 202);
    }
    drop(client);
    let (rest, before) = (served.n_sockets(), served.peak_bytes());
    let open = |n: usize| {
        let targets = ["/v1/events?limit=1000", "/v1/sessions/s", "/v1/stream?after=0"];
        let mut client = Client::connect(&served.http);
        let request = client.request(&format!("GET {}", targets[n % targets.len()]), "", b"");
        client.write(&request);
        client
    };
    let mut clients: Vec<Client> = (0..READERS).map(open).collect();
    // Some are told at once that there is no room; what the others are sent does not fit into what the system keeps for them.
    eventually("no stream is left", || served.get("/metrics").contains("\nweft_streams 0\n"));
    let answered: Vec<u16> = clients.iter_mut().map(|client| status(&client.rest())).collect();
    let n_busy = answered.iter().filter(|status| **status == 429).count();
    assert!(answered.iter().all(|status| matches!(status, 200 | 429)), "{answered:?}");
    let grown = served.peak_bytes() - before;
    println!(
        "{READERS} readers that take nothing took {grown} bytes; {n_busy} were told to come again"
    );
    assert!(n_busy > 0 && n_busy < READERS, "{answered:?}");
    // What is read, what is written from it, what streams have at hand, and as much again for good measure.
    assert!(grown < 4 * (48 << 20), "{grown} bytes");
    drop(clients);
    eventually("connections end", || served.n_sockets() <= rest);
    assert_well(served);
}

fn status(answer: &[u8]) -> u16 {
    let head = answer.get(9..12).and_then(|status| str::from_utf8(status).ok());
    head.and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[test]
fn clients_that_close_their_side_or_vanish_leave_no_descriptor_behind() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start_set(&sandbox, &[("limits.heartbeat", "100ms")]);
    let rest = served.n_sockets();
    let mut half: Vec<Client> = Vec::new();
    for n in 0..300 {
        let mut client = Client::connect(&served.http);
        let first = ["GET /v1/stream", "GET /healthz", "POST /v1/events"][n % 3];
        let request = client.request(first, "", FINE.as_bytes());
        let cut = if n % 2 == 0 { request.len() } else { request.len() / 2 };
        client.write(&request[..cut]);
        client.close_own_side();
        match n % 5 {
            0 => drop(client),
            _ => half.push(client),
        }
    }
    // A stream goes on for a client that only says that it has nothing more to ask.
    let mut stream = Client::connect(&served.http);
    let request = stream.request("GET /v1/stream", "", b"");
    stream.write(&request);
    stream.close_own_side();
    assert_eq!(stream.answer().expect("a head").status, 200);
    drop((half, stream));
    eventually("connections end", || served.n_sockets() <= rest);
    assert_well(served);
}
