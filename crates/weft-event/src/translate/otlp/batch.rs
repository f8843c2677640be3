//! Many events in one export request, within limits.

use super::write::{record, request};
use crate::Dialect;
use crate::event::Event;
use crate::json::Json;
use crate::translate::{Fill, Numbering, Source};

/// Most log records of a request.
pub const BATCH_RECORDS_MAX: usize = 512;

/// Most bytes of the log records of a request. A record that is larger goes alone.
pub const BATCH_BYTES_MAX: usize = 1 << 20;

/// An export request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The request as OTLP/JSON, on one line.
    pub json: String,
    /// How many log records it has.
    pub n_records: usize,
}

/// Events that become one export request, in the order in which they come: where the dialect changes, another resource begins.
#[derive(Debug, Default)]
pub struct Batch {
    lists: Vec<(Dialect, Vec<Json<'static>>)>,
    n_records: usize,
    n_bytes: usize,
}

impl Batch {
    /// Returns a batch of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an event without errors; returns the request that was full before it. `seen_ns` stands for its time where it has
    /// none.
    pub fn push(&mut self, event: &Event<'_>, seen_ns: Option<i64>) -> Option<Request> {
        let fill = Fill { time_ns: seen_ns, ..Fill::default() };
        let record = record(&Source::new(event, &fill, &Numbering::new()));
        let n_bytes = record.as_str().len();
        let is_full =
            self.n_records == BATCH_RECORDS_MAX || self.n_bytes + n_bytes > BATCH_BYTES_MAX;
        let full = if is_full { self.take() } else { None };
        self.n_records += 1;
        self.n_bytes += n_bytes;
        match self.lists.last_mut() {
            Some((dialect, records)) if *dialect == event.dialect() => records.push(record),
            Some(_) | None => self.lists.push((event.dialect(), vec![record])),
        }
        full
    }

    /// Returns the request of what is here, and begins anew; `None` if there is nothing.
    pub fn take(&mut self) -> Option<Request> {
        let Self { lists, n_records, .. } = std::mem::take(self);
        (n_records > 0).then(|| Request { json: request(lists), n_records })
    }
}
