//! `weft bench`: how fast Weft is on this machine, beside what one would use instead.

mod contest;
mod corpus;
mod filled;
mod folder;
mod hook;
mod ingest;
mod installed;
mod log;
mod measured;
#[cfg(feature = "peers")]
mod peers;
mod report;
mod server;
mod soak;
mod validate;
mod view;

use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft bench validate --events 50000      measure validation on 50,000 made-up events
  weft bench log --stored 1000000         measure the log when a million events are in it
  weft bench folder                       measure how a server takes in 20,000 files
  weft bench hook                         measure what a hook costs an agent
  weft bench ingest                       measure events through a server
  weft bench soak --minutes 10            keep a server busy, end it half-way, and count what arrives
  weft bench view                         measure how fast views are folded and shown";

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
    Hook(hook::Args),
    Ingest(ingest::Args),
    Soak(soak::Args),
    View(view::Args),
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Validate(args) => validate::run(&args),
        What::Log(args) => log::run(&args),
        What::Folder(args) => folder::run(&args),
        What::Hook(args) => hook::run(&args),
        What::Ingest(args) => ingest::run(&args),
        What::Soak(args) => soak::run(&args),
        What::View(args) => view::run(&args),
    }
}
