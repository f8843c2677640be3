//! Files that are kept open for a while: those used last, and no more than the limit.

use std::collections::HashMap;
use std::fs::File;

use super::checkpoint::FileId;

/// The most files that are kept open.
pub const OPEN_FILES_MAX: usize = 128;

/// Open files; the one that was not used for the longest time is closed first.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    files: HashMap<FileId, (File, u64)>,
    n_uses: u64,
}

impl OpenFiles {
    /// Returns an open file.
    pub(super) fn get(&mut self, id: FileId) -> Option<&File> {
        self.n_uses += 1;
        let (file, last_use) = self.files.get_mut(&id)?;
        *last_use = self.n_uses;
        Some(file)
    }

    /// Keeps a file open.
    pub(super) fn put(&mut self, id: FileId, file: File) {
        self.n_uses += 1;
        self.files.insert(id, (file, self.n_uses));
        if self.files.len() > OPEN_FILES_MAX {
            let oldest = self.files.iter().min_by_key(|(_, (_, last_use))| *last_use);
            let oldest = *oldest.expect("there are more than none").0;
            self.files.remove(&oldest);
        }
    }

    /// Hands a file over.
    pub(super) fn take(&mut self, id: FileId) -> Option<File> {
        self.files.remove(&id).map(|(file, _)| file)
    }

    /// Returns how many files are open.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }
}
