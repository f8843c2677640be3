//! Git, as a program that is run: where its answer is a line or two, and none of its hooks or pagers.

mod fingerprint;
mod head;
mod work;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::{self, Ending, Heard, Limits, Running};

pub use fingerprint::Fingerprint;
pub use head::checked_out;
pub use work::Standing;

/// What git may take for a question.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), output_bytes: 4 << 20 };

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It could not be started.
    #[error("cannot run git")]
    Start(#[source] io::Error),
    /// It said no.
    #[error("git {args} in {folder} failed: {said}", folder = folder.display())]
    Refused {
        /// What was asked.
        args: String,
        /// Where.
        folder: PathBuf,
        /// What it printed.
        said: String,
    },
    /// It took too long.
    #[error("git {args} in {folder} took longer than {} s", time.as_secs(), folder = folder.display())]
    TimedOut {
        /// What was asked.
        args: String,
        /// Where.
        folder: PathBuf,
        /// How long.
        time: Duration,
    },
}

/// The work tree, or a folder in it, that git is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Git {
    folder: PathBuf,
}

impl Git {
    /// Returns git in a folder, which need not have anything to do with it.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs git, and returns what it printed without the last line's end.
    pub fn ask<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<String, GitError> {
        self.run(args, LIMITS)
    }

    /// Begins to ask, so that git runs while something else is done.
    pub fn begin<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Asked, GitError> {
        self.start(args, LIMITS)
    }

    fn run<A: AsRef<OsStr>>(&self, args: &[A], limits: Limits) -> Result<String, GitError> {
        self.start(args, limits)?.answer()
    }

    fn start<A: AsRef<OsStr>>(&self, args: &[A], limits: Limits) -> Result<Asked, GitError> {
        let mut command = Command::new("git");
        command.arg("--no-pager").arg("-C").arg(&self.folder).args(args);
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        // A hook of git's own calls us with these set, and they would name another work tree.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        let words = args.iter().map(|arg| arg.as_ref().to_string_lossy());
        let args = words.collect::<Vec<_>>().join(" ");
        let running = process::start(command, Heard::Apart, limits).map_err(GitError::Start)?;
        Ok(Asked { running, args, folder: self.folder.clone(), time: limits.time })
    }

    /// Returns the root of the work tree; `None` if the folder is in none.
    pub fn root(&self) -> Option<PathBuf> {
        self.ask(&["rev-parse", "--show-toplevel"]).ok().map(PathBuf::from)
    }
}

/// A question that git is about to answer. Nobody answers one that is dropped.
#[derive(Debug)]
pub struct Asked {
    running: Running,
    args: String,
    folder: PathBuf,
    time: Duration,
}

impl Asked {
    /// Waits for git no longer than until then; returns whether its answer is there.
    pub(crate) fn is_there_by(&mut self, end: Instant) -> bool {
        // What cannot be waited for shows when the answer is taken.
        self.running.is_over_by(end).unwrap_or(true)
    }

    /// Waits for what git prints, and returns it without the last line's end.
    pub fn answer(self) -> Result<String, GitError> {
        let Self { running, args, folder, time } = self;
        let finished = running.finish().map_err(GitError::Start)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned();
        match finished.ending {
            Ending::Code(0) => Ok(text(&finished.output)),
            Ending::Code(_) | Ending::Signal(_) => {
                Err(GitError::Refused { args, folder, said: text(&finished.errors) })
            }
            Ending::TimedOut => Err(GitError::TimedOut { args, folder, time }),
        }
    }
}

#[cfg(test)]
mod tests;
