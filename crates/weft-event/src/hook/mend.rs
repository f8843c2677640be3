//! Half characters: an escape of half a surrogate pair, which is what is left of an emoji that was cut in two.

use memchr::memchr;

/// A line in which every half character was replaced.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    pub(crate) bytes: Vec<u8>,
    pub(crate) n_halves: usize,
}

/// What stands for half a character.
const REPLACEMENT: &[u8] = b"\\ufffd";

/// Bytes of an escape such as `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// Replaces every escape of half a surrogate pair by one of U+FFFD.
pub(crate) fn half_pairs(line: &[u8]) -> Mended {
    let mut mended = Mended { bytes: Vec::with_capacity(line.len()), n_halves: 0 };
    let mut rest = line;
    while let Some(at) = memchr(b'\\', rest) {
        let (before, escape) = rest.split_at(at);
        mended.bytes.extend_from_slice(before);
        let n = match (unit(escape), escape.get(ESCAPE_BYTES..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE_BYTES,
            (Some(0xD800..=0xDFFF), _) => {
                mended.bytes.extend_from_slice(REPLACEMENT);
                mended.n_halves += 1;
                rest = &escape[ESCAPE_BYTES..];
                continue;
            }
            // The byte after a backslash is never the start of an escape.
            (Some(_) | None, _) => escape.len().min(2),
        };
        mended.bytes.extend_from_slice(&escape[..n]);
        rest = &escape[n..];
    }
    mended.bytes.extend_from_slice(rest);
    mended
}

/// Returns the number that an escape of the form `\uXXXX` stands for.
fn unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}
