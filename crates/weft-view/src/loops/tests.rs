//! How loops go and how they end.

use insta::assert_snapshot;
use serde_json::{Value, json};
use weft_event::sample::events;
use weft_event::time::format_rfc3339;

use super::Loops;
use crate::Rules;
use crate::scene::{at, late};
use crate::testing::{assert_law, demo, fold, place};

fn state(run: &str, session: &str, seconds: i64, iter: u64) -> String {
    let frame = json!({"id": run, "mode": "loop", "iter": iter, "max": 5, "prompt_file": "p"});
    let event = json!({
        "schema": 0,
        "event": "STATE",
        "run_id": run,
        "session_id": session,
        "updated_at": format_rfc3339(at(seconds)),
        "stack": [frame],
    });
    event.to_string()
}

/// Returns a state of a loop that waits for a person.
fn waiting(run: &str, session: &str, seconds: i64, why: &str) -> String {
    let line = state(run, session, seconds, 1);
    let mut event: Value = serde_json::from_str(&line).expect("it is JSON");
    event["paused"] = json!(why);
    event.to_string()
}

fn end(more: Value, seconds: i64) -> String {
    let mut event = json!({
        "schema": 0,
        "event": "DONE",
        "reason": "COMPLETE",
        "stack": [],
        "updated_at": format_rfc3339(at(seconds)),
    });
    event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    event.to_string()
}

/// Returns the loops this many seconds after the start.
fn told(lines: impl IntoIterator<Item = String>, seconds: i64) -> String {
    let loops: Loops = fold(&late(lines));
    let line = |row: super::Row| {
        let state = serde_json::to_string(&row.state).expect("a word");
        let frames: Vec<String> =
            row.frames.iter().map(|frame| format!("{}/{}", frame.iter, frame.max)).collect();
        let reason = row.reason.unwrap_or_default();
        format!("{} {state} {} {}ms {reason}", row.run, frames.join(" "), row.age_ms)
    };
    loops.rows(at(seconds), &Rules::default()).into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_loop_goes_on_until_it_is_stale() {
    let lines = [state("loop-1", "s", 1, 1), state("loop-1", "s", 9, 2)];
    assert_snapshot!(told(lines.clone(), 10), @r#"loop-1 "running" 2/5 1000ms"#);
    assert_snapshot!(told(lines.clone(), 9 + 7_200), @r#"loop-1 "running" 2/5 7200000ms"#);
    assert_snapshot!(told(lines, 10 + 7_200), @r#"loop-1 "stale" 2/5 7201000ms"#);
}

#[test]
fn a_loop_that_waits_for_a_person_waits_until_it_goes_on_or_ends() {
    let mut lines = vec![state("loop-1", "s", 1, 1), waiting("loop-1", "s", 2, "escalated")];
    assert_snapshot!(told(lines.clone(), 10), @r#"loop-1 "paused" 1/5 8000ms"#);
    assert_snapshot!(told(lines.clone(), 10 + 7_200), @r#"loop-1 "paused" 1/5 7208000ms"#);
    let mut cancelled = lines.clone();
    cancelled.push(end(json!({"run_id": "loop-1"}), 5));
    assert_snapshot!(told(cancelled, 10), @r#"loop-1 "done" 1/5 4000ms COMPLETE"#);
    lines.push(state("loop-1", "s", 9, 2));
    assert_snapshot!(told(lines, 10), @r#"loop-1 "running" 2/5 1000ms"#);
}

#[test]
fn a_late_state_does_not_take_a_loop_back() {
    let lines = [state("loop-1", "s", 9, 2), state("loop-1", "s", 1, 1)];
    assert_snapshot!(told(lines, 10), @r#"loop-1 "running" 2/5 1000ms"#);
}

#[test]
fn an_end_is_that_of_its_run_or_else_of_its_session_or_else_of_the_newest() {
    let states = || {
        vec![state("loop-1", "s1", 1, 1), state("loop-2", "s2", 2, 1), state("loop-3", "s3", 3, 1)]
    };
    let with = |end: String| told(states().into_iter().chain([end]), 10);
    assert_snapshot!(with(end(json!({"run_id": "loop-1"}), 5)), @r#"
    loop-3 "running" 1/5 7000ms 
    loop-2 "running" 1/5 8000ms 
    loop-1 "done" 1/5 4000ms COMPLETE
    "#);
    assert_snapshot!(with(end(json!({"session_id": "s2"}), 5)), @r#"
    loop-3 "running" 1/5 7000ms 
    loop-1 "running" 1/5 9000ms 
    loop-2 "done" 1/5 3000ms COMPLETE
    "#);
    assert_snapshot!(with(end(json!({}), 5)), @r#"
    loop-2 "running" 1/5 8000ms 
    loop-1 "running" 1/5 9000ms 
    loop-3 "done" 1/5 2000ms COMPLETE
    "#);
}

#[test]
fn a_loop_that_goes_on_after_its_end_was_not_ended() {
    let lines = [
        state("loop-1", "s", 1, 1),
        end(json!({"run_id": "loop-1"}), 2),
        state("loop-1", "s", 3, 2),
    ];
    assert_snapshot!(told(lines, 10), @r#"loop-1 "running" 2/5 7000ms"#);
}

#[test]
fn a_new_loop_takes_the_place_of_the_one_before_in_its_session() {
    let lines = [state("loop-1", "s", 1, 1), state("loop-2", "s", 5, 1)];
    assert_snapshot!(told(lines, 10), @r#"
    loop-2 "running" 1/5 5000ms 
    loop-1 "replaced" 1/5 9000ms
    "#);
}

#[test]
fn the_demo_shows_how_loops_go() {
    let loops: Loops = fold(&demo(7, 2_000));
    let rows = loops.rows(at(450), &Rules::default());
    let line = |row: &super::Row| {
        let state = serde_json::to_string(&row.state).expect("a word");
        let frames: Vec<String> = row
            .frames
            .iter()
            .map(|frame| format!("{} {}/{}", frame.mode, frame.iter, frame.max))
            .collect();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        format!(
            "{state} [{}] {} {} {}",
            frames.join(", "),
            text(&row.reason),
            text(&row.trace),
            text(&row.goal)
        )
    };
    assert_snapshot!(rows.iter().map(line).collect::<Vec<_>>().join("\n"), @r#"
    "running" [grind 3/100, issue 3/10]  ITERATION Working on har-546
    "running" [loop 3/10]  ITERATION Depot import takes forty minutes
    "running" [loop 3/10]  REVIEW_ESCALATE 
    "running" [loop 2/10]  ITERATION 
    "aborted" [loop 3/10] USER_CANCELLED ABORT Webhooks are not retried
    "done" [loop 5/10] COMPLETE COMPLETION Webhooks are not retried
    "done" [grind 3/3] MAX_ISSUES COMPLETION Working on har-537
    "done" [loop 4/4] MAX_ITERATIONS MAX_ITERATIONS Health check answers before the database is up
    "done" [loop 3/10] COMPLETE COMPLETION Parcels scanned twice are billed twice
    "aborted" [loop 4/10] NO_PROGRESS ABORT Health check answers before the database is up
    "done" [grind 3/3] MAX_ISSUES COMPLETION Working on har-533
    "done" [loop 4/10] COMPLETE COMPLETION Search ignores accents
    "aborted" [loop 2/10] USER_CANCELLED ABORT 
    "replaced" [loop 6/10]  STALENESS
    "#);
}

#[test]
fn events_of_every_type_may_come_in_any_order() {
    assert_law::<Loops>(&place(events(3).take(600)), 40);
}
