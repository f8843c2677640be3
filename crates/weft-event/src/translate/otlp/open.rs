//! The events out of an export request: our own as they were, NEEDLE's as needle events, any other record as a collector event;
//! so are spans about agents, and points that count tokens or costs.

mod changed;
mod made;
mod metric;
mod needle;
mod read;
mod record;
mod request;
mod series;
mod span;

use super::names::{PARENT_AGENT, PROMPT, TOOL_CALL, TOOL_NAME};
use super::{DIALECT, EVENT, NEEDLE_BEAD, NEEDLE_SEQUENCE, NEEDLE_SESSION, NEEDLE_WORKER};
use crate::collector::{Correlation, Tool};
use crate::facts::carried;
use crate::identity::digest_parts;
use crate::json::{Json, Value};
use crate::problem::Problem;
use crate::translate::source::{put, uuid};
use crate::translate::{Fill, Loss, Opened, Origin, Untranslatable, on_one_line};
use crate::{Dialect, time};

use made::Made;
use read::usage;
use record::{Around, Record};
use request::{Copies, Records, records, visit};

pub use series::{SERIES_MAX, Series};

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Log records.
    Logs,
    /// Spans.
    Traces,
    /// Data points of metrics.
    Metrics,
}

impl Signal {
    /// Every one.
    pub const ALL: [Signal; 3] = [Signal::Logs, Signal::Traces, Signal::Metrics];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Signal::Logs => "logs",
            Signal::Traces => "traces",
            Signal::Metrics => "metrics",
        }
    }

    /// Returns the names of the lists that records stand in, from the outermost.
    pub fn lists(self) -> [&'static str; 3] {
        match self {
            Signal::Logs => ["resourceLogs", "scopeLogs", "logRecords"],
            Signal::Traces => ["resourceSpans", "scopeSpans", "spans"],
            Signal::Metrics => ["resourceMetrics", "scopeMetrics", "metrics"],
        }
    }
}

/// What a log record, a span or a data point became.
pub struct Taken<'r> {
    /// The event, or why there is none.
    pub outcome: Result<Opened, Untranslatable>,
    /// Whether it says itself when it happened.
    pub is_timed: bool,
    alone: &'r dyn Fn(&mut String),
}

impl Taken<'_> {
    /// Returns an export request with nothing else in it.
    pub fn request(&self) -> String {
        let mut request = String::new();
        (self.alone)(&mut request);
        request
    }
}

/// What in a request is not of a request's form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong, as far as it is told.
    pub problems: Vec<Problem>,
    /// How many records that is; a list that is none counts as one.
    pub n_records: usize,
}

/// Takes events out of one export request, which may come in parts.
pub struct Reader<'s> {
    fill: Fill,
    series: &'s mut Series,
    copies: Copies,
}

impl<'s> Reader<'s> {
    /// Returns a reader of a request that takes what is lacking from `fill`, and measures running totals against `series`.
    pub fn new(fill: Fill, series: &'s mut Series) -> Self {
        Self { fill, series, copies: Copies::default() }
    }

