//! From the bytes of a request to records in the log, and a report of what became of them.

use axum::http::StatusCode;
use bytes::Bytes;
use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;
use weft_event::digest_parts;
use weft_event::event::Expect;
use weft_event::json::{Kind, Syntax, SyntaxError, Tape, Value};
use weft_event::translate::otlp::{Malformed, Reader, Series, Signal, Taken};
use weft_event::translate::{Fill, Untranslatable};
use weft_log::admit::Strictness;
use weft_log::rejected::Reason;
use weft_log::spool::Entry;

use super::Form;
use super::report::Report;
use super::wire::{self, Broken};
use crate::Core;
use crate::http::answer::Failure;
use crate::http::body::Held;
use crate::http::events::{self, Asked, Found, INLINE_BYTES_MAX, Sorted, Sorter};
use crate::writer::WriteFailure;

/// What the conventions call a service that does not say its name.
const NO_NAME: &str = "unknown_service";

/// Takes one export request.
pub(super) async fn take(
    core: &Core,
    signal: Signal,
    form: Form,
    held: Held,
) -> Result<Report, Failure> {
    let series = match signal {
        Signal::Logs | Signal::Traces => None,
        Signal::Metrics => Some(turn(core).await?),
    };
    let request = Request { signal, form, bytes: held.bytes.clone(), series };
    let (sorted, request) = if request.bytes.len() <= INLINE_BYTES_MAX {
        sort(core, request)
    } else {
        let judge = core.clone();
        core.intake().aside(move || sort(&judge, request)).await
    };
    let (mut sorted, mut report) = sorted?;
    let stored = events::store(core, &Asked::otlp(), &mut sorted, Vec::new()).await;
    stored.map_err(unstored)?;
    if let Some(mut series) = request.series {
        series.keep();
    }
    core.counters().left(signal, report.n_unwanted());
    report.refused = sorted.refused.first().map(first_reason);
    drop(held);
    Ok(report)
}

/// Waits for the turn to measure running totals. One request has it until its events are durable: only then a total is one that the
/// next is measured against.
async fn turn(core: &Core) -> Result<OwnedMutexGuard<Series>, Failure> {
    let waiting = core.series().clone().lock_owned();
    let turn = tokio::time::timeout(core.limits().queue_patience, waiting).await;
    let mut series = turn.map_err(|_elapsed| unstored(WriteFailure::Busy))?;
    // Somebody may have left before it was known what became of its events.
    series.forget();
    Ok(series)
}

/// A failure to store. For an exporter, 503 is what it has to send again.
pub(super) fn unstored(failure: WriteFailure) -> Failure {
    let is_busy = matches!(failure, WriteFailure::Busy);
    let failure = Failure::from(failure);
    match is_busy {
        true => failure.with_status(StatusCode::SERVICE_UNAVAILABLE),
        false => failure,
    }
}

/// A request that is being read.
struct Request {
    signal: Signal,
    form: Form,
    bytes: Bytes,
    /// What running totals are measured against.
    series: Option<OwnedMutexGuard<Series>>,
}

/// Reads the records of a request, and tells those that may be stored from the others.
fn sort(core: &Core, mut request: Request) -> (Result<(Sorted, Report), Failure>, Request) {
    let Request { signal, form, bytes, series } = &mut request;
    let mut none = Series::new(i64::MAX);
    let series = series.as_deref_mut().unwrap_or(&mut none);
    let asked = Asked::otlp();
    let sorted = core.intake().with_gate(Strictness::Lenient, bytes.len(), |gate| {
        let sorter = Sorter::new(gate, &asked, core.limits().request_events_max);
        let mut sorting = Sorting {
            sorter,
            request: blake3::hash(bytes),
            report: Report::default(),
            failure: None,
        };
        let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).ok();
        let agent = Some(NO_NAME.to_owned());
        let fill = Fill { time_ns: now_ns, agent, ..Fill::default() };
        let mut reader = Reader::new(fill, series);
        let mut tape = Tape::new();
        let mut read = |text: &[u8]| {
            let value = tape.parse_bytes(text).map_err(|error| unreadable(&error))?;
            sorting.read(&mut reader, value, *signal)
        };
        match form {
            Form::Json => read(bytes)?,
            Form::Protobuf => wire::to_json(*signal, bytes, |part| read(part.as_bytes()))?,
        }
        let mut report = sorting.report;
        if report.n_records == 0 && report.n_refused == 0 && report.warning.is_none() {
            report.warning = Some("there is nothing in the request");
        }
        Ok((sorting.sorter.finish(), report))
    });
    (sorted, request)
}

