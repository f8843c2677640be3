//! Files, folders and streams into the log.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use weft_log::disk::RealDisk;
use weft_log::lock::{Lock, Owner};

use crate::sandbox::{FINE, ODD, OWN, Ran, Sandbox};

const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

fn needle(sequence: u64) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{sequence},"data":{{"bead_id":"b"}}}}"#
    )
}

/// Returns a run with the folder left out.
fn shown(sandbox: &Sandbox, ran: &Ran) -> String {
    let root = sandbox.path().canonicalize().unwrap();
    ran.show().replace(&format!("{}/", root.display()), "")
}

#[test]
fn a_folder_is_read_once_whatever_the_number_of_runs() {
    let first = format!("{}\n{}\n", needle(1), needle(2));
    let second = format!("{FINE}\n");
    let files = [("logs/a.jsonl", first.as_bytes()), ("logs/b/c.jsonl", second.as_bytes())];
    let sandbox = Sandbox::with_store(&files);
    insta::assert_snapshot!(sandbox.run(&["ingest", "logs"]).show(), @"
    --- stderr
    3 events: 3 stored, 0 repeats, 0 conflicts, 0 refused
      collector 1: 1 stored, 0 repeats, 0 conflicts, 0 refused
      needle 2: 2 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    insta::assert_snapshot!(sandbox.run(&["ingest", "logs"]).show(), @"
    --- stderr
    0 events: 0 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    insta::assert_snapshot!(sandbox.run(&["ingest", "logs", "--from-start", "--json"]).show(), @r#"
    {"summary":{"read":3,"stored":0,"repeats":3,"conflicts":0,"refused":0,"dialects":{"collector":{"read":1,"stored":0,"repeats":1,"conflicts":0,"refused":0},"needle":{"read":2,"stored":0,"repeats":2,"conflicts":0,"refused":0}}}}
    --- stderr
    --- exit 0
    "#);
    let mut file = File::options().append(true).open(sandbox.path().join("logs/a.jsonl")).unwrap();
    writeln!(file, "{}", needle(3)).unwrap();
    assert!(sandbox.run(&["ingest", "logs"]).stderr.starts_with("1 event: 1 stored"));
    assert_eq!(sandbox.log(), [needle(1), needle(2), FINE.to_owned(), needle(3)]);
}

#[test]
fn what_is_refused_is_told_with_its_place_and_kept() {
    let text = format!("{FINE}\nnothing\n{{\"a\":1}}\n{ODD}\n");
    let sandbox = Sandbox::with_store(&[("a.jsonl", text.as_bytes())]);
    insta::assert_snapshot!(shown(&sandbox, &sandbox.run(&["ingest", "a.jsonl"])), @"
    a.jsonl:2: not JSON: unexpected character at column 1, near `nothing` [json]
    a.jsonl:3: no dialect has such a shape (it has `a`); name one with --dialect, or see --explain [unknown_dialect]
    --- stderr
    4 events: 2 stored, 0 repeats, 0 conflicts, 2 refused
      collector 2: 2 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 1
    ");
    let listed = sandbox.run(&["rejects", "--json"]).stdout;
    assert!(listed.contains("a.jsonl:2\"") && listed.contains("a.jsonl:3\""), "{listed}");
    assert_eq!(sandbox.log(), [FINE, ODD]);
}

#[test]
fn strict_refuses_what_is_odd() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = sandbox.pipe(&["ingest", "--strict", "--json"], ODD.as_bytes());
    insta::assert_snapshot!(ran.show(), @r#"
    {"file":"-","line":1,"outcome":"refused","pointer":"/status","code":"status_mismatch","message":"`lifecycle.started` means `started`; the stated `blocked` counts"}
    {"summary":{"read":1,"stored":0,"repeats":0,"conflicts":0,"refused":1,"dialects":{"unknown":{"read":1,"stored":0,"repeats":0,"conflicts":0,"refused":1}}}}
    --- stderr
    --- exit 1
    "#);
}

#[test]
fn the_same_identity_with_other_content_is_stored_and_told() {
    let other = needle(1).replace("\"b\"", "\"c\"");
    let text = format!("{}\n{other}\n", needle(1));
    let sandbox = Sandbox::with_store(&[("a.jsonl", text.as_bytes())]);
    insta::assert_snapshot!(shown(&sandbox, &sandbox.run(&["ingest", "a.jsonl"])), @"
    a.jsonl:2: stored at 2: 1 has the same identity and other content [conflict]
    --- stderr
    2 events: 1 stored, 0 repeats, 1 conflict, 0 refused
      needle 2: 1 stored, 0 repeats, 1 conflict, 0 refused
    --- exit 1
    ");
}

#[test]
fn equal_events_without_identity_are_told_apart_by_where_they_stand() {
    let sandbox = Sandbox::with_store(&[("a.jsonl", format!("{DONE}\n{DONE}\n").as_bytes())]);
    let ran = |args: &[&str]| sandbox.run(args).stderr.lines().next().unwrap().to_owned();
    assert_eq!(
        ran(&["ingest", "a.jsonl"]),
        "2 events: 2 stored, 0 repeats, 0 conflicts, 0 refused"
    );
    let again = ran(&["ingest", "--from-start", "a.jsonl"]);
    assert_eq!(again, "2 events: 0 stored, 2 repeats, 0 conflicts, 0 refused");
    // What is piped in is another delivery each time.
    for _ in 0..2 {
        assert_eq!(sandbox.pipe(&["ingest", "-"], DONE.as_bytes()).code, 0);
    }
    assert_eq!(sandbox.log(), [DONE; 4]);
}

#[test]
fn the_log_of_another_store_is_read_without_its_seals() {
    let other = Sandbox::with_store(&[]);
    let text = format!("{}\n{FINE}\n{DONE}\n", needle(1));
    assert_eq!(other.pipe(&["ingest"], text.as_bytes()).code, 0);
    let sandbox = Sandbox::with_store(&[]);
    let folder = other.store().join("log");
    let ran = sandbox.run(&["ingest", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert_eq!(sandbox.log(), other.log());
    // What the other keeps for itself is not to be believed here.
    assert_eq!(other.run(&["sub", "add", "theirs", "--pull"]).code, 0);
    let ran = sandbox.run(&["ingest", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{}", ran.show());
    assert!(ran.stdout.contains("[reserved_dialect]"), "{}", ran.show());
    assert_eq!(sandbox.log(), other.log()[..3]);
    assert_eq!(sandbox.run(&["sub", "list", "--json"]).stdout, "");
    let own = sandbox.store().join("log");
    let ran = sandbox.run(&["ingest", own.to_str().unwrap()]);
    insta::assert_snapshot!(shown(&sandbox, &ran), @"
    --- stderr
    error: .weft/log is a part of the store itself
    --- exit 2
    ");
}

#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let sandbox = Sandbox::with_store(&[("a.jsonl", FINE.as_bytes())]);
    let ran = sandbox.run(&["ingest", "none.jsonl", "a.jsonl"]);
    insta::assert_snapshot!(shown(&sandbox, &ran), @"
    --- stderr
    error: none.jsonl does not exist
    1 event: 1 stored, 0 repeats, 0 conflicts, 0 refused
      collector 1: 1 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 2
    ");
    assert_eq!(sandbox.log(), [FINE]);
}

#[test]
fn a_last_line_that_is_not_whole_is_left_for_a_later_run() {
    let sandbox =
        Sandbox::with_store(&[("a.jsonl", format!("{FINE}\n{}", &DONE[..20]).as_bytes())]);
    let ran = sandbox.run(&["ingest", "a.jsonl"]);
    insta::assert_snapshot!(shown(&sandbox, &ran), @"
    --- stderr
    note: a.jsonl:2: the last line is not whole; a later run reads it
    1 event: 1 stored, 0 repeats, 0 conflicts, 0 refused
      collector 1: 1 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 1
    ");
    fs::write(sandbox.path().join("a.jsonl"), format!("{FINE}\n{DONE}")).unwrap();
    assert_eq!(sandbox.run(&["ingest", "a.jsonl"]).code, 0);
    assert_eq!(sandbox.run(&["ingest", "a.jsonl"]).code, 0);
    assert_eq!(sandbox.log(), [FINE, DONE]);
    assert!(sandbox.run(&["rejects"]).stdout.is_empty());
}

#[test]
fn a_folder_of_many_files_is_read_with_few_of_them_open() {
    let sandbox = Sandbox::with_store(&[]);
    for n in 0..3_000 {
        let folder = sandbox.path().join(format!("logs/{}", n / 500));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{n:04}.jsonl")), needle(n) + "\n").unwrap();
    }
    let mut limited = Command::new("bash");
    limited.args(["-c", "ulimit -n 256; exec \"$0\" ingest logs"]).arg(crate::sandbox::binary());
    let ran = Ran::from(limited.current_dir(sandbox.path()).output().unwrap());
    assert!(ran.stderr.starts_with("3000 events: 3000 stored"), "{}", ran.show());
    assert!(sandbox.run(&["ingest", "logs"]).stderr.starts_with("0 events"));
    assert_eq!(sandbox.log().len(), 3_000);
}

/// A run that goes on until it is told to stop.
struct Running(Child);

impl Running {
    fn start(sandbox: &Sandbox, args: &[&str], stdin: Stdio) -> Self {
        let mut command = sandbox.command(args);
        Self(command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn stop(self, signal: &str) -> Ran {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        Ran::from(self.0.wait_with_output().unwrap())
    }
}

/// Waits until a record is in the log.
fn wait_for(sandbox: &Sandbox, position: u64) {
    for _ in 0..3_000 {
        let head = weft_log::reader::read_head(&RealDisk, &sandbox.store()).unwrap();
        if head.next.get() > position {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    panic!("record {position} did not come");
}

#[test]
fn following_takes_what_comes_and_ends_in_order() {
    let sandbox = Sandbox::with_store(&[("logs/a.jsonl", (needle(1) + "\n").as_bytes())]);
    let running = Running::start(&sandbox, &["ingest", "--follow", "logs"], Stdio::null());
    wait_for(&sandbox, 1);
    let mut file = File::options().append(true).open(sandbox.path().join("logs/a.jsonl")).unwrap();
    writeln!(file, "{}", needle(2)).unwrap();
    wait_for(&sandbox, 2);
    // While nothing comes, others have the store.
    let owner = Owner { pid: 77, what: "weft up".to_owned() };
    let lock = Lock::take(&sandbox.store(), &owner, Duration::from_secs(60)).unwrap();
    fs::write(sandbox.path().join("logs/new.jsonl"), needle(3) + "\n").unwrap();
    drop(lock);
    wait_for(&sandbox, 3);
    insta::assert_snapshot!(running.stop("-INT").show(), @"
    --- stderr
    3 events: 3 stored, 0 repeats, 0 conflicts, 0 refused
      needle 3: 3 stored, 0 repeats, 0 conflicts, 0 refused
    --- exit 0
    ");
    assert_eq!(sandbox.log(), [needle(1), needle(2), needle(3)]);
    assert!(sandbox.run(&["ingest", "logs"]).stderr.starts_with("0 events"));
}

#[test]
fn a_stream_that_gives_nothing_does_not_keep_it_from_ending() {
    let sandbox = Sandbox::with_store(&[]);
    let mut running = Running::start(&sandbox, &["ingest"], Stdio::piped());
    let mut stdin = running.0.stdin.take().unwrap();
    writeln!(stdin, "{FINE}").unwrap();
    wait_for(&sandbox, 1);
    insta::assert_snapshot!(running.stop("-TERM").show(), @"
    --- stderr
    1 event: 1 stored, 0 repeats, 0 conflicts, 0 refused
      collector 1: 1 stored, 0 repeats, 0 conflicts, 0 refused
    stopped before the end of the input
    --- exit 2
    ");
    drop(stdin);
    assert_eq!(sandbox.log(), [FINE]);
}

#[test]
fn whoever_reads_much_waits_for_an_index_that_is_made_and_says_so() {
    let sandbox = Sandbox::with_store(&[("a.jsonl", FINE.as_bytes())]);
    let owner = Owner { pid: std::process::id(), what: "weft index".to_owned() };
    let lock = Lock::take(&sandbox.store(), &owner, Duration::from_secs(60)).unwrap();
    let mut child = sandbox.command(&["ingest", "a.jsonl"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let note = told.next().unwrap().unwrap();
    assert!(note.starts_with("note: waiting for the index to be made: "), "{note}");
    drop(lock);
    assert!(told.next().unwrap().unwrap().starts_with("1 event: 1 stored"));
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_only_weft_writes_is_refused_and_kept_without_its_secrets() {
    let forged = OWN.replace("\"data\":{}", "\"data\":{\"k\":\"PASSWORD=hunter2-and-more\"}");
    let sandbox = Sandbox::with_store(&[("a.jsonl", forged.as_bytes())]);
    let runs = [
        sandbox.run(&["ingest", "a.jsonl"]),
        sandbox.run(&["ingest", "a.jsonl", "--from-start", "--dialect", "weft"]),
        sandbox.pipe(&["emit"], forged.as_bytes()),
        sandbox.pipe(&["emit", "--dialect", "weft"], forged.as_bytes()),
        sandbox.run(&["rejects", "retry", "--all"]),
    ];
    for ran in &runs {
        assert_eq!(ran.code, 1, "{}", ran.show());
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains("[reserved_dialect]"), "{}", ran.show());
    }
    assert_eq!(sandbox.log(), [""; 0]);
    let rejected = sandbox.run(&["rejects", "--json"]).stdout;
    assert_eq!(rejected.matches("reserved_dialect").count(), 3 + 1, "{rejected}");
    let scanned = sandbox.run(&["scan"]);
    assert_eq!(scanned.code, 0, "{}", scanned.show());
}

#[test]
fn whoever_stops_reading_the_refusals_stops_no_work() {
    let bad = "nothing\n".repeat(3000);
    let text = format!("{bad}{FINE}\n");
    let files: [(&str, &[u8]); 2] = [("a.jsonl", text.as_bytes()), ("bad.json", b"nothing")];
    let sandbox = Sandbox::with_store(&files);
    let closed = |args: &[&str]| {
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let mut command = sandbox.command(args);
        command.stdin(File::open(sandbox.path().join("bad.json")).unwrap());
        command.stdout(write).stderr(Stdio::null()).status().unwrap().code()
    };
    assert_eq!(closed(&["ingest", "a.jsonl"]), Some(1));
    assert_eq!(sandbox.log(), [FINE]);
    assert_eq!(sandbox.run(&["rejects", "--json"]).stdout.lines().count(), 3000 + 1);
    assert_eq!(closed(&["rejects", "retry", "--all"]), Some(1));
    assert_eq!(closed(&["ingest", "a.jsonl", "--from-start", "--json"]), Some(1));
    assert_eq!(closed(&["emit", "--json", "-"]), Some(1));
}
