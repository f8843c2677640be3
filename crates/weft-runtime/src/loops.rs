//! Loops: an agent is told to go on until its work is done, and no longer.
//!
//! A loop is the newest STATE of its session in `loop:current`. Nothing else is kept of it anywhere.

pub mod anchor;
pub mod briefing;
pub mod control;
pub mod decide;
pub mod events;
pub mod marker;
pub mod newest;
pub mod obey;
pub mod state;
pub mod words;

pub use briefing::Briefing;
pub use decide::{Decision, Known, Question, Stop, decide};
pub use newest::Newest;
pub use state::{Current, Frame, Kind, State};

#[cfg(test)]
mod tests;
