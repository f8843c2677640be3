//! Paths as text that can be turned back: whatever is not UTF-8 is written as `%` and two digits, and so is `%` itself.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::hash::hex_pair;

/// Writes a path as text.
pub(super) fn encode(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            text.push('%');
            text.extend(hex_pair(*byte).map(char::from));
        }
    }
    text
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(text: &str) -> Option<PathBuf> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    let path = PathBuf::from(OsString::from_vec(bytes));
    (encode(&path) == text).then_some(path)
}
