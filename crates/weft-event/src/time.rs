//! RFC 3339 times as nanoseconds since 1970, both ways. No clock: times come in and go out as arguments.

/// Nanoseconds in a second.
pub const SECOND_NS: i64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const MILLI_NS: i64 = 1_000_000;

/// Parses an RFC 3339 time with its offset. `None` if it is none, or outside the years 1678 to 2261, which 64 bits do not hold.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    to_ns(parse_parts(text)?)
}

/// A time as whole seconds since 1970 and nanoseconds.
pub(crate) type Parts = (i64, i64);

/// Returns a time in nanoseconds, if it fits.
pub(crate) fn to_ns((seconds, nanos): Parts) -> Option<i64> {
    let ns = i128::from(seconds) * i128::from(SECOND_NS) + i128::from(nanos);
    i64::try_from(ns).ok()
}

/// Parses an RFC 3339 time with its offset, of any year.
///
/// Takes what RFC 3339 takes and nothing else: no space for `T`, no missing offset, a 60th second only at the end of a UTC day.
pub(crate) fn parse_parts(text: &str) -> Option<Parts> {
    let bytes = text.as_bytes();
    let b: &[u8; 20] = bytes.first_chunk()?;
    if b[4] != b'-' || b[7] != b'-' || !matches!(b[10], b'T' | b't') {
        return None;
    }
    if b[13] != b':' || b[16] != b':' {
        return None;
    }
    let (year, month, day) = (two(b, 0)? * 100 + two(b, 2)?, two(b, 5)?, two(b, 8)?);
    let (hour, minute, second) = (two(b, 11)?, two(b, 14)?, two(b, 17)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanos, at) = fraction(bytes)?;
    let offset_min = offset(bytes, at)?;
    let minutes = (days_from_civil(year, month, day) * 24 + hour) * 60 + minute - offset_min;
    if second == 60 && minutes.rem_euclid(24 * 60) != 24 * 60 - 1 {
        return None;
    }
    Some((minutes * 60 + second, nanos))
}

/// Parses the fraction that may start at byte 19: nanoseconds, and the place after it.
fn fraction(b: &[u8]) -> Option<(i64, usize)> {
    if b[19] != b'.' {
        return Some((0, 19));
    }
    let mut at = 20;
    let mut nanos = 0;
    let mut unit = 100_000_000;
    while let Some(digit) = b.get(at).filter(|byte| byte.is_ascii_digit()) {
        nanos += i64::from(digit - b'0') * unit;
        unit /= 10;
        at += 1;
    }
    (at > 20).then_some((nanos, at))
}

/// Parses the offset that must end the text, in minutes east.
fn offset(b: &[u8], at: usize) -> Option<i64> {
    let sign = match b.get(at)? {
        b'Z' | b'z' => return (b.len() == at + 1).then_some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    if b.len() != at + 6 || b[at + 3] != b':' {
        return None;
    }
    let (hours, minutes) = (two(b, at + 1)?, two(b, at + 4)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

#[inline]
fn two(b: &[u8], at: usize) -> Option<i64> {
    let (tens, ones) = (b[at].wrapping_sub(b'0'), b[at + 1].wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| i64::from(tens) * 10 + i64::from(ones))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar (years count from March, so the leap day comes last).
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Writes a time as RFC 3339 in UTC, with as few fractional digits (0, 3, 6 or 9) as hold it.
pub fn format_rfc3339(ns: i64) -> String {
    let seconds = ns.div_euclid(SECOND_NS);
    let nanos = ns.rem_euclid(SECOND_NS);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let fraction = match nanos {
        0 => String::new(),
        n if n % 1_000_000 == 0 => format!(".{:03}", n / 1_000_000),
        n if n % 1_000 == 0 => format!(".{:06}", n / 1_000),
        n => format!(".{n:09}"),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{format_rfc3339, parse_rfc3339};

    #[test]
    fn times_read_and_write_back() {
        for text in [
            "1970-01-01T00:00:00Z",
            "2025-12-13T20:45:00.123Z",
            "2026-04-21T11:20:19.962811515Z",
            "2024-02-29T23:59:59.000001Z",
            "1969-12-31T23:59:59.999Z",
            "2000-03-01T00:00:00Z",
        ] {
            assert_eq!(format_rfc3339(parse_rfc3339(text).unwrap()), text);
        }
        assert_eq!(
            parse_rfc3339("2024-12-21t10:00:00+02:00"),
            parse_rfc3339("2024-12-21T08:00:00z")
        );
        assert_eq!(parse_rfc3339("2016-12-31T23:59:60Z"), parse_rfc3339("2017-01-01T00:00:00Z"));
        assert_eq!(parse_rfc3339("9999-12-31T23:59:59Z"), None);
        assert!(super::parse_parts("9999-12-31T23:59:59Z").is_some());
        assert_eq!(parse_rfc3339("0001-01-01T00:00:00Z"), None);
        for ns in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX] {
            assert_eq!(parse_rfc3339(&format_rfc3339(ns)), Some(ns));
        }
    }

    #[test]
    fn what_rfc3339_does_not_allow_is_refused() {
        for text in [
            "",
            "2025-12-13",
            "2025-12-13 20:45:00Z",
            "2025-12-13T20:45:00",
            "2025-12-13T20:45Z",
            "2025-12-13T20:45:00.Z",
            "2025-12-13T20:45:00,5Z",
            "2025-12-13T20:45:00+02",
            "2025-12-13T20:45:00+0200",
            "2025-12-13T20:45:00+24:00",
            "2025-12-13T20:45:00Z ",
            "2025-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2025-04-31T00:00:00Z",
            "2025-12-13T24:00:00Z",
            "2025-12-13T20:60:00Z",
            "2025-12-13T20:45:60Z",
            "2025-12-13T20:45:61Z",
            "20251213T204500Z    ",
            "+025-12-13T20:45:00Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text:?}");
        }
    }
}
