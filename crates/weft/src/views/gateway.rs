//! `weft gateway`: sessions, answers, peers, jobs, components and revisions of a gateway.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft gateway                     its components, sessions, answers, peers, jobs and revisions
  weft gateway --limit all --json  all of it, for a program

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Gateway,
    nothing: "there is no gateway",
    columns: &[
        ("PART", Cell::Text("part")),
        ("TENANT", Cell::Text("tenant")),
        (
            "NAME",
            Cell::First(&["pairing", "revision", "component", "id", "session", "name", "job"]),
        ),
        ("STATE", Cell::First(&["turn", "phase", "is_current"])),
        ("SEEN", Cell::FirstAgo(&["last_seen", "since", "last_run", "applied"])),
        ("KIND", Cell::First(&["kind", "agent", "channel", "reason"])),
        ("WHAT", Cell::First(&["text", "error", "uri"])),
    ],
};

/// Show what goes through a gateway
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, &LAYOUT)
}
