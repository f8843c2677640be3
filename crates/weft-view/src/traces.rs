//! Traces: the newest of them, and the spans of one as a tree.

pub mod spans;

use serde::{Deserialize, Serialize};
use weft_event::{Level, Status};

use crate::bounded::Bounded;
use crate::distinct::{Distinct, fingerprint};
use crate::{At, Entry, View, what};

pub use spans::{Branch, Span, Spans, Why, branches};

/// Traces that are kept.
pub const TRACES_MAX: usize = 1_000;
/// Actors of a trace that are named.
const ACTORS_MAX: usize = 16;
/// How much of what a trace is about is kept.
const LABEL_CHARS_MAX: usize = 200;
const NS_PER_MS: u64 = 1_000_000;

/// The newest traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traces {
    traces: Bounded<Kept, TRACES_MAX>,
}

/// What is kept of one trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    /// What it began with: of what has no span above it the first, else the first of all.
    root: Option<Root>,
    /// The first of their names.
    actors: Vec<String>,
    spans: Distinct,
    n_records: u64,
    n_errors: u64,
    /// The times of its first and its last record.
    span_ns: Option<(i64, i64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Root {
    has_parent: bool,
    at_ns: i64,
    position: u64,
    label: String,
    session: Option<String>,
}

/// One trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceRow {
    /// Its id.
    pub trace: String,
    /// What it began with.
    pub root: String,
    /// The session that it began in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who has part in it, the first 16 by name.
    pub actors: Vec<String>,
    /// Its spans; where there are more than 256, about so many.
    pub n_spans: u64,
    /// Its records.
    pub n_records: u64,
    /// Records of it that tell of an error.
    pub n_errors: u64,
    /// Its first record.
    pub since: At,
    /// Its last record.
    pub last_seen: At,
    /// The time between them.
    pub duration_ms: u64,
    /// The record that it began with.
    pub position: u64,
}

impl View for Traces {
    const NAME: &'static str = "traces";
    const VERSION: u32 = 1;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let Some(trace) = facts.trace.as_deref().filter(|trace| !trace.is_empty()) else { return };
        if let Some(kept) = self.traces.touch(trace, entry.time_ns()) {
            kept.put(entry);
        }
    }
}

impl Kept {
    fn put(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let at_ns = entry.time_ns();
        let (first_ns, last_ns) = self.span_ns.unwrap_or((at_ns, at_ns));
        self.span_ns = Some((first_ns.min(at_ns), last_ns.max(at_ns)));
        let key = (facts.parent_span.is_some(), at_ns, entry.position);
        if self.root.as_ref().is_none_or(|root| key < root.key()) {
            self.root = Some(Root::of(entry));
        }
        if let Some(actor) = facts.actor.as_deref()
            && let Err(idx) = self.actors.binary_search_by(|known| known.as_str().cmp(actor))
            && idx < ACTORS_MAX
        {
            self.actors.insert(idx, actor.to_owned());
            self.actors.truncate(ACTORS_MAX);
        }
        if let Some(span) = facts.span.as_deref() {
            self.spans.put(fingerprint(None, span));
        }
        if !entry.is_carried {
            self.n_records += 1;
            let is_error = facts.level == Level::Error || facts.status == Some(Status::Error);
            self.n_errors += u64::from(is_error);
        }
    }
}

impl Root {
    fn key(&self) -> (bool, i64, u64) {
        (self.has_parent, self.at_ns, self.position)
    }

    fn of(entry: &Entry<'_, '_>) -> Self {
        let facts = entry.facts;
        let label = what(facts);
        let label = if label.is_empty() { facts.event_type.to_string() } else { label };
        Self {
            has_parent: facts.parent_span.is_some(),
            at_ns: entry.time_ns(),
            position: entry.position,
            label: label.chars().take(LABEL_CHARS_MAX).collect(),
            session: facts.session.as_deref().map(str::to_owned),
        }
    }
}

impl Traces {
    /// Returns the newest traces, the last touched first.
    pub fn rows(&self) -> Vec<TraceRow> {
        let mut rows: Vec<TraceRow> =
            self.traces.iter().filter_map(|(trace, kept)| kept.row(trace)).collect();
        rows.sort_by(|a, b| b.last_seen.cmp(&a.last_seen).then_with(|| a.trace.cmp(&b.trace)));
        rows
    }
}

impl Kept {
    fn row(&self, trace: &str) -> Option<TraceRow> {
        let (root, (first_ns, last_ns)) = self.root.as_ref().zip(self.span_ns)?;
        Some(TraceRow {
            trace: trace.to_owned(),
            root: root.label.clone(),
            session: root.session.clone(),
            actors: self.actors.clone(),
            n_spans: self.spans.count(),
            n_records: self.n_records,
            n_errors: self.n_errors,
            since: At(first_ns),
            last_seen: At(last_ns),
            duration_ms: last_ns.abs_diff(first_ns) / NS_PER_MS,
            position: root.position,
        })
    }
}

#[cfg(test)]
mod tests;
