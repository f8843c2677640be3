//! Cutting a body into events, and telling those that may be stored from those that are refused. No byte of an event changes but
//! the line breaks between its tokens.

use std::borrow::Cow;
use std::ops::Range;

use axum::http::StatusCode;
use uuid::Uuid;
use weft_event::detect::{Detection, detect};
use weft_event::event::Expect;
use weft_event::input::{Ending, Fault, Item, Line, Lines};
use weft_event::json::{Json, Kind, Tape, write_text};
use weft_event::problem::Problem;
use weft_event::{Dialect, Facts};
use weft_log::admit::{Admitted, Arrival, Gate, Refusal};
use weft_log::blobs::ShrinkError;
use weft_log::rejected::{self, Reason, With};

use super::asked::{Asked, OTLP};
use crate::http::answer::Failure;

/// What came of the events of a request at the gate.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// How the answer is written.
    pub(super) shape: Shape,
    /// One for each event, in order.
    pub(super) slots: Vec<Slot>,
    /// The events that may be stored, in order.
    pub(super) events: Vec<Admitted>,
    /// Their dialects.
    pub(super) dialects: Vec<Dialect>,
    /// Their ids, as JSON, one after the other.
    pub(super) ids: String,
    /// What is odd about some of them, by index.
    pub(super) warnings: Vec<(usize, Vec<Problem>)>,
    /// The others, in order.
    pub(crate) refused: Vec<rejected::Refusal>,
    /// Their dialects, where they are of one.
    pub(super) refused_dialects: Vec<Option<Dialect>>,
}

/// Whether one event came, or a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Single,
    List,
}

/// What came of one event.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// It may be stored; where its id stands.
    Admitted(Range<u32>),
    Refused,
}

/// One event as it was found.
pub(crate) struct Found<'l> {
    /// The event.
    pub(crate) line: &'l [u8],
    /// How its dialect is settled.
    pub(crate) expect: Expect,
    /// What tells its delivery from others.
    pub(crate) delivery: Option<String>,
}

/// Sorts the events of one request.
pub(crate) struct Sorter<'g> {
    gate: &'g mut Gate,
    asked: &'g Asked,
    events_max: usize,
    request_id: Option<Uuid>,
    sorted: Sorted,
}

impl<'g> Sorter<'g> {
    pub(crate) fn new(gate: &'g mut Gate, asked: &'g Asked, events_max: usize) -> Self {
        Self { gate, asked, events_max, request_id: None, sorted: Sorted::default() }
    }

    pub(crate) fn finish(self) -> Sorted {
        self.sorted
    }

    /// Returns how many events there were so far.
    pub(crate) fn n_events(&self) -> usize {
        self.sorted.slots.len()
    }

    /// Returns how many of them were refused.
    pub(crate) fn n_refused(&self) -> usize {
        self.sorted.refused.len()
    }

