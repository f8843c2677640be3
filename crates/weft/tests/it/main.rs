//! The real binary: what its users see on stdout and stderr, and the exit code.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

mod bad_input;
mod config;
mod convert;
mod demo;
mod doctor;
mod documents;
mod emit;
mod explain;
mod gaps;
mod help;
mod ingest;
mod init;
mod keeping;
mod listing;
mod log;
mod memory;
mod merge;
mod open;
mod rejects;
mod sandbox;
mod served;
mod service;
mod session;
mod show;
mod sql;
mod stats;
mod stored;
mod sub;
mod tail;
mod tls;
mod token;
mod trace;
mod up;
mod validate;
mod ways;
