//! Loops over HTTP: asked for something, done at once, once, and in the log.

use std::thread;

use insta::assert_snapshot;
use serde_json::{Value, json};
use weft_server::access::tokens::Scope;

use crate::server::Server;

/// Begins a loop that no session has taken up.
pub(crate) fn begin_untaken(server: &Server) {
    begin_with(server, json!({}));
}

/// Begins a loop of a session.
pub(crate) fn begin(server: &Server, session: &str) {
    begin_with(server, json!({"session_id": session}));
}

fn begin_with(server: &Server, mut state: Value) {
    let now = jiff::Timestamp::now();
    let run = format!("loop-{}-7", now.as_second());
    let frame =
        json!({"id": run, "mode": "loop", "iter": 1, "max": 10, "prompt_file": "/p/prompt.txt"});
    state["schema"] = json!(0);
    state["event"] = json!("STATE");
    state["run_id"] = json!(run);
    state["updated_at"] = json!(now.to_string());
    state["stack"] = json!([frame]);
    let answer = server.client().post("/v1/events", state.to_string());
    assert_eq!(answer.status, 202, "{}", answer.shown());
}

/// Asks for something, and returns the status and the answer without what differs from run to run.
fn ask(server: &Server, session: &str, body: &str) -> String {
    ask_at(server, &format!("/v1/loops/{session}/control"), body)
}

fn ask_at(server: &Server, address: &str, body: &str) -> String {
    let answer = server.client().post(address, body);
    let mut json = answer.json();
    hide(&mut json);
    format!("{} {json}", answer.status)
}

