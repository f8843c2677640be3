//! Every command on the log does the same through the server and without it.

mod alike;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use crate::sandbox::{FINE, ODD, OWN, Sandbox};
use crate::served::{PATIENCE, Served, lines};
use crate::stored::{Stored, collector, needle};
use alike::Alike;

const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

const BAD: &str = r#"{"schema_version":1,"event_type":"x.y"}"#;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// What is run, what it reads from its standard input, and the exit code that it must have.
type Row = (&'static [&'static str], &'static str, i32);

/// `REFUSED` stands for the id of the first refusal.
const COMMANDS: &[Row] = &[
    (&["log", "--limit", "3"], "", 0),
    (&["ingest", "a.jsonl"], "", 1),
    (&["ingest", "a.jsonl", "--from-start", "--json"], "", 1),
    (&["ingest", "folder"], "", 0),
    (&["ingest"], FINE, 0),
    (&["emit", "--json"], ODD, 0),
    (&["emit", "--id", "one"], DONE, 0),
    (&["emit", "--id", "one", "--json"], DONE, 0),
    (&["emit", "--id", "two", "--durability", "written"], DONE, 0),
    (&["log", "--limit", "1", "--format", "jsonl"], "", 0),
    (&["emit", "--id", "bad"], BAD, 1),
    (&["emit", "--id", "bad", "--json"], BAD, 1),
    (&["emit", "--topic", "plan", "--key", "k", "--expect-last", "none", "--id", "three"], DONE, 0),
    (&["emit", "--topic", "plan", "--key", "k", "--expect-last", "none", "--id", "four"], DONE, 1),
    (&["emit", "--id", "own"], OWN, 1),
    (&["import", "sqlite", "old.db", "--table", "updates"], "", 1),
    (&["import", "sqlite", "old.db", "--table", "updates"], "", 1),
    (&["import", "sqlite", "old.db", "--table", "nothing"], "", 2),
    (&["post", "plans", "-m", "x"], "", 2),
    (&["import", "jwz", "m.jsonl"], "", 1),
    (&["import", "jwz", "m.jsonl"], "", 1),
    (&["import", "tissue", "i.jsonl"], "", 0),
    (&["import", "beads", "i.jsonl"], "", 0),
    (&["reply", "01ZZ", "-m", "answer"], "", 2),
    (&["read", "old"], "", 0),
    (&["read", "old", "--json", "--limit", "2"], "", 0),
    (&["read", "plans"], "", 2),
    (&["read", "issue:a-1", "--limit", "1"], "", 0),
    (&["thread", "01HQA"], "", 0),
    (&["thread", "01HQA", "--json"], "", 0),
    (&["search", "short", "--topic", "old"], "", 0),
    (&["topic", "list", "--utc"], "", 0),
    (&["export", "jwz", "jwz"], "", 0),
    (&["show", "01HQAB1"], "", 0),
    (&["rejects"], "", 0),
    (&["rejects", "list", "--json"], "", 0),
    (&["rejects", "show", "REFUSED"], "", 0),
    (&["rejects", "show", "REFUSED", "--json"], "", 0),
    (&["rejects", "retry", "REFUSED"], "", 1),
    (&["rejects", "retry", "--all"], "", 1),
    (&["log"], "", 0),
    (&["log", "--format", "json", "--bookkeeping", "--limit", "all"], "", 0),
    (&["log", "dialect=needle", "--format", "jsonl"], "", 0),
    (&["log", "type=bead.* -session=s1 or level>=warn", "--limit", "all"], "", 0),
    (&["log", "session=s1", "--order", "producer", "--reverse"], "", 0),
    (&["log", "--after", "10", "--before", "30", "--utc"], "", 0),
    (&["log", "rationale"], "", 0),
    (&["log", "status="], "", 2),
    (&["show", "3"], "", 0),
    (&["show", "4", "--json"], "", 0),
    (&["show", "321", "--blobs"], "", 0),
    (&["show", "99999"], "", 2),
    (&["session", "s1"], "", 0),
    (&["session", "s1", "--format", "json", "--order", "position", "--limit", "4"], "", 0),
    (&["session", "s1", "--talk", "--at", "300"], "", 0),
    (&["session", "s1", "--full", "--json"], "", 0),
    (&["session", "nobody"], "", 2),
    (&["trace", TRACE], "", 0),
    (&["trace", "0af7", "--json"], "", 0),
    (&["trace", "0af7", "--ascii", "--at", "300"], "", 0),
    (&["gaps"], "", 1),
    (&["gaps", "--json"], "", 1),
    (&["log", "claimed"], "", 0),
    (&["anchor", "list"], "", 0),
    (&["anchor", "show", "--json"], "", 0),
    (&["resume"], "", 0),
    (&["resume", "--json"], "", 0),
    (&["stats"], "", 0),
    (&["stats", "--json"], "", 0),
    (&["inbox", "--at", "300", "--utc"], "", 1),
    (&["fleet", "--at", "300", "--utc"], "", 0),
    (&["fleet", "--at", "2016-01-01"], "", 0),
    (&["fleet", "--at", "99999"], "", 2),
    (&["fleet", "--at", "noon"], "", 2),
    (&["stuck", "--at", "300"], "", 0),
    (&["sessions", "--at", "300", "--json"], "", 0),
    (&["traces", "--at", "300", "--limit", "3"], "", 0),
    (&["work", "--at", "300"], "", 0),
    (&["work", "--plans", "--at", "300", "--json"], "", 0),
    (&["decisions", "--at", "300", "--limit", "all"], "", 0),
    (&["usage", "--utc"], "", 0),
    (&["usage", "--by", "day", "--json"], "", 0),
    (&["usage", "--budgets", "--at", "300"], "", 0),
    (&["files", "--at", "300"], "", 0),
    (&["files", "--collisions", "--at", "300"], "", 0),
    (&["errors", "--utc"], "", 0),
    (&["digest", "--session", "s1"], "", 0),
    (&["digest", "--session", "s1", "--html"], "", 0),
    (&["digest", "--since", "2026-01-01", "--until", "2026-01-02", "--json"], "", 0),
    (&["digest", "--since", "noon"], "", 2),
    (&["loops", "--at", "300"], "", 0),
    (&["runs", "--at", "300"], "", 0),
    (&["gateway", "--at", "300", "--json"], "", 0),
    (&["issue"], "", 0),
    (&["issue", "ready", "--json"], "", 0),
    (&["issue", "show", "nothing"], "", 2),
    (&["issue", "claim", "--next"], "", 1),
    (&["sql", "select type, count(*) from events group by 1 order by 2 desc, 1"], "", 0),
    (&["sql", "select * from events", "--format", "csv"], "", 0),
    (&["sql", "select * from records", "--format", "json"], "", 0),
    (&["sql", "delete from records"], "", 2),
    (&["export", "--layout", "daily", "--out", "daily"], "", 0),
    (&["export", "--layout", "agent", "--out", "agent", "dialect=collector", "--blobs"], "", 0),
    (&["export", "--layout", "decisions", "--out", "decisions"], "", 0),
    (&["export", "otlp", "--out", "-", "dialect=needle"], "", 0),
    (&["index", "status"], "", 0),
    (&["verify"], "", 0),
    (&["scan"], "", 0),
    (&["verify", "--deep", "--json"], "", 0),
    (&["verify", "--repair"], "", 0),
    (&["verify", "--against", "00"], "", 2),
    (&["prune", "hold", "add", "session:s1"], "", 0),
    (&["prune", "hold", "list"], "", 0),
    (&["prune", "--before", "30d", "--delete", "--dry-run"], "", 0),
    (&["prune", "hold", "remove", "session:s1"], "", 0),
    (&["prune", "--before", "30d", "--dry-run", "--json"], "", 0),
    (&["prune", "--before", "30d"], "", 0),
    (&["log", "--limit", "all", "--format", "jsonl"], "", 0),
    (&["prune", "--before", "30d", "--delete"], "", 0),
    (&["log", "--limit", "3", "--reverse"], "", 0),
    (&["show", "1"], "", 2),
    (&["index", "rebuild"], "", 0),
    (&["emit", "--id", "one"], DONE, 0),
    (&["emit", "--id", "five"], DONE, 0),
    (&["ingest", "a.jsonl", "--from-start"], "", 1),
    (&["log", "--format", "json", "--limit", "all", "--bookkeeping"], "", 0),
    (&["verify", "--json"], "", 0),
];

