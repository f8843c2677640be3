//! Bringing the work of an issue to its base: only forward, and only what was proven to be good.
//!
//! What can fail comes first, and what cannot be taken back comes last. Others are pushed to before the own base moves: where they
//! refuse, because they have gone on meanwhile, nothing here has changed.

use super::list::registered;
use super::{Progress, Worktree, find, remove, root};
use crate::git::{Git, GitError};

/// How to land.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// What to do where the base has gone on.
    pub how: How,
    /// Whether the base is pushed to where it comes from.
    pub is_pushed: bool,
}

/// What to do where the base has gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing: it does not land.
    FastForward,
    /// Put the commits on top of it.
    Rebase,
}

/// What has landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// The issue.
    pub id: String,
    /// The branch that has it now.
    pub base_ref: String,
    /// The commit that it is at.
    pub commit: String,
    /// How many commits came to it.
    pub n_commits: u64,
    /// Where it was pushed to.
    pub pushed_to: Option<String>,
}

/// Why nothing landed. The tree and its branch are there as they were.
#[derive(Debug, thiserror::Error)]
pub enum LandError {
    /// There is no such tree.
    #[error("issue {id} has no work tree; `weft worktree list` lists them")]
    None {
        /// The issue.
        id: String,
    },
    /// Something is not committed.
    #[error("{path} has what is not committed ({}): commit it or take it out", files.join(", "), path = path.display())]
    Uncommitted {
        /// The tree.
        path: std::path::PathBuf,
        /// The first of the files.
        files: Vec<String>,
    },
    /// The tree is not on its branch.
    #[error("{path} is not on {branch}: finish what is going on there, then git -C {path} switch {branch}", path = path.display())]
    Astray {
        /// The tree.
        path: std::path::PathBuf,
        /// The branch.
        branch: String,
    },
    /// The base is no branch that could move.
    #[error(
        "{base} is no branch of this repository: git branch NAME {base}, then git config branch.{branch}.weftbase NAME"
    )]
    Base {
        /// The base.
        base: String,
        /// The branch.
        branch: String,
    },
    /// The base has gone on.
    #[error("{base} has commits that {branch} has not ({n_behind}): weft land {id} --rebase")]
    Behind {
        /// The issue.
        id: String,
        /// The base.
        base: String,
        /// The branch.
        branch: String,
        /// How many.
        n_behind: u64,
    },
    /// It does not fit on top of the base.
    #[error("{branch} does not fit on {base}: {said}. Nothing has changed. Do it by hand: git -C {path} rebase {base}, then weft land {id}", path = path.display())]
    Conflict {
        /// The issue.
        id: String,
        /// The tree.
        path: std::path::PathBuf,
        /// The branch.
        branch: String,
        /// The base.
        base: String,
        /// What does not fit.
        said: String,
    },
    /// Whoever checks it is not content.
    #[error("the check of {id} failed: {said}")]
    Check {
        /// The issue.
        id: String,
        /// What it said.
        said: String,
    },
    /// The place that the base comes from does not take it.
    #[error(
        "{remote} does not take {base}: {said}. Nothing has landed: git fetch {remote}, bring {base} up to date, then weft land {id} --rebase; or weft land {id} --no-push"
    )]
    Push {
        /// The issue.
        id: String,
        /// The remote.
        remote: String,
        /// The base.
        base: String,
        /// What it said.
        said: String,
    },
    /// The base could not be moved where it is checked out.
    #[error("{base} cannot move on in {path}: {said}. The work tree of {id} is kept; clear {path} and land again", path = path.display())]
    Move {
        /// The issue.
        id: String,
        /// The base.
        base: String,
        /// The tree that the base is checked out in.
        path: std::path::PathBuf,
        /// What git said.
        said: String,
    },
    /// Git says no.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// How many files an error names.
const NAMED_MAX: usize = 5;

/// Lands the work of an issue, and removes its tree and branch. `check` is asked about the very commit that would land, in its
/// tree; it answers with what is wrong.
pub fn land(
    git: &Git,
    id: &str,
    landing: Landing,
    check: &mut dyn FnMut(&Worktree) -> Result<(), CheckFailed>,
) -> Result<Landed, LandError> {
    let git = Git::at(&root(git)?);
    let before = clean(&git, id)?;
    let (base, was_at) = (before.base_ref.clone(), before.commit.clone());
    if git.branch(&base)?.is_none() {
        return Err(LandError::Base { base, branch: before.branch });
    }
    let tree = match landing.how {
        How::FastForward => before,
        How::Rebase => rebased(&git, before)?,
    };
    let proven = prove(&git, &tree, check)
        .and_then(|()| if landing.is_pushed { push(&git, &tree) } else { Ok(None) });
    let pushed_to = match proven {
        Ok(pushed_to) => pushed_to,
        Err(error) => {
            // Whoever looks after it finds the commits that were there.
            if tree.commit != was_at {
                Git::at(&tree.path).look(&["reset", "--quiet", "--keep", &was_at])?;
            }
            return Err(error);
        }
    };
    if tree.n_ahead > 0 {
        forward(&git, &tree)?;
    }
    remove(&git, &tree.path, &tree.branch, &tree.commit)?;
    let commit = git.branch(&base)?.unwrap_or_default();
    Ok(Landed { id: tree.id, base_ref: base, commit, n_commits: tree.n_ahead, pushed_to })
}

