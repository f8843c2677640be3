//! Running a command to its end, within a limit of time and a limit of output.
//!
//! A command runs in a process group of its own. When it ends, or has to, what it left running in that group ends with it.

use std::io::{self, PipeReader, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long what was printed last may take to arrive after a command ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

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

/// Runs a command without input, and waits for its end.
pub fn run(mut command: Command, heard: Heard, limits: Limits) -> io::Result<Finished> {
    let (from, to) = io::pipe()?;
    let errors_from = match heard {
        Heard::Together => {
            command.stderr(to.try_clone()?);
            None
        }
        Heard::Apart => {
            let (from, to) = io::pipe()?;
            command.stderr(to);
            Some(from)
        }
    };
    command.stdin(Stdio::null()).stdout(to).process_group(0);
    let started = Instant::now();
    let child = command.spawn()?;
    // The command holds the writing ends of the pipes, which would stay open with it.
    drop(command);
    let output = keep_aside(from, limits.output_bytes);
    let errors = errors_from.map(|from| keep_aside(from, limits.output_bytes));
    let ending = end(child, limits.time)?;
    let Kept { output, n_bytes_cut } = output.recv_timeout(LAST_WORDS).unwrap_or_default();
    let errors = errors.and_then(|errors| errors.recv_timeout(LAST_WORDS).ok());
    let errors = errors.unwrap_or_default().output;
    Ok(Finished { ending, output, n_bytes_cut, errors, took: started.elapsed() })
}

/// Waits for a command to end, and ends what it leaves.
fn end(mut child: Child, time: Duration) -> io::Result<Ending> {
    let group = Pid::from_child(&child);
    let (tell_over, over) = mpsc::sync_channel(1);
    // It is left unreaped until its group is killed, so that nobody else can have the number of the group.
    thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let over = waitid(WaitId::Pid(group), options);
        if tell_over.send(over).is_err() {
            // Whoever waited has killed it, and needs no answer.
        }
    });
    let is_over = over.recv_timeout(time).is_ok();
    match kill_process_group(group, Signal::KILL) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => return Err(error.into()),
    }
    let status = child.wait()?;
    Ok(if is_over { ending(status) } else { Ending::TimedOut })
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Code(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => unreachable!("what has ended has a code or a signal"),
    }
}

/// What is kept of an output.
#[derive(Debug, Default)]
struct Kept {
    output: Vec<u8>,
    n_bytes_cut: u64,
}

/// Keeps what comes on a thread of its own, which gives it when there is no more.
fn keep_aside(from: PipeReader, bytes_max: usize) -> mpsc::Receiver<Kept> {
    let (tell, kept) = mpsc::sync_channel(1);
    thread::spawn(move || drop(tell.send(keep(from, bytes_max))));
    kept
}

/// Reads to the end, and keeps the beginning and the end.
fn keep(mut from: PipeReader, bytes_max: usize) -> Kept {
    let half = bytes_max / 2;
    let mut kept = Kept::default();
    let mut buffer = vec![0; 64 * 1024];
    // Whoever cannot be read from any more has said all.
    while let Ok(n_read @ 1..) = from.read(&mut buffer) {
        kept.output.extend_from_slice(&buffer[..n_read]);
        let n_over = kept.output.len().saturating_sub(bytes_max);
        if n_over > buffer.len() {
            kept.cut(half, n_over);
        }
    }
    let n_over = kept.output.len().saturating_sub(bytes_max);
    if n_over > 0 {
        kept.cut(half, n_over);
    }
    kept
}

impl Kept {
    fn cut(&mut self, from: usize, n_bytes: usize) {
        self.output.drain(from..from + n_bytes);
        self.n_bytes_cut += n_bytes as u64;
    }
}

#[cfg(test)]
mod tests;
