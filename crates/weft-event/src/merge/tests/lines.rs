//! Merging lines as inputs have them.

use super::super::{KeyDigest, Keys};
use super::{Merged, describe, finish, merge_of};
use crate::input::Lines;
use crate::{Dialect, Facts, Identity, Key};

fn merge(inputs: &[&[u8]]) -> Merged {
    let mut merge = merge_of(1 << 20);
    for (number, input) in inputs.iter().enumerate() {
        let mut lines = Lines::new(*input);
        while let Some(item) = lines.read().unwrap() {
            merge.push(number as u32, item).unwrap();
        }
    }
    finish(merge)
}

/// Shows the output, then the findings.
fn show(inputs: &[&str]) -> String {
    let inputs: Vec<_> = inputs.iter().map(|input| input.as_bytes()).collect();
    let (mut lines, findings, _) = merge(&inputs);
    lines.extend(findings.iter().map(describe));
    lines.join("\n")
}

fn needle(session: &str, sequence: u64, second: u64) -> String {
    format!(
        r#"{{"timestamp":"2026-04-21T11:20:{second:02}Z","event_type":"worker.idle","worker_id":"w","session_id":"{session}","sequence":{sequence},"data":{{}}}}"#
    )
}

fn status(id: &str, second: u64, message: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-04-21T11:20:{second:02}Z","agent_id":"a","event_id":"{id}","message":"{message}"}}"#
    )
}

const ID: &str = "0190a7c2-0000-7000-8000-000000000001";