/// Asks whether a tree can land as it is, and whether it is still so afterwards.
fn prove(
    git: &Git,
    tree: &Worktree,
    check: &mut dyn FnMut(&Worktree) -> Result<(), CheckFailed>,
) -> Result<(), LandError> {
    if tree.n_behind > 0 && tree.n_ahead > 0 {
        let Worktree { id, branch, base_ref: base, n_behind, .. } = tree.clone();
        return Err(LandError::Behind { id, base, branch, n_behind });
    }
    let id = tree.id.clone();
    check(tree).map_err(|CheckFailed(said)| LandError::Check { id: id.clone(), said })?;
    let after = clean(git, &tree.id)?;
    if after.commit != tree.commit {
        let said = format!("the branch moved from {} to {} meanwhile", tree.commit, after.commit);
        return Err(LandError::Check { id, said });
    }
    Ok(())
}

/// What a check found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailed(pub String);

/// Returns the tree of an issue, if nothing in it is left lying about.
fn clean(git: &Git, id: &str) -> Result<Worktree, LandError> {
    let tree = find(git, id)?.ok_or_else(|| LandError::None { id: id.to_owned() })?;
    if tree.progress == Progress::Astray && git.branch(&tree.base_ref)?.is_some() {
        return Err(LandError::Astray { path: tree.path, branch: tree.branch });
    }
    if !tree.uncommitted.is_empty() {
        let name = |line: &String| line.get(3..).unwrap_or(line).to_owned();
        let files = tree.uncommitted.iter().take(NAMED_MAX).map(name).collect();
        return Err(LandError::Uncommitted { path: tree.path, files });
    }
    Ok(tree)
}

/// Puts the commits on top of the base; if they do not fit, all is as before.
fn rebased(git: &Git, tree: Worktree) -> Result<Worktree, LandError> {
    if tree.n_behind == 0 {
        return Ok(tree);
    }
    let inside = Git::at(&tree.path);
    let base = &tree.base_ref;
    if let Err(error) = inside.work(&["rebase", "--quiet", base]) {
        let files = inside.look(&["diff", "--name-only", "--diff-filter=U"])?.unwrap_or_default();
        // There may be no rebase to take back, where git did not begin one.
        inside.look(&["rebase", "--abort"])?;
        let GitError::Refused { said, .. } = error else { return Err(error.into()) };
        let files: Vec<&str> = files.lines().take(NAMED_MAX).collect();
        let first = || said.lines().next().unwrap_or_default().to_owned();
        let said =
            if files.is_empty() { first() } else { format!("conflict in {}", files.join(", ")) };
        let Worktree { id, path, branch, base_ref: base, .. } = tree;
        return Err(LandError::Conflict { id, path, branch, base, said });
    }
    clean(git, &tree.id)
}

/// Pushes what lands to where its base comes from; `None` if it comes from nowhere.
fn push(git: &Git, tree: &Worktree) -> Result<Option<String>, LandError> {
    let base = &tree.base_ref;
    let named = git.look(&["config", "--get", &format!("branch.{base}.remote")])?;
    let remotes = git.ask(&["remote"])?;
    let named = named.filter(|named| remotes.lines().any(|remote| remote == named));
    let origin = remotes.lines().find(|remote| *remote == "origin").map(str::to_owned);
    let Some(remote) = named.or(origin) else { return Ok(None) };
    let merge = git.look(&["config", "--get", &format!("branch.{base}.merge")])?;
    let there = merge.unwrap_or_else(|| format!("refs/heads/{base}"));
    let what = if tree.n_ahead > 0 { tree.commit.clone() } else { format!("refs/heads/{base}") };
    match git.work(&["push", "--quiet", &remote, &format!("{what}:{there}")]) {
        Ok(_) => Ok(Some(remote)),
        Err(GitError::Refused { said, .. }) => {
            let is_telling = |line: &&str| line.contains("rejected") || line.starts_with("fatal");
            let line = said.lines().find(is_telling).or_else(|| said.lines().next());
            let said = line.unwrap_or_default().trim().to_owned();
            Err(LandError::Push { id: tree.id.clone(), remote, base: base.clone(), said })
        }
        Err(error @ (GitError::Start(_) | GitError::TimedOut { .. })) => Err(error.into()),
    }
}

/// Moves the base forward to the commit that was checked: through the tree that it is checked out in, so that its files follow.
fn forward(git: &Git, tree: &Worktree) -> Result<(), LandError> {
    let base = &tree.base_ref;
    let on_base = registered(git)?.into_iter().find(|(_, branch)| branch.as_ref() == Some(base));
    let Some((path, _)) = on_base else {
        let old = git.branch(base)?.unwrap_or_default();
        if !git.is_in(&old, &tree.commit)? {
            let n_behind = git.n_beyond(&tree.commit, &old)?;
            let (id, base, branch) = (tree.id.clone(), base.clone(), tree.branch.clone());
            return Err(LandError::Behind { id, base, branch, n_behind });
        }
        git.work(&["update-ref", &format!("refs/heads/{base}"), &tree.commit, &old])?;
        return Ok(());
    };
    match Git::at(&path).work(&["merge", "--quiet", "--ff-only", &tree.commit]) {
        Ok(_) => Ok(()),
        Err(GitError::Refused { said, .. }) => {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            Err(LandError::Move { id: tree.id.clone(), base: base.clone(), path, said })
        }
        Err(error @ (GitError::Start(_) | GitError::TimedOut { .. })) => Err(error.into()),
    }
}
