//! `weft worktree`: the work trees of issues.

mod show;

use std::collections::BTreeSet;
use std::path::Path;

use weft_runtime::git::Git;
use weft_runtime::issues;
use weft_runtime::worktree::{self, Removal, Worktree};

use crate::Outcome;
use crate::issue::{Desk, View};
use crate::output::{Format, Shown, print, tell};
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft worktree                    list them, and how far each is
  weft worktree make weft-7k       make the one of an issue: .worktrees/idle/weft-7k on idle/issue/weft-7k
  weft worktree status weft-7k     what is not committed, and what has not landed
  weft worktree prune --dry-run    which would go
  weft worktree prune              remove those that have landed and are clean

What is not committed, and commits that have not landed, are never removed. `weft land` brings them to their base.
Exit codes: 0 it is done, 2 wrong use, or git says no.";

/// List, make and remove the work trees of issues
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

/// What to do with work trees.
#[derive(clap::Subcommand)]
enum Action {
    /// List them, and how far each is
    List,
    /// Make the one of an issue, or find it; its path is printed
    Make {
        /// The issue's id
        id: String,
        /// The branch to begin from and to land on [default: idle.baseref of git's configuration, else the main branch]
        #[arg(long, value_name = "BRANCH")]
        base: Option<String>,
    },
    /// Show one, or all: what is not committed, and what has not landed
    Status {
        /// The issue's id
        id: Option<String>,
    },
    /// Remove those that have landed, are clean, and whose issue nobody works on
    Prune {
        /// Only tell which
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let git = Git::at(Path::new("."));
    match args.action.unwrap_or(Action::List) {
        Action::List => print(show::list(&worktree::list(&git)?, format).as_bytes())?,
        Action::Make { id, base } => make(&git, &id, base.as_deref(), format)?,
        Action::Status { id } => {
            let mut trees = worktree::list(&git)?;
            if let Some(given) = id {
                let ids = trees.iter().map(|tree| tree.id.as_str());
                let id = issues::resolve(ids, &given).map_or(given.clone(), str::to_owned);
                trees.retain(|tree| tree.id == id);
                anyhow::ensure!(
                    !trees.is_empty(),
                    "issue {id} has no work tree: weft worktree make {id}"
                );
            }
            print(status(&trees, format)?.as_bytes())?;
        }
        Action::Prune { dry_run } => prune(&git, &args.store, dry_run, format)?,
    }
    Ok(Outcome::Fine)
}

fn make(git: &Git, id: &str, base: Option<&str>, format: Format) -> anyhow::Result<()> {
    let made = worktree::make(git, id, base)?;
    if format == Format::Json {
        print(show::made(id, &made).as_bytes())?;
        return Ok(());
    }
    let word = if made.was_there { "was there" } else { "is made" };
    print(format!("{}\n", made.path.display()).as_bytes())?;
    let (branch, base) = (Shown(&made.branch), Shown(&made.base_ref));
    tell(format_args!("it {word}, on {branch}, to land on {base}"));
    Ok(())
}

fn status(trees: &[Worktree], format: Format) -> anyhow::Result<String> {
    if format == Format::Json {
        return Ok(show::list(trees, format));
    }
    let mut text = String::new();
    for tree in trees {
        let range = format!("{}..{}", tree.base_ref, tree.branch);
        let log = Git::at(&tree.path).look(&["log", "--oneline", "--no-decorate", &range])?;
        text.push_str(&show::one(tree, &log.unwrap_or_default()));
    }
    Ok(text)
}

fn prune(git: &Git, stores: &StoreArgs, dry_run: bool, format: Format) -> anyhow::Result<()> {
    let claimed = claimed(stores)?;
    let removal = if dry_run { Removal::Told } else { Removal::Now };
    let pruned = worktree::prune(git, &|id| claimed.contains(id), removal)?;
    print(show::pruned(&pruned, removal, format).as_bytes())?;
    Ok(())
}

/// Returns the issues that somebody works on; none where there is no store.
fn claimed(stores: &StoreArgs) -> anyhow::Result<BTreeSet<String>> {
    if !stores.folder()?.is_dir() {
        return Ok(BTreeSet::new());
    }
    let View { board, now, .. } = Desk::open(stores)?.view()?;
    let is_held = |claim: &weft_runtime::issues::Claim| !claim.is_over(&now);
    let held = board.entries().filter(|entry| entry.issue.claim.as_ref().is_some_and(is_held));
    Ok(held.map(|entry| entry.issue.id.clone()).collect())
}
