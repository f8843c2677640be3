//! Where to take a loop up again: what an agent that forgot everything has to know, in a few facts.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use weft_event::idle::{Anchor, AnchorWord, SCHEMA};
use weft_event::json::Json;
use weft_event::time::format_rfc3339;

use super::state::{Frame, Kind, State};
use super::words;
use crate::git::{Asked, Git, GitError, checked_out};

/// Longest goal, in characters.
const GOAL_CHARS_MAX: usize = 100;
/// Commits that are named.
const COMMITS_MAX: usize = 3;
/// Files that are named.
const FILES_MAX: usize = 5;

/// What git says of the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The newest commits, the newest first.
    pub commits: Vec<String>,
    /// Files that are changed and not committed.
    pub files: Vec<String>,
}

/// A look at the work in a folder, that git is asked for.
#[derive(Debug)]
pub struct Looking {
    git: Git,
    status: Result<Asked, GitError>,
    commits: Commits,
}

/// The newest commits.
#[derive(Debug)]
enum Commits {
    /// Git is asked for them.
    Asked { asked: Box<Result<Asked, GitError>>, note: Option<Note> },
    /// They are those of the last time.
    Known(String),
}

/// Where commits are noted, and whose they are: what a commit comes after never changes.
#[derive(Debug)]
struct Note {
    path: PathBuf,
    /// The commit that is checked out, and the repository.
    whose: String,
}

impl Note {
    fn of(folder: &Path, path: &Path) -> Option<Self> {
        let (oid, repository) = checked_out(folder)?;
        let whose = format!("{oid} {}", repository.display());
        Some(Self { path: path.to_owned(), whose })
    }

    fn read(&self) -> Option<String> {
        let text = fs::read_to_string(&self.path).ok()?;
        let (whose, commits) = text.split_once('\n')?;
        (whose == self.whose).then(|| commits.to_owned())
    }

    /// Notes commits, unless another one was checked out meanwhile.
    fn write(self, folder: &Path, commits: &str) {
        if Self::of(folder, &self.path).is_some_and(|now| now.whose == self.whose) {
            // What cannot be noted is asked for again.
            drop(fs::write(&self.path, format!("{}\n{commits}", self.whose)));
        }
    }
}

impl Looking {
    /// Begins to look, so that git runs while something else is done.
    pub fn begin(folder: &Path) -> Self {
        Self::new(folder, None)
    }

    /// Does the same, and asks git for the newest commits only where others than those that are noted in a file are checked out: of the
    /// two processes that takes away one.
    pub fn begin_noting(folder: &Path, path: &Path) -> Self {
        Self::new(folder, Note::of(folder, path))
    }

    fn new(folder: &Path, note: Option<Note>) -> Self {
        let git = Git::at(folder);
        let status = git.begin(&["status", "--porcelain=v1", "--no-renames", "-z"]);
        let commits = match note.as_ref().and_then(Note::read) {
            Some(commits) => Commits::Known(commits),
            None => {
                let asked = git.begin(&["log", &format!("-{COMMITS_MAX}"), "--format=%h %s"]);
                Commits::Asked { asked: Box::new(asked), note }
            }
        };
        Self { git, status, commits }
    }

    /// Returns the folder that is looked at.
    pub fn folder(&self) -> &Path {
        self.git.folder()
    }

    /// Waits for git no longer than until then; returns whether it has answered.
    pub fn is_there_by(&mut self, end: Instant) -> bool {
        let commits = match &mut self.commits {
            Commits::Asked { asked, .. } => asked.as_mut().as_mut().ok(),
            Commits::Known(_) => None,
        };
        let mut all = commits.into_iter().chain(self.status.as_mut().ok());
        all.all(|asked| asked.is_there_by(end))
    }

    /// Waits for git. Where there is none, there is nothing to say.
    pub fn finish(self) -> Work {
        let commits = match self.commits {
            Commits::Known(commits) => commits,
            Commits::Asked { asked, note } => {
                let answer = (*asked).and_then(Asked::answer);
                if let (Ok(commits), Some(note)) = (&answer, note) {
                    note.write(self.git.folder(), commits);
                }
                answer.unwrap_or_default()
            }
        };
        let status = self.status.and_then(Asked::answer).unwrap_or_default();
        let files = status.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned);
        Work { commits: commits.lines().map(str::to_owned).collect(), files: files.collect() }
    }
}

impl Work {
    /// Asks git. Where there is none, there is nothing to say.
    pub fn look(folder: &Path) -> Self {
        Looking::begin(folder).finish()
    }

    fn progress(&self) -> String {
        if self.commits.is_empty() {
            return "No commits yet.".to_owned();
        }
        format!("Recent commits: {}", self.commits.join("; "))
    }

    fn modified(&self) -> String {
        let named = self.files.iter().take(FILES_MAX).map(String::as_str);
        named.collect::<Vec<_>>().join(", ")
    }
}

/// Returns what a frame is for: its issue, or the first line of its prompt.
pub fn goal(frame: &Frame, prompt: &str) -> String {
    match &frame.kind {
        Kind::Issue { issue_id, .. } => format!("Working on issue: {issue_id}"),
        Kind::Loop | Kind::Grind { .. } => {
            let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            line.trim().chars().take(GOAL_CHARS_MAX).collect()
        }
    }
}

/// Returns the ANCHOR of a loop, on one line.
pub fn write(state: &State, prompt: &str, work: &Work, now_ns: i64) -> Option<String> {
    let frame = state.top()?;
    let anchor = Anchor {
        schema: Some(SCHEMA),
        event: Some(AnchorWord),
        goal: goal(frame, prompt).into(),
        mode: frame.mode(),
        iteration: frame.iteration().to_string().into(),
        progress: work.progress().into(),
        modified_files: work.modified().into(),
        next_step: "Continue with the task. Look at `git status` and `weft loop status` first."
            .into(),
        timestamp: format_rfc3339(now_ns).into(),
        extra: [("run_id", Some(&state.run_id)), ("session_id", state.session_id.as_ref())]
            .into_iter()
            .filter_map(|(name, text)| Some((name.into(), Json::text(text?))))
            .collect(),
    };
    Some(anchor.to_line())
}

/// Returns what an agent is told that comes back to a loop: facts, in few words.
pub fn context(state: &State, prompt: &str, work: &Work) -> Option<String> {
    let frame = state.top()?;
    let mut text = format!(
        "You are in a Weft loop (run {}, {} {}).\nGoal: {}\n{}\n",
        state.run_id,
        frame.mode().as_str(),
        frame.iteration(),
        goal(frame, prompt),
        work.progress(),
    );
    if !work.files.is_empty() {
        text += &format!("Changed and not committed: {}\n", work.modified());
    }
    text += &words::task(frame);
    Some(text)
}
