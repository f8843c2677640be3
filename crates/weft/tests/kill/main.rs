//! The real binary under what ends processes and breaks disks: kill -9 at any moment, syncs that fail, a disk that is full.
//! Counted from outside: whatever a process has answered is in the log, once, where it said.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]
#![expect(clippy::print_stdout, reason = "seeds and counts are shown with the results")]

mod agent;
mod crowd;
mod draw;
mod full;
mod index;
mod opening;
mod scene;
mod server;
mod syncs;
