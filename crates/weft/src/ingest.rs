//! `weft ingest`: files, folders and streams of events into the log, from where the last run stopped.

mod chosen;
mod pipeline;
mod report;
mod store;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::admit::Strictness;
use weft_log::source::{self, LOOK_INTERVAL, Mode, Sources, Start};
use weft_server::tail::judge::Rules;

use crate::output::{self, Format};
use crate::progress::{self, Progress};
use crate::stores::StoreArgs;
use crate::writing::Writing;
use crate::{Outcome, cli, signals};
use chosen::{Chosen, ClientArgs};
use pipeline::{Message, Pipeline};
use report::Report;
use store::{Keeper, Stored};

/// How long the store is held while nothing comes, so that others can have it.
const IDLE: Duration = Duration::from_millis(200);

/// How long an input is given to end once it is asked to; one that waits for a stream does not.
const STOP_PATIENCE: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  weft ingest events.jsonl            one file
  weft ingest logs/                   a folder, with all folders in it
  weft ingest logs/ --follow          go on as files grow and new ones come, until Ctrl-C
  my-agent | weft ingest              what is piped in
  weft ingest other/.weft/log         the log of another store
  weft ingest --claude --since 7d     what Claude Code recorded in the last week
  weft ingest --codex old/sessions    what Codex recorded, from a folder of your own

A second run goes on where the first stopped. Events that are in the log already are recognised, so reading twice is harmless.
What is refused goes to stdout, as file:line: pointer: message [code], and is kept: see weft rejects. The summary goes to stderr.
Exit codes: 0 everything read is durable, 1 something was refused or conflicts, 2 wrong use, or something could not be read or kept.";

/// Read events into the log
///
/// Reads files of any size and folders of any number of files named *.jsonl, *.ndjson and *.json. Every event is checked, told
/// from its repeats, and durable before it is counted. Without a file, standard input is read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders, or - for standard input
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    clients: ClientArgs,
    /// Go on as the inputs grow, and as new files come, until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    /// Read files again from their first line
    #[arg(long)]
    from_start: bool,
    /// Take every line for an event of this dialect instead of telling it by its shape
    #[arg(long, value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Refuse events with warnings too
    #[arg(long)]
    strict: bool,
    /// Print one JSON object a line: what is refused or conflicts, then the summary
    #[arg(long)]
    json: bool,
}

struct Options {
    chosen: Chosen,
    mode: Mode,
    start: Start,
    rules: Rules,
    format: Format,
    /// What the lines of standard input are named by: those of another run are others.
    stdin: String,
}

impl Options {
    fn resolve(args: Args) -> anyhow::Result<Self> {
        let look_interval = LOOK_INTERVAL;
        let stdin = format!("stdin-{}", Uuid::now_v7());
        let chosen = Chosen::resolve(&args.clients, args.inputs)?;
        let via = chosen.via();
        Ok(Self {
            chosen,
            mode: if args.follow { Mode::Follow { look_interval } } else { Mode::Once },
            start: if args.from_start { Start::Beginning } else { Start::Checkpoint },
            rules: Rules {
                expect: args.dialect.map_or(Expect::Any, Expect::Dialect),
                strictness: if args.strict { Strictness::Strict } else { Strictness::Lenient },
                via,
            },
            format: if args.json { Format::Json } else { Format::Text },
            stdin,
        })
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store_args = args.store.clone();
    let options = Options::resolve(args)?;
    let mut indexing = progress::indexing();
    let writing = Writing::open(&store_args, options.rules.via, &mut indexing)?;
    let store = writing.store().clone();
    drop(indexing);
    let stop = Arc::new(AtomicBool::new(false));
    let sources = Sources::new(
        options.chosen.inputs(&options.stdin),
        source::Options {
            store: store.root().to_owned(),
            mode: options.mode,
            start: options.start,
            pick: options.chosen.pick,
            stop: Arc::clone(&stop),
        },
    )?;
    let mut pipeline = Pipeline::start(sources, &store, options.rules);
    let (asked, sender) = (Arc::clone(&stop), pipeline.sender());
    signals::on_stop(move || {
        asked.store(true, Ordering::Relaxed);
        // If nobody listens any more, there is nothing left to stop.
        drop(sender.send(Message::Stop));
    })
    .context("cannot listen for signals")?;
    let progress = Progress::new(options.chosen.total_bytes());
    let mut report = Report::new(options.format, options.stdin, &progress);
    let mut keeper = Keeper::new(writing, options.rules, options.mode, stop);
    let ended = drive(&mut pipeline, &mut keeper, &mut report);
    keeper.let_go();
    progress.finish();
    report.summary()?;
    finish(ended?, options.mode, &report)
}

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// With the inputs.
    AtEnd,
    /// Because somebody asked.
    Stopped,
}

/// Stores what the pipeline gives, in order, until it ends.
fn drive(
    pipeline: &mut Pipeline,
    keeper: &mut Keeper,
    report: &mut Report<'_>,
) -> anyhow::Result<Ended> {
    let mut ended = Ended::AtEnd;
    loop {
        let limit = match (ended, keeper.is_holding()) {
            (Ended::Stopped, _) => Some(STOP_PATIENCE),
            (Ended::AtEnd, true) => Some(IDLE),
            (Ended::AtEnd, false) => None,
        };
        match pipeline.next(limit) {
            Some(Message::Judged(judged)) => match keeper.store(*judged, report)? {
                Stored::Durable(batch) => pipeline.settle(batch),
                Stored::Stopped => return Ok(Ended::Stopped),
            },
            Some(Message::Stop) => ended = Ended::Stopped,
            Some(Message::End { .. }) => {
                pipeline.finish()?;
                return Ok(ended);
            }
            // A stream that gives nothing cannot be asked to end: it is left where it is.
            None if ended == Ended::Stopped => return Ok(ended),
            None => keeper.let_go(),
        }
    }
}

fn finish(ended: Ended, mode: Mode, report: &Report<'_>) -> anyhow::Result<Outcome> {
    match (ended, mode) {
        (Ended::Stopped, Mode::Once) => {
            output::tell(format_args!("stopped before the end of the input"));
            return Ok(Outcome::Unreadable);
        }
        (Ended::AtEnd | Ended::Stopped, Mode::Once | Mode::Follow { .. }) => {}
    }
    Ok(report.outcome())
}
