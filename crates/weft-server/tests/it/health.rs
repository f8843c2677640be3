//! Whether it is alive, whether it is ready, and what it counts.

use insta::assert_snapshot;
use weft_log::spool::{self, Entry};

use crate::post::{DECISION, DONE, claimed};
use crate::server::Server;

#[test]
fn a_server_that_runs_is_alive_and_ready() {
    let server = Server::start();
    let mut client = server.client();
    assert_snapshot!(client.get("/healthz").shown(), @r#"200 {"alive":true}"#);
    assert_snapshot!(client.get("/readyz").shown(), @r#"200 {"checks":{"index":"ok","store":"ok"},"ready":true}"#);
    client.post("/v1/events", DONE);
    assert_eq!(client.get("/readyz").status, 200);
    assert_eq!(client.request("HEAD", "/healthz").send(b"").status, 200);
}

#[test]
fn an_index_that_is_gone_is_not_ready() {
    let server = Server::start();
    std::fs::remove_file(server.store().index()).expect("it is there");
    assert_snapshot!(server.client().get("/readyz").shown(), @r#"503 {"error":{"checks":{"index":"the index cannot be read","store":"ok"},"code":"not_ready","message":"the server is not ready"}}"#);
    assert_eq!(server.client().get("/healthz").status, 200);
    assert!(server.client().get("/metrics").text().contains("weft_index_lag_records NaN\n"));
}

#[test]
fn what_came_by_the_spool_is_counted_for_the_way_that_it_came_in() {
    let server = Server::start();
    let mut client = server.client();
    let event = claimed(1);
    let entry = |line| Entry {
        at_us: 0,
        via: "hook".into(),
        id: uuid::Uuid::now_v7(),
        dialect: None,
        topic: None,
        line,
    };
    let entries = [entry(event.as_bytes()), entry(event.as_bytes()), entry(b"{}")];
    spool::put_all(server.store(), &entries).expect("the spool can be written");
    // Whoever appends next brings them in.
    client.post("/v1/events", claimed(2));
    let text = client.get("/metrics").text().to_owned();
    let picked: Vec<&str> = text.lines().filter(|line| line.starts_with("weft_events")).collect();
    assert_snapshot!(picked.join("\n"), @r#"
    weft_events_accepted_total{dialect="needle",via="http"} 1
    weft_events_accepted_total{dialect="needle",via="hook"} 1
    weft_events_repeated_total{dialect="needle",via="hook"} 1
    weft_events_refused_total{dialect="none",via="hook"} 1
    "#);
}

#[test]
fn what_came_of_events_is_counted() {
    let server = Server::start();
    let mut client = server.client();
    client.post("/v1/events", format!("[{},{},{DECISION},{{}}]", claimed(1), claimed(2)));
    client.post("/v1/events", DECISION);
    client.post("/v1/events", r#"{"schema":0,"event":"STATES","stack":[]}"#);
    let cloud =
        format!(r#"{{"specversion":"1.0","id":"1","source":"a","type":"t","data":{DONE}}}"#);
    client.post_as("application/cloudevents+json", cloud);
    // The writer tells the client before it is done with its own books, and the feed comes after both.
    let is_settled = |text: &str| {
        ["weft_log_position 4\n", "weft_queue_bytes 0\n"].iter().all(|line| text.contains(line))
    };
    let answer = std::iter::repeat_with(|| client.get("/metrics"))
        .take(10_000)
        .find(|answer| is_settled(answer.text()))
        .expect("what was stored shows");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let names = ["weft_events", "weft_append_seconds_count", "weft_connections", "weft_streams"];
    let is_picked = |line: &&str| names.iter().any(|name| line.starts_with(name));
    let picked: Vec<&str> = answer.text().lines().filter(is_picked).collect();
    assert_snapshot!(picked.join("\n"), @r#"
    weft_events_accepted_total{dialect="collector",via="http"} 1
    weft_events_accepted_total{dialect="needle",via="http"} 2
    weft_events_accepted_total{dialect="idle",via="cloudevents"} 1
    weft_events_repeated_total{dialect="collector",via="http"} 1
    weft_events_refused_total{dialect="idle",via="http"} 1
    weft_events_refused_total{dialect="none",via="http"} 1
    weft_append_seconds_count 3
    weft_streams 0
    weft_connections 1
    "#);
}
