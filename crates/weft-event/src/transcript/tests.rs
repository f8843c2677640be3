//! What the files of sessions become: every kind of row of every client, copies of files, and whatever else stands in one.

mod counting;
mod property;

use super::{Client, Reader, RowError};
use crate::json::Tape;
use crate::testing::{check, facts_of};
use crate::{Dialect, Facts};

macro_rules! fixture {
    ($client:ident, $path:literal) => {
        Fixture {
            client: Client::$client,
            path: $path,
            rows: include_str!(concat!("../../tests/fixtures/transcripts/", $path)),
            events: include_str!(concat!("../../tests/fixtures/transcripts/", $path, ".events")),
        }
    };
}

/// A file of a session, and the events that it becomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixture {
    pub(super) client: Client,
    pub(super) path: &'static str,
    pub(super) rows: &'static str,
    events: &'static str,
}

pub(super) const TRANSCRIPT: Fixture = fixture!(
    ClaudeCode,
    "claude/projects/-home-ana-harbor/5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516.jsonl"
);
pub(super) const SUBAGENT: Fixture = fixture!(
    ClaudeCode,
    "claude/projects/-home-ana-harbor/5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516/subagents/agent-a51f0c.jsonl"
);
pub(super) const FORK: Fixture = fixture!(
    ClaudeCode,
    "claude/projects/-home-ana-harbor/6c1f8d2b-a3e5-407c-9b48-d2e3f4051627.jsonl"
);
pub(super) const ROLLOUT: Fixture = fixture!(
    Codex,
    "codex/sessions/2026/11/14/rollout-2026-11-14T09-30-00-019b2f44-7d31-7c02-a5e8-60f1b2c3d4e5.jsonl"
);
pub(super) const ROLLOUT_FORK: Fixture = fixture!(
    Codex,
    "codex/sessions/2026/11/14/rollout-2026-11-14T09-31-00-019b2f50-8e42-7d13-b6f9-71a2b3c4d5e6.jsonl"
);
pub(super) const ROLLOUT_SUBAGENT: Fixture = fixture!(
    Codex,
    "codex/sessions/2026/11/14/rollout-2026-11-14T09-32-00-019b2f60-9f53-7e24-87ea-82b3c4d5e6f7.jsonl"
);
pub(super) const CHAT: Fixture =
    fixture!(Gemini, "gemini/tmp/harbor/chats/session-2026-11-14T09-30-7d20e9f1.jsonl");

pub(super) const ALL: [Fixture; 7] =
    [TRANSCRIPT, SUBAGENT, FORK, ROLLOUT, ROLLOUT_FORK, ROLLOUT_SUBAGENT, CHAT];

/// Returns the events of a file, each of which has to be valid without a warning.
pub(super) fn read(client: Client, path: &str, rows: &str) -> Vec<String> {
    let (mut reader, mut tape, mut events) = (Reader::new(client, path), Tape::new(), Vec::new());
    for row in rows.lines() {
        reader.read(&mut tape, row.as_bytes(), &mut events).unwrap();
    }
    events.iter().for_each(|event| assert_eq!(check(Dialect::Collector, event), "fine", "{event}"));
    events
}

impl Fixture {
    pub(super) fn read(self) -> Vec<String> {
        read(self.client, self.path, self.rows)
    }
}

