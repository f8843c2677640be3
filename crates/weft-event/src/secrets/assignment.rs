//! Values that are given to a name: `KEY=value`, `key: value`, `"key": "value"`, `--key value`, `<key>value</key>`.

use std::ops::Range;

use super::cloud::{AWS_SECRET_CHARS, aws_secret};
use super::connection;
use super::name::{self, Name, Word};
use super::raw::{
    Char, byte_before, char_at, char_before, colour_before, is_blank, is_quote, run, skip_blanks,
    skip_blanks_back, skip_colours,
};
use super::value::Value;
use super::{PLACEHOLDER, Rule, Search};

/// Most characters of a value.
const VALUE_CHARS_MAX: usize = 8192;

/// Most characters of a type between a name and its value.
const TYPE_CHARS_MAX: usize = 40;

/// How OTLP writes that a value is a string: in JSON, and as the fields are named.
const OTLP_STRINGS: [&str; 2] = ["stringValue", "string_value"];

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `=` and nothing else.
    Equals,
    /// `=` with blanks around it.
    SpacedEquals,
    Colon,
    /// A blank behind `--name`, or `>` behind `<name`.
    Flag,
    /// The value is the next string: of a list of arguments, or of the member `value`, which OTLP wraps in an object.
    NextString,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Quoted,
    /// As shells, addresses and command lines have it: the value is a value, and no part of a program.
    Plain,
    /// It may be the name of something else.
    Loose,
}

/// A value with how it is written.
#[derive(Clone, Debug)]
struct Given {
    range: Range<usize>,
    style: Style,
}

/// Looks at the value of a name that ends with an anchor.
pub(super) fn seek(search: &mut Search<'_>, word: Word, anchor: Range<usize>) {
    let Some(name) = name::read(search.line, word, anchor) else { return };
    let before = &search.line[..name.range.start];
    if before.ends_with(PLACEHOLDER.as_bytes())
        || before.ends_with(b"//")
        || before.ends_with(b"\\/")
    {
        return;
    }
    if let Some(password) = connection::password(search, &name) {
        return search.add(Rule::ConnectionString, password);
    }
    let Some(given) = given(search, &name) else { return };
    if search.has(name.word.rule(), &given.range) {
        return;
    }
    if let Some(rule) = judge(search.line, &name, &given) {
        search.add(rule, given.range);
    }
}

fn given(search: &mut Search<'_>, name: &Name) -> Option<Given> {
    let line = search.line;
    let (mut at, sign) = sign(line, name)?;
    if sign == Sign::Colon {
        at = behind_type(line, at).unwrap_or(at);
    }
    let is_mark = line.get(at).is_some_and(|byte| matches!(byte, b'b' | b'r' | b'u' | b'f' | b'@'));
    if is_mark && char_at(line, at + 1).is_some_and(|char| is_quote(char.byte)) {
        at += 1;
    }
    let first = char_at(line, at)?;
    if is_quote(first.byte) {
        let range = quoted(line, skip_colours(line, at + first.len), first, name.word)?;
        return Some(Given { range, style: Style::Quoted });
    }
    let style = match sign {
        Sign::NextString => return None,
        Sign::Flag => Style::Plain,
        Sign::Equals if is_in_program(line, name) => Style::Loose,
        Sign::Equals => Style::Plain,
        Sign::SpacedEquals | Sign::Colon => Style::Loose,
    };
    let (end, n) = search.run(at, is_plain);
    let is_call = matches!(line.get(end), Some(b'(' | b'['));
    (n <= VALUE_CHARS_MAX && !is_call).then_some(Given { range: at..end, style })
}

/// Finds what stands between a name and its value; returns where the value begins.
fn sign(line: &[u8], name: &Name) -> Option<(usize, Sign)> {
    let mut at = skip_colours(line, name.range.end);
    let quote = char_at(line, at).filter(|char| is_quote(char.byte));
    at = skip_colours(line, at + quote.map_or(0, |quote| quote.len));
    let is_subscript = quote.is_some() || byte_before(line, name.range.start) == b'[';
    if is_subscript && line.get(at) == Some(&b']') {
        at += 1;
    }
    let spaced = skip_blanks(line, at);
    let next = char_at(line, spaced)?;
    match next.byte {
        b'=' => {
            let (end, _) = run(line, spaced, |byte| byte == b'=', 2);
            let end = end + usize::from(line.get(end) == Some(&b'>'));
            let value = skip_blanks(line, end);
            let is_tight = spaced == at && value == skip_colours(line, end);
            Some((value, if is_tight { Sign::Equals } else { Sign::SpacedEquals }))
        }
        b':' => {
            let end = spaced + next.len;
            match char_at(line, end).map(|char| char.byte) {
                Some(b':') => None,
                Some(b'=') => {
                    let (behind, _) = run(line, end, |byte| byte == b'=', 1);
                    Some((skip_blanks(line, behind), Sign::SpacedEquals))
                }
                Some(_) | None => Some((skip_blanks(line, end), Sign::Colon)),
            }
        }
        b'>' if byte_before(line, name.range.start) == b'<' => {
            Some((spaced + next.len, Sign::Flag))
        }
        b',' if quote.is_some() => next_string(line, spaced + next.len, name),
        _ if spaced > at
            && quote.is_none()
            && (is_flag(line, name) || is_aws_setting(line, name)) =>
        {
            Some((spaced, Sign::Flag))
        }
        _ => None,
    }
}

