//! `weft loop` and the hooks that decide: an agent that speaks the hook contract, against a real store.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

pub(crate) const SESSION: &str = "4f0c6d0e-5b1a-4a59-9f2f-0f6f6a5f1c11";
pub(crate) const DONE: &str = "<loop-done>COMPLETE</loop-done>";

/// An agent in a repository of its own.
pub(crate) struct Agent<'s> {
    sandbox: &'s Sandbox,
    session: &'s str,
    is_continued: bool,
    n_stops: usize,
}

impl<'s> Agent<'s> {
    pub(crate) fn new(sandbox: &'s Sandbox, session: &'s str) -> Self {
        Self { sandbox, session, is_continued: false, n_stops: 0 }
    }

    pub(crate) fn hook(&self, event: &str, with: &Value) -> Ran {
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": "",
            "cwd": root(self.sandbox),
            "hook_event_name": event,
        });
        let (payload_of, with) = (payload.as_object_mut().unwrap(), with.as_object().unwrap());
        payload_of.extend(with.clone());
        let args = ["hook", "--agent", "claude-code", "--decide"];
        self.sandbox.pipe(&args, payload.to_string().as_bytes())
    }

    /// Is about to stop, having said something. Returns what it is told; none if it may.
    pub(crate) fn stops(&mut self, said: &str) -> Option<String> {
        self.n_stops += 1;
        let said = format!("Stop {}.\n{said}", self.n_stops);
        let with = json!({"stop_hook_active": self.is_continued, "last_assistant_message": said});
        let ran = self.hook("Stop", &with);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.show());
        let told: Value = serde_json::from_str(&ran.stdout).unwrap_or(Value::Null);
        self.is_continued = told["decision"] == "block";
        self.is_continued.then(|| told["reason"].as_str().unwrap().to_owned())
    }

    /// Comes back, and is told where it was.
    pub(crate) fn comes_back(&mut self, source: &str) -> String {
        self.is_continued = false;
        let ran = self.hook("SessionStart", &json!({"source": source}));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.show());
        let told: Value = serde_json::from_str(&ran.stdout).unwrap_or(Value::Null);
        let context = &told["hookSpecificOutput"]["additionalContext"];
        context.as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) fn root(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().canonicalize().unwrap()
}

pub(crate) fn git(sandbox: &Sandbox, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(sandbox.path()).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    let out = command.args(args).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// A repository with one commit, and a store beside it.
pub(crate) fn repository() -> Sandbox {
    let sandbox = Sandbox::with_store(&[("work.txt", b"begun\n"), (".gitignore", b".weft\n")]);
    git(&sandbox, &["init", "--quiet", "--initial-branch", "main"]);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "--quiet", "-m", "begin"]);
    sandbox
}

pub(crate) fn work(sandbox: &Sandbox, n: usize) {
    std::fs::write(sandbox.path().join("work.txt"), format!("{n}\n")).unwrap();
}

pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) {
    let all: Vec<&str> =
        ["loop", "start", "--session", SESSION].iter().chain(args).copied().collect();
    let ran = sandbox.run(&all);
    assert_eq!(ran.code, 0, "{}", ran.show());
}

