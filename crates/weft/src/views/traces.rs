//! `weft traces`: the newest traces.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft traces     how long each took, and what failed in it
  weft trace ID   one of them, span by span

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Traces,
    nothing: "there is no trace",
    columns: &[
        ("TRACE", Cell::Text("trace")),
        ("SEEN", Cell::Ago("last_seen")),
        ("DURATION", Cell::Duration("duration_ms")),
        ("SPANS", Cell::Count("n_spans")),
        ("ERRORS", Cell::Count("n_errors")),
        ("ACTORS", Cell::Text("actors")),
        ("ROOT", Cell::Text("root")),
    ],
};

/// List the newest traces
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