/// Returns where the next string of a list of arguments begins, or the string of the member `value`.
fn next_string(line: &[u8], at: usize, name: &Name) -> Option<(usize, Sign)> {
    let at = skip_space(line, at);
    if is_flag(line, name) {
        return Some((at, Sign::NextString));
    }
    let quote = char_at(line, at).filter(|char| is_quote(char.byte))?;
    let word = at + quote.len;
    if !line.get(word..word + 5)?.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let closing = char_at(line, word + 5).filter(|char| is_quote(char.byte))?;
    let colon = skip_space(line, word + 5 + closing.len);
    let is_colon = line.get(colon) == Some(&b':');
    is_colon.then(|| {
        let value = skip_space(line, colon + 1);
        (otlp_string(line, value).unwrap_or(value), Sign::NextString)
    })
}

/// Returns where the string begins of a value as OTLP has it: an object whose only member says what kind of value it is.
fn otlp_string(line: &[u8], at: usize) -> Option<usize> {
    let open = char_at(line, at).filter(|char| char.byte == b'{')?;
    let quote_at = skip_space(line, at + open.len);
    let quote = char_at(line, quote_at).filter(|char| is_quote(char.byte))?;
    let kind = &line[quote_at + quote.len..];
    let kind = OTLP_STRINGS.iter().find(|name| kind.starts_with(name.as_bytes()))?;
    let end = quote_at + quote.len + kind.len();
    let closing = char_at(line, end).filter(|char| is_quote(char.byte))?;
    let colon = skip_space(line, end + closing.len);
    (line.get(colon) == Some(&b':')).then(|| skip_space(line, colon + 1))
}

fn skip_space(line: &[u8], at: usize) -> usize {
    run(line, at, |byte| byte.is_ascii_whitespace(), TYPE_CHARS_MAX).0
}

fn is_flag(line: &[u8], name: &Name) -> bool {
    line[name.range.clone()].starts_with(b"--")
}

/// Returns whether a name is one that `aws configure set` gives a value to.
fn is_aws_setting(line: &[u8], name: &Name) -> bool {
    line[name.range.clone()].ends_with(b"_secret_access_key")
}

/// Returns where the value begins of a name that has a type: `token: &str = "…"`.
fn behind_type(line: &[u8], at: usize) -> Option<usize> {
    let is_type = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'.' | b':' | b'<' | b'>' | b'&' | b'*' | b'|' | b'?' | b'[' | b']' | b' '
            )
    };
    let (end, n) = run(line, at, is_type, TYPE_CHARS_MAX);
    let equals = char_at(line, end).filter(|char| char.byte == b'=')?;
    let value = skip_blanks(line, end + equals.len);
    let is_given = n > 0 && n <= TYPE_CHARS_MAX;
    let is_quoted = char_at(line, value).is_some_and(|char| is_quote(char.byte));
    (is_given && is_quoted).then_some(value)
}

/// Returns where a value ends that begins behind this quote. Space within it means that it is a sentence, unless it is a passphrase.
fn quoted(line: &[u8], start: usize, quote: Char, word: Word) -> Option<Range<usize>> {
    let is_json = quote.byte == b'"' && quote.slashes == 0;
    let (mut at, mut end, mut n) = (start, start, 0);
    while let Some(char) = char_at(line, at) {
        let ends_here = char.byte == quote.byte && char.slashes == quote.slashes;
        let ends_all = char.byte == b'"' && char.slashes == 0;
        if ends_here || ends_all {
            break;
        }
        let is_break = char.byte == b'\n' && !is_json;
        if n > VALUE_CHARS_MAX || is_break {
            return None;
        }
        at += char.len;
        n += 1;
        if !char.byte.is_ascii_whitespace() {
            if end < at - char.len && word != Word::Passphrase {
                return None;
            }
            end = at;
        }
    }
    while let Some(colour) = colour_before(line, end).filter(|colour| *colour >= start) {
        end = colour;
    }
    (end > start).then_some(start..end)
}

