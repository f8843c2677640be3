//! A work tree for each issue: `.worktrees/idle/<id>` at the root of the repository, on the branch `idle/issue/<id>`.
//!
//! Nothing here overwrites or deletes what is not committed, or commits that nobody else has. What git knows already, which trees
//! there are and which branch each is on, is asked of git; the issue and the base of a branch stand in the repository's
//! configuration, beside what git itself keeps there of the branch.

mod base;
mod land;
mod list;
mod make;
mod prune;

use std::path::{Path, PathBuf};

use crate::git::{Git, GitError};

pub use base::base_ref;
pub use land::{CheckFailed, How, LandError, Landed, Landing, land};
pub use list::{Progress, Worktree, find, list};
pub use make::{Made, MakeError, make};
pub use prune::{Kept, Pruned, Removal, prune};

/// Where the trees are, from the root of the repository.
pub const FOLDER: &str = ".worktrees/idle";

/// What the branches begin with.
pub const BRANCH_PREFIX: &str = "idle/issue/";

/// Returns an issue's id as it stands in the names of folder and branch; `None` if nothing of it is left.
pub fn reduced(id: &str) -> Option<String> {
    let is_kept = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let reduced: String = id.chars().filter(is_kept).collect();
    let reduced = reduced.trim_start_matches('-');
    (!reduced.is_empty()).then(|| reduced.to_owned())
}

/// Returns the root of the repository: where its first work tree is, from whichever of its trees is asked.
pub fn root(git: &Git) -> Result<PathBuf, GitError> {
    let listed = git.ask(&["worktree", "list", "--porcelain"])?;
    let first = listed.lines().next().and_then(|line| line.strip_prefix("worktree "));
    Ok(first.map_or_else(|| git.folder().to_owned(), PathBuf::from))
}

/// What the configuration says of a branch of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Note {
    /// The issue, whole.
    issue: Option<String>,
    /// The branch that it is to land on.
    base: Option<String>,
    /// The commit that it began with.
    start: Option<String>,
}

const NOTE_ISSUE: &str = "weftissue";
const NOTE_BASE: &str = "weftbase";
const NOTE_START: &str = "weftstart";

fn read_note(git: &Git, branch: &str) -> Result<Note, GitError> {
    let read = |name: &str| git.look(&["config", "--get", &format!("branch.{branch}.{name}")]);
    Ok(Note { issue: read(NOTE_ISSUE)?, base: read(NOTE_BASE)?, start: read(NOTE_START)? })
}

fn write_note(git: &Git, branch: &str, note: &Note) -> Result<(), GitError> {
    let values = [(NOTE_ISSUE, &note.issue), (NOTE_BASE, &note.base), (NOTE_START, &note.start)];
    for (name, value) in values {
        if let Some(value) = value {
            git.work(&["config", &format!("branch.{branch}.{name}"), value])?;
        }
    }
    Ok(())
}

/// Removes a work tree and its branch. Git refuses if anything in the tree is not committed; the branch goes only from the commit
/// that is known to be elsewhere.
fn remove(git: &Git, path: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
    if path.exists() {
        let path = path.to_string_lossy();
        git.work(&["worktree", "remove", &path])?;
    } else {
        git.work(&["worktree", "prune"])?;
    }
    git.work(&["update-ref", "-d", &format!("refs/heads/{branch}"), commit])?;
    // There is none where somebody took it away.
    git.look(&["config", "--remove-section", &format!("branch.{branch}")])?;
    Ok(())
}

#[cfg(test)]
mod tests;
