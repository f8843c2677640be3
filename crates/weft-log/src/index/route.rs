//! The short ways to records: by the keys of traces and tasks, and past the blocks that cannot hold any. Whatever the way,
//! the answer is that of looking at every record.

use std::ops::RangeInclusive;

use rusqlite::{Connection, params_from_iter};

use super::blocks::{self, BLOCK_BITS, Kind, WORD_BLOCKS};
use super::identity::{task_key, trace_key};
use super::keys::Family;
use super::read::{Order, Select, bounds, json_array};
use super::{SqlValue, integer, probe};
use crate::filter::{Demands, NameTest};

/// How many blocks are looked at first. Each further look takes twice as many.
const BLOCKS_MIN: i64 = 8;
/// How many blocks are looked at together at most: four million positions.
const BLOCKS_MAX: i64 = 1 << 14;
/// How many positions of a trace or a task are looked at first. Each further look takes twice as many.
const POSITIONS_MIN: usize = 512;
/// Of how many names the blocks are gathered at most. With more, nearly every block has one.
const NAMES_MAX: usize = 256;

/// Where to look.
pub(super) enum Route {
    /// At these positions.
    Positions(Vec<i64>),
    /// In these blocks.
    Blocks(Passes),
    /// SQLite knows best.
    Plain,
}

/// What a block must hold to be looked at.
pub(super) struct Passes {
    /// Each list is of names of a kind, of which the block must hold one.
    names: Vec<(Kind, Vec<i64>)>,
    /// Earliest and latest time that are asked for.
    times: Option<[i64; 2]>,
}

/// Returns the way to what is demanded.
pub(super) fn route(connection: &Connection, demands: &Demands) -> rusqlite::Result<Route> {
    let keys: Option<Vec<i64>> = match (&demands.traces, &demands.tasks) {
        (Some(traces), _) => Some(traces.iter().map(|trace| trace_key(trace)).collect()),
        (None, Some(tasks)) => Some(tasks.iter().map(|task| task_key(task)).collect()),
        (None, None) => None,
    };
    if let Some(keys) = keys {
        let found = probe::find(connection, Family::Lookup, &keys)?;
        let mut positions: Vec<i64> = found.into_iter().map(|(_, position)| position).collect();
        positions.sort_unstable();
        positions.dedup();
        return Ok(Route::Positions(positions));
    }
    if demands.is_looked_up {
        return Ok(Route::Plain);
    }
    let mut names = Vec::new();
    for (kind, tests) in [(Kind::Actor, &demands.actors), (Kind::Type, &demands.types)] {
        let Some(tests) = tests else { continue };
        let ids = ids(connection, kind, tests)?;
        if ids.len() <= NAMES_MAX {
            names.push((kind, ids));
        }
    }
    let times = demands.has_time().then_some([demands.time_min_ns, demands.time_max_ns]);
    let is_plain = names.is_empty() && times.is_none();
    Ok(if is_plain { Route::Plain } else { Route::Blocks(Passes { names, times }) })
}

