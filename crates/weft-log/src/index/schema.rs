//! The tables: how they are made, and how a file that has others is told.

use rusqlite::{Connection, OptionalExtension};

use super::Stale;
use crate::filter::SEARCH_TOKENIZER;

/// Version of the tables. A file of any other version is made again, never changed in place.
pub const VERSION: i64 = 3;

/// Ids in `names` stand for texts, but for traces and tasks: nearly every one of those is new, and would land in a page of its
/// own. `keys` and `recent_keys` are explained in `keys.rs`, `present` and `blocks` in `blocks.rs`.
pub(super) const TABLES: &str = "
CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE records(
    position INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL, crc INTEGER,
    at_us INTEGER, time_ns INTEGER,
    dialect INTEGER, type INTEGER, via INTEGER, actor INTEGER, session INTEGER, parent INTEGER, subject INTEGER,
    tenant INTEGER, tool INTEGER, path INTEGER, topic INTEGER, topic_key INTEGER, model INTEGER, status INTEGER,
    level INTEGER, trace TEXT, task TEXT,
    ended INTEGER NOT NULL, ordinal INTEGER, duration_ms INTEGER, input_tokens INTEGER, output_tokens INTEGER,
    cost_usd REAL, flags INTEGER NOT NULL);
CREATE TABLE keys(id INTEGER PRIMARY KEY, run BLOB NOT NULL);
CREATE TABLE recent_keys(family INTEGER, key INTEGER, position INTEGER, PRIMARY KEY(family, key, position)) WITHOUT ROWID;
CREATE TABLE present(kind INTEGER, value INTEGER, word INTEGER, blocks INTEGER NOT NULL, PRIMARY KEY(kind, value, word)) WITHOUT ROWID;
CREATE TABLE blocks(block INTEGER PRIMARY KEY, time_min INTEGER NOT NULL, time_max INTEGER NOT NULL);
CREATE TABLE latest(topic INTEGER, key INTEGER, position INTEGER NOT NULL, PRIMARY KEY(topic, key)) WITHOUT ROWID;
CREATE TABLE counts(dialect INTEGER, type INTEGER, n INTEGER NOT NULL, PRIMARY KEY(dialect, type)) WITHOUT ROWID;
CREATE TABLE gaps(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE segments(number INTEGER PRIMARY KEY, name TEXT NOT NULL, first INTEGER NOT NULL);
CREATE TABLE followers(name TEXT PRIMARY KEY, position INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL,
    hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

/// What people read: `records` with every name spelled out, of the file that `{}` stands for. Joins, because the planner can then
/// start from a name's text and leaves out the names that a query does not ask for.
pub(super) const EVENTS: &str = "
SELECT
    r.position, d.text AS dialect, ty.text AS type,
    strftime('%Y-%m-%dT%H:%M:%fZ', r.time_ns / 1000000 / 1000.0, 'unixepoch') AS time, r.time_ns,
    strftime('%Y-%m-%dT%H:%M:%fZ', r.at_us / 1000 / 1000.0, 'unixepoch') AS received, r.at_us,
    a.text AS actor, se.text AS session, pa.text AS parent, su.text AS subject, te.text AS tenant,
    st.text AS status, r.ended, le.text AS level, r.ordinal,
    r.task, tl.text AS tool, pt.text AS path, r.trace, tp.text AS topic, tk.text AS topic_key,
    r.duration_ms, r.input_tokens, r.output_tokens, r.cost_usd, mo.text AS model, v.text AS via,
    r.segment, r.offset, r.bytes, r.crc, r.flags & 1 AS carried, r.flags >> 1 & 1 AS conflict,
    r.flags >> 2 & 1 AS unverified, r.flags >> 3 & 1 AS bookkeeping
FROM {}.records r
LEFT JOIN {}.names d ON d.id = r.dialect LEFT JOIN {}.names ty ON ty.id = r.type LEFT JOIN {}.names v ON v.id = r.via
LEFT JOIN {}.names a ON a.id = r.actor LEFT JOIN {}.names se ON se.id = r.session LEFT JOIN {}.names pa ON pa.id = r.parent
LEFT JOIN {}.names su ON su.id = r.subject LEFT JOIN {}.names te ON te.id = r.tenant
LEFT JOIN {}.names tl ON tl.id = r.tool LEFT JOIN {}.names pt ON pt.id = r.path
LEFT JOIN {}.names tp ON tp.id = r.topic LEFT JOIN {}.names tk ON tk.id = r.topic_key LEFT JOIN {}.names mo ON mo.id = r.model
LEFT JOIN {}.names st ON st.id = r.status LEFT JOIN {}.names le ON le.id = r.level";

/// Returns what makes the view of them. It belongs to the connection that asks: in the file, everyone who opens it would read it, which
/// took a seventh of the time.
pub(super) fn view() -> String {
    format!("CREATE TEMP VIEW IF NOT EXISTS events AS {}", EVENTS.replace("{}", "main"))
}

/// Name, columns and condition of each index on `records`, with the rows that one value has in a large store: the planner is
/// told these once, so that it picks the same index at every size.
const INDEXES: [(&str, &str, &str, &str); 2] = [
    ("records_session", "session", "", "10000000 2000"),
    ("records_topic", "topic, topic_key", "WHERE topic IS NOT NULL", "1000000 1000 100"),
];

/// Makes the tables without their indexes and without the version, so that a file left half-way is told from a whole one.
pub(super) fn create_tables(connection: &Connection, store: &str) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE text USING fts5(body, content='', contentless_delete=1, detail=none, tokenize='{SEARCH_TOKENIZER}')"
    ))?;
    connection.execute("INSERT INTO meta(key, value) VALUES('store', ?1)", [store])?;
    Ok(())
}

/// Makes the indexes, and says last of all which version this is.
pub(super) fn finish(connection: &Connection) -> rusqlite::Result<()> {
    for (name, columns, condition, _) in INDEXES {
        connection
            .execute_batch(&format!("CREATE INDEX {name} ON records({columns}) {condition}"))?;
    }
    connection.execute_batch("ANALYZE sqlite_schema")?;
    for (name, _, _, rows) in INDEXES {
        connection.execute("INSERT INTO sqlite_stat1 VALUES('records', ?1, ?2)", [name, rows])?;
    }
    connection.pragma_update(None, "user_version", VERSION)
}

/// What stands in a file.
pub(super) enum Content {
    /// Nothing yet.
    Empty,
    /// An index of this version and store.
    Current,
    /// Something else.
    Stale(Stale),
}

/// Looks at what a file holds; reads three pages or so whatever its size.
pub(super) fn inspect(connection: &Connection, store: Option<&str>) -> rusqlite::Result<Content> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version != VERSION {
        let has_tables = connection.prepare("SELECT 1 FROM sqlite_schema")?.exists([])?;
        let is_empty = version == 0 && !has_tables;
        let stale = Content::Stale(Stale::Version { found: version });
        return Ok(if is_empty { Content::Empty } else { stale });
    }
    let select = "SELECT value FROM meta WHERE key = 'store'";
    let found: Option<String> = connection.query_row(select, [], |row| row.get(0)).optional()?;
    Ok(match (found, store) {
        (None, _) => Content::Stale(Stale::Damaged),
        (Some(found), Some(store)) if found != store => Content::Stale(Stale::Store { found }),
        (Some(_), _) => Content::Current,
    })
}
