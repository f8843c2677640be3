//! The values that a filter compares with: times, durations and numbers, from text.

use weft_event::time::{MILLI_NS, SECOND_NS, parse_rfc3339};

use super::expression::Number;

const MINUTE_NS: i64 = 60 * SECOND_NS;
const HOUR_NS: i64 = 60 * MINUTE_NS;
/// Nanoseconds in a day of UTC.
pub(super) const DAY_NS: i64 = 24 * HOUR_NS;

/// The units of durations; of two that begin alike the longer comes first.
const UNITS: [(&str, i64); 6] = [
    ("ms", MILLI_NS),
    ("s", SECOND_NS),
    ("m", MINUTE_NS),
    ("h", HOUR_NS),
    ("d", DAY_NS),
    ("w", 7 * DAY_NS),
];

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Nanoseconds since 1970.
    Instant(i64),
    /// A whole day of UTC, by its first nanosecond.
    Day(i64),
}

impl Time {
    /// Returns the instant, of a day the first.
    pub(super) fn start_ns(self) -> i64 {
        match self {
            Time::Instant(ns) | Time::Day(ns) => ns,
        }
    }
}

/// Reads a time: how long before `now_ns`, a date, or a date with a clock time, in UTC unless it says otherwise.
pub(super) fn time(text: &str, now_ns: i64) -> Option<Time> {
    if let Some(ago_ns) = span_ns(text) {
        return Some(Time::Instant(now_ns.saturating_sub(ago_ns)));
    }
    let (date, clock) = text.split_at_checked(10)?;
    if clock.is_empty() {
        return parse_rfc3339(&format!("{date}T00:00:00Z")).map(Time::Day);
    }
    let clock = clock.strip_prefix(['T', 't', ' '])?;
    let (clock, zone) = clock.split_at(clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len()));
    let seconds = if clock.len() == "10:00".len() { ":00" } else { "" };
    let zone = if zone.is_empty() { "Z" } else { zone };
    parse_rfc3339(&format!("{date}T{clock}{seconds}{zone}")).map(Time::Instant)
}

/// Reads a duration in whole milliseconds.
pub(super) fn duration_ms(text: &str) -> Option<i64> {
    let ns = span_ns(text)?;
    (ns % MILLI_NS == 0).then_some(ns / MILLI_NS)
}

/// Reads numbers with units, one after the other: `90s`, `1.5h`, `1h30m`. In nanoseconds.
fn span_ns(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut sum_ns: i128 = 0;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let (unit, unit_ns) = UNITS.iter().find(|(unit, _)| after.starts_with(unit))?;
        sum_ns += times(number, *unit_ns)?;
        rest = &after[unit.len()..];
        if rest.is_empty() {
            return i64::try_from(sum_ns).ok();
        }
    }
}

/// Returns a decimal number times a unit, cut off after the last whole nanosecond.
fn times(number: &str, unit_ns: i64) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| -> Option<i128> {
        let is_plain = (1..=18).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        is_plain.then(|| text.parse().ok())?
    };
    let scale = 10_i128.pow(u32::try_from(fraction.len()).ok().filter(|len| *len <= 18)?);
    let unit_ns = i128::from(unit_ns);
    Some(digits(whole)? * unit_ns + digits(fraction)? * unit_ns / scale)
}

/// Reads a whole number.
pub(super) fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| text.parse().ok())?
}

/// Reads a number, which is finite.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let is_number = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let starts_plain = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    if !is_number || !starts_plain {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Reads a number, as precise as it is written.
pub(super) fn number(text: &str) -> Option<Number> {
    whole(text).map(Number::Whole).or_else(|| decimal(text).map(Number::Decimal))
}
