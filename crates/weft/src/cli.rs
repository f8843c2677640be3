//! The command line as a whole: the subcommands, one line each, and what several of them share.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use weft_event::Dialect;

use crate::{Outcome, bench, completions, convert, explain, merge, schema, taxonomy, validate};

const ABOUT: &str = "\
Reads, checks and explains the events that coding agents write.

An event is one JSON object on a line. Weft knows five dialects of them (idle, collector, pinchy, engine, needle) and its own \
(weft), and tells them apart by their shape.";

const EXAMPLES: &str = "\
Examples:
  weft validate logs/              check every event in a folder
  weft explain logs/a.jsonl:12     say what one event means
  weft convert --to needle a.jsonl say it in another dialect
  weft types collector             list the event types of a dialect

Exit codes: 0 all is well, 1 something was found, 2 wrong use or unreadable input.";

/// The command line.
#[derive(Parser)]
#[command(
    name = "weft",
    version,
    about = "Reads, checks and explains the events that coding agents write",
    long_about = ABOUT,
    after_help = EXAMPLES,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    Validate(validate::Args),
    Explain(explain::Args),
    Convert(Box<convert::Args>),
    Merge(merge::Args),
    Types(taxonomy::Args),
    Schema(schema::Args),
    Bench(bench::Args),
    Completions(completions::Args),
}

impl Command {
    /// Runs the subcommand.
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self {
            Command::Validate(args) => validate::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Convert(args) => convert::run(*args),
            Command::Merge(args) => merge::run(args),
            Command::Types(args) => taxonomy::run(args),
            Command::Schema(args) => schema::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Completions(args) => completions::run(args),
        }
    }
}

/// Returns the parser of an argument that names a dialect.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::WORDS)
        .map(|word| Dialect::parse(&word).expect("only the names of dialects pass"))
}
