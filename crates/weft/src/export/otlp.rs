//! `weft export otlp`: events as log records, to an OTLP endpoint or as lines of OTLP/JSON.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::translate::otlp::{Batch, Request};
use weft_log::Meta;
use weft_log::blobs::{self, Blobs};
use weft_log::export;
use weft_server::subs::otlp::Sender;

use super::Chosen;
use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{Shown, plural, tell};
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft export otlp --endpoint http://127.0.0.1:4318                     every event, to a collector
  weft export otlp --endpoint https://example.com/otlp/v1/logs 'level>=warn' --since 7d
  weft export otlp --out requests.jsonl                                 one export request a line
  weft export otlp --out - dialect:needle | head -n 1

Requests have at most 512 records and 1 MiB. An endpoint that is away, or answers 429, 502, 503 or 504, is asked again, up to 8 times.
Exit codes: 0 all was exported, 1 a record was rejected, is damaged, or a value could not be put back, 2 wrong use, an unreadable store, or an endpoint that takes nothing.";

/// Send events as log records to an OTLP endpoint
///
/// Each record has the event itself as an attribute, so that another Weft has the same event. What is sent twice is kept once there.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, group = clap::ArgGroup::new("to").required(true))]
pub(super) struct Args {
    #[command(flatten)]
    chosen: Chosen,
    /// Where to post the requests, as OTLP/JSON; the path is /v1/logs if there is none
    #[arg(long, value_name = "URL", group = "to")]
    endpoint: Option<String>,
    /// Write the requests to this file instead, one a line; - for standard output
    #[arg(long, value_name = "FILE", group = "to")]
    out: Option<PathBuf>,
}

/// Where requests go.
enum Way {
    Endpoint(Box<Sender>),
    Lines(Box<dyn Write>),
}

/// What became of the events.
#[derive(Default)]
struct Tally {
    n_events: u64,
    n_requests: u64,
    n_rejected: u64,
    /// Values that could not be put back.
    n_left: u64,
}

pub(super) fn run(stores: &StoreArgs, args: &Args) -> anyhow::Result<Outcome> {
    let filter = args.chosen.filter()?;
    let store = stores.store()?;
    let mut way = match (&args.endpoint, &args.out) {
        (Some(url), _) => Way::Endpoint(Box::new(Sender::new(url)?)),
        (None, Some(file)) => Way::Lines(open(file)?),
        (None, None) => anyhow::bail!("--endpoint or --out is needed"),
    };
    let blobs = args.chosen.blobs.then(|| Blobs::new(store.blobs()));
    let (mut tally, mut batch) = (Tally::default(), Batch::new());
    let mut gauge = Gauge::new("exporting", Unit::Records);
    let n_lost = export::each_match(
        &store,
        &filter,
        &mut |done, last| gauge.set(done, last),
        &mut |meta, facts, line| {
            let line = match &blobs {
                Some(blobs) => restored(line, blobs, &mut tally),
                None => Cow::Borrowed(line),
            };
            match push(&mut batch, facts.dialect, meta, &line) {
                Some(full) => way.send(&full, &mut tally),
                None => Ok(()),
            }
        },
    )?;
    if let Some(rest) = batch.take() {
        way.send(&rest, &mut tally)?;
    }
    if let Way::Lines(out) = &mut way {
        out.flush().context("cannot write the requests")?;
    }
    gauge.finish();
    let (events, requests) = (plural(tally.n_events, "event"), plural(tally.n_requests, "request"));
    tell(format_args!("{events} in {requests}"));
    for (n, what) in [(tally.n_rejected, "rejected by the endpoint"), (n_lost, "damaged")] {
        if n > 0 {
            tell(format_args!("note: {} {what}", plural(n, "record")));
        }
    }
    if tally.n_left > 0 {
        tell(format_args!("note: {} not be put back", plural(tally.n_left, "value could")));
    }
    let is_whole = tally.n_rejected + n_lost + tally.n_left == 0;
    Ok(if is_whole { Outcome::Fine } else { Outcome::Found })
}

fn open(file: &Path) -> anyhow::Result<Box<dyn Write>> {
    if file == Path::new("-") {
        return Ok(Box::new(BufWriter::new(io::stdout())));
    }
    let file = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}

/// Returns a line with its large values put back, as far as they are there.
fn restored<'l>(line: &'l [u8], blobs: &Blobs, tally: &mut Tally) -> Cow<'l, [u8]> {
    match blobs::restore(line, blobs) {
        Ok(restored) => {
            tally.n_left += restored.left.len() as u64;
            restored.line
        }
        Err(_) => Cow::Borrowed(line),
    }
}

/// Puts an event into a batch; returns the request that was full before it.
fn push(batch: &mut Batch, dialect: Dialect, meta: &Meta, line: &[u8]) -> Option<Request> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let event = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems)?;
    batch.push(&event, meta.at_us.map(|at_us| at_us.saturating_mul(1000)))
}

impl Way {
    fn send(&mut self, request: &Request, tally: &mut Tally) -> anyhow::Result<()> {
        match self {
            Way::Lines(out) => {
                writeln!(out, "{}", request.json).context("cannot write the requests")?;
            }
            Way::Endpoint(sender) => {
                let sent = sender.send(&request.json).with_context(|| {
                    format!("{} exported before", plural(tally.n_events, "event"))
                })?;
                if sent.n_rejected > 0 {
                    let n = plural(sent.n_rejected, "record");
                    tell(format_args!("note: {n} rejected: {}", Shown(&sent.message)));
                }
                tally.n_rejected += sent.n_rejected;
            }
        }
        tally.n_events += request.n_records as u64;
        tally.n_requests += 1;
        Ok(())
    }
}
