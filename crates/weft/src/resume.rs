//! `weft resume`: what was in flight, and the command that takes up each of it.

use std::path::Path;

use weft_event::idle::{Topic, is_stale};
use weft_event::json::Json;
use weft_log::query::Records;
use weft_runtime::git::Git;
use weft_runtime::loops::{Current, State};
use weft_runtime::worktree;

use crate::Outcome;
use crate::columns::{Columns, terminal_columns};
use crate::issue::{Desk, View};
use crate::output::{print, tell};
use crate::steer::Newest;
use crate::stores::StoreArgs;
use crate::times::now_ns;

const EXAMPLES: &str = "\
Examples:
  weft resume           what was in flight, after a crash or in the morning
  weft resume --json    the same for programs, one object a line

Loops that have not ended, issues that somebody has claimed, and work trees with work that has not landed.
Exit codes: 0 there is something, 1 there is nothing, 2 wrong use, or the store cannot be read.";

/// List what was in flight, with the command that takes up each of it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one object a line
    #[arg(long)]
    json: bool,
}

/// Something that was in flight.
struct Flight {
    what: &'static str,
    name: String,
    state: String,
    command: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut flights = loops(&args.store)?;
    flights.extend(issues(&args.store)?);
    flights.extend(trees());
    if args.json {
        let line = |flight: &Flight| {
            let object = Json::object(|object| {
                object.text("what", flight.what);
                object.text("name", &flight.name);
                object.text("state", &flight.state);
                object.text("command", &flight.command);
            });
            format!("{}\n", object.as_str())
        };
        print(flights.iter().map(line).collect::<String>().as_bytes())?;
    } else if flights.is_empty() {
        tell(format_args!("nothing is in flight"));
    } else {
        let row = |it: &Flight| {
            vec![it.what.to_owned(), it.name.clone(), it.state.clone(), it.command.clone()]
        };
        let rows = flights.iter().map(row).collect();
        let header = ["WHAT", "NAME", "STATE", "TAKE IT UP WITH"];
        print(Columns::new(header, terminal_columns()).render(rows).as_bytes())?;
    }
    Ok(if flights.is_empty() { Outcome::Found } else { Outcome::Fine })
}

fn loops(stores: &StoreArgs) -> anyhow::Result<Vec<Flight>> {
    let mut records = Records::open(stores.store()?)?;
    let topic = Topic::LoopCurrent.to_string();
    let keys = records.index().map(|index| index.latest_of(&topic)).transpose()?;
    let mut flights = Vec::new();
    for (key, _) in keys.unwrap_or_default() {
        if let Current::Running(state) = Newest::of(&mut records, &key)?.current {
            flights.push(of_loop(&state, &key));
        }
    }
    Ok(flights)
}

fn of_loop(state: &State, session: &str) -> Flight {
    let frame = state.top();
    let place = frame
        .map_or(String::new(), |frame| format!("{} {}", frame.mode().as_str(), frame.iteration()));
    let is_old = is_stale(state.updated_at_ns, now_ns());
    let mut told = place;
    if let Some(pause) = state.paused {
        told += &format!(", {}", pause.as_str());
    }
    if is_old {
        told += ", stale";
    }
    let renew = if is_old || state.paused.is_some() {
        format!("weft loop resume --session {session} && ")
    } else {
        String::new()
    };
    let command = match session {
        "" => "weft loop status".to_owned(),
        session => format!("{renew}claude --resume {session}"),
    };
    Flight { what: "loop", name: state.run_id.clone(), state: told, command }
}

fn issues(stores: &StoreArgs) -> anyhow::Result<Vec<Flight>> {
    let View { board, now, .. } = Desk::open(stores)?.view()?;
    let claimed = board.entries().filter_map(|entry| {
        let claim = entry.issue.claim.as_ref()?;
        let over = if claim.is_over(&now) { ", its lease is over" } else { "" };
        Some(Flight {
            what: "issue",
            name: entry.issue.id.clone(),
            state: format!("{} has it{over}", claim.owner),
            command: format!("weft issue start {}", entry.issue.id),
        })
    });
    Ok(claimed.collect())
}

/// Work trees of the repository that the command runs in; none outside of one.
fn trees() -> Vec<Flight> {
    let trees = worktree::list(&Git::at(Path::new("."))).unwrap_or_default();
    let is_open = |tree: &worktree::Worktree| tree.n_ahead > 0 || !tree.uncommitted.is_empty();
    let open = trees.into_iter().filter(is_open).map(|tree| Flight {
        what: "work tree",
        state: format!("{} not committed, {} not landed", tree.uncommitted.len(), tree.n_ahead),
        command: match tree.uncommitted.is_empty() {
            true => format!("weft land {}", tree.id),
            false => format!("cd {}", tree.path.display()),
        },
        name: tree.id,
    });
    open.collect()
}
