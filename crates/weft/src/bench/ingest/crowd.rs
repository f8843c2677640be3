//! Clients that send one request at a time each and wait for its answer. All of them are one thread: a thread for each would take
//! more of the processor than the server does.

use std::io;
use std::os::fd::BorrowedFd;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::server::{PATIENCE, Reach};
use super::wire::Wire;

/// Bytes that an answer takes at first.
const ANSWER_BYTES: usize = 4 << 10;

/// Connections of one thread.
pub(in crate::bench) struct Crowd<W> {
    wires: Vec<W>,
    /// Whether an answer is waited for, for each connection.
    is_flying: Vec<bool>,
    /// What came of an answer that is not whole yet, for each connection.
    came: Vec<Came>,
}

/// What there is to be read.
pub(in crate::bench) struct Ready {
    /// The numbers of the connections that something came over.
    answers: Vec<usize>,
    /// Whether what was waited for beside them is there.
    pub(in crate::bench) is_other: bool,
}

/// What came over one connection.
#[derive(Default)]
pub(in crate::bench) struct Came {
    buffer: Vec<u8>,
    n_bytes: usize,
}

impl<W: Wire> Crowd<W> {
    pub(in crate::bench) fn connect(reach: &Reach, n_wires: usize) -> anyhow::Result<Self> {
        let wires = (0..n_wires).map(|_| W::connect(reach)).collect::<anyhow::Result<Vec<W>>>()?;
        wires.iter().try_for_each(|wire| wire.set_nonblocking(true))?;
        let came = wires.iter().map(|_| Came::default()).collect();
        Ok(Self { is_flying: vec![false; n_wires], wires, came })
    }

    pub(in crate::bench) fn len(&self) -> usize {
        self.wires.len()
    }

    /// Sends all requests, each over the first connection that is free, and waits for their answers.
    pub(in crate::bench) fn send(&mut self, requests: &[Vec<u8>]) -> anyhow::Result<()> {
        let mut waiting = requests.iter();
        let n_wires = self.wires.len();
        for (idx, request) in (0..n_wires).zip(&mut waiting) {
            self.write(idx, request)?;
        }
        let (mut n_answered, mut free) = (0, Vec::new());
        while n_answered < requests.len() {
            self.wait(None, |idx, _answer| free.push(idx))?;
            n_answered += free.len();
            for (idx, request) in free.drain(..).zip(&mut waiting) {
                self.write(idx, request)?;
            }
        }
        Ok(())
    }

    /// Sends a request over one connection.
    pub(in crate::bench) fn write(&mut self, idx: usize, request: &[u8]) -> io::Result<()> {
        self.is_flying[idx] = true;
        self.wires[idx].write_all(request)
    }

    /// Waits for answers, until a time if one is given, and calls back for each that came, with the number of its connection.
    fn wait(
        &mut self,
        until: Option<Instant>,
        each: impl FnMut(usize, &[u8]),
    ) -> anyhow::Result<()> {
        let ready = self.wait_with(None, until)?;
        self.take(&ready, each)
    }

    /// Waits for answers or for something else, until a time if one is given, and returns what is there to be read.
    pub(in crate::bench) fn wait_with(
        &self,
        other: Option<BorrowedFd<'_>>,
        until: Option<Instant>,
    ) -> anyhow::Result<Ready> {
        let idxs: Vec<usize> = (0..self.wires.len()).filter(|idx| self.is_flying[*idx]).collect();
        let fd = |idx: &usize| PollFd::new(&self.wires[*idx], PollFlags::IN);
        let other = other.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let mut ready: Vec<PollFd<'_>> = idxs.iter().map(fd).chain(other).collect();
        let timeout = until.map_or(PATIENCE, |it| it.saturating_duration_since(Instant::now()));
        let n_ready = match poll(&mut ready, Some(&timespec(timeout))) {
            Err(rustix::io::Errno::INTR) => 0,
            n_ready => n_ready?,
        };
        ensure!(n_ready > 0 || until.is_some(), "the server does not answer");
        let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let is_other = ready.get(idxs.len()).is_some_and(is_ready);
        let answers = idxs.into_iter().zip(&ready).filter(|(_, fd)| is_ready(fd));
        Ok(Ready { answers: answers.map(|(idx, _)| idx).collect(), is_other })
    }

    /// Reads what is there, and calls back for each answer that is whole, with the number of its connection.
    pub(in crate::bench) fn take(
        &mut self,
        ready: &Ready,
        mut each: impl FnMut(usize, &[u8]),
    ) -> anyhow::Result<()> {
        for &idx in &ready.answers {
            if let Some(answer) = self.came[idx].take(&self.wires[idx])? {
                check::<W>(answer)?;
                self.is_flying[idx] = false;
                each(idx, answer);
            }
        }
        Ok(())
    }
}

impl Came {
    /// Reads what is there; returns the answer once it is whole.
    pub(in crate::bench) fn take<W: Wire>(&mut self, wire: &W) -> anyhow::Result<Option<&[u8]>> {
        if self.n_bytes == self.buffer.len() {
            self.buffer.resize((2 * self.buffer.len()).max(ANSWER_BYTES), 0);
        }
        match wire.read(&mut self.buffer[self.n_bytes..]) {
            Ok(0) => bail!("the server closed a connection"),
            Ok(n) => self.n_bytes += n,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error).context("the server does not answer"),
        }
        let Some(bytes) = W::answer_bytes(&self.buffer[..self.n_bytes])? else { return Ok(None) };
        ensure!(bytes == self.n_bytes, "the server answers what nobody asked");
        self.n_bytes = 0;
        Ok(Some(&self.buffer[..bytes]))
    }
}

fn check<W: Wire>(answer: &[u8]) -> anyhow::Result<()> {
    ensure!(W::is_good(answer), "the server says {}", String::from_utf8_lossy(answer));
    Ok(())
}

/// Returns a time as the system takes it.
pub(in crate::bench) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

/// Sends large requests over connections that have a thread each, and waits for their answers.
pub(in crate::bench) fn send_large<W: Wire>(
    wires: &[W],
    requests: &[Vec<u8>],
) -> anyhow::Result<()> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let send = |wire: &W| -> anyhow::Result<()> {
        let mut came = Came::default();
        loop {
            let idx = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(request) = requests.get(idx) else { return Ok(()) };
            wire.write_all(request)?;
            loop {
                if let Some(answer) = came.take(wire)? {
                    break check::<W>(answer)?;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = wires.iter().map(|wire| scope.spawn(|| send(wire))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
