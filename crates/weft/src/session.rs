//! `weft session`: all records of one session, in the order of whoever produced them.

use weft_log::query::{Order, by_producer};
use weft_log::{Filter, Position};

use crate::Outcome;
use crate::records::{
    self, Choice, End, Limit, Named, Printer, ShowArgs, Sorting, collect, quoted, walk,
};
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft session 0b9c1f9e                    a session by the beginning of its id
  weft session s-1 --limit 50              its last 50 records
  weft session s-1 --format jsonl          its events' own lines

Each producer's records come by its own numbers, producers beside each other by time.
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
    /// How many records at most, or all: the last ones
    #[arg(long, short = 'n', value_name = "N", default_value = "all")]
    limit: Limit,
    /// The order of the records
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sorting::Producer)]
    order: Sorting,
    #[command(flatten)]
    show: ShowArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut printer = Printer::new(&args.show);
    let mut records = records::open(&args.store, &Filter::all())?;
    let id = records::resolve(&mut records, &SESSION, &args.id)?;
    let filter = Filter::parse(&format!("session={}", quoted(&id)), 0)?;
    let mut choice = Choice {
        filter: &filter,
        range: Position::FIRST..=Position::new(u64::MAX).expect("it is not 0"),
        end: End::Newest,
        limit: args.limit,
        order: Order::Ascending,
    };
    let walked = match args.order {
        Sorting::Position => walk(&mut records, &choice, &mut |page| printer.print(page))?,
        Sorting::Producer => {
            choice.limit = Limit::All;
            let (found, walked) = collect(&mut records, &choice)?;
            let found = by_producer(found);
            let n_left_out = match args.limit {
                Limit::All => 0,
                Limit::Count(n) => found.len().saturating_sub(n),
            };
            printer.print(&found[n_left_out..])?;
            walked
        }
    };
    walked.lost.tell();
    Ok(Outcome::Fine)
}
