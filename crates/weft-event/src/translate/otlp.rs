//! OTLP/JSON: an event as an export request with one log record, many in one request, and the events out of a request.
//!
//! Requests that come as Protocol Buffers are written as this JSON first: there is one way to read them.

mod batch;
mod names;
mod open;
mod write;

use crate::facts::Level;
use crate::needle::{
    OTLP_BEAD_ID as NEEDLE_BEAD, OTLP_SEQUENCE as NEEDLE_SEQUENCE,
    OTLP_SESSION_ID as NEEDLE_SESSION, OTLP_WORKER_ID as NEEDLE_WORKER,
};

pub use batch::{BATCH_BYTES_MAX, BATCH_RECORDS_MAX, Batch, Request};
pub use open::{Malformed, Reader, SERIES_MAX, Series, Signal, Taken};
pub(super) use open::{open, unpack};
pub(super) use write::write;

/// The attribute that holds the event itself, as text.
const EVENT: &str = "weft.event";
/// The attribute that names the event's dialect.
const DIALECT: &str = "weft.dialect";

/// The attribute that names the facts that were filled in, with commas between them.
const FILLED: &str = "weft.filled";

/// Returns the severity of a level, as a number and as a word.
fn severity(level: Level) -> (u64, &'static str) {
    match level {
        Level::Debug => (5, "DEBUG"),
        Level::Info => (9, "INFO"),
        Level::Warn => (13, "WARN"),
        Level::Error => (17, "ERROR"),
    }
}
