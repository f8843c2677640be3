//! What users of the filter language get.

mod errors;
mod index;
mod language;
mod made_up;
mod normal_form;
mod routes;
mod search;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::time::parse_rfc3339;

use super::{Filter, Subject};
use crate::{Mark, Meta, Position};

/// What relative times count from.
const NOW: &str = "2026-11-15T12:00:00Z";

fn now_ns() -> i64 {
    parse_rfc3339(NOW).unwrap()
}

fn parse(text: &str) -> Filter {
    match Filter::parse(text, now_ns()) {
        Ok(filter) => filter,
        Err(error) => panic!("{}", error.render(text)),
    }
}

/// Returns what the log adds to the nth event, received a second before its time by the test's clock.
fn meta(position: u64, dialect: weft_event::Dialect) -> Meta {
    Meta {
        position: Position::new(position).unwrap(),
        at_us: Some(now_ns() / 1000 - 1_000_000),
        mark: Some(Mark {
            dialect,
            via: "hook".into(),
            crc: 0,
            delivery: None,
            topic: None,
            carried: None,
            conflict: None,
        }),
    }
}

/// Reads an event and asks something of it as a record.
fn with_subject<T>(
    line: &str,
    meta: impl FnOnce(weft_event::Dialect) -> Meta,
    ask: impl FnOnce(&Subject<'_>) -> T,
) -> T {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
    let event = event.unwrap_or_else(|| panic!("no event: {line}"));
    let meta = meta(event.dialect());
    ask(&Subject { meta: &meta, facts: &event.facts(), event: event.value() })
}
