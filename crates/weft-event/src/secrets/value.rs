//! What a text looks like: a secret, a placeholder, a variable, a path, or words.

use std::borrow::Cow;

use super::raw::char_at;

/// How many characters of a text are looked at.
const CHARS_SEEN: usize = 256;

/// Most characters of a part of a path that is no word.
const PATH_PART_CHARS_MAX: usize = 8;

/// Bits of information that a character of a secret carries at least.
const ENTROPY_LEAST: f32 = 2.5;

/// What stands where a secret would, and is none.
const PLACEHOLDERS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "apikey",
    "api_key",
    "api-key",
    "access_token",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "string",
    "str",
    "text",
    "bytes",
    "buffer",
    "char",
    "varchar",
    "object",
    "any",
    "unknown",
    "never",
    "void",
    "bool",
    "boolean",
    "int",
    "integer",
    "number",
    "float",
    "required",
    "optional",
    "hidden",
    "masked",
    "input",
    "invalid",
    "missing",
    "wrong",
    "empty",
    "unset",
    "disabled",
    "enabled",
    "default",
    "plain",
    "plaintext",
    "hash",
    "hashed",
    "bcrypt",
    "argon2",
    "argon2id",
    "scrypt",
    "pbkdf2",
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "todo",
    "fixme",
    "tbd",
    "user",
    "username",
    "admin",
    "test",
    "foo",
    "bar",
    "stdin",
    "prompt",
    "enter",
    "env",
    "file",
    "redacted",
    "removed",
    "omitted",
    "sensitive",
    "secretstr",
    "self",
    "this",
    "request",
    "response",
    "value",
];

/// More bytes than any of them has.
const PLACEHOLDER_BYTES_MAX: usize = 16;

const _: () = {
    let mut idx = 0;
    while idx < PLACEHOLDERS.len() {
        assert!(PLACEHOLDERS[idx].len() < PLACEHOLDER_BYTES_MAX);
        idx += 1;
    }
};

/// What a text begins with that tells its reader to put something else there.
const PLACEHOLDER_BEGINNINGS: &[&str] = &[
    "your",
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "replace",
    "insert",
    "enter-",
    "enter_",
    "enter ",
    "enteryour",
    "dummy",
    "fake",
    "xxx",
    "put_your",
    "put-your",
    "redacted",
    "hidden",
    "todo",
    "sample",
];

/// What a text begins with that names the place of a secret.
const REFERENCES: &[&str] = &[
    "<",
    "{",
    "process.env",
    "import.meta",
    "os.environ",
    "os.getenv",
    "env.",
    "env:",
    "env[",
    "secrets.",
    "vars.",
    "vault:",
    "op://",
    "ssm:",
    "arn:",
    "ref+",
    "file:",
    "@microsoft.keyvault",
    "keyvault:",
    "projects/",
    "credential:",
];

/// What begins a name that stands for something else: a variable, a tag, a place in a format.
const SIGNS: &[u8] = b"$!%";

/// What stands between the names that one of [`SIGNS`] begins.
const BETWEEN_NAMES: &[u8] = b"_.:/-+=>()$!%";

/// What kind of hash a password was made into, as it stands between the first two `$` of it.
const HASHES: &[&str] = &[
    "1",
    "2",
    "2a",
    "2b",
    "2x",
    "2y",
    "5",
    "6",
    "7",
    "y",
    "gy",
    "apr1",
    "md5",
    "sha1",
    "bcrypt",
    "scrypt",
    "argon2d",
    "argon2i",
    "argon2id",
    "pbkdf2",
    "pbkdf2-sha256",
    "pbkdf2-sha512",
];

/// The stems of names that programmers number.
const STEMS: &[&str] = &[
    "pass", "passwd", "password", "pw", "pwd", "token", "tok", "secret", "key", "str", "string",
    "val", "value", "arg", "param", "user", "test", "input", "data", "res", "result", "tmp", "foo",
    "bar", "uint", "int", "float", "sha", "base", "utf", "step", "phase", "field", "line", "item",
    "option", "group", "var", "text",
];

/// A text without its escapes, as far as it is looked at.
pub(super) struct Value<'a> {
    text: Cow<'a, [u8]>,
    n_chars: usize,
}

