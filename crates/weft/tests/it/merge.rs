//! `weft merge` as a user runs it: real files, the real binary.

use std::io::Write as _;
use std::process::Stdio;

use crate::sandbox::{Ran, Sandbox};

fn needle(worker: &str, sequence: u64, time: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-04-21T{time}Z","event_type":"worker.idle","worker_id":"{worker}","session_id":"s1","sequence":{sequence},"data":{{}}}}"#
    )
}

fn collector(id: u32, time: &str, message: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-04-21T{time}Z","agent_id":"a","event_id":"0190a7c2-0000-7000-8000-{id:012}","message":"{message}"}}"#
    )
}

/// Returns a sandbox with files of these lines.
fn sandbox(files: &[(&str, &[String])]) -> Sandbox {
    let texts: Vec<_> =
        files.iter().map(|(name, lines)| (*name, lines.join("\n") + "\n")).collect();
    let files: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    Sandbox::with(&files)
}

fn merge(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.run(&[&["merge"], arguments].concat())
}

/// Returns what stands in each output line behind the first `"key":`, and the rest as it is.
fn show(ran: &Ran, keys: &[&str]) -> String {
    let value = |line: &str, key: &str| {
        let rest = line.split_once(&format!("\"{key}\":")).map_or("", |(_, rest)| rest);
        rest.split([',', '}']).next().unwrap_or("").trim_matches('"').to_owned()
    };
    let short =
        |line: &str| keys.iter().map(|key| value(line, key)).collect::<Vec<_>>().join(" ") + "\n";
    let stdout = ran.stdout.lines().map(short).collect();
    Ran { code: ran.code, stdout, stderr: ran.stderr.clone() }.show()
}

