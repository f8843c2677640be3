//! What work in a folder is known by where git does not know it: the names, sizes and times of its files, not what they hold.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use weft_event::digest_parts;

/// Files and folders that are looked at.
const ENTRIES_MAX: usize = 20_000;
/// Folders that change without any work: what git keeps, and stores.
const LEFT_OUT: [&str; 2] = [".git", ".weft"];

/// Returns what the files of a folder are known by, but for those of a store: equal texts, equal work. `None` if it cannot be
/// told, because there are too many or the folder cannot be read.
pub fn fingerprint(folder: &Path, store: &Path) -> Option<String> {
    let store = store.canonicalize().ok();
    let mut digest = [0; 16];
    let mut n_left = ENTRIES_MAX;
    let mut folders = vec![folder.canonicalize().ok()?];
    while let Some(folder) = folders.pop() {
        let mut entries = entries(&folder, &mut n_left)?;
        entries.sort();
        for path in entries {
            // What is gone meanwhile is as if it had never been there.
            let Ok(about) = fs::symlink_metadata(&path) else { continue };
            let is_left_out = |name: &str| path.file_name().is_some_and(|it| it == name);
            if LEFT_OUT.into_iter().any(is_left_out) || Some(&path) == store.as_ref() {
                continue;
            }
            let file = match about.is_dir() {
                true => String::new(),
                false => format!("{} {} {}", about.len(), about.mtime(), about.mtime_nsec()),
            };
            let name = path.as_os_str().as_encoded_bytes();
            digest = digest_parts(&[&digest, name, file.as_bytes()]);
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn entries(folder: &Path, n_left: &mut usize) -> Option<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        *n_left = n_left.checked_sub(1)?;
        entries.push(entry.ok()?.path());
    }
    Some(entries)
}

#[cfg(test)]
mod tests;