    /// Hands out what each record of a request becomes, in order; returns what is not of a request's form.
    pub fn read(
        &mut self,
        value: Value<'_>,
        signal: Signal,
        each: &mut dyn FnMut(Taken<'_>),
    ) -> Malformed {
        let Self { fill, series, copies } = self;
        let bad = visit(value, signal, copies, &mut |record| match signal {
            Signal::Logs => {
                let outcome = open_record(&record, fill);
                let is_timed = record.time_ns().is_some();
                each(Taken { outcome, is_timed, alone: &|out| record.write_request(out) });
            }
            Signal::Traces => span::take(&record, fill, each),
            Signal::Metrics => metric::take(&record, fill, series, each),
        });
        Malformed { problems: bad.problems.list().to_vec(), n_records: bad.n_records }
    }
}

/// Takes the events out of an export request; `None` if the value is none.
pub(in crate::translate) fn open(
    value: Value<'_>,
    fill: &Fill,
) -> Option<Vec<Result<Opened, Untranslatable>>> {
    let signal = signal_of(value)?;
    // Nothing is known of what came before, so that no running total says how much it has grown.
    let mut series = Series::new(i64::MAX);
    let mut opened = Vec::new();
    let mut reader = Reader::new(fill.clone(), &mut series);
    let malformed = reader.read(value, signal, &mut |taken| opened.push(taken.outcome));
    opened.extend(malformed.problems.into_iter().map(|p| Err(Untranslatable::Malformed(p))));
    Some(opened)
}

/// Takes a request apart into requests with one record each, as they are, and what is wrong with the rest; `None` if the
/// value is no request.
///
/// A request with nothing wrong stays whole.
pub(in crate::translate) fn unpack(value: Value<'_>) -> Option<(Vec<String>, Vec<Problem>)> {
    let Records { good, bad } = records(value, signal_of(value)?);
    let problems = bad.problems.list().to_vec();
    let requests = match problems.is_empty() {
        true => vec![value.raw().to_owned()],
        false => good.iter().map(Record::request).collect(),
    };
    Some((requests, problems))
}

fn signal_of(value: Value<'_>) -> Option<Signal> {
    Signal::ALL.into_iter().find(|signal| value.get(signal.lists()[0]).is_some())
}

fn open_record(record: &Record<'_>, fill: &Fill) -> Result<Opened, Untranslatable> {
    let dialect = record.text(&[DIALECT]).and_then(|word| Dialect::parse(&word));
    if let (Some(dialect), Some(line)) = (dialect, record.text(&[EVENT])) {
        return changed::open(record, dialect, on_one_line(line.into_owned()));
    }
    match needle_event(record, fill) {
        Some(opened) => Ok(opened),
        None => collector_event(record, fill),
    }
}

/// Returns the needle event that NEEDLE's own exporter sent.
///
/// It is written as NEEDLE writes it to its file, so that the same event from both places has the same content. Only a record
/// that says more than such an event can is kept beside it.
fn needle_event(record: &Record<'_>, fill: &Fill) -> Option<Opened> {
    let worker_id = record.text(&[NEEDLE_WORKER])?;
    let session_id = record.text(&[NEEDLE_SESSION])?;
    let sequence = record.count(&[NEEDLE_SEQUENCE])?;
    let timestamp = time::format_rfc3339(record.time_ns().or(fill.time_ns)?);
    let name = record.name();
    let is_kept = record.says_more_than_needle(&name);
    let data = record.needle_data(&name, &|data| {
        if is_kept {
            let request = |out: &mut String| record.write_request(out);
            made::write_added(data.key(carried::KEY), &name, &level(record), &request);
        }
    });
    let line = Json::object(|event| {
        event.json("schema_version", &Json::integer(crate::needle::VERSION));
        event.text("timestamp", &timestamp);
        event.text("event_type", &name);
        event.text("worker_id", &worker_id);
        event.text("session_id", &session_id);
        event.json("sequence", &Json::integer(sequence));
        put(event, "bead_id", &record.text(&[NEEDLE_BEAD]));
        event.json("data", &data);
        put(event, "trace_id", &record.trace_id());
        put(event, "span_id", &record.span_id());
    });
    let is_kept = is_kept && record.around == Around::Kept;
    let is_lost = !is_kept && record.has_surroundings();
    let losses = if is_lost { vec![Loss::Surroundings] } else { Vec::new() };
    let line = on_one_line(line.as_str().to_owned());
    Some(Opened { line, dialect: Dialect::Needle, origin: Origin::Made, losses })
}

/// Makes a collector event of any other log record, and keeps the record beside it.
fn collector_event(record: &Record<'_>, fill: &Fill) -> Result<Opened, Untranslatable> {
    let known = made::known(record, (record.time_ns(), "timeUnixNano"), fill)?;
    let name = record.name();
    let event_type = read::event_type(record, &name);
    let order = record.count(&["event.sequence"]);
    let id = order.map(|order| {
        let session = record.session().unwrap_or_default();
        let parts = [&known.agent_id, &session, &name].map(|part| part.as_bytes());
        let numbers = [order.to_le_bytes(), known.time_ns.to_le_bytes()];
        uuid(digest_parts(&[parts[0], parts[1], parts[2], &numbers[0], &numbers[1]]))
    });
    let prompt = record.text(&[PROMPT]);
    // As of hooks: a prompt is a span of its own, and everything that it leads to is below it.
    let (own, above) = match event_type {
        "hook.prompt_submit" => (prompt, None),
        _ => (record.text(&TOOL_CALL), prompt),
    };
    // Hooks of the same agent have no numbers, and those of an exporter begin anew with each process: they order nothing.
    let order_fact = order.filter(|_| !record.is_claude_code());
    let order_fact = order_fact.map(|order| ("order", Json::integer(order)));
    let parent = record.text(&[PARENT_AGENT]).map(|parent| ("parent", Json::text(&parent)));
    let made = Made {
        known,
        event_type,
        id,
        message: record.body().unwrap_or_else(|| name.clone()),
        tool: Tool {
            tool_name: record.text(&TOOL_NAME),
            tool_input: read::tool_input(record),
            duration_ms: record.count(&["duration_ms"]).and_then(|ms| i64::try_from(ms).ok()),
            ..Tool::default()
        },
        correlation: Correlation {
            trace_id: record.trace_id(),
            span_id: own.or(record.span_id()),
            parent_span_id: above,
            ..Correlation::default()
        },
        usage: usage(record),
        usage_from: "log",
        metadata: Vec::new(),
        facts: order_fact.into_iter().chain(level(record)).chain(parent).collect(),
        request: &|out| record.write_request(out),
        name,
    };
    Ok(made::write(record, made))
}

/// Returns how loud a record is, as a fact that is carried.
fn level(record: &Record<'_>) -> Vec<(&'static str, Json<'static>)> {
    record.level().map(|level| ("level", Json::text(level.as_str()))).into_iter().collect()
}
