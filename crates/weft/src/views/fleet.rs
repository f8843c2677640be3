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

Who started it, its session, host and how many it started are left out where the terminal has no room for them.
Exit codes: 0, or 2 if the store cannot be read.";

/// How much of a session's id tells it from others: ids that begin with a time differ within these.
const SESSION_CHARS: usize = 13;

const LAYOUT: Layout = Layout {
    view: Name::Fleet,
    nothing: "nobody has been there",
    columns: &[
        ("ACTOR", Cell::Text("actor")),
        ("STATUS", Cell::Text("status")),
        ("SINCE", Cell::Ago("since")),
        ("PRESENCE", Cell::Text("presence")),
        ("SEEN", Cell::Ago("last_seen")),
        ("PARENT", Cell::Spare(&Cell::Text("parent"))),
        ("SESSION", Cell::Spare(&Cell::Head("session", SESSION_CHARS))),
        ("HOST", Cell::Spare(&Cell::Text("host"))),
        ("CHILDREN", Cell::Spare(&Cell::Count("children"))),
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
