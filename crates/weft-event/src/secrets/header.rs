//! What a client shows to a server: `Bearer` and `Basic` headers, what Docker and npm keep of them, and a user with a password on the
//! command line of `curl`.

use std::ops::Range;

use memchr::memmem;

use super::raw::{
    byte_before, char_at, goes_on, is_alphanumeric, is_base64, is_quote, run, skip_blanks,
};
use super::value::Value;
use super::{PLACEHOLDER, Rule, Search, base64};

/// Most characters of what is shown.
const CHARS_MAX: usize = 8192;

/// Fewest characters of a token.
const TOKEN_CHARS_LEAST: usize = 16;

/// How far before its option a command is looked for.
const COMMAND_BYTES: usize = 240;

/// Looks at what follows `Bearer`.
pub(super) fn seek_bearer(search: &mut Search<'_>, anchor: Range<usize>) {
    if !is_scheme(search.line, anchor.start, b'b') {
        return;
    }
    let start = skip_blanks(search.line, anchor.end);
    let is_token = |byte| is_base64(byte) || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'=');
    let (end, n) = run(search.line, start, is_token, CHARS_MAX);
    let token = Value::of(&search.line[start..end]);
    if n >= TOKEN_CHARS_LEAST && token.is_random() && !token.is_wordy() {
        search.add(Rule::Authorization, start..end);
    }
}

/// Looks at what follows `Basic`: base64 of a user and a password with a colon between.
pub(super) fn seek_basic(search: &mut Search<'_>, anchor: Range<usize>) {
    if !is_scheme(search.line, anchor.start, b'b') {
        return;
    }
    let start = skip_blanks(search.line, anchor.end);
    if let Some(pair) = pair(search.line, start) {
        search.add(Rule::Authorization, pair);
    }
}

/// Looks at the value of `auth`, as Docker keeps what it shows to registries, and of `_auth`, as npm does.
pub(super) fn seek_auth(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    let is_npm = line[anchor.start] == b'_';
    let mut at = if is_npm { anchor.end } else { anchor.end - 1 };
    if !is_npm && !is_quote(byte_before(line, anchor.start)) {
        return;
    }
    let skip_quote = |at| match char_at(line, at).filter(|char| is_quote(char.byte)) {
        Some(quote) => at + quote.len,
        None => at,
    };
    at = skip_blanks(line, skip_quote(at));
    let Some(sign) = char_at(line, at).filter(|char| matches!(char.byte, b'=' | b':')) else {
        return;
    };
    at = skip_quote(skip_blanks(line, at + sign.len));
    if let Some(pair) = pair(line, at) {
        search.add(Rule::Authorization, pair);
    }
}

/// Returns where base64 of a user and a password with a colon between stands, if it begins at `start`.
fn pair(line: &[u8], start: usize) -> Option<Range<usize>> {
    let (body_end, _) = run(line, start, is_base64, CHARS_MAX);
    let (end, _) = run(line, body_end, |byte| byte == b'=', 2);
    let mut shown = [0; 256];
    let n_shown = base64::decode(&line[start..body_end], &mut shown).unwrap_or_default();
    (n_shown >= 4 && is_pair(&shown[..n_shown])).then_some(start..end)
}

/// Returns whether bytes are a user, a colon and a password, in UTF-8 or Latin 1; their end may be cut off.
fn is_pair(shown: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', shown) else { return false };
    let n_whole = match std::str::from_utf8(shown) {
        Ok(text) => text.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => 0,
    };
    match std::str::from_utf8(&shown[..n_whole]) {
        Ok(text) if n_whole > colon => !text.contains(char::is_control),
        Ok(_) | Err(_) => {
            let is_ascii = |byte: &u8| (b' '..=b'~').contains(byte);
            shown[..colon].iter().all(is_ascii)
                && shown[colon..].iter().all(|byte| is_ascii(byte) || *byte >= 0xa0)
        }
    }
}

fn is_scheme(line: &[u8], at: usize, first: u8) -> bool {
    let letter = at.checked_sub(1).map_or(0, |at| line[at]);
    letter.eq_ignore_ascii_case(&first) && !goes_on(line, at - 1, is_alphanumeric)
}

fn is_shown(byte: u8) -> bool {
    !byte.is_ascii_control() && byte != b' ' && !is_quote(byte) && byte != b'\\'
}

/// Looks at what follows `-u` or `--user`, if the command is one that speaks to servers. Elsewhere it is mostly a user's number.
pub(super) fn seek_user(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    let before = &line[anchor.start.saturating_sub(COMMAND_BYTES)..anchor.start];
    let is_client =
        ["curl", "wget", "http"].iter().any(|name| memmem::find(before, name.as_bytes()).is_some());
    let mut at = match char_at(line, anchor.end).filter(|char| char.byte == b'=') {
        Some(equals) => anchor.end + equals.len,
        None => skip_blanks(line, anchor.end),
    };
    if !is_client || (at == anchor.end && line[at - 1] != b' ') {
        return;
    }
    if let Some(quote) = char_at(line, at).filter(|char| is_quote(char.byte)) {
        at += quote.len;
    }
    let (end, _) = search.run(at, is_shown);
    let user = match line[at..end].starts_with(PLACEHOLDER.as_bytes()) {
        true => memchr::memchr(b']', &line[at..end]).unwrap_or_default(),
        false => 0,
    };
    let Some(colon) = memchr::memchr(b':', &line[at + user..end]).map(|colon| user + colon) else {
        return;
    };
    let password = at + colon + 1..end;
    let value = Value::of(&line[password.clone()]);
    let is_number = line[password.clone()].iter().all(u8::is_ascii_digit);
    let is_secret = value.n_chars() >= 4 && !value.is_placeholder() && !value.is_variable();
    if colon > 0 && is_secret && !is_number {
        search.add(Rule::Authorization, password);
    }
}
