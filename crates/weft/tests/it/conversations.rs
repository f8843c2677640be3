//! Conversations of agents with the hooks that decide, as data: what was before, what the hook is told, what it answers, and what is
//! in the log then. `conversations/` has one for every branch of every decision; all that differ are shown at once.
//!
//! In the files SESSION is the session, HERE the folder of the work, RUN and FRAME-n the ids of the run and of its frames, COMMIT the
//! commit that is checked out, and `{-3h}` the time of three hours ago.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use weft_runtime::loops::decide::Why;
use weft_runtime::loops::state::Pause;
use weft_runtime::loops::words;

use crate::loops::{SESSION, git, repository, root};
use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

/// How often a conversation is begun again whose parts were too far from each other in time.
const TRIES_MAX: usize = 20;

/// What would change an answer, and is around where the tests run.
const AROUND: [&str; 6] = [
    "WEFT_LOOP_OFF",
    "IDLE_LOOP_DISABLE",
    "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
    "WEFT_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "TRACEPARENT",
];

/// One conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversation {
    /// What it is about.
    about: String,
    /// Why it is decided as it is, where something is: the name of a reason.
    #[serde(default)]
    why: Option<String>,
    /// What happened before.
    #[serde(default)]
    before: Vec<Step>,
    /// What counts.
    then: Step,
    /// The environment of that.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// How soon after what was before it has to come; it is all done again where it took longer.
    #[serde(default)]
    within_ms: Option<u64>,
    after: After,
}

/// Something that happens.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// A hook is told this; session and folder are added.
    Hook(Value),
    /// A command of Weft.
    Run(Vec<String>),
    /// An event of somebody else.
    Emit(Value),
    /// A message whose text is this event, as jwz has it, in `loop:current` of the session.
    Message(Value),
    /// A file of the work is written.
    Write { file: String, text: String },
    /// A command of git.
    Git(Vec<String>),
}

/// What comes of it.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct After {
    exit: i32,
    stdout: Value,
    #[serde(default)]
    stderr: String,
    /// What is new in the log: first what is in topics, in its order, then the types of all else.
    events: Vec<String>,
}

#[test]
fn every_conversation_goes_as_it_is_written() {
    println!("{} conversations", all_go(Way::Alone));
}

#[test]
fn every_conversation_goes_the_same_where_a_server_finds_what_it_is_decided_by() {
    println!("{} conversations", all_go(Way::Served));
}

/// Whether a server runs on the store.
#[derive(Clone, Copy)]
enum Way {
    Alone,
    Served,
}

/// Has all conversations, and returns how many there are.
fn all_go(way: Way) -> usize {
    let all = read_all();
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let chunks = all.chunks(all.len().div_ceil(n_threads).max(1));
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = chunks
            .map(|chunk| {
                let differs = move |it| differs(it, way);
                scope.spawn(move || chunk.iter().filter_map(differs).collect::<Vec<_>>())
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    all.len()
}

#[test]
fn every_reason_has_a_conversation() {
    let all = read_all();
    let told: BTreeSet<&str> = all.iter().filter_map(|(_, it)| it.why.as_deref()).collect();
    let mut reasons = BTreeSet::new();
    let mut next = Some(Why::Off);
    while let Some(why) = next {
        reasons.insert(name_of(&why));
        next = after(&why);
    }
    let without: Vec<&String> = reasons.iter().filter(|it| !told.contains(it.as_str())).collect();
    assert!(without.is_empty(), "no conversation has these reasons: {without:?}");
    let unknown: Vec<&&str> = told.iter().filter(|it| !reasons.contains(**it)).collect();
    assert!(unknown.is_empty(), "these are no reasons: {unknown:?}");
    for hook in ["Stop", "PreCompact", "SessionStart"] {
        let is_of = |it: &Conversation| matches!(&it.then, Step::Hook(told) if told["hook_event_name"] == hook);
        assert!(all.iter().any(|(_, it)| is_of(it)), "no conversation is with {hook}");
    }
}

/// Returns the reason after another one, in their order: a new one is missed here before anything can be run.
fn after(why: &Why) -> Option<Why> {
    Some(match why {
        Why::Off => Why::NoLoop,
        Why::NoLoop => Why::Stale,
        Why::Stale => Why::Broken(String::new()),
        Why::Broken(_) => Why::Repeat,
        Why::Repeat => Why::Cancelled,
        Why::Cancelled => Why::Paused(Pause::Asked),
        Why::Paused(Pause::Asked) => Why::Paused(Pause::Escalated),
        Why::Paused(Pause::Escalated) => Why::Paused(Pause::Review),
        Why::Paused(Pause::Review) => Why::Resumed,
        Why::Resumed => Why::Refused,
        Why::Refused => Why::Limit,
        Why::Limit => Why::Budget(String::new()),
        Why::Budget(_) => Why::NoProgress(0),
        Why::NoProgress(_) => Why::Stuck,
        Why::Stuck => Why::NoEvidence(Vec::new()),
        Why::NoEvidence(_) => Why::NoReview(String::new()),
        Why::NoReview(_) => Why::Complete,
        Why::Complete => Why::NextIssue,
        Why::NextIssue => Why::ClientLimit,
        Why::ClientLimit => Why::Iteration,
        Why::Iteration => return None,
    })
}

/// Returns the name of a reason; three of them are pauses.
fn name_of(why: &Why) -> String {
    match why {
        Why::Paused(pause) => format!("paused: {}", pause.as_str()),
        other => words::name(other).to_owned(),
    }
}

fn read_all() -> Vec<(String, Conversation)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/conversations");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let conversation = serde_json::from_str(&text);
        let conversation = conversation.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, conversation)
    };
    paths.iter().map(read).collect()
}

