//! Which sessions there are, how they stand, and what was talked in them.

use insta::assert_snapshot;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::talk::Diff;
use super::{
    AgentItem, Conversation, Item, Marks, SessionRow, SessionState, Sessions, TalkItem, TalkKind,
    TalkList, Turn,
};
use crate::testing::{START_NS, assert_law, fold, place};
use crate::usage::UsageBook;
use crate::{Entry, Prices};

const NOW_NS: i64 = START_NS + 600_000_000_000;

/// Returns an event of a hook of session s1.
fn hook(hook: &str, time: &str, span: &str, payload: &str, rest: &str) -> String {
    let name: String = hook
        .chars()
        .flat_map(|c| {
            let is_upper = c.is_uppercase();
            is_upper.then_some('_').into_iter().chain(c.to_lowercase())
        })
        .collect();
    let name = name.trim_start_matches('_').replace("user_prompt_submit", "prompt_submit");
    format!(
        r#"{{"version":"1.0.0","event_type":"hook.{name}","timestamp":"2026-11-15T08:{time}Z","agent_id":"session-s1","session_id":"s1","source":"hook","message":"{hook}"{rest},"hook":{{"hook_type":"{hook}","raw_payload":{{"session_id":"s1","cwd":"/h","prompt_id":"p1"{payload}}}}},"correlation":{{"trace_id":"t","span_id":"{span}","parent_span_id":"p1","root_agent_id":"session-s1"}}}}"#
    )
}

/// Returns an event as the file of session s1 tells it; each needs a number of its own.
fn recorded(n: u64, event_type: &str, time: &str, span: &str, message: &str, rest: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"activity.{event_type}","timestamp":"2026-11-15T08:{time}Z","agent_id":"session-s1","event_id":"019cb022-dc57-786c-a795-{n:012}","session_id":"s1","message":"{message}"{rest},"correlation":{{"trace_id":"t","span_id":"{span}","parent_span_id":"p1","root_agent_id":"session-s1"}},"metadata":{{"client":"claude-code","source":"transcript"}}}}"#
    )
}

