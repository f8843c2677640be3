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

/// Begins what a terminal is told.
const ESCAPE: u8 = 0x1b;

/// Most bytes of the numbers of a colour.
const COLOUR_BYTES_MAX: usize = 24;

/// How often a byte is written for an address in an address.
const PERCENT_DEPTH_MAX: usize = 4;

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

/// Returns where the characters of a class begin that end at `at`, if they are so many and no more.
pub(super) fn run_back_of(line: &[u8], at: usize, class: Class, n: usize) -> Option<usize> {
    let (start, n_before) = run_back(line, at, class, n - 1);
    (n_before == n && !goes_on(line, start, class)).then_some(start)
}

/// Skips blanks on the same line, and colours.
pub(super) fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while let Some(char) = char_at(line, at) {
        match char.byte {
            b' ' | b'\t' => at += char.len,
            ESCAPE => match colour_at(line, at) {
                Some(end) => at = end,
                None => break,
            },
            _ => break,
        }
    }
    at
}

/// Skips blanks on the same line, and colours, backwards.
pub(super) fn skip_blanks_back(line: &[u8], mut at: usize) -> usize {
    while let Some(char) = char_before(line, at) {
        if is_blank(char.byte) {
            at -= char.len;
        } else if let Some(start) = colour_before(line, at) {
            at = start;
        } else {
            break;
        }
    }
    at
}

/// Skips what changes the colour.
pub(super) fn skip_colours(line: &[u8], mut at: usize) -> usize {
    while let Some(end) = colour_at(line, at) {
        at = end;
    }
    at
}

/// Returns where the sequence ends that begins at `at` and tells a terminal something, mostly a colour: `ESC [ 1 ; 3 2 m`.
fn colour_at(line: &[u8], at: usize) -> Option<usize> {
    let escape = char_at(line, at).filter(|char| char.byte == ESCAPE)?;
    let rest = line[at + escape.len..].strip_prefix(b"[")?;
    let n = rest.iter().take(COLOUR_BYTES_MAX).take_while(|byte| is_parameter(byte)).count();
    rest.get(n)?.is_ascii_alphabetic().then_some(line.len() - rest.len() + n + 1)
}

/// Returns where such a sequence begins that ends at `at`.
pub(super) fn colour_before(line: &[u8], at: usize) -> Option<usize> {
    let last = at.checked_sub(1)?;
    line[last].is_ascii_alphabetic().then(|| open_colour(line, last)).flatten()
}

/// Returns where such a sequence begins of which all but the rest of its numbers and its letter ends at `at`.
fn open_colour(line: &[u8], at: usize) -> Option<usize> {
    let numbers = line[..at].iter().rev().take(COLOUR_BYTES_MAX);
    let bracket = at - numbers.take_while(|byte| is_parameter(byte)).count();
    let before = line[..bracket].strip_suffix(b"[")?.len();
    let escape = char_before(line, before).filter(|char| char.byte == ESCAPE)?;
    Some(before - escape.len)
}

fn is_parameter(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b';' | b':' | b'?')
}

/// Returns whether the character before `at` is of a class and belongs to what follows: it ends no colour and no byte as
/// addresses write it (`%3D`, and `%253D` in an address of an address).
pub(super) fn goes_on(line: &[u8], at: usize, class: Class) -> bool {
    class(byte_before(line, at)) && colour_before(line, at).is_none() && !is_percent(&line[..at])
}

fn is_percent(before: &[u8]) -> bool {
    let [before @ .., high, low] = before else { return false };
    let depth = before.rchunks_exact(2).take(PERCENT_DEPTH_MAX).take_while(|two| two == b"25");
    let before = &before[..before.len() - 2 * depth.count()];
    high.is_ascii_hexdigit() && low.is_ascii_hexdigit() && before.ends_with(b"%")
}

/// Returns where a name begins whose characters begin at `at`: behind the end of a colour or of a byte as addresses write it.
pub(super) fn name_start(line: &[u8], at: usize) -> usize {
    let name = &line[at..];
    let n_digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if open_colour(line, at).is_some() && name.get(n_digits).is_some_and(u8::is_ascii_alphabetic) {
        return at + n_digits + 1;
    }
    match name {
        [_, _, ..] if is_percent(&line[..at + 2]) => at + 2,
        _ => at,
    }
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
