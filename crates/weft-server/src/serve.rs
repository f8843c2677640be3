//! A server from its start to its end: it takes the store, opens its doors, and closes them in order.
//!
//! Whoever calls waits here. It is ready as soon as the doors are open; an index that is behind is brought up to date meanwhile,
//! and until then what is sent is told to wait.

mod doors;
mod guard;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use weft_log::disk::RealDisk;
use weft_log::lock::Owner;
use weft_log::log::{self, BeginError, Hold, Indexing, Log};
use weft_log::reader::{self, ReadError};
use weft_log::{Store, recover};

use crate::access::tokens::{TokenError, TokenFile};
use crate::access::{Access, Demand, Rules};
use crate::address::Addresses;
use crate::limits::Limits;
use crate::notify::Notify;
use crate::parts::{Core, Parts};
use crate::player::{self, Play};
use crate::socket::server::{self as socket, BindError};
use crate::tail::{self, Folder};
use crate::tls::{Tls, TlsError, TlsFiles};
use crate::views::Judgement;
use crate::writer::{self, Appender};
use crate::{descriptors, feed, http, notify, subs, views};
use doors::Doors;
use guard::Guard;

/// How long a server waits for a command that has the store.
const TAKE_PATIENCE: Duration = Duration::from_secs(5);

/// How long requests that are being answered are given when the server ends.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// How often the store is looked after: what came into the spool, and who waits for the lock.
const TEND_EVERY: Duration = Duration::from_millis(200);

/// The variable of the environment that tells the C library's allocator how to keep memory. It is about the server's own, and not
/// handed to the commands that it runs.
pub const ALLOCATOR: &str = "GLIBC_TUNABLES";

/// What it says there, for whoever starts a server.
///
/// With one heap threads wait for each other: a folder took 16.5 s to be read instead of 11 with two, in which it takes as long as with
/// a heap for each thread. Bodies of requests and their like are smaller than what is large here, and need no call to the system.
pub const FEW_HEAPS: &str = "glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=2097152";

/// What a server is made of.
pub struct Options {
    /// The store, which is made if there is none.
    pub store: Store,
    /// Who we are, for others that wait for the store.
    pub owner: Owner,
    /// Where HTTP is spoken.
    pub listen: Listen,
    /// Host names that requests may be for, beside this machine's own.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, beside the server's own.
    pub origins: Vec<String>,
    /// What HTTP is encrypted with, if it is.
    pub tls: Option<TlsFiles>,
    /// Where the socket goes if the store's path is too long for one.
    pub runtime: PathBuf,
    /// The limits.
    pub limits: Limits,
    /// What views are judged by.
    pub judgement: Judgement,
    /// Who is told when something needs a person.
    pub notify: Notify,
    /// Folders that are read while it runs.
    pub folders: Vec<Folder>,
    /// What is played into the log, if anything is.
    pub play: Option<Play>,
}

/// Where HTTP is spoken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// On loopback at [`PORT`](Listen::PORT), or at any other port if that is taken.
    Anywhere,
    /// Here and nowhere else.
    At(Vec<SocketAddr>),
}

impl Listen {
    /// The port that is tried first.
    pub const PORT: u16 = 9338;

    /// Returns the first address that other machines can reach.
    fn open(&self) -> Option<SocketAddr> {
        match self {
            Listen::Anywhere => None,
            Listen::At(all) => all.iter().find(|address| !address.ip().is_loopback()).copied(),
        }
    }
}

