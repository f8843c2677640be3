//! `weft bench log`: durable appends beside what the disk itself can do and beside stores that one could use instead.

pub(super) mod bare;
pub(super) mod jetstream;
mod reads;
mod report;
mod sqlite;
pub(super) mod weft;

use std::path::PathBuf;

use anyhow::Context as _;
use weft_event::sample;
use weft_log::log::Indexing;

use super::measured::{Measured, slices};
use crate::{Outcome, output};
use bare::GrowingFile;
use jetstream::JetStream;
use report::Report;
use sqlite::Sqlite;
use weft::{Secrets, Weft};

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

    let weft = Weft::open(&folder.join("weft"))?;
    let mut sqlite = Sqlite::open(&folder.join("sqlite.db"))?;
    fill(&weft, &mut sqlite, &mut supply, args.stored)?;
    let mut jetstream = JetStream::start(&folder.join("nats"))?;
    let mut disk = GrowingFile::begin(folder)?;
    let mut measured = Measured::default();
    for _ in 0..args.iterations {
        let (disk, supply, measured) = (&mut disk, &mut supply, &mut measured);
        let mut round = Round { disk, counts, supply, measured };
        round.one_at_a_time(&weft, &mut sqlite, jetstream.as_mut())?;
        round.many_at_once(&weft, jetstream.as_mut())?;
        round.in_bulk(&weft, &mut sqlite, jetstream.as_mut())?;
        measured.end_round();
    }
    measured.time("Weft, index rebuilt", weft.n_stored()?, || weft.rebuild())?;
    measured.end_round();
    let reads = reads::measure(weft.store(), &mut (Box::new(sample::events(args.seed)) as Supply));
    let report = Report {
        measured,
        reads: reads?,
        stored: args.stored,
        event_bytes: event_bytes(args.seed),
        rounds: args.iterations,
        has_nats: jetstream.is_some(),
    };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// One round, in which the ways that are compared take turns.
struct Round<'r> {
    disk: &'r mut GrowingFile,
    counts: Counts,
    supply: &'r mut Supply,
    measured: &'r mut Measured,
}

impl Round<'_> {
    fn one_at_a_time(
        &mut self,
        weft: &Weft,
        sqlite: &mut Sqlite,
        mut jetstream: Option<&mut JetStream>,
    ) -> anyhow::Result<()> {
        let log = weft.log(Indexing::AtTheEnd)?;
        for n in slices(self.counts.single) {
            let events: Vec<String> = self.supply.by_ref().take(n).collect();
            let (disk, measured) = (&mut *self.disk, &mut *self.measured);
            measured.time("disk, 1 a sync", n, || disk.append(&events, 1))?;
            measured.time("Weft, 1 producer", n, || weft.produce(&log, &events))?;
            let rows = sqlite::rows(&events);
            measured.time("SQLite, 1 a sync", n, || sqlite.insert(&rows, 1))?;
            if let Some(jetstream) = &mut jetstream {
                measured.time("JetStream, 1 in flight", n, || jetstream.publish(&events, 1))?;
            }
        }
        Ok(log.close()?)
    }

    fn many_at_once(
        &mut self,
        weft: &Weft,
        jetstream: Option<&mut JetStream>,
    ) -> anyhow::Result<()> {
        let mut events = Vec::new();
        for n in slices(self.counts.crowd) {
            for (name, indexing) in [
                ("Weft, 64 producers, index paused", Indexing::AtTheEnd),
                ("Weft, 64 producers", Indexing::Meanwhile),
            ] {
                events = self.supply.by_ref().take(n).collect();
                let log = weft.log(indexing)?;
                self.measured.time(name, n, || weft.produce_at_once(&log, &events))?;
                log.close()?;
            }
            self.measured
                .time("disk, 64 producers", n, || self.disk.group_commit(&events, PRODUCERS))?;
        }
        let Some(jetstream) = jetstream else { return Ok(()) };
        events.truncate(self.counts.single);
        self.measured
            .time("JetStream, 64 in flight", events.len(), || jetstream.publish(&events, PRODUCERS))
    }

    fn in_bulk(
        &mut self,
        weft: &Weft,
        sqlite: &mut Sqlite,
        jetstream: Option<&mut JetStream>,
    ) -> anyhow::Result<()> {
        let (disk, measured) = (&mut *self.disk, &mut *self.measured);
        let mut take = |n| self.supply.by_ref().take(n).collect::<Vec<String>>();
        let events = take(self.counts.crowd);
        for (name, together) in [("disk, 100 a sync", 100), ("disk, 1000 a sync", 1000)] {
            measured.time(name, events.len(), || disk.append(&events, together))?;
        }
        let rows = sqlite::rows(&events);
        measured.time("SQLite, 1000 a sync", rows.len(), || sqlite.insert(&rows, 1000))?;
        if let Some(jetstream) = jetstream {
            let some = &events[..events.len().min(self.counts.single)];
            measured
                .time("JetStream, 1000 in flight", some.len(), || jetstream.publish(some, 1000))?;
        }
        let log = weft.log(Indexing::AtTheEnd)?;
        let mut ways =
            [("Weft, bulk", Secrets::Redacted), ("Weft, bulk, secrets kept", Secrets::Kept)];
        for n in slices(self.counts.bulk) {
            // Neither is always the one that finds the disk rested.
            ways.reverse();
            for (name, secrets) in ways {
                let events = take(n);
                measured.time(name, n, || weft.produce_in_bulk(&log, &events, secrets))?;
            }
        }
        log.close()?;
        let events = take(self.counts.bulk);
        let log = weft.log(Indexing::Meanwhile)?;
        measured.time("Weft, bulk until indexed", events.len(), || {
            weft.produce_in_bulk(&log, &events, Secrets::Redacted)?;
            Ok(log.close()?)
        })
    }
}

/// Returns the bytes of an event on average.
fn event_bytes(seed: u64) -> u64 {
    const N_EVENTS: usize = 10_000;
    let bytes: usize = sample::events(seed).take(N_EVENTS).map(|event| event.len()).sum();
    (bytes / N_EVENTS) as u64
}

/// Stores events before anything is measured.
fn fill(weft: &Weft, sqlite: &mut Sqlite, supply: &mut Supply, n: u64) -> anyhow::Result<()> {
    const TOGETHER: usize = 10_000;
    if n == 0 {
        return Ok(());
    }
    let log = weft.log(Indexing::Meanwhile)?;
    sqlite.begin_fill()?;
    let mut left = usize::try_from(n)?;
    while left > 0 {
        let events: Vec<String> = supply.by_ref().take(left.min(TOGETHER)).collect();
        left -= events.len();
        weft.produce_in_bulk(&log, &events, Secrets::Redacted)?;
        sqlite.insert(&sqlite::rows(&events), TOGETHER)?;
    }
    sqlite.end_fill()?;
    Ok(log.close()?)
}
