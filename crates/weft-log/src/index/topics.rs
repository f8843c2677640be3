//! What was posted to topics: the newest of it, at a cost that goes by the answer and not by the log.

use std::ops::RangeInclusive;

use rusqlite::{Connection, params};

use super::read::{Reader, position};
use super::{IndexError, integer};
use crate::Position;

/// The newest of one key of one topic; `IS` finds what has no key as well. The index has positions in order within a key.
const NEWEST: &str = "SELECT position FROM records INDEXED BY records_topic \
    WHERE topic = (SELECT id FROM names WHERE text = ?1) AND topic_key IS (SELECT id FROM names WHERE text = ?2) \
    AND position BETWEEN ?3 AND ?4 ORDER BY position DESC LIMIT ?5";

/// Every key of a topic with its newest record.
const LATEST: &str = "SELECT k.text, l.position FROM latest l JOIN names k ON k.id = l.key \
    WHERE l.topic = (SELECT id FROM names WHERE text = ?1) ORDER BY l.position DESC";

/// The names of topics, by a look for each and not for each record.
const TOPICS: &str = "WITH RECURSIVE t(topic) AS ( \
    SELECT min(topic) FROM records INDEXED BY records_topic WHERE topic IS NOT NULL \
    UNION ALL SELECT (SELECT min(topic) FROM records INDEXED BY records_topic WHERE topic > t.topic) FROM t WHERE t.topic IS NOT NULL) \
    SELECT n.text FROM t JOIN names n ON n.id = t.topic ORDER BY n.text";

impl Reader {
    /// Returns the names of all topics that a record was posted to, in order.
    pub fn topics(&self) -> Result<Vec<String>, IndexError> {
        self.with(|connection| {
            connection.prepare_cached(TOPICS)?.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Returns every key of a topic with its newest record, the newest first.
    pub fn latest_of(&self, topic: &str) -> Result<Vec<(String, Position)>, IndexError> {
        self.with(|connection| latest_of(connection, topic))
    }

    /// Returns the newest records of one key of a topic, or with `None` of what has no key, the newest first.
    pub fn newest_of_key(
        &self,
        topic: &str,
        key: Option<&str>,
        range: &RangeInclusive<Position>,
        limit: usize,
    ) -> Result<Vec<Position>, IndexError> {
        self.with(|connection| newest_of_key(connection, topic, key, range, limit))
    }

    /// Returns the newest records of a topic, whatever their keys, the newest first.
    pub fn newest_of(
        &self,
        topic: &str,
        range: &RangeInclusive<Position>,
        limit: usize,
    ) -> Result<Vec<Position>, IndexError> {
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let mut newest = newest_of_key(&snapshot, topic, None, range, limit)?;
            for (key, latest) in latest_of(&snapshot, topic)? {
                let is_full = newest.len() >= limit;
                // The keys come newest first: behind one that adds nothing, none does.
                if is_full && newest.last().is_none_or(|last| latest < *last) {
                    break;
                }
                newest.extend(newest_of_key(&snapshot, topic, Some(&key), range, limit)?);
                newest.sort_unstable_by(|a, b| b.cmp(a));
                newest.truncate(limit);
            }
            Ok(newest)
        })
    }
}

fn latest_of(connection: &Connection, topic: &str) -> rusqlite::Result<Vec<(String, Position)>> {
    let mut statement = connection.prepare_cached(LATEST)?;
    statement.query_map([topic], |row| Ok((row.get(0)?, position(row, 1)?)))?.collect()
}

fn newest_of_key(
    connection: &Connection,
    topic: &str,
    key: Option<&str>,
    range: &RangeInclusive<Position>,
    limit: usize,
) -> rusqlite::Result<Vec<Position>> {
    // A key that the index has never seen has no id, and must not be taken for none.
    if let Some(key) = key {
        let mut find = connection.prepare_cached("SELECT 1 FROM names WHERE text = ?1")?;
        if !find.exists([key])? {
            return Ok(Vec::new());
        }
    }
    let mut statement = connection.prepare_cached(NEWEST)?;
    let ends = [range.start(), range.end()].map(|end| integer(end.get()));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let params = params![topic, key, ends[0], ends[1], limit];
    statement.query_map(params, |row| position(row, 0))?.collect()
}
