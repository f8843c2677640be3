//! From a record to the row that SQLite is given: parsing happens here, so that SQLite's thread does nothing but insert.

use std::ops::Range;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Dialect, Facts, Status};

use super::identity::{task_key, trace_key};
use super::names::{Names, News, Token};
use super::{Entry, Keys, Place, integer};
use crate::priority::yield_turn;
use crate::{Mark, Meta};

/// How many columns of a row hold names.
pub(super) const N_NAMES: usize = 15;

/// The record was appended again so that its segment could go.
const CARRIED: i64 = 1;
/// An earlier record has the same identity and other content.
const CONFLICT: i64 = 2;
/// The seal that vouched for the record is damaged.
const UNVERIFIED: i64 = 4;
/// Weft's own record.
const BOOKKEEPING: i64 = 8;

/// The places of some names in a row.
pub(super) const DIALECT: usize = 0;
pub(super) const TYPE: usize = 1;
const VIA: usize = 2;
pub(super) const ACTOR: usize = 3;
pub(super) const TOPIC: usize = 10;
pub(super) const TOPIC_KEY: usize = 11;

/// One row of `records` with its identity.
pub(super) struct Row {
    pub(super) position: i64,
    pub(super) place: Place,
    pub(super) crc: Option<u32>,
    pub(super) at_us: Option<i64>,
    pub(super) time_ns: Option<i64>,
    /// In the order of the columns from `dialect` to `level`.
    pub(super) names: [Token; N_NAMES],
    pub(super) trace: Option<Text>,
    pub(super) task: Option<Text>,
    pub(super) ended: bool,
    pub(super) ordinal: Option<i64>,
    pub(super) duration_ms: Option<i64>,
    pub(super) input_tokens: Option<i64>,
    pub(super) output_tokens: Option<i64>,
    pub(super) cost_usd: Option<f64>,
    pub(super) flags: i64,
    pub(super) keys: Keys,
}

/// A text that is no name, with its key.
pub(super) struct Text {
    /// Where it stands in the batch's texts.
    pub(super) place: Range<usize>,
    pub(super) key: i64,
}

/// Rows on their way to SQLite, with the names and texts that they bring.
pub(super) struct Batch {
    pub(super) news: News,
    pub(super) rows: Vec<Row>,
    pub(super) texts: String,
}

/// What parsing needs from record to record.
#[derive(Default)]
pub(super) struct Parser {
    tape: Tape,
    problems: Problems,
    pub(super) names: Names,
}

impl Parser {
    /// Returns the rows of the records.
    pub(super) fn batch(&mut self, entries: &[Entry<'_>]) -> Batch {
        let mut texts = String::new();
        let rows = entries.iter().map(|entry| self.row(entry, &mut texts)).collect();
        Batch { news: self.names.take_news(), rows, texts }
    }

    fn row(&mut self, entry: &Entry<'_>, texts: &mut String) -> Row {
        yield_turn();
        let mark = entry.meta.mark.as_ref();
        let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
        self.problems.clear();
        let event = event::read(&mut self.tape, entry.line, expect, &mut self.problems);
        let facts = event.map(|event| event.facts());
        row_of(entry, facts.as_ref(), &mut self.names, texts)
    }
}

/// Returns the row of a record. A line that is no event has no facts, and its row says only what the seal does.
fn row_of(
    entry: &Entry<'_>,
    facts: Option<&Facts<'_>>,
    names: &mut Names,
    texts: &mut String,
) -> Row {
    let mark = entry.meta.mark.as_ref();
    let delivery = mark.and_then(|mark| mark.delivery.as_deref());
    let usage = facts.and_then(|facts| facts.usage.as_deref());
    let number = |number: Option<u64>| number.map(integer);
    let dialect = facts.map(|facts| facts.dialect).or(mark.map(|mark| mark.dialect));
    let named = names_of(dialect, mark, facts);
    let mut keep = |text: Option<&str>, key: fn(&str) -> i64| {
        let text = text?;
        let start = texts.len();
        texts.push_str(text);
        Some(Text { place: start..texts.len(), key: key(text) })
    };
    Row {
        position: integer(entry.meta.position.get()),
        place: entry.place,
        crc: mark.map(|mark| mark.crc),
        at_us: received_us(entry.meta),
        time_ns: facts.and_then(|facts| facts.time_ns),
        names: named.map(|text| text.map_or(Token::NONE, |text| names.token(text))),
        trace: keep(facts.and_then(|facts| facts.trace.as_deref()), trace_key),
        task: keep(facts.and_then(|facts| facts.task.as_deref()), task_key),
        ended: facts.is_some_and(|facts| facts.ended),
        ordinal: number(facts.and_then(|facts| facts.order)),
        duration_ms: number(facts.and_then(|facts| facts.duration_ms)),
        input_tokens: number(usage.and_then(|usage| usage.input_tokens)),
        output_tokens: number(usage.and_then(|usage| usage.output_tokens)),
        cost_usd: usage.and_then(|usage| usage.cost_usd),
        flags: flags(entry.meta) | if dialect == Some(Dialect::Weft) { BOOKKEEPING } else { 0 },
        keys: facts.map_or(Keys::NONE, Keys::of).with_delivery(delivery),
    }
}

fn names_of<'a>(
    dialect: Option<Dialect>,
    mark: Option<&'a Mark>,
    facts: Option<&'a Facts<'_>>,
) -> [Option<&'a str>; N_NAMES] {
    let posted = mark.and_then(|mark| mark.topic.as_ref());
    let topic = posted.map(|posted| &*posted.topic);
    let topic_key = posted.and_then(|posted| posted.key.as_deref());
    let (dialect, via) = (dialect.map(Dialect::as_str), mark.map(|mark| &*mark.via));
    let mut names = [None; N_NAMES];
    let Some(facts) = facts else {
        (names[DIALECT], names[VIA]) = (dialect, via);
        (names[TOPIC], names[TOPIC_KEY]) = (topic, topic_key);
        return names;
    };
    names = [
        dialect,
        Some(&facts.event_type),
        via,
        facts.actor.as_deref(),
        facts.session.as_deref(),
        facts.parent.as_deref(),
        facts.subject.as_deref(),
        facts.tenant.as_deref(),
        facts.tool.as_deref(),
        facts.path.as_deref(),
        topic.or(facts.topic.as_deref()),
        topic_key,
        facts.usage.as_ref().and_then(|usage| usage.model.as_deref()),
        facts.status.map(Status::as_str),
        Some(facts.level.as_str()),
    ];
    names
}

/// Returns when the event came in; of a carried one, when it came in first.
fn received_us(meta: &Meta) -> Option<i64> {
    let carried = meta.mark.as_ref().and_then(|mark| mark.carried);
    carried.map(|carried| carried.at_us).or(meta.at_us)
}

fn flags(meta: &Meta) -> i64 {
    let Some(mark) = &meta.mark else { return UNVERIFIED };
    let carried = if mark.carried.is_some() { CARRIED } else { 0 };
    let conflict = if mark.conflict.is_some() { CONFLICT } else { 0 };
    carried | conflict
}
