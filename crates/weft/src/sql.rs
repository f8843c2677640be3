//! `weft sql`: one query over the index, for what no other command asks.

use std::ops::ControlFlow;

use anyhow::Context as _;
use weft_event::json::{Json, Object};
use weft_log::Filter;
use weft_log::index::{Follower, SqlError, SqlValue};

use crate::Outcome;
use crate::columns::Columns;
use crate::output::{self, Marked, plural, tell};
use crate::records;
use crate::stores::StoreArgs;

/// Rows that are printed together, and by which a table's columns are first measured.
const ROWS_TOGETHER: usize = 1000;

/// How many characters of a query are shown on either side of a fault.
const CONTEXT_CHARS: usize = 40;

const EXAMPLES: &str = "\
Examples:
  weft sql 'SELECT type, count(*) FROM events GROUP BY type ORDER BY 2 DESC'
  weft sql 'SELECT actor, sum(cost_usd) FROM events GROUP BY actor' --format csv
  weft sql \"SELECT time, type FROM events WHERE session = 's-1'\" --format json
  weft sql \"SELECT time, type FROM events WHERE position IN (SELECT value FROM json_each(positions('trace', '4bf9…')))\"
  weft sql 'SELECT sql FROM sqlite_schema'        what tables there are

The view `events` has a row for each record; docs/query.md describes it and the tables. Nothing can be changed.
A condition on position, session or topic is looked up, positions('trace' or 'task', ID) too; any other reads every row.
Exit codes: 0, or 2 if the query is wrong or the store cannot be read.";

/// Ask the index with SQL, reading only
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// One query: SELECT, WITH, VALUES or EXPLAIN
    #[arg(value_name = "QUERY")]
    query: String,
    #[command(flatten)]
    store: StoreArgs,
    /// How rows are printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    format: Format,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A table for people.
    Table,
    /// One object a line.
    Json,
    /// Comma-separated values under a header, as RFC 4180 has them.
    Csv,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let records = records::open(&args.store, &Filter::all())?;
    let Some(index) = records.index() else {
        anyhow::bail!(
            "the store has no index that can be used: make one with `weft index rebuild`"
        );
    };
    let mut rows =
        Rows { format: args.format, names: Vec::new(), waiting: Vec::new(), table: None };
    let mut printed = Ok(());
    let answer = index.sql(&args.query, |names, row| {
        rows.add(names, row);
        if rows.waiting.len() >= ROWS_TOGETHER {
            printed = rows.print();
        }
        if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let names = answer.map_err(|error| refused(error, &args.query))?;
    printed?;
    rows.begin(&names);
    rows.print()?;
    let upto = index.watermark(Follower::Core).context("cannot read the index")?;
    let lag = records.head().next.get() - 1 - upto.position.min(records.head().next.get() - 1);
    if lag > 0 {
        tell(format_args!("note: the index lacks the last {}", plural(lag, "record")));
    }
    Ok(Outcome::Fine)
}

/// Rows on their way out.
struct Rows {
    format: Format,
    names: Vec<String>,
    waiting: Vec<Vec<SqlValue>>,
    /// Made with the first row, as the names come with it.
    table: Option<Columns>,
}

impl Rows {
    fn add(&mut self, names: &[String], row: &[SqlValue]) {
        self.begin(names);
        self.waiting.push(row.to_vec());
    }

    /// Takes the names of the columns, once.
    fn begin(&mut self, names: &[String]) {
        if self.table.is_some() {
            return;
        }
        // Whoever asks for a column wants to see it, also where the terminal is narrow.
        self.table = Some(Columns::new(names, None));
        self.names = distinct(names);
        if self.format == Format::Csv {
            let header = names.iter().map(|name| SqlValue::Text(name.clone()));
            self.waiting.insert(0, header.collect());
        }
    }

    fn print(&mut self) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        let text: String = match (self.format, &mut self.table) {
            (Format::Table, Some(table)) => {
                table.render(rows.iter().map(|row| row.iter().map(plain).collect()).collect())
            }
            (Format::Table, None) => String::new(),
            (Format::Json, _) => rows.iter().map(|row| json(&self.names, row)).collect(),
            (Format::Csv, _) => rows.iter().map(|row| csv(row)).collect(),
        };
        Ok(output::print(text.as_bytes())?)
    }
}

/// Returns names of which none stands twice, as the members of an object need them.
fn distinct(names: &[String]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut candidate = name.clone();
        let mut n = 1;
        while distinct.contains(&candidate) {
            n += 1;
            candidate = format!("{name}_{n}");
        }
        distinct.push(candidate);
    }
    distinct
}

/// Returns a value as text; what is NULL is empty.
fn plain(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => String::new(),
        SqlValue::Integer(n) => n.to_string(),
        SqlValue::Real(n) => n.to_string(),
        SqlValue::Text(text) => text.clone(),
        SqlValue::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{digits}'")
        }
    }
}

fn json(names: &[String], row: &[SqlValue]) -> String {
    let mut out = String::new();
    let mut object = Object::begin(&mut out);
    for (name, value) in names.iter().zip(row) {
        match value {
            SqlValue::Null => object.json(name, &Json::null()),
            SqlValue::Integer(n) => object.json(name, &Json::integer(*n)),
            SqlValue::Real(n) if n.is_finite() => object.json(name, &Json::number(*n)),
            SqlValue::Real(_) | SqlValue::Text(_) | SqlValue::Blob(_) => {
                object.text(name, &plain(value));
            }
        }
    }
    object.end();
    out.push('\n');
    out
}

/// Returns a row as RFC 4180 has it.
fn csv(row: &[SqlValue]) -> String {
    let cell = |value: &SqlValue| {
        let text = plain(value);
        if text.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    };
    let cells: Vec<String> = row.iter().map(cell).collect();
    format!("{}\r\n", cells.join(","))
}

/// Returns what is wrong with a query, with its place where that is known.
fn refused(error: SqlError, query: &str) -> anyhow::Error {
    match error {
        SqlError::Sqlite(rusqlite::Error::SqlInputError { msg, offset, .. }) => {
            let at = usize::try_from(offset).unwrap_or(0).min(query.len());
            let at = (0..=at).rev().find(|at| query.is_char_boundary(*at)).unwrap_or(0);
            let blank = |c: char| if c.is_control() { ' ' } else { c };
            let before: String = query[..at].chars().map(blank).collect();
            let n_skipped = before.chars().count().saturating_sub(CONTEXT_CHARS);
            let before: String = before.chars().skip(n_skipped).collect();
            let after: String = query[at..].chars().map(blank).take(CONTEXT_CHARS).collect();
            let indent = before.chars().count();
            Marked(format!("{msg}\n  {before}{after}\n  {:indent$}^", "")).into()
        }
        SqlError::Sqlite(error) => anyhow::Error::new(error).context("the query failed"),
        error @ (SqlError::NotAQuery | SqlError::SeveralStatements) => error.into(),
    }
}
