//! Private keys in PEM form: whole, cut off, one line an item of a list, or with numbers and signs before the lines.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::raw::{char_at, is_base64, run};
use super::value::has_digit_and_letter;
use super::{Rule, Search};

/// Most bytes from the beginning of a key to its end.
const KEY_BYTES_MAX: usize = 32 << 10;

/// Most bytes of a header, and of what stands between two lines of a key.
const GAP_BYTES_MAX: usize = 200;

/// Fewest characters that are certainly a line of a key.
const LINE_CHARS_LEAST: usize = 32;

/// The same where both its marks are there.
const WRAPPED_CHARS_LEAST: usize = 16;

/// Fewest characters that may be of a key where both its marks are there, in one text.
const PART_CHARS_LEAST: usize = 8;

/// Most bytes between the last line of a key and its end.
const LAST_GAP_BYTES_MAX: usize = 16;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// Looks at the words `PRIVATE KEY`.
pub(super) fn seek(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    let Some((start, body)) = header(line, anchor) else { return };
    let window = &line[body..line.len().min(body + KEY_BYTES_MAX)];
    // No key reaches into the next, and so nothing is read twice.
    let window = body..body + memmem::find(window, BEGIN).unwrap_or(window.len());
    let footer = memmem::find(&line[window.clone()], END).map(|at| body + at);
    let string_end = string_end(line, window.clone());
    match footer {
        Some(footer) if footer < string_end => {
            if has_key(&line[body..footer]) {
                search.add(Rule::PrivateKey, start..footer_end(line, footer));
            }
        }
        Some(_) | None => seek_lines(search, window, footer),
    }
}

/// Returns where a key's header begins and where the key begins behind it, if the words stand in one.
fn header(line: &[u8], anchor: Range<usize>) -> Option<(usize, usize)> {
    let from = anchor.start.saturating_sub(BEGIN.len() + 24);
    let start = from + memmem::rfind(&line[from..anchor.start], BEGIN)?;
    let is_kind = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ';
    if !line[start + BEGIN.len()..anchor.start].iter().all(is_kind) {
        return None;
    }
    let rest = &line[anchor.end..];
    let rest = rest.strip_prefix(b" BLOCK").unwrap_or(rest);
    rest.strip_prefix(b"-----").map(|rest| (start, line.len() - rest.len()))
}

/// Returns where the footer that begins here ends.
fn footer_end(line: &[u8], footer: usize) -> usize {
    let (words, _) =
        run(line, footer + END.len(), |byte| byte.is_ascii_uppercase() || byte == b' ', 40);
    run(line, words, |byte| byte == b'-', 4).0
}

/// Returns where the string of JSON ends that the window begins in; the end of the window if it goes on.
fn string_end(line: &[u8], window: Range<usize>) -> usize {
    let is_end = |at: &usize| {
        let n_slashes = line[..*at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        n_slashes.is_multiple_of(2)
    };
    let mut quotes = memchr_iter(b'"', &line[window.clone()]).map(|at| window.start + at);
    quotes.find(is_end).unwrap_or(window.end)
}

/// Returns whether as much of a key stands between its marks as one line of it, however long its lines are.
fn has_key(body: &[u8]) -> bool {
    let (mut at, mut n_all) = (0, 0);
    while at < body.len() {
        let (end, n) = run(body, at, is_base64, KEY_BYTES_MAX);
        if n >= PART_CHARS_LEAST && has_digit_and_letter(&body[at..end]) {
            n_all += n;
        }
        at = end.max(at + char_at(body, at).map_or(1, |char| char.len));
    }
    n_all >= LINE_CHARS_LEAST
}

/// Adds every line of a key that does not end in the string it begins in: one by one, as long as they follow each other.
fn seek_lines(search: &mut Search<'_>, window: Range<usize>, footer: Option<usize>) {
    let line = search.line;
    let (body, end) = (window.start, footer.unwrap_or(window.end));
    let (mut at, mut last_end) = (body, body);
    let n_least = if footer.is_some() { WRAPPED_CHARS_LEAST } else { LINE_CHARS_LEAST };
    while at < end && at - last_end <= GAP_BYTES_MAX {
        let (run_end, n) = run(line, at, is_base64, KEY_BYTES_MAX);
        if n == 0 {
            at += char_at(line, at).map_or(1, |char| char.len);
            continue;
        }
        let (run_end, _) = run(line, run_end, |byte| byte == b'=', 2);
        if line[at] == b'+' {
            // What a diff puts before a line it adds is no part of the key, or one of many characters of it.
            at += 1;
        }
        let is_long = n >= n_least && has_digit_and_letter(&line[at..run_end]);
        let is_last = last_end > body
            && at < run_end
            && footer
                .is_some_and(|footer| (run_end..=run_end + LAST_GAP_BYTES_MAX).contains(&footer));
        if is_long || is_last {
            search.add(Rule::PrivateKey, at..run_end);
            last_end = run_end;
        }
        at = run_end;
    }
}
