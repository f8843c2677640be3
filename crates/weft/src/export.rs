//! `weft export`: the log as plain files of events, as log records to an OTLP endpoint, or its messages as a message store.

mod jwz;
mod otlp;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use weft_log::export::{self, Layout, Options, Values};
use weft_log::filter::{Filter, quoted};

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{plural, tell};
use crate::prune::parse_filter;
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft export --layout daily --out events/                  events-2026-11-15.jsonl …
  weft export --layout agent --out events/ --since 7d       events-%40backend-2026-11-15.jsonl …
  weft export --layout decisions --out audit/               decisions-2026-11-15.jsonl …
  weft export --layout daily --out events/ 'dialect:needle' what a filter matches
  weft export otlp --endpoint http://127.0.0.1:4318         to an OTLP endpoint
  weft export jwz backup/.jwz                               topics and messages, as a message store

The lines are the events' own. Dates are those of the events, in UTC.
Exit codes: 0 all was exported, 1 a record is damaged or a value could not be put back, 2 wrong use or an unreadable store.";

/// Write the log to files by day, by agent, or the decisions alone; or send it by OTLP
///
/// A file is replaced whole or not at all, so that an export can be run again. Weft's own bookkeeping is left out.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    chosen: Chosen,
    /// Which files to make
    #[arg(long, value_enum, required = true)]
    layout: Option<LayoutArg>,
    /// The folder for them; made if it is not there
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,
}

/// Where else events go.
#[derive(clap::Subcommand)]
enum Action {
    Otlp(otlp::Args),
    Jwz(jwz::Args),
}

/// Which events, and what becomes of their large values.
#[derive(clap::Args)]
struct Chosen {
    /// Which events, in the filter language
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Only events from this time on: 2026-11-15, 2026-11-15T10:00, 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only events before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Put values back that were too large for their events
    #[arg(long)]
    blobs: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LayoutArg {
    /// events-DATE.jsonl
    Daily,
    /// events-AGENT-DATE.jsonl
    Agent,
    /// decisions-DATE.jsonl
    Decisions,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    match &args.action {
        Some(Action::Otlp(otlp)) => return otlp::run(&args.store, otlp),
        Some(Action::Jwz(jwz)) => return jwz::run(&args.store, jwz),
        None => {}
    }
    let needed = "--layout and --out are needed";
    let (layout, folder) = args.layout.zip(args.out.as_deref()).context(needed)?;
    let filter = args.chosen.filter()?;
    let store = args.store.store()?;
    let options = Options {
        layout: match layout {
            LayoutArg::Daily => Layout::Daily,
            LayoutArg::Agent => Layout::Agent,
            LayoutArg::Decisions => Layout::Decisions,
        },
        filter: &filter,
        values: if args.chosen.blobs { Values::Restored } else { Values::Referred },
        folder,
    };
    let mut gauge = Gauge::new("exporting", Unit::Records);
    let summary = export::export(&store, &options, &mut |done, last| gauge.set(done, last))
        .with_context(|| format!("cannot export the store {}", store.root().display()))?;
    gauge.finish();
    tell(format_args!(
        "{} in {}, {}",
        plural(summary.n_events, "event"),
        plural(summary.n_files, "file"),
        plural(summary.bytes, "byte")
    ));
    if summary.n_lost > 0 {
        tell(format_args!("note: {} damaged", plural(summary.n_lost, "record")));
    }
    if summary.n_left > 0 {
        tell(format_args!("note: {} not be put back", plural(summary.n_left, "value could")));
    }
    let is_whole = summary.n_lost == 0 && summary.n_left == 0;
    Ok(if is_whole { Outcome::Fine } else { Outcome::Found })
}

impl Chosen {
    /// Returns the filter that all arguments make together.
    fn filter(&self) -> anyhow::Result<Filter> {
        let written = self.filter.join(" ");
        parse_filter(&written)?;
        let mut parts: Vec<String> = Vec::new();
        if !written.trim().is_empty() {
            parts.push(format!("({written})"));
        }
        for (name, time) in [("since", &self.since), ("until", &self.until)] {
            parts.extend(time.as_ref().map(|time| format!("{name}:{}", quoted(time))));
        }
        parse_filter(&parts.join(" "))
    }
}
