//! What hooks become: every event of both agents, and whatever else arrives.

use proptest::prelude::*;

use super::{Around, Caller, HookError, to_event, to_packed_event};
use crate::event::{self, Expect};
use crate::json::{LINE_BYTES_MAX, Tape};
use crate::problem::{Code, Problems};
use crate::testing::{check, describe, facts_of};
use crate::time::parse_rfc3339;
use crate::{Dialect, KeyDigests};

const CLAUDE_CODE: &str = include_str!("../../tests/fixtures/hooks/claude-code.jsonl");
const CLAUDE_CODE_EVENTS: &str =
    include_str!("../../tests/fixtures/hooks/claude-code.events.jsonl");
const CODEX: &str = include_str!("../../tests/fixtures/hooks/codex.jsonl");
const CODEX_EVENTS: &str = include_str!("../../tests/fixtures/hooks/codex.events.jsonl");

fn around() -> Around<'static> {
    let now_ns = parse_rfc3339("2026-11-14T09:30:00.123456789Z").unwrap();
    Around { now_ns, traceparent: None }
}

fn made(payload: impl AsRef<[u8]>) -> Result<String, HookError> {
    to_event(payload.as_ref(), None, &around())
}

/// Returns the event, which has to be valid without a warning.
fn fine(payload: impl AsRef<[u8]>) -> String {
    let event = made(payload).unwrap();
    assert_eq!(check(Dialect::Collector, &event), "fine", "{event}");
    event
}

