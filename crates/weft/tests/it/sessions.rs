//! Sessions of coding agents from their own files: found by the agents' rules, read once, one with what hooks told.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::{Ran, Sandbox};

const SESSION: &str = "5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516";
const PROJECT: &str = "claude/projects/-home-ana-harbor";

fn fixtures() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join("weft-event/tests/fixtures/transcripts")
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else if entry.path().extension().is_some_and(|extension| extension == "jsonl") {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A store, and a home folder with the sessions of all agents.
pub(crate) fn scene() -> Sandbox {
    let sandbox = Sandbox::with_store(&[]);
    copy(&fixtures(), sandbox.path());
    sandbox
}

/// Runs where the agents' files are.
fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let mut command = sandbox.command(args);
    command.env("CLAUDE_CONFIG_DIR", sandbox.path().join("claude"));
    command.env("CODEX_HOME", sandbox.path().join("codex"));
    command.env("HOME", sandbox.path().join("home"));
    Ran::from(command.output().unwrap())
}

#[test]
fn the_sessions_of_an_agent_are_found_and_read_once() {
    let sandbox = scene();
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--claude"]).show(), @"
    --- stderr
    59 events: 49 stored, 10 repeats, 0 conflicts, 0 refused
      collector 59: 49 stored, 10 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--claude"]).show(), @"
    --- stderr
    0 events: 0 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--claude", "--from-start"]).show(), @"
    --- stderr
    59 events: 0 stored, 59 repeats, 0 conflicts, 0 refused
      collector 59: 0 stored, 59 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--codex"]).show(), @"
    --- stderr
    62 events: 42 stored, 20 repeats, 0 conflicts, 0 refused
      collector 62: 42 stored, 20 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    let gemini = sandbox.path().join("gemini");
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--gemini", gemini.to_str().unwrap()]).show(), @"
    --- stderr
    10 events: 10 stored, 0 repeats, 0 conflicts, 0 refused
      collector 10: 10 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    let strict = sandbox.pipe(&["validate", "--strict"], sandbox.log().join("\n").as_bytes());
    assert_eq!(strict.code, 0, "{}", strict.show());
}

#[test]
fn what_was_read_stays_when_the_agent_deletes_its_files() {
    let sandbox = scene();
    run(&sandbox, &["ingest", "--claude"]);
    let before = sandbox.log();
    fs::remove_dir_all(sandbox.path().join(PROJECT)).unwrap();
    let ran = run(&sandbox, &["ingest", "--claude"]);
    assert_eq!((ran.code, sandbox.log()), (0, before.clone()), "{}", ran.show());
    let shown = sandbox.run(&["session", "5b0e7c1a", "--limit", "3"]);
    assert_eq!(shown.stdout.lines().count(), 4, "{}", shown.show());
    // They come back from a backup, as other files.
    copy(&fixtures(), sandbox.path());
    let ran = run(&sandbox, &["ingest", "--claude"]);
    assert_eq!((ran.code, sandbox.log()), (0, before), "{}", ran.show());
}

#[test]
fn secrets_of_a_session_are_redacted_wherever_they_would_be_kept() {
    const SECRET: &str = "correct4horse";
    let row = |n: u32, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"u{n}","timestamp":"2026-11-15T10:00:00Z","sessionId":"8e31","message":{{"content":"{text}"}}}}"#
        )
    };
    let call = format!(
        r#"{{"type":"assistant","uuid":"a","timestamp":"2026-11-15T10:00:01Z","sessionId":"8e31","message":{{"id":"m","content":[{{"type":"tool_use","id":"toolu_1","name":"Bash","input":{{"command":"PGPASSWORD={SECRET} psql"}}}}]}}}}"#
    );
    let result = format!(
        r#"{{"type":"user","uuid":"r","timestamp":"2026-11-15T10:00:02Z","sessionId":"8e31","message":{{"content":[{{"type":"tool_result","tool_use_id":"toolu_1","content":"PGPASSWORD={SECRET}"}}]}}}}"#
    );
    let title = format!(r#"{{"type":"ai-title","aiTitle":"PGPASSWORD={SECRET}"}}"#);
    let rows = [
        row(1, &format!("PGPASSWORD={SECRET} psql")),
        row(2, &format!("two lines\\nPGPASSWORD={SECRET} psql")),
        // The beginning that stands in the message ends inside the secret.
        row(3, &format!("{} PGPASSWORD={SECRET}", ["word"; 37].join(" "))),
        call,
        result,
        title,
        format!("PGPASSWORD={SECRET} is no row"),
    ];
    let rows = format!("{}\n", rows.join("\n"));
    let sandbox = Sandbox::with_store(&[("claude/projects/p/8e31.jsonl", rows.as_bytes())]);
    let ran = run(&sandbox, &["ingest", "--claude"]);
    assert!(ran.stderr.contains("7 stored, 0 repeats, 0 conflicts, 1 refused"), "{}", ran.show());
    let log = sandbox.log().join("\n");
    assert_eq!(log.matches("[redacted:password]").count(), 6, "{log}");
    assert_eq!(files_with(&sandbox.store().join("rejected"), b"[redacted:password]").len(), 1);
    assert_eq!(files_with(&sandbox.store(), b"correct"), Vec::<PathBuf>::new());
    // Read again, it is what was read before.
    let ran = run(&sandbox, &["ingest", "--claude", "--from-start"]);
    assert!(ran.stderr.contains(" 0 stored, 7 repeats, 0 conflicts"), "{}", ran.show());
}

