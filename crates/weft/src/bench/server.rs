//! The server that is measured: a process of its own, made from this very program, on a store of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use weft_server::socket::client::Client;

/// How long the server may take to be ready, to answer, or to end.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// How long the server is looked at to tell whether it is at rest.
const GLANCE: Duration = Duration::from_millis(40);

/// The part of a processor that a server at rest uses at most.
const REST_SHARE: f64 = 0.05;

/// A running server.
pub(super) struct Server {
    child: Child,
    pub(super) reach: Reach,
}

/// Where a server can be reached.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// Where it speaks HTTP.
    pub(super) http: SocketAddr,
    /// Its socket.
    pub(super) socket: PathBuf,
}

/// What a process holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holding {
    /// Bytes of memory.
    pub(super) memory: u64,
    /// Open files and connections.
    pub(super) descriptors: usize,
}

impl Server {
    /// Starts a server on a store, at an address, and waits until it can be reached.
    pub(super) fn start(store: &Path, listen: SocketAddr) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot tell which program this is")?;
        let mut command = Command::new(program);
        command.arg("up").arg("--store").arg(store).arg("--listen").arg(listen.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the server")?;
        let said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        // Its first three lines are where it is; an end before that is its error, which it told on stderr.
        let said: Vec<String> = said.take(3).collect::<Result<_, _>>()?;
        let find = |name: &str| said.iter().find_map(|line| Some(line.strip_prefix(name)?.trim()));
        let (Some(http), Some(socket)) = (find("http "), find("socket ")) else {
            child.wait()?;
            bail!("the server did not start");
        };
        let http = http.trim_start_matches("http://").parse();
        let http = http.context("the server does not say where it is")?;
        Ok(Self { reach: Reach { http, socket: socket.into() }, child })
    }

    /// Waits until everything that was sent is stored and indexed.
    pub(super) fn settle(&self) -> anyhow::Result<()> {
        Ok(Client::connect(&self.reach.socket, PATIENCE)?.settle()?)
    }

    /// Returns the last position that is durable.
    pub(super) fn last(&self) -> anyhow::Result<u64> {
        let status = Client::connect(&self.reach.socket, PATIENCE)?.status()?;
        let status: Value = serde_json::from_str(&status)?;
        status["last"].as_u64().context("the server does not say how far its log goes")
    }

    /// Waits until the server has nothing left to do in the background, such as indexing texts, so that it does not disturb what is
    /// measured next. Where the system does not tell, only until what was sent is indexed.
    pub(super) fn rest(&self) -> anyhow::Result<()> {
        self.settle()?;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let (Some(before), began) = (self.busy(), Instant::now()) else { return Ok(()) };
            std::thread::park_timeout(GLANCE);
            let Some(after) = self.busy() else { return Ok(()) };
            let busy = after.saturating_sub(before).as_secs_f64();
            if busy <= REST_SHARE * began.elapsed().as_secs_f64() {
                return Ok(());
            }
        }
        bail!("the server does not come to rest");
    }

    /// Returns how much of the processor the server has used; `None` where the system does not tell.
    pub(super) fn busy(&self) -> Option<Duration> {
        busy(self.child.id())
    }

    /// Returns what the server holds; `None` where the system does not tell.
    pub(super) fn holding(&self) -> Option<Holding> {
        let pid = self.child.id();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: u64 = kilobytes.trim().trim_end_matches(" kB").parse().ok()?;
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
        Some(Holding { memory: kilobytes << 10, descriptors })
    }

    /// Ends the server as a service manager does.
    pub(super) fn stop(&mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                ensure!(status.success(), "the server ended with {status}");
                return Ok(());
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        bail!("the server does not end");
    }
}

/// Returns how much of the processor a process has used; `None` where the system does not tell.
pub(super) fn busy(process: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let busy_ns = |thread: std::io::Result<fs::DirEntry>| {
        // A thread that has ended meanwhile is of no interest.
        let stat = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    };
    let busy: Vec<u64> = threads.filter_map(busy_ns).collect();
    (!busy.is_empty()).then(|| Duration::from_nanos(busy.iter().sum()))
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is ours alone, and its folder goes with it; one that has ended is not there any more.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
