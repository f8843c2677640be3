//! Stages in their places, how long they last, and what a window shows of them.

use insta::assert_snapshot;
use weft_event::Status;

use super::{Lane, LaneLimits, LaneRow, Lanes, QUIET_NS, Stage, Window, rows};
use crate::testing::{START_NS, apply_to, demo, place};
use crate::{Rules, Views};

const STRETCHES_MAX: usize = 512;

fn lane(changes: &[(i64, Stage)]) -> Lane {
    let mut lane = Lane::default();
    for (position, (at_ns, stage)) in (1..).zip(changes) {
        lane.put((*at_ns, position), *stage, STRETCHES_MAX, || None);
    }
    lane
}

const BUSY: Stage = Stage::In(Status::ToolUse);
const FAILED: Stage = Stage::In(Status::Error);

#[test]
fn work_lasts_until_the_next_stage_and_an_end_does_not() {
    let lane = lane(&[(10, BUSY), (30, FAILED), (50, Stage::Gone)]);
    let shown = [0, 10, 20, 30, 40, 50, 60].map(|at| lane.show(at, at + 10));
    assert_eq!(shown, [None, Some(BUSY), Some(BUSY), Some(FAILED), None, Some(Stage::Gone), None]);
}

#[test]
fn what_nothing_is_heard_of_lasts_no_longer() {
    let quiet = lane(&[(10, BUSY)]);
    assert_eq!(quiet.show(QUIET_NS, QUIET_NS + 1), Some(BUSY));
    assert_eq!(quiet.show(QUIET_NS + 10, QUIET_NS + 11), None);
    let heard = lane(&[(10, BUSY), (QUIET_NS, BUSY)]);
    assert_eq!(heard.stretches.len(), 1);
    assert_eq!(heard.show(QUIET_NS + 10, QUIET_NS + 11), Some(BUSY));
    let again = lane(&[(10, BUSY), (3 * QUIET_NS, BUSY)]);
    assert_eq!(again.show(2 * QUIET_NS, 2 * QUIET_NS + 1), None);
    assert_eq!(again.show(3 * QUIET_NS, 3 * QUIET_NS + 1), Some(BUSY));
}

#[test]
fn what_went_wrong_shows_however_short_it_was() {
    let lane = lane(&[(10, BUSY), (11, FAILED), (12, BUSY)]);
    assert_eq!(lane.show(0, 100), Some(FAILED));
    assert_eq!(lane.show(100, 200), Some(BUSY));
}

#[test]
fn late_stages_find_their_place_and_old_ones_go() {
    let late = lane(&[(30, FAILED), (10, BUSY)]);
    assert_eq!([late.show(10, 20), late.show(30, 40)], [Some(BUSY), Some(FAILED)]);
    let stage = |n: i64| if n % 2 == 0 { BUSY } else { FAILED };
    let many: Vec<_> = (0..2000).map(|n| (n, stage(n))).collect();
    assert_eq!(lane(&many).stretches.len(), STRETCHES_MAX);
}

/// Returns an event of an actor at a second after the start.
fn event(actor: &str, second: u64, event_type: &str, message: &str) -> String {
    let (minutes, seconds) = (second / 60, second % 60);
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","agent_id":"{actor}","session_id":"s-{actor}","timestamp":"2026-11-15T08:{minutes:02}:{seconds:02}Z","message":"{message}"}}"#
    )
}

fn window(from_s: i64, to_s: i64, width: u32) -> Window {
    let at = |s: i64| START_NS + s * 1_000_000_000;
    Window { from_ns: at(from_s), to_ns: at(to_s), now_ns: at(to_s), width, limit: 100 }
}