/// Returns the files below a folder that have some bytes in them.
pub(crate) fn files_with(folder: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if path.is_file()
            && fs::read(&path).unwrap().windows(bytes.len()).any(|some| some == bytes)
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = run(&sandbox, &["ingest", "--claude", "--codex"]);
    let root = sandbox.path().canonicalize().unwrap();
    insta::assert_snapshot!(ran.show().replace(&format!("{}/", root.display()), ""), @"
    --- stderr
    error: claude/projects does not exist
    error: codex/sessions does not exist
    0 events: 0 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 2
    ");
}

#[test]
fn only_files_changed_since_are_read_and_odd_uses_are_refused() {
    let sandbox = scene();
    let ran = run(&sandbox, &["ingest", "--claude", "--since", "2200-01-01"]);
    assert!(
        ran.stderr.ends_with("0 events: 0 stored, 0 repeats, 0 conflicts, 0 refused\n"),
        "{}",
        ran.show()
    );
    let ran = run(&sandbox, &["ingest", "--claude", "--since", "7d"]);
    assert!(ran.stderr.contains("59 events: 49 stored"), "{}", ran.show());
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--claude", "--since", "soon"]).show(), @"
    --- stderr
    error: `soon` is no time; write 7d, 2026-11-01 or 2026-11-01T09:30
    --- exit 2
    ");
    insta::assert_snapshot!(run(&sandbox, &["ingest", "--claude", "--codex", "x"]).show(), @"
    --- stderr
    error: whose sessions are in the files? Name one agent for them
    --- exit 2
    ");
}

#[test]
fn a_compressed_rollout_adds_nothing_to_what_was_read_before_it_was_compressed() {
    let sandbox = scene();
    run(&sandbox, &["ingest", "--codex"]);
    let before = sandbox.log();
    let folder = sandbox.path().join("codex/sessions/2026/11/14");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = zstd::encode_all(&*fs::read(&path).unwrap(), 3).unwrap();
        fs::write(format!("{}.zst", path.display()), bytes).unwrap();
        fs::remove_file(path).unwrap();
    }
    let ran = run(&sandbox, &["ingest", "--codex"]);
    assert!(ran.stderr.contains(" 0 stored, ") && ran.code == 0, "{}", ran.show());
    assert_eq!(sandbox.log(), before);
}

#[test]
fn a_row_that_is_no_json_is_refused_with_its_place_and_kept() {
    let sandbox = Sandbox::with_store(&[(
        "claude/projects/p/s.jsonl",
        b"{\"type\":\"mode\"}\n{\"type\":\n[]\n",
    )]);
    let ran = run(&sandbox, &["ingest", "--claude"]);
    let root = sandbox.path().canonicalize().unwrap();
    insta::assert_snapshot!(ran.show().replace(&format!("{}/", root.display()), ""), @"
    claude/projects/p/s.jsonl:2: not JSON: the line ends inside a value at column 9 [json]
    claude/projects/p/s.jsonl:3: an event is an object, not array [not_an_object]
    --- stderr
    2 events: 0 stored, 0 repeats, 0 conflicts, 2 refused
    --- exit 1
    ");
    let kept = sandbox.run(&["rejects", "--json"]).stdout;
    assert!(kept.contains("s.jsonl:2\"") && kept.contains("s.jsonl:3\""), "{kept}");
}

/// What a hook told of a tool call of the session, while it ran.
fn hook(name: &str, event_type: &str, status: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2026-11-14T09:30:02.61Z","agent_id":"session-5b0e7c1a","session_id":"{SESSION}","source":"hook","status":"{status}","tool":{{"tool_name":"Bash"}},"hook":{{"hook_type":"{name}","raw_payload":{{"session_id":"{SESSION}","tool_use_id":"toolu_01A"}}}},"correlation":{{"trace_id":"5b0e7c1a92d44f6b8a37c1d2e3f40516","span_id":"toolu_01A","parent_span_id":"c0a7d3b1-6e52-4d18-9f0b-7a1b2c3d4e5f","root_agent_id":"session-5b0e7c1a"}}}}"#
    )
}

#[test]
fn a_tool_call_that_hooks_told_of_too_is_one_thing() {
    let sandbox = scene();
    for (name, event_type, status) in [
        ("PreToolUse", "hook.pre_tool_use", "tool_use"),
        ("PostToolUse", "hook.post_tool_use", "progress"),
    ] {
        let ran = sandbox.pipe(&["emit", "-"], hook(name, event_type, status).as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.show());
    }
    assert_eq!(run(&sandbox, &["ingest", "--claude"]).code, 0);
    let spans = sandbox.run(&["trace", "5b0e7c1a", "--json"]).stdout;
    let of_call: Vec<&str> = spans.lines().filter(|span| span.contains("toolu_01A")).collect();
    assert_eq!(of_call.len(), 1, "{spans}");
    assert!(of_call[0].contains(r#""positions":[1,2,"#), "{}", of_call[0]);
    insta::assert_snapshot!(sandbox.run(&["trace", "5b0e7c1a", "--ascii", "--utc"]).stdout, @"
    trace 5b0e7c1a92d44f6b8a37c1d2e3f40516: 46 records, 10 spans
    TIME                 DURATION  WHEN                      ACTOR             STATUS     SPAN
    2026-11-14 09:30:00  -         =                         session-5b0e7c1a  started    lifecycle.started: Session started
    2026-11-14 09:30:00  19.5s     ===============           session-5b0e7c1a  completed  activity.prompt: What is the tide at noon? …
    2026-11-14 09:30:02  -          =                        session-5b0e7c1a  thinking   |- activity.thinking: The table has a row for every hour. …
    2026-11-14 09:30:02  -          =                        session-5b0e7c1a  -          |- activity.usage: 21305 tokens
    2026-11-14 09:30:02  -          =                        session-5b0e7c1a  thinking   |- activity.message: I look into the table.
    2026-11-14 09:30:02  -          =                        session-5b0e7c1a  -          |- activity.usage: 87 tokens
    2026-11-14 09:30:02  400ms      =                        session-5b0e7c1a  progress   |- hook.pre_tool_use: Bash
    2026-11-14 09:30:02  700ms      ==                       session-5b0e7c1a  progress   |- activity.tool_use: Using Read
    2026-11-14 09:30:03  -           =                       session-5b0e7c1a  error      |- system.error: Request failed: 529 overloaded
    2026-11-14 09:30:05  4.0s         ====                   session-5b0e7c1a  progress   |- activity.tool_use: Using Agent
    2026-11-14 09:30:05  -            =                      session-5b0e7c1a  -          |- activity.usage: 21466 tokens
    2026-11-14 09:30:05  3.5s         ===                    a51f0c            completed  |- lifecycle.started: Subagent started
    2026-11-14 09:30:06  1.5s         ===                    a51f0c            progress   |  |- activity.tool_use: Using WebSearch
    2026-11-14 09:30:06  -            =                      a51f0c            -          |  |- activity.usage: 855 tokens
    2026-11-14 09:30:08  -              =                    a51f0c            thinking   |  |- activity.message: Full moon
    2026-11-14 09:30:08  -              =                    a51f0c            -          |  `- activity.usage: 848 tokens
    2026-11-14 09:30:11  -                =                  session-5b0e7c1a  thinking   |- activity.message: At noon the tide is 3.1 m. …
    2026-11-14 09:30:11  -                =                  session-5b0e7c1a  -          |- activity.usage: 21535 tokens
    2026-11-14 09:30:11  -                =                  session-5b0e7c1a  -          |- system.title: Tide tables
    2026-11-14 09:30:11  -                =                  session-5b0e7c1a  -          |- system.title: Noon tide
    2026-11-14 09:30:11  -                =                  session-5b0e7c1a  -          |- activity.usage: 0.2500 USD
    2026-11-14 09:30:20  -                       =           session-5b0e7c1a  progress   `- activity.progress: Compacted (auto)
    2026-11-14 09:30:22  11.7s                    =========  session-5b0e7c1a  error      activity.prompt: Draw it …
    2026-11-14 09:30:30  -                              =    session-5b0e7c1a  progress   |- activity.progress: Pull request https://forge.example/ana/harbor/pull/12
    2026-11-14 09:30:30  -                              =    session-5b0e7c1a  -          |- activity.usage: 0.5000 USD
    2026-11-14 09:30:31  900ms                           =   session-5b0e7c1a  progress   |- activity.tool_use: Using web_search
    2026-11-14 09:30:31  -                               =   session-5b0e7c1a  -          |- activity.usage: 11 tokens
    2026-11-14 09:30:32  300ms                           =   session-5b0e7c1a  progress   |- activity.tool_use: Using moon
    2026-11-14 09:30:32  200ms                            =  session-5b0e7c1a  progress   |- activity.tool_use: Using web_fetch
    2026-11-14 09:30:33  -                                =  session-5b0e7c1a  -          |- system.title: Spring tide
    2026-11-14 09:30:33  -                                =  session-5b0e7c1a  -          `- system.title: Noon tide
    ");
}
