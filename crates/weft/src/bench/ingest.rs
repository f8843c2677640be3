//! `weft bench ingest`: events through a running server, by HTTP and by its socket, beside the log that they end up in.

pub(super) mod crowd;
mod latency;
mod report;
pub(super) mod stream;
pub(super) mod wire;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use weft_event::{Dialect, sample};
use weft_log::log::Indexing;

use super::log::bare::GrowingFile;
use super::log::jetstream::JetStream;
use super::log::weft::{Secrets, Weft};
use super::measured::{Measured, slices};
use super::server::Server;
use crate::{Outcome, output};
use crowd::{Crowd, send_large};
use latency::Latency;
use report::Report;
use wire::{Http, Owner, Wire};

const EXAMPLES: &str = "\
The server is a process of its own on a store of its own. Everything is durable before it counts: every answer of the server, and
of the log and NATS beside it, has a sync of the disk behind it. Whoever sends shares the processor with the server. NATS takes
part where the command nats-server is found.

Examples:
  weft bench ingest
  weft bench ingest --events 50000 --dir /var/tmp --json";

/// Connections that send single events at once.
pub(super) const CONNECTIONS: usize = 64;

/// The way whose speed is the peak of single events.
const CROWD: &str = "HTTP, 64 connections";

/// Measure events through a server, by HTTP and its socket, beside the log and NATS
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many events are sent in bulk in each round, each way; the slower ways send fewer
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    events: u32,
    /// How many rounds; the median counts
    #[arg(long, visible_alias = "rounds", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// What the events are made from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to write; the disk that is measured [default: the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// One way to send in bulk: events of a request, connections.
struct Bulk {
    name: &'static str,
    together: usize,
    n_wires: usize,
}

const HTTP_BULK: [Bulk; 4] = [
    Bulk { name: "HTTP, 100 a request, 8 connections", together: 100, n_wires: 8 },
    Bulk { name: "HTTP, 1000 a request, 2 conn.", together: 1000, n_wires: 2 },
    Bulk { name: "HTTP, 1000 a request, 4 conn.", together: 1000, n_wires: 4 },
    Bulk { name: "HTTP, 5000 a request, 3 conn.", together: 5000, n_wires: 3 },
];

const SOCKET_BULK: Bulk =
    Bulk { name: "socket, 1000 a request, 2 conn.", together: 1000, n_wires: 2 };

/// How many events each way sends in a round.
#[derive(Clone, Copy)]
struct Counts {
    /// One at a time.
    single: usize,
    /// By many at once.
    crowd: usize,
    /// Many in a request.
    bulk: usize,
}

