//! Numbers from a seed, which is told so that a run can be looked into.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Draws numbers.
pub(crate) struct Draw(u64);

impl Draw {
    /// Returns one that begins with a seed; that of one thread is told by its number.
    pub(crate) fn new(seed: u64, thread: u64) -> Self {
        Self(seed ^ thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below another.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Returns a time below another.
    pub(crate) fn time_below(&mut self, limit: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(limit.as_micros()).unwrap().max(1)))
    }
}

/// Returns the seed of this run: `WEFT_TEST_SEED`, else the time.
pub(crate) fn seed() -> u64 {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("WEFT_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(now);
    println!("WEFT_TEST_SEED={seed}");
    seed
}

/// Returns whether there is time for many more rounds.
pub(crate) fn is_long() -> bool {
    std::env::var("WEFT_TEST_EFFORT").is_ok_and(|effort| effort == "long")
}
