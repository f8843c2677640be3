//! `weft issue`: what is to be done, who has it, and what stands in its way. Kept in the log.

mod change;
mod claim;
mod desk;
mod list;
mod show;
mod source;
mod who;

use weft_runtime::issues::{Priority, Status};

use crate::Outcome;
use crate::output::Format;
use crate::steer;
use crate::stores::StoreArgs;

pub(crate) use desk::{Claimed, Desk, View};
pub(crate) use who::{Signature, WhoArgs};

const EXAMPLES: &str = "\
Examples:
  weft issue new 'Log in with a token' -p 1 -t auth   make one; its id is printed
  weft issue                                          list what is not done
  weft issue ready                                    list what can be begun
  weft issue claim --next priority:1 --as ada         take the first that can be begun
  weft issue show weft-7k                             one of them, and how it came to be so
  weft issue dep weft-7k blocks weft-9x               the second waits for the first
  weft issue start weft-7k                            have an agent work on it, in a work tree of its own
  weft issue close weft-7k --reason 'done in 4f2a'
  weft issue ready --from .beads                      of those that beads keeps

An id may be begun, as long as one alone begins so. Many processes can claim at once: each issue goes to one of them.
Exit codes: 0 it is done, 1 it cannot be claimed or released, or nothing is ready to be claimed, 2 wrong use, or no such issue.";

/// Make, list, claim, change and close issues
///
/// An issue is kept in the log, in a topic of its own; every change is a whole snapshot, so that all that ever was said of it is
/// there. A claim has an owner and a lease that the owner renews by claiming again.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    store: StoreArgs,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    json: bool,
}

/// What to do with issues.
#[derive(clap::Subcommand)]
enum Action {
    New(change::NewArgs),
    List(list::ListArgs),
    Ready(list::ReadyArgs),
    Show(list::ShowArgs),
    Edit(change::EditArgs),
    Close(change::CloseArgs),
    Dep(change::DepArgs),
    Claim(claim::ClaimArgs),
    Release(claim::ReleaseArgs),
    Start(Box<steer::StartArgs>),
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let stores = &args.store;
    match args.action.unwrap_or_else(|| Action::List(list::ListArgs::default())) {
        Action::New(new) => change::make(stores, new, format),
        Action::List(list) => list::list(stores, &list, format),
        Action::Ready(ready) => list::ready(stores, &ready, format),
        Action::Show(show) => list::show(stores, &show, format),
        Action::Edit(edit) => change::edit(stores, edit, format),
        Action::Close(close) => change::close(stores, &close, format),
        Action::Dep(dep) => change::dep(stores, &dep, format),
        Action::Claim(claim) => claim::claim(stores, &claim, format),
        Action::Release(release) => claim::release(stores, &release, format),
        Action::Start(start) => steer::start_issue(&start, stores),
    }
}

fn status(word: &str) -> Result<Status, &'static str> {
    Status::parse(word).ok_or("not one of open, in_progress, paused, duplicate and closed")
}

fn priority(text: &str) -> Result<Priority, &'static str> {
    let number = text.parse().ok().and_then(Priority::new);
    number.ok_or("not a number from 1, the highest, to 5")
}
