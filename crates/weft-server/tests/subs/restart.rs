//! Servers that end in the middle, with and without a word.

use std::time::Duration;

use weft_server::limits::SubscriptionLimits;
use weft_server::subs::definition::State;

use crate::receiver::{Answer, Receiver, taken_in_order};
use crate::server::{Disk, events, eventually};
use crate::webhook::{QUICK, subscribe};

const N: usize = 200;

#[test]
fn nothing_is_lost_when_servers_die_and_after_dropping_repeats_all_is_in_order() {
    let receiver = Receiver::start(|got| {
        if got.position() % 7 == 0 && got.attempt() == 1 {
            Answer::Status(500)
        } else {
            Answer::Status(200)
        }
    });
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), QUICK);
    server.append(&events(&["a", "b", "c"], 0, N));
    let mut all = receiver.until_taken(20);
    server.kill();
    for _ in 0..5 {
        let server = disk.start();
        for _ in 0..15 {
            all.push(receiver.next());
        }
        server.kill();
    }
    let server = disk.start();
    while taken_in_order(&all).len() < N {
        all.push(receiver.next());
    }
    server.stop();
    all.extend(receiver.rest());
    assert_eq!(taken_in_order(&all).len(), N);
}

#[test]
fn a_server_that_ends_properly_leaves_nothing_to_repeat() {
    let receiver = Receiver::start(|_| Answer::Status(200));
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), QUICK);
    server.append(&events(&["a", "b", "c"], 0, N));
    let mut all = receiver.until_taken(20);
    server.stop();
    all.extend(receiver.rest());
    let server = disk.start();
    while taken_in_order(&all).len() < N {
        all.push(receiver.next());
    }
    server.stop();
    all.extend(receiver.rest());
    assert_eq!(all.len(), N, "each came once");
}

#[test]
fn what_was_dead_or_paused_is_so_after_a_restart() {
    let receiver = Receiver::start(|_| Answer::Status(500));
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), &QUICK.replace(":5}", ":1}"));
    server.append(&events(&["a"], 0, 3));
    (0..3).for_each(|_| drop(receiver.next()));
    assert_eq!(server.post("/v1/subscriptions/mine/pause", "").0, 200);
    server.stop();
    let server = disk.start();
    server.append(&events(&["a"], 3, 3));
    let (_, shown) = server.get("/v1/subscriptions/mine");
    assert_eq!((&shown["state"], &shown["dead"]), (&"paused".into(), &3.into()));
    server.stop();
    assert!(receiver.rest().is_empty());
    let books = disk.books();
    let definition = books.get("mine").expect("it is there").definition.clone().expect("readable");
    assert_eq!(definition.state, State::Paused { why: None });
}

#[test]
fn acknowledgements_are_few() {
    let receiver = Receiver::start(|_| Answer::Status(200));
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), QUICK);
    let began = std::time::Instant::now();
    server.append(&events(&["a", "b", "c"], 0, N));
    receiver.until_taken(N);
    let (_, page) = server
        .get("/v1/events?limit=1000&filter=dialect%3Dweft%20type%3Dsubscription.acknowledged");
    let n = page["records"].as_array().expect("records").len() as u64;
    assert!(n <= 2 + began.elapsed().as_secs(), "{n} in {:?}", began.elapsed());
    server.stop();
}

#[test]
fn an_event_that_nobody_takes_dies_also_where_servers_do() {
    let receiver = Receiver::start(|_| Answer::Status(500));
    let disk = Disk::new();
    let acknowledge_every = Duration::from_millis(1);
    let start = || {
        disk.start_with(SubscriptionLimits { acknowledge_every, ..SubscriptionLimits::default() })
    };
    let mut server = start();
    // Only a server that begins anew tries again before the test is over.
    let retry = r#""retry":{"backoff_min_ms":60000,"backoff_max_ms":60000,"timeout_ms":2000,"attempts_max":5}"#;
    subscribe(&server, "mine", &receiver.url(), retry);
    let position = server.append(&events(&["a"], 0, 1));
    for attempt in 1..5_u32 {
        assert_eq!(receiver.next().attempt(), attempt);
        eventually("it is written", || {
            let (_, shown) = server.get("/v1/subscriptions/mine");
            (shown["progress"]["tried"] == serde_json::json!([[position, attempt, attempt]]))
                .then_some(())
        });
        server.kill();
        server = start();
    }
    assert_eq!(receiver.next().attempt(), 5);
    let dead = eventually("it is dead", || {
        server.get("/v1/subscriptions/mine/dead").1["dead"].get(0).cloned()
    });
    assert_eq!((&dead["position"], &dead["attempts"]), (&position.into(), &5.into()));
    server.stop();
    assert!(disk.books().get("mine").expect("it is there").progress.tried.is_empty());
}
