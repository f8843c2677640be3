//! What is drawn for every event: its moment, its producer, and the values that every dialect needs.

use crate::dice::Dice;
use crate::json::Json;
use crate::time;

/// 2026-03-02T08:00:00Z, when the made-up work begins.
const START_NS: i64 = 1_772_438_400 * time::SECOND_NS;

/// Producers of one dialect that speak in turn.
const PRODUCERS: u64 = 4;

/// A generator with the moment and the number of the event that is being made.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) dice: Dice,
    /// Which event of its dialect this is; decides producer and sequence.
    pub(super) nth: u64,
    /// When it happens.
    pub(super) at_ns: i64,
}

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), nth: 0, at_ns: START_NS }
    }

    /// Returns which of the producers of the dialect speaks.
    pub(super) fn producer(&self) -> u64 {
        self.nth % PRODUCERS
    }

    /// Returns the event's number within its producer.
    pub(super) fn sequence(&self) -> u64 {
        self.nth / PRODUCERS
    }

    /// Returns a UUID of version 7, which begins with the time.
    pub(super) fn uuid(&mut self) -> String {
        let ms = self.millis();
        let random = self.dice.hex(18);
        format!(
            "{:08x}-{:04x}-7{}-a{}-{}",
            ms >> 16,
            ms & 0xFFFF,
            &random[..3],
            &random[3..6],
            &random[6..]
        )
    }

    /// Returns an id that stays the same for all events of this producer: session, run or trace.
    pub(super) fn steady_uuid(&self, salt: u64) -> String {
        Draw::new(self.producer() * 977 + salt).uuid()
    }

    /// Returns the moment as RFC 3339, in the precisions that producers use.
    pub(super) fn time(&mut self) -> String {
        let unit = self.dice.pick(&[1_000_000, 1_000_000, 1_000, 1]);
        time::format_rfc3339(self.at_ns / unit * unit)
    }

    /// Returns a moment so many seconds away as RFC 3339.
    pub(super) fn time_in(&self, seconds: i64) -> String {
        time::format_rfc3339(
            self.at_ns / time::SECOND_NS * time::SECOND_NS + seconds * time::SECOND_NS,
        )
    }

    /// Returns the moment as milliseconds since 1970.
    pub(super) fn millis(&self) -> u64 {
        (self.at_ns / 1_000_000) as u64
    }

    /// Returns the moment as seconds since 1970.
    pub(super) fn seconds(&self) -> u64 {
        (self.at_ns / time::SECOND_NS) as u64
    }

    /// Returns a share of one with two digits.
    pub(super) fn share(&mut self) -> Json<'static> {
        Json::number(self.dice.below(101) as f64 / 100.0)
    }

    /// Returns a whole number as JSON.
    pub(super) fn count(&mut self, low: u64, high: u64) -> Json<'static> {
        Json::integer(self.dice.between(low, high))
    }

    /// Returns a duration in milliseconds, mostly short.
    pub(super) fn duration(&mut self) -> Json<'static> {
        let limit = self.dice.pick(&[90, 900, 9_000, 180_000]);
        self.count(1, limit)
    }

    /// Returns an amount of money with four digits.
    pub(super) fn cost(&mut self) -> Json<'static> {
        Json::number(self.dice.below(40_000) as f64 / 10_000.0)
    }
}
