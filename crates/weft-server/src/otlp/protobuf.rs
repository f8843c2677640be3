//! The few messages that are answered, as Protocol Buffers.

/// Returns a message with a number and a text; what is 0 or empty is left out, as it is by default.
pub(super) fn numbered(number: u64, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if number != 0 {
        out.push(1 << 3);
        varint(&mut out, number);
    }
    bytes(&mut out, 2, text.as_bytes());
    out
}

/// Writes a field of bytes, unless they are empty.
pub(super) fn bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    if !bytes.is_empty() {
        out.push(number << 3 | 2);
        varint(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
}

fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}
