//! Numbers: the grammar, and what is asked of them later.

use super::parse::{Syntax, SyntaxError};

/// Longest run of digits that certainly fits a 64-bit float.
const DIGITS_SAFE_MAX: usize = 300;

/// Returns the integer that a float is, within the range of 64-bit integers, signed or not.
pub(super) fn whole(n: f64) -> Option<i128> {
    const RANGE: f64 = u64::MAX as f64;
    (n.fract() == 0.0 && n.abs() <= RANGE).then_some(n as i128)
}

/// Most digits that 53 bits certainly hold.
const DIGITS_SMALL_MAX: usize = 15;

/// Returns the number that these digits are; `None` if there is a sign, or too many of them.
#[inline]
pub(super) fn small(digits: &[u8]) -> Option<u64> {
    if digits.len() > DIGITS_SMALL_MAX || digits.first() == Some(&b'-') {
        return None;
    }
    Some(digits.iter().fold(0, |n, digit| n * 10 + u64::from(digit & 0xf)))
}

/// Checks the number at `start`; returns its end and whether it is digits alone.
pub(super) fn scan(bytes: &[u8], start: usize) -> Result<(usize, bool), SyntaxError> {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let bad = |offset: usize| {
        let kind = if offset == bytes.len() { Syntax::Torn } else { Syntax::Number };
        SyntaxError { offset, kind }
    };
    let first = start + usize::from(bytes[start] == b'-');
    let mut end = digits(first);
    if end == first || (bytes[first] == b'0' && end > first + 1) {
        return Err(bad(end));
    }
    let mut integral = true;
    if bytes.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digits(fraction);
        if end == fraction {
            return Err(bad(end));
        }
        integral = false;
    }
    let mut bounded = end - first < DIGITS_SAFE_MAX;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = end + 1 + sign;
        end = digits(exponent);
        if end == exponent {
            return Err(bad(end));
        }
        integral = false;
        bounded = false;
    }
    if !bounded {
        let text = std::str::from_utf8(&bytes[start..end]).expect("a number is ASCII");
        if !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(SyntaxError { offset: start, kind: Syntax::NumberRange });
        }
    }
    Ok((end, integral))
}
