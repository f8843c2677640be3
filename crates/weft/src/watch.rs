//! `weft watch`: what is posted to a topic, as it comes.

use std::time::Duration;

use anyhow::Context as _;
use weft_log::Filter;
use weft_log::filter::quoted;
use weft_log::tail::{Step, Tail};
use weft_runtime::topics::{self, Posted};

use crate::Outcome;
use crate::output;
use crate::records::{self, Limit, Lost};
use crate::signals::Stop;
use crate::stores::{self, StoreArgs};
use crate::times::{Clock, TimeArgs};
use crate::topic::shown::{self, Body};
use crate::topic::to_read;

/// How long a look for more takes at most: then Ctrl-C is noticed, and what single commands left in the spool.
const LOOK: Duration = Duration::from_millis(250);

const EXAMPLES: &str = "\
Examples:
  weft watch tasks                     the last ten messages, then what comes
  weft watch agent:builder --last 0    only what comes
  weft watch tasks --json | jq -r .body

It ends with Ctrl-C.
Exit codes: 0 it was ended, 2 wrong use, no such topic, or an unreadable store.";

/// Follow a topic as messages come
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The topic, by name
    topic: String,
    /// Begin with the last N messages, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "10")]
    last: Limit,
    /// Show the first line of each message
    #[arg(long, short = 's')]
    summary: bool,
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let stop = Stop::listen().context("cannot listen for Ctrl-C")?;
    let mut records = records::open(&args.store, &Filter::all())?;
    let topic = to_read(&mut records, &args.topic)?;
    let store = args.store.store()?;
    let limit = match args.last {
        Limit::Count(n) => n,
        Limit::All => usize::MAX - 1,
    };
    let mut before = topics::read_all(&mut records, &topic, limit)?;
    before.reverse();
    let from = records.head().next;
    drop(records);
    print(&args, &before)?;
    let filter = Filter::parse(&format!("topic={}", quoted(&topic.name)), 0)?;
    let mut tail = Tail::open(&store, from, filter).context("cannot follow the log")?;
    stop.wait_for();
    while !stop.is_asked() {
        match tail.read(LOOK).context("cannot follow the log")? {
            Step::Records { records, lost } => {
                let mut told = Lost::default();
                told.add(lost);
                told.tell();
                print(&args, &records)?;
            }
            Step::Quiet => stores::take_spool(&store)?,
        }
    }
    Ok(Outcome::Fine)
}

fn print(args: &Args, found: &[weft_log::query::Found]) -> anyhow::Result<()> {
    let clock = Clock::new(args.time);
    let shown = |posted: Posted| match args.json {
        true => format!("{}\n", shown::json(&posted, None, &clock).as_str()),
        false => {
            let end = if args.summary { "" } else { "\n" };
            shown::text(&posted, 0, Body::of(args.summary), &clock) + end
        }
    };
    let text: String = found.iter().filter_map(Posted::of).map(shown).collect();
    Ok(output::print(text.as_bytes())?)
}
