//! Who is told when something needs a person: by a real server, once for each cause, also after a restart.

mod receiver;

use std::fs::{File, OpenOptions};
use std::process::Command;
use std::sync::mpsc::Receiver;

use jiff::Timestamp;
use serde_json::{Value, json};
use weft_server::subs::webhook::sign::signature;

use crate::sandbox::{Ran, Sandbox};
use crate::served::{PATIENCE, Served, lines};
use receiver::listen;

/// A rule whose command hands what it is given to the test.
const PIPE: &str = "[[notify]]\nname = 'pipe'\nafter = '0s'\ngather = '1s'\ncommand = ['sh', '-c', 'cat >> \"$WEFT_STORE/../told\"']\n";

fn sandbox(config: &str) -> Sandbox {
    let sandbox = Sandbox::with_store(&[]);
    std::fs::write(sandbox.store().join("config.toml"), config).unwrap();
    sandbox
}

/// Returns what is written to a pipe in the sandbox, line by line.
fn pipe(sandbox: &Sandbox) -> Receiver<String> {
    let path = sandbox.path().join("told");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // It has somebody who writes, so that it does not end when a command does.
    let file: File = OpenOptions::new().read(true).write(true).open(path).unwrap();
    lines(file)
}

fn next(told: &Receiver<String>) -> Value {
    let line = told.recv_timeout(PATIENCE).expect("somebody is told");
    serde_json::from_str(&line).expect(&line)
}

/// Returns the actors that a message is about.
fn actors(message: &Value) -> Vec<&str> {
    let needs = message["needs"].as_array().expect("needs");
    needs.iter().map(|need| need["actor"].as_str().expect("an actor")).collect()
}

fn event(agent: &str, event_type: &str) -> String {
    let event = json!({
        "version": "1.0.0",
        "event_type": event_type,
        "timestamp": Timestamp::now().to_string(),
        "agent_id": agent,
        "session_id": format!("s-{agent}"),
        "message": "no key",
    });
    format!("{event}\n")
}

fn post(served: &Served, lines: &[String]) {
    let headers = [("Content-Type", "application/x-ndjson")];
    let answer = served.ask("POST", "/v1/events", &headers, &lines.concat());
    assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
}

fn blocked(served: &Served, agents: &[&str]) {
    let lines: Vec<String> =
        agents.iter().map(|agent| event(agent, "coordination.blocked")).collect();
    post(served, &lines);
}

#[test]
fn a_command_is_told_once_and_not_again_after_a_restart() {
    let sandbox = sandbox(PIPE);
    let told = pipe(&sandbox);
    let served = Served::start(&sandbox);
    blocked(&served, &["@a"]);
    let message = next(&told);
    assert_eq!(message["title"], "@a is blocked");
    assert_eq!(message["text"], "no key\nweft session s-@a");
    assert_eq!((&message["rule"], &message["n_needs"]), (&"pipe".into(), &1.into()));
    served.end();

    let served = Served::start(&sandbox);
    blocked(&served, &["@b"]);
    assert_eq!(actors(&next(&told)), ["@b"], "@a was told before the restart");
    // Another cause of the same actor is news.
    post(&served, &[event("@a", "activity.progress")]);
    blocked(&served, &["@a"]);
    assert_eq!(actors(&next(&told)), ["@a"]);
    served.end();
    assert!(told.try_recv().is_err(), "nobody was told anything else");
}

#[test]
fn a_storm_is_one_message() {
    let sandbox = sandbox(PIPE);
    let told = pipe(&sandbox);
    let served = Served::start(&sandbox);
    let agents: Vec<String> = (0..40).map(|n| format!("@w{n:02}")).collect();
    blocked(&served, &agents.iter().map(String::as_str).collect::<Vec<_>>());
    let message = next(&told);
    assert_eq!((&message["n_needs"], actors(&message).len()), (&40.into(), 20));
    assert_eq!(message["title"], "40 things need you: 40 blocked");
    blocked(&served, &["@late"]);
    assert_eq!(actors(&next(&told)), ["@late"]);
    served.end();
}

#[test]
fn what_is_resolved_before_its_time_is_not_told() {
    let sandbox = sandbox(&PIPE.replace("after = '0s'", "after = '3s'"));
    let told = pipe(&sandbox);
    let served = Served::start(&sandbox);
    blocked(&served, &["@a", "@b"]);
    let inbox = served.get("/v1/views/inbox");
    assert!(inbox.contains("blocked/@a"), "{inbox}");
    post(&served, &[event("@a", "activity.progress")]);
    assert_eq!(actors(&next(&told)), ["@b"]);
    served.end();
}