fn hide(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                let is_made = value.as_str().is_some_and(|text| text.len() == 36);
                if name == "run_id" || (name == "request_id" && is_made) {
                    *value = json!("…");
                }
                hide(value);
            }
        }
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the words of a topic, in the order of the log.
fn topic(server: &Server, name: &str) -> String {
    let page = server.client().get(&format!("/v1/events?order=asc&filter=topic%3D{name}")).json();
    let records = page["records"].as_array().expect("records").iter();
    let word = |record: &Value| {
        let event = &record["event"];
        let result = event["ok"].as_bool().map(|ok| if ok { " ok" } else { " no" });
        let via = record["via"].as_str().unwrap_or_default();
        let word = event["event"].as_str().unwrap_or_default();
        format!("{word}{} by {via}", result.unwrap_or_default())
    };
    records.map(word).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_loop_is_paused_resumed_and_cancelled_at_once() {
    let server = Server::start();
    begin(&server, "s1");
    assert_snapshot!(ask(&server, "s1", r#"{"command":"pause"}"#), @r#"200 {"request_id":"…","result":"ok","run_id":"…","state":"paused","why":"somebody paused it"}"#);
    assert_snapshot!(ask(&server, "s1", r#"{"command":"pause","request_id":"p2"}"#), @r#"409 {"error":{"code":"invalid_state","message":"somebody paused it","request_id":"p2","run_id":"…","state":"paused"}}"#);
    assert_snapshot!(ask(&server, "s1", r#"{"command":"resume"}"#), @r#"200 {"request_id":"…","result":"ok","run_id":"…","state":"running","why":"it goes on at the next stop"}"#);
    assert_snapshot!(ask(&server, "s1", r#"{"command":"escalate"}"#), @r#"200 {"request_id":"…","result":"ok","run_id":"…","state":"paused","why":"somebody asked a person to look at it"}"#);
    assert_snapshot!(ask(&server, "s1", r#"{"command":"cancel"}"#), @r#"200 {"request_id":"…","result":"ok","run_id":"…","state":"ended","why":"it was cancelled"}"#);
    assert_snapshot!(ask(&server, "s1", r#"{"command":"resume","request_id":"late"}"#), @r#"404 {"error":{"code":"not_found","message":"no loop runs","request_id":"late"}}"#);
    assert_snapshot!(topic(&server, "loop:current"), @"
    STATE by http
    STATE by http
    STATE by http
    STATE by http
    ABORT by http
    ");
    assert_snapshot!(topic(&server, "loop:control"), @"
    REQUEST by http
    ACK by http
    RESULT ok by http
    REQUEST by http
    ACK by http
    RESULT no by http
    REQUEST by http
    ACK by http
    RESULT ok by http
    REQUEST by http
    ACK by http
    RESULT ok by http
    REQUEST by http
    ACK by http
    RESULT ok by http
    ");
}

#[test]
fn a_request_that_comes_again_is_answered_and_not_done_again() {
    let server = Server::start();
    begin(&server, "s1");
    begin(&server, "s2");
    let pause = r#"{"command":"pause","request_id":"night-1"}"#;
    let first = ask(&server, "s1", pause);
    assert!(first.starts_with("200 "), "{first}");
    assert!(ask(&server, "s1", r#"{"command":"resume"}"#).starts_with("200 "));
    let last = server.core().last();
    assert_eq!(ask(&server, "s1", pause), first);
    assert_snapshot!(ask(&server, "s1", r#"{"command":"cancel","request_id":"night-1"}"#), @r#"409 {"error":{"code":"duplicate","message":"`night-1` asked for something else before","request_id":"night-1","run_id":"…"}}"#);
    assert!(ask(&server, "s2", pause).starts_with("409 "));
    assert_eq!(server.core().last(), last, "nothing was written");
}

#[test]
fn a_request_of_a_clock_that_is_far_ahead_hides_none_of_now() {
    let server = Server::start();
    begin(&server, "s1");
    let pause = r#"{"command":"pause","request_id":"night-1"}"#;
    let first = ask(&server, "s1", pause);
    assert!(first.starts_with("200 "), "{first}");
    let ahead = json!({
        "schema": 0,
        "event": "REQUEST",
        "command": "resume",
        "request_id": "tomorrow",
        "session_id": "s2",
        "ts": "2039-01-01T00:00:00Z",
    });
    let answer = server.client().post("/v1/events", ahead.to_string());
    assert_eq!(answer.status, 202, "{}", answer.shown());
    assert_eq!(ask(&server, "s1", pause), first);
}

#[test]
fn a_loop_that_no_session_has_taken_up_is_steered_by_an_address_of_its_own() {
    let server = Server::start();
    let ask = |body| ask_at(&server, "/v1/loops/control", body);
    assert_snapshot!(ask(r#"{"command":"pause","request_id":"early"}"#), @r#"404 {"error":{"code":"not_found","message":"no loop runs","request_id":"early"}}"#);
    begin(&server, "s1");
    begin_untaken(&server);
    assert_snapshot!(ask(r#"{"command":"pause"}"#), @r#"200 {"request_id":"…","result":"ok","run_id":"…","state":"paused","why":"somebody paused it"}"#);
    assert_snapshot!(ask(r#"{"command":"cancel"}"#), @r#"200 {"request_id":"…","result":"ok","run_id":"…","state":"ended","why":"it was cancelled"}"#);
    // That of a session is another.
    assert!(self::ask(&server, "s1", r#"{"command":"pause"}"#).starts_with("200 "));
}

#[test]
fn many_who_ask_at_once_are_served_one_after_the_other() {
    let server = Server::start();
    begin(&server, "s1");
    let answers: Vec<String> = thread::scope(|scope| {
        let asked: Vec<_> = (0..4)
            .map(|n| {
                let body = format!(r#"{{"command":"pause","request_id":"r{}"}}"#, n / 2);
                let server = &server;
                scope.spawn(move || ask(server, "s1", &body))
            })
            .collect();
        asked.into_iter().map(|one| one.join().expect("it is answered")).collect()
    });
    // Whichever of the two requests came first has paused it, and both who asked so are told the same.
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[2], answers[3]);
    let n_done = answers.iter().filter(|answer| answer.starts_with("200 ")).count();
    let n_refused = answers.iter().filter(|answer| answer.contains("invalid_state")).count();
    assert_eq!((n_done, n_refused), (2, 2), "{answers:?}");
}

#[test]
fn a_session_may_have_any_name_and_a_token_has_to_be_good_for_writing() {
    let server = Server::start();
    begin(&server, "a/b c");
    assert!(ask(&server, "a%2Fb%20c", r#"{"command":"pause"}"#).starts_with("200 "));
    let with_parameter = "/v1/loops/a%2Fb%20c/control?x=1";
    let answer = server.client().post(with_parameter, r#"{"command":"resume"}"#);
    assert_eq!(answer.failure(), (400, "unknown_parameter".to_owned()));
    let server = Server::wide();
    let [read, write, _] = Scope::ALL.map(|scope| server.token(scope));
    let status = |token: &str| {
        let mut client = server.client();
        let request = client.request("POST", "/v1/loops/s1/control").bearer(token);
        request.header("content-type", "application/json").send(br#"{"command":"pause"}"#).status
    };
    assert_eq!((status(&read), status(&write)), (403, 404));
}