fn is_plain(byte: u8) -> bool {
    let ends = byte.is_ascii_control()
        || is_blank(byte)
        || is_quote(byte)
        || matches!(
            byte,
            b',' | b';'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b'&'
                | b'|'
                | b'\\'
        );
    !ends
}

/// Returns whether `name=` stands where programs give arguments.
fn is_in_program(line: &[u8], name: &Name) -> bool {
    let before = byte_before(line, skip_blanks_back(line, name.range.start));
    let is_subscript = before == b'[' && line.get(name.range.end) == Some(&b']');
    !name.is_upper && !is_subscript && matches!(before, b'(' | b',' | b'{' | b'[')
}

/// Returns the rule that takes a value for a secret.
fn judge(line: &[u8], name: &Name, given: &Given) -> Option<Rule> {
    let value = Value::of(&line[given.range.clone()]);
    let name_text = &line[name.range.clone()];
    // What takes least comes first: a hostile line has a value of many names behind each of them.
    let is_one = match name.word {
        Word::Password | Word::Pwd => is_password(line, name, given, &value),
        Word::Passphrase => value.n_chars() >= 8,
        Word::Secret | Word::Token | Word::Key => is_secret(given.style, &value),
    };
    let is_none = || {
        value.is_placeholder()
            || value.is_variable()
            || value.is_address()
            || value.is_path()
            || value.has_letters_of(name_text) && !value.has_digit()
    };
    if !is_one || is_none() {
        return None;
    }
    Some(match name.word {
        Word::Password | Word::Pwd | Word::Passphrase => Rule::Password,
        Word::Secret | Word::Token | Word::Key => secret_rule(line, name, given, &value),
    })
}

fn is_password(line: &[u8], name: &Name, given: &Given, value: &Value<'_>) -> bool {
    let names_one = ["passw", "pwd"].iter().any(|part| value.contains(part)) && !value.has_digit();
    match given.style {
        Style::Quoted => {
            let is_words = !value.is_letters() && !value.has_digit() && value.is_wordy();
            value.n_chars() >= 4 && !value.is_label() && !names_one && !is_words
        }
        Style::Plain if name.is_upper || is_flag(line, name) => value.n_chars() >= 4,
        Style::Plain => {
            value.n_chars() >= 4
                && value.has_digit()
                && !value.is_numbered_name()
                && !(value.is_identifier() && value.text().contains(&b'.'))
        }
        Style::Loose => {
            let is_odd = value.text().iter().any(|byte| b"@!#%^*~?$".contains(byte));
            let is_alone = is_alone_on_its_line(line, name, given);
            value.n_chars() >= 6
                && value.is_random()
                && !value.is_numbered_name()
                && !names_one
                && (is_odd || (is_alone && !value.text().contains(&b'.')))
        }
    }
}

/// Returns whether a line of text has a name, its value, and nothing else.
fn is_alone_on_its_line(line: &[u8], name: &Name, given: &Given) -> bool {
    let start = skip_blanks_back(line, name.range.start);
    let before = char_before(line, start);
    let begins = before.is_none_or(|char| matches!(char.byte, b'\n' | b'"'));
    let after = char_at(line, skip_blanks(line, given.range.end));
    begins && after.is_none_or(|char| matches!(char.byte, b'\n' | b'\r' | b'"' | b'#'))
}

fn is_secret(style: Style, value: &Value<'_>) -> bool {
    let n_least = match style {
        Style::Quoted | Style::Plain => 8,
        Style::Loose => 16,
    };
    value.n_chars() >= n_least
        && value.is_random()
        && !value.is_wordy()
        && !value.is_digest_or_time()
}

/// Returns the rule of a value that is a secret: that of a cloud where its form says so.
fn secret_rule(line: &[u8], name: &Name, given: &Given, value: &Value<'_>) -> Rule {
    let name_text = line[name.range.clone()].to_ascii_lowercase();
    let has = |part: &[u8]| name_text.windows(part.len()).any(|window| window == part);
    let is_aws =
        value.n_chars() == AWS_SECRET_CHARS && aws_secret(line, given.range.start).is_some();
    if is_aws && name.word == Word::Key && (has(b"aws") || has(b"secret")) {
        return Rule::AwsSecretKey;
    }
    let is_padded = value.text().ends_with(b"=") && matches!(value.n_chars(), 44 | 88);
    if is_padded && name.word == Word::Key && (has(b"account") || has(b"access") || has(b"azure")) {
        return Rule::AzureKey;
    }
    Rule::Secret
}