#[test]
fn a_webhook_is_told_with_a_signature_and_tried_again() {
    let (address, got) = listen(&[500, 200]);
    let config = format!(
        "[[notify]]\nname = 'phone'\nafter = '0s'\ngather = '0s'\nactor = '@lead*'\nwebhook = 'http://{address}/hook'\n"
    );
    let sandbox = sandbox(&config);
    let served = Served::start(&sandbox);
    blocked(&served, &["@other"]);
    blocked(&served, &["@lead-1"]);
    let first = got.recv_timeout(PATIENCE).expect("a try");
    let second = got.recv_timeout(PATIENCE).expect("another try");
    assert_eq!(first.body, second.body);
    assert_eq!(
        (first.header("weft-notify-attempt"), second.header("weft-notify-attempt")),
        ("1", "2")
    );
    assert_eq!(
        (second.header("weft-notify-rule"), second.header("weft-notify-count")),
        ("phone", "1")
    );
    let message: Value = serde_json::from_str(&second.body).unwrap();
    assert_eq!(actors(&message), ["@lead-1"]);
    let secret = std::fs::read_to_string(sandbox.store().join("secrets/@phone")).unwrap();
    let timestamp = second.header("weft-timestamp").parse().unwrap();
    let signed = signature(&secret, timestamp, second.body.as_bytes());
    assert_eq!(second.header("weft-signature"), signed);
    served.end();
    let ran = sandbox.run(&["notify", "list", "--json"]);
    let row: Value = serde_json::from_str(&ran.stdout).expect(&ran.stdout);
    assert_eq!((&row["name"], &row["last_title"]), (&"phone".into(), &"@lead-1 is blocked".into()));
    assert_eq!(row["last_error"], Value::Null);
}

#[test]
fn a_way_that_fails_stops_no_other() {
    let config = format!(
        "[[notify]]\nname = 'broken'\nafter = '0s'\ngather = '0s'\ncommand = ['/nowhere/there']\n{PIPE}"
    );
    let sandbox = sandbox(&config);
    let told = pipe(&sandbox);
    let served = Served::start(&sandbox);
    blocked(&served, &["@a"]);
    assert_eq!(actors(&next(&told)), ["@a"]);
    served.end();
    let doctor = sandbox.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("the rule broken needs `/nowhere/there`, which is not there"),
        "{}",
        doctor.show()
    );
}

#[test]
fn an_example_says_what_came_of_it() {
    let (address, got) = listen(&[200]);
    let webhook = format!("[[notify]]\nname = 'hook'\nwebhook = 'http://{address}/'\n");
    let rest = "[[notify]]\nname = 'fine'\ncommand = ['sh', '-c', 'cat > told']\n[[notify]]\nname = 'bad'\ncommand = ['sh', '-c', 'echo no phone >&2; exit 3']\n[[notify]]\nname = 'ring'\nbell = true\n[[notify]]\nname = 'desk'\ndesktop = true\n";
    let sandbox = sandbox(&(webhook + rest));
    // Where no program is found there is no desktop.
    let mut command = sandbox.command(&["notify", "test", "desk"]);
    let ran = Ran::from(command.env("PATH", sandbox.path()).output().unwrap());
    assert!(ran.stdout.starts_with("desk\tdesktop\tfailed: cannot run `"), "{}", ran.show());
    assert_eq!(ran.code, 1);
    assert_eq!(sandbox.run(&["notify", "test", "hook"]).code, 0);
    assert_eq!(got.recv_timeout(PATIENCE).expect("an example").header("weft-notify-test"), "true");

    let ran = sandbox.run(&["notify", "test", "fine"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "fine\tcommand\ttold\n"), "{}", ran.show());
    let example: Value =
        serde_json::from_str(&std::fs::read_to_string(sandbox.path().join("told")).unwrap())
            .unwrap();
    assert_eq!(example["is_test"], true);
    insta::assert_snapshot!(sandbox.run(&["notify", "test", "bad"]).show(), @"
    bad	command	failed: exit code 3: no phone
    --- stderr
    1 example did not arrive
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox.run(&["notify", "test", "ring"]).show(), @"
    ring	bell	failed: this is no terminal, so that nothing rings
    --- stderr
    1 example did not arrive
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox.run(&["notify", "test", "none"]).show(), @"
    --- stderr
    error: there is no rule `none`: weft notify list
    --- exit 2
    ");
}

#[test]
fn rules_are_listed_with_what_they_do() {
    let sandbox = sandbox(
        "[[notify]]\nname = 'night'\nwhen = ['permission', 'blocked']\nactor = '@lead*'\nquiet = ['00:00-12:00', '12:00-24:00']\nbell = true\n",
    );
    let listed = sandbox.run(&["notify", "list", "--utc"]).show();
    let row = listed.lines().nth(1).expect(&listed);
    let (row, quiet) = row.split_once("until ").expect(row);
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>().join(" "),
        "night bell permission, blocked actor=@lead*"
    );
    assert!(quiet.contains(":00:00"), "{quiet}");
    std::fs::write(sandbox.store().join("config.toml"), "").unwrap();
    insta::assert_snapshot!(sandbox.run(&["notify", "list"]).show(), @"
    there are no rules: docs/notify.md says how to make one
    --- stderr
    --- exit 0
    ");
}
