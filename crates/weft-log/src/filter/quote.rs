//! Quoted text: where it ends, what its escapes stand for, and how it is written back.

use std::borrow::Cow;
use std::fmt;

use super::error::{FilterError, FilterFault};

/// Returns where the quote that opens at `start` closes: the place of the closing quote.
pub(super) fn closing(text: &str, start: usize) -> Result<usize, FilterError> {
    let quote = char::from(text.as_bytes()[start]);
    let mut inside = text[start + 1..].char_indices();
    while let Some((idx, c)) = inside.next() {
        if c == '\\' {
            inside.next();
        } else if c == quote {
            return Ok(start + 1 + idx);
        }
    }
    Err(FilterError::new(start..text.len(), FilterFault::UnclosedQuote { quote }))
}

/// Returns what the inside of a quoted text says. `start` is its place in the filter.
pub(super) fn unescape(inside: &str, start: usize) -> Result<Cow<'_, str>, FilterError> {
    if !inside.contains('\\') {
        return Ok(Cow::Borrowed(inside));
    }
    let mut plain = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(idx) = rest.find('\\') {
        plain.push_str(&rest[..idx]);
        let escape = &rest[idx..];
        let Some((c, length)) = escaped(escape) else {
            let offset = start + inside.len() - escape.len();
            let length = escape.chars().take(2).map(char::len_utf8).sum::<usize>();
            let escape = escape[..length].to_owned();
            return Err(FilterError::new(
                offset..offset + length,
                FilterFault::BadEscape { escape },
            ));
        };
        plain.push(c);
        rest = &escape[length..];
    }
    plain.push_str(rest);
    Ok(Cow::Owned(plain))
}

/// Returns the character that the escape at the start of a text stands for, and how many bytes it takes.
fn escaped(text: &str) -> Option<(char, usize)> {
    let c = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let digits = text[2..].strip_prefix('{')?;
            let digits = &digits[..digits.find('}')?];
            let is_hex = digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let code = is_hex.then(|| u32::from_str_radix(digits, 16).ok())??;
            return Some((char::from_u32(code)?, "\\u{}".len() + digits.len()));
        }
        quote @ (b'\\' | b'"' | b'\'') => char::from(*quote),
        _ => return None,
    };
    Some((c, 2))
}

/// A text that prints in quotes.
pub(super) struct Quoted<'t>(pub(super) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.0)
    }
}

/// Writes a text in quotes, so that [`unescape`] gives it back.
pub(super) fn write(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}