/// Returns the ids of the actors or types that pass one of the tests.
fn ids(connection: &Connection, kind: Kind, tests: &[NameTest]) -> rusqlite::Result<Vec<i64>> {
    let mut ids = Vec::new();
    let mut all = None;
    for test in tests {
        let (operator, text) = match test {
            NameTest::Is(text) => {
                let mut find = connection.prepare_cached("SELECT id FROM names WHERE text = ?1")?;
                let found = find.query_map([text], |row| row.get(0))?;
                ids.extend(found.collect::<Result<Vec<i64>, _>>()?);
                continue;
            }
            NameTest::Like(pattern) => ("GLOB", pattern),
            NameTest::Matches(pattern) => ("REGEXP", pattern),
        };
        let all = match &all {
            Some(all) => all,
            None => all.insert(json_array(blocks::values(connection, kind)?.into_iter())),
        };
        let sql = format!(
            "SELECT id FROM names WHERE id IN (SELECT value FROM json_each(?1)) AND text {operator} ?2"
        );
        let mut find = connection.prepare_cached(&sql)?;
        let found = find.query_map([all, text], |row| row.get(0))?;
        ids.extend(found.collect::<Result<Vec<i64>, _>>()?);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns the positions of the records asked for among those at some positions, at most `limit`.
pub(super) fn among_positions(
    connection: &Connection,
    mut positions: Vec<i64>,
    select: &Select<'_>,
    order: Order,
    limit: usize,
) -> rusqlite::Result<Vec<i64>> {
    let range = integer(select.range.start().get())..=integer(select.range.end().get());
    positions.retain(|position| range.contains(position));
    if order == Order::Descending {
        positions.reverse();
    }
    let sql = format!(
        "SELECT position FROM records WHERE ({}) AND position IN (SELECT value FROM json_each(?{}))",
        select.condition,
        select.params.len() + 1
    );
    let (mut found, mut rest, mut n) = (Vec::new(), positions.as_slice(), POSITIONS_MIN);
    while found.len() < limit && !rest.is_empty() {
        let (now, later) = rest.split_at(n.min(rest.len()));
        let now = json_array(now.iter().copied());
        found.extend(matching(connection, &sql, now, select, order, limit - found.len())?);
        (rest, n) = (later, n * 2);
    }
    Ok(found)
}

/// Returns the positions of the records asked for in the blocks that pass, at most `limit`.
pub(super) fn among_blocks(
    connection: &Connection,
    passes: &Passes,
    select: &Select<'_>,
    order: Order,
    limit: usize,
) -> rusqlite::Result<Vec<i64>> {
    let Some(range) = clip(connection, select)? else { return Ok(Vec::new()) };
    if passes.names.iter().any(|(_, ids)| ids.is_empty()) {
        return Ok(Vec::new());
    }
    // The ends of the range are no bounds to look up by: there are narrower ones.
    let sql = format!(
        "SELECT position FROM (SELECT value AS block FROM json_each(?{})) CROSS JOIN records \
         WHERE position BETWEEN (block << {BLOCK_BITS}) + 1 AND (block + 1) << {BLOCK_BITS} AND ({})",
        select.params.len() + 1,
        select.condition,
    );
    let (mut first, mut last) = (blocks::block(*range.start()), blocks::block(*range.end()));
    let (mut found, mut n) = (Vec::new(), BLOCKS_MIN);
    while found.len() < limit && first <= last {
        let window = match order {
            Order::Ascending => first..=last.min(first + n - 1),
            Order::Descending => first.max(last - n + 1)..=last,
        };
        let held = passes.held(connection, &window)?;
        if !held.is_empty() {
            let held = json_array(held.into_iter());
            found.extend(matching(connection, &sql, held, select, order, limit - found.len())?);
        }
        match order {
            Order::Ascending => first = window.end() + 1,
            Order::Descending => last = window.start() - 1,
        }
        n = (n * 2).min(BLOCKS_MAX);
    }
    Ok(found)
}

/// Returns what there is of the range that is asked for.
fn clip(
    connection: &Connection,
    select: &Select<'_>,
) -> rusqlite::Result<Option<RangeInclusive<i64>>> {
    let ends = "SELECT (SELECT min(position) FROM records), (SELECT max(position) FROM records)";
    let mut ends = connection.prepare_cached(ends)?;
    let (first, last): (Option<i64>, Option<i64>) =
        ends.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (start, end) = (integer(select.range.start().get()), integer(select.range.end().get()));
    let range = first.zip(last).map(|(first, last)| first.max(start)..=last.min(end));
    Ok(range.filter(|range| !range.is_empty()))
}

impl Passes {
    /// Returns the blocks of a window that pass.
    fn held(
        &self,
        connection: &Connection,
        window: &RangeInclusive<i64>,
    ) -> rusqlite::Result<Vec<i64>> {
        let (first, last) = (*window.start(), *window.end());
        let mut held: Vec<i64> = match self.times {
            None => (first..=last).collect(),
            Some([min, max]) => {
                let sql = "SELECT block FROM blocks WHERE block BETWEEN ?1 AND ?2 AND time_max >= ?3 AND time_min <= ?4";
                let mut within = connection.prepare_cached(sql)?;
                within
                    .query_map([first, last, min, max], |row| row.get(0))?
                    .collect::<Result<_, _>>()?
            }
        };
        let sql = "SELECT word, blocks FROM present \
                   WHERE kind = ?1 AND value = ?2 AND word BETWEEN ?3 AND ?4";
        let mut present = connection.prepare_cached(sql)?;
        let (first, last) = (first / WORD_BLOCKS, last / WORD_BLOCKS);
        for (kind, ids) in &self.names {
            let mut words = vec![0_i64; usize::try_from(last - first + 1).unwrap_or(0)];
            for id in ids {
                let mut rows = present.query([kind.number(), *id, first, last])?;
                while let Some(row) = rows.next()? {
                    let (word, blocks): (i64, i64) = (row.get(0)?, row.get(1)?);
                    words[(word - first) as usize] |= blocks;
                }
            }
            let word = |block: i64| words[(block / WORD_BLOCKS - first) as usize];
            held.retain(|block| word(*block) >> (block % WORD_BLOCKS) & 1 == 1);
        }
        Ok(held)
    }
}

fn matching(
    connection: &Connection,
    sql: &str,
    places: String,
    select: &Select<'_>,
    order: Order,
    limit: usize,
) -> rusqlite::Result<Vec<i64>> {
    let n = select.params.len();
    let sql = format!(
        "{sql} AND +position BETWEEN ?{} AND ?{} ORDER BY position {} LIMIT ?{}",
        n + 2,
        n + 3,
        order.direction(),
        n + 4,
    );
    let limit = SqlValue::Integer(i64::try_from(limit).unwrap_or(i64::MAX));
    let params = select.params.iter().cloned().chain([SqlValue::Text(places)]);
    let params = params.chain(bounds(&select.range)).chain([limit]);
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_map(params_from_iter(params), |row| row.get(0))?.collect()
}
