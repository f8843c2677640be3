//! `weft log`: the records that match, in the log's order or their producers'.

use std::ops::RangeInclusive;

use anyhow::bail;
use weft_log::disk::RealDisk;
use weft_log::query::{Order, by_producer};
use weft_log::{Filter, Position, Store, reader};

use crate::Outcome;
use crate::output::tell;
use crate::records::{
    self, Choice, End, FilterArgs, Limit, Printer, ShowArgs, Sorting, Walked, collect, walk,
};
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft log                                the last 20 records
  weft log status=error since:2h          what failed in the last two hours
  weft log 'type=bead.* actor=alpha'      what one worker did with its beads
  weft log 'disk full' --limit 5          words of the events' text
  weft log --after 1000 --limit 50        the 50 records behind position 1000
  weft log --limit all --format jsonl     every event's own line, oldest first

The newest record comes last. Filters are described in docs/filter.md.
Exit codes: 0 also if nothing matches, 2 wrong use or an unreadable store.";

/// Show the records of the log that match
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    store: StoreArgs,
    /// How many records at most, or all: the last ones, with --after alone the first ones
    #[arg(long, short = 'n', value_name = "N", default_value = "20")]
    limit: Limit,
    /// Only records behind this position
    #[arg(long, value_name = "POSITION", value_parser = records::parse_position)]
    after: Option<Position>,
    /// Only records before this position
    #[arg(long, value_name = "POSITION", value_parser = records::parse_position)]
    before: Option<Position>,
    /// The order of the chosen records
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sorting::Position)]
    order: Sorting,
    /// Print the last one first
    #[arg(long)]
    reverse: bool,
    #[command(flatten)]
    show: ShowArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut printer = Printer::new(&args.show);
    let filter = args.filter.parse(printer.clock())?;
    let mut records = records::open(&args.store, &filter)?;
    check_kept(records.store(), args.after, args.before)?;
    let Some(choice) = choice(&args, &filter) else { return Ok(Outcome::Fine) };
    let walked = match args.order {
        Sorting::Position => walk(&mut records, &choice, &mut |page| printer.print(page))?,
        Sorting::Producer => {
            let (found, walked) = collect(&mut records, &choice)?;
            let mut found = by_producer(found);
            if args.reverse {
                found.reverse();
            }
            printer.print(&found)?;
            walked
        }
    };
    if printer.is_table() {
        tell_rest(&walked, choice.end);
    }
    walked.lost.tell();
    Ok(Outcome::Fine)
}

/// Refuses to go on behind a position, or back from one, that was pruned: whoever counts on what was there would not see that it is
/// gone.
fn check_kept(
    store: &Store,
    after: Option<Position>,
    before: Option<Position>,
) -> anyhow::Result<()> {
    let Some(first) = reader::first_kept(RealDisk, store.root())? else { return Ok(()) };
    // Nothing was missed if the next one is the first that is kept.
    let is_missing = |after: &Position| after.get().saturating_add(1) < first.get();
    if let Some(after) = after.filter(is_missing) {
        let from = first.get() - 1;
        bail!(
            "position {after} was pruned: the log begins at {first}, and --after {from} reads from there"
        );
    }
    if let Some(before) = before.filter(|before| *before < first) {
        bail!("position {before} was pruned: the log begins at {first}");
    }
    Ok(())
}

/// Settles what is asked for; `None` if there is nothing between the positions named.
fn choice<'f>(args: &Args, filter: &'f Filter) -> Option<Choice<'f>> {
    let range = range(args.after, args.before)?;
    let is_forward = args.after.is_some() && args.before.is_none();
    let end = if is_forward { End::Oldest } else { End::Newest };
    let order = if args.reverse { Order::Descending } else { Order::Ascending };
    Some(Choice { filter, range, end, limit: args.limit, order })
}

fn range(after: Option<Position>, before: Option<Position>) -> Option<RangeInclusive<Position>> {
    let last = Position::new(u64::MAX).expect("it is not 0");
    let start =
        after.map_or(Some(Position::FIRST), |after| Position::new(after.get().checked_add(1)?))?;
    let end = before.map_or(Some(last), |before| Position::new(before.get() - 1))?;
    (start <= end).then_some(start..=end)
}

/// Tells a person what the table does not show: that nothing matches, or that more does.
fn tell_rest(walked: &Walked, end: End) {
    match (walked.taken, end) {
        (None, _) => tell(format_args!("note: no record matches")),
        (Some(_), _) if !walked.has_more => {}
        (Some((first, _)), End::Newest) => {
            tell(format_args!("note: there are older ones: --before {first}"));
        }
        (Some((_, last)), End::Oldest) => {
            tell(format_args!("note: there are newer ones: --after {last}"));
        }
    }
}
