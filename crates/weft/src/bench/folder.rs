//! `weft bench folder`: how soon a server has a folder of many files in its log, and what that takes.

mod report;
mod watch;

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use weft_log::log::Indexing;
use weft_log::{Network, Store};

use super::filled::{STORED, fill};
use super::ingest::{anywhere, supply};
use super::log::weft::{Secrets, Weft};
use super::server::Server;
use crate::{Outcome, output};
use report::{Memory, Report};
use watch::Watch;

const EXAMPLES: &str = "\
A folder of files is made, and a server started that follows it. The bulk figure is that of `weft bench log`: events that are in
memory already, appended by one process and durable, with the index left for later.

Views keep what is current up to their limits, so that the memory of a server grows while its store is young. --stored puts events
in before; what grows after that grows with the folder.

Examples:
  weft bench folder
  weft bench folder --files 1000 --events 100000 --stored 0 --dir /var/tmp --json";

/// How many events the bulk figure is taken from, before and after.
const BULK_EVENTS: usize = 200_000;

/// Measure how a server takes in a folder of many files
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many files the folder has
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    files: u32,
    /// How many events are in them together
    #[arg(long, value_name = "N", default_value_t = 2_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    events: u32,
    /// How many events the store has before; with fewer the views are not as large yet as they may become
    #[arg(long, value_name = "N", default_value_t = STORED)]
    stored: u64,
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

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = tempfile::tempdir_in(&dir)
        .with_context(|| format!("cannot make a folder in {}", dir.display()))?;
    let (n_files, n_events) = (args.files as usize, args.events as usize);
    let folder = scratch.path().join("files");
    let mut supply = supply(args.seed);
    let n_bytes = write_files(&folder, n_files, n_events, &mut supply)?;

    let weft = Weft::open(&scratch.path().join("bulk"))?;
    let n_bulk = BULK_EVENTS.min(n_events);
    let mut bulk = vec![in_bulk(&weft, supply.by_ref().take(n_bulk).collect())?];
    let store = scratch.path().join("store");
    let before = fill(&store, &mut supply, args.stored)?;
    let store = following(&store, &folder)?;
    let began = Instant::now();
    let mut server = Server::start(store.root(), anywhere())?;
    let mut watch = Watch::new(&server, began);
    let first = watch.wait(|seen| seen.last > before)?;
    let quarter = watch.wait(|seen| seen.n_read >= n_events as u64 / 4)?;
    let end = watch.wait(|seen| seen.n_read >= n_events as u64)?;
    server.stop()?;
    bulk.push(in_bulk(&weft, supply.by_ref().take(n_bulk).collect())?);

    let report = Report {
        n_files,
        n_events,
        n_bytes,
        n_stored: args.stored,
        first: first.at,
        caught_up: end.at,
        bulk: bulk.iter().sum::<f64>() / bulk.len() as f64,
        memory: Memory { early: quarter.most.memory, late: end.most.memory },
        n_descriptors: end.most.descriptors,
        n_refused: end.n_refused,
    };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Makes a store whose server follows a folder.
fn following(store: &Path, folder: &Path) -> anyhow::Result<Store> {
    let store = Store::make(store, Network::Force)?;
    let path = folder.to_str().context("the folder's path is not text")?;
    fs::write(store.root().join("config.toml"), format!("[[folder]]\npath = '{path}'\n"))?;
    Ok(store)
}

/// Writes the files; returns how many bytes they have.
fn write_files(
    folder: &Path,
    n_files: usize,
    n_events: usize,
    supply: &mut impl Iterator<Item = String>,
) -> anyhow::Result<u64> {
    fs::create_dir_all(folder)?;
    let mut n_bytes = 0;
    for n in 0..n_files {
        let path = folder.join(format!("worker-{n:06}.jsonl"));
        let mut file = BufWriter::new(File::create(&path)?);
        let n_own = n_events / n_files + usize::from(n < n_events % n_files);
        for event in supply.by_ref().take(n_own) {
            n_bytes += event.len() as u64 + 1;
            writeln!(file, "{event}")?;
        }
        file.flush()?;
    }
    Ok(n_bytes)
}

/// Appends events in bulk; returns how many a second.
fn in_bulk(weft: &Weft, events: Vec<String>) -> anyhow::Result<f64> {
    let log = weft.log(Indexing::AtTheEnd)?;
    let began = Instant::now();
    weft.produce_in_bulk(&log, &events, Secrets::Redacted)?;
    let took = began.elapsed();
    log.close()?;
    Ok(events.len() as f64 / took.as_secs_f64())
}
