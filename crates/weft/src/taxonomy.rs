//! `weft types`: the event types of the dialects as a table.

use weft_event::Dialect;
use weft_event::json::{Json, Object};
use weft_event::taxonomy::EventType;

use crate::table::Table;
use crate::{Outcome, cli, columns, output};

const EXAMPLES: &str = "\
Examples:
  weft types                       every type of every dialect
  weft types collector             those of one dialect
  weft types --json | jq .type     let a program read them

The status is what the type makes of its actor; - leaves it as it was, and ended means that the actor is gone.";

/// List the event types: what each means, and the status it gives its actor
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only the types of this dialect
    #[arg(value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Print one JSON object a line for every type
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let dialects = match &args.dialect {
        Some(dialect) => std::slice::from_ref(dialect),
        None => Dialect::ALL,
    };
    let text: String = if args.json {
        dialects.iter().copied().map(json).collect()
    } else {
        let width = columns::terminal_columns();
        let tables: Vec<_> = dialects.iter().map(|&dialect| table(dialect, width)).collect();
        tables.join("\n")
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn table(dialect: Dialect, width: Option<usize>) -> String {
    let mut table = Table::new(["TYPE", "STATUS", "MEANING", "FIELDS"]);
    for row in dialect.taxonomy().rows() {
        table.row([row.name.to_owned(), status(row), row.about.to_owned(), row.fields.join(", ")]);
    }
    format!("{}\n{}", dialect.as_str(), table.render(width))
}

fn status(row: &EventType) -> String {
    match (row.status, row.ends) {
        (None, false) => "-".to_owned(),
        (None, true) => "ended".to_owned(),
        (Some(status), false) => status.as_str().to_owned(),
        (Some(status), true) => format!("{}, ended", status.as_str()),
    }
}

fn json(dialect: Dialect) -> String {
    let mut out = String::new();
    for row in dialect.taxonomy().rows() {
        let mut object = Object::begin(&mut out);
        object.text("dialect", dialect.as_str());
        object.text("type", row.name);
        match row.status {
            Some(status) => object.text("status", status.as_str()),
            None => object.key("status").push_str("null"),
        }
        object.json("ends", &Json::bool(row.ends));
        object.text("meaning", row.about);
        object.json("fields", &Json::array(row.fields.iter().map(|field| Json::text(field))));
        object.text("why", row.why);
        object.end();
        out.push('\n');
    }
    out
}