impl<'a> Value<'a> {
    pub(super) fn of(raw: &'a [u8]) -> Self {
        let begin = &raw[..raw.len().min(CHARS_SEEN + 1)];
        if memchr::memchr(b'\\', begin).is_none() {
            let text = Cow::Borrowed(&begin[..begin.len().min(CHARS_SEEN)]);
            return Self { text, n_chars: begin.len() };
        }
        let (mut text, mut at) = (Vec::with_capacity(CHARS_SEEN + 1), 0);
        while text.len() <= CHARS_SEEN
            && let Some(char) = char_at(raw, at)
        {
            text.push(char.byte);
            at += char.len;
        }
        let n_chars = text.len();
        text.truncate(CHARS_SEEN);
        Self { text: Cow::Owned(text), n_chars }
    }

    /// Returns how many characters the text has, as far as they are counted.
    pub(super) fn n_chars(&self) -> usize {
        self.n_chars
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns whether the text stands for a secret that is not shown.
    pub(super) fn is_placeholder(&self) -> bool {
        let text = self.text();
        let is_mask = |byte: &u8| {
            matches!(byte, b'*' | b'.' | b'x' | b'X' | b'-' | b'_' | b'#' | b'?' | b'=' | 0x80..)
        };
        let is_one_character = text.len() > 2 && text.iter().all(|byte| byte == &text[0]);
        let bare = trim_brackets(text);
        text.iter().all(is_mask)
            || is_one_character
            || contains(text, b"...")
            || contains(text, b"****")
            || contains_ignoring_case(text, b"redacted")
            || bare.len() <= PLACEHOLDER_BYTES_MAX
                && PLACEHOLDERS.iter().any(|word| bare.eq_ignore_ascii_case(word.as_bytes()))
            || begins_with_any(bare, PLACEHOLDER_BEGINNINGS)
    }

    /// Returns whether the text names the place that a secret is taken from.
    pub(super) fn is_variable(&self) -> bool {
        let text = self.text();
        begins_with_any(text, REFERENCES)
            || is_signed_name(
                text.strip_prefix(b"-").filter(|rest| rest.starts_with(b"$")).unwrap_or(text),
            )
            || is_hash(text)
            || [&b"${"[..], b"{{", b"$(", b"#{", b"<%", b"%{"]
                .iter()
                .any(|part| contains(text, part))
    }

    pub(super) fn is_address(&self) -> bool {
        contains(self.text(), b"://")
    }

    /// Returns whether the text is a path of words.
    pub(super) fn is_path(&self) -> bool {
        let text = self.text();
        let begins = matches!(
            text,
            [b'/', ..] | [b'~' | b'.', b'/', ..] | [b'.', b'.', b'/', ..] | [b'A'..=b'Z', b':', ..]
        );
        let is_part = |part: &[u8]| part.len() <= PATH_PART_CHARS_MAX || is_word(part);
        begins && text.split(|byte| !byte.is_ascii_alphanumeric()).all(is_part)
    }

    /// Returns whether the text is words, small numbers, and signs between them.
    pub(super) fn is_wordy(&self) -> bool {
        self.text().split(|byte| !byte.is_ascii_alphanumeric()).all(is_word)
    }

    /// Returns whether the text carries as much information as a secret.
    pub(super) fn is_random(&self) -> bool {
        is_random(self.text())
    }

    pub(super) fn has_digit(&self) -> bool {
        self.text().iter().any(u8::is_ascii_digit)
    }

    pub(super) fn is_letters(&self) -> bool {
        self.text().iter().all(u8::is_ascii_alphabetic)
    }

    /// Returns whether the text could be a name in a program: words with dots and underscores.
    pub(super) fn is_identifier(&self) -> bool {
        self.text()
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'))
    }

    /// Returns whether the text is a word as a screen shows it.
    pub(super) fn is_label(&self) -> bool {
        let text = self.text();
        text.len() <= 14
            && text.first().is_some_and(u8::is_ascii_uppercase)
            && text[1..].iter().all(u8::is_ascii_lowercase)
    }

    /// Returns whether the text is a common stem with a number behind it, or a type of so many bits.
    pub(super) fn is_numbered_name(&self) -> bool {
        let text = self.text();
        let stem =
            &text[..text.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1)];
        let stem = stem.strip_suffix(b"_").unwrap_or(stem);
        STEMS.iter().any(|known| stem.eq_ignore_ascii_case(known.as_bytes()))
    }

    /// Returns whether the text is a digest that says so, or a time.
    pub(super) fn is_digest_or_time(&self) -> bool {
        let text = self.text();
        let is_time = text.len() >= 19
            && text[4] == b'-'
            && text[7] == b'-'
            && text[..4].iter().all(u8::is_ascii_digit);
        is_time || begins_with_any(text, &["sha1", "sha2", "sha3", "sha5", "md5", "blake"])
    }

    pub(super) fn contains(&self, part: &str) -> bool {
        contains_ignoring_case(self.text(), part.as_bytes())
    }

