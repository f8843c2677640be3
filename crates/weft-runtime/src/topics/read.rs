//! Reading what was posted: exactly, also what the index has not reached, and at the cost of the answer.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use weft_event::json::Tape;
use weft_log::filter::quoted;
use weft_log::index::Follower;
use weft_log::query::{Ask, Found, Order, QueryError, Records};
use weft_log::{Filter, Position};

use super::Known;

/// Which of what was posted to a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen<'a> {
    /// All of it.
    All,
    /// The value of every key.
    Values,
    /// What was posted for one key; the first is its value.
    Key(&'a str),
}

/// Returns what was posted to a topic, the newest first.
pub fn read(
    records: &mut Records,
    topic: &str,
    chosen: Chosen<'_>,
    limit: usize,
) -> Result<Vec<Found>, QueryError> {
    let filter = match chosen {
        Chosen::All | Chosen::Values => format!("topic={}", quoted(topic)),
        Chosen::Key(key) => format!("topic={} key={}", quoted(topic), quoted(key)),
    };
    let filter = Filter::parse(&filter, 0).expect("quoted names can be compared with");
    let parts = Parts::of(records)?;
    let newest = match chosen {
        Chosen::Values => usize::MAX - 1,
        Chosen::All | Chosen::Key(_) => limit,
    };
    let mut found = parts.unindexed(records, &filter, newest)?;
    if chosen == Chosen::Values {
        return values(records, topic, &parts, found, limit);
    }
    let n_left = limit - found.len();
    let positions = match (&parts.indexed, records.index()) {
        (Some(range), Some(index)) if n_left > 0 => match chosen {
            Chosen::Key(key) => index.newest_of_key(topic, Some(key), range, n_left)?,
            Chosen::All | Chosen::Values => index.newest_of(topic, range, n_left)?,
        },
        _ => Vec::new(),
    };
    get_all(records, positions, &mut found)?;
    Ok(found)
}

/// Returns all that was posted to a topic, the newest first: under its name, and under its id, as what came from a file of messages
/// without an import stands in the log.
pub fn read_all(
    records: &mut Records,
    topic: &Known,
    limit: usize,
) -> Result<Vec<Found>, QueryError> {
    let mut found = read(records, &topic.name, Chosen::All, limit)?;
    if let Some(id) = topic.id.as_deref().filter(|id| *id != topic.name) {
        let by_id = read(records, id, Chosen::All, limit)?;
        let is_topic = |found: &Found| {
            let mut tape = Tape::new();
            found.read(&mut tape).is_some_and(|event| event.facts().event_type == "topic")
        };
        found.extend(by_id.into_iter().filter(|found| !is_topic(found)));
        found.sort_by_key(|found| std::cmp::Reverse(found.meta.position));
        found.truncate(limit);
    }
    Ok(found)
}

/// Returns the newest of each key, given everything that the index does not know.
fn values(
    records: &mut Records,
    topic: &str,
    parts: &Parts,
    unindexed: Vec<Found>,
    limit: usize,
) -> Result<Vec<Found>, QueryError> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for record in unindexed {
        let mark = record.meta.mark.as_ref().and_then(|mark| mark.topic.as_ref());
        let key = mark.and_then(|topic| topic.key.clone());
        if key.is_some_and(|key| seen.insert(key)) {
            found.push(record);
        }
    }
    found.truncate(limit);
    let mut positions = Vec::new();
    if let (Some(range), Some(index)) = (&parts.indexed, records.index()) {
        for (key, latest) in index.latest_of(topic)? {
            if positions.len() + found.len() >= limit {
                break;
            }
            if seen.contains(&key) {
                continue;
            }
            // Somebody may have posted since we began to look.
            match range.contains(&latest) {
                true => positions.push(latest),
                false => positions.extend(index.newest_of_key(topic, Some(&key), range, 1)?),
            }
        }
    }
    get_all(records, positions, &mut found)?;
    Ok(found)
}

/// Returns the names of all topics that something was posted to.
pub(super) fn topics(records: &mut Records) -> Result<BTreeSet<String>, QueryError> {
    let filter = Filter::parse("has:topic", 0).expect("it is a filter");
    let parts = Parts::of(records)?;
    let unindexed = parts.unindexed(records, &filter, usize::MAX - 1)?;
    let marks = unindexed.into_iter().filter_map(|found| found.meta.mark?.topic);
    let mut names: BTreeSet<String> = marks.map(|mark| mark.topic).collect();
    if let Some(index) = records.index() {
        names.extend(index.topics()?);
    }
    Ok(names)
}

fn get_all(
    records: &mut Records,
    positions: Vec<Position>,
    found: &mut Vec<Found>,
) -> Result<(), QueryError> {
    let filter = Filter::all();
    for position in positions {
        let (range, order) = (position..=position, Order::Ascending);
        found.extend(records.page(&Ask { filter: &filter, range, order, limit: 1 })?.records);
    }
    Ok(())
}

/// The log as the index sees it.
struct Parts {
    /// What it knows.
    indexed: Option<RangeInclusive<Position>>,
    /// What it has not reached.
    unindexed: Option<RangeInclusive<Position>>,
}

impl Parts {
    fn of(records: &Records) -> Result<Self, QueryError> {
        let last = records.head().last();
        let mark = records.index().map(|index| index.watermark(Follower::Core)).transpose()?;
        let upto = mark.and_then(|mark| Position::new(mark.position)).min(last);
        let next = upto.map_or(Position::FIRST, |upto| upto.plus(1));
        Ok(Self {
            indexed: upto.map(|upto| Position::FIRST..=upto),
            unindexed: last.filter(|last| next <= *last).map(|last| next..=last),
        })
    }

    /// Returns what matches and is not indexed, the newest first.
    fn unindexed(
        &self,
        records: &mut Records,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Found>, QueryError> {
        let Some(range) = self.unindexed.clone() else { return Ok(Vec::new()) };
        Ok(records.page(&Ask { filter, range, order: Order::Descending, limit })?.records)
    }
}

#[cfg(test)]
mod tests;
