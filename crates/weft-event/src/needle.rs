//! `needle`: events of NEEDLE's workers and the beads they work on, schema version 1, with the two shapes that came before it.
//!
//! Order is `sequence` within a session of a worker; `timestamp` is for display and breaks ties between workers.

mod facts;
mod legacy;
mod report;
mod types;

use std::borrow::Cow;

use crate::Level;
use crate::dialect::Speech;
use crate::event::report_repeated_keys;
use crate::json::{Json, Name, Value};
use crate::problem::{Code, Problems};
use crate::shape::{Check, Draft, Fields, Shape, record};

pub use legacy::{
    LEGACY_EVENT, LEGACY_FLAT, LegacyEvent, LegacyFlat, LegacyWorker, WORKER_PARTS, WorkerParts,
};
pub use types::{LISTED, NeedleType, TAXONOMY, level};

/// The version that Weft reads and writes.
pub const VERSION: u64 = 1;

/// OTLP attribute that holds `worker_id`.
pub const OTLP_WORKER_ID: &str = "needle.worker.id";
/// OTLP attribute that holds `session_id`.
pub const OTLP_SESSION_ID: &str = "needle.session.id";
/// OTLP attribute that holds `sequence`.
pub const OTLP_SEQUENCE: &str = "needle.sequence";
/// OTLP attribute that holds `bead_id`.
pub const OTLP_BEAD_ID: &str = "needle.bead.id";

// The last four fields are additions of the producer that the document does not know. It allows any field, so nothing is asked of
// them, and whoever reads them takes what fits.
record! {
    /// One event of a NEEDLE worker.
    pub struct Event = EVENT("Needle Event", Allowed) {
        /// Version of the schema; producers may leave it out.
        schema_version: ? u64 = Check::Version { current: VERSION, tolerated: None };
        /// When it happened, for display only.
        timestamp: ! Cow<'a, str> = Check::TIME;
        /// Type, as `category.action`; names beyond the known ones are kept.
        event_type: ! Cow<'a, str> = Check::TEXT;
        /// The worker that wrote it.
        worker_id: ! Cow<'a, str> = Check::TEXT;
        /// One lifetime of the worker.
        session_id: ! Cow<'a, str> = Check::TEXT;
        /// Its number in the session; this decides the order.
        sequence: ! u64 = Check::Sequence;
        /// The bead it is about.
        bead_id: ? Cow<'a, str> = Check::TEXT;
        /// What belongs to the type; may be empty.
        data: ! Json<'a> = Check::Object;
        /// Where the worker works.
        workspace: ? Json<'a> = Check::Any;
        /// How long what it reports took, in milliseconds.
        duration_ms: ? Json<'a> = Check::Any;
        /// The trace it belongs to.
        trace_id: ? Json<'a> = Check::Any;
        /// Its span in the trace.
        span_id: ? Json<'a> = Check::Any;
    }
}

impl Event<'_> {
    /// Returns the type: a known one, or the name as it stands.
    pub fn kind(&self) -> NeedleType<'_> {
        NeedleType::of(Cow::Borrowed(&self.event_type))
    }

    /// Returns how loud the event is.
    pub fn level(&self) -> Level {
        level(&self.event_type)
    }
}

pub(crate) static SPEECH: Speech = Speech {
    validate,
    facts: facts::facts,
    report: report::report,
    taxonomy: &TAXONOMY,
    root: &Check::Shape(&EVENT),
    documents: &[
        ("legacy-event", &Check::Shape(&LEGACY_EVENT)),
        ("legacy-flat", &Check::Shape(&LEGACY_FLAT)),
    ],
    schema_id: "needle/event-1",
    draft: Draft::Twenty,
};

fn validate(fields: &mut Fields<'_>, problems: &mut Problems) {
    report_repeated_keys(fields.object(), problems);
    let shape = shape_of(fields.object());
    if !std::ptr::eq(shape, &EVENT) {
        problems.whole(Code::LegacyShape, "an old shape without a sequence; its order is unknown");
    }
    fields.check_as(shape, problems);
}

/// Returns the shape that an object means to have.
///
/// A flat record may have taken over a `worker_id` from the data of its event, so that key alone does not make it an event.
fn shape_of(value: Value<'_>) -> &'static Shape {
    let names = value.names();
    let has = |name| names.has(Name::of(name));
    if (has("event_type") && has("worker_id")) || !has("ts") || !has("worker") {
        return &EVENT;
    }
    let is_flat = match (has("event"), has("msg")) {
        (true, false) => false,
        (false, true) => true,
        (true, true) | (false, false) => value.get("ts").is_some_and(|ts| ts.as_f64().is_some()),
    };
    if is_flat { &LEGACY_FLAT } else { &LEGACY_EVENT }
}

#[cfg(test)]
mod tests;
