//! `weft tail`: what is there, then what comes, each record once.

use std::time::Duration;

use anyhow::Context as _;
use weft_log::Position;
use weft_log::query::{Order, Records};
use weft_log::tail::{Step, Tail};

use crate::Outcome;
use crate::records::{self, Choice, End, FilterArgs, Limit, Lost, Printer, ShowArgs, walk};
use crate::signals::Stop;
use crate::stores::{self, StoreArgs};

/// How long a look for more takes at most: then Ctrl-C is noticed, and what single commands left in the spool.
const LOOK: Duration = Duration::from_millis(250);

const EXAMPLES: &str = "\
Examples:
  weft tail                            the last ten records, then what comes
  weft tail status=error               only what fails
  weft tail --last 0 --format jsonl    only what comes, as the events' own lines
  weft tail --from 1000                everything from position 1000 on

It ends with Ctrl-C.
Exit codes: 0 it was ended, 2 wrong use or an unreadable store.";

/// Follow the log as it grows
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    store: StoreArgs,
    /// Begin at this position
    #[arg(long, value_name = "POSITION", value_parser = records::parse_position, conflicts_with = "last")]
    from: Option<Position>,
    /// Begin with the last N records that match, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "10")]
    last: Limit,
    #[command(flatten)]
    show: ShowArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let stop = Stop::listen().context("cannot listen for Ctrl-C")?;
    let mut printer = Printer::new(&args.show);
    let filter = args.filter.parse(printer.clock())?;
    let mut records = records::open(&args.store, &filter)?;
    let store = args.store.store()?;
    let from = match args.from {
        Some(from) => from,
        None => {
            let next = records.head().next;
            let choice = Choice {
                filter: &filter,
                range: Position::FIRST..=next,
                end: End::Newest,
                limit: args.last,
                order: Order::Ascending,
            };
            print_history(&mut records, &choice, &mut printer)?;
            next
        }
    };
    drop(records);
    let mut tail = Tail::open(&store, from, filter).context("cannot follow the log")?;
    stop.wait_for();
    while !stop.is_asked() {
        match tail.read(LOOK).context("cannot follow the log")? {
            Step::Records { records, lost } => {
                let mut told = Lost::default();
                told.add(lost);
                told.tell();
                printer.print(&records)?;
            }
            Step::Quiet => stores::take_spool(&store)?,
        }
    }
    Ok(Outcome::Fine)
}

fn print_history(
    records: &mut Records,
    choice: &Choice<'_>,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let walked = walk(records, choice, &mut |page| printer.print(page))?;
    walked.lost.tell();
    Ok(())
}
