//! `weft bench view`: how fast views fold, beside a bare parse of the same records; how long the past takes to be shown; and what
//! a page of each view costs on a log of one size and of another; and what the terminal screen costs.

mod fold;
mod page;
mod past;
mod report;
mod top;

use std::path::PathBuf;

use anyhow::Context as _;

use super::log::weft::WORLD_START_NS as START_NS;
use super::measured::Measured;
use crate::{Outcome, output};
use report::Report;

const EXAMPLES: &str = "\
Facts are read before views are measured: what is measured is the fold alone.

Examples:
  weft bench view
  weft bench view --events 20000 --stored 100000 --large 1000000 --dir /var/tmp --json";

/// Fold made-up events into every view, beside parsing them; show the past, and a page of each
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many events are folded a round
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    events: u32,
    /// How many records the smaller log has, whose past is shown
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    stored: u64,
    /// How many records the larger log has
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    large: u64,
    /// Events a second that come while the terminal screen is watched
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// How long they come
    #[arg(long, value_name = "SECONDS", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..))]
    seconds: u16,
    /// How many rounds; the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// What the events are made from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where the store is made [default: the system's folder for such]
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
    let mut measured = Measured::default();
    let event_bytes = fold::measure(args, &mut measured)?;
    let store = scratch.path().join("weft");
    let past = past::measure(args, &store)?;
    let top = top::measure(args, &store)?;
    let pages = page::measure(args)?;
    let report = Report {
        measured,
        past,
        top,
        pages,
        event_bytes,
        n_events: args.events,
        sizes: [args.stored, args.large],
        rounds: args.iterations,
    };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}
