//! Loops over issues: one of them, or one after the other, each claimed and in a work tree of its own.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use weft_event::idle::{Mode, STATE_LIFE};
use weft_log::Store;
use weft_runtime::git::Git;
use weft_runtime::issues::{Claimant, Issue, IssueFilter};
use weft_runtime::loops::state::{Marks, Terms};
use weft_runtime::loops::{Frame, Kind};
use weft_runtime::worktree;

use super::start::{self, Around, Begun, TermArgs};
use super::{SessionArgs, prompt};
use crate::Outcome;
use crate::issue::{Claimed, Desk, Signature, WhoArgs};
use crate::output::{Shown, tell};
use crate::stores::StoreArgs;
use crate::times::now_ns;

const EXAMPLES: &str = "\
Examples:
  weft grind                                  every issue that is ready, one after the other
  weft grind --filter 'priority:1 tag:auth'   some of them
  weft grind --max 5 --until 'cargo test'     five at most, each with its evidence

Each issue is claimed, gets a work tree of its own, and is worked on until it is done or its iterations are used up; then comes the \
next. `weft loop` has what can be done to it meanwhile.
Exit codes: 0 it began; 1 nothing is ready, or a loop runs already; 2 wrong use, or the store cannot be written.";

/// Have an agent work through the issues that are ready
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GrindArgs {
    /// Which issues, as `weft issue list` takes it: priority:1, tag:auth
    #[arg(long, value_name = "FILTER", default_value = "")]
    filter: String,
    /// The last issue
    #[arg(long, value_name = "N", default_value_t = Mode::Grind.default_max(), value_parser = clap::value_parser!(u64).range(1..))]
    max: u64,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Have an agent work on one issue, in a work tree of its own
#[derive(clap::Args)]
pub(crate) struct StartArgs {
    /// Its id, or how that begins
    id: String,
    /// The last iteration
    #[arg(long, value_name = "N", default_value_t = Mode::Issue.default_max(), value_parser = clap::value_parser!(u64).range(1..))]
    max: u64,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    who: WhoArgs,
}

pub(crate) fn grind(args: &GrindArgs) -> anyhow::Result<Outcome> {
    let store = args.store.make()?;
    let project = start::project()?;
    let now_ns = now_ns();
    let id = start::run_id(Mode::Grind, now_ns);
    let instance = args.session.id().unwrap_or_else(|| id.clone());
    let terms = args.terms.terms(now_ns);
    let Some(first) = next_issue(&args.store, &args.filter, &instance, &project, &terms)? else {
        tell(format_args!("nothing is ready: see `weft issue list`"));
        return Ok(Outcome::Found);
    };
    let which = if args.filter.is_empty() { "all that are ready" } else { &args.filter };
    let outer = Begun {
        frame: Frame {
            prompt_file: prompt::path(&store, &id)?,
            id,
            kind: Kind::Grind { filter: args.filter.clone() },
            iter: 1,
            max: args.max,
            terms: Terms { until: Vec::new(), review: false, patience: None, ..terms },
            marks: Marks::default(),
        },
        prompt: format!("Work through the issues, one after the other: {which}.\n"),
    };
    start::begin(&store, &args.session, Around::Refuse, vec![outer, first])
}

/// Begins a loop on one issue; inside the one that runs, if one does.
pub(crate) fn start_issue(args: &StartArgs, stores: &StoreArgs) -> anyhow::Result<Outcome> {
    let store = stores.make()?;
    let now_ns = now_ns();
    let desk = Desk::open(stores)?;
    let owner = args.who.owner();
    let instance = args.session.id().unwrap_or_else(|| start::run_id(Mode::Issue, now_ns));
    let claimant = claimant(&owner, &instance);
    let issue = match desk.claim(&args.id, &claimant, &Signature::of(&owner, &instance))? {
        Claimed::Yes(issue) => issue,
        Claimed::No(refusal) => {
            tell(format_args!("{}", Shown(&refusal.to_string())));
            return Ok(Outcome::Found);
        }
        Claimed::Nothing => anyhow::bail!("there is no issue {}", args.id),
    };
    let terms = args.terms.terms(now_ns);
    let mut begun = take_up(&issue, &start::project()?, &store, &terms)?;
    begun.frame.max = args.max;
    start::begin(&store, &args.session, Around::Nest, vec![begun])
}

/// Claims the next issue that is ready, and makes its frame; none if nothing is ready.
pub(crate) fn next_issue(
    stores: &StoreArgs,
    filter: &str,
    instance: &str,
    project: &Path,
    terms: &Terms,
) -> anyhow::Result<Option<Begun>> {
    let desk = Desk::open(stores)?;
    let filter = IssueFilter::parse(filter).context("the filter of the grind")?;
    let owner = WhoArgs::nobody().owner();
    let claimant = claimant(&owner, instance);
    match desk.claim_next(&filter, &claimant, &Signature::of(&owner, instance))? {
        Claimed::Yes(issue) => take_up(&issue, project, desk.store(), terms).map(Some),
        Claimed::No(_) | Claimed::Nothing => Ok(None),
    }
}

/// Renews the claim on the issue that a loop works on.
pub(crate) fn renew(stores: &StoreArgs, issue_id: &str, instance: &str) -> anyhow::Result<()> {
    let desk = Desk::open(stores)?;
    let owner = WhoArgs::nobody().owner();
    desk.claim(issue_id, &claimant(&owner, instance), &Signature::of(&owner, instance))?;
    Ok(())
}

/// A claim counts as long as the state of a loop does.
fn claimant<'a>(owner: &'a str, instance: &'a str) -> Claimant<'a> {
    const LEASE: Duration = STATE_LIFE;
    Claimant { owner, instance, lease: LEASE }
}

/// Makes the frame of an issue, with a work tree and a prompt.
fn take_up(issue: &Issue, project: &Path, store: &Store, terms: &Terms) -> anyhow::Result<Begun> {
    let made = worktree::make(&Git::at(project), &issue.id, None)
        .with_context(|| format!("cannot make the work tree of {}", issue.id))?;
    let now_ns = now_ns();
    let id = format!("issue-{}-{}", issue.id, now_ns / 1_000_000_000);
    let prompt_file = prompt::path(store, &worktree::reduced(&id).unwrap_or_else(|| id.clone()))?;
    let prompt = format!("{}\n\n{}\n", issue.title, issue.body);
    prompt::write(store, &prompt_file, &prompt)?;
    let kind = Kind::Issue {
        issue_id: issue.id.clone(),
        worktree_path: made.path,
        branch: made.branch,
        base_ref: made.base_ref,
    };
    let terms = Terms { started_at_ns: Some(now_ns), ..terms.clone() };
    let (max, marks) = (Mode::Issue.default_max(), Marks::default());
    Ok(Begun { frame: Frame { id, kind, iter: 1, max, prompt_file, terms, marks }, prompt })
}
