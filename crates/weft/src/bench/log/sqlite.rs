//! SQLite as the log: one table with the event and the fields that Weft indexes, durable at every commit.

use std::path::Path;

use rusqlite::{Connection, params};
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Facts, KeyDigests};

const SCHEMA: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA cache_size = -65536;
CREATE TABLE events(position INTEGER PRIMARY KEY, id BLOB, dialect TEXT, type TEXT, time INTEGER, actor TEXT, session TEXT,
    trace TEXT, task TEXT, status TEXT, body TEXT NOT NULL);
CREATE UNIQUE INDEX by_id ON events(id);
CREATE INDEX by_session ON events(session);
CREATE INDEX by_actor ON events(actor);
CREATE INDEX by_type ON events(type);
CREATE INDEX by_time ON events(time);
CREATE INDEX by_trace ON events(trace) WHERE trace IS NOT NULL;
CREATE INDEX by_task ON events(task) WHERE task IS NOT NULL;";

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
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection })
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
