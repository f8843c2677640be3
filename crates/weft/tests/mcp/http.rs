//! `/mcp` by the byte: what is refused before the protocol is spoken, what the protocol refuses, and what a token is good for.

use serde_json::{Value, json};

use crate::scene::{MODERN, Scene, Up, meta, request};

const KINDS: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// Sends a modern request with the headers that belong to it, and these.
fn ask(up: &Up, method: &str, params: Value, more: &[(&str, &str)]) -> (u16, Value) {
    let mut params = params;
    params["_meta"] = meta();
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let mut headers = KINDS.to_vec();
    headers.extend([("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)]);
    if !name.is_empty() {
        headers.push(("Mcp-Name", &name));
    }
    headers.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
    headers.extend(more.iter().filter(|(_, value)| !value.is_empty()));
    let (status, body) = up.ask("POST", &headers, &request(1, method, params).to_string());
    (status, serde_json::from_str(&body).unwrap_or(json!(body)))
}

fn call(up: &Up, name: &str, arguments: Value, more: &[(&str, &str)]) -> (u16, Value) {
    ask(up, "tools/call", json!({ "name": name, "arguments": arguments }), more)
}

fn beat() -> Value {
    json!({ "kind": "heartbeat" })
}

#[test]
fn headers_that_contradict_the_body_are_refused() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let (status, answer) = call(&up, "report_system", beat(), &[]);
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(false)), "{answer}");
    for more in [
        [("Mcp-Method", "tools/list")],
        [("Mcp-Method", "")],
        [("Mcp-Name", "get_event")],
        [("Mcp-Name", "")],
        [("MCP-Protocol-Version", "2025-11-25")],
    ] {
        let (status, answer) = call(&up, "report_system", beat(), &more);
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)), "{more:?}: {answer}");
    }
    assert_eq!(scene.log().len(), 1);
}

#[test]
fn what_the_protocol_does_not_know_has_its_codes() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let (status, answer) = ask(&up, "tools/guess", json!({}), &[]);
    assert_eq!((status, &answer["error"]["code"]), (404, &json!(-32601)), "{answer}");
    let (status, answer) = ask(&up, "resources/read", json!({ "uri": "weft://nothing" }), &[]);
    assert_eq!((status, &answer["error"]["code"]), (200, &json!(-32602)), "{answer}");
    let mut other = request(1, "tools/list", json!({ "_meta": meta() }));
    other["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let mut headers = KINDS.to_vec();
    headers.extend([("MCP-Protocol-Version", "2031-01-01"), ("Mcp-Method", "tools/list")]);
    let (status, body) = up.ask("POST", &headers, &other.to_string());
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32022)), "{answer}");
    assert!(answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!(MODERN)));
    let (status, _) =
        up.ask("POST", &KINDS, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(status, 202);
}

#[test]
fn who_may_not_ask_is_turned_away_before_anything_is_read() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let refused = |more: &[(&str, &str)]| {
        let (status, answer) = call(&up, "report_system", beat(), more);
        (status, answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(refused(&[("Origin", "https://evil.example")]), (403, "wrong_origin".to_owned()));
    assert_eq!(refused(&[("Host", "evil.example")]), (403, "wrong_host".to_owned()));
    let unknown = ("Authorization", "Bearer weft_nobody");
    assert_eq!(refused(&[unknown]), (401, "unknown_token".to_owned()));
    let own = format!("http://{}", up.http);
    assert_eq!(call(&up, "report_system", beat(), &[("Origin", &own)]).0, 200);
    assert_eq!(scene.log().len(), 1);
}

#[test]
fn what_is_no_message_is_answered_as_everywhere() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let code = |body: &str| {
        let answer: Value = serde_json::from_str(body).expect(body);
        answer["error"]["code"].as_str().expect(body).to_owned()
    };
    for method in ["GET", "DELETE"] {
        let (status, body) = up.ask(method, &KINDS, "");
        assert_eq!((status, code(&body).as_str()), (405, "wrong_method"));
    }
    let (status, body) = up.ask("POST", &[KINDS[0], ("Accept", "text/html")], "{}");
    assert_eq!((status, code(&body).as_str()), (406, "not_acceptable"));
    let list = request(1, "tools/list", json!({})).to_string();
    assert_eq!(up.ask("POST", &KINDS[..1], &list).0, 200);
    let (status, body) = up.ask("POST", &KINDS[1..], "{}");
    assert_eq!((status, code(&body).as_str()), (415, "unknown_content_type"));
    let (status, body) = up.ask("POST", &KINDS, "no message");
    assert_eq!((status, code(&body).as_str()), (400, "bad_message"));
    let large = " ".repeat((16 << 20) + 1);
    let (status, body) = up.ask("POST", &KINDS, &large);
    assert_eq!((status, code(&body).as_str()), (413, "body_too_large"));
}

