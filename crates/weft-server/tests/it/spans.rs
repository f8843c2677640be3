//! The spans of a trace over HTTP, and a record with its facts.

use serde_json::{Value, json};

use crate::post::claimed;
use crate::server::Server;

fn span(n: u64, span: &str, parent: Option<&str>) -> String {
    let parent = parent.map(|parent| format!(r#","parent_span_id":"{parent}""#));
    let ids = format!(r#""trace_id":"t1","span_id":"{span}"{}"#, parent.unwrap_or_default());
    format!(
        r#"{{"version":"1.0.0","event_type":"lifecycle.started","event_id":"019cb022-dc57-786c-a795-{n:012}","timestamp":"2026-11-15T08:00:{n:02}Z","agent_id":"@ada","session_id":"s1","message":"step {span}","correlation":{{{ids}}}}}"#
    )
}

fn spans(server: &Server, query: &str) -> Value {
    let answer = server.client().get(&format!("/v1/traces/t1/spans{query}"));
    assert_eq!(answer.status, 200, "{}", answer.shown());
    answer.json()
}

#[test]
fn spans_stand_below_what_started_them_and_last_as_long_as_what_is_below() {
    let server = Server::start();
    let lines = [span(1, "a", None), span(3, "c", Some("a")), span(2, "b", Some("a"))];
    assert_eq!(server.client().post_as("application/x-ndjson", lines.join("\n")).status, 202);
    let all = spans(&server, "");
    let rows = all["spans"].as_array().expect("spans").iter();
    let rows: Vec<Value> =
        rows.map(|row| json!([row["id"], row["depth"], row["from"], row["to"]])).collect();
    let at = |second: u64| format!("2026-11-15T08:00:0{second}Z");
    assert_eq!(
        rows,
        [json!(["a", 0, at(1), at(3)]), json!(["b", 1, at(2), null]), json!(["c", 1, at(3), null])]
    );
    assert_eq!((&all["position"], &all["spans"][0]["duration_ms"]), (&json!(3), &json!(2000)));
    let then = spans(&server, "?upto=1");
    assert_eq!((&then["position"], &then["spans"][0]["to"]), (&json!(1), &Value::Null));
    let nowhere = server.client().get("/v1/traces/t2/spans").failure();
    assert_eq!(nowhere, (404, "not_found".to_owned()));
}

#[test]
fn a_record_has_its_facts_where_they_are_asked_for() {
    let server = Server::start();
    assert_eq!(server.client().post("/v1/events", claimed(7)).status, 202);
    let plain = server.client().get("/v1/events/1").json();
    assert_eq!(plain["facts"], Value::Null);
    let mut with = server.client().get("/v1/events/1?facts=true").json();
    let facts = with["facts"].take();
    assert_eq!(facts["type"], "bead.claimed");
    assert_eq!(
        (&facts["actor"], &facts["task"], &facts["order"]),
        (&json!("w"), &json!("b7"), &json!(7))
    );
    with.as_object_mut().expect("an object").remove("facts");
    assert_eq!(with, plain);
    let wrong = server.client().get("/v1/events/1?facts=yes").failure();
    assert_eq!(wrong, (400, "bad_parameter".to_owned()));
}
