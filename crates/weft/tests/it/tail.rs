//! `weft tail`: history, then what other processes append, each record once and in order.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use weft_log::blobs::Which;

use crate::sandbox::OWN;
use crate::stored::{Stored, collector, needle};

/// How long a line may take before the test has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tail that runs.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(stored: &Stored, args: &[&str]) -> Self {
        let mut command = stored.command(&["tail"]);
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line).ok())
        });
        Self { child, lines }
    }

    fn take(&self, n: usize) -> Vec<String> {
        (0..n).map(|_| self.lines.recv_timeout(PATIENCE).unwrap()).collect()
    }

    /// Ends it as Ctrl-C does; returns what it printed beyond what was taken, its errors and its exit code.
    fn end(mut self) -> (Vec<String>, String, Option<i32>) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut stderr).unwrap();
        (self.lines.iter().collect(), stderr, code)
    }
}

fn numbered(n: usize) -> String {
    collector(0, "activity.progress", &format!(r#""message":"m{n}""#))
}

#[test]
fn what_another_process_appends_follows_the_history() {
    let history: Vec<String> = (0..5).map(numbered).collect();
    let stored = Stored::with(&history);
    let tail = Running::start(&stored, &["--last", "3", "--format", "jsonl"]);
    assert_eq!(tail.take(3), history[2..]);
    let log = stored.log();
    for n in 0..20 {
        let lines = [numbered(100 + 2 * n), numbered(101 + 2 * n)];
        stored.append(&log, Which::Largest, &lines);
        assert_eq!(tail.take(2), lines);
    }
    log.close().unwrap();
    assert_eq!(tail.end(), (Vec::new(), String::new(), Some(0)));
}

#[test]
fn nothing_is_left_out_or_repeated_while_a_writer_runs() {
    const N: usize = 400;
    let stored = Stored::with(&[numbered(0)]);
    let lines: Vec<String> = (0..=N).map(numbered).collect();
    let log = stored.log();
    let (all, later) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for line in &lines[1..] {
                stored.append(&log, Which::Largest, &[line]);
            }
        });
        let all = Running::start(&stored, &["--last", "all", "--format", "jsonl"]);
        let later = Running::start(&stored, &["--from", "100", "--format", "jsonl"]);
        writer.join().unwrap();
        (all, later)
    });
    assert_eq!(all.take(N + 1), lines);
    assert_eq!(later.take(N + 2 - 100), lines[99..]);
    assert_eq!(all.end(), (Vec::new(), String::new(), Some(0)));
    assert_eq!(later.end(), (Vec::new(), String::new(), Some(0)));
    log.close().unwrap();
}

#[test]
fn only_what_matches_is_shown() {
    let stored =
        Stored::with(&[numbered(0), OWN.replace("2026", "2020"), needle(1, "alpha", "s", 1)]);
    let tail = Running::start(&stored, &["actor=alpha", "or", "m7"]);
    let [header, first] = tail.take(2).try_into().unwrap();
    insta::assert_snapshot!(format!("{header}\n{first}"), @"
    POSITION  TIME                 ACTOR  TYPE          STATUS   WHAT
    3         2020-01-01 00:00:01  alpha  bead.claimed  started  b-1
    ");
    let log = stored.log();
    stored.append(
        &log,
        Which::Largest,
        &[numbered(6), OWN.replace("2026", "2020").replace("\"1\"", "\"2\""), numbered(7)],
    );
    insta::assert_snapshot!(tail.take(1)[0], @"6         2020-01-01 00:00:00  @a     activity.progress  progress  m7");
    log.close().unwrap();
    assert_eq!(tail.end(), (Vec::new(), String::new(), Some(0)));
}