/// An endless supply of events that are all different. Weft's own are not among them: nobody else may send those.
pub(super) fn supply(seed: u64) -> impl Iterator<Item = String> {
    let own = format!("{{\"{}\":", Dialect::Weft.as_str());
    sample::events(seed).filter(move |event| !event.starts_with(&own))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = tempfile::tempdir_in(&dir)
        .with_context(|| format!("cannot make a folder in {}", dir.display()))?;
    let folder = scratch.path();
    let bulk = args.events as usize;
    let counts = Counts { single: (bulk / 100).max(1), crowd: (bulk / 4).max(CONNECTIONS), bulk };
    let weft = Weft::open(&folder.join("log"))?;
    let server = Server::start(&folder.join("served"), anywhere())?;
    let mut jetstream = JetStream::start(&folder.join("nats"))?;
    let mut bench = Bench {
        disk: GrowingFile::begin(folder)?,
        counts,
        supply: Box::new(supply(args.seed)),
        weft,
        server,
        n_sent: 0,
        measured: Measured::default(),
        latencies: Vec::new(),
    };
    for _ in 0..args.iterations {
        bench.one_at_a_time(jetstream.as_mut())?;
        bench.many_at_once(jetstream.as_mut())?;
        bench.in_bulk(jetstream.as_mut())?;
        bench.reach_a_reader()?;
        bench.measured.end_round();
    }
    let last = bench.server.last()?;
    ensure!(last == bench.n_sent, "{} events were sent, {last} are stored", bench.n_sent);
    bench.server.stop()?;
    let report = Report {
        measured: bench.measured,
        latencies: bench.latencies,
        event_bytes: event_bytes(args.seed),
        rounds: args.iterations,
        has_nats: jetstream.is_some(),
    };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Returns an address on loopback with any free port.
pub(super) fn anywhere() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// What is measured, and what came of it so far. Ways that are compared take turns.
struct Bench {
    disk: GrowingFile,
    counts: Counts,
    supply: Box<dyn Iterator<Item = String>>,
    weft: Weft,
    server: Server,
    n_sent: u64,
    measured: Measured,
    latencies: Vec<Latency>,
}

impl Bench {
    fn take(&mut self, n: usize) -> Vec<String> {
        self.supply.by_ref().take(n).collect()
    }

    /// Makes requests of new events, so many in each.
    fn requests<W: Wire>(&mut self, n: usize, together: usize) -> Vec<Vec<u8>> {
        self.n_sent += n as u64;
        self.take(n).chunks(together).map(W::request).collect()
    }

    fn one_at_a_time(&mut self, mut jetstream: Option<&mut JetStream>) -> anyhow::Result<()> {
        let log = self.weft.log(Indexing::AtTheEnd)?;
        let mut http = Crowd::<Http>::connect(&self.server.reach, 1)?;
        let mut socket = Crowd::<Owner>::connect(&self.server.reach, 1)?;
        for n in slices(self.counts.single) {
            let events = self.take(n);
            self.measured.time("log, 1 producer", n, || self.weft.produce(&log, &events))?;
            if let Some(jetstream) = &mut jetstream {
                let publish = || jetstream.publish(&events, 1);
                self.measured.time("JetStream, 1 in flight", n, publish)?;
            }
            let requests = self.requests::<Http>(n, 1);
            self.measured.time("HTTP, 1 connection", n, || http.send(&requests))?;
            let requests = self.requests::<Owner>(n, 1);
            self.measured.time("socket, 1 connection", n, || socket.send(&requests))?;
        }
        self.server.rest()?;
        Ok(log.close()?)
    }

    fn many_at_once(&mut self, jetstream: Option<&mut JetStream>) -> anyhow::Result<()> {
        for n in slices(self.counts.crowd) {
            let events = self.take(n);
            let log = self.weft.log(Indexing::Meanwhile)?;
            self.measured
                .time("log, 64 producers", n, || self.weft.produce_at_once(&log, &events))?;
            log.close()?;
            let requests = self.requests::<Http>(n, 1);
            let mut http = Crowd::<Http>::connect(&self.server.reach, CONNECTIONS)?;
            self.measured.time(CROWD, n, || http.send(&requests))?;
            self.server.rest()?;
            let requests = self.requests::<Owner>(n, 1);
            let mut socket = Crowd::<Owner>::connect(&self.server.reach, CONNECTIONS)?;
            self.measured.time("socket, 64 connections", n, || socket.send(&requests))?;
            self.server.rest()?;
        }
        if let Some(jetstream) = jetstream {
            let events = self.take(self.counts.single);
            let publish = || jetstream.publish(&events, CONNECTIONS);
            self.measured.time("JetStream, 64 in flight", events.len(), publish)?;
        }
        Ok(())
    }

    fn in_bulk(&mut self, jetstream: Option<&mut JetStream>) -> anyhow::Result<()> {
        for n in slices(self.counts.bulk) {
            let events = self.take(n);
            let log = self.weft.log(Indexing::AtTheEnd)?;
            self.measured.time("log, bulk", n, || {
                self.weft.produce_in_bulk(&log, &events, Secrets::Redacted)
            })?;
            log.close()?;
            for bulk in &HTTP_BULK {
                self.bulk::<Http>(bulk, n)?;
            }
            self.bulk::<Owner>(&SOCKET_BULK, n)?;
            let events = self.take(n);
            let log = self.weft.log(Indexing::Meanwhile)?;
            self.measured.time("log, bulk until indexed", n, || {
                self.weft.produce_in_bulk(&log, &events, Secrets::Redacted)?;
                Ok(log.close()?)
            })?;
            let requests = self.requests::<Http>(n, 1000);
            let wires = self.wires::<Http>(2)?;
            self.measured.time("HTTP, bulk until indexed", n, || {
                send_large(&wires, &requests)?;
                self.server.settle()
            })?;
            self.server.rest()?;
        }
        let Some(jetstream) = jetstream else { return Ok(()) };
        let events = self.take(self.counts.single);
        let publish = || jetstream.publish(&events, 1000);
        self.measured.time("JetStream, 1000 in flight", events.len(), publish)
    }

    fn bulk<W: Wire>(&mut self, bulk: &Bulk, n: usize) -> anyhow::Result<()> {
        let requests = self.requests::<W>(n, bulk.together);
        let wires = self.wires::<W>(bulk.n_wires)?;
        self.measured.time(bulk.name, n, || send_large(&wires, &requests))?;
        self.server.rest()
    }

    fn wires<W: Wire>(&self, n: usize) -> anyhow::Result<Vec<W>> {
        (0..n).map(|_| W::connect(&self.server.reach)).collect()
    }

    /// Sends single events at half the rate that they came to in this round, and reads them off the stream.
    fn reach_a_reader(&mut self) -> anyhow::Result<()> {
        let peak = self.measured.speed_now(CROWD).context("single events come first")?;
        let (n, rate) = (self.counts.crowd / 2, peak / 2.0);
        let events = self.take(n);
        self.n_sent += n as u64;
        let requests: Vec<_> = events.chunks(1).map(Http::request).collect();
        let measured =
            latency::measure(&self.server.reach, &mut self.disk, &events, &requests, rate)?;
        self.latencies.push(measured);
        self.server.rest()
    }
}

/// Returns the bytes of an event on average.
fn event_bytes(seed: u64) -> u64 {
    const N_EVENTS: usize = 10_000;
    let bytes: usize = supply(seed).take(N_EVENTS).map(|event| event.len()).sum();
    (bytes / N_EVENTS) as u64
}
