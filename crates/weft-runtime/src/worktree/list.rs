//! Which work trees there are, and how far each is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{BRANCH_PREFIX, FOLDER, base_ref, read_note, reduced, root};
use crate::git::{Git, GitError};

/// The work tree of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The issue.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The branch that it is to land on.
    pub base_ref: String,
    /// The commit that the branch is at.
    pub commit: String,
    /// What is not committed, as `git status --porcelain` has it.
    pub uncommitted: Vec<String>,
    /// Commits that the base has not.
    pub n_ahead: u64,
    /// Commits of the base that it has not.
    pub n_behind: u64,
    /// What became of it.
    pub progress: Progress,
}

/// How far the work in a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing was committed to it.
    Untouched,
    /// It has commits that the base has not.
    Ahead,
    /// It had commits, and the base has them all.
    Landed,
    /// Something else is checked out in it, or its folder is gone.
    Astray,
}

impl Progress {
    /// Returns its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Progress::Untouched => "untouched",
            Progress::Ahead => "ahead",
            Progress::Landed => "landed",
            Progress::Astray => "astray",
        }
    }
}

/// Returns the work trees of issues, by id.
pub fn list(git: &Git) -> Result<Vec<Worktree>, GitError> {
    let registered = registered(git)?;
    let folder = root(git)?.join(FOLDER);
    let ours = |path: &Path| path.parent() == Some(folder.as_path());
    let mut found = BTreeMap::new();
    for (path, branch) in registered.into_iter().filter(|(path, _)| ours(path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let worktree = look(git, path, &name, branch.as_deref())?;
        found.insert(worktree.id.clone(), worktree);
    }
    Ok(found.into_values().collect())
}

/// Returns the work tree of one issue.
pub fn find(git: &Git, id: &str) -> Result<Option<Worktree>, GitError> {
    let all = list(git)?;
    let is_meant = |worktree: &Worktree| worktree.id == id;
    if let Some(exact) = all.iter().find(|worktree| is_meant(worktree)) {
        return Ok(Some(exact.clone()));
    }
    let name = reduced(id);
    let is_named = |worktree: &Worktree| Some(&worktree.id) == name.as_ref();
    Ok(all.into_iter().find(is_named))
}

fn look(
    git: &Git,
    path: PathBuf,
    name: &str,
    checked_out: Option<&str>,
) -> Result<Worktree, GitError> {
    let branch = format!("{BRANCH_PREFIX}{name}");
    let note = read_note(git, &branch)?;
    let base_ref = note.base.map_or_else(|| base_ref(git), Ok)?;
    let commit = git.branch(&branch)?.unwrap_or_default();
    let base = git.commit(&base_ref)?;
    let is_there = path.is_dir();
    let uncommitted = if is_there { Git::at(&path).uncommitted()? } else { Vec::new() };
    let (n_ahead, n_behind) = match &base {
        Some(base) if !commit.is_empty() => {
            (git.n_beyond(base, &commit)?, git.n_beyond(&commit, base)?)
        }
        Some(_) | None => (0, 0),
    };
    let progress = match n_ahead {
        _ if !is_there || checked_out != Some(branch.as_str()) || base.is_none() => {
            Progress::Astray
        }
        0 if note.start.as_deref() == Some(commit.as_str()) => Progress::Untouched,
        0 => Progress::Landed,
        1.. => Progress::Ahead,
    };
    let id = note.issue.unwrap_or_else(|| name.to_owned());
    Ok(Worktree { id, path, branch, base_ref, commit, uncommitted, n_ahead, n_behind, progress })
}

/// Returns every work tree that git knows of, with the branch that is checked out in it.
pub(super) fn registered(git: &Git) -> Result<Vec<(PathBuf, Option<String>)>, GitError> {
    let said = git.ask(&["worktree", "list", "--porcelain"])?;
    let mut found: Vec<(PathBuf, Option<String>)> = Vec::new();
    for line in said.lines() {
        if let Some(path) = line.strip_prefix("worktree ") {
            found.push((PathBuf::from(path), None));
        } else if let Some(branch) = line.strip_prefix("branch refs/heads/")
            && let Some((_, checked_out)) = found.last_mut()
        {
            *checked_out = Some(branch.to_owned());
        }
    }
    Ok(found)
}