#[test]
fn two_logs_become_one_and_what_is_odd_is_told() {
    let sandbox = sandbox(&[
        (
            "a.jsonl",
            &[
                needle("w1", 0, "10:00:00"),
                needle("w1", 2, "10:00:20"),
                needle("w1", 1, "10:00:40"),
                "{\"cut".to_owned(),
            ],
        ),
        (
            "b.jsonl",
            &[
                needle("w2", 1, "10:00:10"),
                needle("w2", 5, "10:00:30"),
                needle("w1", 0, "10:00:00"),
                needle("w1", 2, "10:00:21"),
            ],
        ),
    ]);
    let keys = ["timestamp", "worker_id", "sequence"];
    let merged = merge(&sandbox, &["a.jsonl", "b.jsonl"]);
    insta::assert_snapshot!(show(&merged, &keys), @"
    2026-04-21T10:00:00Z w1 0
    2026-04-21T10:00:10Z w2 1
    2026-04-21T10:00:30Z w2 5
    2026-04-21T10:00:40Z w1 1
    2026-04-21T10:00:20Z w1 2
    2026-04-21T10:00:21Z w1 2
    --- stderr
    a.jsonl:3: backward: needle w1/s1: 1 comes after 2
    a.jsonl:4: unreadable: not JSON: the line ends inside a value at column 6 [json]
    b.jsonl:2: gap: needle w2/s1: expected 2, found 5: 3 missing
    b.jsonl:3: repeat: needle w1/s1: the same as a.jsonl:1, written once
    b.jsonl:4: conflict: needle w1/s1: the identity or number of a.jsonl:2, other content; both written
    6 events of 2 producers from 2 inputs, 1 gap (3 missing), 1 repeat left out, 1 conflict, 1 backward step, 1 unreadable line
    --- exit 1
    ");
    assert_eq!(
        show(&merge(&sandbox, &["b.jsonl", "a.jsonl", "a.jsonl"]), &keys),
        show(&merged, &keys)
    );
}

#[test]
fn the_report_can_be_read_by_a_program() {
    let session = [collector(1, "10:00:00", "x"), collector(2, "10:00:01", "y")];
    let sandbox = sandbox(&[
        (
            "a.jsonl",
            &[&session[..], &[needle("w1", 4, "10:00:00"), needle("w1", 3, "10:00:00")]].concat(),
        ),
        ("b.jsonl", &[&session[..], &[collector(2, "10:00:02", "z"), "no".to_owned()]].concat()),
    ]);
    let output = merge(&sandbox, &["a.jsonl", "b.jsonl", "--json"]);
    for line in output.stderr.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    insta::assert_snapshot!(show(&output, &["timestamp"]), @r#"
    2026-04-21T10:00:00Z
    2026-04-21T10:00:00Z
    2026-04-21T10:00:00Z
    2026-04-21T10:00:01Z
    2026-04-21T10:00:02Z
    --- stderr
    {"file":"a.jsonl","line":4,"kind":"gap","producer":{"dialect":"needle","actor":"w1","session":"s1"},"expected":1,"found":3,"missing":2}
    {"file":"a.jsonl","line":4,"kind":"backward","producer":{"dialect":"needle","actor":"w1","session":"s1"},"after":4,"found":3}
    {"file":"b.jsonl","line":1,"kind":"repeat","producer":{"dialect":"collector","actor":"a"},"first":{"file":"a.jsonl","line":1},"lines":2}
    {"file":"b.jsonl","line":3,"kind":"conflict","producer":{"dialect":"collector","actor":"a"},"first":{"file":"a.jsonl","line":2}}
    {"file":"b.jsonl","line":4,"kind":"unreadable","code":"json","message":"not JSON: unexpected character at column 1, near `no`"}
    {"summary":{"inputs":2,"events":7,"written":5,"producers":2,"invalid":0,"unreadable":1,"repeats":2,"conflicts":1,"gaps":1,"missing":2,"backward":1}}
    --- exit 1
    "#);
}

#[test]
fn logs_in_order_exit_with_0_even_if_one_is_a_copy() {
    let log = [collector(1, "10:00:00", "x"), collector(2, "10:00:01", "y")];
    let sandbox = sandbox(&[("a.jsonl", &log), ("copy.jsonl", &log)]);
    insta::assert_snapshot!(show(&merge(&sandbox, &["copy.jsonl", "a.jsonl"]), &["message"]), @"
    x
    y
    --- stderr
    copy.jsonl:1-2: repeat: collector a: the same as a.jsonl:1-2, written once
    2 events of 1 producer from 2 inputs, 2 repeats left out
    --- exit 0
    ");
}

#[test]
fn an_input_that_cannot_be_read_does_not_stop_the_rest() {
    let sandbox = sandbox(&[("a.jsonl", &[collector(1, "10:00:00", "x")])]);
    let output = merge(&sandbox, &["nowhere.jsonl", "a.jsonl"]);
    insta::assert_snapshot!(show(&output, &["message"]), @"
    x
    --- stderr
    error: cannot open nowhere.jsonl: No such file or directory (os error 2)
    1 event of 1 producer from 1 input
    --- exit 2
    ");
}

#[test]
fn standard_input_is_merged_like_a_file() {
    let sandbox = sandbox(&[("a.jsonl", &[needle("w1", 1, "10:00:01")])]);
    let piped = needle("w1", 0, "10:00:00") + "\r\n" + "{\"what\":1}";
    insta::assert_snapshot!(show(&sandbox.pipe(&["merge", "-", "a.jsonl"], piped.as_bytes()), &["sequence"]), @"
    0
    1
    --- stderr
    -:2: unreadable: no dialect has such a shape (it has `what`); name one with --dialect, or see --explain [unknown_dialect]
    2 events of 1 producer from 2 inputs, 1 unreadable line
    --- exit 1
    ");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let sandbox = sandbox(&[]);
    let mut child = sandbox
        .command(&["merge"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    for id in 0..1000 {
        writeln!(stdin, "{}", collector(id, "10:00:00", "x")).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn more_than_memory_gives_the_same_output() {
    let padding = "x".repeat(200);
    let log = |worker: &str, reversed: bool| {
        let time = |n: u64| format!("{:02}:{:02}:{:02}", 10 + n / 3600, n / 60 % 60, n % 60);
        let mut lines: Vec<_> = (0..6000)
            .map(|n| {
                needle(worker, n, &time(n)).replace("{}", &format!("{{\"pad\":\"{padding}\"}}"))
            })
            .collect();
        if reversed {
            lines.reverse();
        }
        lines
    };
    let sandbox = sandbox(&[("a.jsonl", &log("w1", true)), ("b.jsonl", &log("w2", false))]);
    let small = merge(&sandbox, &["a.jsonl", "b.jsonl", "--memory-mib", "1"]);
    let large = merge(&sandbox, &["a.jsonl", "b.jsonl"]);
    let numbers: Vec<_> =
        show(&large, &["sequence", "worker_id"]).lines().map(str::to_owned).take(12_000).collect();
    let expected: Vec<_> = (0..6000).flat_map(|n| [format!("{n} w1"), format!("{n} w2")]).collect();
    assert_eq!(numbers, expected);
    assert_eq!(small.stdout, large.stdout);
    assert_eq!(small.stderr, large.stderr);
    assert_eq!(small.code, 1, "a.jsonl runs backward");
}

#[test]
fn a_dialect_can_be_named() {
    let sandbox = sandbox(&[("a.jsonl", &[r#"{"version":"1.0.0","event_type":"x"}"#.to_owned()])]);
    insta::assert_snapshot!(show(&merge(&sandbox, &["a.jsonl", "--dialect", "collector"]), &["event_type"]), @"
    x
    --- stderr
    1 event of 1 producer from 1 input, 1 invalid event kept
    --- exit 0
    ");
    assert_eq!(merge(&sandbox, &["a.jsonl", "--dialect", "latin"]).code, 2);
}

#[test]
fn a_folder_is_merged_with_what_is_in_it_and_each_file_once() {
    let sandbox = sandbox(&[
        ("logs/b.jsonl", &[needle("w1", 0, "10:00:00")]),
        ("logs/old/a.jsonl", &[needle("w1", 1, "10:00:01")]),
        ("logs/notes.txt", &["no log".to_owned()]),
    ]);
    insta::assert_snapshot!(show(&merge(&sandbox, &["logs/b.jsonl", "logs"]), &["sequence"]), @"
    0
    1
    --- stderr
    2 events of 1 producer from 2 inputs
    --- exit 0
    ");
}
