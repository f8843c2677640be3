//! What an address gives away: a password or token before its host, and the path of an address that posts to Slack.

use std::ops::Range;

use super::raw::{
    byte_before, char_at, char_before, is_alphanumeric, is_base64_url, is_blank, is_quote, run,
    run_back,
};
use super::value::{Value, is_random};
use super::{Rule, Search, connection};

/// Most characters before a host.
const USER_CHARS_MAX: usize = 512;

/// Fewest characters of a token in the user's place.
const TOKEN_CHARS_LEAST: usize = 20;

/// What may be the beginning of an authority: all that stands before a mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Authority {
    start: usize,
    mark: usize,
    /// How many characters, as far as they are counted.
    n: usize,
}

impl Authority {
    /// Reads back from a mark, not beyond the one before it: what is there was read already.
    fn before(line: &[u8], mark: usize, before: Option<Authority>) -> Self {
        let read = before.map_or(0, |before| before.mark + 1);
        let (start, n) = run_back(&line[read..mark], mark - read, is_authority, USER_CHARS_MAX);
        match before {
            Some(before) if start == 0 => {
                Self { start: before.start, mark, n: before.n.saturating_add(n + 1) }
            }
            Some(_) | None => Self { start: read + start, mark, n },
        }
    }
}

/// Looks at what stands before an `@`: a user and a password, if it is that of an address.
pub(super) fn seek(search: &mut Search<'_>, at: usize, before: Option<Authority>) -> Authority {
    let authority = Authority::before(search.line, at, before);
    if (1..=USER_CHARS_MAX).contains(&authority.n) {
        seek_user(search, authority.start, at);
    }
    authority
}

/// Looks at what stands before a `%40`: a user and a password, if it is that of an address in another address.
pub(super) fn seek_escaped(
    search: &mut Search<'_>,
    at: usize,
    before: Option<Authority>,
) -> Authority {
    let authority = Authority::before(search.line, at, before);
    if !(1..=USER_CHARS_MAX).contains(&authority.n) {
        return authority;
    }
    let text = &search.line[authority.start..at];
    let is = |sign: &'static [u8]| move |part: &[u8]| part.eq_ignore_ascii_case(sign);
    let Some(slash) = text.windows(3).rposition(is(b"%2F")) else { return authority };
    let user = slash + 3;
    let is_address = user >= 9 && is(b"%3A%2F%2F")(&text[user - 9..user]);
    let colon = text[user..].windows(3).position(is(b"%3A"));
    if is_address && let Some(colon) = colon {
        let password = authority.start + user + colon + 3..at;
        if is_password(&search.line[password.clone()]) {
            search.add(Rule::UrlPassword, password);
        }
    }
    authority
}

fn seek_user(search: &mut Search<'_>, start: usize, at: usize) {
    let line = search.line;
    if !is_behind_scheme(line, start) {
        return connection::seek(search, start..at);
    }
    match memchr::memchr(b':', &line[start..at]) {
        Some(colon) => {
            let password = start + colon + 1..at;
            if is_password(&line[password.clone()]) {
                search.add(Rule::UrlPassword, password);
            }
        }
        None => {
            let user = start..at;
            if user.len() >= TOKEN_CHARS_LEAST && is_random(&line[user.clone()]) {
                search.add(Rule::UrlPassword, user);
            }
        }
    }
}

/// Returns whether a scheme and `://` end here.
fn is_behind_scheme(line: &[u8], at: usize) -> bool {
    let mut at = at;
    for expected in [b'/', b'/', b':'] {
        match char_before(line, at).filter(|char| char.byte == expected) {
            Some(char) => at -= char.len,
            None => return false,
        }
    }
    is_alphanumeric(byte_before(line, at))
}

fn is_password(raw: &[u8]) -> bool {
    let value = Value::of(raw);
    value.n_chars() >= 3 && !value.is_placeholder() && !value.is_variable()
}

/// Returns whether a character may stand between `://` and the path. Commas and brackets may not, though the standard allows some:
/// they rather end an address in a text.
fn is_authority(byte: u8) -> bool {
    let ends = byte.is_ascii_control()
        || is_blank(byte)
        || is_quote(byte)
        || matches!(byte, b'/' | b'?' | b'#' | b'\\' | b',' | b'(' | b')' | b'[' | b']');
    !ends
}

/// Looks at an address that posts to Slack: what follows `services/` and its kin.
pub(super) fn seek_slack(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    let (kind_start, n) = run(line, anchor.end, |byte| byte == b'/', 1);
    let (kind_end, _) = run(line, kind_start, |byte| byte.is_ascii_lowercase(), 20);
    let is_kind = matches!(&line[kind_start..kind_end], b"services" | b"workflows" | b"triggers");
    let Some(slash) = char_at(line, kind_end).filter(|char| n == 1 && is_kind && char.byte == b'/')
    else {
        return;
    };
    let start = kind_end + slash.len;
    let (end, n_chars) = run(line, start, |byte| is_base64_url(byte) || byte == b'/', 200);
    if n_chars >= 30 && is_random(&line[start..end]) {
        search.add(Rule::SlackWebhook, start..end);
    }
}
