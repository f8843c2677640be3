//! `weft demo`: the made-up night of a software team as JSONL, for whoever wants something to look at or to measure with.

use std::io::{self, BufWriter, Write as _};

use anyhow::Context as _;
use weft_event::demo::World;
use weft_log::filter;

use crate::Outcome;
use crate::times::now_ns;

const EXAMPLES: &str = "\
Examples:
  weft demo | weft validate -                       see that every line is valid
  weft demo --events 500 --seed 7 > night.jsonl     write another night to a file
  weft demo --start 40m | weft ingest -             keep a night that ends about now

The same seed and start always give the same lines. About four lines are one second of the night.";

/// How much of the night there is unless said otherwise: some forty minutes.
const EVENTS: u64 = 10_000;

/// When the night begins unless said otherwise.
const START: &str = "2026-03-02T20:00:00Z";

/// Print a made-up night of agents at work, in all five dialects
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many events to print
    #[arg(long, value_name = "N", default_value_t = EVENTS)]
    events: u64,
    /// Which night it is
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// When it begins: a time, a date, or how long ago, such as 40m
    #[arg(long, value_name = "TIME", default_value = START)]
    start: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let start_ns = filter::parse_time(&args.start, now_ns()).filter(|ns| *ns >= 0);
    let start_ns = start_ns.with_context(|| {
        format!("--start {}: no time from 1970 on, such as {START}, 2026-11-15 or 40m", args.start)
    })?;
    let mut world = World::new(args.seed, start_ns);
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for _ in 0..args.events {
        let moment = world.next().expect("the world does not end");
        out.write_all(moment.line.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(Outcome::Fine)
}