/// Why a server did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another server has the store.
    #[error("a server runs on {store} already{}", running_at(.addresses))]
    Running {
        /// The store.
        store: PathBuf,
        /// Where that one is, if it says so.
        addresses: Option<Box<Addresses>>,
    },
    /// An address cannot be had.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// An address that others could reach, and nobody would have to prove anything.
    #[error(
        "other machines can reach {address}, so that every request needs a token, and there is none: make one with `weft token new NAME --scope write`, or listen on a loopback address"
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] TokenError),
    /// Nothing can be encrypted.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The socket cannot be opened.
    #[error(transparent)]
    Socket(#[from] BindError),
    /// The store cannot be taken.
    #[error(transparent)]
    Store(#[from] BeginError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file that is locked while a server runs cannot be.
    #[error(
        "cannot lock {file}, which a server makes and holds (if it is not a file that you may write, move it away)"
    )]
    Lock {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system refuses something that every server needs.
    #[error("cannot {what}")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}

fn running_at(addresses: &Option<Box<Addresses>>) -> String {
    let Some(addresses) = addresses.as_deref() else { return String::new() };
    let http = addresses.urls().next().map(|http| format!(" at {http}")).unwrap_or_default();
    format!("{http} (process {})", addresses.pid)
}

/// Runs a server until it is asked to end, by a signal or through its socket. `ready` is called once it can be reached.
pub fn serve_blocking(options: Options, ready: impl FnOnce(&Addresses)) -> Result<(), ServeError> {
    let Options { store, owner, listen, hosts, origins, tls, runtime, mut limits, .. } = options;
    let Options { judgement, notify, folders, play, .. } = options;
    let guard = Guard::take(&store)?;
    let rules = Rules { demand: demand(&store, &listen, tls.as_ref())?, hosts, origins };
    let tls = tls.map(Tls::load).transpose()?;
    let (hold, indexing) = (Hold::Long, Indexing::Meanwhile);
    let log = log::Options { owner, patience: TAKE_PATIENCE, hold, indexing };
    let log = Log::begin(store.clone(), log)?;
    tell(&log.take_findings());
    let doors = Doors::open(&store, &listen, &runtime, tls)?;
    let addresses = doors.addresses();
    let access = Access::new(&store, rules);
    descriptors::provide(&mut limits, addresses.http.len());
    let store_id = reader::read_head(&RealDisk, store.root())?.store;
    let (feed, waker, feed_thread) = feed::start(store.clone(), limits.recent_bytes_max)?;
    let started = writer::start(log, &limits, waker);
    let (appender, writer_thread) = started.map_err(system("start the writer"))?;
    let (end, ended) = watch::channel(false);
    let core = Core::new(Parts {
        store,
        store_id,
        appender: appender.clone(),
        feed,
        limits,
        judgement,
        is_demo: play.is_some(),
        ended,
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(system("start the runtime"))?;
    let served = runtime.block_on(async {
        let work = Work { notify, folders, play };
        let served = run(&core, (doors, access), &addresses, &end, (work, ready)).await;
        // Also after an error: whatever is there ends now.
        end.send_replace(true);
        drop(core);
        served
    });
    let is_writing = appender.opening().is_none();
    runtime.block_on(stop(&appender));
    runtime.shutdown_timeout(Duration::from_secs(1));
    // An index that is being brought up to date goes on where it was when the next one opens the store.
    if is_writing {
        drop(appender);
        writer_thread.join();
        feed_thread.join();
    }
    guard.withdraw(&addresses);
    served
}

/// Returns whether requests need a token: they do where others can reach the server, and then there has to be one.
fn demand(store: &Store, listen: &Listen, tls: Option<&TlsFiles>) -> Result<Demand, ServeError> {
    if let Some(tls) = tls.filter(|tls| tls.is_key_open()) {
        let key = tls.key.display();
        tracing::warn!("other users may read the key {key}: chmod 600 {key}");
    }
    let Some(address) = listen.open() else { return Ok(Demand::Nothing) };
    let now_us = jiff::Timestamp::now().as_microsecond();
    if TokenFile::new(store).read()?.list().iter().all(|token| token.is_expired(now_us)) {
        return Err(ServeError::Open { address });
    }
    Ok(Demand::Token)
}

fn tell(findings: &[recover::Finding]) {
    for finding in findings {
        tracing::warn!("{finding}");
    }
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> ServeError {
    move |source| ServeError::System { what, source }
}

/// Tells the writer to end once it has answered what was handed in.
async fn stop(appender: &Appender) {
    if tokio::time::timeout(END_PATIENCE, appender.stop()).await.is_err() {
        tracing::warn!("the writer does not end in time");
    }
}

/// What a server does beside answering.
struct Work {
    notify: Notify,
    folders: Vec<Folder>,
    play: Option<Play>,
}

/// Opens the doors, waits to be asked to end, and closes them.
async fn run(
    core: &Core,
    (doors, access): (Doors, Access),
    addresses: &Addresses,
    end: &watch::Sender<bool>,
    (work, ready): (Work, impl FnOnce(&Addresses)),
) -> Result<(), ServeError> {
    let mut asked = Asked::listen().map_err(system("listen for signals"))?;
    let (stop, mut stopped) = mpsc::channel(1);
    let mut tasks = JoinSet::new();
    let front = http::front(core, access);
    for listener in doors.http {
        let listener = TcpListener::from_std(listener).map_err(system("use a listener"))?;
        match doors.tls.clone() {
            Some(tls) => tasks.spawn(http::serve_tls(listener, tls, front.clone())),
            None => tasks.spawn(http::serve(listener, front.clone())),
        };
    }
    let shared = socket::Shared::new(core.clone(), addresses.clone(), stop);
    let served = socket::start(doors.socket, shared).map_err(system("use the socket"))?;
    tasks.spawn(served.run());
    tasks.spawn(tend(core.clone()));
    tasks.spawn(views::follow(core.clone()));
    tasks.spawn(notify::follow(core.clone(), work.notify));
    let subscriptions = subs::start(core);
    // They write how far they are when they end.
    tasks.spawn(subscriptions.join());
    let published = addresses.publish(core.store().root());
    published.map_err(system("write server.json"))?;
    ready(addresses);
    if let Some(tail) = tail::start(core, work.folders) {
        tasks.spawn(tail.join());
    }
    if let Some(play) = work.play {
        tasks.spawn(player::play(core.clone(), play));
    }
    tokio::select! {
        () = asked.wait() => {}
        // `None` would mean that the socket is gone, and with it the way to ask.
        _ = stopped.recv() => {}
    }
    tracing::info!("ending");
    end.send_replace(true);
    let drained = async { while tasks.join_next().await.is_some() {} };
    tokio::select! {
        () = drained => {}
        () = tokio::time::sleep(END_PATIENCE) => {
            tracing::warn!("ended while some requests were not answered");
        }
        () = asked.wait() => {}
    }
    Ok(())
}

/// Has the store looked after from time to time.
async fn tend(core: Core) {
    let mut ticks = tokio::time::interval(TEND_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = core.ended() => return,
            _ = ticks.tick() => core.appender().tend(),
        }
    }
}

/// The signals that ask a server to end.
struct Asked {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Asked {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
