//! `weft bench`: how fast Weft is on this machine, beside what one would use instead.

mod contest;
mod corpus;
mod folder;
mod installed;
mod log;
#[cfg(feature = "peers")]
mod peers;
mod report;
mod validate;

use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft bench validate --events 50000      measure validation on 50,000 made-up events
  weft bench log --stored 1000000         measure the log when a million events are in it
  weft bench folder                       measure how a server takes in 20,000 files";

/// Measure how fast Weft is on this machine
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Validate(validate::Args),
    Log(log::Args),
    Folder(folder::Args),
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Validate(args) => validate::run(&args),
        What::Log(args) => log::run(&args),
        What::Folder(args) => folder::run(&args),
    }
}
