//! What a page is told first: which store this is, and where its log begins and ends.

use crate::post::claimed;
use crate::server::Server;
use serde_json::{Value, json};
use weft_server::access::tokens::Scope;

#[test]
fn an_empty_store_says_so() {
    let server = Server::start();
    let mut about = server.client().get("/v1/store").json();
    let now = about["now"].take();
    assert!(now.as_str().is_some_and(|now| now.ends_with('Z')), "{now}");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        about,
        json!({
            "version": version, "store": "store", "first": null, "last": null, "now": null,
            "needs_token": false, "is_demo": false,
        })
    );
}

#[test]
fn the_ends_of_the_log_are_those_of_its_records() {
    let server = Server::start();
    (1..=3).for_each(|n| assert_eq!(server.client().post("/v1/events", claimed(n)).status, 202));
    let about = server.client().get("/v1/store").json();
    for (end, position) in [("first", 1), ("last", 3)] {
        let record = server.client().get(&format!("/v1/events/{position}")).json();
        assert_eq!(about[end], json!({"position": position, "received": record["received"]}));
    }
}

#[test]
fn whoever_is_let_in_is_told_that_a_token_was_needed() {
    let server = Server::wide();
    assert_eq!(server.client().get("/v1/store").failure(), (401, "no_token".to_owned()));
    let token = server.token(Scope::Read);
    let about = server.client().request("GET", "/v1/store").bearer(&token).send(b"").json();
    assert_eq!(about["needs_token"], Value::Bool(true));
}
