//! What is left to do, who does it, and what came of what.

use insta::assert_snapshot;

use super::{PIECES_MAX, PlanRow, Work, WorkRow, WorkState};
use crate::testing::{START_NS, assert_law, fold, place};

const NOW_NS: i64 = START_NS + 600_000_000_000;

/// Returns an event of a worker about a bead.
fn worker(
    event_type: &str,
    time: &str,
    actor: &str,
    sequence: u64,
    bead: &str,
    data: &str,
) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T08:{time}Z","event_type":"{event_type}","worker_id":"{actor}","session_id":"w","sequence":{sequence},"bead_id":"{bead}","data":{{"bead_id":"{bead}"{data}}}}}"#
    )
}

fn bead(event_type: &str, time: &str, actor: &str, sequence: u64) -> String {
    worker(&format!("bead.{event_type}"), time, actor, sequence, "bd-1", "")
}

fn told(event_type: &str, time: &str, actor: &str, metadata: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2026-11-15T08:{time}Z","agent_id":"{actor}","session_id":"s-{actor}","metadata":{{{metadata}}}}}"#
    )
}

fn work(lines: &[String]) -> Work {
    let lines = place(lines.iter().map(String::as_str));
    assert_law::<Work>(&lines, lines.len());
    fold(&lines)
}

fn shown(work: &Work) -> String {
    let line = |row: &WorkRow| {
        let actor = row.actor.as_deref().unwrap_or("nobody");
        let title = row.title.as_deref().map(|title| format!(" \"{title}\"")).unwrap_or_default();
        let ready = if row.is_ready { ", ready" } else { "" };
        let waits = if row.blocked_by.is_empty() {
            String::new()
        } else {
            format!(", waits for {}", row.blocked_by.join(" "))
        };
        let came = row.parent.as_deref().map(|parent| format!(", of {parent}")).unwrap_or_default();
        let origin = row.origin.map(|origin| format!(" as {origin:?}")).unwrap_or_default();
        format!(
            "{}{title}: {:?} by {actor} for {} s{ready}{waits}{came}{origin}\n",
            row.id,
            row.state,
            row.in_state_ms.unwrap_or(0) / 1_000
        )
    };
    work.rows(NOW_NS).iter().map(line).collect()
}

