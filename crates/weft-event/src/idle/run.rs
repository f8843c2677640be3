//! Names of runs and frames, the modes they run in, and how far they are.

use std::fmt;

use crate::shape::text_enum;

text_enum! {
    /// How a loop works.
    pub enum Mode {
        /// One task, again and again until it is done.
        Loop = "loop",
        /// One issue after the other.
        Grind = "grind",
        /// One issue, in a worktree of its own.
        Issue = "issue",
    }
}

impl Mode {
    /// Returns how many iterations (in grind mode: issues) are allowed unless a limit is given.
    pub const fn default_max(self) -> u64 {
        match self {
            Mode::Loop | Mode::Issue => 10,
            Mode::Grind => 100,
        }
    }
}

/// The id of a run: `mode-seconds-pid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunId {
    /// The mode it was started in.
    pub mode: Mode,
    /// When it was started, in seconds since 1970.
    pub started: u64,
    /// The process that started it.
    pub pid: u32,
}

impl RunId {
    /// Parses an id. Takes only what [`fmt::Display`] writes: no signs, no leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let part = |mode: &Mode| text.strip_prefix(mode.as_str())?.strip_prefix('-');
        let (mode, rest) = Mode::ALL.iter().find_map(|mode| Some((*mode, part(mode)?)))?;
        let dash = rest.bytes().position(|byte| byte == b'-')?;
        let (started, pid) = (&rest[..dash], &rest[dash + 1..]);
        Some(Self {
            mode,
            started: plain_number(started)?,
            pid: plain_number(pid)?.try_into().ok()?,
        })
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.mode.as_str(), self.started, self.pid)
    }
}

/// The id of a stack frame: that of the run, or of the issue that was pushed onto it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameId<'a> {
    /// The frame that the run began with.
    Run(RunId),
    /// A frame for one issue: `issue-<issue id>-<seconds>`.
    Issue {
        /// The issue.
        issue_id: &'a str,
        /// When the frame was pushed, in seconds since 1970.
        started: u64,
    },
}

/// The largest process id that any Linux allows.
const PID_MAX: u32 = 1 << 22;

impl<'a> FrameId<'a> {
    /// Parses an id. `issue-<number>-<number>` can be either form; it is a run if the last number can be a process id.
    pub fn parse(text: &'a str) -> Option<Self> {
        if let Some(run) = RunId::parse(text).filter(|run| run.pid <= PID_MAX) {
            return Some(Self::Run(run));
        }
        let (issue_id, started) = text.strip_prefix("issue-")?.rsplit_once('-')?;
        let started = plain_number(started)?;
        (!issue_id.is_empty()).then_some(Self::Issue { issue_id, started })
    }
}

impl fmt::Display for FrameId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameId::Run(run) => run.fmt(f),
            FrameId::Issue { issue_id, started } => write!(f, "issue-{issue_id}-{started}"),
        }
    }
}

/// How far a loop is: `current/max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The iteration it is at.
    pub current: u64,
    /// The iterations it may have.
    pub max: u64,
}

impl Iteration {
    /// Parses `3/10`. `None` if it has another form, or a number over 64 bits.
    pub fn parse(text: &str) -> Option<Self> {
        let (current, max) = text.split_once('/').filter(|_| is_iteration(text))?;
        Some(Self { current: current.parse().ok()?, max: max.parse().ok()? })
    }

    /// Returns how far that is, from 0 to 1; `None` where no iteration is allowed.
    pub fn fraction(self) -> Option<f64> {
        (self.max > 0).then(|| (self.current as f64 / self.max as f64).min(1.0))
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.current, self.max)
    }
}

/// Returns whether the text is two numbers with a slash between them, of any size.
pub(super) fn is_iteration(text: &str) -> bool {
    text.split_once('/').is_some_and(|(current, max)| is_digits(current) && is_digits(max))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn plain_number(text: &str) -> Option<u64> {
    if text.is_empty() || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.bytes().try_fold(0_u64, |number, byte| match byte.wrapping_sub(b'0') {
        digit @ 0..=9 => number.checked_mul(10)?.checked_add(u64::from(digit)),
        10.. => None,
    })
}
