//! `weft read`: what was posted to a topic, the newest first.

use weft_event::idle::TopicKind;
use weft_log::Filter;
use weft_runtime::topics::{self, Chosen, Posted};

use crate::Outcome;
use crate::output::{self, Shown, tell};
use crate::records::{self, Limit};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use crate::topic::shown::{self, Body};
use crate::topic::to_read;

const EXAMPLES: &str = "\
Examples:
  weft read tasks                       the last 20 messages, the newest first
  weft read tasks -s --limit 100        one line each
  weft read loop:current                the state of each session's loop, and whether it is stale
  weft read status --key builder        the value of one key
  weft read status --history            what the values were before
  weft read tasks --json | jq -r '.[0].body'

Exit codes: 0 also if nothing was posted yet, 2 wrong use, no such topic, or an unreadable store.";

/// Read what was posted to a topic, the newest first
///
/// Of a last-value topic these are the values: the newest message of each key.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The topic, by name
    topic: String,
    /// How many messages at most, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "20")]
    limit: Limit,
    /// Of a last-value topic, only this key
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Of a last-value topic, also the values that others took the place of
    #[arg(long)]
    history: bool,
    /// Show the first line of each message
    #[arg(long, short = 's')]
    summary: bool,
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let clock = Clock::new(args.time);
    let mut records = records::open(&args.store, &Filter::all())?;
    let topic = to_read(&mut records, &args.topic)?;
    let is_values = topic.kind == TopicKind::LastValue && !args.history;
    let limit = match args.limit {
        Limit::Count(n) => n,
        Limit::All => usize::MAX - 1,
    };
    let (chosen, limit) = match &args.key {
        Some(key) => (Chosen::Key(key), if is_values { limit.min(1) } else { limit }),
        None if is_values => (Chosen::Values, limit),
        None => (Chosen::All, limit),
    };
    // One more than asked for tells whether there are older ones.
    let mut found = match chosen {
        Chosen::All => topics::read_all(&mut records, &topic, limit + 1)?,
        Chosen::Values | Chosen::Key(_) => {
            topics::read(&mut records, &topic.name, chosen, limit + 1)?
        }
    };
    let has_more = found.len() > limit;
    found.truncate(limit);
    let posted: Vec<Posted> = found.iter().filter_map(Posted::of).collect();
    let text = match args.json {
        true => shown::array(&posted, &clock),
        false => shown::list(&posted, Body::of(args.summary), &clock),
    };
    output::print(text.as_bytes())?;
    if !args.json && posted.is_empty() {
        tell(format_args!("note: nothing was posted to `{}` yet", Shown(&topic.name)));
    }
    if !args.json && has_more && !(is_values && args.key.is_some()) {
        let shown = shown::messages(posted.len());
        tell(format_args!("note: these are the newest {shown}: --limit all shows the others"));
    }
    Ok(Outcome::Fine)
}
