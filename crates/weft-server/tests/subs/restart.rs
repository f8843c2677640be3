//! Servers that end in the middle, with and without a word.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use weft_server::limits::SubscriptionLimits;
use weft_server::subs::definition::State;

use crate::receiver::{Answer, Receiver, taken_in_order};
use crate::server::{DEADLINE, Disk, events, eventually};
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
fn what_was_taken_is_written_while_a_receiver_that_hangs_is_waited_for() {
    const COMING: u8 = 0;
    const HERE: u8 = 1;
    const FREE: u8 = 2;
    let late = Arc::new(AtomicU8::new(COMING));
    let stage = Arc::clone(&late);
    let receiver = Receiver::start(move |got| match got.session() {
        "hung" => Answer::Hang,
        "late" => tokio::task::block_in_place(|| {
            stage.store(HERE, Ordering::SeqCst);
            while stage.load(Ordering::SeqCst) != FREE {
                std::thread::yield_now();
            }
            Answer::Status(200)
        }),
        _ => Answer::Status(200),
    });
    let disk = Disk::new();
    let (acknowledge_every, end_patience) = (DEADLINE, DEADLINE);
    let limits = SubscriptionLimits::default();
    let server = disk.start_with(SubscriptionLimits { acknowledge_every, end_patience, ..limits });
    subscribe(&server, "mine", &receiver.url(), &QUICK.replace("2000", "60000"));
    let last = server.append(&events(&["prompt", "hung", "late"], 0, 3));
    drop([receiver.next(), receiver.next()]);
    eventually("the last is under way", || (late.load(Ordering::SeqCst) == HERE).then_some(()));
    eventually("the first is taken", || {
        let (_, shown) = server.get("/v1/subscriptions/mine");
        (shown["live"]["delivered"] == 1).then_some(())
    });
    let written = |position: u64| {
        let books = disk.books();
        let progress = &books.get("mine").expect("it is there").progress;
        let is_beyond = progress.settled.iter().any(|range| range.contains(&position));
        (progress.position >= position || is_beyond).then_some(())
    };
    assert_eq!(written(last - 2), None);
    server.ask_to_end();
    eventually("what was taken is written", || written(last - 2));
    late.store(FREE, Ordering::SeqCst);
    eventually("so is what is taken meanwhile", || written(last));
    assert_eq!(written(last - 1), None);
    server.kill();
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
