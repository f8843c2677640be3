//! Webhooks, and receivers that make trouble.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use weft_server::limits::SubscriptionLimits;
use weft_server::subs::webhook::sign::signature;

use crate::receiver::{Answer, Got, Receiver, taken_in_order};
use crate::server::{DEADLINE, Disk, Server, events, eventually};

/// Tries that follow each other closely.
pub(crate) const QUICK: &str =
    r#""retry":{"backoff_min_ms":1,"backoff_max_ms":20,"timeout_ms":2000,"attempts_max":5}"#;

/// Subscribes a receiver to everything; returns the secret.
pub(crate) fn subscribe(server: &Server, name: &str, url: &str, retry: &str) -> String {
    let body =
        format!(r#"{{"name":"{name}","from":"start","kind":"webhook","url":"{url}",{retry}}}"#);
    let (status, answer) = server.post("/v1/subscriptions", &body);
    assert_eq!(status, 201, "{answer}");
    answer["signing_secret"].as_str().expect("a secret").to_owned()
}

#[test]
fn a_delivery_carries_what_the_receiver_needs_to_drop_repeats_and_trust_it() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Status(200)));
    let server = disk.start();
    let secret = subscribe(&server, "mine", &receiver.url(), QUICK);
    let position = server.append(&events(&["s"], 0, 1));
    let got = receiver.next();
    assert_eq!(got.position(), position);
    assert_eq!(got.header("weft-cursor"), format!("store-1:{position}"));
    assert_eq!(got.record["cursor"], got.header("weft-cursor"));
    assert_eq!((got.attempt(), got.header("weft-subscription")), (1, "mine"));
    assert_eq!(
        got.header("weft-event-id").len(),
        32,
        "a needle event has no id: its key is hashed"
    );
    assert_eq!(got.header("weft-idempotency-key"), got.header("weft-event-id"));
    assert_eq!(got.header("weft-replay"), "");
    assert_eq!(got.header("content-type"), "application/json");
    assert!(got.body.contains(&events(&["s"], 0, 1)[0]), "the event stands in it as it came");
    let timestamp: i64 = got.header("weft-timestamp").parse().expect("seconds");
    assert_eq!(got.header("weft-signature"), signature(&secret, timestamp, got.body.as_bytes()));
    assert_eq!(secret.len(), 64);
    server.stop();
}

#[test]
fn everything_comes_in_order_to_a_receiver_that_fails_in_every_way() {
    let troubles = [
        Answer::Status(500),
        Answer::BreakOff,
        Answer::Hang,
        Answer::Status(404),
        Answer::Status(503),
    ];
    let receiver = Receiver::start(move |got| {
        let trouble = troubles[got.position() as usize % troubles.len()];
        if got.position() % 3 == 0 && got.attempt() < 3 { trouble } else { Answer::Status(200) }
    });
    let disk = Disk::new();
    let server = disk.start();
    let retry = QUICK.replace("2000", "200");
    subscribe(&server, "mine", &receiver.url(), &retry);
    let last = server.append(&events(&["a", "b", "c", "d"], 0, 60));
    let mut all = receiver.until_taken(60);
    server.stop();
    all.extend(receiver.rest());
    assert_eq!(taken_in_order(&all).len(), 60);
    assert_eq!(all.iter().filter(|got| got.is_taken()).count(), 60, "each is taken once");
    let books = disk.books();
    let entry = books.get("mine").expect("it is there");
    assert!(entry.progress.position >= last, "{:?}", entry.progress);
    assert_eq!((entry.progress.n_delivered, entry.dead.len()), (60, 0));
}

#[test]
fn a_session_that_hangs_holds_no_other() {
    let receiver = Receiver::start(|got| match got.session() {
        "stuck" => Answer::Hang,
        _ => Answer::Status(200),
    });
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), &QUICK.replace("2000", "60000"));
    server.append(&events(&["stuck", "a", "b"], 0, 30));
    let all = receiver.until_taken(20);
    assert_eq!(taken_in_order(&all).len(), 20);
    assert_eq!(all.iter().filter(|got| got.session() == "stuck").count(), 1);
    server.stop();
}

#[test]
fn what_cannot_be_delivered_is_on_a_list_and_can_be_sent_again() {
    let is_well = Arc::new(AtomicBool::new(false));
    let well = Arc::clone(&is_well);
    let receiver = Receiver::start(move |got| {
        let is_bad = got.session() == "a" && got.record["event"]["sequence"] == 0;
        if is_bad && !well.load(Ordering::SeqCst) {
            Answer::Status(500)
        } else {
            Answer::Status(200)
        }
    });
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), QUICK);
    let last = server.append(&events(&["a"], 0, 3));
    let all = receiver.until_taken(2);
    let tries: Vec<_> = all
        .iter()
        .filter(|got| !got.is_taken())
        .map(|got| (got.position(), got.attempt()))
        .collect();
    assert_eq!(tries, [1, 2, 3, 4, 5].map(|attempt| (last - 2, attempt)));
    let (_, list) = server.get("/v1/subscriptions/mine/dead");
    let dead = &list["dead"][0];
    assert_eq!((&dead["position"], &dead["attempts"]), (&(last - 2).into(), &5.into()));
    assert_eq!(dead["error"], "answered 500");
    is_well.store(true, Ordering::SeqCst);
    let (status, answer) = server.post("/v1/subscriptions/mine/dead/replay", r#"{"all":true}"#);
    assert_eq!((status, &answer["changed"]), (200, &1.into()));
    let again = receiver.next();
    assert_eq!((again.position(), again.header("weft-out-of-order")), (last - 2, "true"));
    assert_eq!(again.header("weft-replay"), "true");
    eventually("it is off the list", || {
        let (_, list) = server.get("/v1/subscriptions/mine/dead");
        (list["dead"].as_array()?.is_empty()).then_some(())
    });
    server.stop();
    assert!(receiver.rest().is_empty(), "it comes once");
}