    /// Returns whether the text has these letters and no others, whatever signs are between them.
    pub(super) fn has_letters_of(&self, name: &[u8]) -> bool {
        letters(self.text()).eq(letters(name))
    }
}

/// Returns the letters of a text, in lower case.
fn letters(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase)
}

/// Returns whether a text is nothing but names with a sign before them: `$NAME`, `$env:NAME`, `!tag`, `%NAME%`.
fn is_signed_name(text: &[u8]) -> bool {
    let is_between = |byte: &u8| BETWEEN_NAMES.contains(byte);
    text.first().is_some_and(|sign| SIGNS.contains(sign))
        && text.split(is_between).all(is_name)
        && !(text.starts_with(b"$") && has_sign_of_password(text))
}

/// Returns whether a text that begins as a variable has a sign where none has one: `$Summer24!`. Behind a name in capitals alone `!`
/// ends a sentence.
fn has_sign_of_password(text: &[u8]) -> bool {
    let is_capital = !text.iter().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_odd_end = text.last().is_some_and(|byte| b"$%+=>".contains(byte));
    is_odd_end || !is_capital && text.contains(&b'!')
}

/// Returns whether a text could be one name of a program: all capitals, or with one small number; or too short to tell.
fn is_name(part: &[u8]) -> bool {
    let is_word = part.iter().all(u8::is_ascii_alphanumeric);
    let is_upper = !part.iter().any(u8::is_ascii_lowercase);
    let n_digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let n_numbers = part.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty()).count();
    let begins = part.first().is_none_or(u8::is_ascii_alphabetic);
    is_word && (part.len() <= 3 || begins && (is_upper || n_digits <= 2 && n_numbers <= 1))
}

/// Returns whether a text is the hash of a password, and says so: `$2b$12$…`.
fn is_hash(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'$');
    let (before, kind) = (parts.next(), parts.next());
    before == Some(b"")
        && parts.next().is_some()
        && kind.is_some_and(|kind| HASHES.iter().any(|known| known.as_bytes() == kind))
}

/// Returns whether a part of a text is a word: letters with at most two digits behind them, or a small number.
fn is_word(part: &[u8]) -> bool {
    let n_letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = &part[n_letters..];
    let n_digits_max = if n_letters == 0 { 4 } else { 2 };
    rest.len() <= n_digits_max && rest.iter().all(u8::is_ascii_digit) && n_letters <= 24
}

/// Returns whether there is a digit and a letter, and enough variety, in the beginning of a text.
pub(super) fn is_random(text: &[u8]) -> bool {
    let text = &text[..text.len().min(CHARS_SEEN)];
    let is_mixed = has_digit_and_letter(text)
        || (text.len() >= 24 && n_changes_of_case(text) >= text.len() / 5);
    is_mixed && entropy(text) >= ENTROPY_LEAST
}

pub(super) fn has_digit_and_letter(text: &[u8]) -> bool {
    // All bytes are looked at, many at a step.
    let has = |is: fn(&u8) -> bool| text.iter().fold(false, |has, byte| has | is(byte));
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

fn n_changes_of_case(text: &[u8]) -> usize {
    let is_change =
        |(first, second): (&u8, &u8)| first.is_ascii_lowercase() & second.is_ascii_uppercase();
    text.iter().zip(text.iter().skip(1)).map(|pair| usize::from(is_change(pair))).sum()
}

/// Returns Shannon's entropy of the bytes, in bits a byte.
fn entropy(text: &[u8]) -> f32 {
    let mut counts = [0u16; 256];
    text.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let share = |count: u16| f32::from(count) / text.len() as f32;
    -counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| share(*count) * share(*count).log2())
        .sum::<f32>()
}

fn trim_brackets(text: &[u8]) -> &[u8] {
    let is_bracket =
        |byte: &u8| matches!(byte, b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'_');
    let start = text.iter().position(|byte| !is_bracket(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_bracket(byte)).map_or(start, |at| at + 1);
    &text[start..end]
}

fn begins_with_any(text: &[u8], beginnings: &[&str]) -> bool {
    beginnings.iter().any(|begin| {
        text.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin.as_bytes()))
    })
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memchr_iter(part[0], text).any(|at| text[at..].starts_with(part))
}

fn contains_ignoring_case(text: &[u8], part: &[u8]) -> bool {
    let [lower, upper] = [part[0].to_ascii_lowercase(), part[0].to_ascii_uppercase()];
    memchr::memchr2_iter(lower, upper, text).any(|at| {
        text.get(at..at + part.len()).is_some_and(|found| found.eq_ignore_ascii_case(part))
    })
}