#[test]
fn a_bead_goes_from_claim_to_done_and_a_release_does_not_undo_it() {
    let lines = [
        worker("bead.claimed", "01:00", "ana", 1, "bd-1", r#","title":"Labels""#),
        bead("agent_started", "01:10", "ana", 2),
        bead("agent_completed", "02:00", "ana", 3),
        bead("completed", "02:10", "ana", 4),
        bead("released", "02:11", "ana", 5),
    ];
    let after = |n: usize| shown(&work(&lines[..n]));
    assert_snapshot!([1, 3, 4, 5].map(after).concat(), @r#"
    bd-1 "Labels": Claimed by ana for 540 s
    bd-1 "Labels": Working by ana for 530 s
    bd-1 "Labels": Done by ana for 470 s
    bd-1 "Labels": Done by ana for 470 s
    "#);
}

#[test]
fn a_release_is_not_a_completion() {
    let lines = [
        bead("claimed", "01:00", "ana", 1),
        bead("failed", "01:30", "ana", 2),
        bead("released", "01:31", "ana", 3),
        bead("claimed", "03:00", "bob", 1),
    ];
    let after = |n: usize| shown(&work(&lines[..n]));
    assert_snapshot!([2, 3, 4].map(after).concat(), @"
    bd-1: Failed by ana for 510 s
    bd-1: Released by nobody for 509 s, ready
    bd-1: Claimed by bob for 420 s
    ");
}

#[test]
fn what_one_cannot_get_another_may_have() {
    let try_it = |event_type, time, n, attempt: u64| {
        worker(event_type, time, "bob", n, "bd-1", &format!(r#","attempt":{attempt}"#))
    };
    let work = work(&[
        bead("claimed", "01:00", "ana", 1),
        try_it("bead.claim.attempted", "01:01", 1, 1),
        try_it("bead.claim_retry", "01:02", 2, 1),
        try_it("bead.claim.attempted", "01:03", 3, 2),
        try_it("bead.claim_exhausted", "01:04", 4, 2),
        worker("bead.claim_exhausted", "01:05", "bob", 5, "bd-2", ""),
    ]);
    assert_snapshot!(shown(&work), @"
    bd-2: Exhausted by nobody for 535 s
    bd-1: Claimed by ana for 540 s
    ");
    let row = &work.rows(NOW_NS)[1];
    assert_eq!((row.n_claims, row.n_attempts, row.n_retries), (1, 2, 1));
}

#[test]
fn a_split_bead_waits_for_its_parts_and_theirs() {
    let child = |time, n, of: &str, child: &str| {
        worker(
            "bead.mitosis.child_created",
            time,
            "ana",
            n,
            of,
            &format!(r#","child_id":"{child}""#),
        )
    };
    let lines = [
        bead("claimed", "01:00", "ana", 1),
        child("01:01", 2, "bd-1", "bd-1a"),
        child("01:02", 3, "bd-1", "bd-1b"),
        bead("mitosis.complete", "01:03", "ana", 4),
        child("01:04", 5, "bd-1b", "bd-1b1"),
        worker("bead.completed", "02:00", "ana", 6, "bd-1a", ""),
        worker("weave.bead_created", "02:01", "ana", 7, "bd-9", r#","title":"Say how""#),
    ];
    assert_snapshot!(shown(&work(&lines)), @r#"
    bd-9 "Say how": Open by nobody for 479 s, ready as Weave
    bd-1b: Open by nobody for 538 s, waits for bd-1b1, of bd-1 as Child
    bd-1b1: Open by nobody for 536 s, ready, of bd-1b as Child
    bd-1: Split by nobody for 537 s, waits for bd-1b bd-1b1
    bd-1a: Done by ana for 480 s, of bd-1 as Child
    "#);
    let done = |n, bead| worker("bead.completed", "03:00", "ana", n, bead, "");
    let all: Vec<String> = lines.into_iter().chain([done(8, "bd-1b"), done(9, "bd-1b1")]).collect();
    let row = work(&all).rows(NOW_NS).into_iter().find(|row| row.id == "bd-1").unwrap();
    assert!(row.is_ready && row.blocked_by.is_empty());
    assert_eq!(
        row.children.iter().map(|child| child.state).collect::<Vec<_>>(),
        [WorkState::Done; 2]
    );
}

#[test]
fn a_task_moves_with_its_hand_off_and_is_blocked_when_its_holder_is() {
    let work = work(&[
        told("activity.progress", "01:00", "ana", r#""task_id":"har-1""#),
        told("coordination.handoff", "02:00", "ana", r#""task_id":"har-1","handoff_to":"bob""#),
        told("activity.progress", "03:00", "bob", r#""task_id":"har-1""#),
        told("activity.progress", "03:00", "cy", r#""task_id":"har-2""#),
        told("coordination.blocked", "04:00", "cy", r#""task_id":"har-2""#),
    ]);
    assert_snapshot!(shown(&work), @"
    har-2: Blocked by cy for 360 s
    har-1: Claimed by bob for 480 s
    ");
}

fn plan(seq: u64, steps: &[(&str, &str, &str)]) -> String {
    let steps: Vec<String> = steps
        .iter()
        .map(|(id, status, needs)| {
            format!(r#"{{"id":"{id}","title":"Do {id}","status":"{status}","needs":[{needs}]}}"#)
        })
        .collect();
    let ts = START_NS / 1_000_000 + i64::try_from(seq).unwrap() * 1_000;
    format!(
        r#"{{"id":"p{seq}","runId":"r1","ts":{ts},"seq":{seq},"type":"PlanUpdated","payload":{{"version":{seq},"goal":"All of it","steps":[{}]}}}}"#,
        steps.join(",")
    )
}

fn steps(plans: &[PlanRow]) -> String {
    let step = |step: &super::StepRow| {
        let ready = if step.is_ready { ", ready" } else { "" };
        let waits = step.blocked_by.join(" ");
        format!(
            "{} {} since {}{ready} [{waits}]\n",
            step.id,
            step.status,
            (step.since.0 - START_NS) / 1_000_000_000
        )
    };
    plans.iter().flat_map(|plan| &plan.steps).map(step).collect()
}

#[test]
fn a_step_is_ready_when_all_it_needs_is_done() {
    let before = plan(
        1,
        &[
            ("a", "running", ""),
            ("b", "pending", "\"a\""),
            ("c", "pending", "\"b\""),
            ("d", "pending", ""),
        ],
    );
    let after = plan(
        2,
        &[
            ("a", "done", ""),
            ("b", "pending", "\"a\""),
            ("c", "pending", "\"b\""),
            ("d", "pending", ""),
        ],
    );
    assert_snapshot!(steps(&work(std::slice::from_ref(&before)).plans(NOW_NS)), @"
    a running since 1 []
    b pending since 1 [a]
    c pending since 1 [a b]
    d pending since 1, ready []
    ");
    assert_snapshot!(steps(&work(&[before, after]).plans(NOW_NS)), @"
    a done since 2 []
    b pending since 1, ready []
    c pending since 1 [b]
    d pending since 1, ready []
    ");
}

#[test]
fn steps_follow_each_other_where_nobody_says_what_they_need() {
    let lines = [plan(1, &[("a", "done", ""), ("b", "pending", ""), ("c", "pending", "")])];
    assert_snapshot!(steps(&work(&lines).plans(NOW_NS)), @"
    a done since 1 []
    b pending since 1, ready []
    c pending since 1 [b]
    ");
}

#[test]
fn a_step_of_a_plan_is_no_piece_of_work_of_its_own() {
    let call = r#"{"id":"c1","runId":"r1","ts":1794729601000,"seq":2,"type":"ToolCallStarted","payload":{"toolCallId":"t1","tool":"fs.read","stepId":"a"}}"#;
    assert_eq!(shown(&work(&[plan(1, &[("a", "running", "")]), call.to_owned()])), "");
}

#[test]
fn what_a_run_is_for_is_done_when_the_run_is() {
    let engine = |seq: u64, event_type: &str, payload: &str| {
        let ts = START_NS / 1_000_000 + i64::try_from(seq).unwrap() * 1_000;
        format!(
            r#"{{"id":"e{seq}","runId":"r1","ts":{ts},"seq":{seq},"type":"{event_type}","payload":{{{payload}}}}}"#
        )
    };
    let lines = [
        engine(0, "TaskUpdated", r#""taskId":"har-1","goal":"Round once""#),
        engine(1, "StateChanged", r#""from":"IDLE","to":"RUNNING","reason":"start""#),
        engine(2, "StateChanged", r#""from":"RUNNING","to":"FINISHED","reason":"judge_pass""#),
    ];
    let after = |n: usize| shown(&work(&lines[..n]));
    assert_snapshot!([2, 3].map(after).concat(), @r#"
    har-1 "Round once": Working by r1 for 600 s
    har-1 "Round once": Done by r1 for 598 s
    "#);
}

#[test]
fn what_was_only_mentioned_is_left_when_its_actor_turns_to_other_work() {
    let on = |time, task: &str| {
        told("activity.progress", time, "ana", &format!(r#""task_id":"{task}""#))
    };
    let lines = [on("00:00", "har-1"), on("05:00", "har-2"), on("10:00", "har-2")];
    assert_snapshot!(shown(&work(&lines)), @"
    har-2: Working by ana for 300 s
    har-1: Left by ana for 600 s
    ");
}

#[test]
fn what_is_finished_is_forgotten_before_what_is_left() {
    let claim = |n: usize| {
        let event_type = if n < 10 { "bead.claimed" } else { "bead.completed" };
        worker(event_type, "01:00", "ana", n as u64, &format!("bd-{n:05}"), "")
    };
    let work: Work = fold(&place((0..=PIECES_MAX).map(claim)));
    let rows = work.rows(NOW_NS);
    assert!(rows.len() <= PIECES_MAX);
    assert_eq!(rows.iter().filter(|row| row.state == WorkState::Claimed).count(), 10);
}