/// A session that hooks and the agent's file tell of.
fn talk() -> Vec<String> {
    let tool = r#","tool":{"tool_name":"Task","tool_input":{"prompt":"Find it"}}"#;
    let done = r#","tool":{"tool_name":"Task","tool_input":{"prompt":"Find it"},"tool_result":"Found in a.rs"}"#;
    let helper =
        |line: String| line.replacen(r#""agent_id":"session-s1""#, r#""agent_id":"a77""#, 1);
    vec![
        hook(
            "SessionStart",
            "00:00",
            "s",
            r#","model":"claude-sonnet-4-5","session_title":"Fix the labels""#,
            "",
        ),
        hook("UserPromptSubmit", "00:01", "p1", r#","prompt":"Fix the labels""#, ""),
        recorded(1, "prompt", "00:01", "p1", "Fix the labels", ""),
        recorded(2, "thinking", "00:02", "x1", "Where is it?", ""),
        hook("PreToolUse", "00:03", "c1", r#","tool_use_id":"c1""#, tool),
        recorded(3, "tool_use", "00:03", "c1", "Using Task", tool),
        helper(hook("SubagentStart", "00:04", "a77", "", "")),
        helper(hook(
            "PreToolUse",
            "00:05",
            "c2",
            r#","tool_use_id":"c2""#,
            r#","tool":{"tool_name":"Read","tool_input":{"file_path":"/h/a.rs"}}"#,
        )),
        helper(recorded(4, "message", "00:06", "x2", "It is in a.rs", "")),
        hook("PostToolUse", "00:07", "c1", r#","tool_use_id":"c1""#, done),
        recorded(
            5,
            "tool_result",
            "00:07",
            "c1",
            "Task completed",
            r#","tool":{"tool_name":"Task","tool_result":"Found in a.rs"}"#,
        ),
        recorded(6, "message", "00:08", "x3", "Done: the label is right.", ""),
        hook("Stop", "00:09", "p1", r#","last_assistant_message":"Done: the label is right.""#, ""),
        recorded(7, "turn_completed", "00:09", "p1", "Done: the label is right.", ""),
        hook("UserPromptSubmit", "01:00", "p2", r#","prompt":"Thanks""#, "")
            .replace("\"p1\"", "\"p2\""),
    ]
}

fn rows(lines: &[String]) -> Vec<SessionRow> {
    let lines = place(lines.iter().map(String::as_str));
    assert_law::<Sessions>(&lines, lines.len());
    let (sessions, usage): (Sessions, UsageBook) = (fold(&lines), fold(&lines));
    sessions.rows(NOW_NS, &usage, &Prices::default())
}

fn turns(lines: &[String]) -> Vec<Turn> {
    conversation(lines).turns()
}

fn conversation(lines: &[String]) -> Conversation {
    let mut conversation = Conversation::default();
    add(&mut conversation, 0, lines);
    conversation
}

/// Adds records behind so many others.
fn add(conversation: &mut Conversation, n_before: usize, lines: &[String]) {
    let mut tape = Tape::new();
    for (position, line) in (n_before as u64 + 1..).zip(lines) {
        let event =
            event::read(&mut tape, line.as_bytes(), Expect::Any, &mut Problems::new()).unwrap();
        let facts = event.facts();
        let report = event.report(&facts);
        conversation.add(&Entry {
            position,
            received_ns: 0,
            is_carried: false,
            facts: &facts,
            report: &report,
        });
    }
}

fn shown(turns: &[Turn]) -> String {
    let mut out = String::new();
    for turn in turns {
        if let Some(prompt) = &turn.prompt {
            out += &format!("> {} {:?}\n", prompt.text, prompt.positions);
        }
        show(&turn.items, 1, &mut out);
        if let Some(end) = &turn.end {
            out += &format!("  = {} {:?}\n", end.phase, end.positions);
        }
    }
    out
}

fn show(items: &[Item], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let agent = |agent: &AgentItem, out: &mut String| {
        *out += &format!("{indent}  {}:\n", agent.actor);
        show(&agent.items, depth + 2, out);
    };
    for item in items {
        match item {
            Item::Words(said) => *out += &format!("{indent}{} {:?}\n", said.text, said.positions),
            Item::Thought(said) => {
                *out += &format!("{indent}({}) {:?}\n", said.text, said.positions)
            }
            Item::Notice(said) => {
                *out += &format!("{indent}! {} {:?}\n", said.text, said.positions)
            }
            Item::Call(call) => {
                let [tool, input, result] =
                    [&call.tool, &call.input, &call.result].map(|it| it.as_deref().unwrap_or("-"));
                *out += &format!(
                    "{indent}{tool} {input} -> {result} {:?} {:?} ms {:?}\n",
                    call.is_ok, call.duration_ms, call.positions
                );
                call.agent.iter().for_each(|it| agent(it, out));
            }
            Item::Agent(it) => agent(it, out),
        }
    }
}

#[test]
fn a_session_is_one_row_however_it_is_told() {
    assert_snapshot!(serde_json::to_string_pretty(&rows(&talk())).unwrap(), @r#"
    [
      {
        "session": "s1",
        "state": "running",
        "title": "Fix the labels",
        "actors": [
          "session-s1",
          "a77"
        ],
        "first_prompt": "Fix the labels",
        "last_prompt": "Thanks",
        "folder": "/h",
        "model": "claude-sonnet-4-5",
        "n_turns": 2,
        "n_calls": 2,
        "n_errors": 0,
        "n_records": 15,
        "total_tokens": 0,
        "cost_usd": 0.0,
        "estimated_usd": 0.0,
        "since": "2026-11-15T08:00:00Z",
        "last_seen": "2026-11-15T08:01:00Z",
        "silent_ms": 540000,
        "first_position": 1,
        "position": 15
      }
    ]
    "#);
}

#[test]
fn a_session_reads_like_a_conversation_and_tells_nothing_twice() {
    assert_snapshot!(shown(&turns(&talk())), @r#"
    > Fix the labels [2, 3]
      (Where is it?) [4]
      Task {"prompt":"Find it"} -> Found in a.rs Some(true) Some(4000) ms [5, 6, 10, 11]
        a77:
          Read {"file_path":"/h/a.rs"} -> - None None ms [8]
          It is in a.rs [9]
      Done: the label is right. [12, 13, 14]
      = completed [13, 14]
    > Thanks [15]
    "#);
}

#[test]
fn a_file_that_is_read_long_after_the_hooks_adds_nothing_twice() {
    let (files, hooks): (Vec<String>, Vec<String>) =
        talk().into_iter().partition(|line| line.contains("transcript"));
    let late: Vec<String> = hooks.into_iter().chain(files).collect();
    let texts = |turns: &[Turn]| {
        let shown = shown(turns);
        shown
            .lines()
            .map(|line| line.split('[').next().unwrap_or_default().trim_end().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(&turns(&late)), texts(&turns(&talk())));
    let [early, late] = [talk(), late].map(|lines| rows(&lines).remove(0));
    assert_eq!(
        (early.n_turns, early.n_calls, early.state),
        (late.n_turns, late.n_calls, late.state)
    );
}

#[test]
fn pieces_of_an_answer_become_the_answer() {
    let engine = |seq: u64, event_type: &str, text: &str| {
        format!(
            r#"{{"id":"e{seq}","runId":"r1","ts":{},"seq":{seq},"type":"{event_type}","payload":{{"text":"{text}"}}}}"#,
            1_794_729_600_000 + seq
        )
    };
    let lines = [
        engine(0, "UserMessage", "Go"),
        engine(1, "AgentMessageChunk", "I will "),
        engine(2, "AgentMessageChunk", "look."),
        engine(3, "AgentMessageDone", "I will look."),
        engine(4, "AgentMessageChunk", "And then"),
    ];
    assert_snapshot!(shown(&turns(&lines)), @"
    > Go [1]
      I will look. [2, 3, 4]
      And then [5]
    ");
}

#[test]
fn a_call_that_ends_and_is_observed_is_one_call() {
    let told = |seq: u64, event_type: &str, payload: &str| {
        format!(
            r#"{{"id":"e{seq}","runId":"r1","ts":{},"seq":{seq},"type":"{event_type}","payload":{payload}}}"#,
            1_794_729_600_000 + seq
        )
    };
    let lines = [
        told(0, "UserMessage", r#"{"text":"Go"}"#),
        told(1, "ToolCallStarted", r#"{"toolCallId":"c-1","tool":"fs.read"}"#),
        told(2, "ToolCallFinished", r#"{"toolCallId":"c-1","tool":"fs.read","ok":true}"#),
        told(3, "Observation", r#"{"toolCallId":"c-1","ok":true,"summary":"12 lines"}"#),
        told(4, "ToolCallStarted", r#"{"toolCallId":"c-2","tool":"tests.run"}"#),
        told(5, "ToolCallFinished", r#"{"toolCallId":"c-2","tool":"tests.run","ok":false}"#),
        told(6, "Observation", r#"{"toolCallId":"c-2","ok":false,"summary":"2 failed"}"#),
        told(7, "ToolCallStarted", r#"{"toolCallId":"c-3","tool":"fs.read"}"#),
    ];
    let row = rows(&lines).remove(0);
    assert_eq!((row.n_turns, row.n_calls, row.n_errors), (1, 3, 1));
}

#[test]
fn a_session_stands_as_its_agent_does() {
    let talk = talk();
    let end = hook("SessionEnd", "02:00", "s", r#","reason":"other""#, "");
    let ask = hook("PermissionRequest", "00:03", "c9", "", r#","tool":{"tool_name":"Bash"}"#);
    let fail = hook("StopFailure", "02:00", "p1", r#","error":"overloaded""#, "");
    let state = |n: usize, last: &[String]| {
        let lines: Vec<String> = talk[..n].iter().chain(last).cloned().collect();
        rows(&lines).remove(0).state
    };
    use SessionState::{Done, Failed, Running, Waiting};
    assert_eq!(
        [state(8, &[]), state(14, &[]), state(15, &[]), state(15, &[end])],
        [Running, Waiting, Running, Done]
    );
    assert_eq!([state(3, &[ask]), state(14, &[fail])], [Waiting, Failed]);
}

/// Returns a session with an edit, a decision in two parts, and a failure.
fn eventful() -> Vec<String> {
    let event = |n: u64, event_type: &str, time: &str, message: &str, rest: &str| {
        recorded(n, "message", time, "x9", message, rest)
            .replace("activity.message", event_type)
            .replace(r#","metadata":{"client":"claude-code","source":"transcript"}"#, "")
    };
    let decided = r#","metadata":{"decision_id":"d1","chosen":"sled","rationale":"it is small"}"#;
    let edit = r#","tool":{"tool_name":"Edit","tool_input":{"file_path":"/h/a.rs","old_string":"8","new_string":"16"}}"#;
    let mut lines = talk();
    lines.truncate(14);
    lines.insert(6, event(21, "system.error", "00:03.5", "disk is full", ""));
    lines.insert(3, event(20, "decision.made", "00:01.5", "Chose sled", decided));
    lines.push(hook("PreToolUse", "00:10", "c7", r#","tool_use_id":"c7""#, edit));
    lines
}

fn listed(items: &[TalkItem]) -> String {
    let line = |item: &TalkItem| {
        let kind = serde_json::to_string(&item.kind).unwrap();
        let text = item.text.as_deref().or(item.tool.as_deref()).or(item.by.as_deref());
        let indent = "  ".repeat(item.depth);
        let TalkItem { nth, turn, positions, .. } = item;
        format!("{nth} {turn} {indent}{kind} {} {positions:?}\n", text.unwrap_or("-"))
    };
    items.iter().map(line).collect()
}

fn list(conversation: &Conversation, upto: u64) -> TalkList {
    let mut list = TalkList::default();
    list.catch_up(conversation, upto);
    list
}

fn told(list: &TalkList) -> (Vec<TalkItem>, Marks) {
    (list.items(0..usize::MAX).collect(), list.marks().clone())
}

#[test]
fn a_talk_is_one_list_with_decisions_and_failures_where_they_were() {
    let list = list(&conversation(&eventful()), u64::MAX);
    let items: Vec<TalkItem> = list.items(0..usize::MAX).collect();
    assert_snapshot!(listed(&items), @r#"
    0 0 "prompt" Fix the labels [2, 3]
    1 0 "decision" sled [4]
    2 0 "thought" Where is it? [5]
    3 0 "call" Task [6, 7, 12, 13]
    4 0 "agent" a77 []
    5 0   "call" Read [10]
    6 0   "said" It is in a.rs [11]
    7 0 "error" disk is full [8]
    8 0 "said" Done: the label is right. [14, 15, 16]
    9 0 "edit" Edit [17]
    10 0 "end" completed [15, 16]
    "#);
    assert_snapshot!(serde_json::to_string(list.marks()).unwrap(), @r#"{"errors":[7],"decisions":[1],"edits":[9],"turns":[0]}"#);
    let edit = items.iter().find(|item| item.kind == TalkKind::Edit).unwrap();
    let diff = edit.diff.as_ref().map(|diff| (&*diff.old, &*diff.new));
    assert_eq!((edit.path.as_deref(), diff), (Some("/h/a.rs"), Some(("8", "16"))));
    let decision = items.iter().find(|item| item.kind == TalkKind::Decision).unwrap();
    assert_eq!(decision.result.as_deref(), Some("it is small"));
}

#[test]
fn a_talk_of_the_past_is_the_one_that_was_then() {
    let lines = eventful();
    let whole = conversation(&lines);
    for n in 0..=lines.len() {
        let then = list(&whole, n as u64);
        assert_eq!(told(&then), told(&list(&conversation(&lines[..n]), u64::MAX)), "{n}");
    }
}

#[test]
fn a_talk_of_subagents_alone_shows_them() {
    let lines: Vec<String> =
        talk().into_iter().filter(|line| line.contains(r#""agent_id":"a77""#)).collect();
    let list = list(&conversation(&lines), u64::MAX);
    assert_snapshot!(listed(&told(&list).0), @r#"
    0 0 "agent" a77 []
    1 0   "call" Read [2]
    2 0   "said" It is in a.rs [3]
    "#);
    assert_eq!(turns(&lines).len(), 1);
}

#[test]
fn what_an_edit_changes_is_read_whatever_its_tool_calls_it() {
    let diff = |input: &str| {
        let mut tape = Tape::new();
        let value = tape.parse_bytes(input.as_bytes()).unwrap();
        Diff::of(value).map(|diff| (diff.old, diff.new))
    };
    let some = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
    assert_eq!(diff(r#"{"old_str":"a","new_str":"b"}"#), some("a", "b"));
    assert_eq!(diff(r#"{"file_path":"x","content":"all"}"#), some("", "all"));
    let edits =
        r#"{"edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}"#;
    assert_eq!(diff(edits), some("a\nc", "b\nd"));
    let patch =
        r#"{"input":"*** Begin Patch\n*** Update File: x\n@@\n same\n-a\n+b\n*** End Patch"}"#;
    assert_eq!(diff(patch), some("same\na", "same\nb"));
    assert_eq!(diff(r#"{"command":"ls"}"#), None);
    assert_eq!(diff("7"), None);
    let long = format!(r#"{{"content":"{}"}}"#, "é".repeat(5000));
    assert_eq!(diff(&long).unwrap().1.chars().count(), 4001);
}
