//! The durable, ordered log that every agent writes to: segments of plain JSONL, groups closed by hash-chained seals, recovery,
//! identity, a derived index, queries and tailing.
//!
//! It does not know HTTP, screens, or what a loop is. The format on disk is described in `docs/log-format.md`.

pub mod archive;
pub mod disk;
pub mod filter;
mod hash;
mod head;
pub mod index;
pub mod known;
mod position;
pub mod reader;
mod record;
pub mod recover;
pub mod scan;
pub mod seal;
pub mod segment;
pub mod writer;

pub use filter::{Filter, FilterError};
pub use hash::Hash;
pub use head::Head;
pub use position::Position;
pub use record::{Carried, Mark, Meta, Record, TopicKey};