    /// Returns what the request asks for.
    pub(crate) fn asked(&self) -> &'g Asked {
        self.asked
    }

    /// Sets how the answer is written.
    pub(crate) fn answer_as(&mut self, shape: Shape) {
        self.sorted.shape = shape;
    }

    /// Takes a body that may be one event, an array of events, or an event a line.
    pub(super) fn any(&mut self, body: &[u8]) -> Result<(), Failure> {
        let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii();
        match text.first() {
            None => Err(Failure::bad("empty_body", "there is no event in the body")),
            Some(b'[') => self.array(text),
            Some(_) if has_newline(text) => {
                self.read_lines(Lines::documents(body), body)?;
                // A pretty-printed event is one event. One that is not JSON is not known to be more.
                let is_one = self.n_events() == 1;
                self.answer_as(if is_one { Shape::Single } else { Shape::List });
                Ok(())
            }
            Some(_) => self.event(text),
        }
    }

    /// Takes a body of an event a line.
    pub(super) fn lines(&mut self, body: &[u8]) -> Result<(), Failure> {
        self.answer_as(Shape::List);
        self.read_lines(Lines::new(body), body)?;
        if self.n_events() == 0 {
            return Err(Failure::bad("empty_body", "there is no event in the body"));
        }
        Ok(())
    }

    fn read_lines(&mut self, mut lines: Lines<&[u8]>, body: &[u8]) -> Result<(), Failure> {
        while let Some(item) = lines.read().expect("memory is read without errors") {
            match item {
                Item::Line(line) => self.event(line.bytes)?,
                Item::Fault(fault) if fault.kind.replaces_line() => self.fault(fault, body)?,
                Item::Fault(_) => {}
            }
        }
        Ok(())
    }

    /// Refuses what cannot be read as a line.
    fn fault(&mut self, fault: Fault, body: &[u8]) -> Result<(), Failure> {
        let reason = Reason {
            code: fault.kind.code().as_str().to_owned(),
            path: String::new(),
            message: fault.kind.to_string(),
        };
        let start = usize::try_from(fault.offset).unwrap_or(body.len()).min(body.len());
        self.refuse(&body[start..], vec![reason])
    }

    fn array(&mut self, text: &[u8]) -> Result<(), Failure> {
        let mut tape = Tape::new();
        // What is no JSON is refused as a whole.
        let Ok(array) = tape.parse_bytes(text) else { return self.event(text) };
        self.answer_as(Shape::List);
        let n_items = array.items().take(self.events_max + 1).count();
        if n_items > self.events_max {
            return Err(too_many(self.events_max));
        }
        self.sorted.events.reserve(n_items);
        self.sorted.slots.reserve(n_items);
        array.items().try_for_each(|item| self.event(item.raw().as_bytes()))
    }

    /// Takes one event, however many lines it has.
    fn event(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let (expect, delivery) = (self.asked.expect, self.asked.delivery(self.n_events()));
        self.take(Found { line: &on_one_line(bytes), expect, delivery })
    }

    /// Takes one event on one line.
    pub(crate) fn take(&mut self, found: Found<'_>) -> Result<(), Failure> {
        if let Err(refusal) = self.try_take(&found)? {
            self.keep(&found, &refusal);
        }
        Ok(())
    }

    /// Notes what the gate refused.
    pub(crate) fn keep(&mut self, found: &Found<'_>, refusal: &Refusal) {
        self.refuse_as(found, refusal.problems().iter().map(Reason::from).collect());
    }

    /// Takes one event if the gate does; otherwise it is as if it had not come.
    pub(crate) fn try_take(&mut self, found: &Found<'_>) -> Result<Result<(), Refusal>, Failure> {
        if self.n_events() >= self.events_max {
            return Err(too_many(self.events_max));
        }
        let ids = &mut self.sorted.ids;
        let before = ids.len();
        let arrival = Arrival {
            line: found.line,
            expect: found.expect,
            via: self.asked.via,
            delivery: found.delivery.as_deref(),
            topic: self.asked.topic.as_ref(),
        };
        let mut event = match self.gate.admit_seen(&arrival, |facts| put_id(ids, facts)) {
            Ok(event) => event,
            Err(Refusal::Large(ShrinkError::Blob(error))) => {
                tracing::error!("cannot move a value out of an event: {error}");
                return Err(unwritable());
            }
            Err(refusal) => {
                ids.truncate(before);
                return Ok(Err(refusal));
            }
        };
        let dialect = event.entry.mark.dialect;
        let place =
            |at: usize| u32::try_from(at).expect("ids are shorter than the body they are from");
        let id = place(before)..place(ids.len());
        if !event.warnings.is_empty() {
            let warnings = std::mem::take(&mut event.warnings);
            self.sorted.warnings.push((self.sorted.slots.len(), warnings));
        }
        self.sorted.slots.push(Slot::Admitted(id));
        self.sorted.dialects.push(dialect);
        self.sorted.events.push(event);
        Ok(Ok(()))
    }

    /// Refuses bytes that are no event for reasons that are not the gate's.
    pub(crate) fn refuse(&mut self, bytes: &[u8], reasons: Vec<Reason>) -> Result<(), Failure> {
        if self.n_events() >= self.events_max {
            return Err(too_many(self.events_max));
        }
        let delivery = self.asked.delivery(self.n_events());
        self.refuse_as(&Found { line: bytes, expect: self.asked.expect, delivery }, reasons);
        Ok(())
    }

    fn refuse_as(&mut self, found: &Found<'_>, reasons: Vec<Reason>) {
        let dialect = match found.expect {
            Expect::Any => None,
            Expect::Dialect(dialect) => Some(dialect),
        };
        let (delivery, topic) = (found.delivery.clone(), self.asked.topic.clone());
        let kept = rejected::Refusal {
            at_us: jiff::Timestamp::now().as_microsecond(),
            via: self.asked.via.to_owned(),
            origin: self.origin(),
            with: With { dialect, delivery, topic },
            reasons,
            bytes: found.line.to_vec(),
        };
        self.note_refused(kept, found.expect);
    }

    fn note_refused(&mut self, kept: rejected::Refusal, expect: Expect) {
        self.sorted.refused_dialects.push(dialect_of(&kept.bytes, expect));
        self.sorted.slots.push(Slot::Refused);
        self.sorted.refused.push(kept);
    }

    /// Returns where the next event comes from, as it is kept with one that is refused.
    fn origin(&mut self) -> String {
        let asked = self.asked;
        let made = || asked.request_id().unwrap_or_else(Uuid::now_v7);
        let id = *self.request_id.get_or_insert_with(made);
        let way = if asked.via == OTLP { OTLP } else { "http" };
        format!("{way}:{id}#{}", self.n_events())
    }
}

/// Writes the event's own id; nothing if it has none.
fn put_id(ids: &mut String, facts: &Facts<'_>) {
    if let Some(id) = facts.identity.own.and_then(|key| key.as_id()) {
        write_text(ids, &id);
    }
}

/// Returns the dialect of something refused, as far as it can be told.
fn dialect_of(bytes: &[u8], expect: Expect) -> Option<Dialect> {
    match expect {
        Expect::Dialect(dialect) => Some(dialect),
        Expect::Any => {
            let mut tape = Tape::new();
            let value =
                tape.parse_bytes(bytes).ok().filter(|value| value.kind() == Kind::Object)?;
            match detect(value) {
                Detection::Is(dialect) => Some(dialect),
                Detection::Ambiguous(_) | Detection::Unknown => None,
            }
        }
    }
}

/// Returns an event on one line. What is no JSON stays as it is: a line break inside a string is no white space, and would become
/// some.
pub(crate) fn on_one_line(bytes: &[u8]) -> Cow<'_, [u8]> {
    let bytes = bytes.trim_ascii();
    if !has_newline(bytes) || Tape::new().parse_bytes(bytes).is_err() {
        return Cow::Borrowed(bytes);
    }
    let line = Line { number: 1, offset: 0, bytes, ending: Ending::EndOfInput };
    line.on_one_line()
}

fn has_newline(bytes: &[u8]) -> bool {
    bytes.contains(&b'\n')
}

fn too_many(events_max: usize) -> Failure {
    let message = format!("there are more than {events_max} events (request_events_max)");
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too_many_events", message)
        .with("limit", Json::text("request_events_max"))
        .with("max", Json::integer(events_max as u64))
}

fn unwritable() -> Failure {
    let message = "the store cannot be written now";
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "store_unwritable", message).retry_after(5)
}
