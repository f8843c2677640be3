//! Passwords in the connection strings of databases.

use std::ops::Range;

use super::name::{Name, Word};
use super::raw::{
    byte_before, char_at, char_before, is_blank, is_quote, is_word, run_back, skip_blanks,
    skip_blanks_back,
};
use super::value::Value;
use super::{Rule, Search};

/// How far around a password the other parts of its connection string are looked for.
const AROUND_BYTES: usize = 240;

/// Most characters of a part.
const PART_CHARS_MAX: usize = 256;

/// What the other parts begin with where parts are divided by semicolons.
const PARTS: &[&str] = &[
    "server=",
    "data source=",
    "datasource=",
    "host=",
    "hostname=",
    "addr=",
    "address=",
    "uid=",
    "user id=",
    "user=",
    "username=",
    "database=",
    "initial catalog=",
    "driver=",
    "dsn=",
    "endpoint=",
];

/// The same where blanks divide them.
const SPACED_PARTS: &[&str] = &["host=", "hostaddr=", "dbname=", "user=", "port="];

/// Returns the value of a name that is a password in a list of parts.
///
/// What stands around it is looked at last, and only where a divider says that there may be other parts.
pub(super) fn password(search: &mut Search<'_>, name: &Name) -> Option<Range<usize>> {
    let line = search.line;
    match name.word {
        Word::Password | Word::Pwd => {}
        Word::Passphrase | Word::Secret | Word::Token | Word::Key => return None,
    }
    if line[name.range.clone()].starts_with(b"--") {
        return None;
    }
    let sign = skip_blanks(line, name.range.end);
    let equals = char_at(line, sign).filter(|char| char.byte == b'=')?;
    let start = skip_blanks(line, sign + equals.len);
    let before = line[..name.range.start]
        .last_chunk::<AROUND_BYTES>()
        .map_or(&line[..name.range.start], |chunk| &chunk[..]);
    let (end, n) = search.run(start, is_part_or_blank);
    let follows = byte_before(line, skip_blanks_back(line, name.range.start)) == b';';
    let goes_on = line.get(end) == Some(&b';');
    if (follows || goes_on) && n <= PART_CHARS_MAX && is_given(&line[start..end]) {
        let after = &line[end..line.len().min(end + AROUND_BYTES)];
        if (goes_on && has_part(&tight(after))) || (follows && has_part(&tight(before))) {
            return Some(start..end);
        }
    }
    if !is_blank(byte_before(line, name.range.start)) {
        return None;
    }
    let (end, n) = search.run(start, is_part);
    let is_listed =
        n <= PART_CHARS_MAX && is_given(&line[start..end]) && ends_spaced(&tight(before));
    is_listed.then_some(start..end)
}

/// Looks at what stands before an `@` that is no address: `user:password@tcp(host)` of Go's drivers, and Oracle's
/// `thin:user/password@host`.
pub(super) fn seek(search: &mut Search<'_>, part: Range<usize>) {
    let line = search.line;
    let rest = &line[part.end + 1..];
    let is_driver = rest.starts_with(b"tcp(") || rest.starts_with(b"unix(");
    let colon = memchr::memchr(b':', &line[part.clone()]);
    let password = match colon {
        Some(colon) if is_driver => part.start + colon + 1..part.end,
        Some(_) => return,
        None if is_behind_oracle(line, part.start) => part,
        None => return,
    };
    if is_given(&line[password.clone()]) {
        search.add(Rule::ConnectionString, password);
    }
}

/// Returns whether `oracle:thin:`, a user and a slash end here.
fn is_behind_oracle(line: &[u8], at: usize) -> bool {
    let Some(slash) = char_before(line, at).filter(|char| char.byte == b'/') else { return false };
    let (user, _) = run_back(line, at - slash.len, is_word, 64);
    line[..user].ends_with(b"oracle:thin:") || line[..user].ends_with(b"oracle:oci:")
}

fn is_given(raw: &[u8]) -> bool {
    let value = Value::of(raw);
    value.n_chars() >= 3 && !value.is_placeholder() && !value.is_variable()
}

fn is_part_or_blank(byte: u8) -> bool {
    !byte.is_ascii_control()
        && !is_quote(byte)
        && !matches!(byte, b';' | b'\\' | b'[' | b']' | b'<' | b'>')
}

fn is_part(byte: u8) -> bool {
    is_part_or_blank(byte) && !is_blank(byte)
}

/// Returns a text with plain `=` that nothing stands before.
fn tight(text: &[u8]) -> Vec<u8> {
    const ESCAPED: &[u8] = b"\\u003d";
    let mut tight = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let equals = rest.strip_prefix(ESCAPED).or((first == b'=').then_some(after));
        if equals.is_some() {
            let end = tight.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |at| at + 1);
            tight.truncate(end);
        }
        tight.push(if equals.is_some() { b'=' } else { first });
        rest = equals.unwrap_or(after);
    }
    tight
}

fn has_part(text: &[u8]) -> bool {
    let ends_part = |end: usize| {
        PARTS.iter().any(|part| {
            let start = (end + 1).checked_sub(part.len());
            start.is_some_and(|start| text[start..=end].eq_ignore_ascii_case(part.as_bytes()))
        })
    };
    memchr::memchr_iter(b'=', text).any(ends_part)
}

/// Returns whether a text ends with parts that blanks divide.
fn ends_spaced(before: &[u8]) -> bool {
    let parts = before.rsplit(|byte| is_blank(*byte)).skip(1);
    let parts = parts.take_while(|part| part.contains(&b'=') && !part.ends_with(b","));
    parts.into_iter().any(|part| {
        SPACED_PARTS.iter().any(|known| {
            part.ends_with(known.as_bytes())
                || memchr::memmem::find(part, known.as_bytes()).is_some()
        })
    })
}