/// The records of one request on their way to the gate.
struct Sorting<'g> {
    sorter: Sorter<'g>,
    /// What tells the request from others.
    request: blake3::Hash,
    report: Report,
    failure: Option<Failure>,
}

impl Sorting<'_> {
    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        value: Value<'_>,
        signal: Signal,
    ) -> Result<(), Failure> {
        if value.kind() != Kind::Object {
            let message = format!("an export request is an object, not {}", value.kind().name());
            return Err(Failure::bad("not_a_request", message));
        }
        let malformed = reader.read(value, signal, &mut |taken| {
            if self.failure.is_none() {
                self.failure = self.record(taken).err();
            }
        });
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let in_snake_case = match signal {
            Signal::Logs => "resource_logs",
            Signal::Traces => "resource_spans",
            Signal::Metrics => "resource_metrics",
        };
        if value.get(signal.lists()[0]).is_none() && value.get(in_snake_case).is_some() {
            self.report.warning = Some(
                "nothing was read: in OTLP/JSON names are in lowerCamelCase, such as resourceLogs and not resource_logs",
            );
        }
        self.malformed(value, malformed)
    }

    /// Takes what one record became.
    fn record(&mut self, taken: Taken<'_>) -> Result<(), Failure> {
        let idx = self.report.n_records;
        self.report.n_records += 1;
        match taken.outcome {
            Ok(ref opened) => {
                let delivery = taken.is_timed.then(|| delivery_of(&self.request, idx));
                let before = self.sorter.n_refused();
                let expect = Expect::Dialect(opened.dialect);
                self.sorter.take(Found { line: opened.line.as_bytes(), expect, delivery })?;
                self.report.n_refused += (self.sorter.n_refused() - before) as u64;
            }
            Err(Untranslatable::Unwanted(why)) => self.report.leave(why),
            Err(ref error) => {
                let reason = match error {
                    Untranslatable::Malformed(problem) => problem.into(),
                    Untranslatable::NoEquivalent { .. }
                    | Untranslatable::Missing { .. }
                    | Untranslatable::Incomplete { .. }
                    | Untranslatable::Unwanted(_)
                    | Untranslatable::TooManyProducers
                    | Untranslatable::Invalid(_) => Reason {
                        code: "not_an_event".to_owned(),
                        path: String::new(),
                        message: error.to_string(),
                    },
                };
                self.sorter.refuse(taken.request().as_bytes(), vec![reason])?;
                self.report.n_refused += 1;
            }
        }
        Ok(())
    }

    /// Refuses what is not of a request's form. The request is kept as it came, for only there it can be seen what was meant.
    fn malformed(&mut self, value: Value<'_>, malformed: Malformed) -> Result<(), Failure> {
        let Some(first) = malformed.problems.first() else { return Ok(()) };
        if self.report.n_records == 0 {
            return Err(Failure::bad("not_a_request", first.to_string()));
        }
        let n_records = malformed.n_records as u64;
        self.report.n_records += n_records;
        self.report.n_refused += n_records;
        let reasons = malformed.problems.iter().map(Reason::from).collect();
        self.sorter.refuse(value.raw().as_bytes(), reasons)
    }
}

/// Returns what tells the delivery of a record from others: an exporter that is not answered sends the same request again, byte for
/// byte. It counts only for a record that says when it happened and has no identity; without a time, two equal ones are two.
fn delivery_of(request: &blake3::Hash, idx: u64) -> String {
    let digest = digest_parts(&[b"otlp request", request.as_bytes(), &idx.to_le_bytes()]);
    Entry::delivery(Uuid::from_bytes(digest))
}

fn first_reason(refused: &weft_log::rejected::Refusal) -> String {
    let first = refused.reasons.first();
    first.map_or_else(String::new, |reason| match reason.path.as_str() {
        "" => reason.message.clone(),
        path => format!("{path}: {}", reason.message),
    })
}

fn unreadable(error: &SyntaxError) -> Failure {
    if error.kind != Syntax::TooLong {
        return Failure::bad("not_json", format!("the body is not JSON: {error}"));
    }
    let status = StatusCode::PAYLOAD_TOO_LARGE;
    let message = format!("a request, or one record of it, is {} as JSON", error.kind);
    Failure::new(status, "body_too_large", message)
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Failure::bad("not_protobuf", format!("the body is no export request: {broken}"))
    }
}
