//! A server with everything but the command line, in a runtime of its own, so that it can be killed.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use weft_event::event::Expect;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::lock::Owner;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::query::Records;
use weft_log::{Network, Store};
use weft_server::access::Access;
use weft_server::feed::FeedThread;
use weft_server::limits::{Limits, SubscriptionLimits};
use weft_server::parts::{Core, Parts};
use weft_server::subs::books::{self, Books};
use weft_server::subs::{SubscriptionsHandle, change};
use weft_server::views::Judgement;
use weft_server::writer::WriterThread;
use weft_server::{feed, http, subs, writer};

/// How long anything may take before a test fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// A store on disk.
pub(crate) struct Disk {
    folder: tempfile::TempDir,
}

/// A running server.
pub(crate) struct Server {
    runtime: Runtime,
    core: Core,
    end: watch::Sender<bool>,
    subscriptions: SubscriptionsHandle,
    writer: WriterThread,
    feed: FeedThread,
    pub(crate) address: SocketAddr,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) fn store(&self) -> Store {
        Store::make(&self.folder.path().join("store"), Network::Refuse).expect("a store")
    }

    pub(crate) fn books(&self) -> Books {
        books::read(&mut Records::open(self.store()).expect("a store")).expect("it can be read")
    }

    pub(crate) fn start(&self) -> Server {
        self.start_with(SubscriptionLimits::default())
    }

    pub(crate) fn start_with(&self, subscriptions: SubscriptionLimits) -> Server {
        let store = self.store();
        let limits = Limits { subscriptions, ..Limits::default() };
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (hold, indexing) = (Hold::Long, Indexing::Meanwhile);
        let options = Options { owner, patience: DEADLINE, hold, indexing };
        let log = Log::open(store.clone(), options, &mut |_| {}).expect("a log");
        let (feed, waker, feed_thread) =
            feed::start(store.clone(), limits.recent_bytes_max).expect("a feed");
        let (appender, writer) = writer::start(log, &limits, waker).expect("a writer");
        let (end, ended) = watch::channel(false);
        let store_id = "store-1".to_owned();
        let (judgement, is_demo) = (Judgement::default(), false);
        let parts = Parts { store, store_id, appender, feed, limits, judgement, is_demo, ended };
        let core = Core::new(parts);
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        let front = http::front(&core, Access::local(core.store()));
        runtime.spawn(http::serve(listener, front));
        let subscriptions = {
            let _entered = runtime.enter();
            subs::start(&core)
        };
        Server { runtime, core, end, subscriptions, writer, feed: feed_thread, address }
    }
}

impl Server {
    /// Ends it as it should be.
    pub(crate) fn stop(self) {
        self.end.send_replace(true);
        let subscriptions = self.subscriptions;
        self.runtime.block_on(async {
            tokio::time::timeout(DEADLINE, subscriptions.join()).await.expect("they end in time");
        });
        drop((self.runtime, self.core));
        self.writer.join();
        self.feed.join();
    }

    /// Asks it to end, and does not wait.
    pub(crate) fn ask_to_end(&self) {
        self.end.send_replace(true);
    }

    /// Ends it without a word: nothing is written that was not written before.
    pub(crate) fn kill(self) {
        drop(self.runtime);
        drop((self.core, self.subscriptions));
        self.writer.join();
        self.feed.join();
    }

    /// Appends events; returns the position of the last.
    pub(crate) fn append(&self, lines: &[String]) -> u64 {
        let mut gate = Gate::new(self.core.store(), Which::Largest, Strictness::Strict);
        let mut admit = |line: &String| {
            let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
            gate.admit(&Arrival { line, expect, via, delivery: None, topic: None }).expect("valid")
        };
        let events = lines.iter().map(&mut admit).collect();
        self.write(Batch { events, conditions: Vec::new(), durability: Durability::Synced })
    }

    /// Makes a subscription as the command line does.
    pub(crate) fn subscribe(&self, request: subs::definition::Request) {
        let definition = subs::definition::Definition::new(request).expect("it is fine");
        let change = change::add(&Books::default(), &definition, 10).expect("it is new");
        self.write(change.batch(self.core.store(), 0).expect("it is valid"));
    }

    fn write(&self, batch: Batch) -> u64 {
        let answer = self.runtime.block_on(self.core.appender().append(batch)).expect("written");
        answer.outcomes.last().expect("there is one").position().get()
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.ask("GET", path, "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> (u16, Value) {
        self.ask("POST", path, body)
    }

    /// Asks over HTTP; returns the status and the body.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a limit");
        let (host, length) = (self.address, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned())))
    }
}

/// Waits until something is so.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "in time: {what}");
        std::thread::yield_now();
    }
}

/// Returns events of these sessions in turn, numbered from a number on.
pub(crate) fn events(sessions: &[&str], from: usize, n: usize) -> Vec<String> {
    let event = |idx: usize| {
        let (session, sequence) = (sessions[idx % sessions.len()], idx);
        format!(
            r#"{{"schema_version":1,"timestamp":"2026-11-16T00:00:00Z","event_type":"bead.claimed","worker_id":"w","session_id":"{session}","sequence":{sequence},"bead_id":"b-{idx}","data":{{}}}}"#
        )
    };
    (from..from + n).map(event).collect()
}
