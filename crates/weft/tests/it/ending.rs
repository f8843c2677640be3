//! A server that is asked to end while it is at work: every request that it has is answered, one way or the other.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use weft_log::log::Durability;
use weft_server::socket::answer::{Failure, Fate};
use weft_server::socket::client::{Client as SocketClient, ClientError};
use weft_server::socket::request::{Append, Hello, Request, Sent};

use crate::client::Client;
use crate::sandbox::{FINE, Sandbox};
use crate::served::{PATIENCE, Served};

/// What a producer heard of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Heard {
    Stored,
    Refused,
    /// The connection ended without an answer.
    Nothing,
}

fn done(name: &str) -> String {
    format!(r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"name":"{name}"}}"#)
}

/// Posts events until the server is gone.
fn post(address: &str, producer: u64, n_stored: &AtomicU64) -> Vec<(String, Heard)> {
    let mut heard = Vec::new();
    let Ok(mut client) = Client::try_connect(address) else { return heard };
    for n in 0.. {
        let name = format!("post-{producer}-{n}");
        let answer = client.ask("POST /v1/events", "", done(&name).as_bytes());
        let said = match &answer {
            Some(answer) if answer.status == 202 => Heard::Stored,
            Some(answer) => {
                assert_eq!(answer.failure(), (503, "shutting_down".to_owned()));
                Heard::Refused
            }
            None => Heard::Nothing,
        };
        heard.push((name, said));
        n_stored.fetch_add(1, Ordering::Relaxed);
        if said == Heard::Nothing {
            // It hung up because it ends, and not on this connection alone.
            match Client::try_connect(address) {
                Ok(again) => client = again,
                Err(_gone) => break,
            }
        }
    }
    heard
}

/// Sends events through the socket until the server is gone.
fn send(socket: &str, n_stored: &AtomicU64) -> Vec<(String, Heard)> {
    let mut heard = Vec::new();
    let Ok(mut client) = SocketClient::connect(socket.as_ref(), PATIENCE) else { return heard };
    for n in 0.. {
        let name = format!("send-{n}");
        let line = done(&name);
        let sent = Sent { delivery: Some(Cow::Borrowed(&name)), ..Sent::plain(line.as_bytes()) };
        let (patience, conditions, events) = (None, Vec::new(), vec![sent]);
        let (via, durability) = ("test".into(), Durability::Synced);
        let appended = client.append(&Append { via, durability, patience, conditions, events });
        let said = match appended {
            Ok(appended) => {
                assert!(matches!(appended.fates[..], [Fate::Kept { .. }]));
                Heard::Stored
            }
            Err(ClientError::Failed(Failure::Later { .. })) => Heard::Refused,
            Err(ClientError::Closed { .. } | ClientError::Io { .. }) => Heard::Nothing,
            Err(error) => panic!("{error}"),
        };
        heard.push((name, said));
        n_stored.fetch_add(1, Ordering::Relaxed);
        if said == Heard::Nothing {
            break;
        }
    }
    heard
}

#[test]
fn what_is_answered_is_stored_and_what_is_not_is_not() {
    let mut counts: HashMap<Heard, u64> = HashMap::new();
    for round in 0..8 {
        let sandbox = Sandbox::with_store(&[]);
        let served = Served::start(&sandbox);
        let (http, socket) = (served.http.clone(), served.socket.clone());
        let n_stored = AtomicU64::new(0);
        let (heard, ended) = thread::scope(|scope| {
            let (http, socket, n_stored) = (&*http, &*socket, &n_stored);
            let posters = (0..6).map(|n| scope.spawn(move || post(http, n, n_stored)));
            let sender = scope.spawn(move || send(socket, n_stored));
            let all: Vec<_> = posters.chain([sender]).collect();
            while n_stored.load(Ordering::Relaxed) < 50 + 10 * round {
                thread::yield_now();
            }
            let ended = served.end();
            let heard = all.into_iter().flat_map(|producer| producer.join().unwrap());
            (heard.collect::<Vec<_>>(), ended)
        });
        assert_eq!(ended, (Some(0), String::new()));
        let log: HashSet<String> = sandbox.log().into_iter().collect();
        for (name, said) in heard {
            let is_there = log.contains(&done(&name));
            assert_eq!(is_there, said == Heard::Stored, "{name} heard {said:?}");
            *counts.entry(said).or_default() += 1;
        }
    }
    println!("{counts:?}");
}

#[test]
fn half_a_request_is_refused_when_the_server_ends_and_a_whole_one_is_taken() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let (head, body) = FINE.as_bytes().split_at(FINE.len() / 2);
    let [mut half, mut whole, mut waiting] = [(); 3].map(|()| Client::connect(&served.http));
    let length = format!("content-length: {}\r\nexpect: 100-continue\r\n", FINE.len());
    for client in [&mut half, &mut whole] {
        let request = client.request("POST /v1/events", &length, b"");
        client.write(&request);
        // It says that it has read the head and waits for the body.
        assert_eq!(client.answer().unwrap().status, 100);
        client.write(head);
    }
    let (mut hello, mut request) = (Vec::new(), Vec::new());
    Hello::ours().encode(&mut hello).unwrap();
    let (patience, conditions, events) = (None, Vec::new(), vec![Sent::plain(FINE.as_bytes())]);
    let (via, durability) = ("test".into(), Durability::Synced);
    let append = Append { via, durability, patience, conditions, events };
    Request::Append(append).encode(&mut request).unwrap();
    let mut socket = UnixStream::connect(&served.socket).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.write_all(&[&hello, &request[..request.len() / 2]].concat()).unwrap();
    // Its hello says that it has read ours, and the beginning of the request with it.
    socket.read_exact(&mut [0; 4]).unwrap();
    let pull = br#"{"name":"pull","kind":"pull"}"#;
    assert_eq!(waiting.ask("POST /v1/subscriptions", "", pull).unwrap().status, 201);
    let request = waiting.request("GET /v1/subscriptions/pull/events?wait=60", "", b"");
    waiting.write(&request);
    served.signal("-TERM");
    let began = Instant::now();
    while Client::try_connect(&served.http).is_ok() {
        assert!(began.elapsed() < PATIENCE, "it listens for ever");
    }
    whole.write(body);
    assert_eq!(whole.answer().expect("an answer").status, 202);
    assert_eq!(half.answer().expect("an answer").failure(), (503, "shutting_down".to_owned()));
    let mut told = String::new();
    socket.read_to_string(&mut told).unwrap();
    assert!(told.contains(r#""code":"later","message":"the server is shutting down""#), "{told}");
    assert_eq!(waiting.answer().expect("an answer").failure(), (503, "stopped".to_owned()));
    assert_eq!(served.wait(), (Some(0), String::new()));
    assert_eq!(sandbox.log().iter().filter(|line| *line == FINE).count(), 1);
}
