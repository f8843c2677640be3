//! Strings: finding their end eight bytes at a time, and decoding the few that have escapes.

use std::borrow::Cow;

use super::parse::{Syntax, SyntaxError};

/// How many bytes are looked at together; every line of marks ends with as many set ones, so that no search runs off its end.
const BLOCK: usize = 16;

/// Marks every quote, backslash and control character of a line: `0xff` where one stands, 0 elsewhere.
///
/// One pass over the whole line, without a branch, of which the compiler makes vector code. The ends of strings are then found
/// eight bytes at a time by looking for a mark, which is a fraction of the cost of looking for three kinds of bytes.
pub(super) fn mark_specials(bytes: &[u8], marks: &mut Vec<u8>) {
    if marks.len() < bytes.len() + BLOCK {
        marks.resize(bytes.len() + BLOCK, 0);
    }
    for (mark, &byte) in marks.iter_mut().zip(bytes) {
        let special = (byte == b'"') | (byte == b'\\') | (byte < 0x20);
        *mark = if special { 0xff } else { 0 };
    }
    marks[bytes.len()..bytes.len() + BLOCK].fill(0xff);
}

/// Returns the place of the next mark at or after `at`, which is the line's length at the latest.
#[inline(always)]
pub(super) fn next_special(marks: &[u8], mut at: usize) -> usize {
    loop {
        let Some(block) = marks.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) else {
            return at;
        };
        let block = u128::from_le_bytes(*block);
        let (low, high) = (block as u64, (block >> 64) as u64);
        if low | high != 0 {
            let (word, base) = if low != 0 { (low, 0) } else { (high, 64) };
            return at + ((base + word.trailing_zeros()) / 8) as usize;
        }
        at += BLOCK;
    }
}

/// Finds the closing quote of a string from its first special character at `at`.
pub(super) fn scan(bytes: &[u8], marks: &[u8], mut at: usize) -> Result<usize, SyntaxError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') => at = escape(bytes, at)?,
            Some(_) => return Err(SyntaxError { offset: at, kind: Syntax::Control }),
            None => return Err(SyntaxError { offset: bytes.len(), kind: Syntax::Torn }),
        }
        at = next_special(marks, at);
    }
}

/// Checks the escape at `at` and returns the place after it.
#[inline]
fn escape(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    let torn = SyntaxError { offset: bytes.len(), kind: Syntax::Torn };
    let bad = SyntaxError { offset: at, kind: Syntax::Escape };
    match bytes.get(at + 1).ok_or(torn)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => return Ok(at + 2),
        b'u' => {}
        _ => return Err(bad),
    }
    let half = SyntaxError { offset: at, kind: Syntax::Surrogate };
    let unit = |from: usize| match bytes.get(from..from + 4) {
        Some(digits) => hex(digits).ok_or(bad),
        None if bytes[from.min(bytes.len())..].iter().all(u8::is_ascii_hexdigit) => Err(torn),
        None => Err(bad),
    };
    match unit(at + 2)? {
        0xD800..=0xDBFF => {
            let rest = &bytes[at + 6..];
            if !rest.starts_with(b"\\u") {
                return Err(if b"\\u".starts_with(rest) { torn } else { half });
            }
            match unit(at + 8)? {
                0xDC00..=0xDFFF => Ok(at + 12),
                _ => Err(half),
            }
        }
        0xDC00..=0xDFFF => Err(half),
        _ => Ok(at + 6),
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
}

/// Decodes the inside of a string that [`scan`] has accepted.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    let backslash = |text: &str| text.bytes().position(|byte| byte == b'\\');
    let Some(first) = backslash(raw) else { return Cow::Borrowed(raw) };
    let mut text = String::with_capacity(raw.len());
    text.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some(after) = rest.strip_prefix('\\') {
        let (c, used) = unescape(after);
        text.push(c);
        rest = &after[used..];
        let plain = backslash(rest).unwrap_or(rest.len());
        text.push_str(&rest[..plain]);
        rest = &rest[plain..];
    }
    Cow::Owned(text)
}

/// Decodes one checked escape after its backslash: the character and the bytes it took.
fn unescape(after: &str) -> (char, usize) {
    let unit = |from: usize| {
        after.as_bytes().get(from..from + 4).and_then(hex).expect("the escape was checked")
    };
    match after.as_bytes()[0] {
        b'b' => ('\u{8}', 1),
        b'f' => ('\u{c}', 1),
        b'n' => ('\n', 1),
        b'r' => ('\r', 1),
        b't' => ('\t', 1),
        b'u' => {
            let high = unit(1);
            let (code, used) = match high {
                0xD800..=0xDBFF => (0x10000 + ((high - 0xD800) << 10) + (unit(7) - 0xDC00), 11),
                _ => (high, 5),
            };
            (char::from_u32(code).expect("surrogates were paired"), used)
        }
        plain => (char::from(plain), 1),
    }
}
