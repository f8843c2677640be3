//! How runs go.

use insta::assert_snapshot;
use serde_json::json;
use weft_event::sample::events;

use super::Runs;
use crate::Rules;
use crate::scene::{at, late, run};
use crate::testing::{assert_law, demo, fold, place};

fn plan(number: u64, seconds: i64, first: &str, second: &str) -> String {
    let step =
        |id: &str, status: &str| json!({"id": id, "title": format!("do {id}"), "status": status});
    let steps = json!([step("step-1", first), step("step-2", second)]);
    run(
        "r-1",
        number,
        seconds,
        "PlanUpdated",
        json!({"version": number, "goal": "Labels", "steps": steps}),
    )
}

fn state(number: u64, seconds: i64, to: &str, reason: &str) -> String {
    run(
        "r-1",
        number,
        seconds,
        "StateChanged",
        json!({"from": "RUNNING", "to": to, "reason": reason}),
    )
}

#[test]
fn a_run_says_how_far_it_is_and_what_its_judge_thinks() {
    let judge = json!({"status": "fail", "reasons": ["2 tests fail"], "evidence": ["events:c-1"]});
    let lines = [
        state(0, 1, "RUNNING", "start"),
        plan(1, 2, "pending", "pending"),
        plan(2, 3, "done", "running"),
        run("r-1", 3, 4, "ToolCallStarted", json!({"callId": "c-1", "tool": "tests.run"})),
        run("r-1", 4, 5, "JudgeResult", judge),
        run("r-1", 5, 6, "Error", json!({"code": "E", "message": "no disk", "stepId": "step-2"})),
    ];
    let runs: Runs = fold(&late(lines));
    let rows = runs.rows(at(10), &Rules::default());
    assert_snapshot!(serde_json::to_string_pretty(&rows).expect("rows are JSON"), @r#"
    [
      {
        "run": "r-1",
        "state": "RUNNING",
        "reason": "start",
        "changed": "2026-11-15T08:00:01Z",
        "is_over": false,
        "goal": "Labels",
        "step": "step-2",
        "n_steps_done": 1,
        "n_steps": 2,
        "steps": [
          {
            "id": "step-1",
            "title": "do step-1",
            "status": "done",
            "is_hard_stop": false
          },
          {
            "id": "step-2",
            "title": "do step-2",
            "status": "running",
            "is_hard_stop": false
          }
        ],
        "n_calls": 1,
        "n_failed_calls": 0,
        "verdict": "fail",
        "reasons": [
          "2 tests fail"
        ],
        "evidence": [
          "events:c-1"
        ],
        "judged": "2026-11-15T08:00:05Z",
        "error": "no disk",
        "failed": "2026-11-15T08:00:06Z",
        "position": 6,
        "first_seen": "2026-11-15T08:00:01Z",
        "last_seen": "2026-11-15T08:00:06Z",
        "quiet_ms": 4000
      }
    ]
    "#);
}

#[test]
fn a_late_state_or_plan_changes_nothing() {
    let lines = [
        state(5, 5, "FINISHED", "judge_pass"),
        plan(4, 4, "done", "done"),
        plan(1, 1, "pending", "pending"),
        state(0, 9, "RUNNING", "start"),
    ];
    let runs: Runs = fold(&late(lines));
    let row = runs.rows(at(10), &Rules::default()).remove(0);
    assert_eq!((row.state.as_deref(), row.is_over), (Some("FINISHED"), true));
    assert_eq!((row.n_steps_done, row.n_steps), (2, 2));
}

#[test]
fn the_demo_shows_how_runs_go() {
    let runs: Runs = fold(&demo(7, 2_000));
    let line = |row: super::Row| {
        let text = |text: Option<String>| text.unwrap_or_default();
        let verdict = row.verdict.map_or("-", |verdict| verdict.0.as_str());
        format!(
            "{:.8} {} ({}) {} {} of {} {verdict} {} calls {:.40}",
            row.run,
            text(row.state),
            text(row.reason),
            text(row.step),
            row.n_steps_done,
            row.n_steps,
            row.n_calls,
            text(row.goal),
        )
    };
    let rows = runs.rows(at(450), &Rules::default());
    assert_snapshot!(rows.into_iter().map(line).collect::<Vec<_>>().join("\n"), @"
    01a1de3b RUNNING (user_input) step-4 3 of 4 pass 18 calls Move sessions out of memory
    01a1de3d AWAITING_USER (awaiting_user) step-3 2 of 4 - 13 calls Tracking page shows UTC
    01a1de39 FINISHED (finished) step-4 4 of 4 pass 19 calls Rate limit for the public API
    01a1de39 FINISHED (user_stop) step-2 2 of 4 - 11 calls Depot import takes forty minutes
    01a1de38 FINISHED (finished) step-4 4 of 4 pass 6 calls Invoices round per line
    ");
}

#[test]
fn events_of_every_type_may_come_in_any_order() {
    assert_law::<Runs>(&place(events(3).take(600)), 40);
}
