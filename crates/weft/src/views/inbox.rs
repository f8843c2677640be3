//! `weft inbox`: what needs a person, and nothing else.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft inbox                          what needs a person, the worst first
  weft inbox --watch                  the same, as it changes; a [[notify]] with `bell` rings
  weft inbox --at 9h                  what it was then
  weft inbox --json | jq -r .command  the commands that act on each, or show it

Exit codes: 0 nothing needs a person, 1 something does, 2 the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Inbox,
    nothing: "nothing needs a person",
    columns: &[
        ("NEED", Cell::Text("kind")),
        ("SINCE", Cell::Ago("since")),
        ("ACTOR", Cell::Text("actor")),
        ("WHAT", Cell::Text("what")),
        ("COMMAND", Cell::Text("command")),
    ],
};

/// Show what needs a person
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let n_needs = views::show(&args.view, &LAYOUT)?;
    Ok(if n_needs == 0 { Outcome::Fine } else { Outcome::Found })
}
