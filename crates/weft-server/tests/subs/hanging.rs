//! Receivers that take a connection and never answer: they are away, unless they take other events meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::receiver::{Answer, Receiver, taken_in_order};
use crate::server::{Disk, Server, events, eventually};
use crate::webhook::{QUICK, subscribe};

/// One try that counts, and little patience.
fn one_try() -> String {
    QUICK.replace("2000", "400").replace(":5}", ":1}")
}

/// A receiver that hangs until it is well.
fn hanging(is_well: &Arc<AtomicBool>) -> Receiver {
    let is_well = Arc::clone(is_well);
    Receiver::start(move |_| match is_well.load(Ordering::SeqCst) {
        true => Answer::Status(200),
        false => Answer::Hang,
    })
}

/// Lets every event time out more often than it has tries; nothing is dead of it.
fn hang(server: &Server, receiver: &Receiver, is_well: &AtomicBool) {
    (0..8).for_each(|_| drop(receiver.next()));
    let (_, shown) = server.get("/v1/subscriptions/mine");
    assert_eq!((&shown["live"]["away"], &shown["dead"]), (&true.into(), &0.into()), "{shown}");
    assert_eq!(shown["live"]["error"], "no answer within 400 ms");
    is_well.store(true, Ordering::SeqCst);
}

#[test]
fn one_that_hangs_for_every_event_loses_none() {
    let is_well = Arc::new(AtomicBool::new(false));
    let receiver = hanging(&is_well);
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), &one_try());
    server.append(&events(&["a", "b", "c"], 0, 9));
    hang(&server, &receiver, &is_well);
    assert_eq!(taken_in_order(&receiver.until_taken(9)).len(), 9);
    assert_eq!(server.get("/v1/subscriptions/mine").1["dead"], 0);
    server.stop();
}

#[test]
fn an_otlp_endpoint_that_hangs_for_every_event_loses_none() {
    let is_well = Arc::new(AtomicBool::new(false));
    let receiver = hanging(&is_well);
    let disk = Disk::new();
    let server = disk.start();
    let (url, retry) = (receiver.url(), one_try());
    let body = format!(r#"{{"name":"mine","from":"start","kind":"otlp","url":"{url}",{retry}}}"#);
    assert_eq!(server.post("/v1/subscriptions", &body).0, 201);
    server.append(&events(&["a", "b", "c"], 0, 9));
    hang(&server, &receiver, &is_well);
    eventually("all came", || {
        let (_, shown) = server.get("/v1/subscriptions/mine");
        (shown["delivered"] == 9 || shown["live"]["delivered"] == 9).then_some(())
    });
    assert_eq!(server.get("/v1/subscriptions/mine").1["dead"], 0);
    server.stop();
}

#[test]
fn an_event_that_one_hangs_for_while_it_takes_others_dies_and_holds_its_own_session_alone() {
    let receiver = Receiver::start(|got| match got.record["event"]["sequence"].as_u64() {
        Some(0) if got.session() == "stuck" => Answer::Hang,
        _ => Answer::Status(200),
    });
    let disk = Disk::new();
    let server = disk.start();
    let retry = one_try().replace("\"attempts_max\":1", "\"attempts_max\":2");
    subscribe(&server, "mine", &receiver.url(), &retry);
    let mut n_other = 0;
    server.append(&events(&["stuck"], 0, 2));
    let dead = eventually("it is dead", || {
        n_other += 1;
        server.append(&events(&["other"], n_other, 1));
        let (_, list) = server.get("/v1/subscriptions/mine/dead");
        list["dead"].get(0).cloned()
    });
    assert_eq!(dead["error"], "no answer within 400 ms");
    let all = receiver.until_taken(n_other + 1);
    let tries = all.iter().filter(|got| !got.is_taken()).count();
    assert!((2..=3).contains(&tries), "{tries}: the first proves nothing if nothing else came");
    server.stop();
}
