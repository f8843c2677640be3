//! One trace that is shown.

use weft_view::traces::Span;

/// Most records of a trace that are read, the newest.
pub(crate) const RECORDS_MAX: usize = 5000;

/// A trace.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) id: String,
    /// Its spans; none before they were read.
    pub(crate) spans: Vec<Span>,
}
