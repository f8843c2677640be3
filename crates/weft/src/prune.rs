//! `weft prune`: old segments are archived, or deleted.

mod show;

use anyhow::Context as _;
use clap::Subcommand;
use weft_log::filter::{self, Filter};
use weft_log::log::{Hold, Indexing, Options};
use weft_log::prune::{self, Ask, Holds, Mode, Reach};
use weft_log::{Position, Store};

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{Format, Marked, print, print_if_read, tell};
use crate::stores::{self, PATIENCE, StoreArgs, owner};
use crate::times::now_ns;

const EXAMPLES: &str = "\
Examples:
  weft prune --before 30d                        archive what was received more than 30 days ago
  weft prune --before 1y --delete --dry-run      say what would be deleted
  weft prune --keep-bytes 10G --delete           keep the newest segments that fit into 10 GiB
  weft prune --before 90d --delete --hold 'session:s1'
  weft prune hold add 'tenant:acme'              never delete a segment with such a record

Segments are archived or deleted whole; the one that is written to stays.
Exit codes: 0 it is done, 1 a segment was kept back because it is damaged or held, or a newest value is damaged and lost, 2 wrong use or an unreadable store.";

/// Archive old segments, or delete them
///
/// An archive takes a fraction of the space and is read, queried and verified like the rest. Before a segment is deleted, the
/// newest value of each last-value key in it is appended again, and a record says what went; blobs that nothing refers to any
/// more go too.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    command: Option<Command>,
    /// Segments received before this time (30d, 2026-11-15) or with positions before this one
    #[arg(long, value_name = "TIME|POSITION", required_unless_present = "keep_bytes")]
    before: Option<String>,
    /// All but the newest segments that fit into so many bytes: 500M, 10G
    #[arg(long, value_name = "N", conflicts_with = "before", value_parser = parse_bytes)]
    keep_bytes: Option<u64>,
    /// Compress them; this is what is done unless --delete is given
    #[arg(long, conflicts_with = "delete")]
    archive: bool,
    /// Delete them
    #[arg(long)]
    delete: bool,
    /// Delete no segment with a record that matches; can be given more than once
    #[arg(long, value_name = "FILTER", requires = "delete")]
    hold: Vec<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Filters whose records keep their segments from being deleted
    Hold {
        #[command(subcommand)]
        command: HoldCommand,
    },
}

#[derive(Subcommand)]
enum HoldCommand {
    /// Add a hold
    Add {
        /// The filter
        filter: String,
    },
    /// List the holds
    List,
    /// Remove a hold
    Remove {
        /// The filter, as it is listed
        filter: String,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store = stores::open(&args.store.folder()?)?;
    if let Some(Command::Hold { command }) = args.command {
        return change_holds(&store, command);
    }
    let holds = holds_of(&store, &args.hold)?;
    let mode = if args.delete { Mode::Delete } else { Mode::Archive };
    let reach = match (&args.before, args.keep_bytes) {
        (Some(before), _) => reach_before(before)?,
        (None, Some(bytes)) => Reach::KeepBytes(bytes),
        (None, None) => anyhow::bail!("say how far: --before or --keep-bytes"),
    };
    let ask = Ask { reach, mode, holds: &holds };
    let format = if args.json { Format::Json } else { Format::Text };
    let cannot = || format!("cannot prune the store {}", store.root().display());
    let mut gauge = Gauge::new("pruning", Unit::Bytes);
    let mut progress = |done: prune::Progress| gauge.set(done.bytes, done.total);
    let (shown, is_all) = if args.dry_run {
        let plan = prune::plan(&store, &ask, &mut progress).with_context(cannot)?;
        (show::plan(&plan, format), plan.kept.is_empty())
    } else {
        let (hold, indexing) = (Hold::Long, Indexing::Meanwhile);
        let options = Options { owner: owner(), patience: PATIENCE, hold, indexing };
        let report = prune::run(&store, &ask, &options, &mut progress).with_context(cannot)?;
        let is_all = report.plan.kept.is_empty() && report.carried.n_unreadable == 0;
        (show::report(&report, format), is_all)
    };
    drop(gauge);
    print_if_read(shown.as_bytes())?;
    Ok(if is_all { Outcome::Fine } else { Outcome::Found })
}

fn change_holds(store: &Store, command: HoldCommand) -> anyhow::Result<Outcome> {
    let mut waiting = || {
        tell(format_args!("note: waiting for another process that prunes, or changes the holds"))
    };
    match command {
        HoldCommand::Add { filter } => Holds::add(store, parse_filter(&filter)?, &mut waiting)?,
        HoldCommand::Remove { filter } => {
            Holds::remove(store, &parse_filter(&filter)?, &mut waiting)?;
        }
        HoldCommand::List => {
            let lines: String =
                Holds::read(store)?.filters().iter().map(|filter| format!("{filter}\n")).collect();
            print(lines.as_bytes())?;
        }
    }
    Ok(Outcome::Fine)
}

/// Returns the holds of this run, which come to those of the store.
fn holds_of(store: &Store, given: &[String]) -> anyhow::Result<Vec<Filter>> {
    let holds = given.iter().map(|text| parse_filter(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let stored = Holds::read(store)?;
    if stored.filters().iter().chain(&holds).any(Filter::is_all) {
        tell(format_args!("note: a hold matches every record, so that nothing can be deleted"));
    }
    Ok(holds)
}

/// Reads a filter; what is wrong with it is shown at its place.
pub(crate) fn parse_filter(text: &str) -> anyhow::Result<Filter> {
    Ok(Filter::parse(text, now_ns()).map_err(|error| Marked(error.render(text)))?)
}

fn reach_before(text: &str) -> anyhow::Result<Reach> {
    if let Ok(number) = text.parse::<u64>() {
        let position = Position::new(number).context("positions begin at 1")?;
        return Ok(Reach::BeforePosition(position));
    }
    let time = filter::parse_time(text, now_ns())
        .with_context(|| format!("{text} is no position and no time such as 30d or 2026-11-15"))?;
    Ok(Reach::BeforeTime(time / 1000))
}

/// Reads a number of bytes, with or without a unit.
fn parse_bytes(text: &str) -> Result<u64, &'static str> {
    const WRONG: &str = "a number of bytes, such as 500000, 64K, 500M, 10G or 1T";
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(WRONG),
    };
    let number: u64 = digits.parse().map_err(|_not_a_number| WRONG)?;
    number.checked_mul(1 << shift).ok_or(WRONG)
}
