//! Topics: named channels in the log, what is posted to them, and how it is read.
//!
//! A message is a record of the message store that the idle dialect is written to, jwz. Its mark in the log has the topic's name, so
//! that what was posted is found by name whatever the topic's id. In a last-value topic the mark has a key as well, and the newest
//! record of the key is the value.
//!
//! Nothing here writes: whoever posts takes the line of a message from here, and appends it.

pub mod body;
mod draft;
mod expiry;
mod git;
pub mod jwz;
mod known;
mod name;
mod posted;
mod read;
mod snapshot;
mod thread;
mod ulid;
mod which;

pub use draft::{Draft, new_topic};
pub use expiry::{Expiry, expiry};
pub use git::context;
pub use known::{Known, REGISTRY, find, list, of_record};
pub use name::{NAME_BYTES_MAX, NameError, check, near};
pub use posted::Posted;
pub use read::{Chosen, read, read_all};
pub use snapshot::{Snapshot, SnapshotError, Tracker};
pub use thread::{Reply, THREAD_MESSAGES_MAX, Thread, arrange, thread};
pub use ulid::{Ulid, Ulids};
pub use which::{LISTED_MAX, WhichError, by_id, message};
