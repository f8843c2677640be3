//! `weft bench validate`: validation beside parsing alone and beside validators that one could use instead.

use super::contest;
use super::corpus::Corpus;
use super::installed::{PROGRAMS, Run};
use super::report::{Report, Row};
use crate::{Outcome, output};

const EXAMPLES: &str = "\
Weft finds the dialect, validates everything and reads the facts; the others are told the dialect and only validate.

Examples:
  weft bench validate
  weft bench validate --events 100000 --iterations 21 --json

The jsonschema crate takes part where weft is built with `cargo build --release --features peers`.";

/// Validate made-up events of all five dialects on one core, beside other validators
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many events
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    events: u32,
    /// How many rounds; the best and the median count
    #[arg(long, value_name = "N", default_value_t = 61, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// What the events are made from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let corpus = Corpus::new(args.seed, args.events as usize);
    let outcomes = contest::run(&corpus, contest::built_in(), args.iterations as usize);
    let (n_events, n_bytes) = (corpus.n_events(), corpus.text().len());
    let mut rows: Vec<_> =
        outcomes.iter().map(|outcome| Row::of_outcome(outcome, n_events, n_bytes)).collect();
    if cfg!(not(feature = "peers")) {
        rows.push(Row::absent(
            contest::VALUE_AND_SCHEMA,
            "not built in: build weft with --features peers",
        ));
    }
    for program in &PROGRAMS {
        rows.push(match program.run(&corpus)? {
            Run::Took { best, n_events, n_bytes } => {
                Row::of_best(program.name, program.about, best, n_events, n_bytes)
            }
            Run::Absent => Row::absent(program.name, "not installed"),
        });
    }
    let report =
        Report { rows, n_events, n_bytes, rounds: args.iterations as usize, seed: args.seed };
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}
