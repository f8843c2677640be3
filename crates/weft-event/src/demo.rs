//! A made-up night of a software team, told by its agents in all five dialects: what newcomers, tests and benchmarks look at.
//!
//! Unlike [`crate::sample`], which deals types at random, this world is causal: what completes was requested before, ids link,
//! sequences are dense, costs add up. It is a function of a seed and a start: no clock is read, and the same two numbers give the
//! same bytes.

mod collector;
mod dice;
mod engine;
mod idle;
mod needle;
mod pen;
mod pinchy;
mod prose;
mod stage;

use std::fmt;

use crate::Dialect;

use stage::Stage;

/// One event of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When it happens, in nanoseconds since 1970. It never goes back from one moment to the next.
    pub due_ns: i64,
    /// The event, on one line, in its dialect.
    pub line: String,
    /// The dialect.
    pub dialect: Dialect,
    /// What it would come in through, such as `hook` or `file:needle`.
    pub source: &'static str,
}

/// The world: an endless stream of moments, some two to six for each second of its own time.
#[derive(Debug)]
pub struct World {
    stage: Stage,
    casts: [Box<dyn Cast>; 5],
}

impl World {
    /// Returns the world of a seed, as it begins at this time; a time before 1970 counts as 1970.
    pub fn new(seed: u64, start_ns: i64) -> Self {
        let mut stage = Stage::new(seed, start_ns.max(0));
        let casts: [Box<dyn Cast>; 5] = [
            Box::new(needle::Crew::new(&mut stage)),
            Box::new(collector::Team::new(&mut stage)),
            Box::new(engine::Runs::new(&mut stage)),
            Box::new(pinchy::Gateway::new(&mut stage)),
            Box::new(idle::Loops::new(&mut stage)),
        ];
        Self { stage, casts }
    }
}

impl Iterator for World {
    type Item = Moment;

    fn next(&mut self) -> Option<Moment> {
        loop {
            let next = self.casts.iter_mut().min_by_key(|cast| cast.free_ns())?;
            if let Some(moment) = self.stage.take_until(next.free_ns()) {
                return Some(moment);
            }
            next.play(&mut self.stage);
        }
    }
}

/// A group of actors that play scenes, alone or with each other. Each of them has a clock of its own, which only goes forward.
trait Cast: fmt::Debug + Send {
    /// Returns when the first of its actors is free: whatever it says from now on is not earlier.
    fn free_ns(&self) -> i64;

    /// Lets that actor play one scene to its end.
    fn play(&mut self, stage: &mut Stage);
}

#[cfg(test)]
mod tests;
