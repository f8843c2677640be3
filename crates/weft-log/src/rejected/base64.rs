//! Base64 with padding, for refused bytes that are not text.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes as base64.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for idx in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * idx) & 63) as usize];
            text.push(if idx <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let n_padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    let digits = &text.as_bytes()[..text.len() - n_padding];
    for group in digits.chunks(4) {
        let mut bits = 0;
        for digit in group {
            bits = bits << 6 | DIGITS.iter().position(|known| known == digit)? as u32;
        }
        bits <<= 6 * (4 - group.len());
        let n_bytes = group.len() * 3 / 4;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..=n_bytes]);
    }
    (encode(&bytes) == text).then_some(bytes)
}
