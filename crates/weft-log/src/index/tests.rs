//! What the index promises, on real files in a temporary folder.

mod file;
mod follow;
mod keys;
mod look;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::{Entry, Index, Place, SqlValue, Watermark};
use crate::{Carried, Hash, Mark, Meta, Position, TopicKey};

const STORE: &str = "a store";

/// Makes a temporary folder; returns it with the path of an index in it.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    (folder, path)
}

fn position(number: u64) -> Position {
    Position::new(number).unwrap()
}

/// Records as the log hands them over.
struct Records {
    lines: Vec<String>,
    metas: Vec<Meta>,
}

impl Records {
    /// Returns made-up events of every dialect, with all that a seal may say of them.
    fn made_up(n: usize) -> Self {
        Self::at(1..=n as u64)
    }

    /// Returns the same at other positions.
    fn at(numbers: impl Iterator<Item = u64>) -> Self {
        let rows = weft_event::sample::events(11).zip(numbers);
        let (lines, metas) = rows.map(|(line, number)| (line.clone(), meta(&line, number))).unzip();
        Self { lines, metas }
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let mut offset = 100;
        let rows = self.lines.iter().zip(&self.metas);
        rows.map(|(line, meta)| {
            let place = Place { segment: 1, offset, bytes: line.len() as u32 };
            offset += line.len() as u64 + 1;
            Entry { meta, place, line: line.as_bytes() }
        })
        .collect()
    }
}

fn meta(line: &str, number: u64) -> Meta {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems).unwrap();
    let key = number.is_multiple_of(3).then(|| format!("key {}", number % 4));
    let mark = Mark {
        dialect: event.dialect(),
        via: ["hook", "http", "ingest"][(number % 3) as usize].into(),
        crc: crc32c::crc32c(line.as_bytes()),
        delivery: number.is_multiple_of(5).then(|| format!("delivery {number}")),
        topic: number.is_multiple_of(2).then(|| TopicKey { topic: "a topic".to_owned(), key }),
        carried: number.is_multiple_of(11).then(|| Carried { position: position(1), at_us: 77 }),
        conflict: number.is_multiple_of(13).then(|| position(2)),
    };
    let mark = (!number.is_multiple_of(17)).then_some(mark);
    Meta { position: position(number), at_us: Some(1_794_000_000_000_000 + number as i64), mark }
}

/// Returns the mark of a follower that has seen these.
fn upto(entries: &[Entry<'_>]) -> Watermark {
    let last = entries.last().unwrap();
    let offset = last.place.offset + u64::from(last.place.bytes) + 1;
    Watermark { position: last.meta.position.get(), segment: 1, offset, hash: Hash::of(last.line) }
}

/// Adds records in transactions of this many.
fn add(index: &mut Index, entries: &[Entry<'_>], together: usize) {
    for some in entries.chunks(together) {
        index.add(some, &[], upto(some)).unwrap();
    }
}

/// Returns every row of every table, one a line, as text.
fn dump(path: &Path) -> String {
    const TABLES: [&str; 12] = [
        "names",
        "records",
        "keys",
        "recent_keys",
        "present",
        "blocks",
        "latest",
        "counts",
        "gaps",
        "segments",
        "followers",
        "meta",
    ];
    let connection = Connection::open(path).unwrap();
    let mut text = String::new();
    for table in TABLES {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let n_columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..n_columns).map(|column| row.get(column).unwrap());
            let values: Vec<String> = values.map(|value| show(&value)).collect();
            writeln!(text, "{table}: {}", values.join(" ")).unwrap();
        }
    }
    text
}

fn show(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => "-".to_owned(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Real(number) => number.to_string(),
        SqlValue::Text(text) => text.clone(),
        SqlValue::Blob(bytes) => format!("{bytes:?}"),
    }
}
