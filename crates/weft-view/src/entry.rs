//! A record as views take it, and its place in its producer's own order.

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

    /// Returns its place in its producer's order.
    pub fn stamp(&self) -> Stamp {
        let rank = match self.facts.order {
            Some(order) => Rank::Sequence(order),
            None => Rank::Time(self.time_ns()),
        };
        Stamp { rank, position: self.position }
    }
}

/// A place in the order of one producer: by its own numbers, or by its clock where it has none. Only stamps of one producer, an
/// actor in a session, can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Stamp {
    rank: Rank,
    /// Between equal ranks the later record counts.
    position: u64,
}

/// A stamp as it is saved, in few bytes, since there are many: whether the number is the producer's own, the number, the position.
type Saved = (bool, i64, u64);

impl From<Stamp> for Saved {
    fn from(stamp: Stamp) -> Self {
        match stamp.rank {
            Rank::Time(ns) => (false, ns, stamp.position),
            Rank::Sequence(number) => (true, number.cast_signed(), stamp.position),
        }
    }
}

impl From<Saved> for Stamp {
    fn from((is_sequence, number, position): Saved) -> Self {
        let rank =
            if is_sequence { Rank::Sequence(number.cast_unsigned()) } else { Rank::Time(number) };
        Self { rank, position }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// What has no number comes before what has one: it is of an older form of the producer.
    Time(i64),
    Sequence(u64),
}

impl Stamp {
    /// Returns the position of the record.
    pub fn position(&self) -> u64 {
        self.position
    }
}
