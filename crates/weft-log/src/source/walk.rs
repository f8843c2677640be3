//! Searching folders for files of events.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::DirEntryExt as _;
use std::path::{Path, PathBuf};

use super::batch::Notice;
use super::form::Form;

/// The names of files that a folder is searched for.
pub const EXTENSIONS: [&str; 3] = ["jsonl", "ndjson", "json"];
/// The folders of a store with files of such names.
const OWN_FOLDERS: [&str; 5] = ["log", "spool", "rejected", "blobs", "aside"];

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files, in the order of their names, folder by folder.
    pub(super) files: Vec<PathBuf>,
    /// What could not be read.
    pub(super) notices: Vec<Notice>,
}

/// Searches a folder for files of a form, and those below it that `enter` agrees to. Hidden folders and the store are left out; links to folders are
/// not followed, so that it ends.
pub(super) fn search(
    root: &Path,
    (store, form): (&Path, Form),
    files_max: usize,
    mut enter: impl FnMut(&Path) -> bool,
) -> Found {
    let mut found = Found::default();
    // Files and folders take turns in the order of their names.
    let mut left = vec![Entry::Folder(root.to_owned())];
    while let Some(entry) = left.pop() {
        match entry {
            Entry::File(path) if found.files.len() < files_max => found.files.push(path),
            Entry::File(path) => {
                found.notices.push(Notice::TooMany { path, max: files_max });
                break;
            }
            Entry::Folder(path) if enter(&path) => match entries(&path, store, form) {
                Ok(entries) => left.extend(entries.into_iter().rev()),
                Err(source) => found.notices.push(Notice::Unreadable { path, source }),
            },
            Entry::Folder(_) => {}
        }
    }
    found
}

enum Entry {
    File(PathBuf),
    Folder(PathBuf),
}

impl Entry {
    fn path(&self) -> &Path {
        match self {
            Entry::File(path) | Entry::Folder(path) => path,
        }
    }
}

/// Returns what is to be read in a folder, in the order of the names.
fn entries(folder: &Path, store: &Path, form: Form) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !is_hidden(&path) && !is_own_part(&path, store) {
                entries.push(Entry::Folder(path));
            }
        } else if form.takes(&path) && (kind.is_file() || kind.is_symlink() && !path.is_dir()) {
            entries.push(Entry::File(path));
        }
    }
    entries.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(entries)
}

/// Returns the inodes in a folder with their paths.
pub(super) fn inodes(folder: &Path) -> io::Result<HashMap<u64, PathBuf>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| (entry.ino(), entry.path()))).collect()
}

/// Returns whether a path is the store or a folder of it: what is in there has come through the log already.
pub(super) fn is_own_part(path: &Path, store: &Path) -> bool {
    let is_part = |name: &OsStr| OWN_FOLDERS.iter().any(|own| name == *own);
    path == store || path.parent() == Some(store) && path.file_name().is_some_and(is_part)
}

/// Returns whether a search takes a file of this name.
pub(super) fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
}

/// Returns whether a search leaves a folder of this name out.
pub(super) fn is_hidden(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