/// Returns the names of the hooks in payloads, without those said before.
fn names(payloads: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in payloads.lines() {
        let mut tape = Tape::new();
        let name = tape.parse(line).unwrap().text_at("hook_event_name").unwrap().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[test]
fn every_hook_becomes_the_event_beside_it() {
    for (payloads, events) in [(CLAUDE_CODE, CLAUDE_CODE_EVENTS), (CODEX, CODEX_EVENTS)] {
        assert_eq!(payloads.lines().count(), events.lines().count());
        for (payload, event) in payloads.lines().zip(events.lines()) {
            assert_eq!(fine(payload), event);
        }
    }
}

#[test]
fn the_fixtures_have_every_hook_of_both_agents() {
    for (payloads, caller) in [(CLAUDE_CODE, Caller::ClaudeCode), (CODEX, Caller::Codex)] {
        let names = names(payloads);
        for hook in caller.hooks() {
            assert!(names.iter().any(|name| name == hook), "{hook}");
        }
    }
    assert_eq!((Caller::ClaudeCode.hooks().len(), Caller::Codex.hooks().len()), (33, 11));
}

#[test]
fn the_caller_is_told_by_its_payload_or_named() {
    let client = |payload: &str, caller| {
        let event = to_event(payload.as_bytes(), caller, &around()).unwrap();
        let mut tape = Tape::new();
        let event = tape.parse(&event).unwrap();
        event.get("metadata").unwrap().text_at("client").unwrap().into_owned()
    };
    for (payloads, name) in [(CLAUDE_CODE, "claude-code"), (CODEX, "codex")] {
        for payload in payloads.lines() {
            assert_eq!(client(payload, None), name, "{payload}");
            assert_eq!(client(payload, Some(Caller::Codex)), "codex");
        }
    }
}

#[test]
fn a_traceparent_names_the_trace_and_another_text_does_not() {
    let payload = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
    let trace = |traceparent: &str| {
        let around = Around { traceparent: Some(traceparent), ..around() };
        let event = to_event(payload.as_bytes(), None, &around).unwrap();
        let facts = facts_of(&event);
        facts.lines().find_map(|row| row.strip_prefix("trace: ")).unwrap().to_owned()
    };
    let named = "0af7651916cd43dd8448eb211c80319c";
    assert_eq!(trace(&format!("00-{named}-b7ad6b7169203331-01")), named);
    let derived = trace("");
    for text in ["nonsense", "00-0-0-0", "00-00000000000000000000000000000000-b7ad6b7169203331-01"]
    {
        assert_eq!(trace(text), derived);
    }
    assert_eq!(derived.len(), 32);
}

#[test]
fn a_hook_installed_twice_is_one_report_and_two_calls_are_two() {
    let keys = |payload: &str, ms: i64| {
        let around = Around { now_ns: around().now_ns + ms * 1_000_000, ..around() };
        let event = to_event(payload.as_bytes(), None, &around).unwrap();
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, event.as_bytes(), Expect::Any, &mut problems);
        KeyDigests::of(&event.unwrap().facts())
    };
    let payloads: Vec<&str> = CLAUDE_CODE.lines().chain(CODEX.lines()).collect();
    for (n, payload) in payloads.iter().enumerate() {
        let first = keys(payload, 0);
        assert!(keys(payload, 12).is_retry_of(&first), "{payload}");
        for other in &payloads[n + 1..] {
            let other = keys(other, 12);
            assert!(!other.is_retry_of(&first) && other.own != first.own, "{payload}");
        }
    }
}

#[test]
fn what_is_no_hook_is_refused_with_the_reason() {
    let refused = |payload: &[u8]| made(payload).unwrap_err().problem();
    let shown = |payload: &[u8]| {
        let problem = refused(payload);
        format!("{}: {}", problem.code.as_str(), problem.message)
    };
    let deep = format!(r#"{{"hook_event_name":"X","v":{}1{}}}"#, "[".repeat(125), "]".repeat(125));
    let cases: [&[u8]; 13] = [
        b"",
        b" \n",
        b"[]",
        b"null",
        b"\"PreToolUse\"",
        b"{}",
        br#"{"hook_event_name":""}"#,
        br#"{"hook_event_name":7}"#,
        br#"{"hook_event_name":"Stop""#,
        b"{\"hook_event_name\":\"St\0op\"}",
        b"{\"hook_event_name\":\"St\xffop\"}",
        br#"{"hook_event_name":"Stop","a":{"b":1,"b":2}}"#,
        deep.as_bytes(),
    ];
    let all: Vec<String> = cases.into_iter().map(shown).collect();
    insta::assert_snapshot!(all.join("\n"), @"
    json: the payload of the hook is not JSON: empty line at byte 0
    json: the payload of the hook is not JSON: empty line at byte 0
    not_an_object: the payload of a hook is an object, not array
    not_an_object: the payload of a hook is an object, not null
    not_an_object: the payload of a hook is an object, not string
    missing: the payload does not name its hook
    missing: the payload does not name its hook
    missing: the payload does not name its hook
    json: the payload of the hook is not JSON: the line ends inside a value at byte 25
    json: the payload of the hook is not JSON: raw control character in a string at byte 22
    utf8: the payload of the hook is not JSON: not UTF-8 at byte 22
    duplicate_key: the key `b` stands twice in the payload
    too_deep: the payload is nested deeper than 125 levels
    ");
    assert!(made(deep.replacen('[', "", 1).replacen(']', "", 1)).is_ok());
}

#[test]
fn a_payload_over_many_lines_is_one_line_and_a_mark_before_it_is_gone() {
    let event =
        fine("\u{feff}\r\n{\r\n  \"hook_event_name\": \"Stop\",\n  \"session_id\": \"s\"\n}\n");
    assert!(
        event.contains(r#""raw_payload":{   "hook_event_name": "Stop",   "session_id": "s" }"#)
    );
    // A line break within a string is no white space, and no JSON.
    assert!(made("{\"hook_event_name\":\"Stop\",\"a\":\"x\ny\"}").is_err());
}

#[test]
fn half_a_character_is_replaced_and_told() {
    let event = fine(
        r#"{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"a\ud83d","x":["\ud83c\udf0a","\\ud83d","\udf0a\uD83C","é"]}"#,
    );
    insta::assert_snapshot!(event, @r#"{"version":"1.0.0","event_type":"hook.stop","timestamp":"2026-11-14T09:30:00.123456Z","agent_id":"session-s","session_id":"s","source":"hook","status":"completed","message":"a�","hook":{"hook_type":"Stop","raw_payload":{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"a\ufffd","x":["\ud83c\udf0a","\\ud83d","\ufffd\ufffd","é"]}},"correlation":{"trace_id":"d0274d3e6db8a3a804ae45776167c64e","root_agent_id":"session-s"},"metadata":{"client":"claude-code","half_characters_replaced":3}}"#);
}

#[test]
fn a_payload_without_a_session_is_about_its_caller() {
    let event = fine(r#"{"hook_event_name":"Stop","session_id":"","agent_id":null}"#);
    insta::assert_snapshot!(facts_of(&event), @"
    type: hook.stop
    time: 2026-11-14T09:30:00.123456Z
    actor: claude-code
    status: completed
    level: info
    message: Turn completed
    ");
}

#[test]
fn odd_tool_fields_stay_in_the_payload_alone() {
    let event = fine(
        r#"{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"X","tool_input":[1],"tool_response":null,"duration_ms":1.5,"tool_use_id":7}"#,
    );
    insta::assert_snapshot!(event, @r#"{"version":"1.0.0","event_type":"hook.post_tool_use","timestamp":"2026-11-14T09:30:00.123456Z","agent_id":"session-s","session_id":"s","source":"hook","status":"progress","message":"X completed","tool":{"tool_name":"X"},"hook":{"hook_type":"PostToolUse","raw_payload":{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"X","tool_input":[1],"tool_response":null,"duration_ms":1.5,"tool_use_id":7}},"correlation":{"trace_id":"d0274d3e6db8a3a804ae45776167c64e","root_agent_id":"session-s"},"metadata":{"client":"claude-code"}}"#);
}

#[test]
fn a_message_is_one_short_line_of_whole_words() {
    let words = ["word"; 39].join(" ");
    let prompt = format!("{words} {}", "x".repeat(100));
    let event = fine(format!(
        r#"{{"hook_event_name":"UserPromptSubmit","prompt":"\n{prompt}\nmore","session_id":"s"}}"#
    ));
    let message = facts_of(&event);
    let message = message.lines().find_map(|row| row.strip_prefix("message: ")).unwrap();
    assert_eq!(message, format!("{words}…"));
}

#[test]
fn a_huge_payload_gives_an_event_or_is_too_long() {
    let huge = |bytes: usize| {
        let start = r#"{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_response":""#;
        format!("{start}{}\"}}", "x".repeat(bytes))
    };
    let copied = fine(huge(1 << 20));
    assert!(copied.len() > 2 << 20);
    let once = fine(huge(6 << 20));
    assert!((6 << 20..7 << 20).contains(&once.len()), "{}", once.len());
    let most = LINE_BYTES_MAX - huge(0).len();
    assert!(matches!(made(huge(most)), Err(HookError::TooLong { .. })));
    assert_eq!(made(huge(most + 1)).unwrap_err().problem().code, Code::TooLong);
}

#[test]
fn a_packed_event_says_the_same_in_one_string() {
    for payload in CLAUDE_CODE.lines().chain(CODEX.lines()) {
        let packed = to_packed_event(payload.as_bytes(), None, &around()).unwrap();
        assert_eq!(check(Dialect::Collector, &packed), "fine");
        let mut tape = Tape::new();
        let value = tape.parse(&packed).unwrap();
        let raw = value.get("hook").unwrap().get("raw_payload").unwrap();
        assert_eq!(raw.text_at("weft_packed").unwrap(), payload);
        let facts = |event: &str| {
            let (mut tape, mut problems) = (Tape::new(), Problems::new());
            let event = event::read(&mut tape, event.as_bytes(), Expect::Any, &mut problems);
            let mut facts = event.unwrap().facts();
            facts.path = None;
            describe(&facts)
        };
        assert_eq!(facts(&packed), facts(&fine(payload)));
    }
}

proptest! {
    #[test]
    fn any_bytes_give_an_event_or_an_error(payload: Vec<u8>) {
        if let Ok(event) = made(&payload) {
            prop_assert_eq!(check(Dialect::Collector, &event), "fine");
        }
    }

    #[test]
    fn a_fixture_changed_anywhere_gives_a_valid_event_or_an_error(
        n in 0..49_usize,
        at: prop::sample::Index,
        put in prop::collection::vec(any::<u8>(), 0..4),
        cut in 0..4_usize,
    ) {
        let payload = CLAUDE_CODE.lines().chain(CODEX.lines()).cycle().nth(n).unwrap();
        let mut bytes = payload.as_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put);
        if let Ok(event) = made(&bytes) {
            prop_assert_eq!(check(Dialect::Collector, &event), "fine");
        }
    }
}
