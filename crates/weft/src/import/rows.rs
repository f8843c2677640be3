//! Rows of a status table as events of the collector dialect.

use anyhow::Context as _;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use weft_event::collector::{VERSION, status_event_type};
use weft_event::json::{Json, Kind, Object, Tape};
use weft_event::problem::Code;
use weft_event::time::{format_rfc3339, parse_rfc3339};
use weft_event::{Status, digest_parts};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    AgentId,
    Status,
    Timestamp,
    Message,
    SessionId,
    Progress,
    Parent,
    EventId,
    Metadata,
}

impl Field {
    const ALL: [(&'static str, Field); 9] = [
        ("agent_id", Field::AgentId),
        ("status", Field::Status),
        ("timestamp", Field::Timestamp),
        ("message", Field::Message),
        ("session_id", Field::SessionId),
        ("progress", Field::Progress),
        ("parent", Field::Parent),
        ("event_id", Field::EventId),
        ("metadata", Field::Metadata),
    ];

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }
}

/// Reads `COLUMN=FIELD`.
pub(crate) fn parse_map(text: &str) -> anyhow::Result<(String, Field)> {
    let (column, field) = text.split_once('=').context("it has to be COLUMN=FIELD")?;
    let names = || format!("the fields are {}", Field::ALL.map(|(name, _)| name).join(", "));
    Ok((column.to_owned(), Field::parse(field).with_context(names)?))
}

/// Prepares to read a table; its own row numbers come first, where it has them.
pub(super) fn prepare<'c>(
    connection: &'c Connection,
    table: &str,
) -> rusqlite::Result<Statement<'c>> {
    let table = quoted(table);
    match connection.prepare(&format!("SELECT rowid, * FROM {table} ORDER BY rowid")) {
        Ok(statement) => Ok(statement),
        // A table without row numbers has a key instead, and all of a row tells it from the others.
        Err(_) => connection.prepare(&format!("SELECT NULL, * FROM {table}")),
    }
}

