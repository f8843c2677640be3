//! From records to spans, and from spans to a tree: whatever the ids say, every span has one place in it.

use std::collections::{HashMap, HashSet};

use weft_event::Status;

use crate::{Entry, what};

const NS_PER_MS: u64 = 1_000_000;

/// Levels that are drawn apart; what is deeper is drawn as deep.
const DEPTH_DRAWN_MAX: usize = 64;

/// One span, or a record of the trace that names none.
#[derive(Debug, Default)]
pub struct Span {
    /// Its id.
    pub id: Option<String>,
    /// The span above it: the one that it names, else one of whoever started its actor.
    pub parent: Option<String>,
    /// Whose it is.
    pub actor: Option<String>,
    /// What it is about.
    pub label: String,
    /// The last one that its records give.
    pub status: Option<Status>,
    /// The time of its first record.
    pub start_ns: Option<i64>,
    /// The time of the last record in it or below it.
    pub end_ns: Option<i64>,
    /// What its records say it took.
    said_ms: Option<u64>,
    /// Its records.
    pub positions: Vec<u64>,
    /// Who started its actor.
    started_by: Option<String>,
}

impl Span {
    /// Returns how long it took, as far as that is known.
    pub fn took_ms(&self) -> Option<u64> {
        let spent = self.start_ns.zip(self.end_ns).filter(|(start, end)| start < end);
        self.said_ms.or(spent.map(|(start, end)| end.abs_diff(start) / NS_PER_MS))
    }
}

/// A span's place in the tree.
#[derive(Debug)]
pub struct Branch {
    /// Which span it is.
    pub span_idx: usize,
    /// How many levels stand above it.
    pub depth: usize,
    /// For each level down to the span, whether it is the last one there; not for those beyond the 64th.
    pub are_last: Vec<bool>,
    /// Why it stands there.
    pub why: Why,
}

/// A span that waits for its place.
struct Waiting {
    span_idx: usize,
    depth: usize,
    are_last: Vec<bool>,
}

/// Why a span stands where it does.
#[derive(Debug)]
pub enum Why {
    /// It names no parent.
    Root,
    /// Its parent stands above it.
    Child,
    /// Its parent is not in the trace.
    Orphan {
        /// The parent.
        parent: String,
    },
    /// Following its parents leads back to it.
    Circle {
        /// The parent.
        parent: String,
    },
}

/// The spans of a trace while they are gathered.
#[derive(Debug, Default)]
pub struct Spans {
    /// By their first records.
    spans: Vec<Span>,
    by_id: HashMap<String, usize>,
}

impl Spans {
    /// Takes in a record of the trace; those of one producer in its order. One that was received at no known time, 0, has none
    /// but that of its event.
    pub fn add(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let new = self.spans.len();
        let idx = match facts.span.as_deref() {
            Some(id) => *self.by_id.entry(id.to_owned()).or_insert(new),
            None => new,
        };
        if idx == new {
            let (event_type, what) = (&facts.event_type, what(facts));
            let label = if what.is_empty() {
                event_type.to_string()
            } else {
                format!("{event_type}: {what}")
            };
            self.spans.push(Span { label, ..Span::default() });
        }
        let span = &mut self.spans[idx];
        let text = |text: Option<&str>| text.map(str::to_owned);
        let (id, actor) = (facts.span.as_deref(), facts.actor.as_deref());
        span.id = span.id.take().or_else(|| text(id));
        let parent = facts.parent_span.as_deref().filter(|parent| Some(*parent) != id);
        span.parent = span.parent.take().or_else(|| text(parent));
        span.actor = span.actor.take().or_else(|| text(actor));
        let started_by = facts.parent.as_deref().filter(|parent| Some(*parent) != actor);
        span.started_by = span.started_by.take().or_else(|| text(started_by));
        span.status = facts.status.or(span.status);
        span.said_ms = facts.duration_ms.or(span.said_ms);
        let when = facts.time_ns.or(Some(entry.received_ns).filter(|ns| *ns != 0));
        span.start_ns = [span.start_ns, when].into_iter().flatten().min();
        span.end_ns = [span.end_ns, when].into_iter().flatten().max();
        span.positions.push(entry.position);
    }

    /// Returns the spans, each as long as what is below it.
    pub fn finish(self) -> Vec<Span> {
        let Self { mut spans, by_id } = self;
        follow_lineage(&mut spans, &by_id);
        spread_times(&mut spans, &by_id);
        spans
    }
}

/// Puts a span that names no parent below what started its actor: the span that has the actor's name, else the first of whoever
/// started it.
fn follow_lineage(spans: &mut [Span], by_id: &HashMap<String, usize>) {
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    for (idx, span) in spans.iter().enumerate().filter(|(_, span)| span.id.is_some()) {
        let Some(actor) = span.actor.as_deref() else { continue };
        let first = first_of.entry(actor).or_insert(idx);
        if (span.start_ns, idx) < (spans[*first].start_ns, *first) {
            *first = idx;
        }
    }
    let above = |(idx, span): (usize, &Span)| {
        let (None, Some(actor), Some(started_by)) = (&span.parent, &span.actor, &span.started_by)
        else {
            return None;
        };
        let named = by_id.get(actor).filter(|named| **named != idx);
        let above = named.or_else(|| first_of.get(started_by.as_str()))?;
        Some((idx, spans[*above].id.clone()?))
    };
    let found: Vec<(usize, String)> = spans.iter().enumerate().filter_map(above).collect();
    found.into_iter().for_each(|(idx, above)| spans[idx].parent = Some(above));
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
pub fn branches(spans: &[Span]) -> Vec<Branch> {
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
