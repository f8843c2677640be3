//! Reading records into entries, with memory that is used again from one to the next.

use weft_event::event::{self, Event, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_view::Entry;

use crate::source::Record;

/// What reading a record needs.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    tape: Tape,
    problems: Problems,
}

impl Reading {
    /// Reads a record and hands it on as an entry. Returns whether it is an event.
    pub(crate) fn take(
        &mut self,
        record: &Record,
        take: impl FnOnce(&Entry<'_, '_>, &Event<'_>),
    ) -> bool {
        self.problems.clear();
        let expect = record.dialect.map_or(Expect::Any, Expect::Dialect);
        let event = event::read(&mut self.tape, &record.line, expect, &mut self.problems);
        let Some(event) = event else { return false };
        let facts = event.facts();
        let report = event.report(&facts);
        let entry = Entry {
            position: record.position,
            received_ns: record.received_ns,
            is_carried: record.is_carried,
            facts: &facts,
            report: &report,
        };
        take(&entry, &event);
        true
    }
}