/// Commands that have nothing to do with a store that is there, those about the server itself, and those of agents, whose events
/// have the time of their making: `hook.rs` and the suite `mcp` run them both ways, `topics.rs` what is posted, and `issues.rs` what
/// is done to issues. `loops.rs` runs what decides, `worktrees.rs` what needs a repository, and the suite `top` the screen.
const APART: &[&str] = &[
    "validate",
    "explain",
    "convert",
    "merge",
    "init",
    "hook",
    "hooks",
    "mcp",
    "watch",
    "sub",
    "notify",
    "up",
    "status",
    "doctor",
    "config",
    "service",
    "token",
    "top",
    "land",
    "worktree",
    "loop",
    "grind",
    "types",
    "schema",
    "demo",
    "bench",
    "completions",
    "help",
];

/// Returns a store with what a team did years ago, received then, and files to read more from.
fn sandbox() -> Sandbox {
    let demo = Sandbox::with(&[]).run(&["demo", "--events", "300", "--seed", "3"]);
    let old: Vec<&str> = demo.stdout.lines().collect();
    let Stored { sandbox } = Stored::in_groups(7, &old);
    let mut text = String::new();
    for n in (1..=20_u32).filter(|n| *n != 13) {
        writeln!(text, "{}", needle(n, "w", "s1", n.into())).unwrap();
    }
    let span = format!(
        r#""session_id":"s2","correlation":{{"trace_id":"{TRACE}","span_id":"b7ad6b7169203331"}}"#
    );
    writeln!(text, "{}", collector(1, "activity.progress", &span)).unwrap();
    let big = format!(r#""session_id":"s2","message":"{}""#, "x".repeat(2 << 20));
    writeln!(text, "{}\nno event", collector(2, "activity.progress", &big)).unwrap();
    let files = [("a.jsonl", text), ("folder/b.jsonl", needle(0, "v", "s3", 1) + "\n")];
    for (name, text) in files {
        let path = sandbox.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let messages = crate::topics::JWZ_PREFIXES.to_owned() + "no message\n";
    let issue = r#"{"id":"a-1","rev":"1","status":"open","updated_at":1703721600000}"#;
    for (name, text) in [("m.jsonl", messages), ("i.jsonl", format!("{issue}\n"))] {
        std::fs::write(sandbox.path().join(name), text).unwrap();
    }
    let old = rusqlite::Connection::open(sandbox.path().join("old.db")).unwrap();
    let rows = "CREATE TABLE updates (agent_id, status, timestamp, message);
        INSERT INTO updates VALUES ('a', 'started', '2026-01-01T00:00:00Z', 'x'), ('a', 'flying', '2026-01-01T00:00:01Z', 'y');";
    old.execute_batch(rows).unwrap();
    sandbox
}

/// Runs every command; returns what each left, but for what two stores cannot have in common.
fn run(sandbox: &Sandbox) -> Vec<String> {
    let mut alike = Alike::new(sandbox);
    let mut run = |(args, input, code): &Row| {
        let title = format!("$ weft {}", args.join(" "));
        let refused = alike.first_refused();
        let args = args.iter().map(|arg| if *arg == "REFUSED" { &*refused } else { arg });
        let args: Vec<&str> = args.collect();
        let ran = match *input {
            "" => sandbox.run(&args),
            input => sandbox.pipe(&args, input.as_bytes()),
        };
        assert_eq!(ran.code, *code, "{title}: {}", ran.show());
        format!("{title}\n{}", alike.scrub(sandbox, &ran.show()))
    };
    let mut all: Vec<String> = COMMANDS.iter().map(&mut run).collect();
    all.push(tail(sandbox));
    all.push(alike.scrub(sandbox, &sandbox.log().join("\n")));
    all
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

/// Returns what is in the files that were exported.
fn exported(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let files = ["daily", "agent", "decisions", "jwz"].into_iter().flat_map(|folder| {
        let files = std::fs::read_dir(sandbox.path().join(folder)).unwrap();
        files.map(move |file| (folder, file.unwrap()))
    });
    let read = |(folder, file): (&str, std::fs::DirEntry)| {
        let name = format!("{folder}/{}", file.file_name().to_string_lossy());
        (name, std::fs::read_to_string(file.path()).unwrap())
    };
    files.map(read).collect()
}

#[test]
fn every_command_on_the_log_is_run_both_ways() {
    let help = Sandbox::with(&[]).run(&["--help"]).stdout;
    let (_, listed) = help.split_once("\nCommands:\n").unwrap();
    let commands = listed.lines().take_while(|line| !line.is_empty());
    let names = commands.map(|line| line.split_whitespace().next().unwrap());
    let is_run = |name: &str| {
        ["tail", "watch"].contains(&name) || COMMANDS.iter().any(|(args, ..)| args[0] == name)
    };
    let missing: Vec<&str> = names.filter(|name| !APART.contains(name) && !is_run(name)).collect();
    assert_eq!(missing, [""; 0]);
    assert!(listed.contains("verify"));
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
    assert_eq!(exported(&with), exported(&alone));
    assert!(exported(&with).len() > 3);
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
