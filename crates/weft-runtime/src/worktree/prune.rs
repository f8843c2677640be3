//! Removing the trees of issues whose work is elsewhere.

use super::{Progress, Worktree, list, remove, root};
use crate::git::{Git, GitError};

/// What became of the trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Those that are gone, or would be.
    pub removed: Vec<Worktree>,
    /// Those that stay, and why.
    pub kept: Vec<(Worktree, Kept)>,
}

/// Why a tree stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Something is not committed.
    Uncommitted,
    /// It has commits that its base has not.
    Ahead,
    /// Nobody has begun.
    Untouched,
    /// It is not on its branch, or its folder is gone.
    Astray,
    /// Somebody works on its issue.
    Claimed,
}

impl Kept {
    /// Returns it in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Kept::Uncommitted => "something is not committed",
            Kept::Ahead => "its commits have not landed",
            Kept::Untouched => "nothing was committed to it yet",
            Kept::Astray => "it is not on its branch, or its folder is gone",
            Kept::Claimed => "somebody works on the issue",
        }
    }
}

/// Returns which trees can go, and removes them if `remove_them` says so: those that have landed, are clean, and whose issue is
/// not in work.
pub fn prune(
    git: &Git,
    is_claimed: &dyn Fn(&str) -> bool,
    remove_them: Removal,
) -> Result<Pruned, GitError> {
    let git = Git::at(&root(git)?);
    let mut pruned = Pruned::default();
    for tree in list(&git)? {
        let kept = match tree.progress {
            Progress::Astray => Some(Kept::Astray),
            _ if !tree.uncommitted.is_empty() => Some(Kept::Uncommitted),
            Progress::Ahead => Some(Kept::Ahead),
            Progress::Untouched => Some(Kept::Untouched),
            Progress::Landed if is_claimed(&tree.id) => Some(Kept::Claimed),
            Progress::Landed => None,
        };
        match kept {
            Some(kept) => pruned.kept.push((tree, kept)),
            None => {
                if remove_them == Removal::Now {
                    remove(&git, &tree.path, &tree.branch, &tree.commit)?;
                }
                pruned.removed.push(tree);
            }
        }
    }
    Ok(pruned)
}

/// Whether what can go goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It does.
    Now,
    /// It is only told.
    Told,
}
