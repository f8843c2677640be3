//! `weft mcp` by the byte: what it says on its standard output, when it ends, and what it does while a server comes and goes.

use serde_json::{Value, json};
use weft_log::lock::{Lock, Owner};

use crate::scene::{PATIENCE, Scene, Talk, Up, meta, request};

const SESSION: &str = "0b9c1f9e-1111-4222-8333-444455556666";

fn beat() -> Value {
    json!({ "kind": "heartbeat" })
}

fn position(result: &Value) -> u64 {
    let answer = &result["structuredContent"];
    answer["events"][0]["position"].as_u64().unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn what_came_before_the_end_is_answered_and_then_it_ends() {
    let scene = Scene::new();
    let mut talk = scene.pipe(SESSION);
    talk.say("this is no message");
    talk.say("");
    for id in 1..=20 {
        let arguments = json!({ "activity": "progress", "message": format!("step {id}") });
        let params = json!({ "name": "report_activity", "arguments": arguments, "_meta": meta() });
        talk.say(&request(id, "tools/call", params).to_string());
    }
    let said: Vec<Value> =
        talk.end().iter().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(said.iter().all(|answer| answer["jsonrpc"] == "2.0"), "{said:?}");
    let mut answered: Vec<(u64, u64)> = said
        .iter()
        .filter(|answer| answer["result"].is_object())
        .map(|answer| (answer["id"].as_u64().unwrap(), position(&answer["result"])))
        .collect();
    answered.sort_unstable();
    // What one client reports stays in its order.
    assert_eq!(answered, (1..=20).map(|id| (id, id)).collect::<Vec<_>>());
    assert_eq!(scene.log().len(), 20);
}

#[test]
fn a_client_that_says_nothing_is_let_go() {
    let scene = Scene::new();
    assert_eq!(scene.pipe(SESSION).end(), Vec::<String>::new());
}

#[test]
fn a_server_may_come_and_go_while_a_client_is_served() {
    let scene = Scene::new();
    let mut talk = scene.pipe(SESSION);
    assert_eq!(position(&talk.call("report_system", beat())), 1);
    let up = Up::start(&scene);
    assert_eq!(position(&talk.call("report_system", beat())), 2);
    let (status, _) = up.ask("GET", &[], "");
    assert_eq!(status, 405);
    up.end();
    assert_eq!(position(&talk.call("report_system", beat())), 3);
    let found = talk.call("query_events", json!({ "order": "oldest" }));
    let records = found["structuredContent"]["records"].as_array().unwrap();
    assert_eq!(records.len(), 3);
    assert!(records.iter().all(|record| record["via"] == "mcp"), "{records:?}");
    talk.end();
    assert_eq!(scene.log().len(), 3);
}

/// Says everything once, and returns the answers without what is new each time.
fn answers(talk: &mut Talk) -> String {
    let big = "many words ".repeat(2_000);
    let calls = [
        ("query_events", json!({})),
        ("report_lifecycle", json!({ "state": "started", "message": "Building" })),
        ("report_activity", json!({ "activity": "progress", "message": big })),
        ("report_activity", json!({ "activity": "tool_use" })),
        ("report_lifecycle", json!({ "state": "over" })),
        ("record_decision", json!({ "message": "m", "chosen": "a", "decision_id": "d" })),
        ("report_system", json!({ "kind": "heartbeat", "request_id": "r", "agent_id": "@b" })),
        ("report_system", json!({ "kind": "heartbeat", "request_id": "r", "agent_id": "@b" })),
        ("query_events", json!({ "filter": "type=activity.* or actor=@b" })),
        ("query_events", json!({ "filter": "words -level=error", "limit": 1 })),
        ("query_events", json!({ "filter": "stats=1" })),
        ("get_event", json!({ "position": 2 })),
        ("get_event", json!({ "position": 99 })),
        ("attention", json!({})),
    ];
    let mut text = String::new();
    for (name, arguments) in calls {
        text += &format!("{name} {}\n", talk.call(name, arguments));
    }
    let params = json!({ "uri": "weft://events/recent", "_meta": meta() });
    text += &talk.ask(&request(1, "resources/read", params)).to_string();
    without_what_is_new(&text)
}

/// Replaces ids and times.
fn without_what_is_new(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive('"') {
        let word = part.trim_end_matches(['"', '\\']);
        let is_id = word.len() >= 36 && word.bytes().filter(|byte| *byte == b'-').count() == 4;
        let is_time = word.ends_with('Z') && word.contains('T') && word.starts_with("20");
        out += if is_id || is_time { "NEW\"" } else { part };
    }
    out
}

#[test]
fn with_a_server_and_without_one_the_answers_are_the_same() {
    let (alone, served) = (Scene::new(), Scene::new());
    let up = Up::start(&served);
    let by_itself = answers(&mut alone.pipe(SESSION));
    let through_server = answers(&mut served.pipe(SESSION));
    assert_eq!(by_itself, through_server);
    assert!(by_itself.contains("(20000 bytes left out)"), "{by_itself}");
    drop(up);
}

#[test]
fn what_is_recorded_survives_a_kill_right_after_the_answer() {
    let scene = Scene::new();
    let mut talk = scene.pipe(SESSION);
    assert_eq!(position(&talk.call("report_system", beat())), 1);
    drop(talk);
    assert_eq!(scene.log().len(), 1);
}

#[test]
fn a_call_that_the_client_repeats_counts_once() {
    let scene = Scene::new();
    let mut talk = scene.pipe(SESSION);
    let mut meta = meta();
    meta["claudecode/toolUseId"] = json!("toolu_01");
    let params = json!({ "name": "report_system", "arguments": beat(), "_meta": meta });
    let first = talk.ask(&request(1, "tools/call", params.clone()));
    let again = talk.ask(&request(2, "tools/call", params));
    assert_eq!(position(&first["result"]), position(&again["result"]));
    let log = scene.log();
    assert_eq!(log.len(), 1);
    // The event stands below the tool call that hooks report.
    assert_eq!(log[0]["correlation"]["parent_span_id"], "toolu_01");
}

#[test]
fn while_another_process_has_the_store_a_report_waits_in_the_spool() {
    let scene = Scene::new();
    let owner = Owner { pid: std::process::id(), what: "a test".to_owned() };
    let lock = Lock::take(&scene.folder.path().join(".weft"), &owner, PATIENCE).unwrap();
    let mut talk = scene.pipe(SESSION);
    let result = talk.call("report_system", beat());
    let event = &result["structuredContent"]["events"][0];
    assert_eq!((&event["outcome"], &event["position"]), (&json!("spooled"), &json!(null)));
    drop(lock);
    let log = scene.log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0]["event_id"], event["event_id"]);
    assert_eq!(position(&talk.call("report_system", beat())), 2);
    talk.end();
}

#[test]
fn secrets_do_not_reach_the_log() {
    let scene = Scene::new();
    let mut talk = scene.pipe(SESSION);
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let message = format!("the key is {key}");
    talk.call("report_lifecycle", json!({ "state": "started", "message": message }));
    let log = scene.log();
    assert!(!log[0]["message"].as_str().unwrap().contains(&key), "{}", log[0]);
}

#[test]
fn where_there_is_no_store_yet_nothing_is_found_and_the_first_report_makes_one() {
    let scene = Scene { folder: tempfile::TempDir::new().unwrap() };
    let store = scene.folder.path().join("made");
    let mut talk = Talk::start(scene.command(&["mcp", "--store", store.to_str().unwrap()]));
    let found = talk.call("query_events", json!({}));
    assert_eq!(found["structuredContent"]["records"], json!([]));
    assert!(!store.exists());
    assert_eq!(position(&talk.call("report_system", beat())), 1);
    assert!(store.exists());
}
