//! `weft files`: who touched which file and when, who holds it, and who gets in whose way.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft files                                where most is going on first
  weft files --collisions                   who gets in whose way
  weft files --json | jq 'select(.lease)'   files that somebody holds

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Files,
    nothing: "no file was touched",
    columns: &[
        ("HEAT", Cell::Count("heat")),
        ("READS", Cell::Count("n_reads")),
        ("WRITES", Cell::Count("n_writes")),
        ("SEEN", Cell::Ago("last_seen")),
        ("WRITTEN BY", Cell::Text("writers.first.actor")),
        ("HELD BY", Cell::Text("lease.holder")),
        ("FILE", Cell::Text("path")),
    ],
};

const COLLISIONS: Layout = Layout {
    view: Name::Collisions,
    nothing: "nobody gets in anybody's way",
    columns: &[
        ("KIND", Cell::Text("kind")),
        ("SEEN", Cell::Ago("last_seen")),
        ("ACTORS", Cell::Text("actors")),
        ("WHAT", Cell::Text("what")),
    ],
};

/// Show who touched which file
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
    /// Show instead who got in whose way in the last hour
    #[arg(long)]
    collisions: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, if args.collisions { &COLLISIONS } else { &LAYOUT })
}
