//! `weft runs`: runs with their state, step, budget and verdict.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft runs         which step each is on, and what its judge says
  weft runs --json  with every step

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Runs,
    nothing: "there is no run",
    columns: &[
        ("RUN", Cell::Text("run")),
        ("STATE", Cell::Text("state")),
        ("SEEN", Cell::Ago("last_seen")),
        ("DONE", Cell::Text("n_steps_done")),
        ("STEPS", Cell::Text("n_steps")),
        ("STEP", Cell::Text("step")),
        ("VERDICT", Cell::Text("verdict")),
        ("WHAT", Cell::First(&["error", "goal", "reason"])),
    ],
};

/// Show runs, their state and how far they are
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
