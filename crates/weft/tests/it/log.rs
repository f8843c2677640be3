//! `weft log`: which records, in which order, in which form.

use std::process::Stdio;

use crate::sandbox::{OWN, Ran, weft};
use crate::stored::{Stored, collector, needle};

fn some() -> Stored {
    let hook = r#""event_id":"0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d","session_id":"s1","source":"hook","tool":{"tool_name":"Read","tool_input":{"file_path":"src/a.rs"}}"#;
    Stored::with(&[
        collector(0, "lifecycle.started", r#""message":"Hello\u001b[2J, two\nlines""#),
        OWN.replace("2026", "2020"),
        collector(1, "hook.pre_tool_use", hook),
        needle(2, "alpha", "n-1", 1),
        collector(3, "lifecycle.error", r#""message":"disk full""#),
        collector(4, "lifecycle.terminated", ""),
    ])
}

#[test]
fn the_newest_record_comes_last_and_bookkeeping_does_not() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["log"]).show(), @r"
    POSITION  TIME                 ACTOR  TYPE                  STATUS    WHAT
    1         2020-01-01 00:00:00  @a     lifecycle.started     started   Hello\u{1b}[2J, two\nlines
    3         2020-01-01 00:00:01  @a     hook.pre_tool_use     tool_use  Read src/a.rs
    4         2020-01-01 00:00:02  alpha  bead.claimed          started   b-1
    5         2020-01-01 00:00:03  @a     lifecycle.error       error     disk full
    6         2020-01-01 00:00:04  @a     lifecycle.terminated  ended
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["log", "--bookkeeping", "--limit", "2", "--before", "4"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE               STATUS    WHAT
    2         2020-01-01 00:00:00  -      log.pruned         -
    3         2020-01-01 00:00:01  @a     hook.pre_tool_use  tool_use  Read src/a.rs
    --- stderr
    note: there are older ones: --before 2
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["log", "dialect=weft"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE        STATUS  WHAT
    2         2020-01-01 00:00:00  -      log.pruned  -
    --- stderr
    --- exit 0
    ");
}

#[test]
fn times_are_local_unless_asked_for_otherwise() {
    let stored = some();
    let second_line = |args: &[&str]| {
        let ran = Ran::from(stored.command(args).env("TZ", "EST5").output().unwrap());
        ran.stdout.lines().nth(1).unwrap().to_owned()
    };
    insta::assert_snapshot!(second_line(&["log", "disk"]), @"5         2019-12-31 19:00:03  @a     lifecycle.error  error   disk full");
    insta::assert_snapshot!(second_line(&["log", "disk", "--utc"]), @"5         2020-01-01 00:00:03  @a     lifecycle.error  error   disk full");
    insta::assert_snapshot!(second_line(&["show", "5"]), @"  received  2019-12-31 19:00:14 -05:00");
}

#[test]
fn words_of_a_filter_are_joined() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["log", "disk", "full", "or", "tool=Read"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE               STATUS    WHAT
    3         2020-01-01 00:00:01  @a     hook.pre_tool_use  tool_use  Read src/a.rs
    5         2020-01-01 00:00:03  @a     lifecycle.error    error     disk full
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(stored.run(&["log", "status=eror", "since:2h"]).show(), @"
    --- stderr
    error: `eror` is no status
      status=eror since:2h
             ^^^^
    help: is it `error`? The words are started, thinking, tool_use, progress, waiting, blocked, completed, error
    --- exit 2
    ");
    insta::assert_snapshot!(stored.run(&["log", "nothing", "like", "it"]).show(), @"
    --- stderr
    note: no record matches
    --- exit 0
    ");
}

#[test]
fn pages_go_both_ways() {
    let stored = some();
    let positions = |args: &[&str]| {
        let args: Vec<&str> = ["log", "--limit", "2"].iter().chain(args).copied().collect();
        let ran = stored.run(&args);
        let first = |line: &str| line.split(' ').next().unwrap().to_owned();
        let positions: Vec<_> = ran.stdout.lines().skip(1).map(first).collect();
        format!("{} {}", positions.join(" "), ran.stderr)
    };
    insta::assert_snapshot!(positions(&[]), @"5 6 note: there are older ones: --before 5");
    insta::assert_snapshot!(positions(&["--before", "5"]), @"3 4 note: there are older ones: --before 3");
    insta::assert_snapshot!(positions(&["--before", "3"]), @"1");
    insta::assert_snapshot!(positions(&["--after", "1"]), @"3 4 note: there are newer ones: --after 4");
    insta::assert_snapshot!(positions(&["--after", "4"]), @"5 6");
    insta::assert_snapshot!(positions(&["--after", "1", "--before", "6"]), @"4 5 note: there are older ones: --before 4");
    insta::assert_snapshot!(positions(&["--reverse"]), @"6 5 note: there are older ones: --before 5");
    insta::assert_snapshot!(positions(&["--after", "1", "--reverse"]), @"4 3 note: there are newer ones: --after 4");
    insta::assert_snapshot!(positions(&["--after", "6"]), @" note: no record matches");
}

#[test]
fn programs_get_the_record_or_the_events_own_line() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["log", "position>=3", "position<=4", "--format", "json"]).show(), @r#"
    {"position":3,"at":"2020-01-01T00:00:12Z","via":"test","dialect":"collector","facts":{"dialect":"collector","type":"hook.pre_tool_use","time":"2020-01-01T00:00:01Z","actor":"@a","session":"s1","identity":"id 0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d","status":"tool_use","ended":false,"level":"info","tool":"Read","path":"src/a.rs"},"event":{"version":"1.0.0","event_type":"hook.pre_tool_use","timestamp":"2020-01-01T00:00:01Z","agent_id":"@a","event_id":"0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d","session_id":"s1","source":"hook","tool":{"tool_name":"Read","tool_input":{"file_path":"src/a.rs"}}}}
    {"position":4,"at":"2020-01-01T00:00:13Z","via":"test","dialect":"needle","facts":{"dialect":"needle","type":"bead.claimed","time":"2020-01-01T00:00:02Z","actor":"alpha","session":"n-1","order":1,"identity":"worker alpha, session n-1, sequence 1","status":"started","ended":false,"level":"info","task":"b-1"},"event":{"schema_version":1,"timestamp":"2020-01-01T00:00:02.000Z","event_type":"bead.claimed","worker_id":"alpha","session_id":"n-1","sequence":1,"data":{"bead_id":"b-1"}}}
    --- stderr
    --- exit 0
    "#);
    let lines = stored.run(&["log", "--bookkeeping", "--limit", "all", "--format", "jsonl"]);
    let segment = std::fs::read_to_string(stored.segment()).unwrap();
    let events = segment.lines().filter(|line| !line.starts_with("{\"weft_seal\":"));
    assert_eq!(lines.stdout, events.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_producers_own_order_beats_the_order_of_arrival() {
    let stored = Stored::with(&[
        needle(1, "alpha", "s", 1),
        needle(3, "alpha", "s", 3),
        needle(2, "alpha", "s", 2),
        needle(2, "beta", "s", 1),
    ]);
    let what = |args: &[&str]| {
        let lines = stored.run(args).stdout;
        let short = |line: &str| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            format!("{}:{}", cells[3], cells[6])
        };
        lines.lines().skip(1).map(short).collect::<Vec<_>>().join(" ")
    };
    insta::assert_snapshot!(what(&["log"]), @"alpha:b-1 alpha:b-3 alpha:b-2 beta:b-1");
    insta::assert_snapshot!(what(&["log", "--order", "producer"]), @"alpha:b-1 alpha:b-2 beta:b-1 alpha:b-3");
    insta::assert_snapshot!(what(&["log", "--order", "producer", "--reverse"]), @"alpha:b-3 alpha:b-2 beta:b-1 alpha:b-1");
}

#[test]
fn what_is_damaged_is_told_and_the_rest_is_shown() {
    let stored = some();
    assert_eq!(stored.run(&["log"]).code, 0);
    stored.damage("disk full");
    insta::assert_snapshot!(stored.run(&["log", "--limit", "3"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE                  STATUS    WHAT
    3         2020-01-01 00:00:01  @a     hook.pre_tool_use     tool_use  Read src/a.rs
    4         2020-01-01 00:00:02  alpha  bead.claimed          started   b-1
    6         2020-01-01 00:00:04  @a     lifecycle.terminated  ended
    --- stderr
    note: there are older ones: --before 3
    note: record 5 is damaged or gone: see `weft gaps`
    --- exit 0
    ");
    std::fs::remove_file(stored.sandbox.path().join(".weft/index.db")).unwrap();
    insta::assert_snapshot!(stored.run(&["log", "--limit", "3"]).show(), @"
    POSITION  TIME                 ACTOR  TYPE                  STATUS    WHAT
    3         2020-01-01 00:00:01  @a     hook.pre_tool_use     tool_use  Read src/a.rs
    4         2020-01-01 00:00:02  alpha  bead.claimed          started   b-1
    6         2020-01-01 00:00:04  @a     lifecycle.terminated  ended
    --- stderr
    note: there are older ones: --before 3
    note: record 5 is damaged or gone: see `weft gaps`
    --- exit 0
    ");
}

#[test]
fn more_than_a_page_comes_in_order_and_once() {
    let lines: Vec<String> = (0..2500)
        .map(|n| collector(0, "activity.progress", &format!(r#""message":"m{n}""#)))
        .collect();
    let stored = Stored::in_groups(100, &lines);
    let shown = |args: &[&str]| stored.run(args).stdout;
    let joined =
        |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let mut backward = lines.clone();
    backward.reverse();
    assert_eq!(shown(&["log", "--format", "jsonl", "--limit", "all"]), joined(&lines));
    assert_eq!(shown(&["log", "--format", "jsonl", "--limit", "2100"]), joined(&lines[400..]));
    assert_eq!(
        shown(&["log", "--format", "jsonl", "--limit", "2100", "--after", "10"]),
        joined(&lines[10..2110])
    );
    assert_eq!(
        shown(&["log", "--format", "jsonl", "--limit", "2100", "--reverse"]),
        joined(&backward[..2100])
    );
}

#[test]
fn a_search_is_right_while_the_index_is_far_behind_and_after() {
    let lines: Vec<String> = (0..10_050)
        .map(|n| collector(0, "activity.progress", &format!(r#""message":"word{n} Ünï""#)))
        .collect();
    let stored = Stored::in_groups(100, &lines);
    let search = &["log", "word10012", "uni", "--format", "jsonl"];
    let lag = || {
        stored
            .run(&["sql", "SELECT name, position FROM followers ORDER BY name", "--format", "csv"])
            .stdout
    };
    let log = stored.log();
    assert_eq!(
        stored.run(search).stdout,
        format!("{}\n", lines[10_012]),
        "while another holds the store"
    );
    log.close().unwrap();
    insta::assert_snapshot!(lag(), @"
    name,position
    core,10050
    ");
    assert_eq!(stored.run(search).stdout, format!("{}\n", lines[10_012]));
    insta::assert_snapshot!(lag(), @"
    name,position
    core,10050
    text,10050
    ");
    assert_eq!(stored.run(search).stdout, format!("{}\n", lines[10_012]));
}

#[test]
fn an_empty_store_is_no_error() {
    let stored = Stored::with::<&str>(&[]);
    let shown = |args: &[&str]| {
        let ran = stored.run(args);
        format!("{}{}{}", ran.stdout, ran.stderr, ran.code)
    };
    insta::assert_snapshot!(shown(&["log"]), @"
    note: no record matches
    0
    ");
    insta::assert_snapshot!(shown(&["log", "--limit", "all", "--format", "jsonl"]), @"0");
    insta::assert_snapshot!(shown(&["show", "1"]), @"
    error: the log is empty
    2
    ");
    insta::assert_snapshot!(shown(&["gaps"]), @"
    0 records, 0 numbered producers: 0 lost, 0 missing, 0 backward, 0 late
    0
    ");
    insta::assert_snapshot!(shown(&["sql", "SELECT count(*) AS n FROM events"]), @"
    n
    0
    0
    ");
    assert_eq!(stored.run(&["stats"]).code, 0);
}

#[test]
fn without_a_store_it_says_how_to_make_one() {
    let ran = weft(&["log", "--store", "nowhere"]);
    insta::assert_snapshot!(ran.show(), @"
    --- stderr
    error: there is no store at nowhere: make one with `weft init`
    --- exit 2
    ");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let stored = some();
    for args in [&["log"][..], &["show", "1"], &["stats"], &["sql", "SELECT 1"], &["session", "s1"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = stored.command(args);
        let ran = Ran::from(command.stdout(writer).stderr(Stdio::piped()).output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}
