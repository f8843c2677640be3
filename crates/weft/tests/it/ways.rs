//! Every command on the log does the same through the server and without it.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use crate::sandbox::{FINE, ODD, OWN, Sandbox};
use crate::served::{PATIENCE, Served, lines};
use crate::stored::{collector, needle};

const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

/// What goes in first, and what is asked then.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["ingest", "a.jsonl"], ""),
    (&["ingest", "a.jsonl", "--from-start", "--json"], ""),
    (&["ingest"], FINE),
    (&["emit", "--json"], ODD),
    (&["emit", "--id", "one"], DONE),
    (&["emit", "--id", "one", "--json"], DONE),
    (&["emit", "--id", "two", "--durability", "written"], DONE),
    (&["log", "--limit", "1", "--format", "jsonl"], ""),
    (&["emit", "--id", "bad"], r#"{"schema_version":1,"event_type":"x.y"}"#),
    (&["emit", "--topic", "plan", "--key", "k", "--expect-last", "none", "--id", "three"], DONE),
    (&["emit", "--topic", "plan", "--key", "k", "--expect-last", "none", "--id", "four"], DONE),
    (&["emit"], OWN),
    (&["import", "sqlite", "old.db", "--table", "updates"], ""),
    (&["import", "sqlite", "old.db", "--table", "updates"], ""),
    (&["rejects", "list"], ""),
    (&["rejects", "retry"], ""),
    (&["log"], ""),
    (&["log", "--format", "json", "--bookkeeping", "--limit", "all"], ""),
    (&["log", "dialect=needle", "--format", "jsonl"], ""),
    (&["log", "claimed", "--order", "producer"], ""),
    (&["show", "3"], ""),
    (&["show", "4", "--json"], ""),
    (&["show", "99"], ""),
    (&["session", "s1"], ""),
    (&["trace", "0af7651916cd43dd8448eb211c80319c"], ""),
    (&["gaps"], ""),
    (&["stats"], ""),
    (&["sql", "select count(*) from records"], ""),
    (&["export", "--layout", "day", "--out", "out"], ""),
    (&["index", "status"], ""),
    (&["verify"], ""),
    (&["prune", "--before", "1", "--dry-run"], ""),
    (&["prune", "--before", "1"], ""),
    (&["index", "rebuild"], ""),
    (&["emit", "--id", "five"], DONE),
    (&["log", "--format", "jsonl", "--limit", "all"], ""),
];

fn sandbox() -> Sandbox {
    let mut text = String::new();
    for n in 1..=20_u32 {
        writeln!(text, "{}", needle(n, "w", "s1", n.into())).unwrap();
    }
    let span = r#""session_id":"s2","correlation":{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"}"#;
    writeln!(text, "{}", collector(1, "activity.progress", span)).unwrap();
    text += "no event\n";
    let sandbox = Sandbox::with_store(&[("a.jsonl", text.as_bytes())]);
    let old = rusqlite::Connection::open(sandbox.path().join("old.db")).unwrap();
    let rows = "CREATE TABLE updates (agent_id, status, timestamp, message);
        INSERT INTO updates VALUES ('a', 'started', '2026-01-01T00:00:00Z', 'x'), ('a', 'flying', '2026-01-01T00:00:01Z', 'y');";
    old.execute_batch(rows).unwrap();
    sandbox
}

/// Runs every command; returns what each left.
fn run(sandbox: &Sandbox) -> Vec<String> {
    let root = sandbox.path().canonicalize().unwrap();
    let run = |(args, input): &(&[&str], &str)| {
        let ran =
            if input.is_empty() { sandbox.run(args) } else { sandbox.pipe(args, input.as_bytes()) };
        let shown = ran.show().replace(root.to_str().unwrap(), "HERE");
        format!("$ weft {}\n{}", args.join(" "), scrubbed(&shown))
    };
    let mut all: Vec<String> = COMMANDS.iter().map(run).collect();
    all.push(tail(sandbox));
    all
}

/// Returns a text without what differs from run to run: times, ids, and sizes of the index.
fn scrubbed(text: &str) -> String {
    // The text search follows at its own pace, and the index is as large as its free pages make it.
    let is_kept = |line: &&str| {
        let is = |name: &str| line.trim_start().starts_with(name);
        !["index ", "text ", "first ", "last "].into_iter().any(is)
    };
    let masked = |line: &str| {
        let words =
            line.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && !"-:.".contains(c));
        let word = |word: &str| {
            let (inside, end) = match word.char_indices().last() {
                Some((at, c)) if !c.is_ascii_alphanumeric() => word.split_at(at),
                Some(_) | None => (word, ""),
            };
            let is_time = inside.len() >= 8 && inside.matches(':').count() >= 2;
            let hex = inside.bytes().filter(u8::is_ascii_hexdigit).count();
            let is_id = hex >= 12 && inside.len() <= hex + 4;
            if is_time || is_id { format!("<>{end}") } else { word.to_owned() }
        };
        words.map(word).collect::<String>()
    };
    // How long ago something was depends on when it is asked, and with it the width of its column.
    let plain = |line: String| match line.split_once(" (").map(|(a, b)| (a, b.split_once(')'))) {
        Some((before, Some((_, behind)))) => format!("{before}{behind}"),
        Some((_, None)) | None => line,
    };
    let squeezed = |line: String| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    text.lines().filter(is_kept).map(|line| squeezed(plain(masked(line)))).collect()
}

fn tail(sandbox: &Sandbox) -> String {
    let mut command = sandbox.command(&["tail", "--last", "3", "--format", "jsonl"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = lines(child.stdout.take().unwrap());
    let mut text: Vec<String> = (0..3).map(|_| lines.recv_timeout(PATIENCE).unwrap()).collect();
    assert_eq!(sandbox.pipe(&["emit", "--id", "six"], DONE.as_bytes()).code, 0);
    text.push(lines.recv_timeout(PATIENCE).unwrap());
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    format!("$ weft tail\n{}", text.join("\n"))
}

#[test]
fn a_server_makes_no_difference() {
    let (alone, with) = (sandbox(), sandbox());
    let served = Served::start(&with);
    let (expected, got) = (run(&alone), run(&with));
    for (expected, got) in expected.iter().zip(&got) {
        assert_eq!(got, expected);
    }
    assert_eq!(served.end(), (Some(0), String::new()));
    assert_eq!(with.log(), alone.log());
    assert_eq!(with.run(&["verify"]).code, 0);
}

#[test]
fn a_server_that_dies_half_way_does_not_stop_an_ingest() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let mut command = sandbox.command(&["ingest", "--follow", "in"]);
    std::fs::create_dir(sandbox.path().join("in")).unwrap();
    let file = sandbox.path().join("in/a.jsonl");
    let line = |n| needle(0, "w", "s", n) + "\n";
    std::fs::write(&file, line(1)).unwrap();
    let mut ingest = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut tail = sandbox.command(&["tail", "--last", "all", "--format", "jsonl"]);
    let mut tail = tail.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let come = lines(tail.stdout.take().unwrap());
    assert_eq!(come.recv_timeout(PATIENCE).unwrap() + "\n", line(1));
    served.signal("-KILL");
    drop(served);
    std::fs::write(&file, line(1) + &line(2)).unwrap();
    assert_eq!(come.recv_timeout(PATIENCE).unwrap() + "\n", line(2));
    for child in [&mut ingest, &mut tail] {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    assert_eq!(sandbox.log().len(), 2);
}
