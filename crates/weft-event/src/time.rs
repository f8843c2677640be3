//! RFC 3339 times as nanoseconds since 1970, both ways. No clock: times come in and go out as arguments.

/// Nanoseconds in a second.
pub const SECOND_NS: i64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const MILLI_NS: i64 = 1_000_000;

/// Parses an RFC 3339 time with its offset. `None` if it is none, or outside the years 1678 to 2261, which 64 bits do not hold.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    to_ns(parse_parts(text.as_bytes())?)
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
pub(crate) fn parse_parts(bytes: &[u8]) -> Option<Parts> {
    let start = bytes.first_chunk::<20>()?;
    let [.., colon, tens, ones, next] = *start;
    // With the characters that must be there taken off, every digit is its value and everything else zero.
    let date = eight(start, 0)? ^ u64::from_le_bytes(*b"0000-00-");
    let lower = if start[10] == b't' { *b"00t00:00" } else { *b"00T00:00" };
    let time = eight(start, 8)? ^ u64::from_le_bytes(lower);
    let (tens, ones) = (tens ^ b'0', ones ^ b'0');
    let misplaced = (date & 0xff00_00ff_0000_0000) | (time & 0x0000_ff00_00ff_0000);
    if over_nine(date) | over_nine(time) | misplaced != 0 || colon != b':' || tens > 9 || ones > 9 {
        return None;
    }
    let (date, time) = (pairs(date), pairs(time));
    let two = |pairs: u64, at: u32| (pairs >> (8 * at)) as u32 & 0xff;
    let (year, month) = (two(date, 0) * 100 + two(date, 2), two(date, 5));
    let (day, hour, minute) = (two(time, 0), two(time, 3), two(time, 6));
    let second = u32::from(tens) * 10 + u32::from(ones);
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanos, at) = if next == b'.' { fraction(bytes)? } else { (0, 19) };
    let offset_min = if bytes.get(at..) == Some(b"Z") { 0 } else { offset(bytes, at)? };
    let minute_of_day = i64::from(hour * 60 + minute);
    let minutes = days_from_civil(year, month, day) * 24 * 60 + minute_of_day - offset_min;
    if second == 60 && minutes.rem_euclid(24 * 60) != 24 * 60 - 1 {
        return None;
    }
    Some((minutes * 60 + i64::from(second), nanos))
}

#[inline]
fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..at + 8)?.first_chunk()?))
}

/// Returns 0 if each of eight bytes is at most 9.
#[inline]
fn over_nine(bytes: u64) -> u64 {
    // Without its highest bit, a byte over 9 carries into it.
    let low = bytes & 0x7f7f_7f7f_7f7f_7f7f;
    (bytes | (low + 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080
}

/// Returns in each byte the number that its digit and the next one are.
#[inline]
fn pairs(digits: u64) -> u64 {
    digits.wrapping_mul(10) + (digits >> 8)
}

/// Parses the fraction that starts at byte 19: nanoseconds, and the place after it. Digits beyond the ninth are cut off.
fn fraction(bytes: &[u8]) -> Option<(i64, usize)> {
    const UNITS: [i64; 9] =
        [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10];
    let start = 20;
    // Nearly every time ends with `Z`, up to eight digits before it: then all of them are read at once.
    if let Some(&[.., b'Z']) = bytes.get(start..)
        && let n @ 1..=8 = bytes.len() - 1 - start
    {
        let last = eight(bytes, bytes.len() - 9)? ^ u64::from_le_bytes([b'0'; 8]);
        let digits = last & u64::MAX << (64 - 8 * n);
        return match over_nine(digits) {
            0 => Some((eight_digits(digits) * UNITS[n], bytes.len() - 1)),
            _ => None,
        };
    }
    let n = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let kept = &bytes[start..start + n.min(9)];
    let nanos = kept.iter().fold(0, |nanos, digit| nanos * 10 + i64::from(digit - b'0'));
    let unit = UNITS.get(kept.len()).copied().unwrap_or(1);
    (n > 0).then_some((nanos * unit, start + n))
}

/// Returns the number that eight digits are, the first of them in the lowest byte: by pairs, pairs of pairs, and the two halves.
#[inline]
fn eight_digits(digits: u64) -> i64 {
    let pairs = pairs(digits) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    ((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff) as i64
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

fn days_in_month(year: u32, month: u32) -> u32 {
    let divides = |n: u32| year.is_multiple_of(n);
    match month {
        2 if divides(4) && (!divides(100) || divides(400)) => 29,
        2 => 28,
        // Thirty days in April, June, September and November.
        _ => 31 - (0b1010_0101_0000 >> month & 1),
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar (years count from March, so the leap day comes last).
fn days_from_civil(year: u32, month: u32, day: u32) -> i64 {
    // One era of 400 years more, so that no year is negative.
    let year = year + 400 - u32::from(month <= 2);
    let month_from_march = if month <= 2 { month + 9 } else { month - 3 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    i64::from(days) - 146_097 - 719_468
}

/// Writes a time as RFC 3339 in UTC, with as few fractional digits (0, 3, 6 or 9) as hold it.
pub fn format_rfc3339(ns: i64) -> String {
    let seconds = ns.div_euclid(SECOND_NS);
    let nanos = ns.rem_euclid(SECOND_NS);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let mut out = String::with_capacity("2026-01-01T00:00:00.000000000Z".len());
    let parts = [(year, 4, '-'), (month, 2, '-'), (day, 2, 'T'), (hour, 2, ':'), (minute, 2, ':')];
    for (number, width, after) in parts {
        put_digits(&mut out, number, width);
        out.push(after);
    }
    put_digits(&mut out, second, 2);
    let (fraction, width) = match nanos {
        n if n % 1_000_000 == 0 => (n / 1_000_000, 3),
        n if n % 1_000 == 0 => (n / 1_000, 6),
        n => (n, 9),
    };
    if nanos > 0 {
        out.push('.');
        put_digits(&mut out, fraction, width);
    }
    out.push('Z');
    out
}

/// Writes a number that has no more than so many digits, with zeros before it.
fn put_digits(out: &mut String, number: i64, width: u32) {
    for nth in (0..width).rev() {
        let digit = number / 10_i64.pow(nth) % 10;
        out.push(char::from(b'0' + digit as u8));
    }
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
        assert!(super::parse_parts(b"9999-12-31T23:59:59Z").is_some());
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