/// Returns types and messages of what is in a topic.
pub(crate) fn topic(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let filter = format!("topic={name}");
    let ran = sandbox.run(&["log", &filter, "--format", "json", "--limit", "all"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let records = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = records.map(|record| {
        let event = &record["event"];
        let word = event["event"].as_str().unwrap_or("?");
        let reason = ["reason", "detail"].iter().find_map(|name| event[name].as_str());
        let reason = reason.or_else(|| event["details"]["why"].as_str());
        let iter = event["stack"].as_array().and_then(|stack| stack.last()?["iter"].as_u64());
        let iter = iter.map_or(String::new(), |iter| format!(" {iter}"));
        format!("{word}{iter} {}", reason.unwrap_or_default()).trim_end().to_owned()
    });
    told.collect()
}

#[test]
fn a_loop_goes_on_until_its_evidence_is_there() {
    let sandbox = repository();
    start(&sandbox, &["--max", "20", "--until", "test -f done.txt", "Write done.txt"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 2..=4 {
        work(&sandbox, n);
        let told = agent.stops("More to do.").expect("it is to go on");
        assert!(told.starts_with(&format!("Iteration {n} of 20.")), "{told}");
    }
    let told = agent.stops(DONE).expect("there is no evidence");
    assert!(
        told.contains(
            "You said that it is done, and it is not:\n- `test -f done.txt` ended with code 1"
        ),
        "{told}"
    );
    let ran = sandbox.run(&["log", "topic=loop:trace", "--format", "jsonl", "--limit", "1"]);
    let trace: Value = serde_json::from_str(&ran.stdout).unwrap();
    let check = &trace["details"]["judge"]["checks"][0];
    assert_eq!((&check["status"], &check["id"]), (&json!("fail"), &json!("until-1")), "{trace}");
    std::fs::write(sandbox.path().join("done.txt"), "").unwrap();
    assert_eq!(agent.stops(DONE), None);
    assert_eq!(agent.stops(DONE), None, "the loop is over");
    assert_eq!(topic(&sandbox, "loop:current").last().unwrap(), "DONE COMPLETE");
    let trace = topic(&sandbox, "loop:trace");
    assert_eq!(trace.first().unwrap(), "LOOP_START");
    assert_eq!(trace[4..], ["ITERATION no_evidence", "COMPLETION complete"]);
}

#[test]
fn a_loop_makes_the_store_that_it_needs() {
    let sandbox = Sandbox::with(&[]);
    let store = sandbox.path().join("new").display().to_string();
    let ran = sandbox.run(&["loop", "start", "--store", &store, "--session", SESSION, "x"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.show());
    let ran = sandbox.run(&["loop", "status", "--store", &store, "--session", SESSION]);
    assert!(ran.stdout.contains("1/10"), "{}", ran.show());
}

#[test]
fn every_limit_ends_it() {
    for (args, expected) in [
        (&["--max", "3", "x"][..], "DONE MAX_ITERATIONS"),
        (&["--max", "9", "--patience", "2", "x"], "ABORT NO_PROGRESS"),
        (&["--max", "9", "--time", "0s", "x"], "ABORT BUDGET"),
        (&["--max", "9", "--tokens", "0", "x"], "ABORT BUDGET"),
    ] {
        let sandbox = repository();
        start(&sandbox, args);
        let mut agent = Agent::new(&sandbox, SESSION);
        let n_told = (0..12).map_while(|_| agent.stops("More.")).count();
        assert!(n_told <= 3, "{n_told}");
        assert_eq!(topic(&sandbox, "loop:current").last().unwrap(), expected);
    }
}

#[test]
fn outside_git_a_file_that_changes_is_progress() {
    let sandbox = Sandbox::with_store(&[("work.txt", b"begun\n")]);
    start(&sandbox, &["--max", "30", "--patience", "2", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    for n in 1..=4 {
        work(&sandbox, n);
        assert!(agent.stops("More.").is_some(), "{n}");
    }
    let n_told = (0..12).map_while(|_| agent.stops("More.")).count();
    assert!(n_told <= 2, "{n_told}");
    assert_eq!(topic(&sandbox, "loop:current").last().unwrap(), "ABORT NO_PROGRESS");
}

#[test]
fn the_turn_ends_before_the_client_ends_it_and_the_next_one_goes_on() {
    let sandbox = repository();
    start(&sandbox, &["--max", "30", "--patience", "0", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    assert_eq!((0..12).map_while(|_| agent.stops("More.")).count(), 8);
    let told = agent.stops("More.").expect("a new turn goes on");
    assert!(told.starts_with("Iteration 10 of 30."), "{told}");
}

#[test]
fn two_sessions_of_one_project_share_nothing() {
    let sandbox = repository();
    start(&sandbox, &["x"]);
    let mut other = Agent::new(&sandbox, "11111111-2222-3333-4444-555555555555");
    assert_eq!(other.stops(DONE), None);
    let mut agent = Agent::new(&sandbox, SESSION);
    assert!(agent.stops("More.").unwrap().starts_with("Iteration 2 of 10."));
}

#[test]
fn a_loop_without_a_session_belongs_to_the_first_one_here_that_stops() {
    let sandbox = repository();
    let ran = sandbox.run(&["loop", "start", "x"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let mut first = Agent::new(&sandbox, SESSION);
    assert!(first.stops("More.").unwrap().starts_with("Iteration 2 of 10."));
    let mut second = Agent::new(&sandbox, "11111111-2222-3333-4444-555555555555");
    assert_eq!(second.stops("More."), None);
    assert!(first.stops("More.").unwrap().starts_with("Iteration 3 of 10."));
    assert_eq!(first.stops(DONE), None);
    let ran = sandbox.run(&["loop", "start", "y"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert!(first.stops("More.").unwrap().starts_with("Iteration 2 of 10."), "it takes up another");
}

#[test]
fn an_agent_that_forgot_everything_is_told_where_it_was() {
    let sandbox = repository();
    start(&sandbox, &["Port the parser\nto the new lexer"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    work(&sandbox, 1);
    agent.stops("More.").unwrap();
    let ran = agent.hook("PreCompact", &json!({"trigger": "auto", "custom_instructions": null}));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    assert_eq!(topic(&sandbox, "loop:anchor"), ["ANCHOR"]);
    let told = agent.comes_back("compact");
    assert!(told.contains("loop 2/10"), "{told}");
    assert!(told.contains("Goal: Port the parser\n"), "{told}");
    assert!(told.contains("Changed and not committed: work.txt"), "{told}");
    assert_eq!(Agent::new(&sandbox, "another").comes_back("startup"), "");
    assert_eq!(agent.comes_back("clear"), "");
}

#[test]
fn the_prompt_is_made_again_from_the_log() {
    let sandbox = repository();
    start(&sandbox, &["Port the parser"]);
    std::fs::remove_dir_all(sandbox.store().join("prompts")).unwrap();
    let mut agent = Agent::new(&sandbox, SESSION);
    let told = agent.stops("More.").unwrap();
    let path = told.split("Your task is in ").nth(1).unwrap().split(". When").next().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "Port the parser");
}

#[test]
fn the_file_of_a_prompt_has_no_secrets_from_the_start() {
    let sandbox = repository();
    start(&sandbox, &["Deploy it with PASSWORD=hunter2-and-more make deploy"]);
    let prompts = || {
        let folders = std::fs::read_dir(sandbox.store().join("prompts")).unwrap();
        let folder = folders.map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
        std::fs::read_to_string(folder.unwrap().join("prompt.txt")).unwrap()
    };
    let told = "Deploy it with PASSWORD=[redacted:password] make deploy";
    assert_eq!(prompts(), told);
    std::fs::remove_dir_all(sandbox.store().join("prompts")).unwrap();
    Agent::new(&sandbox, SESSION).stops("More.").unwrap();
    assert_eq!(prompts(), told, "as the log has it");
}

#[test]
fn a_person_pauses_resumes_extends_and_cancels() {
    let sandbox = repository();
    start(&sandbox, &["x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    let run = |args: &[&str]| {
        let ran = sandbox.run(&[&["loop"], args, &["--session", SESSION]].concat());
        (ran.code, ran.stdout.split_once(": ").map_or(String::new(), |(_, text)| text.to_owned()))
    };
    assert_eq!(run(&["pause"]), (0, "somebody paused it\n".to_owned()));
    assert_eq!(run(&["pause"]).0, 1);
    assert_eq!(agent.stops("More."), None);
    assert_eq!(run(&["resume"]), (0, "it goes on at the next stop\n".to_owned()));
    assert!(agent.stops("More.").is_some());
    assert_eq!(run(&["extend", "5"]), (0, "iteration 2/15\n".to_owned()));
    assert_eq!(run(&["cancel"]), (0, "it was cancelled\n".to_owned()));
    assert_eq!(run(&["cancel"]).0, 1);
    assert_eq!(agent.stops("More."), None);
    assert_eq!(topic(&sandbox, "loop:current").last().unwrap(), "ABORT USER_CANCELLED");
    let control = topic(&sandbox, "loop:control");
    assert_eq!(control.iter().filter(|line| line.starts_with("RESULT")).count(), 4);
}

#[test]
fn what_others_ask_of_it_is_answered_at_the_next_stop() {
    let sandbox = repository();
    start(&sandbox, &["x"]);
    let now = jiff::Timestamp::now();
    let old = now - jiff::SignedDuration::from_secs(60);
    for (id, command, at) in [("r1", "cancel", old), ("r2", "pause", now)] {
        let request = json!({"schema": 0, "event": "REQUEST", "request_id": id, "ts": at.to_string(), "command": command});
        assert_eq!(sandbox.pipe(&["emit"], request.to_string().as_bytes()).code, 0);
    }
    let mut agent = Agent::new(&sandbox, SESSION);
    assert_eq!(agent.stops("More."), None);
    assert_eq!(topic(&sandbox, "loop:control")[2..], ["ACK", "RESULT"]);
    assert!(topic(&sandbox, "loop:trace").last().unwrap().ends_with("paused"));
}

#[test]
fn a_review_is_of_the_very_commit() {
    let sandbox = repository();
    start(&sandbox, &["--review", "--patience", "0", "x"]);
    let mut agent = Agent::new(&sandbox, SESSION);
    work(&sandbox, 1);
    assert!(agent.stops(DONE).unwrap().contains("there are changes that are not committed"));
    git(&sandbox, &["commit", "--quiet", "-am", "more"]);
    assert!(agent.stops(DONE).unwrap().contains("nobody has reviewed "));
    assert_eq!(sandbox.run(&["loop", "review", "--commit", "HEAD~1", "--approve"]).code, 0);
    assert!(agent.stops(DONE).unwrap().contains("nobody has reviewed "));
    assert_eq!(agent.stops(DONE), None, "a person has to look");
    assert_eq!(sandbox.run(&["loop", "review", "--approve"]).code, 0);
    assert_eq!(sandbox.run(&["loop", "resume", "--session", SESSION]).code, 0);
    assert_eq!(agent.stops(DONE), None);
    assert_eq!(topic(&sandbox, "loop:current").last().unwrap(), "DONE COMPLETE");
}

#[test]
fn a_store_that_cannot_be_written_lets_the_agent_go_and_says_so() {
    let sandbox = repository();
    start(&sandbox, &["x"]);
    let served = Served::start(&sandbox);
    let mut agent = Agent::new(&sandbox, SESSION);
    assert!(agent.stops("More.").is_some(), "it is decided through the server too");
    drop(served);
    let head = sandbox.store().join("head");
    std::fs::remove_file(&head).unwrap();
    std::fs::create_dir(&head).unwrap();
    let with = json!({"stop_hook_active": false, "last_assistant_message": "More."});
    let ran = agent.hook("Stop", &with);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.show());
    assert!(ran.stderr.contains("the loop could not be decided"), "{}", ran.stderr);
    std::fs::remove_dir(&head).unwrap();
    let ran = sandbox.run(&["inbox"]);
    assert!(ran.stdout.contains("Weft could not decide about the loop"), "{}", ran.show());
}

/// Makes an issue, and returns its id.
fn new_issue(sandbox: &Sandbox, title: &str) -> String {
    let ran = sandbox.run(&["issue", "new", title]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    ran.stdout.trim().to_owned()
}

/// Returns the folder of the work tree that an agent is told of.
fn worktree_of(told: &str) -> PathBuf {
    let path = told.split(" in ").nth(1).unwrap().split(" (branch").next().unwrap();
    PathBuf::from(path)
}

fn commit_in(folder: &std::path::Path, file: &str, text: &str) {
    std::fs::write(folder.join(file), text).unwrap();
    for args in [&["add", "."][..], &["commit", "--quiet", "-m", "work"]] {
        let mut command = Command::new("git");
        command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        assert!(command.status().unwrap().success());
    }
}

#[test]
fn a_grind_goes_through_the_issues_and_a_conflict_stops_none_but_its_own() {
    let sandbox = repository();
    let ids: Vec<String> = (1..=5).map(|n| new_issue(&sandbox, &format!("Issue {n}"))).collect();
    let ran = sandbox.run(&["grind", "--session", SESSION, "--patience", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let mut told = ran.stdout;
    let mut agent = Agent::new(&sandbox, SESSION);
    let (mut landed, mut conflicted) = (Vec::new(), PathBuf::new());
    for n in 1..=5 {
        let folder = worktree_of(&told);
        let id = told.split("Work on issue ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        assert!(ids.contains(&id) && folder.ends_with(&id), "{told}");
        let file = if n == 3 { "work.txt".to_owned() } else { format!("{n}.txt") };
        commit_in(&folder, &file, &format!("{n}\n"));
        if n == 3 {
            conflicted.clone_from(&folder);
            // Somebody else changes the same file on the base meanwhile.
            commit_in(sandbox.path(), "work.txt", "other\n");
            let ran = sandbox.run(&["land", &id, "--rebase", "--close", "--no-push"]);
            assert_ne!(ran.code, 0, "{}", ran.show());
            let untold = agent.stops("It does not land.").expect("the issue is not done");
            assert!(untold.starts_with("Iteration 2 of 10 on this issue."), "{untold}");
            told = agent.stops("<loop-done>STUCK</loop-done>").unwrap_or_default();
            assert_eq!(told, "", "an agent that is stuck is let go");
            let ran = sandbox.run(&["grind", "--session", SESSION, "--patience", "0"]);
            assert_eq!(ran.code, 0, "{}", ran.show());
            told = ran.stdout;
            continue;
        }
        let ran = sandbox.run(&["land", &id, "--rebase", "--close", "--no-push"]);
        assert_eq!(ran.code, 0, "{}", ran.show());
        landed.push(id);
        match agent.stops("<issue-complete>DONE</issue-complete>") {
            Some(next) => told = next,
            None => assert_eq!(n, 5, "there is another issue"),
        }
    }
    assert_eq!(topic(&sandbox, "loop:current").last().unwrap(), "DONE NO_MORE_ISSUES");
    let ran = sandbox.run(&["issue", "list", "--json"]);
    let open: Vec<Value> = ran.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(open.len(), 1, "{}", ran.stdout);
    assert!(!landed.contains(&open[0]["id"].as_str().unwrap().to_owned()));
    let text = |folder: &std::path::Path| std::fs::read_to_string(folder.join("work.txt")).unwrap();
    assert_eq!(text(&conflicted), "3\n", "what did not land is where it was made");
    assert_eq!(text(sandbox.path()), "other\n");
    for n in [1, 2, 4, 5] {
        assert!(sandbox.path().join(format!("{n}.txt")).exists(), "issue {n} has landed");
    }
}

#[test]
fn a_loop_on_one_issue_is_inside_the_one_that_runs() {
    let sandbox = repository();
    let id = new_issue(&sandbox, "Log in with a token");
    start(&sandbox, &["--patience", "0", "Everything"]);
    let ran = sandbox.run(&["issue", "start", &id, "--session", SESSION, "--max", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let mut agent = Agent::new(&sandbox, SESSION);
    assert!(agent.stops("More.").unwrap().starts_with("Iteration 2 of 2 on this issue."));
    let told = agent.stops("More.").unwrap();
    assert!(told.starts_with("Iteration 2 of 10. What was inside it reached its limit."), "{told}");
    let ran = sandbox.run(&["loop", "status", "--session", SESSION]);
    assert!(ran.stdout.contains("loop     2/10"), "{}", ran.show());
}

#[test]
fn what_was_in_flight_is_listed_with_the_command_for_each() {
    let sandbox = repository();
    assert_eq!(sandbox.run(&["resume"]).code, 1);
    let id = new_issue(&sandbox, "Log in with a token");
    start(&sandbox, &["Port the parser"]);
    let ran = sandbox.run(&["issue", "start", &id, "--session", SESSION]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    commit_in(&worktree_of(&ran.stdout), "token.txt", "1\n");
    let ran = sandbox.run(&["resume", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let flights = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let commands: Vec<String> =
        flights.map(|flight| flight["command"].as_str().unwrap().to_owned()).collect();
    let expected = [
        format!("claude --resume {SESSION}"),
        format!("weft issue start {id}"),
        format!("weft land {id}"),
    ];
    assert_eq!(commands, expected);
    let ran = sandbox.run(&["anchor", "save", "--session", SESSION]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    let ran = sandbox.run(&["anchor", "show", "--session", SESSION]);
    assert!(ran.stdout.contains(&format!("goal       Working on issue: {id}\n")), "{}", ran.show());
    assert!(ran.stdout.contains("Recent commits: "), "{}", ran.show());
}