/// Returns how many rows a table has.
pub(super) fn count(connection: &Connection, table: &str) -> rusqlite::Result<u64> {
    let sql = format!("SELECT count(*) FROM {}", quoted(table));
    connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The columns of a table, and what each holds; the first is the row's number.
pub(super) struct Columns {
    list: Vec<(String, Option<Field>)>,
}

/// A row on its way.
pub(super) struct Row {
    /// Where it stands.
    pub(super) origin: String,
    /// All of it, as JSON.
    pub(super) bytes: String,
    /// The event's line.
    pub(super) event: Result<String, RowError>,
}

/// Why a row is no event.
pub(super) struct RowError {
    pub(super) code: Code,
    pub(super) field: &'static str,
    pub(super) message: String,
}

impl Columns {
    /// Settles which column holds what.
    pub(super) fn resolve(
        statement: &Statement<'_>,
        map: &[(String, Field)],
    ) -> anyhow::Result<Self> {
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        for (column, _) in map {
            anyhow::ensure!(names.contains(column), "the table has no column {column}");
        }
        let field = |name: &String| {
            let mapped = map.iter().find(|(column, _)| column == name).map(|(_, field)| *field);
            let own = Field::parse(name).filter(|own| map.iter().all(|(_, field)| field != own));
            mapped.or(own)
        };
        let mut list: Vec<_> = names.iter().map(|name| (name.clone(), field(name))).collect();
        list[0].1 = None;
        for needed in [Field::AgentId, Field::Status, Field::Timestamp] {
            if list.iter().all(|(_, field)| *field != Some(needed)) {
                let (name, _) =
                    Field::ALL.iter().find(|(_, field)| *field == needed).expect("it is listed");
                anyhow::bail!("no column holds {name}: name one with --map COLUMN={name}");
            }
        }
        Ok(Self { list })
    }

    /// Reads a row.
    pub(super) fn read(&self, table: &str, row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
        let values: Vec<Json<'static>> =
            (0..self.list.len()).map(|idx| row.get_ref(idx).map(json)).collect::<Result<_, _>>()?;
        let bytes = Json::object(|object| {
            let named = self.list.iter().zip(&values).skip(1);
            named.for_each(|((name, _), value)| object.json(name, value));
        });
        let number = values[0].as_str();
        let parts: [&[u8]; 4] =
            [b"sqlite", table.as_bytes(), number.as_bytes(), bytes.as_str().as_bytes()];
        let id = uuid_of(digest_parts(&parts));
        let event = self.event(&values, &id);
        let origin = format!("sqlite:{table}:{number}");
        Ok(Row { origin, bytes: bytes.as_str().to_owned(), event })
    }

    fn value<'v>(&self, values: &'v [Json<'static>], field: Field) -> Option<&'v Json<'static>> {
        let idx = self.list.iter().position(|(_, held)| *held == Some(field))?;
        Some(&values[idx]).filter(|value| value.as_str() != "null")
    }

    /// Returns the event that says what the row does.
    fn event(&self, values: &[Json<'static>], id: &str) -> Result<String, RowError> {
        let text = |field| self.value(values, field).map(text_of);
        let missing =
            |field| RowError { code: Code::Missing, field, message: "it is empty".into() };
        let word = text(Field::Status).ok_or_else(|| missing("status"))?;
        let status = Status::parse(&word).ok_or_else(|| RowError {
            code: Code::Enum,
            field: "status",
            message: format!("`{word}` is none of {}", Status::WORDS.join(", ")),
        })?;
        let time = text(Field::Timestamp).ok_or_else(|| missing("timestamp"))?;
        let timestamp = timestamp(&time).ok_or_else(|| RowError {
            code: Code::Format,
            field: "timestamp",
            message: format!("`{time}` is no time"),
        })?;
        let agent = text(Field::AgentId).ok_or_else(|| missing("agent_id"))?;
        let (session, parent) = (text(Field::SessionId), text(Field::Parent));
        let metadata = self.metadata(values);
        let event = Json::object(|event| {
            event.text("version", VERSION);
            event.text("event_type", status_event_type(status));
            event.text("timestamp", &timestamp);
            event.text("agent_id", &agent);
            event.text("event_id", &text(Field::EventId).unwrap_or_else(|| id.to_owned()));
            let some = |event: &mut Object<'_>, name, text: Option<&String>| {
                text.into_iter().for_each(|text| event.text(name, text));
            };
            some(event, "session_id", session.as_ref());
            event.text("status", status.as_str());
            some(event, "message", text(Field::Message).as_ref());
            if let Some(progress) = self.value(values, Field::Progress) {
                event.json("progress", progress);
            }
            if session.is_some() || parent.is_some() {
                let correlation = Json::object(|correlation| {
                    let trace = session.as_ref().map(|session| trace_of(session));
                    some(correlation, "trace_id", trace.as_ref());
                    some(correlation, "parent_span_id", parent.as_ref());
                });
                event.json("correlation", &correlation);
            }
            if metadata.as_str() != "{}" {
                event.json("metadata", &metadata);
            }
        });
        Ok(event.as_str().to_owned())
    }

    /// Returns what no field holds, and what the table itself calls metadata.
    fn metadata(&self, values: &[Json<'static>]) -> Json<'static> {
        Json::object(|object| {
            let mut taken: Vec<String> = Vec::new();
            if let Some(own) = self.value(values, Field::Metadata) {
                let (text, mut tape) = (text_of(own), Tape::new());
                match tape.parse(&text) {
                    Ok(parsed) if parsed.kind() == Kind::Object => {
                        for (name, value) in parsed.members() {
                            let name = name.as_text().unwrap_or_default().into_owned();
                            if !taken.contains(&name) {
                                object.json(&name, &Json::of(value));
                                taken.push(name);
                            }
                        }
                    }
                    Ok(_) | Err(_) => {
                        object.text("metadata", &text);
                        taken.push("metadata".to_owned());
                    }
                }
            }
            for ((name, field), value) in self.list.iter().zip(values).skip(1) {
                if field.is_none() && value.as_str() != "null" && !taken.contains(name) {
                    object.json(name, value);
                    taken.push(name.clone());
                }
            }
        })
    }
}

/// Returns a value of the database as JSON.
fn json(value: ValueRef<'_>) -> Json<'static> {
    match value {
        ValueRef::Null => Json::null(),
        ValueRef::Integer(number) => Json::integer(number),
        ValueRef::Real(number) if number.is_finite() => Json::number(number),
        ValueRef::Real(number) => Json::text(&number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Json::text(&String::from_utf8_lossy(bytes))
        }
    }
}

/// Returns the text of a JSON value: a string's own, else the value as written.
fn text_of(value: &Json<'_>) -> String {
    let mut tape = Tape::new();
    let parsed = tape.parse(value.as_str()).expect("it was written as JSON");
    parsed.as_text().map_or_else(|| value.as_str().to_owned(), |text| text.into_owned())
}

/// Returns a time as RFC 3339: as it is, from SQLite's own form, or from a count since 1970 in seconds or smaller units.
fn timestamp(text: &str) -> Option<String> {
    if parse_rfc3339(text).is_some() {
        return Some(text.to_owned());
    }
    if let Ok(count) = text.parse::<f64>() {
        let unit_ns = match count.abs() {
            count if count < 1e11 => 1e9,
            count if count < 1e14 => 1e6,
            count if count < 1e17 => 1e3,
            _ => 1.0,
        };
        return Some(format_rfc3339((count * unit_ns) as i64));
    }
    let with_zone = format!("{}Z", text.replacen(' ', "T", 1));
    parse_rfc3339(&with_zone).map(|_| with_zone)
}

/// Returns the trace that a session stands for.
fn trace_of(session: &str) -> String {
    let digest = digest_parts(&[b"trace", session.as_bytes()]);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a digest in the form of a UUID of our own making.
fn uuid_of(mut digest: [u8; 16]) -> String {
    digest[6] = digest[6] & 0x0f | 0x80;
    digest[8] = digest[8] & 0x3f | 0x80;
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
