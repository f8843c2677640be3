//! What needs a person, what resolves it, and that nothing is told twice.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use serde_json::json;
use weft_event::time::format_rfc3339;

use super::{Need, NeedKind, inbox};
use crate::scene::{agent, at, hook, late, night, permission, run, views, worker};
use crate::testing::{Placed, place};
use crate::usage::{Limit, LimitOf, Per};
use crate::{Judgement, Money, Rules};

fn needs(lines: impl IntoIterator<Item = String>, seconds: i64) -> Vec<Need> {
    inbox(&views(&late(lines)), at(seconds), &Rules::default())
}

/// Returns what needs a person this many seconds after the start.
fn told(lines: impl IntoIterator<Item = String>, seconds: i64) -> String {
    let line = |need: Need| format!("{} | {} | {}", need.id, need.what, need.command);
    needs(lines, seconds).into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn bash(seconds: i64, event_type: &str, call: &str) -> String {
    hook("s", seconds, event_type, call, "Bash", json!({"command": "make"}))
}

/// Returns that a person is asked whether [`bash`] may run.
fn asks(seconds: i64) -> String {
    permission("s", seconds, "Bash", json!({"command": "make"}))
}

fn notified(seconds: i64, kind: &str) -> String {
    let payload =
        json!({"notification_type": kind, "message": "Claude needs your permission to use Bash"});
    let more =
        json!({"source": "hook", "hook": {"hook_type": "notification", "raw_payload": payload}});
    agent("session-s", "s", seconds, "hook.notification", more)
}

#[test]
fn a_permission_is_asked_for_until_its_call_goes_on() {
    let other = |seconds, event_type: &str| {
        hook("s", seconds, event_type, "c-0", "Bash", json!({"command": "make test"}))
    };
    let mut lines = vec![
        other(1, "hook.pre_tool_use"),
        bash(1, "hook.pre_tool_use", "c-1"),
        asks(2),
        notified(8, "permission_prompt"),
    ];
    assert_snapshot!(told(lines.clone(), 10), @"permission/session-s/3 | wants to use Bash | weft session s");
    lines.push(other(9, "hook.post_tool_use"));
    assert_eq!(needs(lines.clone(), 10).len(), 1, "another call went on, this one did not");
    lines.push(bash(12, "hook.post_tool_use", "c-1"));
    assert_snapshot!(told(lines, 13), @"");
}

#[test]
fn two_permissions_are_two_needs_and_each_ends_with_its_own_call() {
    let run = |command: &str| json!({ "command": command });
    let call = |seconds, event_type: &str, id: &str, command: &str| {
        hook("s", seconds, event_type, id, "Bash", run(command))
    };
    let mut lines = vec![
        call(1, "hook.pre_tool_use", "c-1", "make"),
        call(1, "hook.pre_tool_use", "c-2", "git push"),
        permission("s", 2, "Bash", run("make")),
        permission("s", 3, "Bash", run("git push")),
        notified(8, "permission_prompt"),
    ];
    assert_snapshot!(told(lines.clone(), 10), @"
    permission/session-s/3 | wants to use Bash | weft session s
    permission/session-s/4 | wants to use Bash | weft session s
    ");
    lines.push(call(11, "hook.post_tool_use", "c-1", "make"));
    assert_snapshot!(told(lines.clone(), 12), @"permission/session-s/4 | wants to use Bash | weft session s");
    lines.push(call(13, "hook.permission_denied", "c-2", "git push"));
    assert_snapshot!(told(lines, 14), @"blocked/session-s/7 | blocked | weft session s");
}

#[test]
fn of_equal_calls_each_permission_has_its_own() {
    let mut lines = vec![
        bash(1, "hook.pre_tool_use", "c-1"),
        bash(1, "hook.pre_tool_use", "c-2"),
        asks(2),
        asks(7),
    ];
    assert_eq!(needs(lines.clone(), 8).len(), 2);
    lines.push(bash(9, "hook.post_tool_use", "c-1"));
    assert_eq!(needs(lines.clone(), 10).len(), 1);
    // Asked again about the one that is left, and that is no other need.
    lines.push(asks(11));
    assert_eq!(needs(lines.clone(), 12).len(), 1);
    lines.push(bash(13, "hook.post_tool_use", "c-2"));
    assert_eq!(needs(lines, 14), []);
}

#[test]
fn a_permission_without_the_call_before_it_ends_with_one_that_was_given_the_same() {
    let other = hook("s", 3, "hook.post_tool_use", "c-0", "Bash", json!({"command": "make test"}));
    // The hooks before a call wait for nobody, and the one that asks may overtake it.
    let mut lines = vec![asks(2), bash(2, "hook.pre_tool_use", "c-1"), other];
    assert_snapshot!(told(lines.clone(), 4), @"permission/session-s/1 | wants to use Bash | weft session s");
    lines.push(bash(5, "hook.post_tool_use", "c-1"));
    assert_snapshot!(told(lines, 6), @"");
}

#[test]
fn a_question_is_open_until_it_is_answered_or_left_behind() {
    let asks = |event_type, seconds| {
        let payload = json!({"mcp_server_name": "db", "elicitation_id": "e-1"});
        let hook_type = "elicitation";
        agent(
            "session-s",
            "s",
            seconds,
            event_type,
            json!({
                "source": "hook",
                "message": "Which table?",
                "hook": {"hook_type": hook_type, "raw_payload": payload},
            }),
        )
    };
    let mut lines = vec![asks("hook.elicitation", 1)];
    assert_snapshot!(told(lines.clone(), 2), @"answer/session-s/e-1 | Which table? | weft session s");
    lines.push(asks("hook.elicitation_result", 3));
    assert_snapshot!(told(lines.clone(), 4), @"");
    lines[1] = agent("session-s", "s", 3, "hook.prompt_submit", json!({}));
    assert_snapshot!(told(lines, 4), @"");
}

#[test]
fn an_idle_agent_needs_a_person_only_by_rule() {
    let lines = [notified(1, "idle_prompt")];
    assert_snapshot!(told(lines.clone(), 2), @"");
    let rules = Rules { is_idle_a_need: true, ..Rules::default() };
    let needs = inbox(&views(&late(lines)), at(2), &rules);
    assert_snapshot!(needs[0].id, @"idle/session-s/1");
}

#[test]
fn a_run_that_waits_for_a_person_is_told_once() {
    let state = |n, seconds, to: &str, reason: &str| {
        run(
            "r-1",
            n,
            seconds,
            "StateChanged",
            json!({"from": "RUNNING", "to": to, "reason": reason}),
        )
    };
    let ask = |n, seconds, kind: &str| {
        run(
            "r-1",
            n,
            seconds,
            kind,
            json!({"callId": "a-1", "tool": "user.ask", "input": {"question": "Which?"}}),
        )
    };
    let mut lines =
        vec![state(0, 1, "RUNNING", "start"), state(1, 2, "AWAITING_USER", "step_budget")];
    assert_snapshot!(told(lines.clone(), 3), @"over_budget/r-1/2 | the run waits for a person: a limit is reached (step_budget) | weft session r-1");
    lines.push(state(2, 4, "RUNNING", "continue"));
    assert_snapshot!(told(lines.clone(), 5), @"");
    lines.extend([ask(3, 6, "ToolCallStarted"), state(4, 7, "AWAITING_USER", "awaiting_user")]);
    assert_snapshot!(told(lines.clone(), 8), @"answer/r-1/4 | waits for an answer | weft session r-1");
    lines.push(ask(5, 9, "ToolCallFinished"));
    lines.push(state(6, 9, "RUNNING", "user_input"));
    assert_snapshot!(told(lines, 10), @"");
}

#[test]
fn a_loop_that_waits_for_a_person_says_how_it_goes_on() {
    let state = |seconds: i64, paused: Option<&str>| {
        let frame =
            json!({"id": "loop-1", "mode": "loop", "iter": 2, "max": 5, "prompt_file": "/p"});
        let mut event = json!({
            "schema": 0,
            "event": "STATE",
            "run_id": "loop-1",
            "session_id": "my session",
            "updated_at": format_rfc3339(at(seconds)),
            "stack": [frame],
        });
        if let Some(why) = paused {
            event["paused"] = json!(why);
        }
        event.to_string()
    };
    let trace = json!({
        "event_id": "t-1",
        "ts": format_rfc3339(at(2)),
        "run_id": "loop-1",
        "session_id": "my session",
        "loop_kind": "loop",
        "event": "REVIEW_ESCALATE",
        "iteration": 2,
        "max": 5,
        "details": {"reason": "somebody asked a person to look at it"},
    });
    let mut traced = vec![state(1, None), trace.to_string()];
    assert_snapshot!(told(traced.clone(), 3), @"answer/loop-1/2 | somebody asked a person to look at it | weft session 'my session'");
    traced.insert(1, state(2, Some("escalated")));
    assert_eq!(needs(traced.clone(), 3)[0].positions, [2, 3]);
    assert_snapshot!(told(traced, 3), @"answer/loop-1/escalated | it waits for a person: somebody asked a person to look at it | weft loop resume --session 'my session'");
    let mut lines = vec![state(1, None), state(2, Some("escalated"))];
    assert_snapshot!(told(lines.clone(), 3), @"answer/loop-1/escalated | it waits for a person: somebody asked a person to look at it | weft loop resume --session 'my session'");
    assert_snapshot!(told(lines.clone(), 3 * 3600), @"answer/loop-1/escalated | it waits for a person: somebody asked a person to look at it | weft loop resume --session 'my session'");
    lines[1] = state(2, Some("review"));
    assert_snapshot!(told(lines.clone(), 3), @"answer/loop-1/review | it waits for a person: its reviews did not pass | weft loop resume --session 'my session'");
    lines[1] = state(2, Some("asked"));
    assert_snapshot!(told(lines.clone(), 3 * 3600), @"");
    lines[1] = state(2, Some("review"));
    lines.push(state(4, None));
    assert_snapshot!(told(lines, 5), @"");
}

#[test]
fn who_is_blocked_or_failed_is_here_until_it_goes_on() {
    let message = |text: &str| json!({"message": text});
    let mut lines = vec![
        agent("@a", "s1", 1, "coordination.blocked", message("no key for the registry")),
        agent("@b", "s2", 2, "lifecycle.error", message("cannot open the file")),
        worker("w", 0, 3, "budget.exceeded", json!({"data": {"used": 12.0, "limit": 10.0}})),
    ];
    assert_snapshot!(told(lines.clone(), 5), @"
    blocked/@a/1 | no key for the registry | weft session s1
    over_budget/w/w-1/10 | used 12 of 10 of its budget | weft session w-1
    failed/@b/2 | cannot open the file | weft show 2
    ");
    lines.extend([
        agent("@a", "s1", 6, "activity.progress", json!({})),
        agent("@b", "s2", 6, "lifecycle.started", json!({})),
        worker("w", 1, 6, "strand.started", json!({})),
    ]);
    assert_snapshot!(told(lines, 7), @"");
}

#[test]
fn a_failure_that_nothing_followed_is_forgotten_in_time() {
    let lines = [
        agent("@b", "s2", 2, "lifecycle.error", json!({"message": "out of memory"})),
        agent("@b", "s2", 3, "lifecycle.terminated", json!({})),
    ];
    assert_snapshot!(told(lines.clone(), 3600), @"failed/@b/1 | out of memory | weft show 1");
    assert_snapshot!(told(lines, 25 * 3600), @"");
}

#[test]
fn waiting_on_another_agent_is_no_need_unless_it_cannot_end() {
    let waits = |name: &str, seconds, on: &str| {
        let more = json!({"metadata": {"waiting_for": on, "expected_status": "completed"}});
        agent(name, &format!("s-{name}"), seconds, "coordination.waiting", more)
    };
    let started = |name: &str| agent(name, &format!("s-{name}"), 1, "lifecycle.started", json!({}));
    let mut lines = vec![started("@a"), started("@b"), started("@c"), waits("@a", 2, "@b")];
    assert_snapshot!(told(lines.clone(), 10), @"");
    lines.push(waits("@b", 3, "@c"));
    lines.push(waits("@c", 4, "@a"));
    assert_snapshot!(told(lines.clone(), 10), @"deadlock/@a/4-5-6 | wait for each other: @a, @b, @c, @a | weft log actor=@b");
    lines.truncate(4);
    lines.push(agent("@b", "s-@b", 5, "lifecycle.terminated", json!({})));
    assert_snapshot!(told(lines.clone(), 10), @"deadlock/@a/4 | waits for @b, who is gone | weft log actor=@b");
    lines[3] = waits("@a", 2, "@nobody");
    assert_snapshot!(told(lines, 10), @"deadlock/@a/4 | waits for @nobody, who was never seen | weft log actor=@nobody");
}

#[test]
fn a_need_has_the_same_id_while_its_cause_lasts() {
    let read = |n: i64| bash(n * 2, "hook.pre_tool_use", &format!("c-{n}"));
    let ids = |n: i64| {
        let needs = needs((1..=n).map(read), n * 2 + 1);
        needs.into_iter().map(|need| need.id).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(ids(5), @"stuck/session-s/1");
    assert_eq!(ids(9), ids(5));
}

#[test]
fn a_late_answer_and_a_late_question_are_one() {
    let (before, answer) = ("hook.pre_tool_use", "hook.post_tool_use");
    assert_eq!(needs([bash(3, answer, "c-1"), asks(2), bash(1, before, "c-1")], 5), []);
}

#[test]
fn commands_can_be_typed_as_they_are() {
    let failed = |name: &str| {
        let line = json!({
            "version": "1.0.0",
            "event_type": "coordination.blocked",
            "agent_id": name,
            "timestamp": "2026-11-15T08:00:01Z",
        });
        needs([line.to_string()], 2).remove(0).command
    };
    assert_snapshot!(failed("@a"), @"weft log actor=@a");
    assert_snapshot!(failed("two words"), @r#"weft log 'actor="two words"'"#);
    assert_snapshot!(failed("it's \"odd\" *"), @r#"weft log 'actor="it'\''s \"odd\" *"'"#);
}

#[test]
fn the_demo_needs_a_person_for_every_reason() {
    let mut raised: BTreeMap<String, Need> = BTreeMap::new();
    let mut n_open_max = 0;
    night(7, 3_000, |views, now_ns| {
        let needs = inbox(views, now_ns, &Rules::default());
        n_open_max = n_open_max.max(needs.len());
        for need in needs {
            raised.entry(need.id.clone()).or_insert(need);
        }
    });
    let mut by_kind: BTreeMap<NeedKind, Vec<Need>> = BTreeMap::new();
    raised.into_values().for_each(|need| by_kind.entry(need.kind).or_default().push(need));
    let line = |(kind, needs): (&NeedKind, &Vec<Need>)| {
        let first = &needs[0];
        format!(
            "{} x {} as {:.16}: {:.70} | {:.40}",
            needs.len(),
            kind.as_str(),
            first.actor,
            first.what,
            first.command
        )
    };
    assert_snapshot!(by_kind.iter().map(line).collect::<Vec<_>>().join("\n"), @"
    4 x permission as session-92d2510f: Asking to use Bash | weft session 92d2510f-bb0e-4c12-98dd-a12
    14 x answer as 01a1de38-6bb8-70: the run waits for a person: an answer is needed (awaiting_user) | weft session 01a1de38-6bb8-7081-acda-b3b
    5 x blocked as @architect: May I raise the limit for existing keys? | weft session 92d2510f-bb0e-4c12-98dd-a12
    4 x over_budget as 01a1de38-6bb8-70: the run waits for a person: a limit is reached (step_budget) | weft session 01a1de38-6bb8-7081-acda-b3b
    41 x failed as @architect: The tracker's tool server did not answer | weft show 1289
    4 x stuck as dock-cedar: dock-flint found it stuck | weft session acb06798
    6 x collision as 01a1de39-0926-72: 01a1de39-0926-72a6-a7b6-f4cb9ab32d94, session-92d2510f change one file | weft log path=/home/ana/harbor/src/api/l
    ");
    assert_snapshot!(n_open_max, @"10");
}

#[test]
fn a_need_is_the_json_that_programs_get() {
    assert_snapshot!(serde_json::to_string_pretty(&needs([asks(2)], 3)).expect("needs are JSON"), @r#"
    [
      {
        "id": "permission/session-s/1",
        "kind": "permission",
        "actor": "session-s",
        "session": "s",
        "since": "2026-11-15T08:00:02Z",
        "what": "wants to use Bash",
        "positions": [
          1
        ],
        "command": "weft session s"
      }
    ]
    "#);
}

#[test]
fn a_collision_needs_a_person_while_both_are_there() {
    let edit = |session: &str, seconds| {
        hook(session, seconds, "hook.pre_tool_use", "c", "Edit", json!({"file_path": "/src/a.rs"}))
    };
    let mut lines = vec![edit("s1", 1), edit("s2", 3)];
    assert_snapshot!(told(lines.clone(), 10), @"collision//src/a.rs/1 | session-s1, session-s2 change one file: /src/a.rs | weft log path=/src/a.rs");
    let is_collision = |need: &Need| need.kind == NeedKind::Collision;
    assert!(!needs(lines.clone(), 3 + 601).iter().any(is_collision), "it was long ago");
    lines.push(agent("session-s2", "s2", 11, "hook.stop", json!({})));
    assert_snapshot!(told(lines, 12), @"");
}

#[test]
fn a_budget_is_told_before_it_is_used_up_and_once() {
    let spent = |number, seconds, event_type: &str, used: f64| {
        worker("w", number, seconds, event_type, json!({"data": {"used": used, "limit": 10.0}}))
    };
    let mut lines =
        vec![worker("w", 0, 1, "worker.started", json!({})), spent(1, 2, "budget.warning", 8.5)];
    assert_snapshot!(told(lines.clone(), 3), @"");
    lines.push(spent(2, 4, "budget.warning", 9.6));
    assert_snapshot!(told(lines.clone(), 5), @"over_budget/w/w-1/10 | used 9.6 of 10 of its budget | weft session w-1");
    lines.push(spent(3, 6, "budget.exceeded", 12.0));
    assert_snapshot!(told(lines.clone(), 7), @"over_budget/w/w-1/10 | used 12 of 10 of its budget | weft session w-1");
    lines.push(worker("w", 4, 8, "strand.started", json!({})));
    assert_snapshot!(told(lines, 9), @"");
}

#[test]
fn who_is_stopped_by_a_budget_again_needs_a_person_again() {
    let spent = |number, seconds, event_type: &str, used: f64, limit: f64| {
        worker("w", number, seconds, event_type, json!({"data": {"used": used, "limit": limit}}))
    };
    let works = |number, seconds| worker("w", number, seconds, "strand.started", json!({}));
    let idles = |number, seconds| worker("w", number, seconds, "worker.idle", json!({}));
    let lines = [
        works(0, 1),
        spent(1, 2, "budget.exceeded", 12.0, 10.0),
        spent(2, 4, "budget.exceeded", 12.0, 10.0),
        idles(3, 6),
        works(4, 8),
        idles(5, 10),
        works(6, 12),
        spent(7, 14, "budget.exceeded", 13.0, 10.0),
        idles(8, 16),
        spent(9, 18, "budget.stop", 13.0, 10.0),
        works(10, 20),
        spent(11, 22, "budget.warning", 19.5, 20.0),
        spent(12, 24, "budget.exceeded", 20.5, 20.0),
    ];
    let ids = (1..=lines.len()).map(|n| {
        let needs = needs(lines[..n].to_vec(), 2 * n as i64);
        let ids: Vec<&str> = needs.iter().map(|need| need.id.as_str()).collect();
        format!("{n}: {ids:?}\n")
    });
    assert_snapshot!(ids.collect::<String>(), @r#"
    1: []
    2: ["over_budget/w/w-1/10"]
    3: ["over_budget/w/w-1/10"]
    4: ["over_budget/w/w-1/10"]
    5: []
    6: []
    7: []
    8: ["over_budget/w/w-1/10/2026-11-15T08:00:12Z"]
    9: ["over_budget/w/w-1/10/2026-11-15T08:00:12Z"]
    10: ["over_budget/w/w-1/10/2026-11-15T08:00:12Z"]
    11: []
    12: ["over_budget/w/w-1/20"]
    13: ["over_budget/w/w-1/20"]
    "#);
}

#[test]
fn a_budget_that_is_set_needs_a_person_while_it_is_used() {
    let spent = |name: &str, seconds, usd: f64| {
        let more =
            json!({"metadata": {"task_id": "t-1", "usage": {"input_tokens": 10, "cost_usd": usd}}});
        agent(name, &format!("s-{name}"), seconds, "activity.thinking", more)
    };
    let usd = |per: &[Per], usd: f64| Limit {
        per: per.to_vec(),
        of: LimitOf::Cost(Money::from_dollars(usd)),
    };
    let judgement = Judgement {
        limits: vec![
            usd(&[Per::Day], 10.0),
            usd(&[Per::Actor, Per::Day], 6.0),
            usd(&[Per::Session], 100.0),
            usd(&[Per::Task], 9.8),
        ],
        ..Judgement::default()
    };
    let told = |lines: Vec<String>, seconds| {
        let needs = super::needs(&views(&late(lines)), at(seconds), &judgement);
        let over = needs.iter().filter(|need| need.kind == NeedKind::OverBudget);
        let line =
            |need: &Need| format!("{} | {}: {} | {}", need.id, need.actor, need.what, need.command);
        over.map(line).collect::<Vec<_>>().join("\n")
    };
    let mut lines = vec![spent("@a", 1, 3.0), spent("@b", 2, 6.4)];
    assert_snapshot!(told(lines.clone(), 3), @"
    over_budget/@b on 2026-11-15/actor 6 usd | @b: used $6.40 of $6.00 that an actor has: @b on 2026-11-15 | weft log actor=@b
    over_budget/t-1/task 9.8 usd | @b: used $9.40 of $9.80 that a piece of work has: t-1 | weft log task=t-1
    ");
    lines.push(spent("@a", 4, 0.2));
    assert_snapshot!(told(lines.clone(), 5), @"
    over_budget/@b on 2026-11-15/actor 6 usd | @b: used $6.40 of $6.00 that an actor has: @b on 2026-11-15 | weft log actor=@b
    over_budget/2026-11-15/day 10 usd | @b: used $9.60 of $10.00 that a day has: 2026-11-15 | weft usage --by actor
    over_budget/t-1/task 9.8 usd | @b: used $9.60 of $9.80 that a piece of work has: t-1 | weft log task=t-1
    ");
    let an_hour_later = 4 + 3_601;
    assert_snapshot!(told(lines.clone(), an_hour_later), @"");
    lines.push(spent("@a", an_hour_later, 0.1));
    assert_snapshot!(told(lines.clone(), an_hour_later + 1), @"
    over_budget/2026-11-15/day 10 usd | @b: used $9.70 of $10.00 that a day has: 2026-11-15 | weft usage --by actor
    over_budget/t-1/task 9.8 usd | @b: used $9.70 of $9.80 that a piece of work has: t-1 | weft log task=t-1
    ");
    assert_snapshot!(told(lines, 24 * 3_600), @"");
}

#[test]
fn a_loop_that_stands_still_says_how_it_goes_on() {
    let frame = json!({"id": "loop-1", "mode": "loop", "iter": 2, "max": 5, "prompt_file": "/p"});
    let state = json!({
        "schema": 0,
        "event": "STATE",
        "run_id": "loop-1",
        "session_id": "s",
        "updated_at": format_rfc3339(at(1)),
        "stack": [frame],
    });
    assert_snapshot!(told([state.to_string()], 2 + 7_200), @"stuck/loop-1/1 | a loop that does not go on | weft loop resume --session s");
}

#[test]
fn work_that_was_given_up_needs_a_person_until_somebody_has_it() {
    let bead = |name: &str, number, seconds, event_type: &str| {
        worker(name, number, seconds, event_type, json!({"data": {"bead_id": "bd-1"}}))
    };
    let mut lines = vec![bead("w", 0, 1, "bead.claim_exhausted")];
    assert_snapshot!(told(lines.clone(), 2), @"blocked/bd-1/given up | nobody will try again to get bd-1 | weft log task=bd-1");
    lines.push(worker("w", 1, 3, "strand.started", json!({})));
    lines.push(bead("v", 0, 4, "bead.claim_exhausted"));
    assert_snapshot!(told(lines.clone(), 5), @"blocked/bd-1/given up | nobody will try again to get bd-1 | weft log task=bd-1");
    lines.push(bead("v", 1, 6, "bead.claimed"));
    assert_snapshot!(told(lines.clone(), 7), @"");
    lines.push(bead("v", 2, 8, "bead.completed"));
    assert_snapshot!(told(lines, 9), @"");
}

#[test]
fn codes_are_told_in_words() {
    let failed = |reason: &str| {
        let payload = json!({"from": "RUNNING", "to": "ERROR", "reason": reason});
        told([run("r-1", 0, 1, "StateChanged", payload)], 2)
    };
    assert_snapshot!(failed("agent_error"), @"failed/r-1/1 | the agent failed (agent_error) | weft show 1");
    assert_snapshot!(failed("no disk left"), @"failed/r-1/1 | no disk left | weft show 1");
    let aborted = json!({
        "schema": 0,
        "event": "ABORT",
        "run_id": "loop-1",
        "detail": "NO_PROGRESS",
        "updated_at": format_rfc3339(at(1)),
        "stack": [],
    });
    assert_snapshot!(told([aborted.to_string()], 2), @"failed/loop-1/1 | iterations went by without a change (NO_PROGRESS) | weft show 1");
}

/// How far a clock is ahead.
const AHEAD_S: i64 = 300;

/// Returns lines as they are received each by itself, and all at once.
fn received(lines: &[String]) -> [Vec<Placed>; 2] {
    let each = place(lines.to_vec());
    let mut at_once = each.clone();
    let last_ns = each.last().expect("there are lines").received_ns;
    at_once.iter_mut().for_each(|placed| placed.received_ns = last_ns);
    [each, at_once]
}

/// Returns the kinds of needs a while after the start, whichever way the lines are received.
fn kinds(lines: &[String], seconds: i64) -> [String; 2] {
    received(lines).map(|placed| {
        let needs = inbox(&views(&placed), at(seconds), &Rules::default());
        needs.iter().map(|need| need.kind.as_str()).collect::<Vec<_>>().join(" ")
    })
}

#[test]
fn a_budget_of_a_clock_that_is_ahead_is_resolved_too() {
    let state = |n, to: &str, reason: &str| {
        let spent = json!({"used": 12, "limit": 12});
        let payload = json!({"from": "RUNNING", "to": to, "reason": reason, "usage": spent});
        run("r-1", n, AHEAD_S + n as i64, "StateChanged", payload)
    };
    let mut lines = vec![state(0, "RUNNING", "start"), state(1, "AWAITING_USER", "step_budget")];
    assert_eq!(kinds(&lines, 3), ["over_budget", "over_budget"]);
    let changed = |n, from: &str, to: &str, reason: &str| {
        let payload = json!({"from": from, "to": to, "reason": reason});
        run("r-1", n, AHEAD_S + n as i64, "StateChanged", payload)
    };
    lines.push(changed(2, "AWAITING_USER", "RUNNING", "continue"));
    assert_eq!(kinds(&lines, 4), ["", ""]);
    lines.push(changed(3, "RUNNING", "FINISHED", "finished"));
    assert_eq!(kinds(&lines, 5), ["", ""]);
}

#[test]
fn a_worker_whose_clock_is_ahead_goes_on_after_its_budget() {
    let spent = json!({"data": {"used": 12.0, "limit": 10.0}});
    let mut lines = vec![
        worker("w", 0, AHEAD_S, "worker.started", json!({})),
        worker("w", 1, AHEAD_S + 1, "budget.exceeded", spent),
    ];
    assert_eq!(kinds(&lines, 3), ["over_budget", "over_budget"]);
    lines.push(worker("w", 2, AHEAD_S + 2, "strand.started", json!({})));
    assert_eq!(kinds(&lines, 4), ["", ""]);
}

#[test]
fn a_collision_of_clocks_that_are_ahead_is_told_at_once_and_resolved() {
    let edit = |session: &str, seconds| {
        let file = json!({"file_path": "/src/a.rs"});
        hook(session, AHEAD_S + seconds, "hook.pre_tool_use", "c", "Edit", file)
    };
    let mut lines = vec![edit("s1", 1), edit("s2", 2)];
    assert_eq!(kinds(&lines, 3), ["collision", "collision"]);
    lines.push(agent("session-s2", "s2", AHEAD_S + 3, "hook.stop", json!({})));
    assert_eq!(kinds(&lines, 4), ["", ""]);
}
