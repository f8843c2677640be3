//! A record read as views take it.

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::Meta;
use weft_view::Entry;

/// What reading records takes, used again from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    tape: Tape,
    problems: Problems,
}

impl Reading {
    /// Reads a record and hands it on. One that is damaged, or that nothing vouches for, is none.
    pub(crate) fn entry<T>(
        &mut self,
        meta: &Meta,
        line: &[u8],
        take: impl FnOnce(&Entry<'_, '_>) -> T,
    ) -> Option<T> {
        let (mark, at_us) = meta.mark.as_ref().zip(meta.at_us)?;
        self.problems.clear();
        let expect = Expect::Dialect(mark.dialect);
        let event = event::read(&mut self.tape, line, expect, &mut self.problems)?;
        let facts = event.facts();
        let report = event.report(&facts);
        Some(take(&Entry {
            position: meta.position.get(),
            received_ns: at_us.saturating_mul(1000),
            is_carried: mark.carried.is_some(),
            facts: &facts,
            report: &report,
        }))
    }
}
