//! Times as people read them.

use weft_event::time::parse_rfc3339;

use super::{Clock, duration};

fn ns(time: &str) -> i64 {
    parse_rfc3339(time).unwrap()
}

fn shown(now: &str, time: &str) -> String {
    let clock = Clock::at(ns(now));
    format!("{} | {}", clock.brief(ns(time)), clock.whole(ns(time)))
}

#[test]
fn what_is_recent_is_told_by_its_age() {
    let now = "2026-11-15T12:00:00.5Z";
    insta::assert_snapshot!(shown(now, "2026-11-15T12:00:00Z"), @"12:00:00 (now) | 2026-11-15 12:00:00 +00:00 (now)");
    insta::assert_snapshot!(shown(now, "2026-11-15T11:59:18.25Z"), @"11:59:18 (42s ago) | 2026-11-15 11:59:18.25 +00:00 (42s ago)");
    insta::assert_snapshot!(shown(now, "2026-11-15T11:00:01Z"), @"11:00:01 (59m ago) | 2026-11-15 11:00:01 +00:00 (59m ago)");
    insta::assert_snapshot!(shown(now, "2026-11-14T12:00:01Z"), @"12:00:01 (23h ago) | 2026-11-14 12:00:01 +00:00 (23h ago)");
    insta::assert_snapshot!(shown(now, "2026-11-14T12:00:00Z"), @"2026-11-14 12:00:00 | 2026-11-14 12:00:00 +00:00 (1d ago)");
    insta::assert_snapshot!(shown(now, "2020-01-01T00:00:00Z"), @"2020-01-01 00:00:00 | 2020-01-01 00:00:00 +00:00");
    insta::assert_snapshot!(shown(now, "2026-11-15T12:05:00Z"), @"12:05:00 (in 4m) | 2026-11-15 12:05:00 +00:00 (in 4m)");
    insta::assert_snapshot!(shown(now, "1700-01-01T00:00:00.000000001Z"), @"1700-01-01 00:00:00 | 1700-01-01 00:00:00.000000001 +00:00");
}

#[test]
fn a_duration_has_at_most_two_units() {
    let shown = [0, 999, 1000, 1999, 60_000, 3_599_999, 3_600_000, 86_400_000, 90_000_000_000];
    insta::assert_snapshot!(shown.map(duration).join(" "), @"0ms 999ms 1.0s 1.9s 1m00s 59m59s 1h00m 1d00h 1041d16h");
}
