//! An agent that speaks the hook contract as Claude Code does, through a whole session, with the server killed under it.
//!
//! Its hooks run side by side and are installed twice. It waits for none but those at the end of the turn and of the session, and
//! at the latter for 1.5 seconds in all: whatever has not ended by then would be killed, and is lost.

use std::collections::{BTreeMap, VecDeque};
use std::process::{Child, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::{Scene, feed, shown};

/// Tool calls of the session.
const CALLS: usize = 1_000;

/// Hooks that run at a time; an agent that has this many waits for the oldest.
const RUNNING_MAX: usize = 24;

/// Every hook is in the settings of the user and of the project.
const INSTALLED: usize = 2;

/// How long the agent stays when the session has ended.
const END: Duration = Duration::from_millis(1_500);

struct Agent<'s> {
    scene: &'s Scene,
    running: VecDeque<Child>,
}

impl Agent<'_> {
    /// Runs the hooks for a moment of the session, and goes on.
    fn reach(&mut self, moment: &str) {
        for _ in 0..INSTALLED {
            let child = self.start(moment);
            self.running.push_back(child);
        }
        while self.running.len() > RUNNING_MAX {
            let oldest = self.running.pop_front().unwrap();
            assert_silent(&oldest.wait_with_output().unwrap());
        }
    }

    /// Runs the hooks for a moment of the session, and waits for them.
    fn reach_and_wait(&self, moment: &str) {
        let children: Vec<Child> = (0..INSTALLED).map(|_| self.start(moment)).collect();
        for child in children {
            assert_silent(&child.wait_with_output().unwrap());
        }
    }

    fn start(&self, moment: &str) -> Child {
        let payload = format!(
            r#"{{"session_id":"7c1e9a52-3f0d-4b86-9e21-5ad40c77b318","transcript_path":"","cwd":"/",{moment}}}"#
        );
        let mut hook = self.scene.weft(&["hook", "--agent", "claude-code"]);
        let mut child = hook.stdin(Stdio::piped()).spawn().unwrap();
        feed(&mut child, format!("{payload}\n").into_bytes());
        child
    }

    /// Ends the session: every hook that still runs has to be gone before the agent is.
    fn end(mut self, moment: &str) {
        let until = Instant::now() + END;
        for _ in 0..INSTALLED {
            let child = self.start(moment);
            self.running.push_back(child);
        }
        let n_running = self.running.len();
        let (ended, endings) = mpsc::sync_channel(n_running);
        for child in self.running {
            let ended = ended.clone();
            thread::spawn(move || drop(ended.send(child.wait_with_output())));
        }
        for _ in 0..n_running {
            let left = until.saturating_duration_since(Instant::now());
            let output = endings.recv_timeout(left).expect("a hook outlives its agent");
            assert_silent(&output.unwrap());
        }
    }
}

/// A hook must not have said anything to the agent.
fn assert_silent(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", shown(output));
    assert!(output.stdout.is_empty(), "{}", shown(output));
}

fn start_server(scene: &Scene) -> Child {
    let mut up = scene.weft(&["up", "--listen", "127.0.0.1:0"]);
    up.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn kill(server: &mut Child) {
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn every_call_of_a_session_is_there_once_although_the_server_dies() {
    let scene = Scene::new();
    let mut agent = Agent { scene: &scene, running: VecDeque::new() };
    let mut server = start_server(&scene);
    agent.reach(r#""hook_event_name":"SessionStart","source":"startup""#);
    agent.reach(r#""prompt_id":"p1","hook_event_name":"UserPromptSubmit","prompt":"Count""#);
    for n in 0..CALLS {
        let call = format!(
            r#""prompt_id":"p1","tool_name":"Bash","tool_input":{{"command":"echo {n}"}},"tool_use_id":"toolu_{n}""#
        );
        agent.reach(&format!(r#"{call},"hook_event_name":"PreToolUse""#));
        agent.reach(&format!(
            r#"{call},"hook_event_name":"PostToolUse","tool_response":{{"stdout":"{n}"}},"duration_ms":3"#
        ));
        // For three tenths of the session there is no server; later one follows the other at once.
        if n == CALLS * 3 / 10 || n == CALLS * 8 / 10 {
            kill(&mut server);
        }
        if n == CALLS * 6 / 10 || n == CALLS * 8 / 10 {
            server = start_server(&scene);
        }
    }
    agent.reach_and_wait(r#""prompt_id":"p1","hook_event_name":"Stop","stop_hook_active":false"#);
    agent.end(r#""prompt_id":"p1","hook_event_name":"SessionEnd","reason":"other""#);
    kill(&mut server);

    let log = scene.weft(&["log", "--format", "jsonl", "--limit", "all"]).output().unwrap();
    assert!(log.status.success(), "{}", shown(&log));
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in String::from_utf8(log.stdout).unwrap().lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let payload = &event["hook"]["raw_payload"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let key = (text(&payload["hook_event_name"]), text(&payload["tool_use_id"]));
        *counts.entry(key).or_default() += 1;
    }
    let mut expected: BTreeMap<(String, String), usize> = BTreeMap::new();
    for hook in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
        expected.insert((hook.to_owned(), String::new()), 1);
    }
    for n in 0..CALLS {
        for hook in ["PreToolUse", "PostToolUse"] {
            expected.insert((hook.to_owned(), format!("toolu_{n}")), 1);
        }
    }
    let wrong: Vec<_> = counts.iter().filter(|(key, n)| expected.get(*key) != Some(*n)).collect();
    assert!(wrong.is_empty(), "not once: {wrong:?}");
    let lost: Vec<_> = expected.keys().filter(|key| !counts.contains_key(*key)).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
}
