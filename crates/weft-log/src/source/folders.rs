//! The folders whose files are read, and which of them have changed.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::batch::Notice;
use super::form::Forms;
use super::walk::{self, Found};
use super::watch::Watch;

/// Folders that were searched.
#[derive(Debug)]
pub(super) struct Folders {
    roots: Vec<PathBuf>,
    forms: Forms,
    store: PathBuf,
    /// Those of the roots that are not there.
    absent: HashSet<PathBuf>,
    known: BTreeMap<PathBuf, Listed>,
    last_looked: PathBuf,
}

/// When a folder was last listed.
#[derive(Clone, Copy, Debug)]
struct Listed {
    modified: (i64, i64),
    /// Whether it had not changed since the time before. A change within the clock's step shows only by listing once more.
    is_settled: bool,
}

impl Folders {
    pub(super) fn new(roots: Vec<PathBuf>, forms: Forms, store: PathBuf) -> Self {
        let (absent, known) = (HashSet::new(), BTreeMap::new());
        Self { roots, forms, store, absent, known, last_looked: PathBuf::new() }
    }

    /// Returns whether a folder that was named is there, as far as was looked.
    pub(super) fn is_there(&self, root: &Path) -> bool {
        !self.absent.contains(root)
    }

    /// Returns the folders that were named.
    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns those that are there.
    pub(super) fn present(&self) -> Vec<PathBuf> {
        self.roots.iter().filter(|root| self.is_there(root)).cloned().collect()
    }

    pub(super) fn has(&self, folder: &Path) -> bool {
        self.known.contains_key(folder)
    }

    /// Returns whether a search takes this path.
    pub(super) fn is_searched(&self, path: &Path) -> bool {
        path.parent().is_some_and(|parent| self.has(parent))
            && !walk::is_own_part(path, &self.store)
            && (self.forms.of(path).takes(path) || path.is_dir() && !walk::is_hidden(path))
    }

    /// Searches a folder, and watches what is new below it.
    pub(super) fn search(
        &mut self,
        folder: &Path,
        files_max: usize,
        mut watch: Option<&mut Watch>,
    ) -> Found {
        let is_first = !self.has(folder);
        let is_root = self.roots.iter().any(|root| root == folder);
        let mut notices = Vec::new();
        if is_root && !folder.is_dir() {
            if self.absent.insert(folder.to_owned()) {
                notices.push(Notice::Missing { path: folder.to_owned() });
            }
            return Found { notices, ..Found::default() };
        }
        if self.absent.remove(folder) {
            notices.push(Notice::Appeared { path: folder.to_owned() });
        }
        let form = self.forms.of(folder);
        // Watched before it is listed, so that nothing comes in between unnoticed.
        if is_first && let Some(watch) = watch.as_deref_mut() {
            watch.add(folder);
        }
        let mut found = walk::search(folder, (&self.store, form), files_max, |below| {
            let is_new = !self.known.contains_key(below);
            if is_new
                && below != folder
                && let Some(watch) = watch.as_deref_mut()
            {
                watch.add(below);
            }
            if let Some(modified) = modified(below) {
                let before = self.known.get(below).map(|listed| listed.modified);
                let listed = Listed { modified, is_settled: before == Some(modified) };
                self.known.insert(below.to_owned(), listed);
            }
            is_new || below == folder
        });
        if is_first && found.files.is_empty() && is_root {
            notices.push(Notice::NoFiles { path: folder.to_owned(), form });
        }
        notices.append(&mut found.notices);
        Found { notices, ..found }
    }

    /// Looks at so many folders at most, and returns those that may have changed; the others have their turn the next times.
    pub(super) fn changed(&mut self, n_looks: usize) -> Vec<PathBuf> {
        let cursor = self.last_looked.as_path();
        let after = self.known.range::<Path, _>((Bound::Excluded(cursor), Bound::Unbounded));
        let before = self.known.range::<Path, _>((Bound::Unbounded, Bound::Included(cursor)));
        let looked: Vec<(PathBuf, Listed)> = after
            .chain(before)
            .take(n_looks)
            .map(|(path, listed)| (path.clone(), *listed))
            .collect();
        let mut changed = Vec::new();
        for (path, listed) in looked {
            self.last_looked.clone_from(&path);
            match modified(&path) {
                Some(modified) if listed.is_settled && modified == listed.modified => {}
                Some(_) => changed.push(path),
                None => {
                    self.known.remove(&path);
                    // A search says that it is gone.
                    changed.extend(self.roots.contains(&path).then_some(path));
                }
            }
        }
        // A folder that was named may come back.
        let absent = self.roots.iter().filter(|root| !self.has(root) && root.is_dir());
        changed.extend(absent.cloned());
        changed
    }
}

fn modified(folder: &Path) -> Option<(i64, i64)> {
    let found = fs::metadata(folder).ok().filter(fs::Metadata::is_dir)?;
    Some((found.mtime(), found.mtime_nsec()))
}
