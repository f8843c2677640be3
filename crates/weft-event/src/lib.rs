//! The five event dialects that coding agents speak: their shapes, validation, detection, facts, order, identity and translation.
//!
//! [`event::read`] takes a line to an [`event::Event`]; [`event::Event::facts`] gives what all dialects have in common.
//! Everything here is a function of bytes: no files, no clocks, no async.

pub mod collector;
pub mod demo;
pub mod detect;
mod dialect;
mod dice;
pub mod engine;
pub mod event;
mod facts;
pub mod hook;
mod identity;
pub mod idle;
pub mod input;
pub mod json;
pub mod merge;
pub mod needle;
pub mod order;
pub mod own;
pub mod pinchy;
pub mod problem;
pub mod report;
pub mod sample;
pub mod secrets;
pub mod shape;
pub mod taxonomy;
#[cfg(test)]
mod testing;
pub mod time;
pub mod transcript;
pub mod translate;
pub mod validate;

pub use dialect::Dialect;
pub use facts::{Facts, Level, Status, Usage};
pub use identity::{Identity, Key, KeyDigests, KeyText, digest_parts};
