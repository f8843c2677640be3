//! Records on the screen and on their way to programs: what every command that reads the log has in common.

mod bar;
mod freshen;
mod json;
mod resolve;
mod row;
mod walk;

use std::fmt;
use std::str::FromStr;

use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::query::Found;
use weft_log::{Filter, Position};

use crate::columns::{self, Columns};
use crate::output::{self, Marked, tell};
use crate::times::{Clock, TimeArgs};

pub(crate) use bar::Bar;
pub(crate) use freshen::open;
pub(crate) use json::{format_us, write_record};
pub(crate) use resolve::{Named, resolve};
pub(crate) use walk::{Choice, End, SORTED_MAX, Walked, collect, walk};

/// How records are printed.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ShowArgs {
    /// How records are printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    pub(crate) time: TimeArgs,
}

impl ShowArgs {
    /// Returns the options as if they were given.
    pub(crate) fn of(format: Format, time: TimeArgs) -> Self {
        Self { format, time }
    }
}

/// What is printed of a record.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A table for people.
    Table,
    /// One object a line: all that is known of the record, and the event.
    Json,
    /// The events' own lines, as they came.
    Jsonl,
}

/// Which records are meant.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct FilterArgs {
    /// Only records that match, such as `status=error since:2h`; words are joined, docs/filter.md has the language
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    /// Show Weft's own records too
    #[arg(long)]
    bookkeeping: bool,
}

impl FilterArgs {
    /// Reads the filter; relative times count from the clock's now.
    pub(crate) fn parse(&self, clock: &Clock) -> anyhow::Result<Filter> {
        let text = self.filter.join(" ");
        let filter = Filter::parse(&text, clock.now_ns());
        let filter = filter.map_err(|error| Marked(error.render(&text)))?;
        Ok(if self.bookkeeping { filter } else { filter.without_bookkeeping() })
    }
}

/// How many records at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// So many.
    Count(usize),
    /// No limit.
    All,
}

/// Why a text is no limit.
#[derive(Debug)]
pub(crate) struct NoLimit;

impl fmt::Display for NoLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write a number, or `all`")
    }
}

impl std::error::Error for NoLimit {}

impl FromStr for Limit {
    type Err = NoLimit;

    fn from_str(text: &str) -> Result<Self, NoLimit> {
        match text {
            "all" => Ok(Limit::All),
            digits => digits.parse().map(Limit::Count).map_err(|_not_digits| NoLimit),
        }
    }
}

/// Which record comes first.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sorting {
    /// As they were received.
    Position,
    /// Each producer's by its own numbers, producers beside each other by time.
    Producer,
}

/// Reads a position of the command line.
pub(crate) fn parse_position(text: &str) -> anyhow::Result<Position> {
    let position = text.parse().ok().and_then(Position::new);
    position.ok_or_else(|| anyhow::anyhow!("a position is a number from 1"))
}

/// Prints records one batch after the other.
pub(crate) struct Printer {
    format: Format,
    clock: Clock,
    columns: Columns,
    tape: Tape,
    problems: Problems,
}

impl Printer {
    /// Returns a printer that has printed nothing.
    pub(crate) fn new(args: &ShowArgs) -> Self {
        let clock = Clock::new(args.time);
        let columns = Columns::new(row::HEADER, columns::terminal_columns());
        let (tape, problems) = (Tape::new(), Problems::new());
        Self { format: args.format, clock, columns, tape, problems }
    }

    /// Returns what times are shown by.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns whether people read what is printed.
    pub(crate) fn is_table(&self) -> bool {
        self.format == Format::Table
    }

    /// Prints records to stdout.
    pub(crate) fn print(&mut self, records: &[Found]) -> anyhow::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let mut out = Vec::new();
        match self.format {
            Format::Table => {
                let rows = records.iter().map(|found| {
                    row::cells(found, &self.clock, &mut self.tape, &mut self.problems)
                });
                out = self.columns.render(rows.collect()).into_bytes();
            }
            Format::Json => {
                let mut text = String::new();
                for found in records {
                    write_record(&mut text, found, &mut self.tape);
                    text.push('\n');
                }
                out = text.into_bytes();
            }
            Format::Jsonl => {
                for found in records {
                    out.extend_from_slice(&found.line);
                    out.push(b'\n');
                }
            }
        }
        Ok(output::print(&out)?)
    }
}

/// Positions whose records are damaged or gone, each told once.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    ranges: Vec<(Position, Position)>,
    pruned: Vec<(Position, Position)>,
}

impl Lost {
    /// Adds runs of positions.
    pub(crate) fn add(&mut self, ranges: impl IntoIterator<Item = (Position, Position)>) {
        self.ranges.extend(ranges);
    }

    /// Adds a run of positions before the first one kept.
    pub(crate) fn add_pruned(&mut self, first: Position, last: Position) {
        self.pruned.push((first, last));
    }

    /// Tells on stderr what was lost, if anything was.
    pub(crate) fn tell(self) {
        for (first, last) in joined(self.pruned) {
            let which = range_text(first, last, ["was", "were"]);
            tell(format_args!("note: {which} pruned"));
        }
        for (first, last) in joined(self.ranges) {
            let which = range_text(first, last, ["is", "are"]);
            tell(format_args!("note: {which} damaged or gone: see `weft gaps`"));
        }
    }
}

/// Returns runs of positions in order, those that touch as one.
fn joined(mut ranges: Vec<(Position, Position)>) -> Vec<(Position, Position)> {
    ranges.sort_unstable();
    let mut joined: Vec<(Position, Position)> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(before) if first.get() <= before.1.get() + 1 => before.1 = before.1.max(last),
            Some(_) | None => joined.push((first, last)),
        }
    }
    joined
}

/// Returns a run of positions with its verb, of which there is one for a single position and one for more.
fn range_text(first: Position, last: Position, [one, many]: [&str; 2]) -> String {
    if first == last {
        format!("record {first} {one}")
    } else {
        format!("records {first} to {last} {many}")
    }
}
