//! What a page in a browser hears: a client of server-sent events that follows the HTML standard, section "Server-sent events",
//! to the letter, against the real server.

mod browser;
mod source;
mod text;

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;

use serde_json::Value;

use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::served::Served;
use crate::stored::needle;
use browser::Browser;
use source::{EventSource, Told};

/// How often the server is killed.
const KILLS: u64 = 4;

/// Events that are sent before each kill, and while no server runs.
const EVENTS: u64 = 25;

/// Returns an address that stays free while no server has it: outside the range that the system takes ports from by itself, and not
/// one that another test of this process was given.
fn fixed_address() -> String {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    const TESTS_MAX: u16 = 16;
    const STEPS: u16 = 60;
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
    let below: u16 = range.split_whitespace().next().unwrap().parse().unwrap();
    let nth = GIVEN.fetch_add(1, Ordering::Relaxed);
    assert!(nth < TESTS_MAX, "each test has ports of its own");
    let first = u16::try_from(std::process::id() % u32::from(STEPS)).unwrap();
    let ports = (0..STEPS).map(|step| below - 1 - (first + step) % STEPS * TESTS_MAX - nth);
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    format!("127.0.0.1:{}", ports.into_iter().find(free).expect("a port is free"))
}

fn up(sandbox: &Sandbox, address: &str) -> Served {
    Served::start_with(sandbox.command(&["up", "--listen", address]))
}

fn emit(sandbox: &Sandbox, numbers: impl Iterator<Item = u64>) {
    let lines: Vec<String> = numbers.map(|n| needle(0, "w", "s", n)).collect();
    let ran = sandbox.pipe(&["ingest"], lines.join("\n").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.show());
}

fn position(told: &Told) -> u64 {
    let record: Value = serde_json::from_str(&told.data).unwrap();
    record["position"].as_u64().unwrap()
}

#[test]
fn a_page_hears_every_event_once_while_servers_are_killed_and_come_back() {
    let (sandbox, address) = (Sandbox::with_store(&[]), fixed_address());
    let mut served = up(&sandbox, &address);
    let mut source = EventSource::new(&address, "/v1/stream?after=0");
    let mut heard = Vec::new();
    for round in 0..KILLS {
        let first = 2 * EVENTS * round;
        emit(&sandbox, first..first + EVENTS);
        // Most of them, so that it is in the middle of a stream when that ends.
        heard.extend((heard.len() as u64..first + EVENTS - 3).map(|_| source.next()));
        served.signal("-KILL");
        drop(served);
        emit(&sandbox, first + EVENTS..first + 2 * EVENTS);
        served = up(&sandbox, &address);
    }
    heard.extend((heard.len() as u64..KILLS * 2 * EVENTS).map(|_| source.next()));
    assert!(heard.iter().all(|told| told.event == "message"), "{heard:?}");
    let positions: Vec<u64> = heard.iter().map(position).collect();
    assert_eq!(positions, (1..=KILLS * 2 * EVENTS).collect::<Vec<u64>>());
    let log = sandbox.log();
    for (told, line) in heard.iter().zip(&log) {
        assert!(told.data.ends_with(&format!(",\"event\":{line}}}")), "{told:?}");
        assert!(told.id.ends_with(&format!(":{}", position(told))), "{told:?}");
    }
    assert_eq!(source.n_connections(), KILLS + 1);
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn a_page_hears_why_a_server_ends_and_goes_on_with_the_next() {
    let (sandbox, address) = (Sandbox::with_store(&[]), fixed_address());
    let served = up(&sandbox, &address);
    let mut source = EventSource::new(&address, "/v1/stream?after=0");
    emit(&sandbox, 1..3);
    assert_eq!([source.next(), source.next()].map(|told| position(&told)), [1, 2]);
    let ended = thread::spawn(move || served.end());
    let told = source.next();
    let why: Value = serde_json::from_str(&told.data).unwrap();
    assert_eq!((&*told.event, &why["why"]), ("resume", &"shutdown".into()));
    assert_eq!(ended.join().unwrap(), (Some(0), String::new()));
    emit(&sandbox, 3..4);
    let served = up(&sandbox, &address);
    assert_eq!(position(&source.next()), 3);
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn a_page_gives_up_only_where_it_is_refused() {
    let (sandbox, other, address) =
        (Sandbox::with_store(&[]), Sandbox::with_store(&[]), fixed_address());
    let served = up(&sandbox, &address);
    let mut source = EventSource::new(&address, "/v1/stream?after=0");
    emit(&sandbox, 1..2);
    assert_eq!(position(&source.next()), 1);
    served.signal("-KILL");
    drop(served);
    let served = up(&other, &address);
    let refused = source.try_next().expect_err("the place is one of another store");
    assert_eq!(refused.status, 410);
    let answer = Client::connect(&address).ask("GET /v1/stream?filter=(", "", b"").unwrap();
    assert_eq!(answer.failure(), (400, "bad_filter".to_owned()));
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn a_browser_hears_what_the_standard_says() {
    let (sandbox, address) = (Sandbox::with_store(&[]), fixed_address());
    let mut served = up(&sandbox, &address);
    let Some(mut browser) = Browser::open(&format!("http://{address}/healthz")) else {
        return println!("skipped: there is no Chromium, so that our own client speaks for it");
    };
    browser.until(&format!("location.host == '{address}' && document.readyState == 'complete'"));
    browser.run(
        "heard = []; ended = 0; source = new EventSource('/v1/stream?after=0');
         source.onmessage = (told) => heard.push([told.lastEventId, JSON.parse(told.data)]);
         source.addEventListener('resume', () => { ended += 1; });",
    );
    for round in 0..3 {
        let first = 20 * round;
        emit(&sandbox, first..first + 10);
        browser.until(&format!("heard.length == {}", first + 10));
        // The first ends without a word, the others in order.
        if round == 0 {
            served.signal("-KILL");
            drop(served);
        } else {
            assert_eq!(served.end(), (Some(0), String::new()));
        }
        emit(&sandbox, first + 10..first + 20);
        served = up(&sandbox, &address);
        browser.until(&format!("heard.length == {}", first + 20));
    }
    let heard = browser.run("heard");
    let heard = heard.as_array().unwrap();
    for (told, line) in heard.iter().zip(sandbox.log()) {
        assert_eq!(told[1]["event"], serde_json::from_str::<Value>(&line).unwrap());
        assert_eq!(told[0], told[1]["cursor"]);
    }
    let positions: Vec<u64> =
        heard.iter().map(|told| told[1]["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (1..=60).collect::<Vec<u64>>());
    assert_eq!(browser.run("[ended, source.readyState]"), serde_json::json!([2, 1]));
    drop(browser);
    assert_eq!(served.end(), (Some(0), String::new()));
}
