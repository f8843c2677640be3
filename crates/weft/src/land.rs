//! `weft land`: brings the work of an issue to its base.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use weft_event::json::Json;
use weft_runtime::git::Git;
use weft_runtime::issues::{self, Issue, Moment, ResolveError};
use weft_runtime::process::{self, Ending, Heard, Limits};
use weft_runtime::worktree::{self, CheckFailed, How, Landed, Landing, Worktree};

use crate::Outcome;
use crate::issue::{Desk, Signature, WhoArgs};
use crate::output::{Shown, plural, print, tell};
use crate::stores::StoreArgs;

/// What a check may take. Of what it prints the end matters most.
const CHECK_LIMITS: Limits = Limits { time: Duration::from_secs(30 * 60), output_bytes: 64 << 10 };

/// How many lines of a failed check are shown.
const SHOWN_LINES: usize = 20;

const EXAMPLES: &str = "\
Examples:
  weft land weft-7k                                fast-forward, push, clean up
  weft land weft-7k --rebase --verify 'cargo test' on top of what came meanwhile, if the tests pass
  weft land weft-7k --no-push --close              only here, and the issue is closed

Where anything fails, from a file that is not committed to a push that is refused, all is left as it was and the way out is told.
Exit codes: 0 it has landed, 2 it has not.";

/// Bring the work of an issue to its base, and remove its work tree
///
/// The tree must be clean. Its commits come to the base by fast-forward only; with --rebase they are put on top of the base first.
/// The base is pushed if it comes from somewhere. Then the tree and its branch go.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The issue, or how its id begins
    id: String,
    /// Put the commits on top of the base if that has gone on
    #[arg(long)]
    rebase: bool,
    /// Do not push
    #[arg(long)]
    no_push: bool,
    /// Run this in the tree first, on the very commit that lands; it must succeed
    #[arg(long, value_name = "COMMAND")]
    verify: Option<String>,
    /// Close the issue when it has landed
    #[arg(long)]
    close: bool,
    #[command(flatten)]
    who: WhoArgs,
    #[command(flatten)]
    store: StoreArgs,
    /// Print the outcome as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let git = Git::at(Path::new("."));
    let trees = worktree::list(&git)?;
    let id = match issues::resolve(trees.iter().map(|tree| tree.id.as_str()), &args.id) {
        Ok(id) => id.to_owned(),
        Err(ResolveError::None { given }) => given,
        Err(error @ ResolveError::Several { .. }) => return Err(error.into()),
    };
    // Before anything moves: to find out afterwards that it cannot be closed helps nobody.
    let desk = if args.close { Some(Desk::open(&args.store)?) } else { None };
    if let Some(desk) = &desk {
        desk.one(&id)?;
    }
    let how = if args.rebase { How::Rebase } else { How::FastForward };
    let landing = Landing { how, is_pushed: !args.no_push };
    let mut check = |tree: &Worktree| match &args.verify {
        Some(command) => verify(command, &tree.path),
        None => Ok(()),
    };
    let landed = worktree::land(&git, &id, landing, &mut check)?;
    if args.json {
        print(format!("{}\n", json(&landed).as_str()).as_bytes())?;
    } else {
        let n = plural(landed.n_commits, "commit");
        let pushed = match &landed.pushed_to {
            Some(remote) => format!(", pushed to {}", Shown(remote)),
            None => String::new(),
        };
        let (id, base) = (Shown(&landed.id), Shown(&landed.base_ref));
        tell(format_args!("{id} has landed on {base}: {n}{pushed}"));
    }
    if let Some(desk) = &desk {
        close(desk, &args.who.owner(), &landed)?;
    }
    Ok(Outcome::Fine)
}

fn verify(command: &str, tree: &Path) -> Result<(), CheckFailed> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(tree);
    let finished = process::run(shell, Heard::Together, CHECK_LIMITS)
        .map_err(|error| CheckFailed(format!("`{command}` cannot be run: {error}")))?;
    let how = match finished.ending {
        Ending::Code(0) => return Ok(()),
        Ending::Code(code) => format!("ended with {code}"),
        Ending::Signal(signal) => format!("was ended by signal {signal}"),
        Ending::TimedOut => format!("took longer than {} s", CHECK_LIMITS.time.as_secs()),
    };
    let output = String::from_utf8_lossy(&finished.output);
    let lines: Vec<&str> = output.lines().collect();
    for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        tell(format_args!("  {}", Shown(line)));
    }
    Err(CheckFailed(format!("`{command}` {how}")))
}

fn close(desk: &Desk, owner: &str, landed: &Landed) -> anyhow::Result<()> {
    let reason = format!("landed on {} as {}", landed.base_ref, landed.commit);
    let make = &mut |issue: &Issue, now: &Moment| {
        Ok(issues::close(issue, Some(&reason), now).into_iter().collect())
    };
    desk.change(&landed.id, &Signature::of(owner, owner), make)?;
    tell(format_args!("{} is closed", Shown(&landed.id)));
    Ok(())
}

fn json(landed: &Landed) -> Json<'static> {
    Json::object(|object| {
        object.text("id", &landed.id);
        object.text("base", &landed.base_ref);
        object.text("commit", &landed.commit);
        object.json("commits", &Json::integer(landed.n_commits));
        object.json("pushed_to", &landed.pushed_to.as_deref().map_or_else(Json::null, Json::text));
    })
}
