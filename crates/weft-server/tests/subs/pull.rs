//! Subscribers that ask for their events.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Disk, Server, events, eventually};

fn subscribe(server: &Server, timeout_ms: u64) {
    let body = json!({"name":"mine","from":"start","kind":"pull","retry":{"timeout_ms":timeout_ms,"attempts_max":3,"backoff_min_ms":1,"backoff_max_ms":2}});
    let (status, answer) = server.post("/v1/subscriptions", &body.to_string());
    assert_eq!(status, 201, "{answer}");
}

fn take(server: &Server, query: &str) -> Value {
    let (status, lent) = server.get(&format!("/v1/subscriptions/mine/events?{query}"));
    assert_eq!(status, 200, "{lent}");
    lent
}

/// Shows positions and attempts.
fn shown(lent: &Value) -> Vec<(u64, u64)> {
    let event = |event: &Value| {
        (
            event["record"]["position"].as_u64().expect("one"),
            event["attempt"].as_u64().expect("one"),
        )
    };
    lent["events"].as_array().expect("events").iter().map(event).collect()
}

fn settle(server: &Server, lent: &Value, mut report: Value) -> (u16, Value) {
    report["lease"] = lent["lease"].clone();
    server.post("/v1/subscriptions/mine/ack", &report.to_string())
}

#[test]
fn events_are_lent_in_batches_and_settled_one_by_one() {
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, 60_000);
    let last = server.append(&events(&["a", "b"], 0, 6));
    let first = last - 5;
    let lent = take(&server, "limit=4&wait=60");
    assert_eq!(shown(&lent).len(), 4);
    assert_eq!(lent["events"][0]["idempotency_key"], lent["events"][0]["event_id"]);
    let (status, answer) = settle(
        &server,
        &lent,
        json!({"positions":[first], "failed":[{"position":first + 2,"reason":"busy"}]}),
    );
    assert_eq!((status, answer), (200, json!({"acknowledged":1,"failed":1,"left":2})));
    let (_, answer) = settle(&server, &lent, json!({"upto":format!("store-1:{last}")}));
    assert_eq!(answer, json!({"acknowledged":2,"failed":0,"left":0}));
    assert_eq!(settle(&server, &lent, json!({"upto":last})).0, 409, "all of it is settled");
    // What belongs to the other session need not wait for it, and so may come alone before.
    eventually("what failed comes again", || {
        let lent = take(&server, "wait=1");
        settle(&server, &lent, json!({"upto":last}));
        shown(&lent).contains(&(first + 2, 2)).then_some(())
    });
    eventually("all is settled", || {
        let (_, now) = server.get("/v1/subscriptions/mine");
        if now["live"]["held"] != 0 {
            let lent = take(&server, "");
            settle(&server, &lent, json!({"upto":last}));
            return None;
        }
        (now["live"]["acknowledged"].as_u64()? >= last).then_some(())
    });
    server.stop();
    assert_eq!(disk.books().get("mine").expect("it is there").progress.n_delivered, 6);
}

#[test]
fn what_is_not_settled_in_time_comes_again_and_dies_in_the_end() {
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, 50);
    let position = server.append(&events(&["a"], 0, 1));
    for attempt in 1..=3 {
        let lent = take(&server, "wait=60");
        assert_eq!(shown(&lent), [(position, attempt)]);
    }
    let dead = eventually("it is dead", || {
        server.get("/v1/subscriptions/mine/dead").1["dead"].get(0).cloned()
    });
    assert_eq!(
        (&dead["position"], &dead["error"]),
        (&position.into(), &"the lease ran out".into())
    );
    server.stop();
}

#[test]
fn whoever_asks_before_there_is_anything_waits_for_it() {
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, 60_000);
    assert_eq!(take(&server, ""), json!({"lease":null,"events":[]}));
    let lent = thread::scope(|scope| {
        let asking = scope.spawn(|| take(&server, "wait=60"));
        let position = server.append(&events(&["a"], 0, 1));
        let lent = asking.join().expect("it is answered");
        assert_eq!(shown(&lent), [(position, 1)]);
        lent
    });
    let asked = Instant::now();
    assert!(shown(&take(&server, "wait=1")).is_empty(), "the only event is lent");
    assert!(asked.elapsed() >= Duration::from_millis(900));
    assert_eq!(settle(&server, &lent, json!({"upto":u64::MAX >> 12})).0, 200);
    server.stop();
}

#[test]
fn who_asks_for_the_head_alone_is_lent_nothing() {
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, 60_000);
    let position = server.append(&events(&["a"], 0, 1));
    assert_eq!(server.ask("HEAD", "/v1/subscriptions/mine/events?wait=60", "").0, 200);
    assert_eq!(server.ask("HEAD", "/v1/subscriptions/other/events", "").0, 404);
    assert_eq!(shown(&take(&server, "wait=60")), [(position, 1)]);
    server.stop();
}

#[test]
fn a_wrong_question_is_refused() {
    let disk = Disk::new();
    let server = disk.start();
    subscribe(&server, 60_000);
    let status = |path: &str| server.get(&format!("/v1/subscriptions/{path}")).0;
    assert_eq!(status("other/events"), 404);
    assert_eq!(
        ["mine/events?limit=0", "mine/events?wait=61", "mine/events?x=1"].map(status),
        [400; 3]
    );
    let report = |body: &str| server.post("/v1/subscriptions/mine/ack", body).0;
    assert_eq!(report("{}"), 400);
    assert_eq!(report(r#"{"lease":"x","positions":1}"#), 400);
    for wrong in [
        r#""failed":{"position":1,"reason":"x"}"#,
        r#""failed":[1]"#,
        r#""failed":[{"position":1,"reasons":"x"}]"#,
        r#""failed":[{"position":1,"reason":["x"]}]"#,
        r#""failed":[{"position":null}]"#,
        r#""failed":"1""#,
        r#""upto":[1]"#,
        r#""positions":{"position":1}"#,
    ] {
        assert_eq!(report(&format!(r#"{{"lease":"x",{wrong}}}"#)), 400, "{wrong}");
    }
    assert_eq!(report(r#"{"lease":["x"],"positions":[1]}"#), 400);
    assert_eq!(report(r#"{"lease":"x","positions":["other:1"]}"#), 410);
    assert_eq!(report(r#"{"lease":"x","positions":[1]}"#), 409);
    assert_eq!(server.post("/v1/subscriptions/mine/pause", "").0, 200);
    assert_eq!(status("mine/events"), 409);
    server.stop();
}
