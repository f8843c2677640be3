//! A server that follows a folder, watched from outside.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use weft_event::json::{Tape, Value};
use weft_server::socket::client::Client;

/// How often the server is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long the server may take to answer, and to read something more.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs.
pub(super) struct Server {
    child: Child,
    store: PathBuf,
    began: Instant,
    n_descriptors: usize,
}

/// What was seen of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// How long after its start.
    pub(super) at: Duration,
    /// The last position that readers have.
    pub(super) last: u64,
    /// Lines that came of files.
    pub(super) n_read: u64,
    pub(super) n_refused: u64,
    /// The most memory that it ever had.
    pub(super) peak_bytes: u64,
    /// The most descriptors that it was seen with.
    pub(super) n_descriptors: usize,
}

/// The most memory after a quarter of the events, and at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) early: u64,
    pub(super) late: u64,
}

impl Server {
    /// Starts a server on a store of its own, and waits until it is ready.
    pub(super) fn start(store: &Path, folder: &Path) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot tell where this program is")?;
        let mut command = Command::new(program);
        command.args(["up", "--listen", "127.0.0.1:0", "--store"]).arg(store);
        command.env("WEFT_FOLDER", folder).stdin(Stdio::null()).stdout(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn().context("cannot start a server")?;
        let said = child.stdout.take().context("it has no output")?;
        let is_ready =
            |line: &Result<String, _>| line.as_ref().is_ok_and(|it| it.starts_with("store"));
        let ready = BufReader::new(said).lines().find(is_ready);
        let server = Self { child, store: store.to_owned(), began, n_descriptors: 0 };
        ready.context("the server did not start")??;
        Ok(server)
    }

    /// Waits until what is seen of it is as wanted.
    pub(super) fn wait(&mut self, wanted: impl Fn(&Seen) -> bool) -> anyhow::Result<Seen> {
        let mut client = Client::of_store(&self.store, PATIENCE)?;
        let (mut moved, mut n_read) = (Instant::now(), 0);
        loop {
            let status = client.status()?;
            let seen = self.look(&status)?;
            if wanted(&seen) {
                return Ok(seen);
            }
            if seen.n_read > n_read {
                (moved, n_read) = (Instant::now(), seen.n_read);
            }
            anyhow::ensure!(moved.elapsed() < PATIENCE, "the server reads nothing more: {status}");
            std::thread::park_timeout(LOOK_EVERY);
        }
    }

    fn look(&mut self, status: &str) -> anyhow::Result<Seen> {
        let mut tape = Tape::new();
        let status = tape.parse(status)?;
        let tail = status.get("tail");
        let number = |value: Option<Value<'_>>, name: &str| value?.get(name)?.as_u64();
        let of_tail = |name: &str| number(tail, name).unwrap_or(0);
        let process = PathBuf::from(format!("/proc/{}", self.child.id()));
        let n_open = fs::read_dir(process.join("fd")).map_or(0, Iterator::count);
        self.n_descriptors = self.n_descriptors.max(n_open);
        let memory = fs::read_to_string(process.join("status")).unwrap_or_default();
        let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<u64>().ok());
        Ok(Seen {
            at: self.began.elapsed(),
            last: number(Some(status), "last").unwrap_or(0),
            n_read: of_tail("stored") + of_tail("repeats") + of_tail("refused"),
            n_refused: of_tail("refused"),
            peak_bytes: peak.unwrap_or(0) << 10,
            n_descriptors: self.n_descriptors,
        })
    }

    /// Asks it to end, and waits until it has.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        Client::of_store(&self.store, PATIENCE)?.stop()?;
        self.child.wait().context("the server does not end")?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended is not there to be killed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
