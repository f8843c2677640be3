//! The client's side of the socket, for commands: it blocks, needs no runtime, and says hello together with its first request.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use weft_log::Position;
use weft_log::query::{Found, Page};
use weft_runtime::loops::Briefing;

use super::answer::{Answer, Appended, Failure, Hello};
use super::frame::{Decoder, Frame, FrameError, HEADER_BYTES_MAX};
use super::request::{self, Append, LoopAsk, PageAsk, Request, Sent, TailAsk};
use super::server::{FILE, PATH_BYTES_MAX};
use super::{BadMessage, PROTOCOL};
use crate::address::Addresses;

/// Bytes of events that are sent together; one that is larger goes alone.
const TOGETHER_BYTES: usize = 8 << 20;

/// Events that are sent together.
const TOGETHER_EVENTS: usize = 8192;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 64 << 10;

/// Bytes that are read at first: most answers are a line, and memory that is not touched need not be had from the system.
const FIRST_BYTES: usize = 2 << 10;

/// Why the server did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No server runs on the store.
    #[error("no server runs on the store")]
    NotRunning,
    /// It does not answer, or not in time.
    #[error("the server at {path} does not answer")]
    Io {
        /// Its socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It closed the connection before it answered.
    #[error("the server at {path} closed the connection")]
    Closed {
        /// Its socket.
        path: PathBuf,
    },
    /// It speaks another protocol.
    #[error(
        "the server at {path} is version {version} and speaks protocol {theirs}, this one {PROTOCOL}: restart it with this version"
    )]
    Version {
        /// Its socket.
        path: PathBuf,
        /// Its version.
        version: String,
        /// Its protocol.
        theirs: u32,
    },
    /// It says what nobody understands.
    #[error("the server at {path} cannot be understood")]
    Bad {
        /// Its socket.
        path: PathBuf,
        /// What is wrong.
        source: BadMessage,
    },
    /// What is asked does not fit into a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// It could not be done.
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// A connection to the server of a store.
#[derive(Debug)]
pub struct Client {
    path: PathBuf,
    stream: UnixStream,
    decoder: Decoder,
    hello: Option<Hello>,
    wait: Wait,
}

/// How long the server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// So long for each answer, or as much of it as comes at a time.
    Each(Duration),
    /// Until then for all of it, whatever comes when.
    Until(Instant),
    /// As long as it likes.
    Forever,
}

impl Wait {
    /// Returns how long the next step may take.
    fn left(self) -> io::Result<Option<Duration>> {
        match self {
            Wait::Each(patience) => Ok(Some(patience)),
            Wait::Forever => Ok(None),
            Wait::Until(end) => match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
                left => Ok(Some(left)),
            },
        }
    }
}

impl Client {
    /// Connects to the server that runs on the store in a folder. `patience` is how long each answer may take.
    pub fn of_store(store: &Path, patience: Duration) -> Result<Self, ClientError> {
        Self::of_store_waiting(store, Wait::Each(patience))
    }

    /// Connects to the server that runs on the store in a folder.
    pub fn of_store_waiting(store: &Path, wait: Wait) -> Result<Self, ClientError> {
        let inside = store.join(FILE);
        if inside.as_os_str().len() <= PATH_BYTES_MAX {
            match Self::connect_waiting(&inside, wait) {
                Err(ClientError::NotRunning) => {}
                other => return other,
            }
        }
        let elsewhere = Addresses::read(store).map(|addresses| addresses.socket);
        match elsewhere.filter(|path| *path != inside) {
            Some(path) => Self::connect_waiting(&path, wait),
            None => Err(ClientError::NotRunning),
        }
    }

    /// Connects to a socket. It does not wait where too many others do.
    pub fn connect(path: &Path, patience: Duration) -> Result<Self, ClientError> {
        Self::connect_waiting(path, Wait::Each(patience))
    }

