//! The official clients: each lists the tools, calls every one, reads the resources, pages through what it wrote, and makes mistakes.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::scene::{MODERN, Scene, Talk, Up};

const OLD: &str = "2025-11-25";

/// A session as Claude Code names them, and the trace that is made of it.
const SESSION: &str = "0b9c1f9e-1111-4222-8333-444455556666";
const TRACE: &str = "0b9c1f9e111142228333444455556666";

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[derive(Clone, Copy)]
enum Client {
    OldPython,
    NewPython,
    OldNode,
    NewNode,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Stdio,
    Http,
}

impl Client {
    fn version(self) -> &'static str {
        match self {
            Client::OldPython | Client::OldNode => OLD,
            Client::NewPython | Client::NewNode => MODERN,
        }
    }

    /// Returns the client's command, ready to be told where to connect; `None` if no clients were to be fetched, or if the machine
    /// does not have its language.
    fn command(self) -> Option<Command> {
        let (set, script) = match self {
            Client::OldPython => ("python/mcp-old", "old.py"),
            Client::NewPython => ("python/mcp-new", "new.py"),
            Client::OldNode => ("node/mcp-old", "old.mjs"),
            Client::NewNode => ("node/mcp-new", "new.mjs"),
        };
        let program = match self {
            Client::OldPython | Client::NewPython => "python3",
            Client::OldNode | Client::NewNode => "node",
        };
        let root = std::env::var_os("WEFT_TEST_CLIENTS").map(PathBuf::from);
        let is_fetched = |set: &PathBuf| {
            let is_fetched = set.join("fetched").is_file();
            let runs = || Command::new(program).arg("--version").output().is_ok();
            assert!(is_fetched || !runs(), "{} lacks its packages: scripts/clients", set.display());
            is_fetched
        };
        let Some(set) = root.map(|root| root.join(set)).filter(is_fetched) else {
            println!("note: {set} is not there (see scripts/clients); it is not tested");
            return None;
        };
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(script);
        let mut command = Command::new(program);
        match self {
            Client::OldPython | Client::NewPython => {
                command.env("PYTHONPATH", &set).env("PYTHONDONTWRITEBYTECODE", "1").arg(script)
            }
            Client::OldNode | Client::NewNode => command.arg(script).arg(set),
        };
        Some(command)
    }
}

