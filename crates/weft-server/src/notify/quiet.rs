//! Quiet hours: ranges of local time in which nobody is told anything but what is excepted.
//!
//! A range is one stretch of time on each day that it begins on, from one wall-clock time to the next. Where the clocks are changed,
//! a wall-clock time that there is not that day is as much later as the clocks were put forward, and of one that there is twice
//! the first counts.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

/// Ranges that are followed to find the end of a quiet time: beyond, it is asked again then.
const STEPS_MAX: usize = 32;

/// Days ahead that a quiet time is looked for.
const DAYS_MAX: usize = 2;

/// A range of local time, such as `22:00-07:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    from: Time,
    to: Time,
}

impl Quiet {
    /// Reads a range; one that ends where it begins is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from, to) = (time(from)?, time(to)?);
        (from != to).then_some(Self { from, to })
    }

    /// Returns the stretch that begins on a day.
    fn on(&self, day: Date, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
        let ends = if self.to <= self.from { day.tomorrow().ok()? } else { day };
        let at = |day: Date, time: Time| {
            Some(day.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp())
        };
        Some((at(day, self.from)?, at(ends, self.to)?))
    }
}

impl fmt::Display for Quiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from.hour(), from.minute(), to.hour(), to.minute())
    }
}

/// Reads hours and minutes; 24:00 is the end of a day.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.trim().split_once(':')?;
    let is_number = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hour) || !is_number(minute) {
        return None;
    }
    match (hour.parse().ok()?, minute.parse().ok()?) {
        (24, 0) => Some(Time::midnight()),
        (hour, minute) => Time::new(hour, minute, 0, 0).ok(),
    }
}

/// Returns when the quiet time ends that a moment is in, in nanoseconds since 1970; `None` if it is in none.
pub fn until_ns(ranges: &[Quiet], now_ns: i64, zone: &TimeZone) -> Option<i64> {
    let now = moment(now_ns)?;
    let mut end = now;
    // Where one range ends another may have begun.
    for _ in 0..STEPS_MAX {
        match stretches(ranges, end, zone).find(|(from, to)| *from <= end && end < *to) {
            Some((_, to)) => end = to,
            None => break,
        }
    }
    (end > now).then(|| nanoseconds(end))
}

/// Returns when it is quiet next, or is now: from when to when, in nanoseconds since 1970.
pub fn next_ns(ranges: &[Quiet], now_ns: i64, zone: &TimeZone) -> Option<(i64, i64)> {
    let now = moment(now_ns)?;
    let coming = stretches(ranges, now, zone).filter(|(from, to)| from < to && *to > now);
    let (from, _) = coming.min()?;
    let until_ns = until_ns(ranges, nanoseconds(from.max(now)), zone)?;
    Some((nanoseconds(from), until_ns))
}

/// Returns the stretches around a moment: those that began the day before, and those of the days to come.
fn stretches(
    ranges: &[Quiet],
    at: Timestamp,
    zone: &TimeZone,
) -> impl Iterator<Item = (Timestamp, Timestamp)> {
    let today = at.to_zoned(zone.clone()).date();
    let first = today.yesterday().unwrap_or(today);
    let days = first.series(jiff::Span::new().days(1)).take(DAYS_MAX + 2);
    days.flat_map(move |day| ranges.iter().filter_map(move |range| range.on(day, zone)))
}

fn moment(ns: i64) -> Option<Timestamp> {
    Timestamp::from_nanosecond(ns.into()).ok()
}

fn nanoseconds(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
