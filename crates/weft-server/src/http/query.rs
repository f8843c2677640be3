//! The query of an address: names and values, decoded.

use std::borrow::Cow;

/// An escape that is none, or bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the query of the address has an escape that is none, or is not UTF-8")]
pub(crate) struct BadQuery;

/// Returns the names and values of a query, in order. A name without `=` has an empty value.
pub(crate) fn pairs(
    query: &str,
) -> impl Iterator<Item = Result<(Cow<'_, str>, Cow<'_, str>), BadQuery>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(name)?, decode(value)?))
    })
}

fn decode(text: &str) -> Result<Cow<'_, str>, BadQuery> {
    if !text.contains(['+', '%']) {
        return Ok(Cow::Borrowed(text));
    }
    let spaced = text.replace('+', " ");
    let bytes = percent_decoded(spaced.as_bytes()).ok_or(BadQuery)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_not_utf8| BadQuery)
}

/// Returns bytes with every `%` and its two digits made one byte; `None` where a `%` has no two digits.
pub(crate) fn percent_decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        let byte = match (*first, after) {
            (b'%', [high, low, after @ ..]) => {
                rest = after;
                digit(*high)? << 4 | digit(*low)?
            }
            (b'%', _) => return None,
            (plain, _) => plain,
        };
        bytes.push(byte);
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests;