/// Every tool in each of its ways, and what it writes.
fn calls() -> Vec<(&'static str, Value, &'static [&'static str])> {
    let lifecycle = |state: &str| json!({ "state": state, "message": "Building the parser" });
    let rejected = json!([{ "option": "yacc", "reason": "no good errors" }]);
    vec![
        ("report_lifecycle", lifecycle("started"), &["lifecycle.started"]),
        (
            "report_activity",
            json!({ "activity": "thinking", "message": "Planning" }),
            &["activity.thinking"],
        ),
        (
            "report_activity",
            json!({ "activity": "tool_use", "tool_name": "make", "tool_input": { "path": "a.rs" }, "duration_ms": 12 }),
            &["activity.tool_use"],
        ),
        (
            "report_activity",
            json!({ "activity": "progress", "message": "Half way", "progress": 0.5 }),
            &["activity.progress"],
        ),
        (
            "report_waiting",
            json!({ "waiting_for": "@tester", "expected_status": "completed" }),
            &["coordination.waiting"],
        ),
        (
            "report_blocked",
            json!({ "message": "No network", "needs": "access to the registry" }),
            &["coordination.blocked"],
        ),
        (
            "report_handoff",
            json!({ "handoff_to": "@tester", "task_id": "t-1" }),
            &["coordination.handoff"],
        ),
        (
            "record_decision",
            json!({ "message": "A parser by hand", "options": ["by hand", "yacc"], "chosen": "by hand",
                "rationale": "Good errors", "reasoning": "At length", "rejected": rejected, "category": "design" }),
            &["decision.made", "decision.rationale", "decision.rejected"],
        ),
        ("report_system", json!({ "kind": "heartbeat" }), &["system.heartbeat"]),
        (
            "report_system",
            json!({ "kind": "config_change", "message": "Two workers", "metadata": { "workers": 2 } }),
            &["system.config_change"],
        ),
        ("report_system", json!({ "kind": "error", "message": "Disk full" }), &["system.error"]),
        ("report_lifecycle", lifecycle("error"), &["lifecycle.error"]),
        ("report_lifecycle", lifecycle("terminated"), &["lifecycle.terminated"]),
        ("report_lifecycle", lifecycle("completed"), &["lifecycle.completed"]),
    ]
}

fn meets(client: Client, way: Way) {
    let Some(mut command) = client.command() else { return };
    let scene = Scene::new();
    let up = (way == Way::Http).then(|| Up::start(&scene));
    scene.place(&mut command);
    match &up {
        Some(up) => command.args(["http", &format!("http://{}/mcp", up.http)]),
        None => command.args(["stdio", env!("CARGO_BIN_EXE_weft"), "mcp"]),
    };
    command.env("CLAUDE_CODE_SESSION_ID", SESSION);
    let mut talk = Talk::start(command);
    let hello = talk.hear();
    assert_eq!(hello, json!({ "version": client.version(), "server": "weft" }));
    let mut told = Told { talk, way };
    told.lists();
    told.writes();
    told.reads();
    told.pages();
    told.errs(client);
    told.repeats();
    let Told { talk, .. } = told;
    assert_eq!(talk.end(), Vec::<String>::new());
    check_log(&scene.log(), way);
}

/// Tools that are told no session.
const READERS: [&str; 3] = ["query_events", "get_event", "attention"];

/// A client that is led.
struct Told {
    talk: Talk,
    way: Way,
}

impl Told {
    fn ok(&mut self, ask: &Value) -> Value {
        let answer = self.talk.ask(ask);
        assert!(answer["ok"].is_object(), "{ask}: {answer}");
        answer["ok"].clone()
    }

    fn call(&mut self, name: &str, mut arguments: Value, meta: Option<Value>) -> Value {
        if self.way == Way::Http && !READERS.contains(&name) {
            arguments["session_id"] = json!(SESSION);
        }
        let mut ask = json!({ "do": "call", "name": name, "arguments": arguments });
        meta.into_iter().for_each(|meta| ask["meta"] = meta);
        self.ok(&ask)
    }

    /// Calls a tool that answers; its text says the same as its structure.
    fn answer(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.call(name, arguments, None);
        assert_ne!(result["isError"], json!(true), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let said: Value = serde_json::from_str(text).unwrap();
        assert_eq!(said, result["structuredContent"]);
        said
    }

    fn lists(&mut self) {
        let tools = self.ok(&json!({ "do": "tools" }));
        let tools = tools["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let writers = "report_lifecycle report_activity report_waiting report_blocked report_handoff record_decision report_system";
        assert_eq!(
            names.join(" "),
            format!("{writers} query_events get_event attention post read")
        );
        for tool in tools {
            assert_eq!(tool["inputSchema"]["type"], "object");
            assert_eq!(tool["outputSchema"]["type"], "object");
            let name = tool["name"].as_str().unwrap();
            let is_read_only = !writers.contains(name) && name != "post";
            assert_eq!(tool["annotations"]["readOnlyHint"], json!(is_read_only));
            assert_eq!(tool["annotations"]["destructiveHint"], json!(false));
        }
        let resources = self.ok(&json!({ "do": "resources" }));
        assert_eq!(resources["resources"][0]["uri"], "weft://events/recent");
        assert_eq!(resources["resources"][1]["uri"], "weft://views/inbox");
        let templates = self.ok(&json!({ "do": "templates" }));
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "weft://session/{id}");
    }

    fn writes(&mut self) {
        let mut position = 0;
        for (name, arguments, types) in calls() {
            let answer = self.answer(name, arguments);
            let events = answer["events"].as_array().unwrap();
            assert_eq!(events.len(), types.len(), "{answer}");
            for (event, event_type) in events.iter().zip(types) {
                position += 1;
                assert_eq!(event["event_type"], **event_type);
                assert_eq!(event["position"], position);
                assert_eq!(event["outcome"], "stored");
            }
            assert_eq!(answer["session_id"], SESSION);
            assert_eq!(answer["agent_id"], "session-0b9c1f9e");
        }
        let traced = json!({ "traceparent": TRACEPARENT });
        let beat = json!({ "kind": "heartbeat", "agent_id": "@sub" });
        let result = self.call("report_system", beat, Some(traced));
        assert_eq!(result["structuredContent"]["events"][0]["position"], position + 1);
    }

    fn reads(&mut self) {
        for uri in ["weft://events/recent", &format!("weft://session/{SESSION}")] {
            let read = self.ok(&json!({ "do": "read", "uri": uri }));
            let contents = &read["contents"][0];
            assert_eq!(contents["mimeType"], "application/json");
            let text: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
            assert_eq!(positions(&text), (1..=17).collect::<Vec<_>>());
            assert_eq!(text["has_more"], json!(false));
        }
        let read = self.ok(&json!({ "do": "read", "uri": "weft://views/fleet" }));
        let fleet: Value =
            serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
        let actors =
            fleet["rows"].as_array().unwrap().iter().map(|row| row["actor"].as_str().unwrap());
        assert!(actors.eq(["@sub", "session-0b9c1f9e"]), "{fleet}");
        let needs = self.answer("attention", json!({}));
        assert_eq!(needs["view"], "inbox");
        let one = self.answer("get_event", json!({ "position": 5 }));
        assert_eq!(one["record"]["event"]["event_type"], "coordination.waiting");
        assert_eq!(one["is_shortened"], json!(false));
    }

    fn pages(&mut self) {
        let filter = "type=lifecycle.* or type=decision.*";
        for (order, expected) in
            [("oldest", [1, 8, 9, 10, 14, 15, 16]), ("newest", [16, 15, 14, 10, 9, 8, 1])]
        {
            let mut ask = json!({ "filter": filter, "limit": 3, "order": order });
            let mut seen = Vec::new();
            for n_pages in 1..=3 {
                let page = self.answer("query_events", ask.clone());
                seen.extend(positions(&page));
                assert_eq!(page["has_more"], json!(n_pages < 3));
                ask = json!({ "filter": filter, "limit": 3, "cursor": page["next_cursor"] });
            }
            assert_eq!(seen, expected);
            // Who has seen the newest one may ask for those that come.
            if order == "oldest" {
                let page = self.answer("query_events", ask.clone());
                assert_eq!(positions(&page), Vec::<u64>::new());
                assert_eq!(page["next_cursor"], ask["cursor"]);
            }
        }
    }

    fn errs(&mut self, client: Client) {
        let wrong = |arguments: Value, told: &str, this: &mut Self| {
            let result = this.call("query_events", arguments, None);
            assert_eq!(result["isError"], json!(true), "{result}");
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.contains(told), "{text}");
        };
        wrong(json!({ "filter": "status=erorr" }), "status=erorr\n", self);
        wrong(json!({ "filter": "status=erorr" }), "^^^^^\nhelp: is it `error`?", self);
        wrong(json!({ "cursor": "17" }), "`cursor` is none that an answer gave", self);
        wrong(json!({ "cursor": "before:another:3" }), "another store", self);
        let (unknown, none) =
            (json!({ "do": "read", "uri": "weft://session/nobody" }), json!(null));
        let answer = self.talk.ask(&unknown);
        let code = if client.version() == OLD { -32002 } else { -32602 };
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer["ok"], none);
    }

    fn repeats(&mut self) {
        let call = json!({ "kind": "heartbeat", "request_id": "once" });
        let first = self.answer("report_system", call.clone());
        let again = self.answer("report_system", call);
        assert_eq!(first["events"][0]["outcome"], "stored");
        assert_eq!(again["events"][0]["outcome"], "repeat");
        assert_eq!(first["events"][0]["event_id"], again["events"][0]["event_id"]);
        assert_eq!(first["events"][0]["position"], again["events"][0]["position"]);
    }
}

