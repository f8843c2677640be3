//! `weft demo`: the made-up night of a software team as JSONL, for whoever wants something to look at or to measure with.

use std::io::{self, BufWriter, Write as _};

use anyhow::bail;
use weft_event::demo::World;
use weft_event::time;

use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft demo | weft validate -                       see that every line is valid
  weft demo --events 500 --seed 7 > night.jsonl     write another night to a file
  weft demo --start 2026-11-15T22:00:00Z | head -3  let it begin at another time

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
    /// When it begins, as an RFC 3339 time
    #[arg(long, value_name = "TIME", default_value = START)]
    start: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let Some(start_ns) = time::parse_rfc3339(&args.start).filter(|ns| *ns >= 0) else {
        bail!("--start {}: not an RFC 3339 time from 1970 on, such as {START}", args.start);
    };
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
