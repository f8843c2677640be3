//! `weft digest`: what each agent did in a stretch of the log, as Markdown, as a page, or for programs.

use anyhow::Context as _;
use weft_event::json::Tape;
use weft_log::filter::quoted;
use weft_log::query::{Found, Order};
use weft_log::reader::ReadError;
use weft_log::{Filter, Position, Store, filter};
use weft_server::views::{Moment, fold_at};
use weft_view::Entry;
use weft_view::digest::{Question, Told, digest};

use crate::Outcome;
use crate::config;
use crate::output;
use crate::records::{self, Choice, End, Limit, Named, walk};
use crate::stores::StoreArgs;
use crate::times::now_ns;

const EXAMPLES: &str = "\
Examples:
  weft digest                              all of the log
  weft digest --since 12h                  the last twelve hours
  weft digest --since 2026-11-15T20:00 --until 2026-11-16T08:00
  weft digest --session 0b9c1f9e           one session, by the beginning of its id
  weft digest --since 12h --html > night.html
                                           one page with charts, which needs nothing else
  weft digest --since 12h --json           all of it, for programs

It is made from the log alone: the same records give the same text. Times are in UTC.
Exit codes: 0, or 2 if a time cannot be read, there is no such session, or the store cannot be read.";

const SESSION: Named = Named { field: "session", of: |facts| facts.session.as_deref() };

/// Tell what each agent did, decided, cost, finished, broke and left, as Markdown
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Only what was received from this time on: 12h, 2026-11-15, 2026-11-15T20:00
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what was received before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print one page of HTML with charts, without scripts and without anything from elsewhere
    #[arg(long, conflicts_with = "json")]
    html: bool,
    /// Print one JSON object, with nothing cut
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let now_ns = now_ns();
    let time = |text: &Option<String>| text.as_deref().map(|text| time(text, now_ns)).transpose();
    let (since_ns, until_ns) = (time(&args.since)?, time(&args.until)?);
    let store = args.store.store()?;
    let mut records = records::open(&args.store, &Filter::all())?;
    let session = args.session.as_deref();
    let session = session.map(|id| records::resolve(&mut records, &SESSION, id)).transpose()?;
    let filter = match &session {
        Some(session) => Filter::parse(&format!("session={}", quoted(session)), 0)?,
        None => Filter::all(),
    };
    let (first, last) = range(&store, since_ns, until_ns)?;
    let mut told = Told::default();
    if let Some(last) = last.filter(|last| first <= *last) {
        let choice = Choice {
            filter: &filter,
            range: first..=last,
            end: End::Oldest,
            limit: Limit::All,
            order: Order::Ascending,
        };
        let mut tape = Tape::new();
        let walked = walk(&mut records, &choice, &mut |page| {
            page.iter().for_each(|found| take(&mut told, found, &mut tape));
            Ok(())
        })?;
        walked.lost.tell();
    }
    let moment = last.map_or(Moment::Now, Moment::Position);
    let (end, _) = fold_at(&store, moment, now_ns).context("cannot tell what is open")?;
    let judgement = config::judgement(&store);
    let question = Question {
        told: &told,
        end: end.views(),
        since_ns,
        until_ns,
        session: session.as_deref(),
        judgement: &judgement,
    };
    let digest = digest(&question);
    let text = match (args.json, args.html) {
        (true, _) => serde_json::to_string(&digest).context("cannot write the digest")? + "\n",
        (false, true) => digest.to_html(),
        (false, false) => digest.to_markdown(),
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn time(text: &str, now_ns: i64) -> anyhow::Result<i64> {
    filter::parse_time(text, now_ns).with_context(|| {
        format!("`{text}` is no time: write it as 12h, 2026-11-15 or 2026-11-15T20:00")
    })
}

/// Returns the first position that was received from a time on, and the last that was received before another, if there is one.
fn range(
    store: &Store,
    since_ns: Option<i64>,
    until_ns: Option<i64>,
) -> Result<(Position, Option<Position>), ReadError> {
    let before = |ns: i64| Moment::Time(ns.saturating_sub(1)).position(store);
    let first = match since_ns.map(before) {
        None | Some(Ok(None)) => Position::FIRST,
        Some(Ok(Some(last))) => last.plus(1),
        // What is no longer kept is not asked for, if the rest was received after that time.
        Some(Err(ReadError::Pruned { first, .. })) => first,
        Some(Err(error)) => return Err(error),
    };
    let last = match until_ns {
        Some(ns) => before(ns)?,
        None => Moment::Now.position(store)?,
    };
    Ok((first, last))
}

fn take(told: &mut Told, found: &Found, tape: &mut Tape) {
    let Some((mark, at_us)) = found.meta.mark.as_ref().zip(found.meta.at_us) else { return };
    let Some(event) = found.read(tape) else { return };
    let facts = event.facts();
    let report = event.report(&facts);
    told.apply(&Entry {
        position: found.meta.position.get(),
        received_ns: at_us.saturating_mul(1000),
        is_carried: mark.carried.is_some(),
        facts: &facts,
        report: &report,
    });
}
