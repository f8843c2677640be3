//! A record as views take it, and its place in its producer's own order.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};
use weft_event::Facts;
use weft_event::report::Report;

/// One record of the log, read.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'e, 'a> {
    /// Its position in the log.
    pub position: u64,
    /// When it was received, in nanoseconds since 1970.
    pub received_ns: i64,
    /// Whether it stood in the log before and was appended again: a value that still counts, and no new event.
    pub is_carried: bool,
    /// Its facts.
    pub facts: &'e Facts<'a>,
    /// What it reports beyond them.
    pub report: &'e Report<'a>,
}

impl Entry<'_, '_> {
    /// Returns when it happened, by its producer's clock, or else when it was received.
    pub fn time_ns(&self) -> i64 {
        self.facts.time_ns.unwrap_or(self.received_ns)
    }

    /// Returns when it was seen to happen: by its producer's clock, but not later than it was received, since a clock can be ahead.
    pub fn seen_ns(&self) -> i64 {
        self.time_ns().min(self.received_ns)
    }

    /// Returns its place in its producer's order.
    pub fn stamp(&self) -> Stamp {
        let (is_sequence, number) = match self.facts.order {
            Some(order) => (true, order.cast_signed()),
            None => (false, self.time_ns()),
        };
        Stamp::from((is_sequence, number, self.position))
    }
}

/// A place in the order of one producer: by its own numbers, or by its clock where it has none. Only stamps of one producer, an
/// actor in a session, can be compared.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Stamp {
    /// The producer's own number, or the time, each as it is saved.
    number: i64,
    /// The position, and in its highest bit whether the number is the producer's own: views keep many stamps.
    place: u64,
}

/// The bit of a place that says that the number is the producer's own.
const IS_SEQUENCE: u64 = 1 << 63;

/// A stamp as it is saved, in few bytes, since there are many: whether the number is the producer's own, the number, the position.
type Saved = (bool, i64, u64);

impl From<Stamp> for Saved {
    fn from(stamp: Stamp) -> Self {
        (stamp.place & IS_SEQUENCE != 0, stamp.number, stamp.position())
    }
}

impl From<Saved> for Stamp {
    fn from((is_sequence, number, position): Saved) -> Self {
        let mark = if is_sequence { IS_SEQUENCE } else { 0 };
        Self { number, place: (position & !IS_SEQUENCE) | mark }
    }
}

impl Stamp {
    /// Returns the position of the record.
    pub fn position(&self) -> u64 {
        self.place & !IS_SEQUENCE
    }

    /// Returns what it is ordered by. What has no number comes before what has one: it is of an older form of the producer.
    /// Between equal numbers the later record counts.
    fn rank(self) -> (u64, i64, u64) {
        let mark = self.place & IS_SEQUENCE;
        // A number is not signed: those with the highest bit are the greatest.
        (mark, self.number ^ mark.cast_signed(), self.place)
    }
}

impl PartialOrd for Stamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stamp {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (is_sequence, number, position) = Saved::from(*self);
        let by = if is_sequence { "number" } else { "time" };
        write!(f, "{by} {number} at {position}")
    }
}

#[cfg(test)]
mod tests;
