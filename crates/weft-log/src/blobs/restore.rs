//! Putting the values of an event back where their references stand.

use std::borrow::Cow;

use weft_event::json::{LINE_BYTES_MAX, SyntaxError, Tape};

use super::line::splice;
use super::reference::{may_refer, referring};
use super::{BlobError, BlobRef, Blobs};

/// A line with its values back.
#[derive(Debug)]
pub struct Restored<'a> {
    /// The line; byte for byte what [`super::shrink`] was given, if nothing was left.
    pub line: Cow<'a, [u8]>,
    /// How many references gave way to their values.
    pub n_restored: usize,
    /// The references that stand in the line as before, and why.
    pub left: Vec<(BlobRef, BlobError)>,
}

/// Puts the values of a line back. A reference without its blob stays in the line and is reported.
pub fn restore<'a>(line: &'a [u8], blobs: &Blobs) -> Result<Restored<'a>, SyntaxError> {
    let mut restored = Restored { line: Cow::Borrowed(line), n_restored: 0, left: Vec::new() };
    if !may_refer(line) {
        return Ok(restored);
    }
    let mut tape = Tape::new();
    let event = tape.parse_bytes(line)?;
    let mut changes = Vec::new();
    let (mut line_bytes, mut in_vain_bytes) = (line.len(), 0);
    for (string, reference) in referring(event) {
        let place = string.place();
        let line_bytes_then = line_bytes - place.len() + reference.bytes as usize;
        let value = if line_bytes_then.max(in_vain_bytes) > LINE_BYTES_MAX {
            Err(BlobError::LineTooLong { path: blobs.path_of(&reference.hash) })
        } else {
            blobs.get_within(&reference)
        };
        match value {
            Ok(raw) => {
                line_bytes = line_bytes_then;
                changes.push((place, Cow::Owned(raw)));
            }
            Err(error) => {
                // With all its values no line was longer than that: where more turns out not to belong to it, no more is read.
                in_vain_bytes += match error {
                    BlobError::Missing { .. } | BlobError::LineTooLong { .. } => 0,
                    BlobError::Damaged { .. }
                    | BlobError::NotAsReferred { .. }
                    | BlobError::NotText { .. }
                    | BlobError::Io { .. } => reference.bytes as usize,
                };
                restored.left.push((reference, error));
            }
        }
    }
    if !changes.is_empty() {
        restored.n_restored = changes.len();
        restored.line = Cow::Owned(splice(line, &changes));
    }
    Ok(restored)
}
