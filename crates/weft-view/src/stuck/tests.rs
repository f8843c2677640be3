//! Each rule, what it fires on and what ends it.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::json;

use super::stuck;
use crate::Rules;
use crate::scene::{agent, at, hook, late, night, views, worker};

/// Returns who is stuck this many seconds after the start.
fn told(lines: impl IntoIterator<Item = String>, seconds: i64, rules: &Rules) -> String {
    let views = views(&late(lines));
    let all = stuck(&views, at(seconds), rules);
    let lines = all.iter().map(|stuck| {
        let rules: Vec<&str> = stuck.rules.iter().map(|rule| rule.as_str()).collect();
        format!("{} [{}] {} {:?}", stuck.actor, rules.join(" "), stuck.what, stuck.positions)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns both events of a call.
fn call(
    session: &str,
    seconds: i64,
    nth: i64,
    tool: &str,
    input: serde_json::Value,
) -> [String; 2] {
    let id = format!("call-{nth}");
    [
        hook(session, seconds, "hook.pre_tool_use", &id, tool, input.clone()),
        hook(session, seconds + 1, "hook.post_tool_use", &id, tool, input),
    ]
}

#[test]
fn the_same_call_five_times_in_a_row_is_stuck() {
    let read = |n: i64| call("s", n * 2, n, "Read", json!({"file_path": "src/a.rs"}));
    let calls: Vec<String> = (1..=5).flat_map(read).collect();
    assert_snapshot!(told(calls[..8].to_vec(), 12, &Rules::default()), @"");
    assert_snapshot!(told(calls.clone(), 12, &Rules::default()), @"session-s [same_call] Read src/a.rs, 5 times in a row [2, 4, 6, 8, 10]");
    let other = call("s", 12, 6, "Read", json!({"file_path": "src/b.rs"}));
    assert_snapshot!(told(calls.clone().into_iter().chain(other), 14, &Rules::default()), @"");
    let rules = Rules { same_call_times: 0, ..Rules::default() };
    assert_snapshot!(told(calls, 12, &rules), @"");
}

#[test]
fn the_same_command_is_the_same_call() {
    let test = |n: i64| call("s", n * 2, n, "Bash", json!({"command": "cargo test"}));
    assert_snapshot!(told((1..=5).flat_map(test), 12, &Rules::default()), @"session-s [same_call] Bash, 5 times in a row [2, 4, 6, 8, 10]");
    let each = |n: i64| call("s", n * 2, n, "Bash", json!({"command": format!("ls {n}")}));
    assert_snapshot!(told((1..=5).flat_map(each), 12, &Rules::default()), @"");
}

#[test]
fn a_file_edited_again_and_again_is_stuck_whatever_is_called_between() {
    let round = |n: i64| {
        let edit =
            call("s", n * 4, n * 2, "Edit", json!({"file_path": "src/a.rs", "new_string": n}));
        let test = call("s", n * 4 + 2, n * 2 + 1, "Bash", json!({"command": "cargo test"}));
        edit.into_iter().chain(test)
    };
    assert_snapshot!(told((1..=3).flat_map(round), 20, &Rules::default()), @"");
    assert_snapshot!(told((1..=4).flat_map(round), 20, &Rules::default()), @"session-s [same_edit] src/a.rs edited 4 times [2, 6, 10, 14]");
}

#[test]
fn silence_is_stuck_only_for_who_is_at_work() {
    let lines = [
        agent("@works", "s1", 1, "activity.thinking", json!({})),
        agent("@waits", "s2", 1, "coordination.waiting", json!({})),
        agent("@done", "s3", 1, "lifecycle.completed", json!({})),
        agent("@ended", "s4", 1, "activity.thinking", json!({})),
        agent("@ended", "s4", 2, "lifecycle.terminated", json!({})),
    ];
    assert_snapshot!(told(lines.clone(), 100, &Rules::default()), @"");
    assert_snapshot!(told(lines.clone(), 130, &Rules::default()), @"@works [silent] silent, last heard of in thinking [1]");
    assert_snapshot!(told(lines, 13 * 3600, &Rules::default()), @"");
}

#[test]
fn five_minutes_in_one_state_are_stuck_though_it_is_alive() {
    let beats = (1..=20).map(|n| worker("alpha", n as u64, n * 20, "heartbeat.emitted", json!({})));
    let claimed = worker("alpha", 0, 1, "bead.agent_started", json!({"bead_id": "bd-1"}));
    let lines: Vec<String> = std::iter::once(claimed).chain(beats).collect();
    assert_snapshot!(told(lines.clone(), 290, &Rules::default()), @"");
    assert_snapshot!(told(lines, 400, &Rules::default()), @"alpha [same_state] in thinking and gets nowhere [1]");
}

#[test]
fn ten_minutes_with_one_completion_are_slow() {
    let step = |n: i64| agent("@a", "s", n * 60, "activity.progress", json!({}));
    let mut lines: Vec<String> = (1..=11).map(step).collect();
    lines.extend(call("x", 60, 1, "Read", json!({"file_path": "a"})));
    assert_snapshot!(told(lines, 665, &Rules::default()), @"
    @a [slow] 0 completed in 10 minutes [11]
    session-x [silent same_state slow] silent, last heard of in progress [13]
    ");
}

#[test]
fn what_a_producer_found_and_what_a_rule_sees_are_one() {
    let lines = [
        worker("alpha", 0, 1, "bead.agent_started", json!({"bead_id": "bd-1"})),
        worker(
            "keeper",
            0,
            200,
            "heartbeat.stuck_detected",
            json!({"data": {"worker_id": "alpha"}}),
        ),
        worker(
            "keeper",
            1,
            201,
            "heartbeat.stuck_detected",
            json!({"data": {"worker_id": "unseen"}}),
        ),
    ];
    assert_snapshot!(told(lines.clone(), 210, &Rules::default()), @"
    alpha [silent reported] silent, last heard of in thinking [1, 2]
    unseen [reported] keeper found it stuck [3]
    ");
    let back =
        worker("keeper", 2, 205, "heartbeat.recovery", json!({"data": {"worker_id": "unseen"}}));
    let moves = worker("alpha", 1, 206, "bead.agent_completed", json!({"bead_id": "bd-1"}));
    assert_snapshot!(told(lines.into_iter().chain([back, moves]), 210, &Rules::default()), @"");
}

#[test]
fn the_demo_has_some_who_are_stuck() {
    let mut seen = BTreeSet::new();
    night(7, 4_000, |views, now_ns| {
        for stuck in stuck(views, now_ns, &Rules::default()) {
            seen.insert((stuck.id, stuck.rule.as_str(), stuck.what));
        }
    });
    let lines = seen.into_iter().map(|(id, rule, what)| format!("{id}: {rule}, {what}"));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    stuck/dock-cedar/80: reported, dock-flint found it stuck
    stuck/dock-cedar/854: reported, dock-flint found it stuck
    stuck/dock-cedar/854: silent, silent, last heard of in progress
    stuck/dock-delta/2760: reported, dock-flint found it stuck
    stuck/dock-delta/2760: silent, silent, last heard of in progress
    stuck/loop-1794721741-44375/15: stale, a loop that does not go on
    stuck/session-2b42c4ae/3342: same_edit, /home/ana/harbor/src/auth/session.rs edited 4 times
    stuck/session-92d2510f/888: same_edit, /home/ana/harbor/src/auth/session.rs edited 4 times
    ");
}
