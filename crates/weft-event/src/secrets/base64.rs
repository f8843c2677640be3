//! Enough of base64 to look into a text: both alphabets, the beginning alone.

use super::raw::char_at;

/// Decodes the beginning of a text into `out`, as much as fits; returns how many bytes that is. `None` if it is no base64.
///
/// The text is read as it stands in a line, where `/` and `+` may be escaped.
pub(super) fn decode(text: &[u8], out: &mut [u8]) -> Option<usize> {
    let (mut bits, mut n_bits, mut n) = (0u32, 0, 0);
    let mut at = 0;
    while let Some(char) = char_at(text, at).filter(|char| char.byte != b'=') {
        at += char.len;
        bits = bits << 6 | u32::from(digit(char.byte)?);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            match out.get_mut(n) {
                Some(place) => *place = (bits >> n_bits) as u8,
                None => return Some(n),
            }
            n += 1;
        }
    }
    Some(n)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
