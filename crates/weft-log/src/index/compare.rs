//! Two indexes of the same log side by side: whether they say the same, whatever ids and pages they say it with.

use std::path::Path;

use rusqlite::{Connection, Row};

use super::keys::{Bucket, Family};
use super::read::number;
use super::run::Entry;
use super::{IndexError, Reader, probe, schema};

/// What is compared: a name, and a query that gives the same rows for the same log. `{}` stands for the file.
const QUERIES: [(&str, &str); 5] = [
    ("records", schema::EVENTS),
    (
        "latest",
        "SELECT t.text, k.text, l.position FROM {}.latest l \
         JOIN {}.names t ON t.id = l.topic JOIN {}.names k ON k.id = l.key",
    ),
    (
        "counts",
        "SELECT ifnull(d.text, ''), ifnull(t.text, ''), c.n FROM {}.counts c \
         LEFT JOIN {}.names d ON d.id = c.dialect LEFT JOIN {}.names t ON t.id = c.type",
    ),
    ("gaps", "SELECT first, last, reason FROM {}.gaps"),
    ("segments", "SELECT number, name, first FROM {}.segments"),
];

/// Rows that only one of two indexes has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What they are about.
    pub table: &'static str,
    /// How many only the first has.
    pub n_first: u64,
    /// How many only the second has.
    pub n_second: u64,
}

/// Compares two indexes; none of what it returns is equal in both. Takes as long as reading and sorting both.
pub fn compare(first: &Path, second: &Path) -> Result<Vec<Difference>, IndexError> {
    let reader = Reader::open(first)?;
    // The second is looked at by itself before, so that one of another version is told as such.
    let other = Reader::open(second)?;
    let mut differences = compare_keys(&reader, &other)?;
    let second = second.to_string_lossy();
    reader.with(|connection| {
        connection.execute("ATTACH ?1 AS second", [&*second])?;
        for (table, query) in QUERIES {
            let [main, other] = ["main", "second"].map(|file| query.replace("{}", file));
            let only = |a: &str, b: &str| {
                let sql = format!(
                    "SELECT count(*) FROM (SELECT * FROM ({a}) EXCEPT SELECT * FROM ({b}))"
                );
                connection.query_row(&sql, [], |row: &Row<'_>| number(row, 0))
            };
            let (n_first, n_second) = (only(&main, &other)?, only(&other, &main)?);
            if n_first + n_second > 0 {
                differences.push(Difference { table, n_first, n_second });
            }
        }
        Ok(differences)
    })
}

/// Compares the keys of all records, a bucket of the largest level at a time. Runs may name records that are gone, so a
/// difference of a few positions is a difference in the records' own.
fn compare_keys(first: &Reader, second: &Reader) -> Result<Vec<Difference>, IndexError> {
    let last = |reader: &Reader| reader.with(last_position);
    let last = last(first)?.max(last(second)?);
    let mut differences: Vec<Difference> = Family::ALL
        .map(|family| {
            let table = match family {
                Family::Identity => "identity",
                Family::Lookup => "traces and tasks",
            };
            Difference { table, n_first: 0, n_second: 0 }
        })
        .into();
    let mut bucket = Bucket::FIRST_LARGEST;
    while bucket.start() < last {
        let [one, other] = [first, second]
            .map(|reader| reader.with(|connection| probe::entries_in(connection, bucket)));
        let (one, other) = (one?, other?);
        for (difference, (one, other)) in differences.iter_mut().zip(one.iter().zip(&other)) {
            difference.n_first += n_only(one, other);
            difference.n_second += n_only(other, one);
        }
        bucket = bucket.next();
    }
    differences.retain(|difference| difference.n_first + difference.n_second > 0);
    Ok(differences)
}

/// Counts what only the first of two sorted lists has.
fn n_only(one: &[Entry], other: &[Entry]) -> u64 {
    one.iter().filter(|entry| other.binary_search(entry).is_err()).count() as u64
}

fn last_position(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT ifnull(max(position), 0) FROM records", [], |row| row.get(0))
}
