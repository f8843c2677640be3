//! Blobs with secrets: a masked copy under its own hash, and the references to the first changed to it.

use memchr::memmem;

use crate::blobs::{BlobError, BlobRef, Blobs};
use crate::redact::{Redaction, mask};
use crate::{Hash, Store};

/// The blobs that had secrets, and what stands for them.
#[derive(Debug, Default)]
pub(super) struct Moved {
    list: Vec<MovedBlob>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct MovedBlob {
    pub(super) hash: Hash,
    pub(super) rules: Vec<String>,
    masked: Vec<u8>,
    /// The reference to it, as it stands between quotes, and the one to what stands for it; `None` if that is of another length.
    references: Option<(Vec<u8>, Vec<u8>)>,
}

impl Moved {
    /// Looks at every blob of a store. One that cannot be read as what it should be is left to `weft verify`.
    pub(super) fn look(store: &Store, redaction: &Redaction) -> Result<Self, BlobError> {
        let blobs = Blobs::new(store.blobs());
        let mut moved = Self::default();
        for blob in blobs.list()?.blobs {
            let raw = match blobs.read(&blob.hash) {
                Ok(raw) => raw,
                Err(BlobError::Damaged { .. } | BlobError::Missing { .. }) => continue,
                Err(error) => return Err(error),
            };
            // Between quotes, so that no escape is cut in two.
            let quoted = [b"\"", &raw[..], b"\""].concat();
            let mut rules = Vec::new();
            let Some(masked) = redaction.mask(&quoted, &mut rules) else { continue };
            let masked = masked[1..masked.len() - 1].to_vec();
            let rules = rules.into_iter().map(ToOwned::to_owned).collect();
            let references = BlobRef::of_raw(&raw)
                .zip(BlobRef::of_raw(&masked))
                .map(|(was, is)| (was.to_raw(), is.to_raw()))
                .filter(|(was, is)| was.len() == is.len());
            moved.list.push(MovedBlob { hash: blob.hash, rules, masked, references });
        }
        Ok(moved)
    }

    pub(super) fn list(&self) -> &[MovedBlob] {
        &self.list
    }

    /// Writes what stands for each of them. It is durable when this returns.
    pub(super) fn put(&self, store: &Store) -> Result<(), BlobError> {
        let blobs = Blobs::new(store.blobs());
        for blob in self.list.iter().filter(|blob| blob.references.is_some()) {
            blobs.put(&blob.masked)?;
        }
        Ok(())
    }

    /// Removes them. Nothing in the log refers to them any more.
    pub(super) fn remove(&self, store: &Store) -> Result<(), BlobError> {
        let blobs = Blobs::new(store.blobs());
        self.list.iter().try_for_each(|blob| blobs.remove(&blob.hash))
    }

    /// Changes the references in a line; returns whether there were any.
    pub(super) fn refer(&self, line: &mut [u8], rules: &mut Vec<String>) -> bool {
        let mut is_changed = false;
        if self.list.is_empty() || memmem::find(line, b"\"weft-blob:").is_none() {
            return false;
        }
        for blob in &self.list {
            let begin = format!("\"weft-blob:{}:", blob.hash).into_bytes();
            while let Some(at) = memmem::find(line, &begin) {
                let start = at + 1;
                let len = end_of_text(&line[start..]);
                let place = &mut line[start..start + len];
                match &blob.references {
                    Some((was, is)) if *was == *place => place.copy_from_slice(is),
                    Some(_) | None => {
                        let mut out = Vec::with_capacity(len);
                        let rule = blob.rules.first().map_or("secret", String::as_str);
                        mask(rule, len, &mut out);
                        place.copy_from_slice(&out);
                    }
                }
                rules.extend(blob.rules.iter().cloned());
                is_changed = true;
            }
        }
        is_changed
    }
}

/// Returns how long the inside of a JSON string is.
fn end_of_text(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}
