//! One silent session is told once, whoever reports it.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::Rules;
use crate::inbox::inbox;
use crate::scene::{agent, at, hook, late, permission, views};

/// When all have long been silent.
const LATER_S: i64 = 200;

fn told(lines: impl IntoIterator<Item = String>, seconds: i64) -> String {
    let needs = inbox(&views(&late(lines)), at(seconds), &Rules::default());
    let line =
        |need: &crate::inbox::Need| format!("{} {:?} {}", need.id, need.positions, need.what);
    needs.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns what an agent says of itself in a session, under a name of its own.
fn says(name: &str, session: &str, seconds: i64) -> String {
    let root = json!({"trace_id": "t", "root_agent_id": format!("session-{session}")});
    let more = json!({"source": "mcp", "correlation": root});
    agent(name, session, seconds, "activity.progress", more)
}

fn calls(session: &str, seconds: i64) -> String {
    let input: Value = json!({"command": "make"});
    hook(session, seconds, "hook.pre_tool_use", "c-1", "Bash", input)
}

/// Returns what hooks tell of a subagent of a session.
fn subagent(name: &str, session: &str, seconds: i64) -> String {
    let more = json!({
        "source": "hook",
        "correlation": {"trace_id": "t", "span_id": name, "root_agent_id": format!("session-{session}")},
        "hook": {"hook_type": "subagent_start", "raw_payload": {}},
    });
    agent(name, session, seconds, "hook.subagent_start", more)
}

#[test]
fn a_session_that_hooks_and_its_agent_tell_of_is_one_in_either_order() {
    assert_snapshot!(told([says("@lead", "s", 1), calls("s", 2)], LATER_S), @"stuck/@lead/1 [1, 2] silent, last heard of in progress");
    assert_snapshot!(told([calls("s", 1), says("@lead", "s", 2)], LATER_S), @"stuck/@lead/2 [1, 2] silent, last heard of in progress");
    assert_snapshot!(told([calls("s", 1)], LATER_S), @"stuck/session-s/1 [1] silent, last heard of in tool_use");
}

#[test]
fn a_session_is_not_silent_while_it_is_heard_of_by_one_of_its_names() {
    let lines = [says("@lead", "s", 1), calls("s", 100)];
    assert_snapshot!(told(lines.clone(), LATER_S), @"");
    assert_snapshot!(told(lines, LATER_S + 30), @"stuck/@lead/1 [1, 2] silent, last heard of in progress");
}

#[test]
fn a_name_that_an_agent_gives_itself_gets_on_while_hooks_tell_that_it_does() {
    let done = |seconds| {
        let input: Value = json!({"command": format!("make {seconds}")});
        hook("s", seconds, "hook.post_tool_use", &format!("c-{seconds}"), "Bash", input)
    };
    let worked = (1..8).map(|n| done(n * 100));
    let lines: Vec<String> = [says("@lead", "s", 1)].into_iter().chain(worked).collect();
    assert_snapshot!(told(lines.clone(), 750), @"");
    assert_snapshot!(told(lines, 850), @"stuck/@lead/1 [1, 8] silent, last heard of in progress");
}

#[test]
fn a_silent_subagent_is_told_for_itself() {
    let lines = [calls("s", 1), subagent("a51f0c", "s", 2), says("@lead", "s", 3)];
    assert_snapshot!(told(lines, LATER_S), @"
    stuck/a51f0c/2 [2] silent, last heard of in started
    stuck/@lead/3 [1, 3] silent, last heard of in progress
    ");
}

#[test]
fn two_silent_sessions_are_two() {
    let lines = [calls("s", 1), says("@lead", "s", 2), calls("r", 3), says("@qa", "r", 4)];
    assert_snapshot!(told(lines, LATER_S), @"
    stuck/@lead/2 [1, 2] silent, last heard of in progress
    stuck/@qa/4 [3, 4] silent, last heard of in progress
    ");
}

#[test]
fn two_agents_in_a_session_that_has_no_main_agent_are_two() {
    assert_snapshot!(told([says("@lead", "s", 1), says("@qa", "s", 2)], LATER_S), @"
    stuck/@lead/1 [1] silent, last heard of in progress
    stuck/@qa/2 [2] silent, last heard of in progress
    ");
}

#[test]
fn a_session_that_waits_for_a_person_is_silent_for_that() {
    let asks = permission("s", 2, "Bash", json!({"command": "make"}));
    assert_snapshot!(told([says("@lead", "s", 1), asks], LATER_S), @"permission/session-s/2 [2] wants to use Bash");
    let blocked = agent("@lead", "s", 2, "coordination.blocked", json!({"message": "no key"}));
    assert_snapshot!(told([calls("s", 1), blocked], LATER_S), @"blocked/@lead/2 [2] no key");
}

#[test]
fn calls_that_repeat_keep_their_need_when_the_session_falls_silent() {
    let call = |n: i64| {
        let input = json!({"command": "make"});
        hook("s", n, "hook.pre_tool_use", &format!("c-{n}"), "Bash", input)
    };
    let lines: Vec<String> = (2..=6).map(call).chain([says("@lead", "s", 1)]).collect();
    assert_snapshot!(told(lines.clone(), 10), @"stuck/session-s/1 [1, 2, 3, 4, 5] Bash, 5 times in a row");
    assert_snapshot!(told(lines, LATER_S), @"stuck/session-s/1 [1, 2, 3, 4, 5, 6] Bash, 5 times in a row");
}
