use weft_event::Status;

use super::{Lane, QUIET_NS, STRETCHES_MAX, Stage};

fn lane(changes: &[(i64, Stage)]) -> Lane {
    let mut lane = Lane::default();
    for (position, (at_ns, stage)) in (1..).zip(changes) {
        lane.put(*at_ns, position, *stage);
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
