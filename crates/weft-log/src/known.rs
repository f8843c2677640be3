//! What is known without asking the index: a filter over all identity keys, and the exact keys of the newest records.
//!
//! Nearly every event is new. [`Known`] says so from memory; only what it cannot rule out is looked up. [`Tail`] holds the keys
//! and topics of the records that the index has not reached yet.

mod filter;
mod tail;

pub use filter::{Known, Seen};
pub use tail::Tail;

#[cfg(test)]
mod tests;