/// Has a conversation; returns how it differs from what is written.
fn differs((name, conversation): &(String, Conversation), way: Way) -> Option<String> {
    let (after, whys) = (0..TRIES_MAX)
        .find_map(|_| Talk::new(way).have(conversation))
        .unwrap_or_else(|| panic!("{name}: the machine is too busy for what has to come soon"));
    let mut text = String::new();
    let expected = &conversation.after;
    if after != *expected {
        writeln!(text, "--- {name}: {}", conversation.about).unwrap();
        let actual = json!({"exit": after.exit, "stdout": after.stdout, "stderr": after.stderr, "events": after.events});
        let wanted = json!({"exit": expected.exit, "stdout": expected.stdout, "stderr": expected.stderr, "events": expected.events});
        writeln!(text, "written {wanted}\nactual  {actual}").unwrap();
    }
    // A reason that leaves no trace cannot be checked; one that does has to be the one that is written.
    if let Some(why) = whys.last()
        && conversation.why.as_ref() != Some(why)
    {
        writeln!(text, "--- {name}: the reason is {:?}, and not {why}", conversation.why).unwrap();
    }
    (!text.is_empty()).then_some(text)
}

/// A conversation that is being had.
struct Talk {
    /// Ends before its folder goes.
    _server: Option<Served>,
    sandbox: Sandbox,
}

impl Talk {
    fn new(way: Way) -> Self {
        let sandbox = repository();
        let server = match way {
            Way::Alone => None,
            Way::Served => Some(Served::start(&sandbox)),
        };
        Self { _server: server, sandbox }
    }

    /// Has it; returns what came of it, with the reasons that it leaves. `None` if it took too long.
    fn have(&self, conversation: &Conversation) -> Option<(After, Vec<String>)> {
        let mut begun = Instant::now();
        for step in &conversation.before {
            begun = Instant::now();
            let ran = self.take(step, &BTreeMap::new());
            assert!(ran.code < 2, "{}: {step:?}: {}", conversation.about, ran.show());
        }
        let n_before = self.records().len();
        let ran = self.take(&conversation.then, &conversation.env);
        let is_late = |ms: u64| begun.elapsed() >= Duration::from_millis(ms);
        if conversation.within_ms.is_some_and(is_late) {
            return None;
        }
        let records = self.records();
        let names = self.names(&records);
        let plain =
            |text: &str| names.iter().fold(text.to_owned(), |t, (of, to)| t.replace(of, to));
        let new = &records[n_before..];
        let is_posted = |record: &&Value| record["topic"].is_string();
        let mut events: Vec<String> =
            new.iter().filter(is_posted).map(|record| plain(&posted(record))).collect();
        let others = new.iter().filter(|record| !is_posted(record));
        events.extend(
            others.map(|record| record["event"]["event_type"].as_str().unwrap().to_owned()),
        );
        let stdout = plain(&ran.stdout);
        let stdout = match serde_json::from_str::<Value>(&stdout) {
            // As one line and nothing else, which is what an agent reads.
            Ok(value) if stdout == format!("{value}\n") => value,
            Ok(_) | Err(_) => Value::String(stdout),
        };
        let whys = new.iter().filter_map(why_of).collect();
        Some((After { exit: ran.code, stdout, stderr: plain(&ran.stderr), events }, whys))
    }

    fn take(&self, step: &Step, env: &BTreeMap<String, String>) -> Ran {
        let here = root(&self.sandbox);
        let filled = |text: &str| {
            in_time(&text.replace("SESSION", SESSION)).replace("HERE", here.to_str().unwrap())
        };
        let fine = || Ran { code: 0, stdout: String::new(), stderr: String::new() };
        match step {
            Step::Hook(with) => {
                let mut told = json!({"session_id": SESSION, "transcript_path": "", "cwd": here});
                let with: Value = serde_json::from_str(&filled(&with.to_string())).unwrap();
                told.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
                let args = ["hook", "--agent", "claude-code", "--decide"];
                self.weft(&args.map(str::to_owned), told.to_string().as_bytes(), env)
            }
            Step::Run(args) => {
                let args: Vec<String> = args.iter().map(|arg| filled(arg)).collect();
                self.weft(&args, b"", env)
            }
            Step::Emit(event) => {
                let event = filled(&event.to_string());
                self.weft(&["emit".to_owned()], event.as_bytes(), env)
            }
            Step::Message(event) => {
                let event = filled(&event.to_string());
                let args = ["post", "loop:current", "--key", SESSION, "-m", &event];
                self.weft(&args.map(str::to_owned), b"", env)
            }
            Step::Write { file, text } => {
                std::fs::write(here.join(file), text).unwrap();
                fine()
            }
            Step::Git(args) => {
                git(&self.sandbox, &args.iter().map(String::as_str).collect::<Vec<_>>());
                fine()
            }
        }
    }