    fn connect_waiting(path: &Path, wait: Wait) -> Result<Self, ClientError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::ConnectionRefused => ClientError::NotRunning,
            _ => ClientError::Io { path: path.to_owned(), source },
        };
        let connected = || -> io::Result<UnixStream> {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let kind = SocketType::STREAM;
            let socket = rustix::net::socket_with(AddressFamily::UNIX, kind, flags, None)?;
            rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
            let stream = UnixStream::from(socket);
            stream.set_nonblocking(false)?;
            if let Wait::Each(_) = wait {
                stream.set_read_timeout(wait.left()?)?;
                stream.set_write_timeout(wait.left()?)?;
            }
            Ok(stream)
        };
        let stream = connected().map_err(failed)?;
        let (path, decoder) = (path.to_owned(), Decoder::default());
        Ok(Self { path, stream, decoder, hello: None, wait })
    }

    /// Appends a few events to the store in a folder, by the server that runs on it. All is said before the server is woken, so that it
    /// is woken once.
    pub fn append_once(
        store: &Path,
        append: Append<'_>,
        wait: Wait,
    ) -> Result<Appended, ClientError> {
        let n_events = append.events.len();
        let mut out = Vec::new();
        request::Hello::ours().encode(&mut out)?;
        Request::Append(append).encode(&mut out)?;
        let mut client = Self::of_store_waiting(store, wait)?;
        client.say(&out)?;
        let answer = client.receive()?;
        client.appended(answer, n_events)
    }

    /// Appends events, in as many requests as they need. Where there is a condition they have to fit into one.
    pub fn append(&mut self, append: &Append<'_>) -> Result<Appended, ClientError> {
        let mut all = Appended { fates: Vec::new(), durability: append.durability };
        let mut rest = append.events.as_slice();
        loop {
            let n = if append.conditions.is_empty() { fitting(rest) } else { rest.len() };
            let (now, later) = rest.split_at(n);
            let part = Append { events: now.to_vec(), ..append.clone() };
            let answer = self.ask(&Request::Append(part))?;
            all.fates.extend(self.appended(answer, n)?.fates);
            rest = later;
            if rest.is_empty() {
                return Ok(all);
            }
        }
    }

    /// Appends events in one request. `late` is called once if there is no answer after this time, and the answer is waited for all
    /// the same.
    pub fn append_soon(
        &mut self,
        append: &Append<'_>,
        soon: Duration,
        late: impl FnOnce(),
    ) -> Result<Appended, ClientError> {
        self.send(&Request::Append(append.clone()))?;
        let patience = std::mem::replace(&mut self.wait, Wait::Until(Instant::now() + soon));
        let received = self.receive();
        self.be_patient(patience)?;
        let answer = match received {
            Err(ClientError::Io { source, .. }) if source.kind() == io::ErrorKind::TimedOut => {
                late();
                self.receive()?
            }
            received => received?,
        };
        self.appended(answer, append.events.len())
    }

    /// Returns a page of records. It may have fewer than asked for; then `next` says where it goes on.
    pub fn page(&mut self, ask: PageAsk) -> Result<Page, ClientError> {
        match self.ask(&Request::Page(ask))? {
            Answer::Records(page) => Ok(page),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Returns one record; `None` if there is none.
    pub fn get(&mut self, position: Position) -> Result<Option<Found>, ClientError> {
        match self.ask(&Request::Get(position))? {
            Answer::Record(found) => Ok(found),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Returns what the log says of a session's loop, if it is told soon. Where it is not, nothing more may be asked.
    pub fn briefing(&mut self, ask: LoopAsk, soon: Duration) -> Result<Briefing, ClientError> {
        let patience = std::mem::replace(&mut self.wait, Wait::Until(Instant::now() + soon));
        let answer = self.ask(&Request::Loop(ask));
        self.be_patient(patience)?;
        match answer? {
            Answer::Loop(briefing) => Ok(*briefing),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Calls back for records as they come, until it says that it has enough.
    pub fn tail(
        mut self,
        ask: TailAsk,
        mut each: impl FnMut(Page) -> std::ops::ControlFlow<()>,
    ) -> Result<(), ClientError> {
        let path = self.path.clone();
        let forever = self.stream.set_read_timeout(None);
        forever.map_err(|source| ClientError::Io { path, source })?;
        self.wait = Wait::Forever;
        self.send(&Request::Tail(ask))?;
        loop {
            match self.receive()? {
                Answer::Records(page) => {
                    if each(page).is_break() {
                        return Ok(());
                    }
                }
                other => return Err(self.unexpected(&other)),
            }
        }
    }

    /// Has the server bring the store in order: what was written is durable, the spool is in the log, and the index has everything.
    pub fn settle(&mut self) -> Result<(), ClientError> {
        match self.ask(&Request::Settle)? {
            Answer::Settled => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Returns how the server is, as a JSON object.
    pub fn status(&mut self) -> Result<String, ClientError> {
        match self.ask(&Request::Status)? {
            Answer::Status(status) => Ok(status),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Asks the server to end.
    pub fn stop(&mut self) -> Result<(), ClientError> {
        match self.ask(&Request::Stop)? {
            Answer::Stopping => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Waits so long from now on.
    fn be_patient(&mut self, patience: Wait) -> Result<(), ClientError> {
        self.wait = patience;
        let set = patience.left().and_then(|left| {
            self.stream.set_read_timeout(left)?;
            self.stream.set_write_timeout(left)
        });
        set.map_err(|source| self.broken(source))
    }

    fn appended(&self, answer: Answer, n_events: usize) -> Result<Appended, ClientError> {
        match answer {
            Answer::Appended(appended) if appended.fates.len() == n_events => Ok(appended),
            other => Err(self.unexpected(&other)),
        }
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<Answer, ClientError> {
        self.send(request)?;
        self.receive()
    }

    fn send(&mut self, request: &Request<'_>) -> Result<(), ClientError> {
        let mut out = Vec::new();
        if self.hello.is_none() {
            request::Hello::ours().encode(&mut out)?;
        }
        request.encode(&mut out)?;
        self.say(&out)
    }

    fn say(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        match self.write_all(bytes) {
            // A server that hung up has said why, and that is read next.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|source| self.broken(source)),
        }
    }

    /// Returns the next answer; before the first one the server's hello is read.
    fn receive(&mut self) -> Result<Answer, ClientError> {
        if self.hello.is_none() {
            let frame = self.frame()?;
            let hello = Hello::decode(&frame).map_err(|source| self.bad(source))?;
            if hello.protocol != PROTOCOL {
                let (path, version) = (self.path.clone(), hello.version);
                return Err(ClientError::Version { path, version, theirs: hello.protocol });
            }
            self.hello = Some(hello);
        }
        let frame = self.frame()?;
        match Answer::decode(&frame).map_err(|source| self.bad(source))? {
            Answer::Failed(failure) => Err(failure.into()),
            answer => Ok(answer),
        }
    }

    fn frame(&mut self) -> Result<Frame, ClientError> {
        let mut piece = Vec::new();
        loop {
            if let Some(frame) = self.decoder.take()? {
                return Ok(frame);
            }
            let is_large = self.decoder.announced().is_some_and(|bytes| bytes > FIRST_BYTES);
            piece.resize(if is_large { PIECE_BYTES } else { FIRST_BYTES }, 0);
            let n = match self.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(|source| self.broken(source))?,
            };
            if n == 0 {
                return Err(ClientError::Closed { path: self.path.clone() });
            }
            self.decoder.feed(&piece[..n]);
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if let Wait::Until(_) = self.wait {
                self.stream.set_write_timeout(self.wait.left()?)?;
            }
            match self.stream.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Wait::Until(_) = self.wait {
                self.stream.set_read_timeout(self.wait.left()?)?;
            }
            match self.stream.read(piece) {
                // A wait with a limit is cut short when the process is stopped for a moment.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    fn broken(&self, source: io::Error) -> ClientError {
        // So the system says that the time is over.
        let source = match source.kind() {
            io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
            _ => source,
        };
        ClientError::Io { path: self.path.clone(), source }
    }

    fn bad(&self, source: BadMessage) -> ClientError {
        ClientError::Bad { path: self.path.clone(), source }
    }

    fn unexpected(&self, answer: &Answer) -> ClientError {
        let what = match answer {
            Answer::Appended(_) => "`appended`",
            Answer::Records(_) => "`page`",
            Answer::Record(_) => "`record`",
            Answer::Loop(_) => "`loop`",
            Answer::Settled => "`settled`",
            Answer::Status(_) => "`status`",
            Answer::Stopping => "`stopping`",
            Answer::Failed(_) => "`failed`",
        };
        self.bad(BadMessage::new(format!("it answered {what} to another question")))
    }
}

/// Returns how many events go into one request.
fn fitting(events: &[Sent<'_>]) -> usize {
    let (mut bytes, mut header_bytes) = (0, 0);
    let fits = |event: &&Sent<'_>| {
        bytes += event.line.len() + 1;
        // Six bytes for each in the worst case, where all are control characters.
        let text = |text: Option<&str>| text.map_or(0, |text| text.len() * 6);
        let topic = event.topic.as_deref();
        header_bytes += 128
            + text(event.via.as_deref())
            + text(event.delivery.as_deref())
            + text(topic.map(|topic| topic.topic.as_str()))
            + text(topic.and_then(|topic| topic.key.as_deref()));
        bytes <= TOGETHER_BYTES && header_bytes <= HEADER_BYTES_MAX / 2
    };
    let n = events.iter().take(TOGETHER_EVENTS).take_while(fits).count();
    n.max(1).min(events.len())
}
