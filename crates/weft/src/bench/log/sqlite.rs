//! SQLite as the log: one table with the event and the fields that Weft indexes, durable at every commit.

use std::path::Path;

use rusqlite::{Connection, params};
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Facts, KeyDigests};

const SETTINGS: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -65536;";

const TABLE: &str = "
CREATE TABLE events(position INTEGER PRIMARY KEY, id BLOB, dialect TEXT, type TEXT, time INTEGER, actor TEXT, session TEXT,
    trace TEXT, task TEXT, status TEXT, body TEXT NOT NULL);";

const INDEXES: &str = "
CREATE UNIQUE INDEX by_id ON events(id);
CREATE INDEX by_session ON events(session);
CREATE INDEX by_actor ON events(actor);
CREATE INDEX by_type ON events(type);
CREATE INDEX by_time ON events(time);
CREATE INDEX by_trace ON events(trace) WHERE trace IS NOT NULL;
CREATE INDEX by_task ON events(task) WHERE task IS NOT NULL;";

/// Made again by [`INDEXES`] once the table is full: sorting once is many times faster than keeping them in order all the while.
const WITHOUT_INDEXES: &str = "
PRAGMA synchronous = OFF;
DROP INDEX by_id;
DROP INDEX by_session;
DROP INDEX by_actor;
DROP INDEX by_type;
DROP INDEX by_time;
DROP INDEX by_trace;
DROP INDEX by_task;";

const INSERT: &str = "INSERT OR IGNORE INTO events(id, dialect, type, time, actor, session, trace, task, status, body)
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// A database.
pub(super) struct Sqlite {
    connection: Connection,
}

/// An event with its fields read off already.
pub(super) struct Row {
    id: Option<[u8; 16]>,
    dialect: &'static str,
    event_type: String,
    time_ns: Option<i64>,
    actor: Option<String>,
    session: Option<String>,
    trace: Option<String>,
    task: Option<String>,
    status: Option<&'static str>,
    body: String,
}

/// Reads the fields of events, before anything is timed.
pub(super) fn rows(events: &[String]) -> Vec<Row> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let row = |line: &String| {
        problems.clear();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        let facts = event.expect("the events are made to be valid").facts();
        let text =
            |value: &Option<std::borrow::Cow<'_, str>>| value.as_deref().map(ToOwned::to_owned);
        let Facts { event_type, time_ns, actor, session, trace, task, .. } = &facts;
        Row {
            id: KeyDigests::of(&facts).own,
            dialect: facts.dialect.as_str(),
            event_type: event_type.clone().into_owned(),
            time_ns: *time_ns,
            actor: text(actor),
            session: text(session),
            trace: text(trace),
            task: text(task),
            status: facts.status.map(weft_event::Status::as_str),
            body: line.clone(),
        }
    };
    events.iter().map(row).collect()
}

impl Sqlite {
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let connection = Connection::open(path)?;
        for some in [SETTINGS, TABLE, INDEXES] {
            connection.execute_batch(some)?;
        }
        Ok(Self { connection })
    }

    /// Makes ready for rows that are not measured.
    pub(super) fn begin_fill(&mut self) -> anyhow::Result<()> {
        Ok(self.connection.execute_batch(WITHOUT_INDEXES)?)
    }

    /// Brings the database to where it would be had the rows come one after the other.
    pub(super) fn end_fill(&mut self) -> anyhow::Result<()> {
        self.connection.execute_batch(INDEXES)?;
        self.connection.execute_batch(SETTINGS)?;
        let busy: bool =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        anyhow::ensure!(!busy, "SQLite's journal is in use by another");
        Ok(())
    }

    /// Inserts rows, so many in a transaction.
    pub(super) fn insert(&mut self, rows: &[Row], together: usize) -> anyhow::Result<()> {
        for some in rows.chunks(together) {
            let transaction = self.connection.transaction()?;
            {
                let mut insert = transaction.prepare(INSERT)?;
                for row in some {
                    let Row { id, dialect, event_type, time_ns, actor, session, .. } = row;
                    let Row { trace, task, status, body, .. } = row;
                    insert.execute(params![
                        id, dialect, event_type, time_ns, actor, session, trace, task, status, body
                    ])?;
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }
}
