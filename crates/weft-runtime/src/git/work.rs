//! What git says of a work tree, and what is done in it.

use std::ffi::OsStr;
use std::time::Duration;

use super::{Git, GitError, Limits};

/// What git may take to change something, or to talk to another machine.
const WORK_LIMITS: Limits = Limits { time: Duration::from_secs(10 * 60), output_bytes: 4 << 20 };

/// Where a repository stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The commit.
    pub oid: String,
    /// The branch; `HEAD` if it is none.
    pub head: String,
    /// Whether anything that is tracked is uncommitted.
    pub is_dirty: bool,
    /// The folder within the repository, as `a/b/`; empty at its root.
    pub prefix: String,
}

impl Git {
    /// Runs git to change something.
    pub fn work<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<String, GitError> {
        self.run(args, WORK_LIMITS)
    }

    /// Asks for something that may not be there; `None` if git says no.
    pub fn look<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Option<String>, GitError> {
        match self.ask(args) {
            Ok(said) => Ok(Some(said)),
            Err(GitError::Refused { .. }) => Ok(None),
            Err(error @ (GitError::Start(_) | GitError::TimedOut { .. })) => Err(error),
        }
    }

    /// Returns where the repository stands; `None` outside of one, or before its first commit.
    pub fn standing(&self) -> Option<Standing> {
        let said =
            self.ask(&["rev-parse", "HEAD", "--abbrev-ref", "HEAD", "--show-prefix"]).ok()?;
        let mut lines = said.lines();
        let (oid, head) = (lines.next()?.to_owned(), lines.next()?.to_owned());
        let prefix = lines.next().unwrap_or_default().to_owned();
        let changed = self.ask(&["status", "--porcelain", "--untracked-files=no"]).ok()?;
        Some(Standing { oid, head, is_dirty: !changed.is_empty(), prefix })
    }

    /// Returns what is not committed, one file a line, as `git status --porcelain` has it; untracked files too.
    pub fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        let said = self.ask(&["status", "--porcelain", "--untracked-files=normal"])?;
        Ok(said.lines().map(str::to_owned).collect())
    }

    /// Returns the commit of a name; `None` if there is none.
    pub fn commit(&self, name: &str) -> Result<Option<String>, GitError> {
        self.look(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &format!("{name}^{{commit}}"),
        ])
    }

    /// Returns the commit of a branch; `None` if there is no such branch.
    pub fn branch(&self, name: &str) -> Result<Option<String>, GitError> {
        self.look(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{name}")])
    }

    /// Returns whether everything that one commit has is in another.
    pub fn is_in(&self, commit: &str, other: &str) -> Result<bool, GitError> {
        Ok(self.look(&["merge-base", "--is-ancestor", commit, other])?.is_some())
    }

    /// Returns how many commits one has that another has not.
    pub fn n_beyond(&self, base: &str, commit: &str) -> Result<u64, GitError> {
        let said = self.ask(&["rev-list", "--count", &format!("{base}..{commit}")])?;
        Ok(said.parse().unwrap_or(0))
    }
}
