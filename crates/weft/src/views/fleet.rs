//! `weft fleet`: every actor, what it does, and how it is known to be there.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft fleet                        who is there, and on what
  weft fleet --watch                the same, as it changes
  weft fleet --at 2h                as it was two hours ago
  weft fleet --json | jq -r .actor  let a program read it

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Fleet,
    nothing: "nobody has been there",
    columns: &[
        ("ACTOR", Cell::Text("actor")),
        ("STATUS", Cell::Text("status")),
        ("SINCE", Cell::Ago("since")),
        ("PRESENCE", Cell::Text("presence")),
        ("SEEN", Cell::Ago("last_seen")),
        ("ON", Cell::Text("on")),
        ("LAST WORDS", Cell::Text("message")),
    ],
};

/// Show what every agent is doing
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