#[test]
fn a_token_is_good_for_what_it_was_made_for() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let token = |scope: &str| {
        let made = scene.run(&["token", "new", scope, "--scope", scope]);
        let token = made.split_whitespace().find(|word| word.starts_with("weft_"));
        format!("Bearer {}", token.expect(&made))
    };
    let (reader, writer) = (token("read"), token("write"));
    let error = |answer: &Value| answer["result"]["isError"].clone();
    let names = |bearer: &str| {
        let (_, answer) = ask(&up, "tools/list", json!({}), &[("Authorization", bearer)]);
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&reader), ["query_events", "get_event", "attention", "read"]);
    assert_eq!(names(&writer).len(), 8);

    let (status, answer) = call(&up, "report_system", beat(), &[("Authorization", &reader)]);
    assert_eq!((status, error(&answer)), (200, json!(true)), "{answer}");
    let (_, answer) = call(&up, "query_events", json!({}), &[("Authorization", &reader)]);
    assert_eq!(error(&answer), json!(false));

    let (_, answer) = call(&up, "report_system", beat(), &[("Authorization", &writer)]);
    assert_eq!(error(&answer), json!(false));
    let (_, answer) = call(&up, "query_events", json!({}), &[("Authorization", &writer)]);
    assert_eq!(error(&answer), json!(true));
    let recent = json!({ "uri": "weft://events/recent" });
    let (_, answer) = ask(&up, "resources/read", recent, &[("Authorization", &writer)]);
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(scene.log().len(), 1);
}

#[test]
fn a_call_that_comes_twice_at_once_counts_once() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let twice = json!({ "kind": "heartbeat", "request_id": "once" });
    std::thread::scope(|scope| {
        let calls =
            [(); 8].map(|()| scope.spawn(|| call(&up, "report_system", twice.clone(), &[])));
        let mut outcomes = calls.map(|call| {
            let (_, answer) = call.join().unwrap();
            answer["result"]["structuredContent"]["events"][0]["outcome"].to_string()
        });
        outcomes.sort();
        assert_eq!(outcomes[..7], ["\"repeat\""; 7]);
        assert_eq!(outcomes[7], "\"stored\"");
    });
    assert_eq!(scene.log().len(), 1);
}

#[test]
fn what_was_refused_is_kept_and_nothing_else_is_written() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    // So many numbers cannot be moved out of the event, and it cannot be that large.
    let numbers = vec![1_234_567_890_u64; 120_000];
    let arguments = json!({ "kind": "heartbeat", "metadata": { "numbers": numbers } });
    let (status, answer) = call(&up, "report_system", arguments, &[]);
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(true)));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("too_large"), "{text}");
    assert_eq!(scene.log().len(), 0);
    assert!(scene.run(&["rejects", "list"]).contains("mcp"));
}

#[test]
fn a_server_that_ends_does_not_wait_for_clients_that_keep_their_connection() {
    let scene = Scene::new();
    let up = Up::start(&scene);
    let idle = std::net::TcpStream::connect(&up.http).unwrap();
    assert_eq!(call(&up, "report_system", beat(), &[]).0, 200);
    up.end();
    drop(idle);
}
