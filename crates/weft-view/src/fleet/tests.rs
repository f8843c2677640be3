use insta::assert_snapshot;
use serde_json::json;

use super::Fleet;
use crate::Rules;
use crate::testing::{START_NS, fold, place};

/// Returns a line of an agent in a session, this many seconds after the start.
fn said(agent: &str, session: &str, seconds: i64, event_type: &str) -> String {
    said_with(agent, session, seconds, event_type, json!({}))
}

fn said_with(
    agent: &str,
    session: &str,
    seconds: i64,
    event_type: &str,
    more: serde_json::Value,
) -> String {
    let mut event = json!({
        "version": "1.0.0",
        "event_type": event_type,
        "agent_id": agent,
        "session_id": session,
        "timestamp": weft_event::time::format_rfc3339(at(seconds)),
    });
    let members = more.as_object().expect("members of an event").clone();
    event.as_object_mut().expect("an event is an object").extend(members);
    event.to_string()
}

fn at(seconds: i64) -> i64 {
    START_NS + seconds * 1_000_000_000
}

/// Returns the fleet as a table: what matters of each actor, this many seconds after the start.
fn table(lines: impl IntoIterator<Item = String>, seconds: i64) -> String {
    // Received long after they happened, so that only their own times count.
    let mut placed = place(lines);
    placed.iter_mut().for_each(|placed| placed.received_ns = at(100_000));
    let fleet: Fleet = fold(&placed);
    let rows = fleet.rows(at(seconds), &Rules::default());
    let lines = rows.iter().map(|row| {
        let since = row.since.map(|since| (since.0 - START_NS) / 1_000_000_000);
        let presence = serde_json::to_string(&row.presence).expect("a word");
        let status = row.status.map_or("-", |status| status.0.as_str());
        format!("{} {status} since {since:?} {presence} events {}", row.actor, row.n_events)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_status_lasts_since_the_first_event_of_its_run() {
    let lines = [
        said("@a", "s", 1, "activity.thinking"),
        said("@a", "s", 2, "activity.progress"),
        said("@a", "s", 3, "activity.progress"),
        said("@a", "s", 4, "activity.progress"),
    ];
    assert_snapshot!(table(lines, 10), @r#"@a progress since Some(2) "alive_by_events" events 4"#);
}

#[test]
fn a_late_event_never_moves_a_status_back() {
    let lines = [
        said("@a", "s", 2, "activity.progress"),
        said("@a", "s", 5, "activity.progress"),
        said("@a", "s", 3, "activity.thinking"),
        said("@a", "s", 4, "activity.progress"),
    ];
    assert_snapshot!(table(lines, 10), @r#"@a progress since Some(4) "alive_by_events" events 4"#);
}

#[test]
fn a_run_is_as_long_as_it_is_however_many_events_it_has() {
    let many = (1..500).map(|seconds| said("@a", "s", seconds, "activity.progress"));
    assert_snapshot!(table(many, 501), @r#"@a progress since Some(1) "alive_by_events" events 499"#);
}

#[test]
fn the_session_that_spoke_last_speaks_for_its_actor() {
    let lines = [
        said("@a", "new", 20, "activity.thinking"),
        said("@a", "old", 10, "lifecycle.completed"),
        said("@a", "new", 15, "activity.progress"),
    ];
    assert_snapshot!(table(lines, 30), @r#"@a thinking since Some(20) "alive_by_events" events 3"#);
}

#[test]
fn silence_and_the_end_are_told_apart() {
    let lines = [
        said("@busy", "s1", 100, "activity.progress"),
        said("@quiet", "s2", 1, "activity.thinking"),
        said("@over", "s3", 2, "activity.thinking"),
        said("@over", "s3", 3, "lifecycle.terminated"),
    ];
    assert_snapshot!(table(lines, 200), @r#"
    @busy progress since Some(100) "alive_by_events" events 1
    @quiet thinking since Some(1) "silent" events 1
    @over thinking since Some(2) "gone" events 2
    "#);
}
