//! `weft import`: what other tools kept, as events in the log.

mod files;
mod rows;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use rusqlite::{Connection, OpenFlags};
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::TopicKey;
use weft_log::admit::{Arrival, Gate, Refusal as Unfit, Strictness};
use weft_log::blobs::{ShrinkError, Which};
use weft_log::log::Outcome as Stored;
use weft_log::rejected::{Reason, Refusal, Rejected, With};
use weft_runtime::topics::Tracker;
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

/// Rows that are stored together.
const ROWS_TOGETHER: usize = 1000;

const EXAMPLES: &str = "\
Examples:
  weft import sqlite updates.db --table agent_updates
  weft import sqlite old.db --table status --map agent=agent_id --map created_at=timestamp
  weft import jwz .jwz                       the topics and messages of a message store
  weft import tissue .tissue                 issues, each state of them, to the topics issue:ID
  weft import beads .beads

Fields of a table: agent_id, status, timestamp, message, session_id, progress, parent, event_id, metadata.
A column has the field of its own name unless --map says otherwise; other columns become metadata.
Exit codes: 0 every row or line is in the log, 1 some were refused (`weft rejects`), 2 wrong use or an unreadable input.";

/// Bring what other tools kept into the log
///
/// Rows of a status table become events of the collector dialect: the status word gives the type. Messages and issues become
/// messages on topics. An import can be run again, also after something was added: what is in the log already is known.
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
    /// Import the topics and messages of a jwz store
    Jwz {
        /// The store's folder, or its messages.jsonl
        path: PathBuf,
    },
    /// Import the issues of a tissue store
    Tissue {
        /// The store's folder, or its issues.jsonl
        path: PathBuf,
    },
    /// Import the issues of a beads store
    Beads {
        /// The store's folder, or its issues.jsonl
        path: PathBuf,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Sqlite { database, table, map } => sqlite(&args.store, &database, &table, &map),
        Command::Jwz { path } => files::messages(&args.store, &path),
        Command::Tissue { path } => files::issues(&args.store, &path, Tracker::Tissue),
        Command::Beads { path } => files::issues(&args.store, &path, Tracker::Beads),
    }
}

fn sqlite(
    store: &StoreArgs,
    database: &Path,
    table: &str,
    map: &[(String, rows::Field)],
) -> anyhow::Result<Outcome> {
    let connection = open(database)?;
    let cannot = || format!("cannot read table {table} of {}", database.display());
    let mut statement = rows::prepare(&connection, table).with_context(cannot)?;
    let columns = Columns::resolve(&statement, map)?;
    let total = rows::count(&connection, table).with_context(cannot)?;
    let mut import = Import::open(store)?;
    let mut gauge = Gauge::new("importing", Unit::Records);
    let mut found = statement.query([]).with_context(cannot)?;
    while let Some(row) = found.next().with_context(cannot)? {
        let Row { origin, bytes, event } = columns.read(table, row).with_context(cannot)?;
        let event = event.map(|line| Made { line, dialect: Dialect::Collector, topic: None });
        import.take(origin, bytes, event)?;
        gauge.set(import.counts.n_rows, total);
    }
    drop(gauge);
    import.finish("row")
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
    n_conflicts: u64,
}

/// An event that was made of something.
struct Made {
    line: String,
    dialect: Dialect,
    topic: Option<TopicKey>,
}

impl Made {
    fn sent(&self) -> Sent<'_> {
        let topic = self.topic.as_ref().map(Cow::Borrowed);
        Sent { dialect: Some(self.dialect), topic, ..Sent::plain(self.line.as_bytes()) }
    }
}

struct Import {
    writing: Writing,
    gate: Gate,
    rejected: Rejected,
    events: Vec<weft_log::admit::Admitted>,
    /// The events as they came.
    made: Vec<Made>,
    refused: Vec<Refusal>,
    counts: Counts,
}

impl Import {
    fn open(store: &StoreArgs) -> anyhow::Result<Self> {
        let writing = Writing::open(store, VIA, &mut |_| {})?;
        Ok(Self {
            gate: Gate::new(writing.store(), Which::Largest, Strictness::Lenient),
            rejected: Rejected::new(writing.store()),
            writing,
            made: Vec::new(),
            events: Vec::new(),
            refused: Vec::new(),
            counts: Counts::default(),
        })
    }

    /// Takes what was made of one row or line, which came as these bytes from that place.
    fn take(
        &mut self,
        origin: String,
        bytes: String,
        event: Result<Made, RowError>,
    ) -> anyhow::Result<()> {
        self.counts.n_rows += 1;
        let reasons = match event {
            Ok(made) => {
                let admitted = self.gate.admit(&Arrival {
                    line: made.line.as_bytes(),
                    expect: Expect::Dialect(made.dialect),
                    via: VIA,
                    delivery: None,
                    topic: made.topic.as_ref(),
                });
                match admitted {
                    Ok(event) => {
                        self.events.push(event);
                        self.made.push(made);
                        Vec::new()
                    }
                    Err(Unfit::Large(ShrinkError::Blob(error))) => return Err(error.into()),
                    Err(unfit) => unfit.problems().iter().map(Reason::from).collect(),
                }
            }
            Err(RowError { code, field, message }) => {
                let path = if field.is_empty() { String::new() } else { format!("/{field}") };
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
        let made = std::mem::take(&mut self.made);
        let sent = || made.iter().map(Made::sent).collect();
        for outcome in self.writing.append(events, sent)?.outcomes {
            match outcome {
                Stored::Stored { conflict, .. } => {
                    self.counts.n_stored += 1;
                    self.counts.n_conflicts += u64::from(conflict.is_some());
                }
                Stored::Repeat { .. } => self.counts.n_known += 1,
            }
        }
        Ok(())
    }

    /// Stores the rest, and tells what became of everything.
    fn finish(mut self, noun: &str) -> anyhow::Result<Outcome> {
        self.store()?;
        self.writing.close()?;
        let Counts { n_rows, n_stored, n_known, n_refused, n_conflicts } = self.counts;
        tell(format_args!(
            "{}: {n_stored} stored, {n_known} known already, {n_refused} refused",
            plural(n_rows, noun)
        ));
        if n_conflicts > 0 {
            let them = plural(n_conflicts, noun);
            tell(format_args!(
                "note: {them} differ from what the log has by the same id, and are kept"
            ));
        }
        Ok(if n_refused == 0 { Outcome::Fine } else { Outcome::Found })
    }
}
