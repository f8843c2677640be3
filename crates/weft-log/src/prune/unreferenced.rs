//! Blobs that neither the log nor the spool refers to any more.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use super::PruneError;
use crate::blobs::{self, Blobs, Swept};
use crate::disk::RealDisk;
use crate::reader::Reader;
use crate::{Hash, Position, Store, spool};

/// A blob that was put in this time may belong to an event that is still on its way.
const GRACE: Duration = Duration::from_secs(60 * 60);

/// Removes the blobs that nothing refers to. Reads the whole log.
pub(super) fn sweep(store: &Store) -> Result<Swept, PruneError> {
    let put_before = SystemTime::now() - GRACE;
    let mut kept: HashSet<Hash> = HashSet::new();
    let mut keep = |line: &[u8]| {
        let found = blobs::references(line).unwrap_or_default();
        kept.extend(found.into_iter().map(|reference| reference.hash));
    };
    // The spool first: what is moved from there meanwhile is then found in the log.
    spool::look(store.root(), |entry| keep(entry.line))?;
    let mut reader = Reader::open(RealDisk, store.root().to_owned(), Position::FIRST)?;
    while let Some(batch) = reader.read()? {
        batch.lines().for_each(|(_, _, line)| keep(line));
    }
    Ok(Blobs::new(store.blobs()).sweep(&kept, put_before)?)
}
