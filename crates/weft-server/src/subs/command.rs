//! Deliveries to a command: run once for each event, which is the one line on its standard input. Exit code 0 means that it was
//! taken.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, Command};

use super::letter::Letter;
use super::outcome::{Outcome, chain};
use crate::serve::ALLOCATOR;

/// Bytes of what a command writes to its standard error that are kept, the last ones.
const STDERR_BYTES_MAX: usize = 2048;

/// How long a command that has ended is listened to.
const LAST_WORDS_MAX: Duration = Duration::from_millis(100);

/// The exit code by which a command says that it cannot now, and that nothing is wrong with the event.
const EXIT_TEMPORARY: i32 = 75;

/// Runs a command for one event.
pub(crate) async fn deliver(argv: &[String], letter: Letter, timeout: Duration) -> Outcome {
    let child = match spawn(argv, &letter) {
        Ok(child) => child,
        Err(error) => {
            return Outcome::away(&format!("cannot run `{}`: {}", argv[0], chain(&error)), None);
        }
    };
    // Whatever ends this ends the command and what it started.
    let mut group = Group { child };
    match tokio::time::timeout(timeout, talk(&mut group.child, &letter.body)).await {
        Ok(Ok((Some(0), _))) => Outcome::Taken,
        Ok(Ok((Some(EXIT_TEMPORARY), said))) => {
            Outcome::away(&format!("exit code {EXIT_TEMPORARY}: {said}"), None)
        }
        Ok(Ok((Some(code), said))) => Outcome::refused(&format!("exit code {code}: {said}")),
        Ok(Ok((None, said))) => Outcome::refused(&format!("ended by a signal: {said}")),
        Ok(Err(error)) => Outcome::refused(&chain(&error)),
        Err(_elapsed) => {
            Outcome::refused(&format!("not done within {} ms, and ended", timeout.as_millis()))
        }
    }
}

fn spawn(argv: &[String], letter: &Letter) -> io::Result<Child> {
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).process_group(0).env_remove(ALLOCATOR);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    for (name, value) in &letter.marks {
        let name = name.to_ascii_uppercase().replace('-', "_");
        command.env(format!("WEFT_{name}"), value);
    }
    command.spawn()
}

/// Hands over the event and waits for the end; returns the exit code and the end of what was said.
async fn talk(child: &mut Child, body: &[u8]) -> io::Result<(Option<i32>, String)> {
    let mut stdin = child.stdin.take().expect("it is piped");
    let mut stderr = child.stderr.take().expect("it is piped");
    let mut said = Vec::new();
    let hand_over = async move {
        // A command that does not read its input may still have done its work.
        if stdin.write_all(body).await.is_ok() {
            // Whoever finds the line without its end knows that the server died over it.
            drop(stdin.write_all(b"\n").await);
        }
    };
    let status = {
        let talk = async { tokio::join!(hand_over, listen(&mut stderr, &mut said)) };
        tokio::pin!(talk);
        tokio::select! {
            status = child.wait() => {
                // What it left running may hold its output open.
                drop(tokio::time::timeout(LAST_WORDS_MAX, &mut talk).await);
                status
            }
            _ = &mut talk => child.wait().await,
        }
    };
    Ok((status?.code(), String::from_utf8_lossy(&said).trim().to_owned()))
}

async fn listen(stderr: &mut ChildStderr, said: &mut Vec<u8>) {
    let mut buffer = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut buffer).await {
        said.extend_from_slice(&buffer[..n]);
        let surplus = said.len().saturating_sub(STDERR_BYTES_MAX);
        said.drain(..surplus);
    }
}

/// A command with all that it started, ended when this is dropped.
struct Group {
    child: Child,
}

impl Drop for Group {
    fn drop(&mut self) {
        // Of a command that has ended there is no number any more, and it may be another's by now.
        let Some(pid) = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
        else {
            return;
        };
        if let Err(error) = kill_process_group(pid, Signal::KILL) {
            tracing::debug!("cannot end a command: {error}");
        }
    }
}
