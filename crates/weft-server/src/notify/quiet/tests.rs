//! When it is quiet, also on the days on which clocks are changed.

use jiff::civil::DateTime;
use jiff::tz::{TimeZone, db};
use jiff::{Timestamp, Zoned};
use proptest::prelude::*;

use super::{Quiet, nanoseconds, next_ns, until_ns};

fn berlin() -> TimeZone {
    db().get("Europe/Berlin").expect("the system knows the zones of the world")
}

fn at(text: &str) -> i64 {
    nanoseconds(text.parse::<Timestamp>().expect("a time"))
}

fn ranges(texts: &[&str]) -> Vec<Quiet> {
    texts.iter().map(|text| Quiet::parse(text).expect(text)).collect()
}

/// Returns when the quiet time ends that a moment is in, as local time.
fn until(texts: &[&str], now: &str, zone: &TimeZone) -> String {
    match until_ns(&ranges(texts), at(now), zone) {
        Some(ns) => {
            let end = Timestamp::from_nanosecond(ns.into()).expect("a time");
            end.to_zoned(zone.clone()).strftime("%d %H:%M %:z").to_string()
        }
        None => "not quiet".to_owned(),
    }
}

#[test]
fn a_range_may_go_over_midnight_and_into_another() {
    let zone = TimeZone::UTC;
    let night = ["22:00-07:00"];
    assert_eq!(until(&night, "2026-11-15T21:59:59Z", &zone), "not quiet");
    assert_eq!(until(&night, "2026-11-15T22:00:00Z", &zone), "16 07:00 +00:00");
    assert_eq!(until(&night, "2026-11-16T06:59:59Z", &zone), "16 07:00 +00:00");
    assert_eq!(until(&night, "2026-11-16T07:00:00Z", &zone), "not quiet");
    let two = ["12:00-13:00", "12:30-14:00"];
    assert_eq!(until(&two, "2026-11-15T12:10:00Z", &zone), "15 14:00 +00:00");
    assert_eq!(until(&["20:00-24:00"], "2026-11-15T23:10:00Z", &zone), "16 00:00 +00:00");
    assert_eq!(until(&[], "2026-11-15T23:10:00Z", &zone), "not quiet");
}

#[test]
fn local_time_decides_also_when_clocks_are_changed() {
    let zone = berlin();
    // Put back in the night to 25 October 2026, from 3:00 to 2:00: the night is an hour longer.
    assert_eq!(until(&["22:00-07:00"], "2026-10-24T20:00:00Z", &zone), "25 07:00 +01:00");
    // Of half past two there are two: the range goes to the first, and is not there a second time.
    assert_eq!(until(&["01:00-02:30"], "2026-10-25T00:29:00Z", &zone), "25 02:30 +02:00");
    assert_eq!(until(&["01:00-02:30"], "2026-10-25T01:10:00Z", &zone), "not quiet");
    // Put forward in the night to 29 March 2026, from 2:00 to 3:00: there is no half past two.
    assert_eq!(until(&["22:00-07:00"], "2026-03-28T21:00:00Z", &zone), "29 07:00 +02:00");
    assert_eq!(until(&["01:00-02:30"], "2026-03-29T00:30:00Z", &zone), "29 03:30 +02:00");
    assert_eq!(until(&["02:15-02:45"], "2026-03-29T01:20:00Z", &zone), "29 03:45 +02:00");
}

#[test]
fn the_next_quiet_time_is_known() {
    let shown = |texts: &[&str], now| {
        let (from, to) = next_ns(&ranges(texts), at(now), &TimeZone::UTC)?;
        let time = |ns: i64| Timestamp::from_nanosecond(ns.into()).expect("a time").to_string();
        Some(format!("{} {}", time(from), time(to)))
    };
    let night = ["22:00-07:00", "12:00-13:00"];
    let tonight = Some("2026-11-15T22:00:00Z 2026-11-16T07:00:00Z".to_owned());
    assert_eq!(shown(&night, "2026-11-15T13:00:00Z"), tonight);
    assert_eq!(shown(&night, "2026-11-15T23:00:00Z"), tonight, "it is");
    assert_eq!(shown(&[], "2026-11-15T23:00:00Z"), None);
}

#[test]
fn what_is_no_range_is_not_read() {
    for text in ["", "22:00", "22-7", "7:00-8:00", "22:00-25:00", "22:00-07:60", "07:00-07:00"] {
        assert_eq!(Quiet::parse(text), None, "{text}");
    }
    assert_eq!(Quiet::parse("22:00 - 07:00").map(|it| it.to_string()), Some("22:00-07:00".into()));
}

fn minutes() -> impl Strategy<Value = (i8, i8)> {
    (0i8..24, 0i8..60)
}

proptest! {
    #[test]
    fn nothing_that_is_written_makes_it_fail(text in ".{0,20}", ns in any::<i64>()) {
        if let Some(range) = Quiet::parse(&text) {
            let _end = until_ns(&[range], ns, &berlin());
            prop_assert_eq!(Quiet::parse(&range.to_string()), Some(range));
        }
    }

    /// Away from the hours in which clocks are changed, it is quiet exactly when the clock on the wall says so, and at its end it
    /// is not.
    #[test]
    fn the_clock_on_the_wall_decides(
        day in 0i64..3_000, minute in 0i64..1_440, from in minutes(), to in minutes()
    ) {
        prop_assume!(from != to);
        let zone = berlin();
        let text = format!("{:02}:{:02}-{:02}:{:02}", from.0, from.1, to.0, to.1);
        let range = Quiet::parse(&text).expect("a range");
        let ns = (day * 1_440 + minute) * 60_000_000_000 + at("2024-01-01T00:00:00Z");
        let local = local(ns, &zone);
        prop_assume!(is_plain_day(&local));
        let time = (local.hour(), local.minute());
        let is_quiet = if from < to { from <= time && time < to } else { from <= time || time < to };
        let end = until_ns(&[range], ns, &zone);
        prop_assert_eq!(end.is_some(), is_quiet, "{} at {}", text, local);
        if let Some(end) = end {
            prop_assert_eq!(until_ns(&[range], end, &zone), None);
            let end = self::local(end, &zone);
            prop_assert!(!is_plain_day(&end) || (end.hour(), end.minute()) == to);
        }
    }
}

fn local(ns: i64, zone: &TimeZone) -> Zoned {
    Timestamp::from_nanosecond(ns.into()).expect("a time").to_zoned(zone.clone())
}

/// Returns whether neither this day nor those around it have another number of hours than 24.
fn is_plain_day(local: &Zoned) -> bool {
    let noon = |days: i64| {
        let day = local.date().checked_add(jiff::Span::new().days(days)).expect("a day");
        DateTime::from_parts(day, jiff::civil::Time::midnight())
            .to_zoned(local.time_zone().clone())
            .expect("a time")
            .offset()
    };
    noon(-1) == noon(2)
}
