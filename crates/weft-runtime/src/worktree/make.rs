//! Making the work tree of an issue, or finding the one that is there.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::list::registered;
use super::{BRANCH_PREFIX, FOLDER, Note, base_ref, read_note, reduced, root, write_note};
use crate::git::{Git, GitError};

/// Tries where another process makes the same tree at the same time.
const TRIES_MAX: u32 = 3;

/// A work tree to work in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where it is.
    pub path: PathBuf,
    /// Its branch.
    pub branch: String,
    /// The branch that it is to land on.
    pub base_ref: String,
    /// Whether it was there before.
    pub was_there: bool,
}

/// Why there is no work tree.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// Nothing of the id can stand in a name.
    #[error("the id {id} has no letter or digit that a branch could be named by")]
    Id {
        /// The id.
        id: String,
    },
    /// Two ids are the same without what names cannot have.
    #[error(
        "{branch} belongs to issue {other}: land or remove that first, or give {id} another id"
    )]
    Taken {
        /// The branch.
        branch: String,
        /// The issue.
        id: String,
        /// The other issue.
        other: String,
    },
    /// There is something in its place.
    #[error("{path} is there and is not a work tree of this repository: move it away first", path = path.display())]
    InTheWay {
        /// The folder or file.
        path: PathBuf,
    },
    /// The tree is on something else.
    #[error("the work tree {path} is not on {branch}: git -C {path} switch {branch}", path = path.display())]
    Astray {
        /// The tree.
        path: PathBuf,
        /// The branch that it should be on.
        branch: String,
    },
    /// There is no such base.
    #[error("there is no commit {base} to begin from: name another base, or set idle.baseref")]
    Base {
        /// What was named.
        base: String,
    },
    /// A file could not be read or written.
    #[error("cannot use {path}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Git says no.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Makes the work tree of an issue, from a base that is named or else found. One that is there is given as it is, and a branch
/// that is there keeps its commits.
pub fn make(git: &Git, id: &str, base: Option<&str>) -> Result<Made, MakeError> {
    let name = reduced(id).ok_or_else(|| MakeError::Id { id: id.to_owned() })?;
    let root = root(git)?;
    let git = Git::at(&root);
    let (path, branch) = (root.join(FOLDER).join(&name), format!("{BRANCH_PREFIX}{name}"));
    let mut tries = 1;
    loop {
        match try_make(&git, id, base, &path, &branch) {
            Err(MakeError::Git(GitError::Refused { .. })) if tries < TRIES_MAX => tries += 1,
            made => return made,
        }
    }
}

fn try_make(
    git: &Git,
    id: &str,
    base: Option<&str>,
    path: &Path,
    branch: &str,
) -> Result<Made, MakeError> {
    let note = read_note(git, branch)?;
    if let Some(other) = note.issue.as_deref().filter(|other| *other != id) {
        let (branch, id, other) = (branch.to_owned(), id.to_owned(), other.to_owned());
        return Err(MakeError::Taken { branch, id, other });
    }
    let base_ref = match note.base.as_deref().or(base) {
        Some(base) => base.to_owned(),
        None => base_ref(git)?,
    };
    let made = |was_there| Made {
        path: path.to_owned(),
        branch: branch.to_owned(),
        base_ref: base_ref.clone(),
        was_there,
    };
    let known = registered(git)?.into_iter().find(|(known, _)| known == path);
    match known {
        Some((_, Some(checked_out))) if checked_out == branch && path.is_dir() => {
            return Ok(made(true));
        }
        Some(_) if path.is_dir() => {
            let (path, branch) = (path.to_owned(), branch.to_owned());
            return Err(MakeError::Astray { path, branch });
        }
        // Its folder is gone, and with it all that was in it.
        Some(_) => drop(git.work(&["worktree", "prune"])?),
        None if is_in_the_way(path)? => return Err(MakeError::InTheWay { path: path.to_owned() }),
        None => {}
    }
    let no_base = || MakeError::Base { base: base_ref.clone() };
    let commit = git.commit(&base_ref)?.ok_or_else(no_base)?;
    leave_out_of_status(git)?;
    let folder = path.to_string_lossy();
    if git.branch(branch)?.is_some() {
        git.work(&["worktree", "add", "--quiet", &folder, branch])?;
        let (issue, base) = (Some(id.to_owned()), Some(base_ref.clone()));
        write_note(git, branch, &Note { issue, base, start: None })?;
    } else {
        git.work(&["worktree", "add", "--quiet", "--no-track", "-b", branch, &folder, &commit])?;
        let (issue, base) = (Some(id.to_owned()), Some(base_ref.clone()));
        write_note(git, branch, &Note { issue, base, start: Some(commit) })?;
    }
    Ok(made(false))
}

/// Returns whether something stands where a tree should be; an empty folder does not.
fn is_in_the_way(path: &Path) -> Result<bool, MakeError> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(true),
        Err(source) => Err(MakeError::Io { path: path.to_owned(), source }),
    }
}

/// Tells git to leave the trees out of what it lists as untracked, in this clone alone.
fn leave_out_of_status(git: &Git) -> Result<(), MakeError> {
    if git.look(&["check-ignore", "--quiet", ".worktrees/idle/any"])?.is_some() {
        return Ok(());
    }
    let path = git.ask(&["rev-parse", "--git-path", "info/exclude"])?;
    let path = git.folder().join(path);
    let append = || -> io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&path)?;
        file.write_all(b"\n/.worktrees/\n")
    };
    append().map_err(|source| MakeError::Io { path: path.clone(), source })
}
