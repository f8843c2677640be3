//! The real binary: what its users see on stdout and stderr, and the exit code.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

mod bad_input;
mod convert;
mod documents;
mod explain;
mod help;
mod listing;
mod memory;
mod merge;
mod sandbox;
mod validate;
