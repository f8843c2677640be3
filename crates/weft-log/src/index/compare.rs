//! Two indexes of the same log side by side: whether they say the same, whatever ids and pages they say it with.

use std::path::Path;

use rusqlite::Row;

use super::read::number;
use super::{IndexError, Reader};

/// What is compared: a name, and a query that gives the same rows for the same log. `{}` stands for the file.
const QUERIES: [(&str, &str); 6] = [
    ("records", "SELECT * FROM {}.events"),
    (
        "identity",
        "SELECT key, position FROM {}.identity UNION SELECT key, position FROM {}.identity_recent",
    ),
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
    drop(Reader::open(second)?);
    let second = second.to_string_lossy();
    reader.with(|connection| {
        connection.execute("ATTACH ?1 AS second", [&*second])?;
        let mut differences = Vec::new();
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