fn positions(page: &Value) -> Vec<u64> {
    let records = page["records"].as_array().unwrap();
    records.iter().map(|record| record["position"].as_u64().unwrap()).collect()
}

fn check_log(log: &[Value], way: Way) {
    let written = calls().into_iter().flat_map(|(_, _, types)| types);
    let expected: Vec<&str> = written.copied().chain(["system.heartbeat"; 2]).collect();
    let types: Vec<&str> = log.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types, expected);
    for event in log {
        assert_eq!(event["source"], "mcp");
        assert_eq!(event["session_id"], SESSION);
        assert_eq!(event["correlation"]["root_agent_id"], "session-0b9c1f9e");
    }
    let of_session = log.iter().filter(|event| event["correlation"]["trace_id"] == TRACE);
    assert_eq!(of_session.count(), log.len() - 1);
    let traced = &log[16];
    assert_eq!(traced["agent_id"], "@sub");
    assert_eq!(traced["correlation"]["trace_id"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(traced["correlation"]["parent_span_id"], "b7ad6b7169203331");
    let waiting = &log[4]["metadata"];
    assert_eq!(
        (&waiting["waiting_for"], &waiting["expected_status"]),
        (&json!("@tester"), &json!("completed"))
    );
    assert_eq!(log[6]["metadata"]["handoff_to"], "@tester");
    assert_eq!(log[7]["metadata"]["options"], json!(["by hand", "yacc"]));
    assert_eq!(log[9]["metadata"]["reason"], "no good errors");
    assert_eq!(log[7]["metadata"]["decision_id"], log[9]["metadata"]["decision_id"]);
    let has_client = log[0]["metadata"]["client"].is_string();
    assert!(has_client || way == Way::Http, "over a pipe the client says who it is");
}

#[test]
fn the_old_python_client_over_a_pipe() {
    meets(Client::OldPython, Way::Stdio);
}

#[test]
fn the_old_python_client_over_http() {
    meets(Client::OldPython, Way::Http);
}

#[test]
fn the_new_python_client_over_a_pipe() {
    meets(Client::NewPython, Way::Stdio);
}

#[test]
fn the_new_python_client_over_http() {
    meets(Client::NewPython, Way::Http);
}

#[test]
fn the_old_typescript_client_over_a_pipe() {
    meets(Client::OldNode, Way::Stdio);
}

#[test]
fn the_old_typescript_client_over_http() {
    meets(Client::OldNode, Way::Http);
}

#[test]
fn the_new_typescript_client_over_a_pipe() {
    meets(Client::NewNode, Way::Stdio);
}

#[test]
fn the_new_typescript_client_over_http() {
    meets(Client::NewNode, Way::Http);
}
