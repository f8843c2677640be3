//! `weft session`: one session, as a conversation or record by record in the order of whoever produced them.

mod talk;

use std::io::{self, IsTerminal as _};

use weft_log::filter::quoted;
use weft_log::query::{Found, Order, by_producer};
use weft_log::{Filter, Position};
use weft_server::views::Moment;

use crate::columns::terminal_columns;
use crate::follow::{self, Coming, Way};
use crate::records::{
    self, Choice, End, Format, Limit, Named, Printer, ShowArgs, Sorting, collect, walk,
};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use crate::{Outcome, config, output};
use talk::{Look, Talk, Tools};

const EXAMPLES: &str = "\
Examples:
  weft session 0b9c1f9e                    a session by the beginning of its id, to be read
  weft session s-1 --full                  with all that tools were given and gave back
  weft session s-1 --talk --at 2h | less   as it was two hours ago
  weft session s-1 --watch                 as it goes on, until Ctrl-C
  weft session s-1 --limit 50              its last 50 records
  weft session s-1 --format jsonl          its events' own lines

On a terminal it reads as a conversation, tools folded to a line each, with what it cost at its end. Elsewhere, or where --format,
--limit, --order or --json is given, its records come: each producer's by its own numbers, producers beside each other by time.
Exit codes: 0, or 2 if there is no such session, several begin so, or the store cannot be read.";

const SESSION: Named = Named { field: "session", of: |facts| facts.session.as_deref() };

/// Show one session from its first record to its last
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session's id, or the beginning of it
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    store: StoreArgs,
    /// Read it as a conversation, with what it cost at its end
    #[arg(long, conflicts_with_all = ["format", "limit", "order"])]
    talk: bool,
    /// The same, with all that tools were given and gave back
    #[arg(long, conflicts_with_all = ["format", "limit", "order"])]
    full: bool,
    /// Print one JSON object a line: for each record, or for each turn with --talk
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// As it was at this position, or at this time (2h, 2026-11-15T09:30)
    #[arg(long, value_name = "POSITION|TIME")]
    at: Option<String>,
    /// Show it again whenever it changes, until Ctrl-C; of records, those that come
    #[arg(long, conflicts_with = "at")]
    watch: bool,
    /// How many records at most, or all: the last ones [default: all]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<Limit>,
    /// The order of the records [default: producer]
    #[arg(long, value_enum, value_name = "ORDER")]
    order: Option<Sorting>,
    /// How records are printed [default: table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    time: TimeArgs,
}

impl Args {
    /// Returns whether it is to be read as a conversation.
    fn is_talk(&self) -> bool {
        let is_plain = self.format.is_none() && self.limit.is_none() && self.order.is_none();
        self.talk || self.full || (is_plain && !self.json && io::stdout().is_terminal())
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let stop = args.watch.then(follow::listen).transpose()?;
    let clock = Clock::new(args.time);
    let moment = args.at.as_deref().map(|at| Moment::parse(at, clock.now_ns())).transpose()?;
    let mut records = records::open(&args.store, &Filter::all())?;
    let last = match moment {
        Some(moment) => moment.position(&args.store.store()?)?,
        None => Position::new(u64::MAX),
    };
    let id = records::resolve(&mut records, &SESSION, &args.id)?;
    let filter = Filter::parse(&format!("session={}", quoted(&id)), 0)?;
    let (store, from) = (args.store.store()?, records.head().next);
    let coming = stop.map(|stop| Coming { store, from, filter: filter.clone(), stop });
    let mut choice = Choice {
        filter: &filter,
        // Where nothing was received by then, no position counts.
        range: last
            .map_or(Position::FIRST.plus(1)..=Position::FIRST, |last| Position::FIRST..=last),
        end: End::Newest,
        limit: args.limit.unwrap_or(Limit::All),
        order: Order::Ascending,
    };
    if args.is_talk() {
        let (found, walked) = collect(&mut records, &choice)?;
        drop(records);
        walked.lost.tell();
        let prices = config::judgement(&args.store.store()?).prices;
        let write = |found: &[Found]| {
            conversation(&args, &id, &clock, &talk::read(&id, found, prices.clone()))
        };
        let way = if args.json { Way::NewLines } else { Way::of_stdout() };
        follow::show(found, write, way, coming)?;
        return Ok(Outcome::Fine);
    }
    let format = if args.json { Format::Json } else { args.format.unwrap_or(Format::Table) };
    let mut printer = Printer::new(&ShowArgs::of(format, args.time));
    let walked = match args.order.unwrap_or(Sorting::Producer) {
        Sorting::Position => walk(&mut records, &choice, &mut |page| printer.print(page))?,
        Sorting::Producer => {
            let limit = std::mem::replace(&mut choice.limit, Limit::All);
            let (found, walked) = collect(&mut records, &choice)?;
            let found = by_producer(found);
            let n_left_out = match limit {
                Limit::All => 0,
                Limit::Count(n) => found.len().saturating_sub(n),
            };
            printer.print(&found[n_left_out..])?;
            walked
        }
    };
    drop(records);
    walked.lost.tell();
    coming.map_or(Ok(()), |coming| follow::follow(coming, &mut printer))?;
    Ok(Outcome::Fine)
}

fn conversation(args: &Args, id: &str, clock: &Clock, talk: &Talk) -> String {
    if args.json {
        return talk.to_json();
    }
    let tools = if args.full { Tools::Full } else { Tools::Folded };
    let look = Look { clock, tools, columns: terminal_columns() };
    format!("session {}\n\n{}", output::Shown(id), talk.to_text(&look))
}
