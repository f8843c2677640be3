//! What blocks of positions hold: which actors and types there are in each, and between which times its records lie.
//!
//! A block is said to hold at least what it holds: what was replaced or pruned may still be noted, and whoever looks asks the
//! records. So actors, types and times need no index of their own, which would cost a random page for each record. Blocks are
//! noted [`WORD_BLOCKS`] to a row, a bit for each.

use rusqlite::{Connection, Statement};

use crate::priority::yield_turn;

/// A block has 2 to this many positions.
pub(super) const BLOCK_BITS: u32 = 8;

/// How many blocks share a row of `present`.
pub(super) const WORD_BLOCKS: i64 = 64;

/// What is noted of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Actor,
    Type,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Actor, Self::Type];

    pub(super) fn number(self) -> i64 {
        match self {
            Kind::Actor => 0,
            Kind::Type => 1,
        }
    }
}

/// Returns the block of a position.
pub(super) fn block(position: i64) -> i64 {
    (position - 1) >> BLOCK_BITS
}

/// Summaries on their way into the tables.
pub(super) struct BlockTables<'c> {
    add_present: Statement<'c>,
    add_times: Statement<'c>,
    /// Kind, value and block. All but those of the block in hand are sorted and single.
    present: Vec<(Kind, i64, i64)>,
    /// Where those of the block in hand begin.
    in_hand: usize,
    /// Block, earliest and latest time; the last is that of the block in hand.
    times: Vec<(i64, i64, i64)>,
    block: i64,
}

impl<'c> BlockTables<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            add_present: connection.prepare(
                "INSERT INTO present VALUES(?1, ?2, ?3, ?4) \
                 ON CONFLICT(kind, value, word) DO UPDATE SET blocks = blocks | excluded.blocks",
            )?,
            add_times: connection.prepare(
                "INSERT INTO blocks VALUES(?1, ?2, ?3) ON CONFLICT(block) DO UPDATE SET \
                 time_min = min(time_min, excluded.time_min), time_max = max(time_max, excluded.time_max)",
            )?,
            present: Vec::new(),
            in_hand: 0,
            times: Vec::new(),
            block: -1,
        })
    }

    /// Notes a record.
    pub(super) fn push(
        &mut self,
        position: i64,
        actor: Option<i64>,
        event_type: Option<i64>,
        time_ns: Option<i64>,
    ) {
        let block = block(position);
        if block != self.block {
            self.close_block();
            self.block = block;
        }
        self.present.extend(actor.map(|actor| (Kind::Actor, actor, block)));
        self.present.extend(event_type.map(|event_type| (Kind::Type, event_type, block)));
        let Some(time) = time_ns else { return };
        match self.times.last_mut().filter(|(last, _, _)| *last == block) {
            Some((_, min, max)) => (*min, *max) = (time.min(*min), time.max(*max)),
            None => self.times.push((block, time, time)),
        }
    }

    /// Writes what was noted.
    pub(super) fn flush(&mut self) -> rusqlite::Result<()> {
        self.close_block();
        self.present.sort_unstable();
        let word = |(kind, value, block): &(Kind, i64, i64)| (*kind, *value, block / WORD_BLOCKS);
        for same in self.present.chunk_by(|a, b| word(a) == word(b)) {
            yield_turn();
            let (kind, value, word) = word(&same[0]);
            let bits = same.iter().fold(0, |bits, (_, _, block)| bits | 1 << (block % WORD_BLOCKS));
            self.add_present.execute([kind.number(), value, word, bits])?;
        }
        self.present.clear();
        for (block, min, max) in self.times.drain(..) {
            self.add_times.execute([block, min, max])?;
        }
        self.in_hand = 0;
        Ok(())
    }

    /// Forgets what was noted.
    pub(super) fn forget(&mut self) {
        self.present.clear();
        self.times.clear();
        self.in_hand = 0;
    }

    fn close_block(&mut self) {
        let mut block = self.present.split_off(self.in_hand);
        block.sort_unstable();
        block.dedup();
        self.present.extend(block);
        self.in_hand = self.present.len();
    }
}

/// Forgets the blocks of a range of positions that have no record any more. Rows that note others too stay as they are.
pub(super) fn drop_dead(connection: &Connection, first: i64, last: i64) -> rusqlite::Result<()> {
    let neighbours = "SELECT (SELECT max(position) FROM records WHERE position < ?1), \
                      (SELECT min(position) FROM records WHERE position > ?2)";
    let (before, after): (Option<i64>, Option<i64>) =
        connection.query_row(neighbours, [first, last], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let from = before.map_or(0, |before| block(before) + 1);
    let upto = after.map_or(block(last), |after| block(after) - 1).min(block(last));
    let dead = [from.max(block(first)), upto];
    if dead[0] > dead[1] {
        return Ok(());
    }
    connection.execute("DELETE FROM blocks WHERE block BETWEEN ?1 AND ?2", dead)?;
    let words = [(dead[0] + WORD_BLOCKS - 1) / WORD_BLOCKS, (dead[1] + 1) / WORD_BLOCKS];
    if words[0] >= words[1] {
        return Ok(());
    }
    let delete = "DELETE FROM present WHERE kind = ?1 AND value = ?2 AND word >= ?3 AND word < ?4";
    let mut delete = connection.prepare(delete)?;
    for kind in Kind::ALL {
        for value in values(connection, kind)? {
            delete.execute([kind.number(), value, words[0], words[1]])?;
        }
    }
    Ok(())
}

/// Returns every actor or every type that is noted.
pub(super) fn values(connection: &Connection, kind: Kind) -> rusqlite::Result<Vec<i64>> {
    let next = "SELECT min(value) FROM present WHERE kind = ?1 AND value > ?2";
    let mut next = connection.prepare_cached(next)?;
    let mut values = Vec::new();
    let mut last = i64::MIN;
    while let Some(value) = next.query_row([kind.number(), last], |row| row.get(0))? {
        values.push(value);
        last = value;
    }
    Ok(values)
}
