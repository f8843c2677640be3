//! `weft hook`: every hook of both agents, whatever runs on the store, and whatever comes.

use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

const CLAUDE_CODE: &str =
    include_str!("../../../weft-event/tests/fixtures/hooks/claude-code.jsonl");
const CLAUDE_CODE_EVENTS: &str =
    include_str!("../../../weft-event/tests/fixtures/hooks/claude-code.events.jsonl");
const CODEX: &str = include_str!("../../../weft-event/tests/fixtures/hooks/codex.jsonl");
const CODEX_EVENTS: &str =
    include_str!("../../../weft-event/tests/fixtures/hooks/codex.events.jsonl");

/// The agent is told nothing.
fn assert_silent(ran: &Ran) {
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

/// The agent is told nothing, but for a server that took too long where the machine is busy. Returns whether it was told nothing.
fn assert_quiet(ran: &Ran) -> bool {
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.show());
    let is_late = ran.stderr.ends_with("; the event waits in the spool\n");
    assert!(ran.stderr.is_empty() || is_late, "{}", ran.stderr);
    ran.stderr.is_empty()
}

/// Starts a hook that has been told everything.
fn start(sandbox: &Sandbox, args: &[&str], payload: &[u8]) -> Child {
    let args: Vec<&str> = ["hook"].iter().chain(args).copied().collect();
    let mut command = sandbox.command(&args);
    command.env_remove("TRACEPARENT");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload).unwrap();
    child
}

fn hook(sandbox: &Sandbox, args: &[&str], payload: &[u8]) -> Ran {
    Ran::from(start(sandbox, args, payload).wait_with_output().unwrap())
}

