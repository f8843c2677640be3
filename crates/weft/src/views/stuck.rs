//! `weft stuck`: who is at work and gets nowhere, by which rule.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft stuck         who is stuck, and what says so
  weft stuck --json  with the positions of the records that made it

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Stuck,
    nothing: "nobody is stuck",
    columns: &[
        ("ACTOR", Cell::Text("actor")),
        ("RULES", Cell::Text("rules")),
        ("SINCE", Cell::Ago("since")),
        ("TASK", Cell::Text("task")),
        ("WHAT", Cell::Text("what")),
    ],
};

/// Show who is at work and gets nowhere
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