    fn weft(&self, args: &[String], input: &[u8], env: &BTreeMap<String, String>) -> Ran {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.sandbox.pipe_with(&args, input, |command| {
            for name in AROUND {
                command.env_remove(name);
            }
            command.envs(env);
        })
    }

    fn records(&self) -> Vec<Value> {
        let ran = self.sandbox.run(&["log", "--format", "json", "--limit", "all"]);
        assert_eq!(ran.code, 0, "{}", ran.show());
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns what differs from run to run, and what stands for it; longer ones first, so that none is cut by another.
    fn names(&self, records: &[Value]) -> Vec<(String, String)> {
        let mut names = vec![(root(&self.sandbox).to_str().unwrap().to_owned(), "HERE".to_owned())];
        let mut put = |of: &str, to: String| {
            if !of.is_empty() && !names.iter().any(|(known, _)| known == of) {
                names.push((of.to_owned(), to));
            }
        };
        let mut frames = Vec::new();
        for event in records.iter().map(|record| &record["event"]) {
            let run_id = event["run_id"].as_str().unwrap_or_default();
            if run_id.len() > "loop-1-1".len() {
                put(run_id, "RUN".to_owned());
            }
            for frame in event["stack"].as_array().into_iter().flatten() {
                let id = frame["id"].as_str().unwrap_or_default().to_owned();
                if !frames.contains(&id) {
                    frames.push(id);
                }
            }
        }
        for (n, id) in frames.iter().enumerate() {
            put(id, format!("FRAME-{}", n + 1));
        }
        put(SESSION, "SESSION".to_owned());
        let mut head = Command::new("git");
        let head = head.current_dir(self.sandbox.path()).args(["rev-parse", "HEAD"]).output();
        let head = String::from_utf8(head.unwrap().stdout).unwrap();
        for length in [40, 12, 7] {
            put(head.trim().get(..length).unwrap_or_default(), "COMMIT".to_owned());
        }
        names.sort_by_key(|(of, _)| std::cmp::Reverse(of.len()));
        names
    }
}

/// Puts times in the place of ages such as `{-3h}`.
fn in_time(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("{-") {
        let age = rest[start + 2..].split('}').next().unwrap();
        let (number, unit) = age.split_at(age.len() - 1);
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            other => panic!("`{other}` is no unit of an age"),
        };
        let age_s = number.parse::<i64>().unwrap() * seconds;
        let at = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(age_s);
        write!(out, "{}{at}", &rest[..start]).unwrap();
        rest = &rest[start + 2 + age.len() + 1..];
    }
    out + rest
}

/// Returns what is posted in a topic, in few words.
fn posted(record: &Value) -> String {
    let (topic, event) = (record["topic"].as_str().unwrap(), &record["event"]);
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let word = ["event", "type"].iter().find_map(|name| event[name].as_str()).unwrap_or("?");
    let mut words = vec![topic.to_owned(), word.to_owned()];
    match (topic, word) {
        ("loop:trace", _) => {
            let details = &event["details"];
            let detail = |name: &str| details[name].as_str().unwrap_or_default().to_owned();
            words.extend([detail("decision"), detail("why")]);
        }
        (_, "STATE") => {
            let frame = |frame: &Value| {
                format!("{} {}/{}", frame["mode"].as_str().unwrap(), frame["iter"], frame["max"])
            };
            let stack: Vec<String> = event["stack"].as_array().unwrap().iter().map(frame).collect();
            words.extend([stack.join(" > "), text("paused")]);
        }
        (_, "DONE" | "ABORT") => words.extend([text("reason"), text("detail")]),
        (_, "ANCHOR") => words.extend([text("mode"), text("iteration"), text("goal")]),
        (_, "REQUEST") => words.push(text("command")),
        (_, "RESULT") => words.push(event["code"].as_str().unwrap_or("ok").to_owned()),
        (_, "message") => words.extend(issue_of(event)),
        (_, _) => {}
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// Returns the status of an issue whose snapshot a message is.
fn issue_of(message: &Value) -> Option<String> {
    let body: Value = serde_json::from_str(message["body"].as_str()?).ok()?;
    body["status"].as_str().map(str::to_owned)
}

/// Returns the reason that a record of the trace has.
fn why_of(record: &Value) -> Option<String> {
    let details = &record["event"]["details"];
    match details["why"].as_str()? {
        "paused" => Some(format!("paused: {}", details["reason"].as_str()?)),
        other => Some(other.to_owned()),
    }
}
