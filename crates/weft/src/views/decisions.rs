//! `weft decisions`: what was decided, why, and what was turned down.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft decisions                            the newest first
  weft decisions --json | jq -r .rationale  why

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Decisions,
    nothing: "nothing was decided",
    columns: &[
        ("SEEN", Cell::Ago("last_seen")),
        ("ACTOR", Cell::Text("actor")),
        ("CATEGORY", Cell::Text("category")),
        ("CHOSEN", Cell::Text("chosen")),
        ("REJECTED", Cell::Count("rejected")),
        ("WHY", Cell::Text("rationale")),
    ],
};

/// Show what was decided, and why
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