#[test]
fn a_dead_letter_that_fails_again_is_back_on_the_list_and_can_be_dropped() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Status(500)));
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), &QUICK.replace(":5}", ":1}"));
    let position = server.append(&events(&["a"], 0, 1));
    let dead = |server: &Server| server.get("/v1/subscriptions/mine/dead").1["dead"].clone();
    eventually("it is dead", || (dead(&server)[0]["fate"] == "kept").then_some(()));
    for n in 2..5 {
        receiver.next();
        let replay = format!(r#"{{"positions":[{position}]}}"#);
        assert_eq!(server.post("/v1/subscriptions/mine/dead/replay", &replay).0, 200);
        eventually("it is dead again", || (dead(&server)[0]["fate"] == "kept").then_some(n));
    }
    assert_eq!(server.post("/v1/subscriptions/mine/dead/drop", r#"{"all":true}"#).0, 200);
    assert_eq!(dead(&server).as_array().map(Vec::len), Some(0));
    let nowhere = server.post("/v1/subscriptions/mine/dead/drop", r#"{"positions":[1]}"#);
    assert_eq!((nowhere.0, nowhere.1.to_string().contains("not on the list")), (404, true));
    server.stop();
}

#[test]
fn a_receiver_that_is_gone_is_left_alone_until_it_is_wanted_again() {
    let is_back = Arc::new(AtomicBool::new(false));
    let back = Arc::clone(&is_back);
    let receiver = Receiver::start(move |_| {
        Answer::Status(if back.load(Ordering::SeqCst) { 200 } else { 410 })
    });
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), QUICK);
    server.append(&events(&["a"], 0, 3));
    let paused = eventually("it is paused", || {
        let (_, shown) = server.get("/v1/subscriptions/mine");
        (shown["state"] == "paused").then_some(shown)
    });
    assert_eq!(paused["why"], "the subscriber wants no more: answered 410");
    assert_eq!(receiver.rest().len(), 1);
    is_back.store(true, Ordering::SeqCst);
    assert_eq!(server.post("/v1/subscriptions/mine/resume", "").1["state"], "active");
    assert_eq!(taken_in_order(&receiver.until_taken(3)).len(), 3);
    server.stop();
}

#[test]
fn a_receiver_that_asks_for_time_is_given_it_and_nothing_dies() {
    let refusals = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&refusals);
    let receiver = Receiver::start(move |_| {
        let mut n = counted.lock().expect("nobody panics");
        *n += 1;
        if *n == 1 { Answer::Later(429, 1) } else { Answer::Status(200) }
    });
    let disk = Disk::new();
    let server = disk.start();
    subscribe(
        &server,
        "mine",
        &receiver.url(),
        &QUICK.replace("\"attempts_max\":5", "\"attempts_max\":1"),
    );
    server.append(&events(&["a"], 0, 1));
    assert_eq!(receiver.next().answer, Answer::Later(429, 1));
    let asked = Instant::now();
    assert_eq!(receiver.next().attempt(), 2);
    assert!(asked.elapsed() >= Duration::from_millis(900), "{:?}", asked.elapsed());
    server.stop();
}

#[test]
fn a_receiver_that_was_down_gets_everything_once_it_is_up() {
    let free = Receiver::start(|_| Answer::Status(200));
    let address = free.address;
    free.stop();
    let disk = Disk::new();
    let limits = SubscriptionLimits { held_max: 50, ..SubscriptionLimits::default() };
    let server = disk.start_with(limits);
    subscribe(&server, "mine", &format!("http://{address}/"), &QUICK.replace(":5}", ":1}"));
    server.append(&events(&["a", "b", "c"], 0, 1000));
    eventually("it is noticed", || {
        let (_, shown) = server.get("/v1/subscriptions/mine");
        let held = shown["live"]["held"].as_u64()?;
        assert!(held <= 50, "memory is bounded");
        (shown["live"]["away"] == true && held == 50).then_some(())
    });
    let receiver = eventually("the port is free", || {
        std::net::TcpListener::bind(address).ok()?;
        Some(Receiver::start_at(address, |_| Answer::Status(200)))
    });
    assert_eq!(taken_in_order(&receiver.until_taken(1000)).len(), 1000);
    assert_eq!(server.get("/v1/subscriptions/mine").1["dead"], 0);
    server.stop();
}

