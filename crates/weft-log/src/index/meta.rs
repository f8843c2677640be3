//! What the index knows of records besides their places: enough to show one without reading its seal.

use super::IndexError;
use super::read::{Found, Order, PLACE_COLUMNS, Reader, Select, found};
use crate::TopicKey;
use crate::filter::Demands;

/// A record as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it stands.
    pub found: Found,
    /// When it was received, in microseconds since 1970; `None` if its seal is damaged.
    pub at_us: Option<i64>,
    /// The name of its dialect.
    pub dialect: Option<String>,
    /// The way it came in.
    pub via: Option<String>,
    /// The topic it was posted to.
    pub topic: Option<TopicKey>,
    /// Whether its mark says that it was carried forward or is in conflict: what exactly is for the seal to say.
    pub is_marked: bool,
}

/// Bits of `flags` that stand for what only the seal says in full: carried, conflict.
const MARKED: i64 = 1 | 2;

impl Reader {
    /// Returns the records that are asked for, by position, at most `limit`.
    pub fn rows(
        &self,
        select: &Select<'_>,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Row>, IndexError> {
        self.rows_with(&Demands::NONE, select, order, limit)
    }

    /// The same by the shortest way. Every record that is asked for must have what is demanded.
    pub fn rows_with(
        &self,
        demands: &Demands,
        select: &Select<'_>,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Row>, IndexError> {
        let name = |column: &str| format!("(SELECT text FROM names WHERE id = {column})");
        let [dialect, via, topic, key] = ["dialect", "via", "topic", "topic_key"].map(name);
        let columns = format!("{PLACE_COLUMNS}, at_us, flags, {dialect}, {via}, {topic}, {key}");
        self.select(&columns, demands, select, order, limit, |row| {
            let (topic, key): (Option<String>, Option<String>) = (row.get(9)?, row.get(10)?);
            Ok(Row {
                found: found(row)?,
                at_us: row.get(5)?,
                is_marked: row.get::<_, i64>(6)? & MARKED != 0,
                dialect: row.get(7)?,
                via: row.get(8)?,
                topic: topic.map(|topic| TopicKey { topic, key }),
            })
        })
    }
}
