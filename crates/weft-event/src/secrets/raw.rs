//! Reading the bytes of a line character by character, however deep a text is quoted in others.
//!
//! A line break in a string of a string is `\\n`, a quote three levels down `\\\"`: here each is one character with its backslashes.

use std::ptr::fn_addr_eq;

/// A character as it stands in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Char {
    /// What it stands for. Of what is not ASCII one byte that is not.
    pub(super) byte: u8,
    /// How many bytes of the line it takes.
    pub(super) len: usize,
    /// How many backslashes are before it, which says how deep it is quoted.
    pub(super) slashes: usize,
}

/// A kind of characters.
pub(super) type Class = fn(u8) -> bool;

/// Stands for a character beyond ASCII.
const BEYOND_ASCII: u8 = 0x80;

/// Most backslashes that are counted before a character.
const SLASHES_MAX: usize = 64;

/// Returns the character that begins at `at`.
#[inline]
pub(super) fn char_at(line: &[u8], at: usize) -> Option<Char> {
    match *line.get(at)? {
        b'\\' => Some(escape_at(line, at)),
        byte => Some(Char { byte, len: 1, slashes: 0 }),
    }
}

fn escape_at(line: &[u8], at: usize) -> Char {
    let slashes = line[at..].iter().take(SLASHES_MAX).take_while(|&&byte| byte == b'\\').count();
    let letter = line.get(at + slashes).copied().unwrap_or_default();
    let backslash = Char { byte: b'\\', len: slashes, slashes: 0 };
    match letter {
        // An even number of backslashes are characters of their own, and the quote ends the string.
        b'"' if slashes.is_multiple_of(2) => backslash,
        b'u' => match code_at(line, at + slashes + 1) {
            Some(byte) => Char { byte, len: slashes + 5, slashes },
            None => backslash,
        },
        _ => match letter_means(letter) {
            Some(byte) => Char { byte, len: slashes + 1, slashes },
            None => backslash,
        },
    }
}

/// Returns what the letter of an escape stands for.
fn letter_means(letter: u8) -> Option<u8> {
    match letter {
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        b'b' => Some(0x08),
        b'f' => Some(0x0c),
        b'"' | b'\'' | b'`' | b'/' => Some(letter),
        _ => None,
    }
}

/// Returns what four hexadecimal digits stand for.
fn code_at(line: &[u8], at: usize) -> Option<u8> {
    let digits = std::str::from_utf8(line.get(at..at + 4)?).ok()?;
    let code = u16::from_str_radix(digits, 16).ok()?;
    Some(if code < 0x80 { code as u8 } else { BEYOND_ASCII })
}

/// Returns the character that ends at `at`.
#[inline]
pub(super) fn char_before(line: &[u8], at: usize) -> Option<Char> {
    let byte = *line.get(at.checked_sub(1)?)?;
    if at >= 6
        && line[at - 6..].starts_with(b"\\u")
        && let Some(byte) = code_at(line, at - 4)
    {
        let slashes = slashes_before(line, at - 5);
        return Some(Char { byte, len: slashes + 5, slashes });
    }
    if at >= 2
        && line[at - 2] == b'\\'
        && let Some(byte) = letter_means(byte)
    {
        let slashes = slashes_before(line, at - 1);
        return Some(Char { byte, len: slashes + 1, slashes });
    }
    Some(Char { byte, len: 1, slashes: 0 })
}

/// Returns the byte that the character before `at` stands for; a line break where the line begins.
#[inline]
pub(super) fn byte_before(line: &[u8], at: usize) -> u8 {
    char_before(line, at).map_or(b'\n', |char| char.byte)
}

fn slashes_before(line: &[u8], at: usize) -> usize {
    line[..at].iter().rev().take(SLASHES_MAX).take_while(|&&byte| byte == b'\\').count()
}

/// Returns where the characters of a class end that begin at `at`, and how many they are: no more than `most` and one.
#[inline]
pub(super) fn run(line: &[u8], mut at: usize, class: Class, most: usize) -> (usize, usize) {
    let mut n = 0;
    while let Some(char) = char_at(line, at)
        && class(char.byte)
        && n <= most
    {
        at += char.len;
        n += 1;
    }
    (at, n)
}

/// The last run of every class that was read.
#[derive(Debug, Default)]
pub(super) struct Runs(Vec<Run>);

#[derive(Debug)]
struct Run {
    class: Class,
    start: usize,
    end: usize,
    n: usize,
}

impl Runs {
    /// Returns where the characters of a class end that begin at `at`, and how many they are; reads on in the run that `at` is in.
    pub(super) fn run(&mut self, line: &[u8], at: usize, class: Class) -> (usize, usize) {
        let same = |run: &&mut Run| fn_addr_eq(run.class, class);
        let Some(run) = self.0.iter_mut().find(same) else {
            let (end, n) = run(line, at, class, usize::MAX);
            self.0.push(Run { class, start: at, end, n });
            return (end, n);
        };
        if (run.start..=run.end).contains(&at) {
            while run.start < at
                && let Some(char) = char_at(line, run.start)
            {
                run.start += char.len;
                run.n -= 1;
            }
        }
        if run.start != at {
            run.start = at;
            (run.end, run.n) = self::run(line, at, class, usize::MAX);
        }
        (run.end, run.n)
    }
}

/// Returns where the characters of a class begin that end at `at`, and how many they are: no more than `most` and one.
pub(super) fn run_back(line: &[u8], mut at: usize, class: Class, most: usize) -> (usize, usize) {
    let mut n = 0;
    while let Some(char) = char_before(line, at)
        && class(char.byte)
        && n <= most
    {
        at -= char.len;
        n += 1;
    }
    (at, n)
}

/// Skips blanks on the same line.
pub(super) fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while let Some(char) = char_at(line, at)
        && is_blank(char.byte)
    {
        at += char.len;
    }
    at
}

/// Skips blanks on the same line, backwards.
pub(super) fn skip_blanks_back(line: &[u8], mut at: usize) -> usize {
    while let Some(char) = char_before(line, at)
        && is_blank(char.byte)
    {
        at -= char.len;
    }
    at
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

pub(super) fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/'
}

pub(super) fn is_base64_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}
