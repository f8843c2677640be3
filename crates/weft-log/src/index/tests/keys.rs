//! Where keys are kept follows from how far the index reaches, and not from how it came there.

use rusqlite::Connection;

use crate::index::keys::{Family, KeyTables, Settle};
use crate::index::schema::TABLES;

/// Positions in all: more than two buckets of the level from which on they are put together in slices.
const POSITIONS: i64 = (1 << 18) + 5_000;

/// The keys of a position: digests, so spread over all values. Every seventh record has an old one's key.
fn keys(position: i64) -> [(Family, i64); 2] {
    let digest = |n: i64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed()).rotate_left(29);
    let of = if position % 7 == 0 { position / 7 } else { position };
    [(Family::Identity, digest(position)), (Family::Lookup, digest(of))]
}

fn indexed(steps: impl Iterator<Item = i64>) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(TABLES).unwrap();
    connection.execute_batch("BEGIN").unwrap();
    let mut tables = KeyTables::new(&connection, 0).unwrap();
    let mut at = 0;
    for upto in steps {
        for position in at + 1..=upto {
            keys(position).into_iter().for_each(|(family, key)| tables.push(family, key, position));
        }
        at = upto;
        tables.settle(upto.cast_unsigned(), Settle::All).unwrap();
        tables.keep_recent().unwrap();
    }
    drop(tables);
    connection.execute_batch("COMMIT").unwrap();
    connection
}

fn rows(connection: &Connection) -> Vec<(i64, Vec<u8>)> {
    let select = "SELECT id, run FROM keys UNION ALL
        SELECT -1, CAST(family || ' ' || key || ' ' || position AS BLOB) FROM recent_keys";
    let mut statement = connection.prepare(select).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn keys_that_came_in_small_steps_are_kept_as_those_that_came_at_once() {
    let at_once = indexed(std::iter::once(POSITIONS));
    let in_steps = indexed((1..=POSITIONS / 3_001).map(|n| n * 3_001).chain([POSITIONS]));
    let (at_once, in_steps) = (rows(&at_once), rows(&in_steps));
    let n_recent = at_once.iter().filter(|(id, _)| *id == -1).count();
    assert_eq!(n_recent as i64, 2 * (POSITIONS % (1 << 11)), "the rest is in runs");
    assert!(at_once == in_steps, "{} and {} rows", at_once.len(), in_steps.len());
}
