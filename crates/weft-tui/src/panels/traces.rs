//! The newest traces, and the spans of one as a tree.

use weft_event::Status;
use weft_view::traces::{Span, TraceRow, Why, branches};

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Listing, Look, field, quoted, shell};
use crate::text::{since, span};
use crate::theme::{Tone, of_status};
use crate::trace::Trace;

/// Most levels that a tree is drawn with.
const DEPTH_MAX: usize = 12;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Heard", min: 4, max: 7, rank: 0 },
    Column { title: "Took", min: 5, max: 7, rank: 1 },
    Column { title: "Spans", min: 5, max: 5, rank: 2 },
    Column { title: "Errors", min: 6, max: 6, rank: 3 },
    Column { title: "Trace", min: 8, max: 12, rank: 5 },
    Column { title: "Actors", min: 8, max: 30, rank: 4 },
    Column { title: "Begins with", min: 16, max: 120, rank: 0 },
];

impl Item for TraceRow {
    fn id(&self) -> String {
        self.trace.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let tone = if self.n_errors > 0 { Tone::Bad } else { Tone::Plain };
        vec![
            Cell::plain(since(self.last_seen.0, look.now_ns)),
            Cell::plain(span(self.duration_ms)),
            Cell::plain(self.n_spans.to_string()),
            Cell::new(self.n_errors.to_string(), tone),
            Cell::faint(self.trace.as_str()),
            Cell::plain(self.actors.join(" ")),
            Cell::new(self.root.as_str(), Tone::Strong),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("trace", Some(self.trace.clone()));
        add("begins with", Some(self.root.clone()));
        add("session", self.session.clone());
        add("actors", Some(self.actors.join(", ")));
        add("spans", Some(self.n_spans.to_string()));
        add("records", Some(self.n_records.to_string()));
        add("errors", Some(self.n_errors.to_string()));
        add("took", Some(span(self.duration_ms)));
        add("since", Some(look.zone.whole(self.since.0)));
        add("last heard", Some(look.zone.whole(self.last_seen.0)));
        fields
    }

    fn link(&self) -> Link {
        let records = Some(format!("trace={}", quoted(&self.trace)));
        Link { session: self.session.clone(), trace: Some(self.trace.clone()), records }
    }

    fn command(&self) -> String {
        format!("weft trace {}", shell(&self.trace))
    }
}

const SPAN_COLUMNS: &[Column] = &[
    Column { title: "Status", min: 11, max: 11, rank: 1 },
    Column { title: "Took", min: 5, max: 7, rank: 0 },
    Column { title: "Actor", min: 8, max: 24, rank: 2 },
    Column { title: "Span", min: 20, max: 200, rank: 0 },
];

/// One span in its place.
struct SpanRow {
    trace: String,
    tree: String,
    label: String,
    actor: Option<String>,
    status: Option<Status>,
    took_ms: Option<u64>,
    start_ns: Option<i64>,
    why: Option<String>,
    positions: Vec<u64>,
}

/// Returns the spans of a trace.
pub(super) fn spans(trace: &Trace) -> Listing {
    let spans = &trace.spans;
    let rows = branches(spans).into_iter().map(|branch| {
        let Span { id: _, parent: _, actor, label, status, start_ns, positions, .. } =
            &spans[branch.span_idx];
        let levels = &branch.are_last[branch.are_last.len().saturating_sub(DEPTH_MAX)..];
        let (last, above) = levels.split_last().unwrap_or((&true, &[]));
        let mut tree: String =
            above.iter().skip(1).map(|is_last| if *is_last { "  " } else { "│ " }).collect();
        if branch.depth > 0 {
            tree.push_str(if *last { "└ " } else { "├ " });
        }
        let why = match branch.why {
            Why::Root | Why::Child => None,
            Why::Orphan { parent } => Some(format!("its parent {parent} is not in the trace")),
            Why::Circle { parent } => Some(format!("its parents lead back to it: {parent}")),
        };
        SpanRow {
            trace: trace.id.clone(),
            tree,
            label: label.clone(),
            actor: actor.clone(),
            status: *status,
            took_ms: spans[branch.span_idx].took_ms(),
            start_ns: *start_ns,
            why,
            positions: positions.clone(),
        }
    });
    Listing::new(SPAN_COLUMNS, rows, "reading the trace …")
}

impl Item for SpanRow {
    fn id(&self) -> String {
        self.positions.first().map(u64::to_string).unwrap_or_default()
    }

    fn cells(&self, _look: &Look) -> Vec<Cell> {
        let status = self.status.map_or_else(Cell::default, |status| {
            let (sign, tone) = of_status(status);
            Cell::new(format!("{sign} {}", status.as_str()), tone)
        });
        vec![
            status,
            Cell::plain(self.took_ms.map(span).unwrap_or_default()),
            Cell::maybe(self.actor.as_deref()),
            Cell::plain(format!("{}{}", self.tree, self.label)),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("span", Some(self.label.clone()));
        add("actor", self.actor.clone());
        add("status", self.status.map(|status| status.as_str().to_owned()));
        add("began", self.start_ns.map(|ns| look.zone.whole(ns)));
        add("took", self.took_ms.map(span));
        add("note", self.why.clone());
        let positions: Vec<String> = self.positions.iter().map(u64::to_string).collect();
        add("records", Some(positions.join(" ")));
        fields
    }

    fn link(&self) -> Link {
        Link { records: positions_filter(&self.positions), ..Link::default() }
    }

    fn command(&self) -> String {
        format!("weft trace {}", shell(&self.trace))
    }
}
