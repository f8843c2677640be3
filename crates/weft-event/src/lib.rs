//! The five event dialects that coding agents speak: their shapes, validation, detection, facts, order, identity and translation.
//!
//! Everything here is a function of bytes: no files, no clocks, no async.

pub mod json;
pub mod time;
