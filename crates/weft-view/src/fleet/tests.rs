//! Who is there, by hand-made lines and in the demonstration.

use insta::assert_snapshot;
use serde_json::json;
use weft_event::sample::events;

use super::Fleet;
use crate::Rules;
use crate::scene::{agent, at, late, run, worker};
use crate::testing::{START_NS, assert_law, demo, fold, place};

/// Returns the fleet as a table: what matters of each actor, this many seconds after the start.
fn table(lines: impl IntoIterator<Item = String>, seconds: i64) -> String {
    let fleet: Fleet = fold(&late(lines));
    let rows = fleet.rows(at(seconds), &Rules::default());
    let lines = rows.iter().map(|row| {
        let since = row.since.map_or(0, |since| (since.0 - START_NS) / 1_000_000_000);
        let presence = serde_json::to_string(&row.presence).expect("a word");
        let status = row.status.map_or("-", |status| status.0.as_str());
        format!("{} {status} since {since} {presence} events {}", row.actor, row.n_events)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn plain(name: &str, session: &str, seconds: i64, event_type: &str) -> String {
    agent(name, session, seconds, event_type, json!({}))
}

#[test]
fn a_status_lasts_since_the_first_event_of_its_run() {
    let lines = [
        plain("@a", "s", 1, "activity.thinking"),
        plain("@a", "s", 2, "activity.progress"),
        plain("@a", "s", 3, "activity.progress"),
        plain("@a", "s", 4, "activity.progress"),
    ];
    assert_snapshot!(table(lines, 10), @r#"@a progress since 2 "alive_by_events" events 4"#);
}

#[test]
fn a_late_event_never_moves_a_status_back() {
    let lines = [
        plain("@a", "s", 2, "activity.progress"),
        plain("@a", "s", 5, "activity.progress"),
        plain("@a", "s", 3, "activity.thinking"),
        plain("@a", "s", 4, "activity.progress"),
    ];
    assert_snapshot!(table(lines, 10), @r#"@a progress since 4 "alive_by_events" events 4"#);
}

#[test]
fn a_run_is_as_long_as_it_is_however_many_events_it_has() {
    let many = (1..500).map(|seconds| plain("@a", "s", seconds, "activity.progress"));
    assert_snapshot!(table(many, 501), @r#"@a progress since 1 "alive_by_events" events 499"#);
}

#[test]
fn the_session_that_spoke_last_speaks_for_its_actor() {
    let lines = [
        plain("@a", "new", 20, "activity.thinking"),
        plain("@a", "old", 10, "lifecycle.completed"),
        plain("@a", "new", 15, "activity.progress"),
    ];
    assert_snapshot!(table(lines, 30), @r#"@a thinking since 20 "alive_by_events" events 3"#);
}

#[test]
fn silence_and_the_end_are_told_apart() {
    let lines = [
        plain("@busy", "s1", 100, "activity.progress"),
        plain("@quiet", "s2", 1, "activity.thinking"),
        plain("@over", "s3", 2, "activity.thinking"),
        plain("@over", "s3", 3, "lifecycle.terminated"),
    ];
    assert_snapshot!(table(lines, 200), @r#"
    @busy progress since 100 "alive_by_events" events 1
    @quiet thinking since 1 "silent" events 1
    @over thinking since 2 "gone" events 2
    "#);
}

#[test]
fn a_heartbeat_is_a_sign_of_life_and_nothing_more() {
    let lines = [
        worker("alpha", 0, 1, "bead.claimed", json!({"bead_id": "bd-1"})),
        worker("alpha", 1, 500, "heartbeat.emitted", json!({})),
        worker("beta", 0, 1, "bead.claimed", json!({"bead_id": "bd-2"})),
    ];
    assert_snapshot!(table(lines, 510), @r#"
    alpha started since 1 "alive_by_heartbeat" events 2
    beta started since 1 "silent" events 1
    "#);
}

#[test]
fn what_another_finds_is_no_sign_of_life() {
    let lines = [
        worker("alpha", 0, 1, "bead.claimed", json!({"bead_id": "bd-1"})),
        worker(
            "keeper",
            0,
            500,
            "heartbeat.stuck_detected",
            json!({"data": {"worker_id": "alpha"}}),
        ),
        worker("beta", 0, 400, "bead.claimed", json!({"bead_id": "bd-2"})),
        worker("keeper", 1, 500, "mend.heartbeat_cleaned", json!({"data": {"worker_id": "beta"}})),
    ];
    assert_snapshot!(table(lines, 510), @r#"
    keeper progress since 500 "alive_by_events" events 2
    alpha started since 1 "silent" events 1
    beta started since 400 "gone" events 1
    "#);
}

#[test]
fn a_task_moves_with_its_handoff() {
    let task = |task: &str| json!({"metadata": {"task_id": task}});
    let lines = [
        agent("@a", "s1", 1, "lifecycle.started", task("T-1")),
        agent("@b", "s2", 2, "lifecycle.started", task("T-2")),
        agent(
            "@a",
            "s1",
            3,
            "coordination.handoff",
            json!({"metadata": {"task_id": "T-1", "handoff_to": "@b"}}),
        ),
    ];
    let fleet: Fleet = fold(&late(lines));
    let rows = fleet.rows(at(10), &Rules::default());
    let tasks: Vec<(&str, Option<&str>)> =
        rows.iter().map(|row| (row.actor.as_str(), row.task.as_deref())).collect();
    assert_eq!(tasks, [("@a", None), ("@b", Some("T-1"))]);
}

#[test]
fn waiting_ends_with_what_is_waited_for() {
    let waits = json!({"metadata": {"waiting_for": "@b", "expected_status": "completed"}});
    let mut lines = vec![
        plain("@b", "s2", 1, "lifecycle.started"),
        agent("@a", "s1", 2, "coordination.waiting", waits),
    ];
    let waits_for = |lines: &[String]| {
        let fleet: Fleet = fold(&late(lines.to_vec()));
        fleet.rows(at(10), &Rules::default())[0].waits_for.clone()
    };
    assert_eq!(waits_for(&lines), Some("@b".to_owned()));
    lines.push(plain("@b", "s2", 3, "lifecycle.completed"));
    assert_eq!(waits_for(&lines), None);
    lines.pop();
    lines.push(plain("@a", "s1", 4, "activity.progress"));
    assert_eq!(waits_for(&lines), None, "it went on without it");
}

#[test]
fn a_loop_is_over_when_its_session_says_so_without_its_name() {
    let state = r#"{"schema":0,"event":"STATE","run_id":"loop-1","session_id":"s","updated_at":"2026-11-15T08:00:01Z","stack":[{"id":"loop-1","mode":"loop","iter":1,"max":3,"prompt_file":"p"}]}"#;
    let done = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"session_id":"s","updated_at":"2026-11-15T08:00:05Z"}"#;
    assert_snapshot!(table([state, done].map(str::to_owned), 10), @r#"loop-1 completed since 5 "alive_by_events" events 1"#);
}

#[test]
fn a_row_says_what_its_actor_is_on() {
    let lines = [
        run("r-1", 0, 1, "UserMessage", json!({"text": "Fix the labels\nand the rest"})),
        run(
            "r-2",
            0,
            1,
            "ToolCallStarted",
            json!({"callId": "c", "tool": "fs.read", "path": "src/a.rs"}),
        ),
        worker("w", 0, 1, "bead.claimed", json!({"bead_id": "bd-7"})),
    ];
    let fleet: Fleet = fold(&late(lines));
    let rows = fleet.rows(at(10), &Rules::default());
    let on: Vec<&str> = rows.iter().filter_map(|row| row.on.as_deref()).collect();
    assert_snapshot!(on.join(" | "), @"Fix the labels | fs.read src/a.rs | bd-7");
}

#[test]
fn the_demo_has_every_actor_in_its_place() {
    let lines = demo(7, 900);
    let fleet: Fleet = fold(&lines);
    let rows = fleet.rows(at(200), &Rules::default());
    let lines = rows.iter().map(|row| {
        let status = row.status.map_or("-", |status| status.0.as_str());
        let on = row.on.as_deref().unwrap_or("-");
        let presence = serde_json::to_string(&row.presence).expect("a word");
        format!("{:<20.20} {status:<9} {presence:<20} {on:.60}", row.actor)
    });
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
    01a1de39-0926-72a6-a thinking  "alive_by_events"    har-539
    01a1de39-846c-77cc-a progress  "alive_by_events"    har-540
    @architect           progress  "alive_by_events"    -
    @docs-writer         progress  "alive_by_events"    har-538
    @qa-engineer         error     "alive_by_events"    har-527
    archive-1            -         "alive_by_heartbeat" -
    clerk                error     "alive_by_events"    -
    console              waiting   "alive_by_events"    -
    dock-alpha           thinking  "alive_by_events"    bd-906d5ff2
    dock-bravo           completed "alive_by_events"    -
    dock-cedar           progress  "alive_by_events"    bd-33a87d7b
    dock-delta           progress  "alive_by_events"    bd-40dd4956
    dock-ember           progress  "alive_by_events"    bd-23fc2cb1
    dock-flint           progress  "alive_by_events"    -
    gateway-1            error     "alive_by_events"    -
    grind-1794729602-399 completed "alive_by_events"    -
    grind-1794729625-461 progress  "alive_by_events"    har-536
    grinder              -         "alive_by_events"    -
    loop-1794729755-3992 progress  "alive_by_events"    -
    loop-1794729768-4444 started   "alive_by_events"    -
    night-loop           -         "alive_by_events"    -
    porter               completed "alive_by_events"    -
    reviewer             -         "alive_by_events"    -
    session-92d2510f     thinking  "alive_by_events"    har-542
    session-9f2c0f2f     error     "alive_by_events"    har-527
    session-c722d16d     progress  "alive_by_events"    har-525
    session-f50fa3d0     completed "alive_by_events"    -
    toolhost-quay-2      -         "alive_by_heartbeat" -
    01a1de38-6bb8-7081-a completed "silent"             -
    @backend-engineer    error     "silent"             har-525
    aaa4ad160a5c1089     completed "silent"             -
    loop-1794721741-4437 progress  "silent"             -
    loop-1794729602-4609 completed "silent"             -
    loop-1794729627-4440 progress  "silent"             -
    loop-1794729665-4442 error     "gone"               -
    loop-1794729609-4439 progress  "gone"               -
    "#);
}

#[test]
fn a_row_is_the_json_that_programs_get() {
    let lines = [
        agent(
            "@a",
            "s",
            1,
            "lifecycle.started",
            json!({"metadata": {"task_id": "T-1", "model": "m", "cwd": "/src"}}),
        ),
        agent(
            "@child",
            "s",
            2,
            "activity.progress",
            json!({
                "message": "half of it",
                "progress": 0.5,
                "correlation": {"root_agent_id": "@a"},
            }),
        ),
    ];
    let fleet: Fleet = fold(&late(lines));
    let rows = fleet.rows(at(10), &Rules::default());
    assert_snapshot!(serde_json::to_string_pretty(&rows).expect("rows are JSON"), @r#"
    [
      {
        "actor": "@a",
        "status": "started",
        "since": "2026-11-15T08:00:01Z",
        "since_position": 1,
        "quiet_ms": 9000,
        "presence": "alive_by_events",
        "on": "T-1",
        "children": [
          "@child"
        ],
        "session": "s",
        "dialect": "collector",
        "folder": "/src",
        "model": "m",
        "task": "T-1",
        "first_seen": "2026-11-15T08:00:01Z",
        "last_seen": "2026-11-15T08:00:01Z",
        "is_ended": false,
        "n_events": 1
      },
      {
        "actor": "@child",
        "status": "progress",
        "since": "2026-11-15T08:00:02Z",
        "since_position": 2,
        "quiet_ms": 8000,
        "presence": "alive_by_events",
        "message": "half of it",
        "parent": "@a",
        "session": "s",
        "dialect": "collector",
        "progress": 0.5,
        "first_seen": "2026-11-15T08:00:02Z",
        "last_seen": "2026-11-15T08:00:02Z",
        "is_ended": false,
        "n_events": 1
      }
    ]
    "#);
}

#[test]
fn events_of_every_type_may_come_in_any_order() {
    assert_law::<Fleet>(&place(events(3).take(600)), 40);
}
