//! `weft sessions`: sessions, whose, where and how far.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft sessions                        whose, where, and how far
  weft sessions --json | jq -r .title  let a program read it
  weft session ID                      one of them, record by record

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Sessions,
    nothing: "there is no session",
    columns: &[
        ("SESSION", Cell::Text("session")),
        ("STATE", Cell::Text("state")),
        ("SEEN", Cell::Ago("last_seen")),
        ("ACTORS", Cell::Text("actors")),
        ("TURNS", Cell::Count("n_turns")),
        ("CALLS", Cell::Count("n_calls")),
        ("ERRORS", Cell::Count("n_errors")),
        ("COST", Cell::Dollars("cost_usd")),
        ("ABOUT", Cell::First(&["title", "last_prompt", "first_prompt", "folder"])),
    ],
};

/// List sessions, the last active first
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
