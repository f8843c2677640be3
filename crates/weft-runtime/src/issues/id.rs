//! Names of issues: the project, a dash, and six characters that nobody confuses when they read them out.

/// Characters after the dash: a billion names, and where two are the same all the same, the log refuses the second.
const RANDOM_CHARS: usize = 6;

/// Crockford's base 32: no i, l, o or u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Most characters of what stands before the dash.
const PREFIX_CHARS_MAX: usize = 16;

/// Most characters of an id.
const ID_CHARS_MAX: usize = 64;

/// Returns an id with a prefix, made from random bits.
pub fn make_id(prefix: &str, random: u64) -> String {
    let digit = |n: usize| char::from(ALPHABET[(random >> (5 * n) & 31) as usize]);
    let random: String = (0..RANDOM_CHARS).map(digit).collect();
    format!("{prefix}-{random}")
}

/// Returns what the ids of a project begin with, from the name of its folder.
pub fn prefix_of(name: &str) -> String {
    let mut prefix = String::new();
    for c in name.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            prefix.push(c);
        } else if !prefix.is_empty() && !prefix.ends_with('-') {
            prefix.push('-');
        }
    }
    prefix.truncate(PREFIX_CHARS_MAX);
    match prefix.trim_end_matches('-') {
        "" => "issue".to_owned(),
        prefix => prefix.to_owned(),
    }
}

/// Returns whether a text can be an id: it has to be a word on a command line, in a filter and in the name of a branch.
pub fn is_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= ID_CHARS_MAX
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_plain)
}
