//! The event of a hook that decides: with what is decided, in the spool or in the log, and never lost.

use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use weft_log::Store;
use weft_log::spool::{self, Entry};

use crate::loops::{Agent, DONE, SESSION, git, repository, root, start, work};
use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

/// Returns what is in the log from a position on: the type of an event of a hook, and of what is posted its topic.
fn told(sandbox: &Sandbox, from: usize) -> Vec<String> {
    let ran = sandbox.run(&["log", "--format", "json", "--limit", "all"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let records = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let word = |record: Value| {
        let word = record["topic"].as_str().or_else(|| record["event"]["event_type"].as_str());
        word.unwrap_or("?").to_owned()
    };
    records.map(word).skip(from).collect()
}

/// Returns how many records each group of the log has.
fn groups(sandbox: &Sandbox) -> Vec<usize> {
    let (mut groups, mut n) = (Vec::new(), 0);
    for entry in std::fs::read_dir(sandbox.store().join("log")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines() {
            match line.starts_with("{\"weft_seal\":") {
                true => groups.push(std::mem::take(&mut n)),
                false => n += 1,
            }
        }
    }
    groups.retain(|n| *n > 0);
    groups
}

/// Starts a hook that decides about a stop.
fn stopping(sandbox: &Sandbox, said: &str) -> Child {
    let mut command = sandbox.command(&["hook", "--agent", "claude-code", "--decide"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let payload = json!({
        "session_id": SESSION,
        "transcript_path": "",
        "cwd": root(sandbox),
        "hook_event_name": "Stop",
        "prompt_id": said,
        "stop_hook_active": false,
        "last_assistant_message": said,
    });
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    child
}

/// Waits until the spool holds an event.
fn wait_for_spool(sandbox: &Sandbox) {
    let spool = sandbox.store().join("spool/events.jsonl");
    let end = Instant::now() + Duration::from_secs(20);
    while std::fs::metadata(&spool).map_or(0, |spool| spool.len()) == 0 {
        assert!(Instant::now() < end, "nothing is in the spool");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_decided_comes_into_the_log_behind_its_event_and_what_was_before_it() {
    let (alone, with) = (repository(), repository());
    for sandbox in [&alone, &with] {
        start(sandbox, &["--max", "9", "x"]);
    }
    let n_begun = told(&alone, 0).len();
    let served = Served::start(&with);
    let mut all = Vec::new();
    for sandbox in [&alone, &with] {
        let mut agent = Agent::new(sandbox, SESSION);
        let call = json!({"tool_name": "Bash", "tool_input": {}, "tool_use_id": "toolu_1"});
        agent.hook("PreToolUse", &call);
        assert!(agent.stops("More.").is_some());
        agent.hook("PreCompact", &json!({"trigger": "auto"}));
        assert!(agent.comes_back("compact").contains("You are in a Weft loop"));
        assert_eq!(agent.stops(DONE), None);
        all.push(told(sandbox, n_begun));
    }
    assert_eq!(served.end().0, Some(0));
    assert_eq!(all[0], all[1]);
    insta::assert_snapshot!(all[0].join(" "), @"hook.pre_tool_use hook.stop loop:current loop:trace hook.pre_compact loop:anchor hook.session_start hook.stop loop:current loop:trace");
    let n_groups = groups(&alone).len();
    assert_eq!(groups(&alone)[n_groups - 2..], [7, 3]);
}

/// Returns what the spool has.
fn waiting(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.store().join("spool/events.jsonl")).unwrap_or_default()
}

/// Returns which iteration the loop of the session is at, of how many, as a stop says.
fn iteration(said: Option<String>) -> String {
    let said = said.unwrap();
    let words = said.strip_prefix("Iteration ").and_then(|said| said.split_once(". ")).unwrap();
    words.0.to_owned()
}

#[test]
fn without_a_server_a_loop_goes_on_in_the_spool_until_somebody_looks() {
    let sandbox = repository();
    start(&sandbox, &["--max", "9", "x"]);
    let before = groups(&sandbox);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 2..5 {
        assert_eq!(iteration(agent.stops("More.")), format!("{n} of 9"));
        work(&sandbox, n);
    }
    agent.hook("PreCompact", &json!({"trigger": "auto"}));
    assert!(agent.comes_back("compact").contains("loop 4/9"));
    assert_eq!(groups(&sandbox), before, "nothing was written to the log");
    assert_eq!(waiting(&sandbox).matches("\"topic\":\"loop:current\"").count(), 3);
    let ran = sandbox.run(&["loop", "status", "--session", SESSION]);
    assert!(ran.stdout.contains("4/9"), "{}", ran.show());
    assert_eq!(waiting(&sandbox), "");
    assert_eq!(iteration(agent.stops("More.")), "5 of 9");
    assert_eq!(sandbox.run(&["verify"]).code, 0);
}

#[test]
fn what_is_asked_of_a_loop_in_the_spool_is_answered_by_its_next_stop() {
    let sandbox = repository();
    start(&sandbox, &["--max", "9", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    assert!(agent.stops("More.").is_some());
    let ran = sandbox.run(&["loop", "extend", "5", "--session", SESSION]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert_eq!(iteration(agent.stops("More.")), "3 of 14");
    let now = jiff::Timestamp::now().to_string();
    let request =
        json!({"schema": 0, "event": "REQUEST", "request_id": "r1", "ts": now, "command": "pause"});
    assert_eq!(sandbox.pipe(&["emit"], request.to_string().as_bytes()).code, 0);
    assert_eq!(agent.stops("More."), None);
}

#[test]
fn a_spool_that_is_back_after_a_power_cut_moves_no_loop_back() {
    let sandbox = repository();
    start(&sandbox, &["--max", "9", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    assert_eq!(iteration(agent.stops("More.")), "2 of 9");
    let old = waiting(&sandbox);
    let ran = sandbox.run(&["loop", "extend", "5", "--session", SESSION]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let n_told = told(&sandbox, 0).len();
    std::fs::write(sandbox.store().join("spool/events.jsonl"), old).unwrap();
    work(&sandbox, 1);
    assert_eq!(iteration(agent.stops("More.")), "3 of 14");
    assert_eq!(told(&sandbox, n_told), ["hook.stop", "loop:current", "loop:trace"]);
}

#[test]
fn what_is_not_of_hooks_in_the_spool_is_moved_before_a_decision() {
    let sandbox = repository();
    start(&sandbox, &["--max", "9", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    assert!(agent.stops("More.").is_some());
    // As `weft emit` leaves it that cannot have the store: its topic is its own.
    let now = jiff::Timestamp::now().to_string();
    let request =
        json!({"schema": 0, "event": "REQUEST", "request_id": "r1", "ts": now, "command": "pause"});
    let (line, dialect) = (request.to_string(), None);
    let id = uuid::Uuid::now_v7();
    let entry =
        Entry { at_us: 0, via: "emit".into(), id, dialect, topic: None, line: line.as_bytes() };
    spool::put(&Store::at(&sandbox.store()), &entry).unwrap();
    assert_eq!(agent.stops("More."), None);
}

#[test]
fn a_file_that_is_none_of_the_spool_keeps_no_loop_from_going_on() {
    let sandbox = repository();
    start(&sandbox, &["--max", "9", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 2..5 {
        assert_eq!(iteration(agent.stops("More.")), format!("{n} of 9"));
        std::fs::write(sandbox.store().join("spool/.DS_Store"), "x").unwrap();
        work(&sandbox, n);
    }
}

#[test]
fn a_store_that_only_hooks_have_written_to_has_no_loop() {
    let sandbox = repository();
    std::fs::remove_dir_all(sandbox.store()).unwrap();
    std::fs::create_dir_all(sandbox.store().join("prompts")).unwrap();
    let mut agent = Agent::new(&sandbox, SESSION);
    assert_eq!(agent.stops("Done."), None);
    assert_eq!(agent.comes_back("compact"), "");
    assert!(waiting(&sandbox).contains("hook.stop"));
    assert!(!waiting(&sandbox).contains("system.error"), "{}", waiting(&sandbox));
}

#[test]
fn a_loop_that_is_changed_while_a_stop_is_decided_goes_on() {
    let sandbox = repository();
    start(&sandbox, &["--max", "500", "--patience", "500", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 0..12 {
        let stop = stopping(&sandbox, &format!("Stop {n}."));
        let ran = sandbox.run(&["loop", "extend", "1", "--session", SESSION]);
        assert_eq!(ran.code, 0, "{}", ran.show());
        let ran = Ran::from(stop.wait_with_output().unwrap());
        assert!(ran.stdout.contains("block"), "{}", ran.show());
    }
    assert_eq!(iteration(agent.stops("More.")), "14 of 512");
}

#[test]
fn a_decision_moves_a_large_spool_into_the_log() {
    let sandbox = repository();
    start(&sandbox, &["--max", "9", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 0..12 {
        let command = format!("{n} {}", "x".repeat(50_000));
        let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": format!("toolu_{n}")});
        agent.hook("PreToolUse", &call);
    }
    assert!(agent.stops("More.").is_some());
    assert_eq!(waiting(&sandbox), "");
    assert_eq!(told(&sandbox, 0).iter().filter(|word| *word == "hook.pre_tool_use").count(), 12);
}

#[test]
fn of_stops_that_are_decided_at_once_every_event_is_kept() {
    let (alone, with) = (repository(), repository());
    let served = Served::start(&with);
    for sandbox in [&alone, &with] {
        start(sandbox, &["--max", "99", "x"]);
        let children: Vec<Child> =
            (0..8).map(|n| stopping(sandbox, &format!("Stop {n}."))).collect();
        for child in children {
            let ran = Ran::from(child.wait_with_output().unwrap());
            assert_eq!(ran.code, 0, "{}", ran.show());
        }
        let n_stops = told(sandbox, 0).iter().filter(|word| *word == "hook.stop").count();
        assert_eq!(n_stops, 8);
    }
    drop(served);
}

#[test]
fn an_event_is_durable_before_what_may_take_long() {
    let sandbox = repository();
    start(&sandbox, &["--until", "sleep 60", "x"]);
    let mut judged = stopping(&sandbox, DONE);
    wait_for_spool(&sandbox);
    judged.kill().unwrap();
    judged.wait().unwrap();
    assert_eq!(told(&sandbox, 0).last().unwrap(), "hook.stop");
}

#[test]
fn an_event_that_a_server_does_not_take_with_what_is_decided_waits_in_the_spool() {
    let sandbox = repository();
    start(&sandbox, &["x"]);
    let socket = sandbox.store().join("weft.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let mut hung = stopping(&sandbox, "More.");
    wait_for_spool(&sandbox);
    hung.kill().unwrap();
    hung.wait().unwrap();
    drop(listener);
    std::fs::remove_file(&socket).unwrap();
    let told = told(&sandbox, 0);
    assert_eq!(told.iter().filter(|word| *word == "hook.stop").count(), 1, "{told:?}");
}

#[test]
fn an_agent_that_comes_back_is_told_of_the_newest_commits_each_time() {
    let sandbox = repository();
    start(&sandbox, &["x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 0..3 {
        for _ in 0..2 {
            let context = agent.comes_back("compact");
            let newest = if n == 0 { "begin".to_owned() } else { format!("step {n}") };
            assert!(context.contains(&format!(" {newest}")), "{context}");
        }
        work(&sandbox, n);
        git(&sandbox, &["commit", "--quiet", "--allow-empty", "-am", &format!("step {}", n + 1)]);
    }
    git(&sandbox, &["pack-refs", "--all"]);
    assert!(agent.comes_back("compact").contains(" step 3;"));
    git(&sandbox, &["checkout", "--quiet", "--detach", "HEAD~1"]);
    assert!(agent.comes_back("compact").contains("commits: "));
    assert!(!agent.comes_back("compact").contains(" step 3"));
}
