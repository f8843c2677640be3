//! `weft explain`: one event for a person: its dialect and what settled it, its facts, its problems.

pub(crate) mod show;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::input::{Item, Lines};
use weft_event::problem::Problems;

use crate::inputs::{self, Input, Source};
use crate::{Outcome, cli, output};

const EXAMPLES: &str = "\
Examples:
  weft explain events.jsonl          the first event of a file
  weft explain events.jsonl:12       the event on line 12
  tail -n 1 events.jsonl | weft explain -

Exit codes: 0 the event is valid, 1 it has errors, 2 there is no such event.";

/// Explain one event: its dialect, its facts, its problems
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A file, or - for standard input; with :LINE the event on that line, else the first
    #[arg(value_name = "FILE[:LINE]", allow_hyphen_values = true)]
    place: PathBuf,
    /// Take the line for an event of this dialect instead of telling it by its shape
    #[arg(long, value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Which event of an input is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    First,
    OnLine(u64),
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let (input, which) = parse_place(&args.place);
    let expect = args.dialect.map_or(Expect::Any, Expect::Dialect);
    let Source { name, bytes } = inputs::open(&input)?;
    let mut lines = Lines::new(bytes);
    let mut before = Problems::new();
    let mut n_events = 0;
    while let Some(item) = lines.read().with_context(|| format!("cannot read {name}"))? {
        let (number, is_event) = match item {
            Item::Line(line) => (line.number, true),
            Item::Fault(fault) => {
                before.whole(fault.kind.code(), fault.kind.to_string());
                (fault.number, fault.kind.replaces_line())
            }
        };
        if is_event && (which == Which::First || which == Which::OnLine(number)) {
            let page = show::Page::of(&name, item, expect, before);
            let text = if args.json { page.json() } else { page.text() };
            output::print(text.as_bytes())?;
            return Ok(if page.has_errors() { Outcome::Found } else { Outcome::Fine });
        }
        if is_event {
            n_events += 1;
            before.clear();
        }
    }
    match which {
        Which::First => anyhow::bail!("{name} holds no event"),
        Which::OnLine(wanted) => {
            let events = output::plural(n_events, "event");
            anyhow::bail!("{name} has no event on line {wanted}; it holds {events}")
        }
    }
}

/// Splits `FILE:LINE`; a file that has such a name itself is meant as it stands.
fn parse_place(place: &Path) -> (Input, Which) {
    let whole = || (Input::from(place.to_owned()), Which::First);
    if place.exists() {
        return whole();
    }
    let split = place.to_str().and_then(|text| text.rsplit_once(':'));
    match split.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => (Input::from(PathBuf::from(file)), Which::OnLine(line)),
        None => whole(),
    }
}
