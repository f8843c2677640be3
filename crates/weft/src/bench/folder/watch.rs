//! A server that follows a folder, looked at from outside until it is as far as wanted.

use std::time::{Duration, Instant};

use weft_event::json::{Tape, Value};
use weft_server::socket::client::Client;

use crate::bench::server::{Holding, PATIENCE, Server};

/// How often the server is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Looks at a server.
pub(super) struct Watch<'s> {
    server: &'s Server,
    began: Instant,
    most: Holding,
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
    /// The most that it was seen to hold.
    pub(super) most: Holding,
}

impl<'s> Watch<'s> {
    pub(super) fn new(server: &'s Server, began: Instant) -> Self {
        Self { server, began, most: Holding { memory: 0, descriptors: 0 } }
    }

    /// Waits until what is seen of it is as wanted.
    pub(super) fn wait(&mut self, wanted: impl Fn(&Seen) -> bool) -> anyhow::Result<Seen> {
        let mut client = Client::connect(&self.server.reach.socket, PATIENCE)?;
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
        let number = |value: Option<Value<'_>>, name: &str| value?.get(name)?.as_u64();
        let of_tail = |name: &str| number(status.get("tail"), name).unwrap_or(0);
        if let Some(Holding { memory, descriptors }) = self.server.holding() {
            self.most.memory = self.most.memory.max(memory);
            self.most.descriptors = self.most.descriptors.max(descriptors);
        }
        Ok(Seen {
            at: self.began.elapsed(),
            last: number(Some(status), "last").unwrap_or(0),
            n_read: of_tail("stored") + of_tail("repeats") + of_tail("refused"),
            n_refused: of_tail("refused"),
            most: self.most,
        })
    }
}
