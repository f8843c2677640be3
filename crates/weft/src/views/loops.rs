//! `weft loops`: loops with their frames, iterations and age.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft loops         those that go on first
  weft loops --json  with every frame

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Loops,
    nothing: "there is no loop",
    columns: &[
        ("LOOP", Cell::Text("run")),
        ("STATE", Cell::Text("state")),
        ("MODE", Cell::Text("frames.last.mode")),
        ("ITER", Cell::Text("frames.last.iter")),
        ("MAX", Cell::Text("frames.last.max")),
        ("SEEN", Cell::Ago("last_seen")),
        ("AGE", Cell::Duration("age_ms")),
        ("NEXT", Cell::First(&["next_step", "reason", "goal"])),
    ],
};

/// Show loops, their frames and how far they are
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
