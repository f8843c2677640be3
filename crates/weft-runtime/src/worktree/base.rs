//! Which branch an issue begins from and lands on.

use crate::git::{Git, GitError};

/// The key of the configuration that names it.
const CONFIG: &str = "idle.baseref";

/// Returns the base: what the configuration names, else the remote's main branch, `main`, `master`, or what is checked out.
pub fn base_ref(git: &Git) -> Result<String, GitError> {
    if let Some(named) = git.look(&["config", "--get", CONFIG])?.filter(|named| !named.is_empty()) {
        return Ok(named);
    }
    let remote = git.look(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])?;
    if let Some(remote) = remote {
        let local = remote.strip_prefix("origin/").unwrap_or(&remote);
        if git.branch(local)?.is_some() {
            return Ok(local.to_owned());
        }
        if git.commit(&remote)?.is_some() {
            return Ok(remote);
        }
    }
    for name in ["main", "master"] {
        if git.branch(name)?.is_some() {
            return Ok(name.to_owned());
        }
    }
    match git.look(&["symbolic-ref", "--quiet", "--short", "HEAD"])? {
        Some(branch) => Ok(branch),
        None => git.ask(&["rev-parse", "HEAD"]),
    }
}
