//! Letters that a line writes as `\u0041` though it need not, and what they hide: such a line is searched a second time, with them as
//! they are.
//!
//! Quotes, backslashes and the signs that writers of JSON like to escape stay: the rules read those where they stand.

use std::ops::Range;

use memchr::memmem;

use super::{Found, Rules, Search};

/// What begins the escape of a character of ASCII.
const BEGIN: &[u8] = b"\\u00";

/// A line with its letters as they are.
struct Plain {
    line: Vec<u8>,
    /// Where the line goes on behind a letter, and how much further that is in the line it was made of.
    shifts: Vec<(usize, usize)>,
}

/// Looks at an escape, and notes if it may hide something.
pub(super) fn seek(search: &mut Search<'_>, anchor: Range<usize>) {
    search.has_hidden |= letter(search.line, anchor.end).is_some();
}

/// Adds what every rule finds once the letters of a line are as they are.
#[cold]
pub(super) fn search(line: &[u8], rules: &Rules, found: &mut Vec<Found>) {
    let plain = Plain::of(line);
    let mut hidden = Vec::new();
    rules.anchors.search(&plain.line, rules, &mut hidden);
    found.extend(hidden.into_iter().map(|Found { rule, range }| Found {
        rule,
        range: plain.place(range.start)..plain.place(range.end),
    }));
}

impl Plain {
    fn of(line: &[u8]) -> Self {
        let mut plain = Self { line: Vec::with_capacity(line.len()), shifts: Vec::new() };
        let mut rest = 0;
        for at in memmem::find_iter(line, BEGIN) {
            let Some(letter) = letter(line, at + BEGIN.len()) else { continue };
            let before = &line[rest..at];
            // However deep a text is quoted, all backslashes belong to the letter.
            let n_slashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
            plain.line.extend_from_slice(&before[..before.len() - n_slashes]);
            plain.line.push(letter);
            rest = at + BEGIN.len() + 2;
            plain.shifts.push((plain.line.len(), rest - plain.line.len()));
        }
        plain.line.extend_from_slice(&line[rest..]);
        plain
    }

    /// Returns where a place is in the line that this one was made of.
    fn place(&self, at: usize) -> usize {
        let n = self.shifts.partition_point(|(begin, _)| *begin <= at);
        at + n.checked_sub(1).map_or(0, |last| self.shifts[last].1)
    }
}

/// Returns what the last two digits of an escape stand for, if it is a character that rules look for.
fn letter(line: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*line.get(at)?).to_digit(16);
    let letter = u8::try_from(digit(at)? << 4 | digit(at + 1)?).ok()?;
    (letter.is_ascii_alphanumeric() || b" _-.:/+@~%".contains(&letter)).then_some(letter)
}
