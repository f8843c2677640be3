//! A filter while it is typed: what is wrong with it, and how it could go on.

use crate::read::with_claims;
use crate::server::Server;
use serde_json::{Value, json};

fn judged(server: &Server, query: &str) -> Value {
    let answer = server.client().get(&format!("/v1/filter?{query}"));
    assert_eq!(answer.status, 200, "{}", answer.shown());
    answer.json()
}

#[test]
fn a_filter_that_can_be_read_has_no_error_and_offers_fields() {
    let judged = judged(&Server::start(), "text=level%3E%3Dwarn%20sess");
    let session = json!({"text": "session=", "about": "the session"});
    let expected = json!({"error": null, "from": 12, "to": 16, "completions": [session]});
    assert_eq!(judged, expected);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let judged = judged(&Server::start(), "text=colour%3Dred");
    let error = &judged["error"];
    assert_eq!((&error["from"], &error["to"]), (&json!(0), &json!(6)), "{judged}");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("colour")), "{judged}");
    assert!(error["help"].is_string(), "{judged}");
}

#[test]
fn values_are_those_that_were_seen() {
    let server = with_claims(3);
    let all = judged(&server, "text=type%3D");
    assert_eq!(all["completions"], json!([{"text": "bead.claimed"}]), "{all}");
    let none = judged(&server, "text=type%3Dx");
    assert_eq!(none["completions"], json!([]));
}

#[test]
fn a_place_in_the_middle_is_completed_there() {
    let server = Server::start();
    let judged = judged(&server, "text=sta%20level%3E%3Dwarn&cursor=3");
    assert_eq!((&judged["from"], &judged["to"]), (&json!(0), &json!(3)));
    assert_eq!(judged["completions"][0]["text"], "status=");
    let far = server.client().get("/v1/filter?text=a&cursor=99");
    assert_eq!(far.json()["to"], 1);
    let wrong = server.client().get("/v1/filter?text=a&cursor=-1");
    assert_eq!(wrong.failure(), (400, "bad_parameter".to_owned()));
}
