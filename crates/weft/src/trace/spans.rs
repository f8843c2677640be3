//! From records to spans, and from spans to a tree: whatever the ids say, every span has one place in it.

use std::collections::{HashMap, HashSet};

use weft_event::Status;
use weft_event::json::Tape;
use weft_log::Position;
use weft_log::query::Found;

use crate::records::{what, when_ns};

const NS_PER_MS: u64 = 1_000_000;

/// Levels that are drawn apart; what is deeper is drawn as deep.
const DEPTH_DRAWN_MAX: usize = 64;

/// One span, or a record of the trace that names none.
#[derive(Debug, Default)]
pub(super) struct Span {
    pub(super) id: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) actor: Option<String>,
    /// What it is about.
    pub(super) label: String,
    /// The last one that its records give.
    pub(super) status: Option<Status>,
    /// The times of the first and the last record in it or below it.
    pub(super) start_ns: Option<i64>,
    pub(super) end_ns: Option<i64>,
    /// What its records say it took.
    said_ms: Option<u64>,
    pub(super) positions: Vec<Position>,
}

impl Span {
    /// Returns how long it took, as far as that is known.
    pub(super) fn took_ms(&self) -> Option<u64> {
        let spent = self.start_ns.zip(self.end_ns).filter(|(start, end)| start < end);
        self.said_ms.or(spent.map(|(start, end)| end.abs_diff(start) / NS_PER_MS))
    }
}

/// A span's place in the tree.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) span_idx: usize,
    /// How many levels stand above it.
    pub(super) depth: usize,
    /// For each level down to the span, whether it is the last one there; not for those beyond [`DEPTH_DRAWN_MAX`].
    pub(super) are_last: Vec<bool>,
    pub(super) why: Why,
}

/// A span that waits for its place.
struct Waiting {
    span_idx: usize,
    depth: usize,
    are_last: Vec<bool>,
}

/// Why a span stands where it does.
#[derive(Debug)]
pub(super) enum Why {
    /// It names no parent.
    Root,
    /// Its parent stands above it.
    Child,
    /// Its parent is not in the trace.
    Orphan { parent: String },
    /// Following its parents leads back to it.
    Circle { parent: String },
}

/// Gathers the spans of a trace's records, by their first ones.
pub(super) fn gather(records: &[Found]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut tape = Tape::new();
    for found in records {
        let Some(event) = found.read(&mut tape) else { continue };
        let facts = event.facts();
        let new = spans.len();
        let idx = match facts.span.as_deref() {
            Some(id) => *by_id.entry(id.to_owned()).or_insert(new),
            None => new,
        };
        if idx == new {
            let label = what(&facts);
            let event_type = facts.event_type.to_string();
            let label =
                if label.is_empty() { event_type } else { format!("{event_type}: {label}") };
            spans.push(Span { label, ..Span::default() });
        }
        let span = &mut spans[idx];
        span.id = span.id.take().or_else(|| facts.span.as_deref().map(str::to_owned));
        let parent =
            facts.parent_span.as_deref().filter(|parent| Some(*parent) != facts.span.as_deref());
        span.parent = span.parent.take().or_else(|| parent.map(str::to_owned));
        span.actor = span.actor.take().or_else(|| facts.actor.as_deref().map(str::to_owned));
        span.status = facts.status.or(span.status);
        span.said_ms = facts.duration_ms.or(span.said_ms);
        let when = when_ns(found, &facts);
        span.start_ns = [span.start_ns, when].into_iter().flatten().min();
        span.end_ns = [span.end_ns, when].into_iter().flatten().max();
        span.positions.push(found.meta.position);
    }
    spread_times(&mut spans, &by_id);
    spans
}

/// Lets every span last until the last one below it.
fn spread_times(spans: &mut [Span], by_id: &HashMap<String, usize>) {
    // The latest first, so that every span is given its end once.
    let mut by_end: Vec<usize> = (0..spans.len()).collect();
    by_end.sort_by_key(|idx| std::cmp::Reverse(spans[*idx].end_ns));
    for idx in by_end {
        let end_ns = spans[idx].end_ns;
        let mut above = spans[idx].parent.as_ref().and_then(|parent| by_id.get(parent)).copied();
        // What is as late already has handed its time on: this also ends a walk in a circle.
        while let Some(parent) = above.filter(|parent| spans[*parent].end_ns < end_ns) {
            spans[parent].end_ns = end_ns;
            above = spans[parent].parent.as_ref().and_then(|parent| by_id.get(parent)).copied();
        }
    }
}

/// Returns the tree from top to bottom: children by their beginnings.
pub(super) fn branches(spans: &[Span]) -> Vec<Branch> {
    let ids = spans.iter().enumerate().filter_map(|(idx, span)| Some((span.id.as_deref()?, idx)));
    let by_id: HashMap<&str, usize> = ids.collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut tops = Vec::new();
    for (idx, span) in spans.iter().enumerate() {
        match span.parent.as_deref().map(|parent| by_id.get(parent)) {
            Some(Some(parent)) => children.entry(*parent).or_default().push(idx),
            Some(None) | None => tops.push(idx),
        }
    }
    let circles = circles(spans, &children, &tops);
    tops.extend(&circles);
    let mut branches = Vec::with_capacity(spans.len());
    let mut is_placed = vec![false; spans.len()];
    let mut waiting = level(spans, tops, None);
    while let Some(Waiting { span_idx, depth, are_last }) = waiting.pop() {
        is_placed[span_idx] = true;
        let why = match &spans[span_idx].parent {
            None => Why::Root,
            Some(parent) if circles.contains(&span_idx) => Why::Circle { parent: parent.clone() },
            Some(parent) if depth == 0 => Why::Orphan { parent: parent.clone() },
            Some(_) => Why::Child,
        };
        let branch = Branch { span_idx, depth, are_last, why };
        let mut below = children.remove(&span_idx).unwrap_or_default();
        below.retain(|child| !is_placed[*child] && !circles.contains(child));
        waiting.extend(level(spans, below, Some(&branch)));
        branches.push(branch);
    }
    branches
}

/// Returns one span of each circle: nothing else leads to those in it.
fn circles(
    spans: &[Span],
    children: &HashMap<usize, Vec<usize>>,
    tops: &[usize],
) -> HashSet<usize> {
    let mut is_reached = vec![false; spans.len()];
    let mut circles = HashSet::new();
    let starts =
        tops.iter().map(|top| (*top, true)).chain((0..spans.len()).map(|idx| (idx, false)));
    for (start, is_top) in starts {
        if !is_top && !is_reached[start] {
            circles.insert(start);
        }
        let mut waiting = vec![start];
        while let Some(idx) = waiting.pop() {
            if !std::mem::replace(&mut is_reached[idx], true) {
                waiting.extend(children.get(&idx).into_iter().flatten());
            }
        }
    }
    circles
}

/// Returns the spans of one level, the first one last.
fn level(spans: &[Span], mut idxs: Vec<usize>, above: Option<&Branch>) -> Vec<Waiting> {
    idxs.sort_by_key(|idx| (spans[*idx].start_ns, *idx));
    let last = idxs.last().copied();
    let waiting = |span_idx: usize| {
        let mut are_last = above.map(|above| above.are_last.clone()).unwrap_or_default();
        if are_last.len() == DEPTH_DRAWN_MAX {
            are_last.pop();
        }
        are_last.push(Some(span_idx) == last);
        Waiting { span_idx, depth: above.map_or(0, |above| above.depth + 1), are_last }
    };
    idxs.into_iter().rev().map(waiting).collect()
}
