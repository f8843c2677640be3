//! A whole server inside the test's process: a real store in a folder of its own, the writer, the feed, and HTTP on a free port of
//! this machine. It ends when it is dropped.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use weft_log::disk::RealDisk;
use weft_log::lock::Owner;
use weft_log::log::{Hold, Indexing, Log, Options};
use weft_log::reader::{Reader, read_head};
use weft_log::rejected::{Kept, Rejected, Span};
use weft_log::{Network, Position, Record, Store};
use weft_server::access::tokens::{NewToken, Scope, TokenFile};
use weft_server::access::{Access, Demand, Rules};
use weft_server::feed::{self, FeedThread};
use weft_server::limits::Limits;
use weft_server::parts::{Core, Parts};
use weft_server::subs::{self, SubscriptionsHandle};
use weft_server::views::Judgement;
use weft_server::writer::{self, WriterThread};
use weft_server::{http, views};

use crate::client::Client;

/// A running server.
pub(crate) struct Server {
    address: SocketAddr,
    store: Store,
    ended: watch::Sender<bool>,
    runtime: Option<Runtime>,
    serving: Option<(JoinHandle<()>, SubscriptionsHandle)>,
    threads: Option<(WriterThread, FeedThread)>,
    core: Option<Core>,
    folder: Option<tempfile::TempDir>,
}

/// How a server is set up.
pub(crate) struct Setup {
    pub(crate) limits: Limits,
    pub(crate) rules: Rules,
    /// Whether views are folded from the start; otherwise from when it is said.
    pub(crate) is_folding: bool,
}

impl Default for Setup {
    fn default() -> Self {
        // Long enough that no healthy test meets it on a busy machine.
        let limits = Limits { request_patience: Duration::from_secs(60), ..Limits::default() };
        let rules = Rules { demand: Demand::Nothing, hosts: Vec::new(), origins: Vec::new() };
        Self { limits, rules, is_folding: true }
    }
}

impl Server {
    /// Starts a server on an empty store, as it is without any configuration.
    pub(crate) fn start() -> Self {
        Self::with(Setup::default())
    }

    /// Starts a server that demands tokens, as one does that others can reach.
    pub(crate) fn wide() -> Self {
        let mut setup = Setup::default();
        setup.rules.demand = Demand::Token;
        Self::with(setup)
    }

    /// Starts a server with some limits changed.
    pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup.limits);
        Self::with(setup)
    }

    /// Starts a server on an empty store.
    pub(crate) fn with(setup: Setup) -> Self {
        Self::on(tempfile::tempdir().expect("a folder can be made"), setup)
    }

    /// Starts a server on the store of another, or on an empty one.
    pub(crate) fn on(folder: tempfile::TempDir, setup: Setup) -> Self {
        let store = Store::make(&folder.path().join("store"), Network::Force).expect("a store");
        let Setup { limits, rules, is_folding } = setup;
        let access = Access::new(&store, rules);
        let log = open_log(&store);
        let (feed, waker, feed_thread) =
            feed::start(store.clone(), limits.recent_bytes_max).expect("the log can be followed");
        let (appender, writer_thread) =
            writer::start(log, &limits, waker).expect("a thread can be started");
        let store_id = read_head(&RealDisk, store.root()).expect("the head is readable").store;
        let (ended, is_ended) = watch::channel(false);
        let core = Core::new(Parts {
            store: store.clone(),
            store_id,
            appender,
            feed,
            limits,
            judgement: Judgement::default(),
            is_demo: false,
            ended: is_ended,
        });
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime can be started");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let front = http::front(&core, access);
        let serving = runtime.spawn(http::serve(listener, front));
        if is_folding {
            runtime.spawn(views::follow(core.clone()));
        }
        let subscriptions = runtime.block_on(async { subs::start(&core) });
        Self {
            address,
            store,
            ended,
            runtime: Some(runtime),
            serving: Some((serving, subscriptions)),
            threads: Some((writer_thread, feed_thread)),
            core: Some(core),
            folder: Some(folder),
        }
    }

    /// Begins to fold views.
    pub(crate) fn fold(&self) {
        let runtime = self.runtime.as_ref().expect("it runs");
        runtime.spawn(views::follow(self.core().clone()));
    }

    /// Returns where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Opens a connection.
    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// Returns its store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Makes a token of a scope, named after it.
    pub(crate) fn token(&self, scope: Scope) -> String {
        let new = NewToken { name: Some(scope.as_str()), scopes: &[scope], expires_us: None };
        let (_, secret) = TokenFile::new(&self.store).add(&new, 0).expect("a token");
        secret.reveal().to_owned()
    }

    /// Returns what its parts share.
    pub(crate) fn core(&self) -> &Core {
        self.core.as_ref().expect("it runs")
    }

    /// Waits for something inside the server, no longer than a test may take.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        let runtime = self.runtime.as_ref().expect("it runs");
        let limited = async { tokio::time::timeout(Duration::from_secs(60), work).await };
        runtime.block_on(limited).expect("it comes in time")
    }

    /// Returns the events that are in the log, each as `via dialect: line`.
    pub(crate) fn stored(&self) -> Vec<String> {
        let shown = |record: &Record<'_>| {
            let mark = record.meta.mark.as_ref().expect("nothing is damaged");
            let line = str::from_utf8(record.line).expect("an event is text");
            format!("{} {}: {line}", mark.via, mark.dialect.as_str())
        };
        records(self.store.root(), shown)
    }

    /// Returns what was refused.
    pub(crate) fn rejected(&self) -> Vec<Kept> {
        let listing = Rejected::new(&self.store).list(Span::default()).expect("a listing");
        listing.kept().map(|kept| kept.expect("it is readable")).collect()
    }

    /// Ends it, and waits until everything is let go.
    pub(crate) fn end(mut self) {
        self.finish();
    }

    /// Ends it; returns the folder with its store.
    pub(crate) fn leave(mut self) -> tempfile::TempDir {
        self.finish();
        self.folder.take().expect("it is given away once")
    }

    fn finish(&mut self) {
        self.ended.send_replace(true);
        if let (Some(runtime), Some(serving)) = (self.runtime.take(), self.serving.take()) {
            // A connection that a test left open would hold the end up for as long as its client lives.
            let (serving, subscriptions) = serving;
            let ended = async {
                drop(tokio::time::timeout(Duration::from_secs(5), serving).await);
                subscriptions.join().await;
            };
            runtime.block_on(ended);
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
        self.core = None;
        if let Some((writer, feed)) = self.threads.take() {
            writer.join();
            feed.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Reads every record of a store.
pub(crate) fn records<T>(root: &Path, mut each: impl FnMut(&Record<'_>) -> T) -> Vec<T> {
    let mut reader =
        Reader::open(RealDisk, root.to_owned(), Position::FIRST).expect("the log is readable");
    let mut all = Vec::new();
    while let Some(batch) = reader.read().expect("the log is readable") {
        all.extend(batch.records().map(|(record, _)| each(&record)));
    }
    all
}

fn open_log(store: &Store) -> Log {
    Log::open(store.clone(), options(), &mut |_| {}).expect("the store can be opened")
}

/// Returns how a store is opened for writing.
pub(crate) fn options() -> Options {
    Options {
        owner: Owner { pid: std::process::id(), what: "test".to_owned() },
        patience: Duration::from_secs(10),
        hold: Hold::Long,
        indexing: Indexing::Meanwhile,
    }
}
