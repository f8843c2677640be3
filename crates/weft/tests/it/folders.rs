//! Folders that a server follows: what is there, what comes, what is missing, and that a restart goes on.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::served::{PATIENCE, Served};
use crate::sessions;

fn event(n: u64) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{n},"data":{{"bead_id":"b"}}}}"#
    )
}

fn append(path: &Path, line: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::options().append(true).create(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

/// Waits until what the server says of its folders is as wanted.
fn wait(served: &Served, wanted: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    let mut client = served.client();
    loop {
        let status: Value = serde_json::from_str(&client.status().unwrap()).unwrap();
        if wanted(&status["tail"]) {
            return status["tail"].clone();
        }
        assert!(began.elapsed() < PATIENCE, "{status}");
        std::thread::yield_now();
    }
}

fn stored(n: u64) -> impl Fn(&Value) -> bool {
    move |tail| tail["stored"] == n && tail["caught_up"] == true
}

fn with_folder(settings: &str) -> Sandbox {
    Sandbox::with_store(&[(".weft/config.toml", settings.as_bytes())])
}

const LOGS: &str = "[[folder]]\npath = '../logs'\n";

#[test]
fn a_folder_is_read_followed_and_gone_on_with_after_a_restart() {
    let sandbox = with_folder(LOGS);
    let file = sandbox.path().join("logs/deep/a.jsonl");
    append(&file, &event(1));
    append(&file, "nothing");
    append(&file, &event(2));
    let served = Served::start(&sandbox);
    let tail = wait(&served, stored(2));
    assert_eq!((&tail["refused"], &tail["folders"][0]["files"]), (&1.into(), &1.into()));
    append(&file, &event(3));
    wait(&served, stored(3));
    append(&sandbox.path().join("logs/b.jsonl"), &event(4));
    wait(&served, stored(4));
    assert_eq!(served.end().0, Some(0));
    append(&file, &event(5));
    let served = Served::start(&sandbox);
    assert_eq!(wait(&served, stored(1))["repeats"], 0);
    assert_eq!(served.end().0, Some(0));
    assert_eq!(sandbox.log(), (1..=5).map(event).collect::<Vec<_>>());
    let via = sandbox.run(&["log", "via=folder", "--format", "jsonl"]).stdout;
    assert_eq!(via.lines().count(), 5);
}

#[test]
fn a_server_that_was_killed_leaves_nothing_out_and_counts_nothing_twice() {
    const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;
    let sandbox = with_folder(LOGS);
    let file = sandbox.path().join("logs/a.jsonl");
    // Nothing but their places tells these two apart.
    [DONE, DONE, &event(1)].iter().for_each(|line| append(&file, line));
    let served = Served::start(&sandbox);
    wait(&served, stored(3));
    served.signal("-KILL");
    assert_eq!(served.wait().0, None);
    append(&file, &event(2));
    let served = Served::start(&sandbox);
    wait(&served, stored(1));
    assert_eq!(served.end().0, Some(0));
    assert_eq!(sandbox.log(), [DONE, DONE, &event(1), &event(2)]);
}

#[test]
fn secrets_of_files_are_redacted_with_those_of_refused_lines() {
    let sandbox = with_folder(LOGS);
    let file = sandbox.path().join("logs/a.jsonl");
    append(&file, &event(1).replace("\"b\"", "\"PGPASSWORD=correct4horse psql\""));
    append(&file, "PGPASSWORD=correct4horse is no event");
    let served = Served::start(&sandbox);
    assert_eq!(wait(&served, stored(1))["refused"], 1);
    let status = sandbox.run(&["status"]).stdout;
    assert!(status.contains("password 2"), "{status}");
    assert_eq!(served.end().0, Some(0));
    assert_eq!(
        sandbox.log(),
        [event(1).replace("\"b\"", "\"PGPASSWORD=[redacted:password] psql\"")]
    );
    let store = sandbox.store();
    let refused = sessions::files_with(&store.join("rejected"), b"[redacted:password]");
    assert_eq!(refused.len(), 1);
    assert_eq!(sessions::files_with(&store, b"correct4horse"), Vec::<PathBuf>::new());
}

#[test]
fn a_folder_that_is_not_there_is_told_until_it_comes() {
    let sandbox = with_folder(LOGS);
    let served = Served::start(&sandbox);
    let tail = wait(&served, |tail| tail["folders"][0]["exists"] == false);
    assert!(tail["folders"][0]["path"].as_str().unwrap().ends_with("logs"));
    let told = sandbox.run(&["status"]).stdout;
    assert!(told.contains("logs does not exist"), "{told}");
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.stdout.contains("logs does not exist"), "{}", doctor.show());
    append(&sandbox.path().join("logs/a.jsonl"), &event(1));
    wait(&served, stored(1));
    let told = sandbox.run(&["status"]).stdout;
    assert!(told.contains("logs: 1 file") && told.contains("all read; 1 event stored"), "{told}");
    let (code, said) = served.end();
    assert!(code == Some(0) && said.contains("logs does not exist"), "{said}");
}

#[test]
fn the_newest_file_comes_first_and_old_ones_behind() {
    let sandbox = with_folder(LOGS);
    for n in 0..50_u64 {
        let path = sandbox.path().join(format!("logs/{n:02}.jsonl"));
        append(&path, &event(n));
        // The middle one is the newest.
        let age = Duration::from_secs(1000 + n.abs_diff(20));
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    let served = Served::start(&sandbox);
    wait(&served, stored(50));
    assert_eq!(served.end().0, Some(0));
    let log = sandbox.log();
    assert_eq!((log.len(), &log[0]), (50, &event(20)));
}

#[test]
fn sessions_of_agents_are_followed_and_counted_once_whoever_reads_them() {
    let sandbox = sessions::scene();
    fs::write(sandbox.store().join("config.toml"), "[sessions]\nclaude = true\ncodex = true\n")
        .unwrap();
    let command = || {
        let mut command = sandbox.command(&["up", "--listen", "127.0.0.1:0"]);
        command.env("CLAUDE_CONFIG_DIR", sandbox.path().join("claude"));
        command.env("CODEX_HOME", sandbox.path().join("codex"));
        command
    };
    let served = Served::start_with(command());
    let tail = wait(&served, |tail| tail["caught_up"] == true && tail["stored"] == 91);
    assert_eq!((&tail["repeats"], &tail["refused"]), (&30.into(), &0.into()));
    let session = sandbox.path().join("claude/projects/-home-ana-port/8e31.jsonl");
    let row = |n: u32| {
        format!(
            r#"{{"type":"user","uuid":"q{n}","timestamp":"2026-11-15T10:00:00Z","sessionId":"8e31","message":{{"content":"Say {n}"}}}}"#
        )
    };
    append(&session, &row(1));
    wait(&served, stored(93));
    // Another reader of the same files adds nothing.
    let mut ingest = sandbox.command(&["ingest", "--claude", "--from-start"]);
    let ran = ingest.env("CLAUDE_CONFIG_DIR", sandbox.path().join("claude")).output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains(" 0 stored, "), "{said}");
    assert_eq!(served.end().0, Some(0));
    append(&session, &row(2));
    let served = Served::start_with(command());
    assert_eq!(wait(&served, stored(1))["repeats"], 0);
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn settings_of_folders_that_are_wrong_are_told_with_their_place() {
    let check = |settings: &str| with_folder(settings).run(&["config", "check"]).stderr;
    let told: String = [
        "[[folder]]\npth = 'x'\n",
        "[[folder]]\n",
        "[[folder]]\npath = 7\n",
        "[[folder]]\npath = 'x'\nsessions = 'vim'\n",
        "[sessions]\nclaude = 'maybe'\n",
        "[folder]\npath = 'x'\n",
    ]
    .into_iter()
    .map(check)
    .map(|said| said.rsplit_once("config.toml").unwrap().1.to_owned())
    .collect();
    insta::assert_snapshot!(told, @"
    :1:3: `pth` is not a setting of a folder, which are path and sessions
    :1:3: a table is not a folder: [[folder]] with its path
    :1:3: 7 is not the path of a folder
    :1:3: `vim` is not one of claude-code, codex and gemini-cli
    :2:1: `maybe` is not true or false
    :1:2: a table is not a folder: [[folder]] with its path
    ");
}
