//! `weft bench log`: durable appends beside what the disk itself can do and beside stores that one could use instead.

mod bare;
mod jetstream;
mod report;
mod sqlite;
mod weft;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use weft_event::sample;

use crate::{Outcome, output};
use jetstream::JetStream;
use report::{Measured, Report};
use sqlite::Sqlite;
use weft::Weft;

const EXAMPLES: &str = "\
Everything is durable before it counts: a sync of the disk stands behind every answer. Weft finds the dialect, validates, reads the
facts and knows repeats; the disk and SQLite are given bytes and fields that are ready to be written. NATS takes part where the
command nats-server is found.

Examples:
  weft bench log
  weft bench log --stored 1000000 --dir /var/tmp --json";

/// Producers that write at once.
const PRODUCERS: usize = 64;

/// Measure durable appends on this disk, beside SQLite and NATS
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many events are written in bulk in each round; the slower ways write fewer
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..))]
    events: u32,
    /// How many events are stored before anything is measured
    #[arg(long, value_name = "N", default_value_t = 0)]
    stored: u64,
    /// How many rounds; the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
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

/// How many events each way writes in a round.
#[derive(Clone, Copy)]
struct Counts {
    /// One at a time.
    single: usize,
    /// By many producers at once.
    crowd: usize,
    /// A thousand at a time.
    bulk: usize,
}

/// An endless supply of events that are all different.
type Supply = Box<dyn Iterator<Item = String>>;

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = tempfile::tempdir_in(&dir)
        .with_context(|| format!("cannot make a folder in {}", dir.display()))?;
    let bulk = args.events as usize;
    let counts = Counts { single: (bulk / 100).max(1), crowd: (bulk / 4).max(PRODUCERS), bulk };
    let mut supply: Supply = Box::new(sample::events(args.seed));
    let folder = scratch.path();

    let mut weft = Weft::open(&folder.join("weft"))?;
    let mut sqlite = Sqlite::open(&folder.join("sqlite.db"))?;
    fill(&mut weft, &mut sqlite, &mut supply, args.stored)?;
    let mut jetstream = JetStream::start(&folder.join("nats"))?;
    let mut measured = Measured::default();
    for _ in 0..args.iterations {
        measure_bare(folder, counts, &mut supply, &mut measured)?;
        for (name, together, n) in
            [("SQLite, 1 a sync", 1, counts.single), ("SQLite, 1000 a sync", 1000, counts.bulk / 4)]
        {
            let events: Vec<String> = supply.by_ref().take(n.max(1)).collect();
            let rows = sqlite::rows(&events);
            measured.time(name, events.len(), || sqlite.insert(&rows, together))?;
        }
        if let Some(jetstream) = &mut jetstream {
            let events: Vec<String> = supply.by_ref().take(counts.single).collect();
            measured
                .time("JetStream, 1 in flight", events.len(), || jetstream.publish(&events, 1))?;
            measured.time("JetStream, 1000 in flight", events.len(), || {
                jetstream.publish(&events, 1000)
            })?;
        }
        weft.measure(counts, &mut supply, &mut measured)?;
    }
    measured.time("Weft, index rebuilt", weft.n_stored()?, || weft.rebuild())?;
    let report = Report {
        measured,
        stored: args.stored,
        event_bytes: weft.event_bytes(),
        rounds: args.iterations,
        has_nats: jetstream.is_some(),
    };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// What the disk can do with no more than a write and a sync.
fn measure_bare(
    folder: &std::path::Path,
    counts: Counts,
    supply: &mut Supply,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let events: Vec<String> = supply.by_ref().take(counts.crowd).collect();
    for (name, together, n) in [
        ("disk, 1 a sync", 1, counts.single),
        ("disk, 100 a sync", 100, counts.crowd),
        ("disk, 1000 a sync", 1000, counts.crowd),
    ] {
        let events = &events[..n.min(events.len())];
        measured.time(name, events.len(), || bare::append(folder, events, together))?;
    }
    measured
        .time("disk, 64 producers", events.len(), || bare::group_commit(folder, &events, PRODUCERS))
}

/// Stores events before anything is measured.
fn fill(weft: &mut Weft, sqlite: &mut Sqlite, supply: &mut Supply, n: u64) -> anyhow::Result<()> {
    const TOGETHER: usize = 10_000;
    let mut left = usize::try_from(n)?;
    while left > 0 {
        let events: Vec<String> = supply.by_ref().take(left.min(TOGETHER)).collect();
        left -= events.len();
        weft.store(&events)?;
        sqlite.insert(&sqlite::rows(&events), TOGETHER)?;
    }
    weft.settle()
}

/// Returns how long something takes.
fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(T, Duration)> {
    let started = Instant::now();
    let done = work()?;
    Ok((done, started.elapsed()))
}
