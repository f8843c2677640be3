//! `weft errors`: what failed, grouped by what it says.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft errors         what failed most often first
  weft errors --json  with the first and the last place of each

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Errors,
    nothing: "nothing failed",
    columns: &[
        ("TIMES", Cell::Count("n")),
        ("SEEN", Cell::Ago("last_seen")),
        ("FIRST", Cell::Ago("first_seen")),
        ("ACTOR", Cell::Text("actors.first.actor")),
        ("POSITION", Cell::Text("last_position")),
        ("KIND", Cell::Text("kind")),
        ("WHAT", Cell::First(&["sample", "signature"])),
    ],
};

/// Show what failed, grouped by what it says
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
