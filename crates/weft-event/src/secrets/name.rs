//! Names of secrets: `password`, `DB_PASSWD`, `clientSecret`, `x-api-key`, and what is none though it reads alike.

use std::ops::Range;

use super::Rule;
use super::raw::{byte_before, char_at, is_word, name_start, run, run_back};

/// Most characters of a name before its last word.
const NAME_CHARS_MAX: usize = 64;

/// The last word of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Password,
    Passphrase,
    Pwd,
    Secret,
    Token,
    Key,
}

impl Word {
    /// Returns the first of the rules that take a value of such a name for a secret.
    pub(super) fn rule(self) -> Rule {
        match self {
            Word::Password | Word::Pwd | Word::Passphrase => Rule::Password,
            Word::Secret | Word::Token => Rule::Secret,
            Word::Key => Rule::AwsSecretKey,
        }
    }
}

/// How words end in each way of writing them. A first letter that is written both ways is left out.
pub(super) static WORDS: &[(&str, Word)] = &[
    ("assword", Word::Password),
    ("ASSWORD", Word::Password),
    ("asswd", Word::Password),
    ("ASSWD", Word::Password),
    ("assphrase", Word::Passphrase),
    ("ASSPHRASE", Word::Passphrase),
    ("pwd", Word::Pwd),
    ("Pwd", Word::Pwd),
    ("PWD", Word::Pwd),
    ("ecret", Word::Secret),
    ("ECRET", Word::Secret),
    ("oken", Word::Token),
    ("OKEN", Word::Token),
    ("key", Word::Key),
    ("Key", Word::Key),
    ("KEY", Word::Key),
];

/// Whose key is secret.
const KEY_OWNERS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "account",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "master",
    "shared",
    "service",
    "storage",
    "subscription",
    "consumer",
    "application",
    "app",
    "ssh",
    "deploy",
    "webhook",
    "hmac",
    "aes",
    "jwt",
    "license",
    "client",
    "admin",
    "functions",
    "host",
];

/// The same where nothing is written between the words.
const KEY_OWNERS_JOINED: &[&str] = &["api", "access", "secret", "account"];

/// Which tokens are no secret.
const OPEN_TOKENS: &[&str] = &[
    "page",
    "next",
    "prev",
    "previous",
    "continuation",
    "cancellation",
    "cancel",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "sep",
    "cls",
    "special",
    "cursor",
    "resume",
    "first",
    "last",
    "current",
    "sync",
    "pagination",
    "lookahead",
    "start",
    "end",
    "per",
    "max",
    "min",
    "total",
    "input",
    "output",
    "peek",
    "no",
];

/// A name that stands in a line.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) range: Range<usize>,
    pub(super) word: Word,
    /// Whether all its letters are capitals.
    pub(super) is_upper: bool,
}

/// Reads the name that ends with the word of an anchor, if it is the name of a secret.
pub(super) fn read(line: &[u8], word: Word, anchor: Range<usize>) -> Option<Name> {
    let word_start = match word {
        Word::Password | Word::Passphrase => begin(line, anchor.start, b'p')?,
        Word::Secret => begin(line, anchor.start, b's')?,
        Word::Token => begin(line, anchor.start, b't')?,
        Word::Pwd | Word::Key => anchor.start,
    };
    let end = end(line, anchor.end)?;
    let (start, _) = run_back(line, word_start, is_name, NAME_CHARS_MAX);
    let start = Some(name_start(line, start)).filter(|at| *at <= word_start).unwrap_or(start);
    let before = &line[start..word_start];
    let is_secret = match word {
        Word::Password | Word::Passphrase | Word::Secret => true,
        Word::Pwd => {
            !before.last().is_some_and(u8::is_ascii_alphabetic) || line[word_start] == b'P'
        }
        Word::Token => !is_any(last_word(before), OPEN_TOKENS),
        Word::Key => is_owned(line, start, before),
    };
    let is_upper = !line[start..end].iter().any(u8::is_ascii_lowercase);
    is_secret.then_some(Name { range: start..end, word, is_upper })
}

/// Returns where a word begins whose first letter the anchor leaves out.
fn begin(line: &[u8], at: usize, letter: u8) -> Option<usize> {
    let start = at.checked_sub(1)?;
    let n_slashes = line[..start].iter().rev().take_while(|&&byte| byte == b'\\').count();
    let is_tab = letter == b't' && n_slashes % 2 == 1;
    (line[start].eq_ignore_ascii_case(&letter) && !is_tab).then_some(start)
}

/// Returns where a name ends whose last word ends here: a number may follow, another word may not.
fn end(line: &[u8], at: usize) -> Option<usize> {
    let numbered = line.get(at).map_or(at, |byte| at + usize::from(*byte == b'_'));
    let (end, n) = run(line, numbered, |byte| byte.is_ascii_digit(), 3);
    let end = if n == 0 { at } else { end };
    let next = char_at(line, end).map_or(b' ', |char| char.byte);
    let goes_on =
        is_word(next) || (next == b'-' && line.get(end + 1).is_some_and(u8::is_ascii_alphanumeric));
    (!goes_on).then_some(end)
}

fn is_owned(line: &[u8], start: usize, before: &[u8]) -> bool {
    let is_spaced = before.is_empty() && byte_before(line, start) == b' ';
    let owner = if is_spaced {
        let (from, _) = run_back(line, start - 1, |byte| byte.is_ascii_alphabetic(), 16);
        &line[name_start(line, from).min(start - 1)..start - 1]
    } else {
        last_word(before)
    };
    is_any(owner, KEY_OWNERS) || (!is_spaced && ends_with_any(owner, KEY_OWNERS_JOINED))
}

/// Returns the last word of what stands before another.
fn last_word(before: &[u8]) -> &[u8] {
    let end = before.iter().rposition(u8::is_ascii_alphabetic).map_or(0, |at| at + 1);
    let start =
        before[..end].iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let word = &before[start..end];
    let is_lower = word.last().is_some_and(u8::is_ascii_lowercase);
    match word.iter().rposition(u8::is_ascii_uppercase) {
        Some(capital) if is_lower => &word[capital..],
        Some(_) | None => word,
    }
}

fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn ends_with_any(word: &[u8], ends: &[&str]) -> bool {
    ends.iter().any(|end| {
        word.len()
            .checked_sub(end.len())
            .is_some_and(|at| word[at..].eq_ignore_ascii_case(end.as_bytes()))
    })
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'.' || byte == b'-'
}
