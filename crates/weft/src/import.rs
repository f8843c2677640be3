//! `weft import`: what other tools kept, as events in the log.

mod rows;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use rusqlite::{Connection, OpenFlags};
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::admit::{Arrival, Gate, Refusal as Unfit, Strictness};
use weft_log::blobs::{ShrinkError, Which};
use weft_log::log::Outcome as Stored;
use weft_log::rejected::{Reason, Refusal, Rejected, With};
use weft_server::socket::request::Sent;

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{plural, tell};
use crate::stores::StoreArgs;
use crate::times::now_ns;
use crate::writing::Writing;
use rows::{Columns, Row, RowError};

/// The way in, as records and refusals have it.
const VIA: &str = "import";

/// The dialect that rows become events of.
const DIALECT: Dialect = Dialect::Collector;

/// Rows that are stored together.
const ROWS_TOGETHER: usize = 1000;

const EXAMPLES: &str = "\
Examples:
  weft import sqlite updates.db --table agent_updates
  weft import sqlite old.db --table status --map agent=agent_id --map created_at=timestamp

Fields: agent_id, status, timestamp, message, session_id, progress, parent, event_id, metadata.
A column has the field of its own name unless --map says otherwise; other columns become metadata.
Exit codes: 0 every row is in the log, 1 some were refused (`weft rejects`), 2 wrong use or an unreadable database.";

/// Bring what other tools kept into the log
///
/// Rows of a status table become events of the collector dialect: the status word gives the type. An import can be run again,
/// also after rows were added: a row that is in the log already is known by its table, its number and its content.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Import the rows of a status table of an SQLite database
    Sqlite {
        /// The database; it is only read
        #[arg(value_name = "DB")]
        database: PathBuf,
        /// The table
        #[arg(long, value_name = "T")]
        table: String,
        /// Take a column for a field
        #[arg(long = "map", value_name = "COLUMN=FIELD", value_parser = rows::parse_map)]
        map: Vec<(String, rows::Field)>,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let Command::Sqlite { database, table, map } = args.command;
    let connection = open(&database)?;
    let cannot = || format!("cannot read table {table} of {}", database.display());
    let mut statement = rows::prepare(&connection, &table).with_context(cannot)?;
    let columns = Columns::resolve(&statement, &map)?;
    let total = rows::count(&connection, &table).with_context(cannot)?;
    let writing = Writing::open(&args.store, VIA, &mut |_| {})?;
    let mut import = Import {
        gate: Gate::new(writing.store(), Which::Largest, Strictness::Lenient),
        rejected: Rejected::new(writing.store()),
        writing,
        lines: Vec::new(),
        events: Vec::new(),
        refused: Vec::new(),
        counts: Counts::default(),
    };
    let mut gauge = Gauge::new("importing", Unit::Records);
    let mut found = statement.query([]).with_context(cannot)?;
    while let Some(row) = found.next().with_context(cannot)? {
        import.take(columns.read(&table, row).with_context(cannot)?)?;
        gauge.set(import.counts.n_rows, total);
    }
    import.store()?;
    import.writing.close()?;
    drop(gauge);
    let Counts { n_rows, n_stored, n_known, n_refused } = import.counts;
    tell(format_args!(
        "{}: {n_stored} stored, {n_known} known already, {n_refused} refused",
        plural(n_rows, "row")
    ));
    Ok(if n_refused == 0 { Outcome::Fine } else { Outcome::Found })
}

fn open(database: &Path) -> anyhow::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(database, flags)
        .with_context(|| format!("cannot open {}", database.display()))
}

#[derive(Default)]
struct Counts {
    n_rows: u64,
    n_stored: u64,
    n_known: u64,
    n_refused: u64,
}

struct Import {
    writing: Writing,
    gate: Gate,
    rejected: Rejected,
    events: Vec<weft_log::admit::Admitted>,
    /// The events as they came.
    lines: Vec<String>,
    refused: Vec<Refusal>,
    counts: Counts,
}

impl Import {
    fn take(&mut self, row: Row) -> anyhow::Result<()> {
        self.counts.n_rows += 1;
        let Row { origin, bytes, event } = row;
        let reasons = match event {
            Ok(line) => {
                let admitted = self.gate.admit(&Arrival {
                    line: line.as_bytes(),
                    expect: Expect::Dialect(DIALECT),
                    via: VIA,
                    delivery: None,
                    topic: None,
                });
                match admitted {
                    Ok(event) => {
                        self.events.push(event);
                        self.lines.push(line);
                        Vec::new()
                    }
                    Err(Unfit::Large(ShrinkError::Blob(error))) => return Err(error.into()),
                    Err(unfit) => unfit.problems().iter().map(Reason::from).collect(),
                }
            }
            Err(RowError { code, field, message }) => {
                let path = format!("/{field}");
                vec![Reason { code: code.as_str().to_owned(), path, message }]
            }
        };
        if !reasons.is_empty() {
            self.counts.n_refused += 1;
            let (at_us, via) = (now_ns() / 1000, VIA.to_owned());
            let (with, bytes) = (With::default(), bytes.into_bytes());
            self.refused.push(Refusal { at_us, via, origin, with, reasons, bytes });
        }
        if self.events.len() + self.refused.len() >= ROWS_TOGETHER {
            self.store()?;
        }
        Ok(())
    }

    /// Stores what was gathered.
    fn store(&mut self) -> anyhow::Result<()> {
        if !self.refused.is_empty() {
            self.rejected.put(&std::mem::take(&mut self.refused))?;
        }
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.lines);
        let plain = lines.iter().map(|line| Sent::plain(line.as_bytes()));
        let sent = || plain.map(|sent| Sent { dialect: Some(DIALECT), ..sent }).collect();
        for outcome in self.writing.append(events, sent)?.outcomes {
            match outcome {
                Stored::Stored { .. } => self.counts.n_stored += 1,
                Stored::Repeat { .. } => self.counts.n_known += 1,
            }
        }
        Ok(())
    }
}
