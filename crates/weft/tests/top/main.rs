//! `weft top` as its user meets it: the real program in a real terminal, which tmux plays.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

mod bell;
mod tmux;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tmux::{Tmux, is_there};

/// Returns the program, to be run on the store of a folder.
fn weft(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
    command.args(args).current_dir(folder).env_remove("WEFT_STORE").env("TZ", "UTC");
    command
}

/// Returns a folder with a store in which a team of the demonstration worked.
fn store(n_events: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let n = n_events.to_string();
    let demo = weft(folder.path(), &["demo", "--events", &n, "--seed", "7"]).output().unwrap();
    assert!(demo.status.success());
    assert!(weft(folder.path(), &["init"]).output().unwrap().status.success());
    ingest(folder.path(), &demo.stdout);
    folder
}

fn ingest(folder: &Path, lines: &[u8]) {
    let mut child = weft(folder, &["ingest"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Returns events of an agent that nobody else mentions.
fn events(actor: &str, n: usize) -> String {
    let mut lines = String::new();
    for n in 0..n {
        writeln!(
            lines,
            r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-11-15T08:00:{:02}Z","agent_id":"{actor}","session_id":"s-new","message":"step {n}"}}"#,
            n % 60
        )
        .unwrap();
    }
    lines
}

fn top(folder: &Path, name: &str, args: &str) -> Tmux {
    let program = env!("CARGO_BIN_EXE_weft");
    let command = format!("env -u WEFT_STORE -u NO_COLOR TZ=UTC {program} top --utc {args}");
    Tmux::start(name, folder, &command)
}

#[test]
fn the_screen_follows_the_store_and_leaves_the_terminal_as_it_was() {
    if !is_there() {
        println!("tmux is not there: the screen is not tested in a terminal");
        return;
    }
    let folder = store(400);
    let tmux = top(folder.path(), "follow", "");
    tmux.wait_for("● live");
    tmux.wait_for("400 of 400");
    tmux.keys(&["l"]);
    tmux.wait_for("Position");
    ingest(folder.path(), events("@newcomer", 3).as_bytes());
    tmux.wait_for("403 of 403");
    tmux.wait_for("step 2");
    tmux.keys(&["/"]);
    tmux.text("actor=@newc");
    tmux.keys(&["Tab"]);
    tmux.wait_for("filter: actor=@newcomer");
    tmux.text(" stat=1");
    tmux.keys(&["Enter"]);
    tmux.wait_for("there is no field `stat`");
    tmux.keys(&["BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "Enter"]);
    tmux.wait_for_line(|line| line.contains("● live") && line.contains("filter: actor=@newcomer"));
    tmux.wait_for("step 0");
    tmux.keys(&["s"]);
    tmux.wait_for("session s-new");
    tmux.keys(&["?"]);
    tmux.wait_for("In every panel");
    tmux.keys(&["Escape"]);
    tmux.wait_until_gone("In every panel");
    tmux.keys(&["@"]);
    tmux.text("200");
    tmux.keys(&["Enter"]);
    tmux.wait_for("‖ paused at");
    tmux.wait_for("200 of 403");
    tmux.resize(60, 20);
    tmux.wait_for("200 of 403");
    tmux.keys(&["n"]);
    tmux.wait_for("403 of 403");
    tmux.keys(&["q"]);
    tmux.wait_until_left();
    tmux.assert_as_found();
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    if !is_there() {
        println!("tmux is not there: signals are not tested in a terminal");
        return;
    }
    for signal in ["TERM", "INT"] {
        let folder = store(20);
        let tmux = top(folder.path(), &format!("signal-{signal}"), "");
        tmux.wait_for("20 of 20");
        tmux.signal("weft", signal);
        tmux.wait_until_left();
        tmux.assert_as_found();
    }
}

#[test]
fn it_ends_with_its_terminal() {
    if !is_there() {
        println!("tmux is not there: a terminal that goes away is not tested");
        return;
    }
    let folder = store(20);
    let tmux = top(folder.path(), "gone", "");
    tmux.wait_for("20 of 20");
    let process = tmux.process_of("weft");
    tmux.take_away(process);
}

#[test]
fn without_a_terminal_it_says_so() {
    let folder = store(1);
    let ran = weft(folder.path(), &["top"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains("this needs a terminal"), "{said}");
}
