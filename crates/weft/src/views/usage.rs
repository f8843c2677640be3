//! `weft usage`: tokens and cost, by actor, session, task, model or day, and budgets.

use super::layout::{Cell, Layout};
use super::{self as views, ViewArgs};
use crate::Outcome;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use weft_server::views::{GROUPINGS, Name};
use weft_view::usage::By;

const EXAMPLES: &str = "\
Examples:
  weft usage                    by actor, what cost most first
  weft usage --by day           by day
  weft usage --budgets          how far budgets are used
  weft usage --by model --json  for a program

Exit codes: 0, or 2 if the store cannot be read.";

const ACTORS: Layout = layout(&columns("no actor"));
const SESSIONS: Layout = layout(&columns("no session"));
const TASKS: Layout = layout(&columns("no task"));
const MODELS: Layout = layout(&columns("no model"));
const DAYS: Layout = layout(&columns("no day"));

const fn layout(columns: &'static [(&'static str, Cell)]) -> Layout {
    Layout { view: Name::Usage, nothing: "no usage was reported", columns }
}

/// Returns the columns, of which the first says so where usage came without what it is grouped by.
const fn columns(none: &'static str) -> [(&'static str, Cell); 10] {
    [
        ("NAME", Cell::Or("name", none)),
        ("COST", Cell::Dollars("cost_usd")),
        ("ESTIMATED", Cell::Dollars("estimated_usd")),
        ("TOKENS", Cell::Count("total_tokens")),
        ("INPUT", Cell::Count("input_tokens")),
        ("OUTPUT", Cell::Count("output_tokens")),
        ("CACHE READ", Cell::Count("cache_read_tokens")),
        ("CACHE WRITE", Cell::Count("cache_write_tokens")),
        ("UNPRICED", Cell::Count("unpriced_tokens")),
        ("SEEN", Cell::Ago("last_seen")),
    ]
}

const BUDGETS: Layout = Layout {
    view: Name::Budgets,
    nothing: "there is no budget",
    columns: &[
        ("MARK", Cell::Text("mark")),
        ("USED", Cell::Share("fraction")),
        ("OF", Cell::Text("limit")),
        ("UNIT", Cell::Text("unit")),
        ("SCOPE", Cell::Text("scope")),
        ("ACTOR", Cell::Text("actor")),
        ("SESSION", Cell::Text("session")),
        ("TASK", Cell::Text("task")),
        ("DAY", Cell::Text("day")),
        ("MOST BY", Cell::Text("spender")),
        ("SINCE", Cell::Ago("since")),
    ],
};

/// Show tokens and cost
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    view: ViewArgs,
    /// What usage is grouped by
    #[arg(long, value_name = "BY", default_value = "actor", value_parser = by_parser(), conflicts_with = "budgets")]
    by: By,
    /// Show budgets instead, and how far each is used
    #[arg(long)]
    budgets: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let layout = match args.by {
        _ if args.budgets => &BUDGETS,
        By::Actor => &ACTORS,
        By::Session => &SESSIONS,
        By::Task => &TASKS,
        By::Model => &MODELS,
        By::Day => &DAYS,
    };
    views::show_by(&args.view, layout, args.by)?;
    Ok(Outcome::Fine)
}

fn by_parser() -> impl TypedValueParser<Value = By> {
    PossibleValuesParser::new(GROUPINGS.map(|(word, _)| word)).map(|word| {
        let grouping = GROUPINGS.iter().find(|(known, _)| *known == word);
        grouping.expect("only the words of groupings pass").1
    })
}
