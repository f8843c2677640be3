//! The durable, ordered log that every agent writes to: segments of plain JSONL, groups closed by hash-chained seals, recovery,
//! identity, a derived index, queries and tailing.
//!
//! It does not know HTTP, screens, or what a loop is. The format on disk is described in `docs/log-format.md`.

pub mod admit;
pub mod archive;
pub mod blobs;
mod digits;
pub mod disk;
pub mod export;
pub mod filter;
pub mod follow;
mod hash;
mod head;
pub mod index;
pub mod known;
pub mod lines;
pub mod lock;
pub mod log;
mod position;
pub mod priority;
pub mod prune;
pub mod query;
pub mod reader;
mod record;
pub mod recover;
pub mod redact;
pub mod rejected;
pub mod scan;
pub mod seal;
pub mod segment;
pub mod snapshots;
pub mod source;
pub mod spool;
mod store;
pub mod tail;
#[cfg(test)]
mod testing;
pub mod verify;
pub mod writer;

pub use filter::{Filter, FilterError};
pub use hash::Hash;
pub use head::Head;
pub use position::Position;
pub use record::{Carried, Mark, Meta, Record, TopicKey, Via};
pub use store::{Network, PROMPTS_FOLDER, Store, StoreError};