/// Reads the facts of an event.
pub(super) fn with_facts<T>(event: &str, of: impl FnOnce(&Facts<'_>) -> T) -> T {
    let (mut tape, mut problems) = (Tape::new(), crate::problem::Problems::new());
    let expect = crate::event::Expect::Any;
    let event = crate::event::read(&mut tape, event.as_bytes(), expect, &mut problems).unwrap();
    of(&event.facts())
}

/// Returns what makes a repeat of an event, whatever else it says.
fn retry(event: &str) -> [u8; 16] {
    with_facts(event, |facts| facts.identity.retry.as_ref().unwrap().digest(facts.dialect))
}

#[test]
fn every_file_becomes_the_events_beside_it() {
    for fixture in ALL {
        let events: String = fixture.read().iter().map(|event| format!("{event}\n")).collect();
        assert_eq!(events, fixture.events, "{}", fixture.path);
    }
}

/// Returns the kind of each row with the types of the events it becomes; those that become none stand together.
fn outline(fixture: Fixture) -> String {
    let (mut reader, mut tape) = (Reader::new(fixture.client, fixture.path), Tape::new());
    let mut out = String::new();
    for row in fixture.rows.lines() {
        let mut events = Vec::new();
        reader.read(&mut tape, row.as_bytes(), &mut events).unwrap();
        let row = tape.parse(row).unwrap();
        let inner = row.get("payload").or_else(|| row.get("attachment"));
        let inner = inner.and_then(|inner| inner.text_at("type")).or(row.text_at("subtype"));
        let kinds = [row.text_at("type"), inner].into_iter().flatten();
        let kind = kinds.map(|kind| kind.into_owned()).collect::<Vec<_>>().join(" ");
        let types: Vec<String> =
            events.iter().map(|it| with_facts(it, |facts| facts.event_type.to_string())).collect();
        match (types.is_empty(), out.ends_with(')')) {
            (true, true) => out.insert_str(out.len() - 1, &format!(", {kind}")),
            (true, false) => out += &format!("\n({kind})"),
            (false, _) => out += &format!("\n{kind}: {}", types.join(", ")),
        }
    }
    out.trim_start().to_owned()
}

#[test]
fn every_kind_of_row_of_a_transcript_tells_what_it_should() {
    insta::assert_snapshot!(outline(TRANSCRIPT), @"
    (summary, queue-operation, permission-mode, mode, file-history-snapshot)
    user: lifecycle.started, activity.prompt
    (attachment hook_success)
    assistant: activity.thinking, activity.usage
    assistant: activity.message, activity.usage
    assistant: activity.tool_use
    assistant: activity.tool_use
    user: activity.tool_result
    user: activity.tool_result
    (tools-used)
    system api_error: system.error
    assistant: activity.tool_use, activity.usage
    user: activity.tool_result
    attachment queued_command: activity.prompt
    assistant: activity.message, activity.usage, activity.turn_completed
    (system stop_hook_summary, system turn_duration, last-prompt)
    ai-title: system.title
    custom-title: system.title
    cost-state: activity.usage
    (cost-state)
    system compact_boundary: activity.progress
    (user, user, user)
    user: activity.prompt
    user: activity.turn_aborted
    assistant: activity.turn_failed
    (assistant, system local_command, system informational)
    pr-link: activity.progress
    cost-state: activity.usage
    (tag, agent-name, agent-color, agent-setting, worktree-state, relocated, file-history-delta, content-replacement, fork-context-ref, derived-from, continued-in, ended-by-model, bridge-session, attribution-snapshot, progress, of-tomorrow)
    assistant: activity.tool_use, activity.usage
    assistant: activity.tool_result
    assistant: activity.tool_use
    assistant: activity.tool_result
    assistant: activity.tool_use
    assistant: activity.tool_result
    (attachment hook_additional_context, attachment hook_blocking_error, attachment hook_non_blocking_error, attachment hook_cancelled, attachment hook_permission_decision, attachment hook_system_message, attachment hook_stopped_continuation, attachment hook_deferred_tool, ai-title, custom-title)
    custom-title: system.title
    custom-title: system.title
    ");
}

#[test]
fn every_kind_of_row_of_a_rollout_tells_what_it_should() {
    insta::assert_snapshot!(outline(ROLLOUT), @"
    session_meta: lifecycle.started
    (response_item message, response_item message, event_msg task_started, turn_context, response_item message)
    event_msg user_message: activity.prompt
    event_msg agent_reasoning: activity.thinking
    (response_item reasoning)
    response_item function_call: activity.tool_use
    response_item function_call_output: activity.tool_result
    event_msg token_count: activity.usage
    (event_msg token_count, event_msg token_count)
    response_item custom_tool_call: activity.tool_use
    response_item custom_tool_call_output: activity.tool_result
    (event_msg patch_apply_end)
    response_item local_shell_call: activity.tool_use
    response_item function_call_output: activity.tool_result
    response_item web_search_call: activity.tool_use, activity.tool_result
    (event_msg web_search_end)
    response_item function_call: activity.tool_use
    (event_msg mcp_tool_call_end)
    response_item function_call_output: activity.tool_result
    response_item tool_search_call: activity.tool_use
    response_item tool_search_output: activity.tool_result
    response_item image_generation_call: activity.tool_use, activity.tool_result
    response_item message: activity.message
    (event_msg agent_message)
    event_msg token_count: activity.usage
    event_msg task_complete: activity.turn_completed
    (event_msg turn_started)
    event_msg user_message: activity.prompt
    event_msg error: system.error
    event_msg turn_aborted: activity.turn_aborted
    event_msg thread_rolled_back: activity.progress
    compacted: activity.progress
    (event_msg context_compacted)
    event_msg item_completed: activity.message
    event_msg turn_complete: activity.turn_failed
    (event_msg thread_settings_applied, world_state, inter_agent_communication, security_risk_score, of_tomorrow, inter_agent_communication_metadata, event_msg thread_goal_updated, response_item agent_message, response_item compaction, event_msg task_started)
    response_item message: activity.message
    (event_msg agent_message)
    response_item message: activity.message
    (event_msg agent_message)
    compacted: activity.progress
    compacted: activity.progress
    event_msg task_complete: activity.turn_completed
    ");
}

#[test]
fn every_kind_of_row_of_a_chat_tells_what_it_should() {
    insta::assert_snapshot!(outline(CHAT), @"
    ()
    user: lifecycle.started, activity.prompt
    (info)
    gemini: activity.thinking, activity.tool_use
    gemini: activity.message, activity.tool_result, activity.usage
    (gemini, )
    gemini: activity.tool_use, activity.tool_result
    error: system.error
    (warning, )
    ");
}

#[test]
fn a_tool_call_stands_where_its_hook_puts_it() {
    let events = TRANSCRIPT.read();
    let call = events.iter().find(|event| event.contains("Using Bash")).unwrap();
    insta::assert_snapshot!(facts_of(call), @"
    type: activity.tool_use
    time: 2026-11-14T09:30:02.600Z
    actor: session-5b0e7c1a
    session: 5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516
    identity: id c8a6e8a0-8151-80d8-be20-cae3dd107575
    retry key: record c8a6e8a0-8151-80d8-be20-cae3dd107575
    status: tool_use
    level: info
    tool: Bash
    message: Using Bash
    trace: 5b0e7c1a92d44f6b8a37c1d2e3f40516
    span: toolu_01A
    parent span: c0a7d3b1-6e52-4d18-9f0b-7a1b2c3d4e5f
    ");
    let result = events.iter().find(|event| event.contains("Bash completed")).unwrap();
    insta::assert_snapshot!(facts_of(result), @"
    type: activity.tool_result
    time: 2026-11-14T09:30:03Z
    actor: session-5b0e7c1a
    session: 5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516
    identity: id ec30ed19-a0fe-8563-a6df-5c303e9ca3d2
    retry key: record ec30ed19-a0fe-8563-a6df-5c303e9ca3d2
    status: progress
    level: info
    tool: Bash
    duration: 400 ms
    message: Bash completed
    trace: 5b0e7c1a92d44f6b8a37c1d2e3f40516
    span: toolu_01A
    parent span: c0a7d3b1-6e52-4d18-9f0b-7a1b2c3d4e5f
    ");
    let child = SUBAGENT.read();
    let call = child.iter().find(|event| event.contains("Using WebSearch")).unwrap();
    insta::assert_snapshot!(facts_of(call), @"
    type: activity.tool_use
    time: 2026-11-14T09:30:06Z
    actor: a51f0c
    parent: session-5b0e7c1a
    session: 5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516
    identity: id 7be1d714-9fd7-85ee-a4b3-8c673794d65c
    retry key: record 7be1d714-9fd7-85ee-a4b3-8c673794d65c
    status: tool_use
    level: info
    tool: WebSearch
    message: Using WebSearch
    trace: 5b0e7c1a92d44f6b8a37c1d2e3f40516
    span: toolu_02A
    parent span: a51f0c
    ");
}

#[test]
fn a_file_read_again_and_a_copy_of_it_tell_nothing_new() {
    let retries = |fixture: Fixture| -> Vec<[u8; 16]> {
        fixture.read().iter().map(|event| retry(event)).collect()
    };
    let first = retries(TRANSCRIPT);
    assert_eq!(first, retries(TRANSCRIPT));
    let new = FORK.read();
    let new = new.iter().filter(|event| !first.contains(&retry(event)));
    let said = |event: &String| {
        with_facts(event, |facts| {
            format!("{}: {}\n", facts.event_type, facts.message.as_deref().unwrap())
        })
    };
    insta::assert_snapshot!(new.map(said).collect::<String>(), @"
    lifecycle.started: Session started
    activity.prompt: Take the other road
    activity.message: Taken.
    activity.usage: 14 tokens
    activity.turn_completed: Taken.
    ");
    let first = retries(ROLLOUT);
    let new = ROLLOUT_FORK.read();
    let new = new.iter().filter(|event| !first.contains(&retry(event)));
    insta::assert_snapshot!(new.map(said).collect::<String>(), @"
    lifecycle.started: Session started
    activity.prompt: Shorter
    activity.message: Hours, metres.
    activity.usage: 1010 tokens
    activity.turn_completed: Hours, metres.
    ");
}

#[test]
fn no_two_events_of_a_file_are_taken_for_one() {
    for fixture in ALL {
        let events = fixture.read();
        let mut keys: Vec<[u8; 16]> = events.iter().map(|event| retry(event)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), events.len(), "{}", fixture.path);
    }
}

#[test]
fn turns_without_ids_are_told_apart_and_those_of_a_copy_are_not() {
    let row = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"{kind}","payload":{payload}}}"#)
    };
    let turn = || {
        let prompt = r#"{"type":"user_message","message":"go on"}"#;
        [row("turn_context", r#"{"cwd":"/"}"#), row("event_msg", prompt)].join("\n")
    };
    let keys = |meta: &str, n_turns: usize| -> Vec<[u8; 16]> {
        let rows: Vec<String> =
            [row("session_meta", meta)].into_iter().chain((0..n_turns).map(|_| turn())).collect();
        read(Client::Codex, "rollout-x.jsonl", &rows.join("\n"))[1..]
            .iter()
            .map(|event| retry(event))
            .collect()
    };
    let first = keys(r#"{"id":"a"}"#, 2);
    assert!(first.len() == 2 && first[0] != first[1]);
    let copy = keys(r#"{"id":"b","forked_from_id":"a"}"#, 3);
    assert_eq!((&copy[..2], copy.len()), (&first[..], 3));
}

#[test]
fn a_copy_of_a_row_has_the_time_of_its_turn_and_not_that_of_copying() {
    let events = ROLLOUT_FORK.read();
    let time = |event: &String| with_facts(event, |facts| facts.time_ns.unwrap());
    let prompts: Vec<i64> =
        events.iter().filter(|event| event.contains("activity.prompt")).map(time).collect();
    let shown: Vec<String> = prompts.iter().map(|ns| crate::time::format_rfc3339(*ns)).collect();
    assert_eq!(shown, ["2025-12-18T02:23:32.369Z", "2026-11-14T09:31:01.100Z"]);
}

#[test]
fn only_what_a_client_recorded_is_a_repeat_whatever_else_it_says() {
    let event = |metadata: &str| {
        let event = format!(
            r#"{{"version":"1.0.0","event_type":"activity.message","timestamp":"2026-01-01T00:00:00Z","agent_id":"a","event_id":"11111111-1111-8111-8111-111111111111","metadata":{metadata}}}"#
        );
        with_facts(&event, |facts| facts.identity.retry.is_some())
    };
    assert!(event(r#"{"client":"gemini-cli","source":"chat"}"#));
    for other in [r#"{"source":"chat"}"#, r#"{"client":"codex","source":"chat"}"#, "{}"] {
        assert!(!event(other), "{other}");
    }
}

#[test]
fn a_message_has_no_half_word_that_could_be_half_a_secret() {
    let said = |text: &str| {
        let row = format!(
            r#"{{"type":"user","uuid":"u","timestamp":"2026-01-01T00:00:00Z","sessionId":"s","message":{{"content":"{text}"}}}}"#
        );
        let events = read(Client::ClaudeCode, "s.jsonl", &row);
        with_facts(&events[1], |facts| facts.message.clone().unwrap().into_owned())
    };
    let text = format!("{} sk-live-{}", "word ".repeat(38).trim_end(), "0".repeat(40));
    assert_eq!(said(&text), format!("{}…", "word ".repeat(38).trim_end()));
    assert_eq!(said(&"x".repeat(201)), "…");
    assert_eq!(said(&"潮".repeat(201)), format!("{}…", "潮".repeat(200)));
}

#[test]
fn a_row_that_was_copied_under_another_session_is_the_same_row() {
    let row = |session: &str| {
        format!(
            r#"{{"type":"user","uuid":"u","timestamp":"2026-01-01T00:00:00Z","sessionId":"{session}","promptId":"p","message":{{"content":"Go"}}}}"#
        )
    };
    let events = |session| read(Client::ClaudeCode, "x.jsonl", &row(session));
    let (first, copy) = (events("a"), events("b"));
    assert_eq!(retry(&first[1]), retry(&copy[1]));
}

#[test]
fn what_is_no_row_is_an_error_and_half_a_character_is_none() {
    let mut reader = Reader::new(Client::ClaudeCode, "s.jsonl");
    let mut read = |row: &[u8]| {
        let mut events = Vec::new();
        reader.read(&mut Tape::new(), row, &mut events).map(|()| events)
    };
    assert!(matches!(read(b"{\"type\":"), Err(RowError::Syntax(_))));
    assert!(matches!(read(b"\xff"), Err(RowError::Syntax(_))));
    assert_eq!(read(b"[]"), Err(RowError::NotAnObject { found: "array" }));
    assert_eq!(read(b"{}"), Ok(Vec::new()));
    let row = r#"{"type":"user","uuid":"u","timestamp":"2026-01-01T00:00:00Z","message":{"content":"a\ud83d \ud83c\udf0a \udf0a"}}"#;
    let events = read(row.as_bytes()).unwrap();
    assert_eq!(
        with_facts(&events[1], |facts| facts.message.clone().unwrap().into_owned()),
        "a\u{fffd} 🌊 \u{fffd}"
    );
}

#[test]
fn files_are_taken_by_their_names() {
    let takes = |client: Client, path: &str| client.takes(path);
    for fixture in ALL {
        assert!(takes(fixture.client, fixture.path), "{}", fixture.path);
        assert!(takes(fixture.client, &format!("{}.zst", fixture.path)));
    }
    for (client, path) in [
        (Client::ClaudeCode, "projects/p/agent-a.meta.json"),
        (Client::ClaudeCode, "projects/p/.jsonl"),
        (Client::ClaudeCode, "projects/p/5b0e/tool-results/toolu_01.jsonl"),
        (Client::Codex, "sessions/history.jsonl"),
        (Client::Gemini, "chats/logs.json"),
    ] {
        assert!(!takes(client, path), "{path}");
    }
}