#[test]
fn needle_lines_stand_by_sequence_and_session() {
    let first = [needle("new", 0, 30), needle("old", 1, 9), needle("old", 0, 20)].join("\n");
    let second = [needle("new", 2, 31), needle("old", 2, 21)].join("\n");
    insta::assert_snapshot!(show(&[&first, &second]), @r#"
    {"timestamp":"2026-04-21T11:20:20Z","event_type":"worker.idle","worker_id":"w","session_id":"old","sequence":0,"data":{}}
    {"timestamp":"2026-04-21T11:20:09Z","event_type":"worker.idle","worker_id":"w","session_id":"old","sequence":1,"data":{}}
    {"timestamp":"2026-04-21T11:20:21Z","event_type":"worker.idle","worker_id":"w","session_id":"old","sequence":2,"data":{}}
    {"timestamp":"2026-04-21T11:20:30Z","event_type":"worker.idle","worker_id":"w","session_id":"new","sequence":0,"data":{}}
    {"timestamp":"2026-04-21T11:20:31Z","event_type":"worker.idle","worker_id":"w","session_id":"new","sequence":2,"data":{}}
    ! a:3: backward: needle w/old: 0 after 1
    ! b:1: gap: needle w/new: expected 1, found 2
    "#);
}

#[test]
fn equal_content_in_another_spelling_is_a_repeat_of_the_first_spelling() {
    let spaced = status(ID, 1, "m").replace(":\"m\"", " : \"\\u006d\"");
    insta::assert_snapshot!(show(&[&status(ID, 1, "m"), &spaced, &status(ID, 1, "n")]), @r#"
    {"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-04-21T11:20:01Z","agent_id":"a","event_id":"0190a7c2-0000-7000-8000-000000000001","message":"m"}
    {"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-04-21T11:20:01Z","agent_id":"a","event_id":"0190a7c2-0000-7000-8000-000000000001","message":"n"}
    ! b:1: repeat: collector a: 1 as from a:1
    ! c:1: conflict: collector a: with a:1
    "#);
}

#[test]
fn lines_that_are_no_events_are_skipped_and_told() {
    let input = [
        "{\"weft_seal\":{\"pos\":1}}",
        "not json",
        "",
        "[1]",
        "{\"a\":1}",
        &status(ID, 1, "m").replacen('{', "{ \"weft_seal\":1,", 1),
        &status(ID, 2, "kept"),
        "{\"version\":\"1.0.0\",\"event_type\":\"activ",
    ];
    insta::assert_snapshot!(show(&[&input.join("\n")]), @r#"
    {"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-04-21T11:20:02Z","agent_id":"a","event_id":"0190a7c2-0000-7000-8000-000000000001","message":"kept"}
    ! a:2: unreadable: nobody: json: not JSON: unexpected character at column 1, near `not json`
    ! a:4: unreadable: nobody: not_an_object: an event is an object, not array
    ! a:5: unreadable: nobody: unknown_dialect: no dialect has such a shape (it has `a`); name one with --dialect, or see --explain
    ! a:6: unreadable: nobody: reserved_key: `weft_seal` is reserved for the log
    ! a:8: unreadable: nobody: torn_line: the file ends inside this line
    "#);
}

#[test]
fn an_invalid_event_is_merged_and_counted() {
    let invalid = status("no uuid", 5, "m");
    let (lines, findings, summary) = merge(&[status(ID, 9, "m").as_bytes(), invalid.as_bytes()]);
    assert_eq!(lines, [invalid, status(ID, 9, "m")]);
    assert_eq!((findings.len(), summary.n_invalid, summary.n_events), (0, 1, 2));
    assert!(summary.is_clean());
}

#[test]
fn what_is_wrong_with_a_file_does_not_hide_its_events() {
    let event = status(ID, 1, "m");
    let marked = [b"\xEF\xBB\xBF", event.as_bytes(), b"\r\n"].concat();
    let nuls = [b"\0\0\0", needle("s", 0, 1).as_bytes()].concat();
    let utf16: Vec<u8> = event.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (lines, findings, summary) = merge(&[&marked, &nuls, &utf16, b""]);
    assert_eq!(lines, [event, needle("s", 0, 1)]);
    insta::assert_snapshot!(findings.iter().map(describe).collect::<Vec<_>>().join("\n"), @"! c:1: unreadable: nobody: utf16: the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8");
    assert_eq!(summary.n_unreadable, 1);
}

#[test]
fn a_printed_object_becomes_one_line() {
    let printed =
        status(ID, 1, "m").replace('{', "{\n  ").replace(",\"", ",\n  \"").replace('}', "\n}");
    let (lines, findings, _) = merge(&[printed.as_bytes()]);
    assert_eq!(lines, [printed.replace('\n', " ")]);
    assert_eq!(findings, []);
}

#[test]
fn two_events_of_a_run_with_one_number_are_in_conflict_whatever_their_ids() {
    let keys = |id: &'static str, content: u8| {
        let mut facts = Facts::new(Dialect::Engine, "StepStarted".into());
        facts.actor = Some("run".into());
        facts.order = Some(4);
        facts.identity = Identity::of(Key::id(id));
        Keys::of(&facts, || [content; 16]).list
    };
    let (one, two) = (keys("one", 1), keys("two", 2));
    let number = |keys: [Option<KeyDigest>; 4]| keys[2].unwrap();
    assert_ne!(one[0].unwrap().key, two[0].unwrap().key);
    assert_eq!(number(one).key, number(two).key);
    assert_ne!(number(one).content, number(two).content);
}

fn engine(id: &str, seq: u64, ms: u64) -> String {
    format!(r#"{{"id":"{id}","runId":"r1","ts":{ms},"seq":{seq},"type":"Message","payload":{{}}}}"#)
}

#[test]
fn engine_lines_stand_by_seq_and_one_seq_has_one_event() {
    let input = [engine("b", 1, 9000), engine("a", 0, 5000), engine("c", 3, 1000)].join("\n");
    let other = [engine("a", 0, 5000), engine("x", 3, 1000)].join("\n");
    insta::assert_snapshot!(show(&[&input, &other]), @r#"
    {"id":"a","runId":"r1","ts":5000,"seq":0,"type":"Message","payload":{}}
    {"id":"b","runId":"r1","ts":9000,"seq":1,"type":"Message","payload":{}}
    {"id":"c","runId":"r1","ts":1000,"seq":3,"type":"Message","payload":{}}
    {"id":"x","runId":"r1","ts":1000,"seq":3,"type":"Message","payload":{}}
    ! a:2: backward: engine r1: 0 after 1
    ! a:3: gap: engine r1: expected 2, found 3
    ! b:1: repeat: engine r1: 1 as from a:2
    ! b:2: conflict: engine r1: with a:3
    "#);
}

#[test]
fn the_end_of_a_loop_stays_behind_its_last_state() {
    let state = |run: &str, second: u64| {
        format!(
            r#"{{"schema":0,"event":"STATE","run_id":"{run}","updated_at":"2026-04-21T11:20:{second:02}Z","stack":[]}}"#
        )
    };
    let done = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#.to_owned();
    let first = [state("loop-2-1", 20), done.clone(), done].join("\n");
    let second = [state("loop-1-1", 10), state("loop-1-1", 30)].join("\n");
    insta::assert_snapshot!(show(&[&first, &second]), @r#"
    {"schema":0,"event":"STATE","run_id":"loop-1-1","updated_at":"2026-04-21T11:20:10Z","stack":[]}
    {"schema":0,"event":"STATE","run_id":"loop-2-1","updated_at":"2026-04-21T11:20:20Z","stack":[]}
    {"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}
    {"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}
    {"schema":0,"event":"STATE","run_id":"loop-1-1","updated_at":"2026-04-21T11:20:30Z","stack":[]}
    "#);
}

#[test]
fn an_envelope_sent_again_under_its_idempotency_key_counts_once() {
    let envelope = |id: u32, second: u64, text: &str| {
        format!(
            r#"{{"version":"v1","event_id":"0190a7c2-0000-7000-8000-{id:012}","trace_id":"t","occurred_at":"2026-04-21T11:20:{second:02}Z","event_type":"message.received","tenant_id":"acme","source":{{"component_type":"listener","component_id":"mail","transport":"http"}},"routing":{{"agent_id":"a"}},"idempotency_key":"k1","payload":{{"text":"{text}"}}}}"#
        )
    };
    let (lines, findings, summary) =
        merge(&[envelope(1, 1, "once").as_bytes(), envelope(2, 0, "again").as_bytes()]);
    assert_eq!(lines, [envelope(1, 1, "once")]);
    insta::assert_snapshot!(findings.iter().map(describe).collect::<Vec<_>>().join("\n"), @"! b:1: repeat: pinchy acme/mail: 1 as from a:1");
    assert!(summary.is_clean());
}

/// Some producers write the empty string where they have no id. It must not make one event of many.
#[test]
fn an_empty_id_or_key_makes_no_repeat() {
    let pinchy = |id: &str, key: &str, second: u64| {
        format!(
            r#"{{"version":"v1","event_id":"{id}","trace_id":"t","idempotency_key":"{key}","occurred_at":"2026-04-21T11:20:{second:02}Z","event_type":"heartbeat.tick","tenant_id":"acme","source":{{"component_type":"gateway","component_id":"g"}},"routing":{{"agent_id":"a","session_id":"s"}},"payload":{{}}}}"#
        )
    };
    let engine = r#"{"id":"","runId":"r","ts":1,"seq":0,"type":"Error","payload":{}}"#;
    let message = r#"{"type":"message","id":"","topic_id":"t","body":"b","created_at":1}"#;
    let input = [
        pinchy("1", "", 1),
        pinchy("2", "", 2),
        pinchy("", "", 3),
        pinchy("", "", 3),
        status("", 1, "m"),
        status("", 1, "m"),
        message.to_owned(),
        message.to_owned(),
        engine.to_owned(),
        engine.to_owned(),
    ];
    let (lines, findings, _) = merge(&[input.join("\n").as_bytes()]);
    assert_eq!(lines.len(), input.len() - 1);
    insta::assert_snapshot!(findings.iter().map(describe).collect::<String>(), @"! a:10: repeat: engine r: 1 as from a:9");
}