#[test]
fn only_what_matches_is_delivered_and_a_replay_is_marked() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Status(200)));
    let server = disk.start();
    let first = server.append(&events(&["a", "b"], 0, 10));
    let (url, from) = (receiver.url(), first - 3);
    let body = format!(
        r#"{{"name":"b","filter":"session:b","from":{from},"kind":"webhook","url":"{url}"}}"#
    );
    assert_eq!(server.post("/v1/subscriptions", &body).0, 201);
    let positions = |all: &[Got]| all.iter().map(Got::position).collect::<BTreeSet<_>>();
    assert_eq!(positions(&receiver.until_taken(2)), [first - 2, first].into());
    assert_eq!(server.post("/v1/subscriptions/b/pause", "").1["state"], "paused");
    let (status, answer) = server.post("/v1/subscriptions/b/replay", r#"{"from":"start"}"#);
    assert_eq!((status, &answer["round"]), (200, &1.into()), "{answer}");
    assert_eq!(server.post("/v1/subscriptions/b/resume", "").1["state"], "active");
    let again = receiver.until_taken(5);
    assert!(again.iter().all(|got| got.header("weft-replay") == "true" && got.session() == "b"));
    assert_eq!(server.ask("DELETE", "/v1/subscriptions/b", "").0, 200);
    assert_eq!(server.get("/v1/subscriptions/b").0, 404);
    assert_eq!(
        server.get("/v1/subscriptions").1["subscriptions"].as_array().map(Vec::len),
        Some(0)
    );
    server.stop();
}

#[test]
fn while_a_receiver_that_hangs_is_waited_for_others_go_on() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Hang));
    let limits = SubscriptionLimits::default();
    let server = disk.start_with(SubscriptionLimits { end_patience: DEADLINE, ..limits });
    for name in ["a", "b"] {
        subscribe(&server, name, &receiver.url(), &QUICK.replace("2000", "60000"));
    }
    let (status, _) =
        server.post("/v1/subscriptions", r#"{"name":"c","kind":"pull","from":"start"}"#);
    assert_eq!(status, 201);
    server.append(&events(&["s"], 0, 1));
    drop([receiver.next(), receiver.next()]);
    std::thread::scope(|scope| {
        let server = &server;
        let pausing = ["a", "b"].map(|name| {
            let path = format!("/v1/subscriptions/{name}/pause");
            scope.spawn(move || server.post(&path, ""))
        });
        eventually("both are being paused", || {
            let (_, all) = server.get("/v1/subscriptions");
            let states = all["subscriptions"].as_array()?.iter().map(|one| &one["state"]);
            states.eq(["paused", "paused", "active"]).then_some(())
        });
        let (status, lent) = server.get("/v1/subscriptions/c/events");
        assert_eq!((status, lent["events"].as_array().map(Vec::len)), (200, Some(1)), "{lent}");
        assert!(!pausing.iter().any(|one| one.is_finished()), "they wait for their receiver");
        receiver.stop();
        for one in pausing {
            let (status, answer) = one.join().expect("it is answered");
            assert_eq!((status, &answer["state"]), (200, &"paused".into()), "{answer}");
        }
    });
    server.stop();
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    let disk = Disk::new();
    let server = disk.start();
    let post = |body: &str| {
        let (status, answer) = server.post("/v1/subscriptions", body);
        format!("{status} {answer}")
    };
    let refusals = [
        "",
        "[]",
        "{",
        r#"{"nam":1}"#,
        r#"{"name":"a"}"#,
        r#"{"name":"a b","kind":"pull"}"#,
        r#"{"name":"a","kind":"webhook","url":"ftp://x"}"#,
        r#"{"name":"a","kind":"pull","filter":"("}"#,
        r#"{"name":"a","kind":"pull","from":"other:1"}"#,
        r#"{"name":"a","kind":"pull","from":["start"]}"#,
        r#"{"name":"a","kind":"pull","from":1000}"#,
        r#"{"name":"a","kind":"pull","filter":["level>=warn"]}"#,
        r#"{"name":["a"],"kind":"pull"}"#,
        r#"{"name":"a","kind":["pull"]}"#,
        r#"{"name":"a","kind":"pull","url":7}"#,
        r#"{"name":"a","kind":"pull","retry":{"timeout_ms":0}}"#,
        r#"{"name":"a","kind":"pull","retry":{"attempts":3}}"#,
        r#"{"name":"a","kind":"pull","retry":{"attempts_max":"3"}}"#,
        r#"{"name":"a","kind":"pull","retry":[3]}"#,
        r#"{"name":"a","kind":"pull","retry":7}"#,
        r#"{"name":"a","kind":"command","command":["true"]}"#,
    ];
    for body in refusals {
        let answer = post(body);
        assert!(["400", "403", "410"].contains(&&answer[..3]), "{body}: {answer}");
    }
    assert!(post(r#"{"name":"a","kind":"command","command":["true"]}"#).starts_with("403"));
    assert!(post(r#"{"name":"a","kind":"pull"}"#).starts_with("201"));
    assert!(post(r#"{"name":"a","kind":"pull"}"#).starts_with("409"));
    server.stop();
}
