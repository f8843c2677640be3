//! Running a command to its end, within a limit of time and a limit of output.
//!
//! A command runs in a process group of its own. When it ends, or has to, what it left running in that group ends with it.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long what was printed last may take to arrive after a command ended.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How often it is looked whether a command has ended, where the system does not tell.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Bytes that are read at a time.
const PIECE_BYTES: usize = 16 * 1024;

/// What a command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// After this time it is killed.
    pub time: Duration,
    /// Of what it prints, so much is kept: the beginning and the end, in halves.
    pub output_bytes: usize,
}

/// Where what a command prints goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Standard output and standard error are one, in the order in which they came.
    Together,
    /// Each is kept for itself.
    Apart,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// It was killed at its limit.
    TimedOut,
}

impl Ending {
    /// Returns whether it ended well.
    pub fn is_success(self) -> bool {
        self == Ending::Code(0)
    }
}

/// A command that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How.
    pub ending: Ending,
    /// What it printed, as far as it was kept.
    pub output: Vec<u8>,
    /// Bytes that were left out in the middle of that.
    pub n_bytes_cut: u64,
    /// What it printed to standard error, where that is kept for itself.
    pub errors: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

/// A command that was started. One that is dropped before it is finished is killed.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Pid,
    output: Heeded,
    errors: Option<Heeded>,
    limits: Limits,
    started: Instant,
    is_reaped: bool,
}

/// Runs a command without input, and waits for its end.
pub fn run(command: Command, heard: Heard, limits: Limits) -> io::Result<Finished> {
    start(command, heard, limits)?.finish()
}

/// Starts a command without input. What it prints is kept once it is waited for; until then it may come to a halt.
pub fn start(mut command: Command, heard: Heard, limits: Limits) -> io::Result<Running> {
    let (from, to) = io::pipe()?;
    let errors = match heard {
        Heard::Together => {
            command.stderr(to.try_clone()?);
            None
        }
        Heard::Apart => {
            let (from, to) = io::pipe()?;
            command.stderr(to);
            Some(Heeded::new(from))
        }
    };
    command.stdin(Stdio::null()).stdout(to).process_group(0);
    let started = Instant::now();
    // The command holds the writing ends of the pipes; it is dropped here, or they would stay open.
    let child = command.spawn()?;
    let (group, output) = (Pid::from_child(&child), Heeded::new(from));
    Ok(Running { child, group, output, errors, limits, started, is_reaped: false })
}

impl Running {
    /// Waits for its end.
    pub fn finish(mut self) -> io::Result<Finished> {
        let is_over = self.is_over_by(self.started + self.limits.time)?;
        self.kill()?;
        let status = self.child.wait()?;
        self.is_reaped = true;
        let end = Instant::now() + LAST_WORDS;
        while self.is_heard() && Instant::now() < end {
            self.listen(None, Instant::now(), end)?;
        }
        let ending = if is_over { ending(status) } else { Ending::TimedOut };
        let (bytes_max, took) = (self.limits.output_bytes, self.started.elapsed());
        let Kept { output, n_bytes_cut } = self.output.give(bytes_max);
        let errors = self.errors.as_mut().map(|errors| errors.give(bytes_max).output);
        Ok(Finished { ending, output, n_bytes_cut, errors: errors.unwrap_or_default(), took })
    }

    /// Waits for its end no longer than until then; returns whether it has ended.
    pub fn is_over_by(&mut self, end: Instant) -> io::Result<bool> {
        let exit = exit_of(self.group);
        loop {
            let now = Instant::now();
            // It is left unreaped until its group is killed, so that nobody else can have the number of the group.
            let is_told = self.listen(exit.as_ref(), now, end)?;
            if (is_told || exit.is_none()) && has_ended(self.group)? {
                return Ok(true);
            }
            if now >= end {
                return Ok(false);
            }
        }
    }

    /// Returns whether more may come.
    fn is_heard(&self) -> bool {
        self.output.from.is_some() || self.errors.as_ref().is_some_and(|it| it.from.is_some())
    }

    /// Waits until something comes, and keeps it; returns whether the end was told.
    fn listen(&mut self, exit: Option<&OwnedFd>, now: Instant, end: Instant) -> io::Result<bool> {
        let left = end.saturating_duration_since(now);
        let left = if exit.is_some() { left } else { left.min(LOOK_EVERY) };
        let mut heeded = [Some(&mut self.output), self.errors.as_mut()];
        let mut fds = Vec::with_capacity(3);
        fds.extend(exit.map(|exit| PollFd::new(exit, PollFlags::IN)));
        let open = heeded.iter().flatten().filter_map(|heeded| heeded.from.as_ref());
        fds.extend(open.map(|from| PollFd::new(from, PollFlags::IN)));
        let timeout = Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut is_ready = fds.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>();
        drop(fds);
        let is_told = exit.is_some() && is_ready.remove(0);
        let open = heeded.iter_mut().flatten().filter(|heeded| heeded.from.is_some());
        for (heeded, _) in open.zip(is_ready).filter(|(_, is_ready)| *is_ready) {
            heeded.read(self.limits.output_bytes);
        }
        Ok(is_told)
    }

    /// Ends it, and what it leaves.
    fn kill(&self) -> io::Result<()> {
        match kill_process_group(self.group, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_reaped {
            // Nobody is left to be told.
            drop(self.kill().and_then(|()| self.child.wait()));
        }
    }
}

/// Returns what tells that a process has ended, where there is such a thing.
#[cfg(target_os = "linux")]
fn exit_of(process: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_process: Pid) -> Option<OwnedFd> {
    None
}

/// Returns whether a process has ended, and leaves it to be reaped.
fn has_ended(process: Pid) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    match waitid(WaitId::Pid(process), options) {
        Ok(ended) => Ok(ended.is_some()),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Code(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => unreachable!("what has ended has a code or a signal"),
    }
}

/// An output that is listened to.
#[derive(Debug)]
struct Heeded {
    /// None once there is no more.
    from: Option<PipeReader>,
    kept: Kept,
}

/// What is kept of an output.
#[derive(Debug, Default)]
struct Kept {
    output: Vec<u8>,
    n_bytes_cut: u64,
}

impl Heeded {
    fn new(from: PipeReader) -> Self {
        Self { from: Some(from), kept: Kept::default() }
    }

    /// Takes what has come, and keeps the beginning and the end.
    fn read(&mut self, bytes_max: usize) {
        let mut piece = [0; PIECE_BYTES];
        // Whoever cannot be read from any more has said all.
        match self.from.as_mut().map(|from| from.read(&mut piece)) {
            Some(Ok(n_read @ 1..)) => {
                self.kept.output.extend_from_slice(&piece[..n_read]);
                let n_over = self.kept.output.len().saturating_sub(bytes_max);
                if n_over > PIECE_BYTES {
                    self.kept.cut(bytes_max / 2, n_over);
                }
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Some(Ok(0) | Err(_)) | None => self.from = None,
        }
    }

    /// Returns what was kept.
    fn give(&mut self, bytes_max: usize) -> Kept {
        let mut kept = std::mem::take(&mut self.kept);
        let n_over = kept.output.len().saturating_sub(bytes_max);
        if n_over > 0 {
            kept.cut(bytes_max / 2, n_over);
        }
        kept
    }
}

impl Kept {
    fn cut(&mut self, from: usize, n_bytes: usize) {
        self.output.drain(from..from + n_bytes);
        self.n_bytes_cut += n_bytes as u64;
    }
}

#[cfg(test)]
mod tests;