/// Returns the lanes of lines, the last received first, as whoever reads backwards has them.
fn shown(lines: &[String], window: &Window) -> Vec<LaneRow> {
    let mut lanes = Lanes::new(LaneLimits { lanes_max: 100, stretches_max: 1000 });
    let mut lines = place(lines.iter().map(String::as_str));
    // Each was received when it happened, or later.
    lines.iter_mut().for_each(|line| line.received_ns = i64::MAX);
    lines.iter().rev().for_each(|line| apply_to(line, |entry| lanes.take(entry)));
    rows(lanes, &[], &[], window).0
}

fn text(rows: &[LaneRow]) -> String {
    let mut text = String::new();
    for row in rows {
        text += &format!("{}:", row.actor);
        for span in &row.spans {
            let second = |ns: i64| (ns - START_NS) / 1_000_000_000;
            text += &format!(
                " {} {}-{} {}x@{}",
                span.status,
                second(span.from.0),
                second(span.to.0),
                span.n,
                span.position
            );
        }
        text += "\n";
    }
    text
}

#[test]
fn a_window_shows_work_waiting_silence_and_what_failed() {
    let lines = [
        event("a", 10, "activity.tool_use", "runs tests"),
        event("a", 20, "activity.tool_use", "runs tests"),
        event("a", 30, "coordination.waiting", "may I?"),
        event("b", 40, "activity.thinking", "hm"),
        event("a", 400, "lifecycle.completed", "done"),
        event("c", 50, "system.error", "no"),
    ];
    assert_snapshot!(text(&shown(&lines, &window(0, 600, 1000))), @"
    a: tool_use 10-30 2x@1 waiting 30-400 1x@3 completed 400-400 1x@5
    b: thinking 40-160 1x@4 silent 160-600 0x@4
    c: error 50-50 1x@6
    ");
}

#[test]
fn what_is_shorter_than_a_pixel_is_put_together_and_the_worst_shows() {
    let mut lines: Vec<String> = (0..50)
        .map(|n| {
            let event_type = if n % 2 == 0 { "activity.tool_use" } else { "activity.thinking" };
            event("a", 10 + n, event_type, "works")
        })
        .collect();
    lines.insert(25, event("a", 35, "system.error", "no"));
    let close = shown(&lines, &window(0, 100, 100));
    assert!(close[0].spans.len() > 40, "{}", text(&close));
    let far = shown(&lines, &window(0, 100, 2));
    assert!(far[0].spans.len() <= 4, "{}", text(&far));
    assert!(far[0].spans.iter().any(|span| span.status == "error"), "{}", text(&far));
    let n = |rows: &[LaneRow]| rows[0].spans.iter().map(|span| span.n).sum::<u64>();
    assert_eq!([n(&close), n(&far)], [51, 51]);
}

#[test]
fn what_began_before_the_window_comes_of_the_fleet() {
    let lines = place([event("a", 0, "coordination.waiting", "may I?")]);
    let mut views = Views::default();
    lines.iter().for_each(|line| apply_to(line, |entry| views.apply(entry)));
    let window = window(300, 600, 1000);
    let fleet = views.fleet.rows(window.now_ns, &Rules::default());
    let (lanes, n_more) = rows(Lanes::default(), &fleet, &[], &window);
    assert_eq!((text(&lanes).as_str(), n_more), ("a: waiting 0-600 0x@1\n", 0));
}

#[test]
fn a_window_of_a_busy_night_has_no_more_spans_than_pixels_and_every_actor_once() {
    let lines = demo(3, 3000);
    let mut lanes = Lanes::new(LaneLimits { lanes_max: 1000, stretches_max: 10_000 });
    lines.iter().for_each(|line| apply_to(line, |entry| lanes.take(entry)));
    let window = Window { limit: 5, ..window(0, 3600, 50) };
    let (lanes, n_more) = rows(lanes, &[], &[], &window);
    assert_eq!(lanes.len(), 5);
    assert!(n_more > 0);
    for lane in &lanes {
        assert!(lane.spans.len() <= 2 * 50 + 2, "{}", lane.spans.len());
        assert!(lane.spans.is_sorted_by_key(|span| span.from), "{}", text(&lanes));
    }
}
