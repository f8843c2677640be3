//! What views are judged by is set once, and counts with a server and without.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::served::Served;

const CONFIG: &str = "
[rules]
same_call_times = 2
silent = 0
is_idle_a_need = true

[[price]]
model = 'my-own'
as_of = '2026-11-01'
input = 10
output = 20

[[budget]]
per = 'day'
usd = 20

[[budget]]
per = ['actor', 'day']
tokens = 1_000_000
";

/// Returns an event of an agent that is at work now.
fn event(number: u32, agent: &str, event_type: &str, more: &Value) -> String {
    let mut event = json!({
        "version": "1.0.0",
        "event_type": event_type,
        "timestamp": Timestamp::now().to_string(),
        "agent_id": agent,
        "session_id": format!("s-{agent}"),
        "event_id": format!("00000000-0000-4000-8000-{number:012}"),
    });
    let more = more.as_object().expect("members").clone();
    event.as_object_mut().expect("an object").extend(more);
    format!("{event}\n")
}

/// A store in which one agent calls a tool twice, and another has used much.
fn sandbox(config: &str) -> Sandbox {
    let call = |id: &str| {
        json!({
            "source": "hook",
            "tool": {"tool_name": "Read", "tool_input": {"file_path": "/a"}},
            "correlation": {"trace_id": "t", "span_id": id},
            "hook": {"hook_type": "pre_tool_use", "raw_payload": {}},
        })
    };
    let usage = json!({"metadata": {"usage": {"input_tokens": 1_960_000, "model": "my-own"}}});
    let lines = [
        event(1, "@twice", "hook.pre_tool_use", &call("c-1")),
        event(2, "@twice", "hook.pre_tool_use", &call("c-2")),
        event(3, "@much", "activity.thinking", &usage),
    ];
    let sandbox = Sandbox::with_store(&[("a.jsonl", lines.concat().as_bytes())]);
    assert_eq!(sandbox.run(&["ingest", "a.jsonl"]).code, 0);
    std::fs::write(sandbox.store().join("config.toml"), config).unwrap();
    sandbox
}

/// Returns what rows say but for what changes from moment to moment.
fn gist(rows: impl Iterator<Item = Value>) -> Vec<Value> {
    let row = |mut row: Value| {
        row.as_object_mut().expect("a row").retain(|name, _| !name.ends_with("_ms"));
        row
    };
    rows.map(row).collect()
}

fn by_command(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let ran = sandbox.run(args);
    gist(ran.stdout.lines().map(|line| serde_json::from_str(line).expect(line)))
}

fn by_server(served: &Served, path: &str) -> Vec<Value> {
    let answer = served.get(path);
    let (_, body) = answer.split_once("\r\n\r\n").expect(&answer);
    let page: Value = serde_json::from_str(body).expect(body);
    gist(page["rows"].as_array().expect(body).iter().cloned())
}

fn told(rows: &[Value]) -> Vec<String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| format!("{} {}", text(row, "actor"), text(row, "what"))).collect()
}

#[test]
fn the_same_settings_give_the_same_inbox_with_a_server_and_without() {
    let plain = sandbox("");
    assert_eq!(by_command(&plain, &["inbox", "--json"]), Vec::<Value>::new());

    let sandbox = sandbox(CONFIG);
    let alone = by_command(&sandbox, &["inbox", "--json"]);
    let past = by_command(&sandbox, &["inbox", "--at", "3", "--json"]);
    let budgets = by_command(&sandbox, &["usage", "--budgets", "--json"]);
    let day = Timestamp::now().strftime("%Y-%m-%d").to_string();
    assert_eq!(
        told(&alone),
        [
            format!("@much used $19.60 of $20.00 that a day has: {day}"),
            format!("@much used 1960000 of 1000000 tokens that an actor has: @much on {day}"),
            "@twice Read /a, 2 times in a row".to_owned(),
        ]
    );
    assert_eq!(told(&past), told(&alone));
    assert_eq!(budgets.len(), 2);
    assert_eq!(budgets[0]["mark"], "exceeded");
    assert_eq!(
        (&budgets[1]["mark"], &budgets[1]["spender"]),
        (&"critical".into(), &"@much".into())
    );

    let served = Served::start(&sandbox);
    assert_eq!(by_server(&served, "/v1/views/inbox"), alone);
    assert_eq!(by_server(&served, "/v1/views/inbox?at=3"), past);
    assert_eq!(by_server(&served, "/v1/views/budgets"), budgets);
    assert_eq!(by_command(&sandbox, &["inbox", "--json"]), alone);
    served.end();
}

#[test]
fn wrong_settings_are_told_and_the_built_in_ones_count() {
    let sandbox = sandbox("[rules]\nsame_call = 2\n");
    let ran = sandbox.run(&["inbox"]);
    assert!(ran.stderr.contains("there is no setting `rules.same_call`"), "{}", ran.show());
    assert_eq!(ran.code, 0, "{}", ran.show());
}
