//! The commit that is checked out, read from git's own files: a look at three or four of them instead of a process.

use std::fs;
use std::path::{Path, PathBuf};

/// Names that stand for other names, one after the other, at most.
const NAMES_MAX: usize = 5;

/// Returns the commit that is checked out in the work tree that a folder is in, and the repository that it is in; `None` where it cannot
/// be told without git, as in a repository that keeps its names otherwise.
pub fn checked_out(folder: &Path) -> Option<(String, PathBuf)> {
    let folder = folder.canonicalize().ok()?;
    let dot_git = folder.ancestors().map(|it| it.join(".git")).find(|it| it.exists())?;
    let own = match fs::read_to_string(&dot_git) {
        // A work tree beside the first one says where its folder is.
        Ok(text) => dot_git.parent()?.join(text.strip_prefix("gitdir: ")?.trim_end()),
        Err(_folder) => dot_git,
    };
    let shared = match fs::read_to_string(own.join("commondir")) {
        Ok(text) => own.join(text.trim_end()),
        Err(_first) => own.clone(),
    };
    let mut text = fs::read_to_string(own.join("HEAD")).ok()?;
    for _ in 0..NAMES_MAX {
        let Some(name) = text.strip_prefix("ref: ") else { break };
        let name = name.trim_end();
        // Others are not shared by all work trees.
        if !name.starts_with("refs/heads/") {
            return None;
        }
        text = match fs::read_to_string(shared.join(name)) {
            Ok(text) => text,
            Err(_packed) => packed(&shared, name)?,
        };
    }
    let oid = text.trim_end();
    let is_oid = matches!(oid.len(), 40 | 64) && oid.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_oid.then(|| (oid.to_owned(), shared))
}

/// Returns the commit of a name that is kept with others in one file.
fn packed(shared: &Path, name: &str) -> Option<String> {
    let all = fs::read_to_string(shared.join("packed-refs")).ok()?;
    let mut named = all.lines().filter_map(|line| line.split_once(' '));
    named.find(|(_, it)| *it == name).map(|(oid, _)| oid.to_owned())
}
