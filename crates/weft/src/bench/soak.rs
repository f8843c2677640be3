//! `weft bench soak`: a server at half of what it can take, ended and started again half-way, and what its readers got counted.

mod account;
mod producers;
mod reader;
mod receiver;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use weft_event::Dialect;

use super::filled::{STORED, fill};
use super::ingest::crowd::Crowd;
use super::ingest::wire::{Http, Wire as _};
use super::ingest::{CONNECTIONS, anywhere, supply};
use super::measured::timed;
use super::server::{Holding, PATIENCE, Server};
use crate::{Outcome, output};
use account::Account;
use producers::{Plan, Sent};
use receiver::Receiver;
use report::Report;

const EXAMPLES: &str = "\
Made-up events of all five dialects are sent over HTTP at half the rate that single events reach on this machine, each session's
over a connection of its own. A reader of the stream is given all of them, a webhook those of one dialect. Half-way the server is
ended by SIGTERM and started again; what was not answered is sent again, and the readers go on where they were.

Views keep what is current up to their limits, so that the memory of a server grows while its store is young. --stored puts events
in before; what grows after that grows with the log. Of each of the two servers the first tenth of its time is left out.

Examples:
  weft bench soak --minutes 10 --dir /var/tmp
  weft bench soak --minutes 1 --rate 500 --stored 0 --json

Exit codes: 0 everything arrived once and in order, 1 something did not, 2 wrong use, or the server failed.";

/// The dialect whose events the webhook is given: a sixth of them.
const POSTED: Dialect = Dialect::Pinchy;

/// How often memory and descriptors are looked at.
const SAMPLE_EVERY: Duration = Duration::from_millis(500);

/// Keep a server busy for minutes, end it half-way, and count what its readers get
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How long events are sent
    #[arg(long, value_name = "N", default_value_t = 10.0, value_parser = minutes)]
    minutes: f64,
    /// Events a second [default: half of what single events over 64 connections come to]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// How many events the store has before; with fewer the views are not as large yet as they may become
    #[arg(long, value_name = "N", default_value_t = STORED)]
    stored: u64,
    /// What the events are made from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to write [default: the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

fn minutes(text: &str) -> anyhow::Result<f64> {
    let minutes: f64 = text.parse()?;
    ensure!(minutes > 0.0 && minutes <= 1e6, "{text} is not a number of minutes");
    Ok(minutes)
}

/// What the server held at some time.
#[derive(Clone, Copy)]
struct Sample {
    /// Which server: the first, or the one that was started half-way.
    server: usize,
    at: Duration,
    holding: Holding,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = tempfile::tempdir_in(&dir)
        .with_context(|| format!("cannot make a folder in {}", dir.display()))?;
    let store = scratch.path().join("served");
    let mut supply: Box<dyn Iterator<Item = String> + Send> = Box::new(supply(args.seed));
    fill(&store, &mut supply, args.stored)?;
    let server = Server::start(&store, anywhere())?;
    let rate = match args.rate {
        Some(rate) => f64::from(rate),
        None => peak(&server, &mut supply)? / 2.0,
    };
    let receiver = Receiver::start()?;
    subscribe(&store, &receiver)?;
    let length = Duration::from_secs_f64(60.0 * args.minutes);
    let plan =
        Plan { reach: server.reach.clone(), rate, until: Instant::now() + length, posted: POSTED };
    let after = server.last()?.to_string();
    let last = AtomicU64::new(0);
    let mut life = Life { server, store: &store, samples: Vec::new(), down: Duration::ZERO };
    let (sent, seen) = thread::scope(|scope| {
        let reader = scope.spawn(|| reader::follow(&plan.reach, &after, &last));
        let producers = scope.spawn(|| producers::produce(&plan, &mut *supply));
        let lived = life.live(length, &producers);
        let sent = join(producers).and_then(|sent| lived.map(|()| sent));
        // Whatever failed, the reader is told where to stop.
        let upto = sent.as_ref().map_or(1, Sent::last);
        last.store(upto.max(1), Ordering::Release);
        (sent, join(reader))
    });
    let (sent, seen) = (sent?, seen?);
    await_posts(&receiver, &sent);
    life.server.stop()?;
    let account = Account::of(&sent, &seen, &receiver.end());
    let Life { down, samples, .. } = life;
    let report = Report { account, stored: args.stored, rate, length, down, samples };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(if report.account.is_whole() { Outcome::Fine } else { Outcome::Found })
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns how many single events a second the server takes over 64 connections.
fn peak(server: &Server, supply: &mut dyn Iterator<Item = String>) -> anyhow::Result<f64> {
    const N_EVENTS: usize = 30_000;
    let events: Vec<String> = supply.take(N_EVENTS).collect();
    let requests: Vec<Vec<u8>> = events.chunks(1).map(Http::request).collect();
    let mut crowd = Crowd::<Http>::connect(&server.reach, CONNECTIONS)?;
    let ((), took) = timed(|| crowd.send(&requests))?;
    server.rest()?;
    Ok(N_EVENTS as f64 / took.as_secs_f64())
}

/// Subscribes the receiver, with the command that a user would take.
fn subscribe(store: &Path, receiver: &Receiver) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("cannot tell which program this is")?;
    let filter = format!("dialect={}", POSTED.as_str());
    let url = format!("http://{}/soak", receiver.address);
    let mut command = Command::new(program);
    command.args(["sub", "add", "soak", "--filter", &filter, "--webhook", &url, "--store"]);
    let status = command.arg(store).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "cannot subscribe the webhook");
    Ok(())
}

/// Waits until the webhook has everything, or gets nothing more.
fn await_posts(receiver: &Receiver, sent: &Sent) {
    let wanted = sent.events.iter().filter(|event| event.is_posted).count();
    let (mut n_events, mut since) = (0, Instant::now());
    while n_events < wanted && since.elapsed() < PATIENCE {
        thread::park_timeout(Duration::from_millis(20));
        let now = receiver.n_events();
        if now > n_events {
            (n_events, since) = (now, Instant::now());
        }
    }
}

/// The server's two lives.
struct Life<'s> {
    server: Server,
    store: &'s Path,
    samples: Vec<Sample>,
    /// How long there was no server.
    down: Duration,
}

impl Life<'_> {
    /// Lets the server live as long as the producers do; half-way it is ended and started again.
    fn live<T>(
        &mut self,
        length: Duration,
        producers: &ScopedJoinHandle<'_, T>,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        let mut server = 0;
        while !producers.is_finished() {
            thread::park_timeout(SAMPLE_EVERY.min(length / 20));
            if server == 0 && begun.elapsed() >= length / 2 {
                self.restart()?;
                server = 1;
            }
            if let Some(holding) = self.server.holding() {
                self.samples.push(Sample { server, at: begun.elapsed(), holding });
            }
        }
        Ok(())
    }

    fn restart(&mut self) -> anyhow::Result<()> {
        let began = Instant::now();
        let http = self.server.reach.http;
        self.server.stop()?;
        self.server = Server::start(self.store, http)?;
        self.down = began.elapsed();
        Ok(())
    }
}
