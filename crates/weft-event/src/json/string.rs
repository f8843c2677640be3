//! Strings: finding their end by marks, and decoding the few that have escapes.

use std::borrow::Cow;
use std::num::NonZeroU64;

use super::parse::{Syntax, SyntaxError};

/// How many bytes are looked at together: as many as a word of marks has bits.
const BLOCK: usize = 64;

/// How many bytes of set marks follow those of a line, so that no search runs off their end.
const GUARD: usize = 16;

/// How many bytes at least follow those of a line, all of them zero, so that a look ahead finds some.
pub(super) const PADDING: usize = 16;

/// How many bytes at most are needed for that.
pub(super) const PADDING_MAX: usize = PADDING + BLOCK;

/// Returns how many bytes a line of `n` bytes has with those that follow it: whole blocks.
pub(super) const fn padded(n: usize) -> usize {
    (n + PADDING).div_ceil(BLOCK) * BLOCK
}

/// Marks every quote, backslash and control character of a padded line, one bit per byte, lowest bit first. So what follows the
/// line is marked too.
///
/// One pass over the whole line, without a branch, of which the compiler makes vector code. The ends of strings are then found
/// by looking for a set bit, some sixty bytes at a time.
pub(super) fn mark_specials(padded: &[u8], marks: &mut Vec<u8>) {
    let blocks = padded.as_chunks::<BLOCK>().0;
    let n_marks = blocks.len() * 8;
    if marks.len() < n_marks + GUARD {
        marks.resize(n_marks + GUARD, 0);
    }
    let (line_marks, guard) = marks[..n_marks + GUARD].split_at_mut(n_marks);
    guard.fill(0xff);
    for (block, word) in blocks.iter().zip(line_marks.as_chunks_mut().0) {
        *word = specials(block).to_le_bytes();
    }
}

/// The bit that each byte of a block gets before the bits are brought into order: that of its row of eight.
const ROW_BITS: [u8; BLOCK] = {
    let mut bits = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        bits[at] = 1 << (at / 8);
        at += 1;
    }
    bits
};

/// Returns the marks of one block.
#[inline(always)]
fn specials(block: &[u8; BLOCK]) -> u64 {
    let mut bits = [0; BLOCK];
    for (at, &byte) in block.iter().enumerate() {
        // The flipped bit brings the quote next to the control characters, and nothing else: one comparison for both.
        let special = (byte ^ 2 <= b'"' ^ 2) | (byte == b'\\');
        bits[at] = if special { ROW_BITS[at] } else { 0 };
    }
    let rows = bits.as_chunks::<8>().0;
    transpose(rows.iter().fold(0, |all, row| all | u64::from_le_bytes(*row)))
}

/// Transposes eight by eight bits: bit `8 * column + row` becomes bit `8 * row + column`.
#[inline(always)]
fn transpose(mut bits: u64) -> u64 {
    let moved = (bits ^ (bits >> 7)) & 0x00AA_00AA_00AA_00AA;
    bits ^= moved ^ (moved << 7);
    let moved = (bits ^ (bits >> 14)) & 0x0000_CCCC_0000_CCCC;
    bits ^= moved ^ (moved << 14);
    let moved = (bits ^ (bits >> 28)) & 0x0000_0000_F0F0_F0F0;
    bits ^ moved ^ (moved << 28)
}

/// Returns the place of the next mark at or after `at`; the first after the line is marked.
#[inline(always)]
pub(super) fn next_special(marks: &[u8], mut at: usize) -> usize {
    loop {
        let Some(word) = window(marks, at / 8) else { return at };
        match NonZeroU64::new(u64::from_le_bytes(*word) >> (at % 8)) {
            Some(found) => return at + found.trailing_zeros() as usize,
            None => at = at / 8 * 8 + BLOCK,
        }
    }
}

/// Returns the bytes from `at` on, if there are so many.
#[inline(always)]
pub(super) fn window<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    // A place in a line fits 32 bits. Where the compiler is told so, it need not look for an overflow.
    let at = at as u32 as usize;
    bytes.get(at..at + N)?.first_chunk()
}

/// What the escapes of one letter stand for; 0 for all other bytes.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let pairs = [b"\"\"", b"\\\\", b"//", b"b\x08", b"f\x0c", b"n\n", b"r\r", b"t\t"];
    let mut idx = 0;
    while idx < pairs.len() {
        letters[pairs[idx][0] as usize] = pairs[idx][1];
        idx += 1;
    }
    letters
};

/// Finds the closing quote of a string from its first special character at `at`.
pub(super) fn scan(bytes: &[u8], marks: &[u8], mut at: usize) -> Result<usize, SyntaxError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') => {
                at = match bytes.get(at + 1) {
                    Some(&letter) if LETTERS[usize::from(letter)] != 0 => at + 2,
                    Some(_) | None => escape(bytes, at)?,
                }
            }
            Some(_) => return Err(SyntaxError { offset: at, kind: Syntax::Control }),
            None => return Err(SyntaxError { offset: bytes.len(), kind: Syntax::Torn }),
        }
        at = next_special(marks, at);
    }
}

/// Checks the escape at `at`, which is no single letter, and returns the place after it.
fn escape(bytes: &[u8], at: usize) -> Result<usize, SyntaxError> {
    let torn = SyntaxError { offset: bytes.len(), kind: Syntax::Torn };
    let bad = SyntaxError { offset: at, kind: Syntax::Escape };
    if *bytes.get(at + 1).ok_or(torn)? != b'u' {
        return Err(bad);
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

/// Decodes the string that stands at `start..end` of a line, whose escapes are where its marks are.
pub(super) fn decode_marked(line: &str, marks: &[u8], start: usize, end: usize) -> String {
    let mut text = String::with_capacity(end - start);
    let mut at = start;
    loop {
        let special = next_special(marks, at);
        text.push_str(&line[at..special]);
        if special >= end {
            return text;
        }
        let (c, used) = unescape(&line[special + 1..]);
        text.push(c);
        at = special + 1 + used;
    }
}

/// Decodes one checked escape after its backslash: the character and the bytes it took.
fn unescape(after: &str) -> (char, usize) {
    let unit = |from: usize| {
        after.as_bytes().get(from..from + 4).and_then(hex).expect("the escape was checked")
    };
    match LETTERS[usize::from(after.as_bytes()[0])] {
        0 => {
            let high = unit(1);
            let (code, used) = match high {
                0xD800..=0xDBFF => (0x10000 + ((high - 0xD800) << 10) + (unit(7) - 0xDC00), 11),
                _ => (high, 5),
            };
            (char::from_u32(code).expect("surrogates were paired"), used)
        }
        letter => (char::from(letter), 1),
    }
}
