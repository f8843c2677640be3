//! `weft work`: pieces of work, who has which, what is ready and what is blocked.

use weft_server::views::Name;

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;

const EXAMPLES: &str = "\
Examples:
  weft work                                  what is blocked or failed first
  weft work --plans                          the plans of runs
  weft work --json | jq 'select(.is_ready)'  what somebody can begin with
  weft work --at 2026-11-15                  what was left then

Exit codes: 0, or 2 if the store cannot be read.";

const LAYOUT: Layout = Layout {
    view: Name::Work,
    nothing: "there is no work",
    columns: &[
        ("ID", Cell::Text("id")),
        ("STATE", Cell::Text("state")),
        ("READY", Cell::If("is_ready", "ready")),
        ("FOR", Cell::Duration("in_state_ms")),
        ("ACTOR", Cell::Text("actor")),
        ("CLAIMS", Cell::Count("n_claims")),
        ("FAILED", Cell::Count("n_failures")),
        ("BLOCKED BY", Cell::Text("blocked_by")),
        ("TITLE", Cell::Text("title")),
    ],
};

const PLANS: Layout = Layout {
    view: Name::Plans,
    nothing: "there is no plan",
    columns: &[
        ("RUN", Cell::Text("run")),
        ("SEEN", Cell::Ago("last_seen")),
        ("DONE", Cell::Count("n_done")),
        ("STEPS", Cell::Count("steps")),
        ("GOAL", Cell::Text("goal")),
    ],
};

/// Show pieces of work: who has which, and what is left
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
    /// Show the plans of runs instead
    #[arg(long)]
    plans: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    views::run(&args.view, if args.plans { &PLANS } else { &LAYOUT })
}
