//! The receiver of a webhook: it drops repeats by the event's id, and counts what is left.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context as _;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::producers::{digest, session_of};
use super::reader::event_of;

/// What came.
#[derive(Default)]
pub(super) struct Posted {
    ids: HashSet<u64>,
    /// Digests by position.
    pub(super) events: HashMap<u64, u64>,
    /// The last position of each session.
    last: HashMap<String, u64>,
    pub(super) n_received: u64,
    pub(super) n_repeats: u64,
    pub(super) n_out_of_order: u64,
    /// Deliveries that could not be understood.
    pub(super) n_broken: u64,
}

/// A receiver that listens.
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    posted: Mutex<Posted>,
    is_over: AtomicBool,
}

impl Receiver {
    pub(super) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let thread = Some(std::thread::spawn(move || listen(&listener, &own)));
        Ok(Self { address, shared, thread })
    }

    /// Returns how many different events came.
    pub(super) fn n_events(&self) -> usize {
        lock(&self.shared.posted).events.len()
    }

    /// Ends it, once its senders have hung up; returns what came.
    pub(super) fn end(mut self) -> Posted {
        self.shared.is_over.store(true, Ordering::Release);
        // Wakes the listener, which then sees that it is over.
        drop(TcpStream::connect(self.address));
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        std::mem::take(&mut lock(&self.shared.posted))
    }
}

fn listen(listener: &TcpListener, shared: &Shared) {
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            if shared.is_over.load(Ordering::Acquire) {
                return;
            }
            // A sender that hangs up comes again.
            scope.spawn(move || stream.map(|stream| drop(serve(stream, shared))));
        }
    });
}

/// Answers deliveries until the sender hangs up.
fn serve(stream: TcpStream, shared: &Shared) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    while let Some((id, body)) = read_request(&mut reader)? {
        let noted = note(shared, &id, &body, &mut tape, &mut problems);
        if noted.is_err() {
            lock(&shared.posted).n_broken += 1;
        }
        (&stream).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")?;
    }
    Ok(())
}

/// Reads one delivery: its id and its body; `None` at the end.
fn read_request(reader: &mut BufReader<TcpStream>) -> anyhow::Result<Option<(String, Vec<u8>)>> {
    let (mut length, mut id) = (0, String::new());
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse()?;
            }
            Some((name, value)) if name.eq_ignore_ascii_case("weft-event-id") => {
                value.clone_into(&mut id);
            }
            Some(_) | None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((id, body)))
}

fn note(
    shared: &Shared,
    id: &str,
    body: &[u8],
    tape: &mut Tape,
    problems: &mut Problems,
) -> anyhow::Result<()> {
    let record = std::str::from_utf8(body)?;
    let position = record.strip_prefix("{\"position\":").and_then(|rest| rest.split_once(','));
    let position: u64 = position.context("a record has no position")?.0.parse()?;
    let line = event_of(record)?.as_bytes();
    problems.clear();
    let event = event::read(tape, line, Expect::Any, problems);
    let session = session_of(&event.context("what came is no event")?.facts());
    let mut posted = lock(&shared.posted);
    posted.n_received += 1;
    if !posted.ids.insert(digest(id.as_bytes())) {
        posted.n_repeats += 1;
        return Ok(());
    }
    posted.events.insert(position, digest(line));
    let last = posted.last.insert(session, position).unwrap_or_default();
    posted.n_out_of_order += u64::from(position < last);
    Ok(())
}

fn lock(posted: &Mutex<Posted>) -> MutexGuard<'_, Posted> {
    posted.lock().unwrap_or_else(PoisonError::into_inner)
}
