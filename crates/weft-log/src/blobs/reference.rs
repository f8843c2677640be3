//! The string that stands in an event in place of a value: `weft-blob:<hash>:<bytes>:<head>`.

use std::fmt;

use memchr::memmem;
use weft_event::json::{SyntaxError, Tape, Value, write_text};

use super::line::strings;
use super::{BLOB_BYTES_MAX, VALUE_BYTES_MIN};
use crate::Hash;

/// How every reference begins.
pub(super) const PREFIX: &str = "weft-blob:";

/// How many characters of the value a reference shows.
const HEAD_CHARS_MAX: usize = 200;

/// A name for a blob, with its length and its beginning for whoever reads the event without it.
///
/// To every blob there is one reference. A producer's own string of the same form is taken for one only if the store has that
/// very blob, of that length and beginning; in any other case it stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlobRef {
    /// Hash of the blob: the value as it stood between its quotes.
    pub hash: Hash,
    /// Length of the blob.
    pub bytes: u64,
    /// The first 200 characters of the value, with a space for every control character.
    pub head: String,
}

impl BlobRef {
    /// Reads a reference; `None` if the text is not one that [`BlobRef`] would print.
    pub fn parse(text: &str) -> Option<Self> {
        let (hash, rest) = text.strip_prefix(PREFIX)?.split_once(':')?;
        let (digits, head) = rest.split_once(':')?;
        let hash = Hash::parse(hash)?;
        let bytes: u64 = digits.parse().ok()?;
        let is_ours = bytes <= BLOB_BYTES_MAX as u64
            && bytes.to_string() == digits
            && head.chars().count() <= HEAD_CHARS_MAX
            && !head.contains(char::is_control);
        is_ours.then(|| Self { hash, bytes, head: head.to_owned() })
    }

    /// Returns the reference to a value, by its raw text and what that means.
    pub(super) fn of(raw: &str, text: &str) -> Self {
        let readable = |c: char| if c.is_control() { ' ' } else { c };
        let head = text.chars().take(HEAD_CHARS_MAX).map(readable).collect();
        Self { hash: Hash::of(raw.as_bytes()), bytes: raw.len() as u64, head }
    }

    /// Returns the reference to a raw text; `None` if that cannot stand between the quotes of a string.
    pub(crate) fn of_raw(raw: &[u8]) -> Option<Self> {
        let raw = std::str::from_utf8(raw).ok().filter(|raw| raw.len() <= BLOB_BYTES_MAX)?;
        let quoted = format!("\"{raw}\"");
        let mut tape = Tape::new();
        let value = tape.parse(&quoted).ok()?;
        Some(Self::of(raw, &value.as_text()?))
    }

    /// Returns the reference as it stands between the quotes of a string.
    pub(crate) fn to_raw(&self) -> Vec<u8> {
        let mut quoted = String::new();
        write_text(&mut quoted, &self.to_string());
        let raw = &quoted[1..quoted.len() - 1];
        assert!(raw.len() < VALUE_BYTES_MIN, "a reference is shorter than what it replaces");
        raw.as_bytes().to_vec()
    }
}

impl fmt::Display for BlobRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}:{}:{}", self.hash, self.bytes, self.head)
    }
}

/// Returns the references in a line, in its order; each stands for a blob only if the store has it, see [`BlobRef`].
pub fn references(line: &[u8]) -> Result<Vec<BlobRef>, SyntaxError> {
    if !may_refer(line) {
        return Ok(Vec::new());
    }
    let mut tape = Tape::new();
    let event = tape.parse_bytes(line)?;
    Ok(referring(event).into_iter().map(|(_, reference)| reference).collect())
}

/// Returns whether a line may have references, by a look at its bytes alone.
pub(super) fn may_refer(line: &[u8]) -> bool {
    memmem::find(line, b"\"weft-blob:").is_some()
}

/// Returns the strings of an event that are references.
pub(super) fn referring(event: Value<'_>) -> Vec<(Value<'_>, BlobRef)> {
    let candidates = strings(event, |raw| raw.starts_with(PREFIX)).into_iter();
    let parsed = candidates.map(|string| Some((string, BlobRef::parse(&string.as_text()?)?)));
    parsed.flatten().collect()
}
