//! The tools that post to topics and read them, over the pipe and over HTTP.

use serde_json::{Value, json};

use crate::scene::{MODERN, Scene, Talk, Up, meta, request};

const SESSION: &str = "0b9c1f9e-1111-4222-8333-444455556666";

/// Returns what a call answers; an error's text if it is one.
fn said(result: &Value) -> Value {
    match result["isError"] == json!(true) {
        true => result["content"][0]["text"].clone(),
        false => result["structuredContent"].clone(),
    }
}

fn converse(talk: &mut Talk) {
    let mut call = |name: &str, arguments: Value| said(&talk.call(name, arguments));
    let first = call("post", json!({ "topic": "tasks", "message": "one\ntwo", "role": "lead" }));
    assert_eq!((&first["topic"], &first["outcome"]), (&json!("tasks"), &json!("stored")));
    let id = first["id"].as_str().unwrap();
    let begun = &id[..25];
    let answer = call("post", json!({ "reply_to": begun, "message": "yes", "agent_id": "other" }));
    assert_eq!(answer["topic"], "tasks", "{answer}");
    let read = call("read", json!({ "topic": "tasks" }));
    assert_eq!((&read["kind"], &read["has_more"]), (&json!("append-only"), &json!(false)));
    let messages = read["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!((&messages[0]["body"], &messages[0]["parent_id"]), (&json!("yes"), &json!(id)));
    assert_eq!(messages[0]["sender"]["id"], "other");
    assert_eq!(messages[1]["body"], "one\ntwo");
    let sender = json!({ "id": "session-0b9c1f9e", "name": "session-0b9c1f9e", "model": null, "role": "lead" });
    assert_eq!((&messages[1]["sender"], &messages[1]["session_id"]), (&sender, &json!(SESSION)));
    for (value, key) in [("1", "a"), ("2", "a"), ("3", "b")] {
        call("post", json!({ "topic": "status", "message": value, "key": key }));
    }
    let values = call("read", json!({ "topic": "status" }));
    let values = values["messages"].as_array().unwrap();
    let bodies: Vec<&Value> = values.iter().map(|it| &it["body"]).collect();
    assert_eq!(bodies, [&json!("3"), &json!("2")]);
    let one = call("read", json!({ "topic": "status", "key": "a", "limit": 5 }));
    assert_eq!(one["messages"][0]["body"], "2");
    assert_eq!(one["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn agents_talk_on_topics_with_a_server_and_without() {
    for is_served in [false, true] {
        let scene = Scene::new();
        scene.run(&["topic", "new", "tasks"]);
        scene.run(&["topic", "new", "status", "--last-value"]);
        let up = is_served.then(|| Up::start(&scene));
        let mut talk = scene.pipe(SESSION);
        converse(&mut talk);
        talk.end();
        let read = scene.run(&["read", "tasks", "-s"]);
        assert!(read.contains("in reply to"), "{read}");
        up.into_iter().for_each(Up::end);
    }
}

#[test]
fn what_a_model_gets_wrong_is_told_with_the_way_out() {
    let scene = Scene::new();
    scene.run(&["topic", "new", "tasks"]);
    let mut talk = scene.pipe(SESSION);
    let mut call = |name: &str, arguments: Value| {
        let result = talk.call(name, arguments);
        assert_eq!(result["isError"], json!(true), "{result}");
        said(&result).as_str().unwrap().to_owned()
    };
    let texts = [
        call("post", json!({ "topic": "task", "message": "x" })),
        call("read", json!({ "topic": "nothing" })),
        call("post", json!({ "message": "x" })),
        call("post", json!({ "topic": "tasks", "reply_to": "01", "message": "x" })),
        call("post", json!({ "reply_to": "01ZZ", "message": "x" })),
        call("post", json!({ "topic": "tasks", "message": "x", "key": "k" })),
        call("post", json!({ "topic": "weft:topic", "message": "x" })),
    ];
    insta::assert_snapshot!(texts.join("\n"), @"
    There is no topic `task`. Near to it: tasks. Topics named issue:ID, project:NAME and agent:NAME are always there; another is made with `weft topic new task`.
    There is no topic `nothing`. Topics named issue:ID, project:NAME and agent:NAME are always there; another is made with `weft topic new nothing`.
    give either `topic` or `reply_to`
    give either `topic` or `reply_to`
    no message has an id that begins with `01ZZ`
    `tasks` keeps every message: leave `key` out
    names that begin with `weft:` are Weft's own
    ");
}

#[test]
fn topics_are_read_and_written_over_http_and_long_messages_cut() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let call = |name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments, "_meta": meta() });
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        let (status, body) =
            up.ask("POST", &headers, &request(1, "tools/call", params).to_string());
        assert_eq!(status, 200, "{body}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        said(&answer["result"])
    };
    let long = "x".repeat(100_000);
    let posted = call("post", json!({ "topic": "project:shop", "message": long }));
    assert_eq!(posted["outcome"], "stored", "{posted}");
    let read = call("read", json!({ "topic": "project:shop" }));
    assert_eq!(read["shortened"], json!([1]));
    assert!(read["messages"][0]["body"].as_str().unwrap().len() < 10_000);
    // Who comes over HTTP may work anywhere.
    assert_eq!(read["messages"][0]["git"], Value::Null);
    up.end();
}
