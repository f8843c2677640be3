//! Which files of a folder come first, and which do not come at all.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Which files of a folder are read, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Those that come first.
    pub first: First,
    /// Leaves out files that were not changed since then.
    pub changed_since: Option<SystemTime>,
}

/// The files that come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// By their names, folder by folder.
    Name,
    /// Those that were changed the longest time ago.
    Oldest,
    /// Those that were changed last.
    Newest,
}

impl Pick {
    /// All files, by their names.
    pub const ALL: Pick = Pick { first: First::Name, changed_since: None };

    /// Puts files into their order, without those that are left out.
    pub(super) fn arrange(&self, files: Vec<PathBuf>) -> Vec<PathBuf> {
        if *self == Self::ALL {
            return files;
        }
        let dated = files.into_iter().map(|path| (modified(&path), path));
        let is_wanted = |at: &SystemTime| self.changed_since.is_none_or(|since| *at >= since);
        let mut files: Vec<_> = dated.filter(|(at, _)| is_wanted(at)).collect();
        match self.first {
            First::Name => {}
            First::Oldest => files.sort(),
            First::Newest => files.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1))),
        }
        files.into_iter().map(|(_, path)| path).collect()
    }
}

/// Returns when a file was changed. One that cannot be looked at comes last or first, where that is told.
fn modified(path: &Path) -> SystemTime {
    let found = fs::metadata(path).and_then(|about| about.modified());
    found.unwrap_or(SystemTime::UNIX_EPOCH)
}
