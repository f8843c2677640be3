//! `weft anchor`: where to take a loop up again, as it was left in the log.

use std::env;

use anyhow::Context as _;
use weft_event::idle::Topic;
use weft_log::filter::quoted;
use weft_log::query::{Ask, Order, Records};
use weft_log::{Filter, Store};
use weft_runtime::loops::Current;
use weft_runtime::loops::anchor::{self, Work};
use weft_runtime::loops::events::Posting;

use crate::Outcome;
use crate::columns::{Columns, terminal_columns};
use crate::output::{Shown, print, tell};
use crate::posting::post;
use crate::steer::{self, SessionArgs, posts};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs, now_ns};

const EXAMPLES: &str = "\
Examples:
  weft anchor show                  the newest one of this session
  weft anchor list                  the newest twenty, of all sessions
  weft anchor save                  leave one now, of the loop that runs

Before Claude Code compacts a session that a loop runs in, an anchor is left by itself: see `weft hooks install --loops`.
Exit codes: 0 it is done; 1 there is none, or no loop runs; 2 wrong use, or the store cannot be read or written.";

/// How many are listed.
const LISTED: usize = 20;

/// Show, list and leave anchors: where to take a loop up again
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    time: TimeArgs,
    /// Print the events themselves, one a line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show the newest one of a session
    Show,
    /// List the newest ones
    List,
    /// Leave one now, of the loop that runs
    Save,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let store = args.store.store()?;
    match args.action {
        Action::Show => show(args, store),
        Action::List => list(args, store),
        Action::Save => save(args, &store),
    }
}

/// Returns the newest anchors, of one session or of all.
fn newest(store: Store, session: Option<&str>, limit: usize) -> anyhow::Result<Vec<String>> {
    let mut text = format!("topic={}", Topic::LoopAnchor);
    if let Some(session) = session {
        text += &format!(" session={}", quoted(session));
    }
    let filter =
        Filter::parse(&text, 0).map_err(|error| anyhow::anyhow!("{}", error.render(&text)))?;
    let mut records = Records::open(store)?;
    let (range, order) = (steer::whole(&records), Order::Descending);
    let page = records.page(&Ask { filter: &filter, range, order, limit })?;
    let line = |line: &Vec<u8>| String::from_utf8_lossy(line).into_owned();
    Ok(page.records.iter().map(|found| line(&found.line)).collect())
}

fn show(args: &Args, store: Store) -> anyhow::Result<Outcome> {
    let session = args.session.id();
    let Some(line) = newest(store, session.as_deref(), 1)?.pop() else {
        tell(format_args!("there is no anchor: `weft anchor save` leaves one"));
        return Ok(Outcome::Found);
    };
    if args.json {
        print(format!("{line}\n").as_bytes())?;
        return Ok(Outcome::Fine);
    }
    let anchor: serde_json::Value = serde_json::from_str(&line)?;
    let mut text = String::new();
    for (name, member) in [
        ("goal", "goal"),
        ("mode", "mode"),
        ("iteration", "iteration"),
        ("progress", "progress"),
        ("changed", "modified_files"),
        ("next", "next_step"),
        ("left", "timestamp"),
    ] {
        let value = anchor.get(member).and_then(serde_json::Value::as_str).unwrap_or_default();
        text += &format!("{name:<11}{}\n", Shown(value));
    }
    print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn list(args: &Args, store: Store) -> anyhow::Result<Outcome> {
    let lines = newest(store, args.session.id().as_deref(), LISTED)?;
    if args.json {
        print(lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes())?;
        return Ok(Outcome::Fine);
    }
    let clock = Clock::new(args.time);
    let rows = lines.iter().filter_map(|line| {
        let anchor: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| {
            anchor.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
        };
        let at_ns = weft_event::time::parse_rfc3339(&text("timestamp"));
        let at = at_ns.map_or(String::new(), |at_ns| clock.brief(at_ns));
        Some(vec![at, text("session_id"), text("mode"), text("iteration"), text("goal")])
    });
    let header = ["LEFT", "SESSION", "MODE", "ITERATION", "GOAL"];
    print(Columns::new(header, terminal_columns()).render(rows.collect()).as_bytes())?;
    Ok(Outcome::Fine)
}

fn save(args: &Args, store: &Store) -> anyhow::Result<Outcome> {
    let mut records = Records::open(store.clone())?;
    let newest = args.session.newest(&mut records)?;
    let Current::Running(state) = &newest.current else {
        tell(format_args!("no loop runs: `weft loop start` begins one"));
        return Ok(Outcome::Found);
    };
    let here = env::current_dir().context("cannot tell the current folder")?;
    let folder = steer::work_folder(state, Some(&here));
    let prompt = state.top().map(|frame| steer::read_prompt(&mut records, frame));
    let work = Work::look(&folder);
    let line = anchor::write(state, &prompt.unwrap_or_default(), &work, now_ns())
        .context("the loop has no frame")?;
    let posting = Posting { topic: Topic::LoopAnchor, key: None, line: line.clone() };
    post(store, steer::VIA, &posts(vec![posting], &newest.key), &[])?;
    print(format!("{line}\n").as_bytes())?;
    Ok(Outcome::Fine)
}
