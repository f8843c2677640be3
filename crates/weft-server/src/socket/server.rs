//! The server's side of the socket: who may connect, a thread that lets them in, and a task for each that stays.

mod append;
mod connection;
mod porter;

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use tokio::net::UnixStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use weft_event::json::Json;
use weft_log::Store;
use weft_log::rejected::Rejected;

use crate::Core;
use crate::address::Addresses;
use crate::tail::TailStatus;

pub(super) use connection::Connection;
use porter::{Porter, VISITORS_MAX, Visitor};

/// Connections that are open at a time; more are told to come again.
pub const CONNECTIONS_MAX: usize = 256;

/// Frames beyond [`SMALL_BYTES_MAX`] that are read at a time: the memory that they take is bounded by it.
const LARGE_FRAMES_MAX: usize = 8;

/// The largest frame that anybody may send at any time.
const SMALL_BYTES_MAX: usize = 64 << 10;

/// The longest path of a socket that every system takes.
pub const PATH_BYTES_MAX: usize = 100;

/// The socket's file in a store.
pub(crate) const FILE: &str = "weft.sock";

/// Why the socket cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// It cannot be made.
    #[error("cannot open the socket {path}")]
    Io {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder that it has to be in belongs to somebody else.
    #[error("the folder {path} for the socket belongs to another user, or others may write to it")]
    Folder {
        /// The folder.
        path: PathBuf,
    },
}

/// What the tasks of all connections share.
pub(crate) struct Shared {
    pub(crate) core: Core,
    pub(crate) addresses: Addresses,
    /// Asks the server to end.
    pub(crate) stop: mpsc::Sender<()>,
    connections: Arc<Semaphore>,
    large_frames: Arc<Semaphore>,
    reads: Arc<Semaphore>,
    rejected: Mutex<Rejected>,
}

impl Shared {
    /// Returns what connections to a server need.
    pub(crate) fn new(core: Core, addresses: Addresses, stop: mpsc::Sender<()>) -> Self {
        let rejected = Mutex::new(Rejected::new(core.store()));
        let reads = Arc::new(Semaphore::new(core.limits().reads_max));
        let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let large_frames = Arc::new(Semaphore::new(LARGE_FRAMES_MAX));
        Self { core, addresses, stop, connections, large_frames, reads, rejected }
    }

    /// Returns how the server is, as a JSON object.
    fn status(&self) -> String {
        let core = &self.core;
        let object = Json::object(|object| {
            self.addresses.write(object);
            object.text("store", &core.store().root().to_string_lossy());
            object.text("store_id", core.store_id());
            let tail = core.tail().get();
            if tail != TailStatus::default() {
                object.json("tail", &tail.json());
            }
            object.json("uptime_s", &Json::integer(core.since().elapsed().as_secs()));
            object.json("last", &Json::integer(core.last()));
            let opening = core.appender().opening().map(|done| {
                Json::object(|object| {
                    object.json("position", &Json::integer(done.position));
                    object.json("last", &Json::integer(done.last));
                })
            });
            object.json("opening", &opening.unwrap_or(Json::null()));
            let n_open = CONNECTIONS_MAX - self.connections.available_permits();
            object.json("connections", &Json::integer(n_open as u64));
            let redacted = core.store().redaction().counts();
            let redacted = Json::object(|object| {
                redacted.iter().for_each(|(rule, n)| object.json(rule, &Json::integer(*n)));
            });
            object.json("redacted", &redacted);
        });
        object.as_str().to_owned()
    }
}

/// Returns where the socket of a store is: in its folder, or where that path is too long in the runtime folder.
pub fn path_of(store: &Store, runtime: &Path) -> PathBuf {
    let inside = store.root().join(FILE);
    if inside.as_os_str().len() <= PATH_BYTES_MAX {
        return inside;
    }
    let name = blake3::hash(store.root().as_os_str().as_encoded_bytes()).to_hex();
    runtime.join("weft").join(format!("{}.sock", &name[..16]))
}

/// Opens the socket, for its owner alone. Whatever a server that is gone left there is replaced.
pub fn bind(path: &Path) -> Result<StdListener, BindError> {
    let io = |source| BindError::Io { path: path.to_owned(), source };
    let folder = path.parent().expect("a socket is in a folder");
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io)?;
    let about = fs::metadata(folder).map_err(io)?;
    let is_ours = about.uid() == rustix::process::getuid().as_raw();
    if !is_ours || about.mode() & 0o002 != 0 {
        return Err(BindError::Folder { path: folder.to_owned() });
    }
    // Under another name first, so that nobody finds it before its rights are right.
    let early = path.with_extension(format!("{}", std::process::id()));
    match fs::remove_file(&early) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
        Ok(()) | Err(_) => {}
    }
    let listener = StdListener::bind(&early).map_err(io)?;
    fs::set_permissions(&early, Permissions::from_mode(0o600)).map_err(io)?;
    fs::rename(&early, path).map_err(io)?;
    listener.set_nonblocking(true).map_err(io)?;
    Ok(listener)
}

/// A socket that is served.
pub(crate) struct Served {
    shared: Arc<Shared>,
    visitors: mpsc::Receiver<Visitor>,
    /// Closed to have the thread let nobody in any more.
    open: StdStream,
    thread: JoinHandle<()>,
}

/// Begins to serve a socket: a thread lets everybody in, answers what it can, and hands the rest over.
pub(crate) fn start(listener: StdListener, shared: Shared) -> io::Result<Served> {
    let shared = Arc::new(shared);
    let (hand_over, visitors) = mpsc::channel(VISITORS_MAX);
    let (open, watched) = StdStream::pair()?;
    let porter = Porter::new(listener, Arc::clone(&shared), hand_over);
    let thread = thread::Builder::new().name("weft-socket".to_owned());
    let thread = thread.spawn(move || porter.run(&watched))?;
    Ok(Served { shared, visitors, open, thread })
}

impl Served {
    /// Serves the socket until the server ends; then every request that was read is answered.
    pub(crate) async fn run(self) {
        let Self { shared, mut visitors, open, thread } = self;
        let mut connections = JoinSet::new();
        let mut open = Some(open);
        loop {
            let visitor = tokio::select! {
                () = shared.core.ended(), if open.is_some() => {
                    open = None;
                    continue;
                }
                visitor = visitors.recv() => visitor,
            };
            let Some(visitor) = visitor else { break };
            while connections.try_join_next().is_some() {}
            match UnixStream::from_std(visitor.stream) {
                Ok(stream) if is_owner(&stream) => {
                    let Visitor { said, judged, unsent, greeted, place, .. } = visitor;
                    let connection = Connection::new(stream, &said, judged, unsent);
                    let stay = (greeted, place);
                    connections.spawn(connection::serve(connection, stay, Arc::clone(&shared)));
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "cannot serve a connection to the socket"),
            }
        }
        if thread.join().is_err() {
            tracing::error!("the thread at the socket panicked");
        }
        while connections.join_next().await.is_some() {}
    }
}

/// Returns whether the other end is a process of our own user.
fn is_owner(stream: &UnixStream) -> bool {
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == rustix::process::getuid().as_raw() => true,
        Ok(peer) => {
            tracing::warn!(uid = peer.uid(), "another user was turned away from the socket");
            false
        }
        Err(error) => {
            tracing::warn!(%error, "cannot tell who connects to the socket");
            false
        }
    }
}
