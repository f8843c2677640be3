//! Issues as a store has them. What the index knows is asked of it; what it has not reached yet is read off the log.

use std::collections::HashMap;

use weft_event::idle::{Body, Sender};
use weft_event::json::{Tape, Value};
use weft_event::shape::Wire as _;
use weft_log::filter::quoted;
use weft_log::index::{self, Follower};
use weft_log::lines::{LineError, Lines};
use weft_log::query::{Ask, Order, QueryError, Records};
use weft_log::{Filter, Head, Position, Store};

use super::{Board, Entry, Issue, KEY, TOPIC_PREFIX, read_snapshot, topic_key};

/// Most messages of an issue that are read at once: the newest.
pub const HISTORY_MAX: usize = 1000;

/// Records that are read at a time.
const PAGE: usize = 1000;

/// What was said of an issue and how it changed, oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The messages.
    pub words: Vec<Word>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// One message of an issue's topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub position: Position,
    /// When it was posted, in milliseconds since 1970.
    pub at_ms: Option<i64>,
    /// Who posted it, by name.
    pub sender: Option<String>,
    /// What it says.
    pub said: Said,
}

/// What a message of an issue's topic says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The issue as it is from then on.
    Snapshot(Box<Issue>),
    /// Something about it.
    Text(String),
}

/// Reads every issue's newest snapshot. Costs as much as there are issues, whatever else is in the log.
pub fn board(store: &Store, records: &mut Records) -> Result<Board, QueryError> {
    let mut board = Board::default();
    if let Some(index) = records.index() {
        put_indexed(&mut board, index, store, records.head())?;
    }
    let filter = filter(&format!("topic={TOPIC_PREFIX}* key={KEY}"));
    let mut next = after_index(records)?;
    while let Some(first) = next {
        let (range, order, limit) = (first..=last(), Order::Ascending, PAGE);
        let page = records.page(&Ask { filter: &filter, range, order, limit })?;
        for found in &page.records {
            let topic = found.meta.mark.as_ref().and_then(|mark| mark.topic.as_ref());
            if let Some(id) = topic.and_then(|topic| topic.topic.strip_prefix(TOPIC_PREFIX)) {
                put(&mut board, id, found.meta.position, &found.line);
            }
        }
        next = page.next;
    }
    Ok(board)
}

/// Reads the snapshots that the index knows, all places at once: a query each would cost far more than the lines do.
fn put_indexed(
    board: &mut Board,
    index: &index::Reader,
    store: &Store,
    head: &Head,
) -> Result<(), QueryError> {
    let newest = index.latest_by_prefix(TOPIC_PREFIX, KEY)?;
    let ids: HashMap<Position, &str> =
        newest.iter().map(|(topic, position)| (*position, &topic[TOPIC_PREFIX.len()..])).collect();
    let mut lines = Lines::new(store.clone(), Some(index))?;
    lines.note(head.number, head.segment);
    let positions: Vec<Position> = newest.iter().map(|(_, position)| *position).collect();
    for found in index.places(&positions)? {
        let id = ids[&found.position];
        match lines.read(found.place, found.crc) {
            Ok(line) => put(board, id, found.position, &line),
            Err(LineError::Damaged { .. } | LineError::Segment { .. }) => {
                board.put_unreadable(id, found.position);
            }
            Err(error @ LineError::Io { .. }) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reads the newest snapshot of one issue, by its whole id; costs the same at any size. `None` if there is none, or none that
/// can be read.
pub fn one(records: &mut Records, id: &str) -> Result<Option<Entry>, QueryError> {
    let topic = topic_key(id);
    let mut found = None;
    if let Some(first) = after_index(records)? {
        let filter = filter(&format!("topic={} key={KEY}", quoted(&topic.topic)));
        let (range, order) = (first..=last(), Order::Descending);
        let page = records.page(&Ask { filter: &filter, range, order, limit: 1 })?;
        found = page.records.into_iter().next();
    }
    let latest = records.index().filter(|_| found.is_none());
    let latest = latest.map(|index| index.latest(&topic.topic, KEY)).transpose()?.flatten();
    if let Some(position) = latest {
        found = records.get(position)?;
    }
    let mut board = Board::default();
    found.iter().for_each(|found| put(&mut board, id, found.meta.position, &found.line));
    Ok(board.get(id).cloned())
}

/// Reads the messages of an issue.
pub fn history(records: &mut Records, id: &str) -> Result<History, QueryError> {
    let filter = filter(&format!("topic={}", quoted(&topic_key(id).topic)));
    let (range, order) = (Position::FIRST..=last(), Order::Descending);
    let page = records.page(&Ask { filter: &filter, range, order, limit: HISTORY_MAX })?;
    let words = page.records.iter().rev();
    let words = words.filter_map(|found| word(found.meta.position, &found.line));
    Ok(History { words: words.collect(), has_more: page.next.is_some() })
}

/// Returns when the newest record was received, in milliseconds since 1970.
pub fn newest_ms(records: &mut Records) -> Result<Option<i64>, QueryError> {
    let (range, order) = (Position::FIRST..=last(), Order::Descending);
    let page = records.page(&Ask { filter: &Filter::all(), range, order, limit: 1 })?;
    Ok(page.records.first().and_then(|found| found.meta.at_us).map(|at_us| at_us / 1000))
}

fn put(board: &mut Board, id: &str, position: Position, line: &[u8]) {
    match word(position, line).map(|word| word.said) {
        Some(Said::Snapshot(issue)) if issue.id == id => board.put(*issue, position),
        Some(Said::Snapshot(_) | Said::Text(_)) | None => board.put_unreadable(id, position),
    }
}

/// Reads a message; `None` if a record of the topic is none.
fn word(position: Position, line: &[u8]) -> Option<Word> {
    let mut tape = Tape::new();
    let value = tape.parse_bytes(line).ok()?;
    let text = Body::read(value.get("body")?)?.into_text();
    let sender = value.get("sender").and_then(Sender::read);
    let said = match read_snapshot(&text) {
        Some(issue) => Said::Snapshot(Box::new(issue)),
        None => Said::Text(text.into_owned()),
    };
    let at_ms = value.get("created_at").and_then(Value::as_i64);
    let sender = sender.map(|sender| sender.name.into_owned());
    Some(Word { position, at_ms, sender, said })
}

/// Returns the first position that the index does not know.
fn after_index(records: &Records) -> Result<Option<Position>, QueryError> {
    let mark = records.index().map(|index| index.watermark(Follower::Core)).transpose()?;
    let next = Position::FIRST.plus(mark.map_or(0, |mark| mark.position));
    Ok((next < records.head().next).then_some(next))
}

fn filter(text: &str) -> Filter {
    Filter::parse(text, 0).expect("names are quoted")
}

fn last() -> Position {
    Position::new(u64::MAX).expect("it is not 0")
}