/// Returns the events in the log.
fn events(sandbox: &Sandbox) -> Vec<Value> {
    let ran = sandbox.run(&["log", "--format", "jsonl", "--limit", "all"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn timeless(mut event: Value) -> Value {
    event["timestamp"] = Value::Null;
    event
}

fn call(n: usize) -> String {
    format!(
        r#"{{"session_id":"s","transcript_path":"","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{n}"}},"tool_use_id":"toolu_{n}"}}"#
    )
}

/// Hands every fixture to a hook, one after the other; returns for how many nothing was told.
fn report_all(sandbox: &Sandbox) -> usize {
    let claude_code = CLAUDE_CODE
        .lines()
        .map(|payload| assert_quiet(&hook(sandbox, &[], format!("{payload}\n").as_bytes())));
    let codex = CODEX
        .lines()
        .map(|payload| assert_quiet(&hook(sandbox, &["--agent", "codex"], payload.as_bytes())));
    claude_code.chain(codex).filter(|is_silent| *is_silent).count()
}

#[test]
fn every_hook_is_the_same_record_with_a_server_and_without() {
    let (alone, with) = (Sandbox::with_store(&[]), Sandbox::with_store(&[]));
    let served = Served::start(&with);
    let expected = CLAUDE_CODE_EVENTS.lines().chain(CODEX_EVENTS.lines());
    let expected: Vec<Value> =
        expected.map(|line| timeless(serde_json::from_str(line).unwrap())).collect();
    for sandbox in [&alone, &with] {
        assert!(report_all(sandbox) > 0, "the server never answered in time");
        let got: Vec<Value> = events(sandbox).into_iter().map(timeless).collect();
        assert_eq!(got, expected);
        let strict = sandbox.pipe(
            &["validate", "--strict", "-"],
            sandbox.run(&["log", "--format", "jsonl", "--limit", "all"]).stdout.as_bytes(),
        );
        assert_eq!(strict.code, 0, "{}", strict.show());
        let via = sandbox.run(&["sql", "--format", "csv", "select distinct via from events"]);
        assert_eq!(via.stdout, "via\r\nhook\r\n");
    }
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn a_hook_installed_twice_counts_once() {
    let (alone, with) = (Sandbox::with_store(&[]), Sandbox::with_store(&[]));
    let served = Served::start(&with);
    for sandbox in [&alone, &with] {
        for payload in CLAUDE_CODE.lines() {
            let twice =
                [start(sandbox, &[], payload.as_bytes()), start(sandbox, &[], payload.as_bytes())];
            for child in twice {
                assert_quiet(&Ran::from(child.wait_with_output().unwrap()));
            }
        }
        assert_eq!(events(sandbox).len(), CLAUDE_CODE.lines().count());
    }
    drop(served);
}

#[test]
fn a_hundred_hooks_at_once_are_a_hundred_records() {
    let (alone, with) = (Sandbox::with_store(&[]), Sandbox::with_store(&[]));
    let served = Served::start(&with);
    for sandbox in [&alone, &with] {
        let children: Vec<Child> =
            (0..100).map(|n| start(sandbox, &[], call(n).as_bytes())).collect();
        for child in children {
            assert_quiet(&Ran::from(child.wait_with_output().unwrap()));
        }
        let mut calls: Vec<String> = events(sandbox)
            .iter()
            .map(|event| event["correlation"]["span_id"].as_str().unwrap().to_owned())
            .collect();
        calls.sort();
        let mut expected: Vec<String> = (0..100).map(|n| format!("toolu_{n}")).collect();
        expected.sort();
        assert_eq!(calls, expected);
    }
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn a_server_that_never_answers_leaves_the_event_to_the_spool() {
    let sandbox = Sandbox::with_store(&[]);
    let socket = sandbox.store().join("weft.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let ran = hook(&sandbox, &[], call(1).as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.starts_with("note: the server at "), "{}", ran.stderr);
    let why = " does not answer: timed out; the event waits in the spool\n";
    assert!(ran.stderr.ends_with(why), "{}", ran.stderr);
    drop(listener);
    std::fs::remove_file(&socket).unwrap();
    assert_eq!(events(&sandbox).len(), 1);
}

#[test]
fn an_event_that_a_stopped_server_gets_twice_counts_once() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    served.signal("-STOP");
    for payload in [&*call(1), CLAUDE_CODE.lines().next().unwrap()] {
        let ran = hook(&sandbox, &[], payload.as_bytes());
        assert!(ran.stderr.ends_with("; the event waits in the spool\n"), "{}", ran.show());
    }
    served.signal("-CONT");
    // Now the server finds them on its socket, and in the spool.
    assert_quiet(&hook(&sandbox, &[], call(2).as_bytes()));
    assert_eq!(served.end().0, Some(0));
    assert_eq!(events(&sandbox).len(), 3);
}

#[test]
fn a_store_is_made_where_there_is_none() {
    let sandbox = Sandbox::with(&[]);
    let run = |args: &[&str], payload: &str| {
        let mut command = sandbox.command(args);
        command.env_remove("XDG_DATA_HOME").env("HOME", sandbox.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        Ran::from(child.wait_with_output().unwrap())
    };
    assert_silent(&run(&["hook"], &call(1)));
    let log = run(&["log", "--format", "jsonl"], "");
    assert_eq!((log.code, log.stdout.lines().count()), (0, 1), "{}", log.show());
    assert!(sandbox.path().join(".local/share/weft/head").exists());
}

#[test]
fn a_store_that_cannot_be_written_is_told_and_no_reason_to_fail() {
    let sandbox = Sandbox::with(&[("file", b"")]);
    for payload in [&*call(1), "no json"] {
        let ran = hook(&sandbox, &["--store", "file/store"], payload.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with("error: cannot use file/store as a store"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn what_is_no_hook_is_kept_with_the_reason() {
    let sandbox = Sandbox::with_store(&[]);
    for payload in ["no json", "[]", "{\"session_id\":\"s\"}", "no json"] {
        let ran = hook(&sandbox, &[], payload.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert!(ran.stderr.starts_with("what came is refused ("), "{}", ran.stderr);
    }
    let list = sandbox.run(&["rejects", "--json"]);
    let summary: Value = serde_json::from_str(list.stdout.lines().last().unwrap()).unwrap();
    let reasons = json!({"json": 1, "missing": 1, "not_an_object": 1});
    assert_eq!(summary, json!({"summary": {"refused": 3, "reasons": reasons}}));
    assert!(events(&sandbox).is_empty());
    let retried = sandbox.run(&["rejects", "retry", "--all"]);
    assert_eq!(retried.code, 1, "{}", retried.show());
}

#[test]
fn what_is_no_hook_is_kept_although_somebody_changes_what_was_refused() {
    let sandbox = Sandbox::with_store(&[]);
    hook(&sandbox, &[], b"no json");
    let lock = std::fs::File::open(sandbox.store().join("rejected/lock")).unwrap();
    lock.lock().unwrap();
    for payload in ["no json", "no json either", "no json either"] {
        let ran = hook(&sandbox, &[], payload.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert!(ran.stderr.starts_with("what came is refused ("), "{}", ran.stderr);
    }
    drop(lock);
    let list = sandbox.run(&["rejects", "--json"]).stdout;
    assert_eq!(list.lines().count(), 2 + 1, "{list}");
}

#[test]
fn large_values_are_moved_and_told() {
    let sandbox = Sandbox::with_store(&[]);
    let large = |response: String| {
        format!(
            r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{}},"tool_response":{response},"tool_use_id":"t{}"}}"#,
            response.len()
        )
    };
    let one = large(format!("\"{}\"", "x".repeat(200 << 10)));
    let many = large(format!("[{}\"z\"]", "\"a name\",".repeat(200_000)));
    for payload in [&one, &one, &many, &many] {
        assert_silent(&hook(&sandbox, &[], payload.as_bytes()));
    }
    let events = events(&sandbox);
    assert_eq!(events.len(), 2);
    let result = events[0]["tool"]["tool_result"].as_str().unwrap();
    assert!(result.starts_with("weft-blob:") && result.ends_with('x'), "{result}");
    assert_eq!(events[0]["hook"]["raw_payload"]["tool_response"], *result);
    let packed = events[1]["hook"]["raw_payload"]["weft_packed"].as_str().unwrap();
    assert!(packed.starts_with("weft-blob:"), "{packed}");
    let shown = sandbox.run(&["show", "1"]).stdout;
    assert!(shown.contains("weft-blob:"), "{shown}");
    let whole = sandbox.run(&["show", "2", "--blobs", "--json"]).stdout;
    assert!(whole.contains(r#"\"a name\",\"z\"]"#));
}

#[test]
fn more_than_is_ever_taken_is_refused_and_read_to_its_end() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = hook(&sandbox, &[], &vec![b' '; 17 << 20]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.starts_with("what came is refused ("), "{}", ran.stderr);
}

#[test]
fn an_agent_that_does_not_close_the_pipe_is_not_waited_for() {
    let sandbox = Sandbox::with_store(&[]);
    let mut command = sandbox.command(&["hook"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(call(1).as_bytes()).unwrap();
    assert_silent(&Ran::from(child.wait_with_output().unwrap()));
    drop(stdin);
    assert_eq!(events(&sandbox).len(), 1);
}

#[test]
fn no_argument_keeps_an_event_out() {
    let sandbox = Sandbox::with_store(&[]);
    for (n, args) in [
        &["--agent=codex", "--store=.weft"][..],
        &["--agent", "nobody"],
        &["--json", "x"],
        &["--agent"],
        &["--store", ".weft"],
    ]
    .iter()
    .enumerate()
    {
        let ran = hook(&sandbox, args, call(n).as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.show());
    }
    let clients: Vec<Value> =
        events(&sandbox).iter().map(|event| event["metadata"]["client"].clone()).collect();
    assert_eq!(clients, ["codex", "claude-code", "claude-code", "claude-code", "claude-code"]);
    let nothing = hook(&sandbox, &[], b"");
    insta::assert_snapshot!(nothing.show(), @"
    --- stderr
    error: nothing came on standard input: agents run this command, see `weft hooks install`
    --- exit 0
    ");
    let help = sandbox.run(&["hook", "--help"]);
    assert!(help.code == 0 && help.stdout.contains("--agent <AGENT>"), "{}", help.show());
}

#[test]
fn a_trace_of_the_environment_is_the_trace_of_the_event() {
    let sandbox = Sandbox::with_store(&[]);
    let mut command = sandbox.command(&["hook"]);
    command.env("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(call(1).as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let trace = &events(&sandbox)[0]["correlation"]["trace_id"];
    assert_eq!(trace, "0af7651916cd43dd8448eb211c80319c");
}
